"""Digests of games as the machine played them when the file was written: random games, searched games, vector steps and records.

``python -m tests.recycle.test_golden`` writes the file anew.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from meldlab.play import Deal, RandomPlayer, Table
from meldlab.recycle import RecycleGame, RecycleVector, library
from meldlab.recycle.players import parse_batch_player
from meldlab.recycle.players.search import play_games

GOLDEN = Path(__file__).parents[1] / "golden" / "recycle_games.txt"
KINDS = ("random", "pimc", "mcts", "ismcts", "vector", "record")
PLAYERS = {"pimc": "pimc:6:deals=3:taken", "mcts": "mcts:6:deals=3:rank", "ismcts": "ismcts:6"}


def golden() -> dict[str, list[str]]:
    """Return the digests of each game, in the order of ``KINDS``."""
    rows = [line.split() for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
    return {name: digests for name, *digests in rows}


def digest(*parts: object) -> str:
    """Return a digest of whole numbers, texts and arrays; floats count to the sixth digit."""
    text = [str(np.round(part, 6).tolist() if isinstance(part, np.ndarray) else part) for part in parts]
    return hashlib.sha256("\n".join(text).encode()).hexdigest()[:12]


def played(name: str, kind: str) -> str:
    """Play games of a kind and return their digest."""
    game = RecycleGame.load(name)
    machine = game.machine
    if kind == "random":
        results = machine.random_games(games=2000, seed=5)
        return digest(results.statuses, results.decisions, results.options, results.scores)
    if kind in PLAYERS:
        games = play_games(machine, [parse_batch_player(PLAYERS[kind])] * machine.players, games=5, seed=5, threads=1)
        numbers = (games.scores, games.chosen, games.options, games.determinizations)
        return digest(*numbers, games.best, games.worst, games.reward, games.first_half, games.score_estimate, games.rank_estimate)
    if kind == "vector":
        env = RecycleVector(game, 8, seed=5, overflow="truncate", action_keys=True, threads=1)
        steps: list[np.ndarray] = []
        for _ in range(200):
            step = env.step(env.random_actions())
            seen = env.observe()
            steps += [seen.features.copy(), seen.mask.copy(), seen.to_move.copy(), env.action_keys.copy(), step.rewards.copy()]
        return digest(*(array.astype(np.float64).sum() for array in steps), *steps[-5:])
    record = Table(game, [RandomPlayer()] * machine.players).play(Deal(5)).record
    return digest(record.actions, record.result)


def test_every_game_has_digests() -> None:
    assert {name: len(digests) for name, digests in golden().items()} == dict.fromkeys(library.names(), len(KINDS))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", library.names())
def test_machine_plays_the_same_games(name: str, kind: str) -> None:
    assert played(name, kind) == golden()[name][KINDS.index(kind)]


if __name__ == "__main__":
    heading = f"# Digests of games, see tests/recycle/test_golden.py: {' '.join(KINDS)}\n"
    rows = (" ".join([name, *(played(name, kind) for kind in KINDS)]) for name in library.names())
    GOLDEN.write_text(heading + "".join(f"{row}\n" for row in rows))
