"""Estimates that doubles cannot distinguish, computed again with 256 binary digits after the point.

Where two estimates differ by almost exactly the tolerance, the rounding of doubles decides on which side of it they fall. In long integers,
from the hands that were locked before, their difference either leaves the tolerance in the first few dozen digits or agrees with it in two
hundred: then it is exactly the tolerance.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import classes
from meldlab.waiting import WaitingGame

NEAR = 1e-11  # turns; the rounding of a whole run stays far below
UNIT = 1 << 256  # one turn in integers
SAME = 1 << 56  # a difference below this is the rounding of these numbers: 1e-60 turns

Answers = list[list[int]]  # for each card that helps, the classes after the best discards


class Estimates:
    """The estimates of a run that locks cohorts, as kernel_cohorts computes them in doubles; its arrays change during the run."""

    def __init__(self, game: WaitingGame, expected: NDArray[np.float64], weight: NDArray[np.int16], cohort: NDArray[np.int32]) -> None:
        self.game, self.expected, self.weight, self.cohort = game, expected, weight, cohort
        self.masks = classes.hands(game.cards)
        self.locked = dict.fromkeys(np.flatnonzero(expected == 0.0).tolist(), 0)

    def within(self, tolerance: Fraction, least: Iterable[int], doubtful: Iterable[int]) -> list[int]:
        """Return the open classes of ``doubtful`` less than ``tolerance`` above the least of the open classes ``least``."""
        limit = min(map(self.estimate, least)) + tolerance * UNIT - SAME
        return [number for number in doubtful if self.estimate(number) < limit]

    def estimate(self, number: int) -> int:
        """Return the current estimate of an open class, in units."""
        required: dict[int, Answers] = {number: self._answers(number, len(self.cohort))}
        pile = [number]
        while pile:
            for other in {after for answer in required[pile.pop()] for after in answer} - self.locked.keys() - required.keys():
                required[other] = self._answers(other, int(self.cohort[other]))
                pile.append(other)
        # The hands that an estimate depends on were locked before it.
        for other in sorted(required.keys() - {number}, key=self.cohort.__getitem__):
            self.locked[other] = self._mean(required[other])
        return self._mean(required[number])

    def _mean(self, answers: Answers) -> int:
        return (self.game.bag * UNIT + sum(min(self.locked[after] for after in answer) for answer in answers)) // len(answers)

    def _answers(self, number: int, cohort: int) -> Answers:
        """Return the best hands after each card that leads to a hand of an earlier cohort than ``cohort``."""
        hand, every = self.masks[number], np.int64(1) << np.arange(52)
        draws, own = every[hand & every == 0], every[hand & every != 0]
        after = classes.numbers(((hand | draws[:, None]) ^ own).ravel(), self.game.cards).reshape(len(draws), len(own))
        values = np.where((self.weight[after] < 0) & (self.cohort[after] < cohort), self.expected[after], np.inf)
        least = values.min(axis=1)
        helps = np.flatnonzero(least < np.inf)
        # The least of them, and those that doubles cannot distinguish from it.
        near = values[helps] < least[helps, None] + NEAR
        return [row[close].tolist() for row, close in zip(after[helps], near, strict=True)]
