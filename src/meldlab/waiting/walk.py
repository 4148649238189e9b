"""Beyond the mean: how the waiting time spreads under the best policy, exact by recursion (Finkle 2017, section 6.2).

>>> from meldlab.waiting import Waiting, solve
>>> walk = Walk.from_hand(solve(Waiting(3)), "AC QH KD")
>>> round(walk.mean(), 6), round(walk.deviation(), 4), walk.quantile(0.5)
(19.180055, 13.5079, 16)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere
from meldlab.waiting import kernel_walk
from meldlab.waiting.solution import Solution

__all__ = ["QUANTILES", "Walk"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_TURNS = 5000
ENOUGH = 1e-12  # chance that may be left when a distribution ends
FRONT = max(QUANTILES)  # the part of the distribution that is worked out first
CLOSE = 1e-10  # values of E this close are the same hand to the policy
MOST_WHOLE = 5  # cards up to which all hands are walked at once


@dataclass(frozen=True, eq=False)
class Walk:
    """The hands that the best policy can pass, and with how many cards each leads to which; the arrays of waiting.kernel_walk."""

    solution: Solution
    ranks: NDArray[np.int64]
    starts: NDArray[np.int64]
    targets: NDArray[np.int32]
    draws: NDArray[np.int16]

    @classmethod
    def from_hand(cls, solution: Solution, hand: Hand | str) -> "Walk":
        """Return the walk from one hand; it stands first in the list."""
        cards = Hand.parse(hand) if isinstance(hand, str) else hand
        solution.of(cards)  # refuses a hand that does not belong here
        return cls._over(solution, np.array([classes.rank(cards, solution.game.dead)]), grow=True)

    @classmethod
    def whole(cls, solution: Solution) -> "Walk":
        """Return the walk over all hands, in the order of class numbers."""
        if solution.game.cards > MOST_WHOLE:
            raise NotLegalHere(f"all hands at once are walked up to {MOST_WHOLE} cards; take one hand of {solution.game.cards}")
        return cls._over(solution, np.arange(solution.game.small.count), grow=False)

    @classmethod
    def _over(cls, solution: Solution, ranks: NDArray[np.int64], grow: bool) -> "Walk":
        game, size = solution.game, solution.game.small
        place = np.full(size.count, -1, np.int32)
        place[ranks] = np.arange(len(ranks))
        close = max(CLOSE, 2 * solution.error) / solution.unit
        found = kernel_walk.list_moves(
            ranks, place, close, solution.expected, game.alive, size.keys, size.lanes, size.seats, size.rows, size.patterns, grow
        )
        return cls(solution, *found)

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        order = np.argsort(self.solution.expected[self.ranks], kind="stable")
        mean, variance = kernel_walk.moments(order, float(self.solution.game.bag), self.starts, self.targets, self.draws)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def mean(self) -> float:
        """Return the mean number of turns from the first hand; it is E again, found another way."""
        return float(self._moments[0][0])

    def deviation(self) -> float:
        """Return the standard deviation of the number of turns from the first hand."""
        return float(self._moments[1][0])

    def means(self) -> NDArray[np.float64]:
        """Return [hands] float64, the mean from every hand of the list."""
        return self._moments[0]

    def deviations(self) -> NDArray[np.float64]:
        """Return [hands] float64, the standard deviation from every hand of the list."""
        return self._moments[1]

    @cached_property
    def distribution(self) -> NDArray[np.float64]:
        """Return [turns] float64, the chance that the first hand takes exactly 0, 1, 2, ... turns, up to the last 1e-12."""
        return self._arrivals(ENOUGH)

    @cached_property
    def _front(self) -> NDArray[np.float64]:
        # Large hands pass a million others, and the last per cent takes most of the turns: stop where the usual quantiles do.
        return self._arrivals((1 - FRONT) * (1 - 1e-9))

    def _arrivals(self, enough: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = kernel_walk.arrivals(
            0, MOST_TURNS, enough, float(self.solution.game.bag), self.starts, self.targets, self.draws
        )
        return found

    def quantile(self, part: float) -> int:
        """Return the least number of turns within which a ``part`` of all games from the first hand end."""
        if not 0 < part < 1:
            raise NotLegalHere(f"a quantile lies between 0 and 1, not at {part}")
        return int(np.searchsorted(np.cumsum(self._front if part <= FRONT else self.distribution), part))

    def quantiles(self, part: float, turns: int = 400) -> NDArray[np.int64]:
        """Return [hands] int64, that quantile for every hand of the list; ``turns`` + 1 where it lies beyond ``turns``."""
        within = kernel_walk.reached_within(turns, float(self.solution.game.bag), self.starts, self.targets, self.draws)
        missed: NDArray[np.int64] = np.count_nonzero(within < part, axis=0).astype(np.int64)
        return missed
