"""Estimates that doubles cannot tell apart, worked out again with 256 binary digits behind the point.

Where two estimates differ by very nearly the tolerance, rounding decides in doubles on which side of it they fall. In long whole numbers,
from the hands that were locked before, they either differ from the tolerance in the first few dozen digits or agree with it in two hundred:
then they lie exactly as far apart as it says.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import classes
from meldlab.waiting.game import Waiting

__all__ = ["NEAR", "Estimates"]

NEAR = 1e-11  # turns; the rounding of a whole run stays far below
UNIT = 1 << 256  # one turn in whole numbers
SAME = 1 << 56  # a difference below this is the rounding of these numbers: 1e-60 turns

Answers = list[list[int]]  # for each card that helps, the classes that may be kept after it


class Estimates:
    """The estimates of a run that locks cohorts, as waiting.kernel_cohorts has them in doubles; its arrays change as it goes on."""

    def __init__(self, game: Waiting, expected: NDArray[np.float64], weight: NDArray[np.int16], cohort: NDArray[np.int32]) -> None:
        self.game, self.expected, self.weight, self.cohort = game, expected, weight, cohort
        self.masks = classes.hands(game.cards)
        self.locked = dict.fromkeys(np.flatnonzero(expected == 0.0).tolist(), 0)

    def within(self, tolerance: Fraction, least: Iterable[int], doubtful: Iterable[int]) -> list[int]:
        """Return those of the open classes ``doubtful`` that lie less than ``tolerance`` above the least of the open classes ``least``."""
        limit = min(map(self.of, least)) + tolerance * UNIT - SAME
        return [number for number in doubtful if self.of(number) < limit]

    def of(self, number: int) -> int:
        """Return the estimate of an open class as it stands, in units."""
        wanted: dict[int, Answers] = {number: self._answers(number, len(self.cohort))}
        pile = [number]
        while pile:
            for other in {one for kept in wanted[pile.pop()] for one in kept} - self.locked.keys() - wanted.keys():
                wanted[other] = self._answers(other, int(self.cohort[other]))
                pile.append(other)
        # What a hand is worked out from was locked before it.
        for other in sorted(wanted.keys() - {number}, key=self.cohort.__getitem__):
            self.locked[other] = self._mean(wanted[other])
        return self._mean(wanted[number])

    def _mean(self, answers: Answers) -> int:
        return (self.game.bag * UNIT + sum(min(self.locked[one] for one in kept) for kept in answers)) // len(answers)

    def _answers(self, number: int, cohort: int) -> Answers:
        """Return what can be kept after each card that leads to a hand of an earlier cohort than ``cohort``."""
        hand, every = self.masks[number], np.int64(1) << np.arange(52)
        draws, own = every[hand & every == 0], every[hand & every != 0]
        kept = classes.numbers(((hand | draws[:, None]) ^ own).ravel(), self.game.cards).reshape(len(draws), len(own))
        values = np.where((self.weight[kept] < 0) & (self.cohort[kept] < cohort), self.expected[kept], np.inf)
        least = values.min(axis=1)
        helps = np.flatnonzero(least < np.inf)
        # The least of them, and what doubles cannot tell from it.
        near = values[helps] < least[helps, None] + NEAR
        return [row[close].tolist() for row, close in zip(kept[helps], near, strict=True)]
