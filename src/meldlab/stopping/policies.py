"""The best policy: where to stop, where it does not matter, and the two matrices of the paper.

>>> from meldlab.stopping.urn import Urn
>>> policy(Urn(4, 4)).boundary
(0, 0, 1, 1, 2)
>>> current_value(Urn(1, 1))  # [black left][red left]
((Fraction(0, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(1, 2)))
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.stopping import counting, kernel
from meldlab.stopping.sweep import sweep
from meldlab.stopping.urn import Urn

__all__ = ["Policy", "boundary_in_floats", "continue_or_not", "current_value", "policy", "value_table"]

MOST_FRACTIONS = 250_000  # positions of an exact matrix: about 100 MB
MOST_FLOATS = 16_000_000  # positions of a matrix of floats: 128 MB


@dataclass(frozen=True)
class Policy:
    """Where one stops.

    ``boundary[r]`` is the most black cards left at which one stops when r red cards are left; ``indifferent`` has the positions (black
    left, red left) where stopping and going on are worth the same, the empty pile excepted.
    """

    urn: Urn
    boundary: tuple[int, ...]
    indifferent: tuple[tuple[int, int], ...]

    def stops_at(self, black_left: int, red_left: int) -> bool:
        """Tell whether one stops in a position of this deck."""
        if not (0 <= black_left <= self.urn.black and 0 <= red_left <= self.urn.red):
            raise NotLegalHere(
                f"{black_left} black and {red_left} red cards left are no position of {self.urn.black} black and {self.urn.red} red"
            )
        return black_left <= self.boundary[red_left]


def policy(urn: Urn) -> Policy:
    """Return the best policy, exact.

    >>> policy(Urn(26, 26)).indifferent
    ((1, 2),)
    """
    urn.verify_exact()
    boundary: list[int] = []
    ties: list[tuple[int, int]] = []
    for red, (go_on, _) in enumerate(counting.rows(urn.black, urn.red, *urn.units)):
        boundary.append(max(black for black, worth in enumerate(go_on) if worth <= 0))
        ties.extend((black, red) for black, worth in enumerate(go_on) if worth == 0 and black + red > 0)
    return Policy(urn, tuple(boundary), tuple(sorted(ties)))


def boundary_in_floats(urn: Urn) -> NDArray[np.int64]:
    """Return [red + 1] int64, the boundary in double precision, for large decks.

    >>> boundary_in_floats(Urn(4, 4))
    array([0, 0, 1, 1, 2])
    """
    urn.verify_floats()
    return sweep(urn.black, urn.red, *map(float, urn.units))[1]


def current_value(urn: Urn) -> tuple[tuple[Fraction, ...], ...]:
    """Return the paper's matrix ``currentValue[C, D]``: what the game is worth in all with C black and D red cards left."""
    _verify_positions(urn, MOST_FRACTIONS)
    gain, loss = urn.units
    columns = []
    for red, (go_on, orders) in enumerate(counting.rows(urn.black, urn.red, gain, loss)):
        lost = loss * (urn.red - red)
        columns.append(
            tuple(
                (gain * (urn.black - black) - lost + Fraction(max(0, worth), count)) / urn.denominator
                for black, (worth, count) in enumerate(zip(go_on, orders, strict=True))
            )
        )
    return tuple(zip(*columns, strict=True))


def continue_or_not(urn: Urn) -> tuple[tuple[bool, ...], ...]:
    """Return the paper's matrix ``continueOrNot[C, D]``: whether to go on with C black and D red cards left.

    >>> continue_or_not(Urn(1, 2))
    ((False, False, False), (True, True, False))
    """
    _verify_positions(urn, MOST_FLOATS)
    boundary = policy(urn).boundary
    return tuple(tuple(black > stop for stop in boundary) for black in range(urn.black + 1))


def value_table(urn: Urn) -> NDArray[np.float64]:
    """Return [black + 1, red + 1] float64, ``currentValue`` in double precision.

    >>> value_table(Urn(1, 1)).tolist()
    [[0.0, 1.0], [0.0, 0.5]]
    """
    _verify_positions(urn, MOST_FLOATS)
    gain, loss = map(float, urn.units)
    won = gain * (urn.black - np.arange(urn.black + 1.0))[:, None] - loss * (urn.red - np.arange(urn.red + 1.0))
    table: NDArray[np.float64] = (won + kernel.premiums(urn.black, urn.red, gain, loss)) / urn.denominator
    return table


def _verify_positions(urn: Urn, most: int) -> None:
    positions = (urn.black + 1) * (urn.red + 1)
    if positions > most:
        raise NotLegalHere(f"a matrix of {urn.black + 1} x {urn.red + 1} positions is too large to keep (at most {most:,} positions)")
