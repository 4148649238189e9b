"""Beyond the mean: how the waiting time spreads under the best policy, exact by recursion (Finkle 2017, section 6.2).

>>> from meldlab.waiting import Waiting, solve
>>> time = WaitingTime.from_hand(solve(Waiting(3)), "AC QH KD")
>>> round(time.mean(), 6), round(time.deviation(), 4), time.quantile(0.5)
(19.180055, 13.5079, 16)
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.parallel import chunks, run_on_cores
from meldlab.waiting import kernel_moves
from meldlab.waiting.solution import Solution

__all__ = ["QUANTILES", "WaitingTime"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST_TURNS = 5000  # nothing takes so long: with any hand at all in reach, E is at most some hundred turns
UNFINISHED = 1e-12  # chance that may be left when a distribution ends
SAME_VALUE = 1e-10  # values of E this close are the same hand to the policy
MOST_AT_ONCE = 5  # cards up to which all hands are followed at once
PIECE = 1 << 10  # hands of the first piece of any work
WAVE = 1 << 17  # hands whose moves are looked up before others join the list
MOVES = 1 << 26  # that there is room for at first
LONG, ROOM = 3.4, 1 << 29  # turns that are worked out together: so many deviations above the mean, fewer where that would take more bytes

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
        game, expected, known = solution.game, solution.expected, len(numbers)
        choice = np.empty(game.large.classes, np.uint32)
        run_on_cores(lambda first, many: kernel_moves.choose_discards(first, many, choice, expected, game.space), len(choice), size=PIECE)
        close = max(SAME_VALUE, 2 * solution.error) / solution.unit
        # Pages that nothing is written to take no memory.
        found, place = np.empty(game.small.classes, np.int64), np.empty(game.small.classes, np.int32)
        found[:known], place[numbers] = numbers, np.arange(known)
        listed = np.zeros(-(-len(place) // 8), np.uint8)
        np.bitwise_or.at(listed, numbers >> 3, (1 << (numbers & 7)).astype(np.uint8))
        starts = np.zeros(len(place) + 1, np.int64)
        moves = kernel_moves.Moves(starts, np.empty(MOVES, np.int32), np.empty(MOVES, np.int16))
        room = WAVE, kernel_moves.DRAWS
        wave = kernel_moves.Wave(np.empty(WAVE, np.int64), np.empty(room, np.uint32), np.empty(room, np.int16))
        done = 0
        while done < known:
            many = min(known - done, WAVE)
            run_on_cores(_listing(close, found[done : done + many], wave, choice, solution), many, size=PIECE)
            own = starts[done : done + many + 1]
            own[1:] = own[0] + np.cumsum(wave.many[:many])
            moves = kernel_moves.Moves(starts, _room(moves.targets, own[-1]), _room(moves.draws, own[-1]))
            new = found[known : kernel_moves.reach(many, known, found, listed, wave)]
            # Neighbours in number lead to neighbours.
            new.sort()
            place[new] = np.arange(known, known + len(new))
            run_on_cores(_joining(own, place, moves, wave), many, size=PIECE)
            done, known = done + many, known + len(new)
            if progress is not None:
                progress(done, known)
        starts, last = starts[: known + 1], starts[known]
        return cls(solution, found[:known], kernel_moves.Moves(starts, moves.targets[:last], moves.draws[:last]))

    @cached_property
    def _levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return [hands] int64, their places by level, and [levels + 1] int64, where the levels begin."""
        order = np.argsort(self.solution.expected[self.numbers])
        level = np.empty(len(order), np.int32)
        for first, part in chunks(len(order), PIECE):
            kernel_moves.find_levels(first, part, order, self.moves, level)
        # There are some hundred levels, and numbers of 16 bits are sorted in one go.
        small = level.astype(np.min_scalar_type(level.max()))
        return np.argsort(small, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(level))])

    def _by_levels(self, work: Callable[[int, int, NDArray[np.int64]], None]) -> None:
        """Do ``work(first, how many, places)`` on all hands, level by level, in pieces on all cores."""
        order, starts = self._levels
        for first, last in pairwise(starts.tolist()):
            run_on_cores(partial(_shifted, work, first, order), last - first, size=PIECE)

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mean, square = np.zeros(len(self.numbers)), np.zeros(len(self.numbers))
        self._by_levels(lambda first, many, order: kernel_moves.moments(first, many, order, self.bag, self.moves, mean, square))
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
        ended = self._endings.until(1 - UNFINISHED, None)
        return np.diff(ended[: int(np.argmax(ended >= 1 - UNFINISHED)) + 1], prepend=0.0)

    @cached_property
    def _endings(self) -> "_Endings":
        return _Endings(self, self.mean(), self.deviation())

    @cached_property
    def _roundings(self) -> "_Endings":
        return _Endings(self, self.mean(), self.deviation(), np.float32)

    def quantile(self, part: float, progress: Progress | None = None) -> int:
        """Return the least number of turns within which a ``part`` of all games from the first hand end.

        ``progress`` is told (games that have ended, games that are to end) of a thousand.
        """
        _verify_part(part)
        # A hand is rounded once for every level below it, by at most 2^-25: single precision, with half the memory, nearly always tells.
        error = len(self._levels[1]) / 2**24
        if part < 1 - 2 * error:
            ended = self._roundings.until(part, progress)
            if np.abs(ended - part).min() > error:
                return int(np.argmax(ended >= part))
        return int(np.argmax(self._endings.until(part, progress) >= part))

    def quantiles(self, part: float) -> NDArray[np.int64]:
        """Return [hands] int64, that quantile for every hand of the list."""
        _verify_part(part)
        endings = _Endings(self, float(self.means().max()), float(self.deviations().max()))
        missed: NDArray[np.int64] = (endings.known < part).astype(np.int64)
        while np.any(endings.known < part):
            _verify_turns(endings.turns, part)
            endings.go_on()
            missed += (endings.chance[:, 1:] < part).sum(axis=1)
        _verify_turns(int(missed.max()) - 1, part)
        return missed


class _Endings:
    """How likely games from all hands have ended within a number of turns, some turns at a time, as far as anybody has asked."""

    def __init__(self, waited: WaitingTime, mean: float, deviation: float, kind: type = np.float64) -> None:
        self.waited, self.turns = waited, 0
        most = int(mean + LONG * deviation)
        # Written to first where it is worked out, on all cores.
        room = ROOM // (len(waited.numbers) * np.dtype(kind).itemsize)
        self.chance: NDArray[Any] = np.empty((len(waited.numbers), 1 + max(7, min(most, room))), kind)
        self.known = (waited.moves.starts[1:] == waited.moves.starts[:-1]).astype(np.float64)
        self.first = [self.known[:1]]

    def go_on(self) -> None:
        """Work out the next turns."""
        waited, known, chance = self.waited, self.known, self.chance
        waited._by_levels(lambda first, many, order: kernel_moves.end_within(first, many, order, waited.bag, waited.moves, known, chance))
        self.turns += chance.shape[1] - 1
        self.known = chance[:, -1].astype(np.float64)
        self.first.append(chance[0, 1:].astype(np.float64))

    def until(self, part: float, progress: Progress | None) -> NDArray[np.float64]:
        """Return [turns + 1] float64, the chance of the first hand to have ended within 0, 1, 2, ... turns, until it is ``part``."""
        while (known := np.concatenate(self.first)[: MOST_TURNS + 1])[-1] < part:
            _verify_turns(self.turns, part)
            self.go_on()
            if progress is not None:
                progress(int(1000 * self.first[-1][-1]), int(1000 * part))
        return known


def _listing(
    close: float, hands: NDArray[np.int64], wave: kernel_moves.Wave, choice: NDArray[np.uint32], solution: Solution
) -> Callable[[int, int], None]:
    expected, space = solution.expected, solution.game.space
    return lambda first, many: kernel_moves.list_moves(first, many, close, hands, wave, choice, expected, space)


def _joining(
    starts: NDArray[np.int64], place: NDArray[np.int32], moves: kernel_moves.Moves, wave: kernel_moves.Wave
) -> Callable[[int, int], None]:
    return lambda first, many: kernel_moves.join(first, many, starts, place, moves, wave)


def _shifted(work: Callable[[int, int, NDArray[np.int64]], None], by: int, order: NDArray[np.int64], first: int, many: int) -> None:
    work(by + first, many, order)


def _room(array: NDArray[Any], wanted: int) -> NDArray[Any]:
    """Return the array, or a much larger one that begins with it where it has not ``wanted`` places."""
    if wanted <= len(array):
        return array
    larger = np.empty(max(wanted, 4 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def _verify_part(part: float) -> None:
    if not 0 < part < 1:
        raise NotLegalHere(f"a quantile lies between 0 and 1, not at {part}")


def _verify_turns(turns: int, part: float) -> None:
    if turns >= MOST_TURNS:
        raise NotPossible(f"after {MOST_TURNS:,} turns fewer than {part:.12g} of the games have ended; beyond that nothing is worked out")
