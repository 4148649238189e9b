"""Mirrored matches at the table, for any game that speaks the protocol and has no kernel of its own.

>>> from meldlab.rummikub.game import Rummikub
>>> from meldlab.rummikub.players import PLAYERS
>>> bout = tournament(Rummikub(), PLAYERS["greedy"], PLAYERS["greedy"], games=2, seed=1)
>>> bout.games, bout.points.value
(2, 0.0)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.lab.arena.fight import GAMES, Fight
from meldlab.play import Deal, Game, Player, Table, TimeLimit
from meldlab.statistics import Interval, Moments

__all__ = ["Bout", "tournament"]

POINTS = 2  # counted for each mirrored pair after games and wins


@dataclass(frozen=True)
class Bout(Fight):
    """A fight at the table; a pair goes to the player with more points in both games together."""

    turns: int

    @property
    def points(self) -> Interval:
        """Return the first player's points per game."""
        return self.moments.mean(POINTS, GAMES)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        return {
            **super().as_json(),
            "points_per_game": self.points.value,
            "points_ci95": self.points.ends,
            "pairs_ahead": list(self.swept),
            "turns_per_game": self.turns / self.games,
        }


def tournament(
    game: Game[Any],
    first: Player[Any, Any],
    second: Player[Any, Any],
    games: int,
    seed: int = 0,
    progress: Callable[[int], None] = lambda games: None,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
) -> Bout:
    """Play ``games`` games of two: games 2k and 2k + 1 have the same deal with the seats swapped."""
    if games < 2 or games % 2:
        raise NotLegalHere(f"{games} games cannot be played in mirrored pairs")
    tables = [Table(game, seated, time_limit) for seated in ([first, second], [second, first])]
    start, counts, forfeits, turns = time.perf_counter(), np.zeros((games // 2, 3), np.int64), list[str](), 0
    for number in range(games):
        seat = number % 2  # of the first player
        played = tables[seat].play(Deal(seed, number // 2))
        counts[number // 2] += 1, int(played.result.winners == (seat,)), played.result.scores[seat]
        turns += len(played.actions)
        forfeits += [f"game {number}: {played.trouble}"] if played.trouble else []
        progress(number + 1)
    ahead = int((counts[:, POINTS] > 0).sum()), int((counts[:, POINTS] < 0).sum())
    seconds = time.perf_counter() - start
    return Bout((first.name, second.name), games, Moments.of(counts), ahead, tuple(forfeits), seconds, turns)
