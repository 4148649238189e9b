"""The distribution of turns under the best policy, exact by recursion (Finkle 2017, section 6.2), and its summary in the cache.

>>> from meldlab.waiting import WaitingGame, solve
>>> turns = TurnDistribution.from_hand(solve(WaitingGame(3)), "AC QH KD")
>>> round(turns.mean(), 6), round(turns.sd(), 4), turns.quantile(0.5)
(19.180055, 13.5079, 16)
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cache import replace_file
from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.parallel import Progress, chunks, no_progress, run_on_cores
from meldlab.waiting import kernel, kernel_distribution
from meldlab.waiting.solution import Solution
from meldlab.waiting.storage import cached_path

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MAX_TURNS = 5000  # with any hand in reach, E is at most some hundred turns
UNFINISHED = 1e-12  # probability that may be left when a distribution ends
SAME_VALUE = 1e-10  # values of E this close are the same hand to the policy
MAX_CARDS_AT_ONCE = 5  # cards up to which all hands are followed at once
CHUNK = 1 << 10  # hands of the first chunk of any work
WAVE = 1 << 17  # hands whose moves are listed before others join the list
MOVES = 1 << 26  # moves allocated at first
# Turns computed together: this number of standard deviations above the mean, fewer where that would take more bytes.
NUM_SDS, MAX_BYTES = 3.4, 1 << 29


@dataclass(frozen=True, eq=False)
class TurnDistribution:
    """The turns of the best policy, by the hands that it can pass and the number of cards that lead from each to which.

    ``numbers``: [hands] int64, their classes.
    """

    solution: Solution
    numbers: NDArray[np.int64]
    moves: kernel_distribution.Moves

    @classmethod
    def from_hand(cls, solution: Solution, hand: Hand | str, progress: Progress = no_progress) -> "TurnDistribution":
        """Return the turns from one hand, the first of the list. ``progress`` receives (hands listed with moves, hands listed)."""
        return cls._from_numbers(solution, np.array([classes.number(solution.hand(hand), solution.game.dead)]), progress)

    @classmethod
    def from_all_hands(cls, solution: Solution) -> "TurnDistribution":
        """Return the turns from every hand, in the order of class numbers."""
        if solution.game.cards > MAX_CARDS_AT_ONCE:
            raise NotPossible(f"all hands at once are followed up to {MAX_CARDS_AT_ONCE} cards; take one hand of {solution.game.cards}")
        return cls._from_numbers(solution, np.arange(solution.game.numbering.classes), no_progress)

    @classmethod
    def _from_numbers(cls, solution: Solution, start: NDArray[np.int64], progress: Progress) -> "TurnDistribution":
        game, expected, known = solution.game, solution.expected, len(start)
        choice = np.empty(game.drawn_numbering.classes, np.uint32)
        run_on_cores(kernel.sweep_discards, len(choice), None, choice, expected, game.space, size=CHUNK)
        close = max(SAME_VALUE, 2 * solution.error) / solution.unit
        # Pages that nothing is written to take no memory.
        numbers, indices = np.empty(game.numbering.classes, np.int64), np.empty(game.numbering.classes, np.int32)
        numbers[:known], indices[start] = start, np.arange(known)
        listed = np.zeros(-(-len(indices) // 8), np.uint8)
        np.bitwise_or.at(listed, start >> 3, (1 << (start & 7)).astype(np.uint8))
        starts = np.zeros(len(indices) + 1, np.int64)
        moves = kernel_distribution.Moves(starts, np.empty(MOVES, np.int32), np.empty(MOVES, np.int16))
        shape = WAVE, kernel_distribution.DRAWS
        wave = kernel_distribution.Wave(np.empty(WAVE, np.int64), np.empty(shape, np.uint32), np.empty(shape, np.int16))
        done = 0
        while done < known:
            count = min(known - done, WAVE)
            listing = close, numbers[done : done + count], wave, choice, expected, game.space
            run_on_cores(kernel_distribution.list_moves, count, *listing, size=CHUNK)
            own = starts[done : done + count + 1]
            own[1:] = own[0] + np.cumsum(wave.counts[:count])
            moves = kernel_distribution.Moves(starts, _grown(moves.targets, own[-1]), _grown(moves.draws, own[-1]))
            new = numbers[known : kernel_distribution.add_targets(count, known, numbers, listed, wave)]
            # Neighbours in number lead to neighbours.
            new.sort()
            indices[new] = np.arange(known, known + len(new))
            run_on_cores(kernel_distribution.append_moves, count, own, indices, moves, wave, size=CHUNK)
            done, known = done + count, known + len(new)
            progress(done, known, "")
        starts, last = starts[: known + 1], starts[known]
        return cls(solution, numbers[:known], kernel_distribution.Moves(starts, moves.targets[:last], moves.draws[:last]))

    @cached_property
    def _levels(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return [hands] int64, their indices by level, and [levels + 1] int64, the start of each level."""
        order = np.argsort(self.solution.expected[self.numbers])
        levels = np.empty(len(order), np.int32)
        for first, part in chunks(len(order), CHUNK):
            kernel_distribution.find_levels(first, part, order, self.moves, levels)
        # There are some hundred levels, and numbers of 16 bits are sorted in one pass.
        narrow = levels.astype(np.min_scalar_type(levels.max()))
        return np.argsort(narrow, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(levels))])

    def by_levels(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Call ``kernel(first, count, indices, *arguments)`` for all hands, level by level, in chunks on all cores."""
        order, starts = self._levels
        for first, last in pairwise(starts.tolist()):
            run_on_cores(kernel, last - first, order[first:last], *arguments, size=CHUNK)

    @cached_property
    def _moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mean, square = np.zeros(len(self.numbers)), np.zeros(len(self.numbers))
        self.by_levels(kernel_distribution.moments, self.bag, self.moves, mean, square)
        return mean, np.sqrt(np.maximum(square - mean * mean, 0.0))

    @property
    def bag(self) -> float:
        """Return the number of cards that can be drawn, as the kernels take it."""
        return float(self.solution.game.bag)

    def mean(self) -> float:
        """Return the mean number of turns from the first hand: E, computed another way."""
        return float(self._moments[0][0])

    def sd(self) -> float:
        """Return the standard deviation of the number of turns from the first hand."""
        return float(self._moments[1][0])

    def means(self) -> NDArray[np.float64]:
        """Return [hands] float64, the mean from every hand of the list."""
        return self._moments[0]

    def sds(self) -> NDArray[np.float64]:
        """Return [hands] float64, the standard deviation from every hand of the list."""
        return self._moments[1]

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Return [turns] float64, the probability that the first hand takes exactly 0, 1, 2, ... turns, up to the last 1e-12."""
        ended = self._endings.until(1 - UNFINISHED, no_progress)
        return np.diff(ended[: int(np.argmax(ended >= 1 - UNFINISHED)) + 1], prepend=0.0)

    @cached_property
    def _endings(self) -> "_Endings":
        return _Endings(self, self.mean(), self.sd())

    @cached_property
    def _rounded_endings(self) -> "_Endings":
        return _Endings(self, self.mean(), self.sd(), np.float32)

    def quantile(self, part: float, progress: Progress = no_progress) -> int:
        """Return the least number of turns within which a ``part`` of all games from the first hand end.

        ``progress`` receives (games that have ended, games that are to end) of a thousand.
        """
        _verify_part(part)
        # A hand is rounded once for every level below it, by at most 2^-25: single precision, with half the memory, nearly always decides.
        error = len(self._levels[1]) / 2**24
        if part < 1 - 2 * error:
            ended = self._rounded_endings.until(part, progress)
            if np.abs(ended - part).min() > error:
                return int(np.argmax(ended >= part))
        return int(np.argmax(self._endings.until(part, progress) >= part))

    def quantiles(self, part: float) -> NDArray[np.int64]:
        """Return [hands] int64, that quantile for every hand of the list."""
        _verify_part(part)
        endings = _Endings(self, float(self.means().max()), float(self.sds().max()))
        missed: NDArray[np.int64] = (endings.known < part).astype(np.int64)
        while np.any(endings.known < part):
            _verify_turns(endings.turns, part)
            endings.extend()
            missed += (endings.probability[:, 1:] < part).sum(axis=1)
        _verify_turns(int(missed.max()) - 1, part)
        return missed


@dataclass(frozen=True)
class DistributionSummary:
    """The standard deviation of the turns of a hand, and the turns within which each part of ``QUANTILES`` has ended.

    It is cached, since seven cards pass more than a million hands.
    """

    sd: float
    quantiles: tuple[int, ...]

    @classmethod
    def from_distribution(cls, turns: TurnDistribution, progress: Progress = no_progress) -> "DistributionSummary":
        """Return the summary of the turns from the first hand, following the best policy turn by turn."""
        turns.quantile(max(QUANTILES), progress)
        return cls(turns.sd(), tuple(turns.quantile(part) for part in QUANTILES))

    @classmethod
    def load(cls, solution: Solution, hand: Hand) -> "DistributionSummary | None":
        """Return the cached summary of a hand, or of one with the same class; None if there is none or it is damaged."""
        try:
            fields = json.loads(_summary_path(solution, hand).read_text())
            return cls(float(fields["sd"]), tuple(map(int, fields["quantiles"])))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def save(self, solution: Solution, hand: Hand) -> None:
        """Cache the summary of a hand of a solution that this version of the code has computed."""
        path = _summary_path(solution, hand)
        path.parent.mkdir(exist_ok=True)
        with replace_file(path) as file:
            file.write(json.dumps(asdict(self)).encode())


class _Endings:
    """The probability of games from all hands to have ended by each turn, computed some turns at a time as far as required."""

    def __init__(self, distribution: TurnDistribution, mean: float, sd: float, kind: type = np.float64) -> None:
        self.distribution, self.turns = distribution, 0
        turns = int(mean + NUM_SDS * sd)
        # Written to first where it is computed, on all cores.
        allowed = MAX_BYTES // (len(distribution.numbers) * np.dtype(kind).itemsize)
        self.probability: NDArray[Any] = np.empty((len(distribution.numbers), 1 + max(7, min(turns, allowed))), kind)
        self.known = (distribution.moves.starts[1:] == distribution.moves.starts[:-1]).astype(np.float64)
        self.first_hand = [self.known[:1]]

    def extend(self) -> None:
        """Compute the next turns."""
        turns = self.distribution
        turns.by_levels(kernel_distribution.end_within, turns.bag, turns.moves, self.known, self.probability)
        self.turns += self.probability.shape[1] - 1
        self.known = self.probability[:, -1].astype(np.float64)
        self.first_hand.append(self.probability[0, 1:].astype(np.float64))

    def until(self, part: float, progress: Progress) -> NDArray[np.float64]:
        """Return [turns + 1] float64, the probability of the first hand to have ended within 0, 1, 2, ... turns, until it is ``part``."""
        while (known := np.concatenate(self.first_hand)[: MAX_TURNS + 1])[-1] < part:
            _verify_turns(self.turns, part)
            self.extend()
            progress(int(1000 * self.first_hand[-1][-1]), int(1000 * part), "")
        return known


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the array, or a much larger one with the same start if it is shorter than ``length``."""
    if length <= len(array):
        return array
    larger = np.empty(max(length, 4 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def _summary_path(solution: Solution, hand: Hand) -> Path:
    # The folder of the table is named after the code that all of this depends on.
    return cached_path(solution.game).with_suffix(".distributions") / f"{classes.number(hand, solution.game.dead)}.json"


def _verify_part(part: float) -> None:
    if not 0 < part < 1:
        raise NotLegalHere(f"a quantile lies between 0 and 1, not at {part}")


def _verify_turns(turns: int, part: float) -> None:
    if turns >= MAX_TURNS:
        raise NotPossible(f"after {MAX_TURNS:,} turns fewer than {part:.12g} of the games have ended; no more turns are computed")
