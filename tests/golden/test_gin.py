"""Games of gin as recorded: batches, the vector environment, rollouts and tracking, each as a digest of its numbers.

The oracle is an earlier version of the kernels. ``python -m tests.golden.test_gin`` records the digests of this one.
"""

import hashlib
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.gin import PRESETS, Gin, Phase, Rules, View, players
from meldlab.gin.batch import batch_rules, kernel_parameters, new_states, play_batch
from meldlab.gin.kernel_tracking import ALLOWANCES, TRACKED_TURNS, track_matches
from meldlab.gin.players import ComputedPlayer
from meldlab.gin.sampling import rollouts
from meldlab.gin.vector import GinVector
from meldlab.play import Deal, Table
from meldlab.reproduce.nagai.tracking import genes_from
from tests.gin.test_computed_player import full_table

RECORD = Path(__file__).with_name("gin.txt")
KINDS = ("knock:10,0,6", "ensemble:best", "tables", "marjj", "network:light", "champion")
RULES = {name: PRESETS[name] for name in ("eaai", "pagat", "oklahoma")}
RULES["short"] = Rules(offer_upcard=False, knock_limit=20, max_draws=12, stock_floor=10, match_points=60)
BATCHES = [(*pair, rules) for pair in combinations_with_replacement(KINDS, 2) for rules in RULES]
ENVIRONMENTS = [(opponent, preset) for opponent in ("alone", "knock:10,0,6", "ensemble:best") for preset in ("eaai", "openspiel")]
ROLLOUTS = [("champion", "champion"), ("knock:10,0,6", "ensemble:best")]
SEED = 2026


@cache
def player(name: str) -> Any:
    return ComputedPlayer(full_table(5)) if name == "tables" else players.parse(name)


def digest(*arrays: Any) -> str:
    """Return a digest of numbers: those that are not whole to six places, NaN as 0."""
    total = hashlib.sha256()
    for array in map(np.asarray, arrays):
        whole = array if array.dtype.kind in "iub" else np.rint(np.nan_to_num(array.astype(np.float64)) * 1e6)
        total.update(whole.astype(np.int64).tobytes())
    return total.hexdigest()[:16]


def batch(first: str, second: str, rules: str) -> str:
    matches = play_batch(player(first), player(second), RULES[rules], SEED, 0, 4 if "champion" in (first, second) else 12, threads=1)
    return digest(*(matches[name] for name in sorted(matches.dtype.names or ())))


def environment(opponent: str, preset: str) -> str:
    env = GinVector(5, PRESETS[preset], seed=SEED, opponent=None if opponent == "alone" else opponent)
    seen, rows = env.reset(), []
    for _ in range(1000):
        result = env.step(env.random_actions())
        seen = env.observe()
        rows.append(digest(seen.features, seen.mask, seen.to_move, *(getattr(result, name) for name in sorted(result._fields))))
    return hashlib.sha256("".join(rows).encode()).hexdigest()[:16]


@cache
def views() -> tuple[View, ...]:
    """Return 50 views of draws and discards, from rounds of two players who differ."""
    both, some = [player("ensemble:best"), player("knock:10,0,6")], list[View]()
    for number in range(12):
        steps = Table(Gin(Rules(match_points=0)), both).steps(Deal(SEED, number))
        seen = [step.before.view(step.seat) for step in steps]
        some += [view for view in seen if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP)][::3]
    return tuple(some[:50])


def rollout(first: str, second: str) -> str:
    pair, results = (kernel_parameters(player(first)), kernel_parameters(player(second))), []
    for index, view in enumerate(views()):
        ends = rollouts(view, view.legal_actions()[:4], SEED + index, range(6), pair, 8)
        results += [ends.outcomes, ends.expected if first == "champion" else 0]
    return digest(*results)


def tracking() -> str:
    totals, counts = np.zeros((2, ALLOWANCES, TRACKED_TURNS, 3)), np.zeros((TRACKED_TURNS, 2), np.int64)
    pair = kernel_parameters(player("knock:10,0,6")), kernel_parameters(player("ensemble:best"))
    genes = np.array([genes_from(player("ensemble:best").ensemble), (0.25,) * 9], np.float64)
    track_matches(pair, batch_rules(Rules()), new_states(SEED, 0), 6, genes, totals, counts)
    return digest(totals, counts)


RECORDED = {
    tuple(line.split()[:-1]): line.split()[-1]
    for line in (RECORD.read_text() if RECORD.exists() else "").splitlines()
    if not line.startswith("#")
}


@pytest.mark.parametrize(("first", "second", "rules"), BATCHES)
def test_play_batch_plays_the_recorded_games(first: str, second: str, rules: str) -> None:
    assert batch(first, second, rules) == RECORDED["batch", first, second, rules]


@pytest.mark.parametrize(("opponent", "preset"), ENVIRONMENTS)
def test_gin_vector_takes_the_recorded_steps(opponent: str, preset: str) -> None:
    assert environment(opponent, preset) == RECORDED["vector", opponent, preset]


@pytest.mark.parametrize(("first", "second"), ROLLOUTS)
def test_rollouts_have_the_recorded_outcomes(first: str, second: str) -> None:
    assert rollout(first, second) == RECORDED["rollouts", first, second]


def test_tracking_has_the_recorded_fitness() -> None:
    assert tracking() == RECORDED["tracking",]


def main() -> None:
    """Record the digests."""
    lines = ["# Digests of games of gin, made by: python -m tests.golden.test_gin"]
    lines += [f"batch {' '.join(key)} {batch(*key)}" for key in BATCHES]
    lines += [f"vector {' '.join(key)} {environment(*key)}" for key in ENVIRONMENTS]
    lines += [f"rollouts {' '.join(key)} {rollout(*key)}" for key in ROLLOUTS]
    RECORD.write_text("\n".join([*lines, f"tracking {tracking()}"]) + "\n")


if __name__ == "__main__":
    main()
