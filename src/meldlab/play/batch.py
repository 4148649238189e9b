"""Many games at once, as arrays: what a game that has a kernel of its own answers to ``batch``, and what a table adds up to.

A game may offer ``batch(players, seed, first, games, threads)``: games ``first`` and following of a seed with one player for each seat,
played as the table plays them, action by action; or None where one of the players only sits at the table. Zero games load what it takes.

A game that counts more than scores and wins says what in ``counts``, a mapping of names to Count, and gives the numbers of a game that was
played at the table by ``counted(played)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.play.protocol import Result

__all__ = ["Batch", "Count", "wins_of"]


class Count(NamedTuple):
    """How a count is averaged: per game or per one of another count, as a rate where it is at most one of those; and whose it is."""

    per: str = "games"
    rate: bool = False
    by_seat: bool = False


@dataclass(frozen=True)
class Batch:
    """What came of games of one seed whose players kept their seats.

    ``scores``: [games, seats] int64. ``wins``: [games, seats] float64, a game's one win, shared where several seats won, nobody's in a
    draw. ``counts``: what else the game counts, [games] or [games, seats] int64 under its name. ``troubles``: of a game that did not end
    by its rules, by its number, why.
    """

    scores: NDArray[np.int64]
    wins: NDArray[np.float64]
    counts: Mapping[str, NDArray[np.int64]]
    troubles: Mapping[int, str]


def wins_of(result: Result) -> tuple[float, ...]:
    """Return what each seat has of the win.

    >>> wins_of(Result((5, 5, 1), (0, 1), "most points"))
    (0.5, 0.5, 0.0)
    """
    return tuple(1 / len(result.winners) if seat in result.winners else 0.0 for seat in range(len(result.scores)))
