"""Beyond the mean: how the waiting time spreads under the best policy, exact by recursion (Finkle 2017, section 6.2).

>>> from meldlab.waiting import Waiting, solve
>>> time = WaitingTime.from_hand(solve(Waiting(3)), "AC QH KD")
>>> round(time.mean(), 6), round(time.deviation(), 4), time.quantile(0.5)
(19.180055, 13.5079, 16)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.pieces import pieces
from meldlab.waiting import kernel_moves
from meldlab.waiting.solution import Solution

__all__ = ["QUANTILES", "WaitingTime"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_TURNS = 5000  # nothing takes so long: with any hand at all in reach, E is at most some hundred turns
UNFINISHED = 1e-12  # chance that may be left when a distribution ends
SAME_VALUE = 1e-10  # values of E this close are the same hand to the policy
MOST_AT_ONCE = 5  # cards up to which all hands are followed at once
PIECE = 1 << 10  # hands of the first piece of any work

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class WaitingTime:
    """How long the best policy takes, from the hands that it can pass and how many cards lead from each to which.

    ``numbers``: [hands] int64, their classes.
    """

    solution: Solution
    numbers: NDArray[np.int64]
    moves: kernel_moves.Moves

    @classmethod
    def from_hand(cls, solution: Solution, hand: Hand | str, progress: Progress | None = None) -> "WaitingTime":
        """Return the time from one hand; it stands first in the list. ``progress`` is told (hands looked at, hands known so far)."""
        return cls._over(solution, np.array([classes.number(solution.hand(hand), solution.game.dead)]), progress)

    @classmethod
    def of_all_hands(cls, solution: Solution) -> "WaitingTime":
        """Return the time from every hand, in the order of class numbers."""
        if solution.game.cards > MOST_AT_ONCE:
            raise NotPossible(f"all hands at once are followed up to {MOST_AT_ONCE} cards; take one hand of {solution.game.cards}")
        return cls._over(solution, np.arange(solution.game.small.classes), None)

    @classmethod
    def _over(cls, solution: Solution, numbers: NDArray[np.int64], progress: Progress | None) -> "WaitingTime":
        game, known = solution.game, len(numbers)
        place = np.full(game.small.classes, -1, np.int32)
        place[numbers] = np.arange(known)
        close = max(SAME_VALUE, 2 * solution.error) / solution.unit
        found, starts = numbers.copy(), np.zeros(known + 1, np.int64)
        targets, draws = np.empty(0, np.int32), np.empty(0, np.int16)
        done, listed = 0, 0
        while done < known:
            wave = known - done  # hands that are known and not looked at; they make others known
            for first, part in pieces(wave, PIECE):
                hands, more = known + part * game.bag, listed + part * game.bag
                found, starts, targets, draws = _room(found, hands), _room(starts, hands + 1), _room(targets, more), _room(draws, more)
                chain = kernel_moves.Chain(found, place, kernel_moves.Moves(starts, targets, draws))
                known, listed = kernel_moves.list_moves(done + first, part, known, listed, close, chain, solution.expected, game.space)
                if progress is not None:
                    progress(done + first + part, known)
            done += wave
        moves = kernel_moves.Moves(starts[: known + 1].copy(), targets[:listed].copy(), draws[:listed].copy())
        return cls(solution, found[:known].copy(), moves)

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        order = np.argsort(self.solution.expected[self.numbers], kind="stable")
        mean, square = np.zeros(len(order)), np.zeros(len(order))
        for first, part in pieces(len(order), PIECE):
            kernel_moves.moments(first, part, order, self.bag, self.moves, mean, square)
        return mean, np.sqrt(np.maximum(square - mean * mean, 0.0))

    @property
    def bag(self) -> float:
        """Return the number of cards that can be drawn, as the kernels want it."""
        return float(self.solution.game.bag)

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
        return self._arrivals.until(1 - UNFINISHED, None).copy()

    @cached_property
    def _arrivals(self) -> "_Arrivals":
        return _Arrivals(self)

    def quantile(self, part: float, progress: Progress | None = None) -> int:
        """Return the least number of turns within which a ``part`` of all games from the first hand end.

        ``progress`` is told (games that have ended, games that are to end) of a thousand.
        """
        _verify_part(part)
        return int(np.searchsorted(np.cumsum(self._arrivals.until(part, progress)), part))

    def quantiles(self, part: float) -> NDArray[np.int64]:
        """Return [hands] int64, that quantile for every hand of the list."""
        _verify_part(part)
        before = (self.moves.starts[1:] == self.moves.starts[:-1]).astype(np.float64)
        after = np.empty_like(before)
        missed: NDArray[np.int64] = (before < part).astype(np.int64)
        still, turn = int(missed.sum()), 0
        while still:
            _verify_turn(turn, part)
            still, turn = 0, turn + 1
            for first, many in pieces(len(before), PIECE):
                still += kernel_moves.wait_longer(first, many, part, self.bag, self.moves, before, after, missed)
            before, after = after, before
        return missed


class _Arrivals:
    """How likely games from the first hand end on each turn, as far as anybody has asked: large hands pass a million others."""

    def __init__(self, waited: WaitingTime) -> None:
        self.waited, self.turns, self.reached = waited, 0, 0.0
        self.chance, self.after = np.zeros(len(waited.numbers)), np.zeros(len(waited.numbers))
        self.chance[0] = 1.0
        self.ended = np.zeros(MOST_TURNS + 1)

    def until(self, part: float, progress: Progress | None) -> NDArray[np.float64]:
        """Return [turns] float64, the chance of turn 0, 1, 2, ... up to the one that makes them at least ``part``."""
        while self.reached < part:
            _verify_turn(self.turns, part)
            ended = np.zeros(1)  # a key may come between two pieces: nothing is kept of half a turn
            self.after[:] = 0.0
            for first, many in pieces(len(self.chance), PIECE):
                kernel_moves.take_turn(first, many, self.waited.bag, self.waited.moves, self.chance, self.after, ended)
            self.ended[self.turns] = ended[0]
            self.reached += float(ended[0])
            self.chance, self.after, self.turns = self.after, self.chance, self.turns + 1
            if progress is not None:
                progress(int(1000 * self.reached), int(1000 * part))
        return self.ended[: self.turns]


def _room(array: NDArray[Any], wanted: int) -> NDArray[Any]:
    """Return the array, or a larger one that begins with it where it has not ``wanted`` places."""
    if wanted <= len(array):
        return array
    larger = np.empty(max(wanted, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def _verify_part(part: float) -> None:
    if not 0 < part < 1:
        raise NotLegalHere(f"a quantile lies between 0 and 1, not at {part}")


def _verify_turn(turn: int, part: float) -> None:
    if turn > MOST_TURNS:
        raise NotPossible(f"after {MOST_TURNS:,} turns fewer than {part:.12g} of the games have ended; beyond that nothing is worked out")
