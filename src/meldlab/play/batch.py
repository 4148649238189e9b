"""Results of many games, and observations at many tables, as arrays.

A game with its own kernel has a method ``can_batch(players)``, which says whether the kernel plays these players, and a method
``batch(players, seed, first, games, threads)``, which plays games ``first`` and following of a seed as the table does, action by action.

A game with other counts than scores and wins names them in ``counts``, a mapping to Count, and ``counted(played)`` returns those of a
game from the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.play.protocol import Result


class Observations(NamedTuple):
    """Observations of the seats to move at ``n`` tables; the arrays belong to the environment, which writes the next step into them."""

    features: NDArray[np.uint8]
    """[n, features], documented by the environment."""
    mask: NDArray[np.int8]
    """[n, actions], 1 for a legal action."""
    to_move: NDArray[np.int8]
    """[n], the seat that observes this and is to decide."""


class Count(NamedTuple):
    """The mean of a count: per game or per unit of another count, as a rate if it is at most 1, and whether each seat has its own.

    ``old_name`` is its name in results of earlier versions; JSON has it, too, until the next version.
    """

    per: str = "games"
    rate: bool = False
    by_seat: bool = False
    old_name: str = ""


@dataclass(frozen=True)
class Batch:
    """Results of consecutive games of a seed with fixed seats.

    ``scores``: [games, seats] int64. ``wins``: [games, seats] float64, one win per game, shared between several winners, zeros in a
    draw. ``counts``: other counts by name, [games] or [games, seats] int64. ``abnormal_ends``: by number of the game, why it did not end
    by its rules.
    """

    scores: NDArray[np.int64]
    wins: NDArray[np.float64]
    counts: Mapping[str, NDArray[np.int64]]
    abnormal_ends: Mapping[int, str]


def win_shares(result: Result) -> tuple[float, ...]:
    """Return the share of the win of each seat.

    >>> win_shares(Result((5, 5, 1), (0, 1), "most points"))
    (0.5, 0.5, 0.0)
    """
    return tuple(1 / len(result.winners) if seat in result.winners else 0.0 for seat in range(len(result.scores)))
