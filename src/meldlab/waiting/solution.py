"""A solved waiting game: E of every hand, and the policy that follows from it."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card, Hand, classes
from meldlab.errors import NotLegalHere
from meldlab.formatting import html_table
from meldlab.melds.arrangement import as_hand
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel
from meldlab.waiting.game import WaitingGame

SAME_VALUE = 1e-9  # values of E closer than this count as one
MAX_COUNTED = 7  # cards up to which different values are counted
MAX_SHOWN = 5  # cards up to which the notebook view contains the summary


@dataclass(frozen=True)
class Discard:
    """A card to put back, the E of the rest, and its excess over that of the best discard."""

    card: Card
    expected: float
    cost: float


@dataclass(frozen=True)
class Exchange:
    """A card that may be drawn, the best discard then, and the E after it."""

    draw: Card
    discard: Card
    expected: float


@dataclass(frozen=True)
class UpcardChoice:
    """Whether to take a face-up card, all turns if it is taken, and all turns if a card is drawn instead."""

    take: bool
    taken: float
    drawn: float


@dataclass(frozen=True)
class Summary:
    """A solution in a few numbers, over all hands with suits distinguished; hands at the goal count 0."""

    hands: int
    goal_hands: int
    distinct_values: int | None
    mean: float
    max: float
    worst: Hand
    worst_hands: int
    best: Hand

    def rows(self) -> list[tuple[str, str]]:
        """Return the name and the text of each number."""
        values = [] if self.distinct_values is None else [("different values", f"{self.distinct_values:,}")]
        rows = [("hands", f"{self.hands:,}"), ("at the goal", f"{self.goal_hands:,}"), *values, ("mean turns", f"{self.mean:.6f}")]
        rows += [("most turns", f"{self.max:.6f}"), ("worst hand", f"{self.worst}, one of {self.worst_hands:,} as bad")]
        return [*rows, ("best hand short of the goal", str(self.best))]

    def _repr_html_(self) -> str:
        return html_table([], self.rows())


@dataclass(frozen=True, eq=False)
class Solution:
    """E of every class of hands, and how it was computed.

    ``expected``: [classes] float64, float32 or uint16 in units of ``unit``; ``residual`` is max |E - TE|, the error of the equation.
    """

    game: WaitingGame
    expected: NDArray[Any]
    residual: float
    sweeps: int
    seconds: float
    device: str
    unit: float = 1.0
    error: float = 0.0  # the largest change of a value by rounding to a smaller type
    sums: kernel.Sums | None = None  # if the solver has them

    def __post_init__(self) -> None:
        # Values from a file are read-only; with all arrays read-only, kernels are compiled for one kind.
        self.expected.setflags(write=False)

    def turns(self, hand: Hand | str) -> float:
        """Return E of a hand: the expected number of turns to the goal under the best policy."""
        cards = self.hand(hand)
        return float(self.expected[classes.number(cards, self.game.dead)]) * self.unit

    def discards(self, hand: Hand | str) -> list[Discard]:
        """Return every discard from a hand with one card more, the best first."""
        cards = self.hand(hand, 1)
        masks = np.array([cards.mask ^ 1 << card.index for card in cards], np.int64)
        values = self.values(masks)
        least = float(values.min())
        discards = [Discard(card, float(value), float(value) - least) for card, value in zip(cards, values, strict=True)]
        return sorted(discards, key=lambda discard: discard.expected)

    def draws(self, hand: Hand | str) -> Iterator[Exchange]:
        """Yield the best discard for every card that may be drawn."""
        cards = self.hand(hand)
        now = self.turns(cards)
        for card in sorted(CARDS):
            if card not in cards and card not in self.game.dead:
                best = self.discards(Hand.from_mask(cards.mask | 1 << card.index))[0]
                # Putting the new card back is always possible, and right when nothing improves.
                yield Exchange(card, best.card, best.expected) if best.expected < now else Exchange(card, card, now)

    def upcard_choice(self, hand: Hand | str, upcard: Card) -> UpcardChoice:
        """Return whether to take a face-up card.

        Drawing has the value E of the hand: its first turn is the one that the upcard would use up.
        """
        cards = self.hand(hand)
        if upcard in cards or upcard in self.game.dead:
            raise NotLegalHere(f"{upcard} cannot be the upcard: it is {'in the hand' if upcard in cards else 'dead'}")
        taken = 1 + self.discards(Hand.from_mask(cards.mask | 1 << upcard.index))[0].expected
        drawn = self.turns(cards)
        return UpcardChoice(taken < drawn, taken, drawn)

    def values(self, masks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return [hands] float64, E of each of ``masks``."""
        return self.expected[classes.numbers(masks, self.game.cards, self.game.dead)].astype(np.float64) * self.unit

    def summary(self) -> Summary:
        """Return the solution in a few numbers."""
        game = self.game
        totals, zeros, bests, worsts = self.sums or self._sums()
        largest = float(worsts.max())
        # Hands equal to the worst up to rounding are as bad; the last of their classes represents all.
        least = largest - SAME_VALUE / self.unit
        as_bad = []
        for first in np.flatnonzero(worsts >= least) * kernel.STRETCH:
            as_bad += [int(first + index) for index in np.flatnonzero(self.expected[first : first + kernel.STRETCH] >= least)]
        distinct = None
        if game.cards <= MAX_COUNTED:
            distinct = 1 + int(np.count_nonzero(np.diff(self._ascending()) * self.unit > SAME_VALUE))
        return Summary(
            hands=game.hands,
            goal_hands=int(zeros.sum()),
            distinct_values=distinct,
            mean=fsum(totals) * self.unit / game.hands,
            max=largest * self.unit,
            worst=classes.hand(game.cards, as_bad[-1], game.dead),
            worst_hands=sum(classes.orbit_size(classes.hand(game.cards, number, game.dead), game.dead) for number in as_bad),
            best=classes.hand(game.cards, self._best(bests), game.dead),
        )

    def _best(self, bests: NDArray[np.int64]) -> int:
        """Return the lowest class with the least E above 0, up to rounding: a GPU adds in another order in every run."""
        stretches = np.flatnonzero(bests >= 0)
        if not len(stretches):
            return 0
        leasts = self.expected[bests[stretches]]
        limit = leasts.min() + SAME_VALUE / self.unit
        first = int(stretches[leasts <= limit][0]) * kernel.STRETCH
        values = self.expected[first : first + kernel.STRETCH]
        return first + int(np.flatnonzero((values > 0) & (values <= limit))[0])

    def _ascending(self) -> NDArray[Any]:
        """Return all values in order; the lower and the upper half are sorted on two cores."""
        middle = np.median(self.expected[::64])
        halves = self.expected[self.expected < middle], self.expected[self.expected >= middle]

        def sort(first: int, count: int) -> None:
            for half in halves[first : first + count]:
                half.sort()

        run_on_cores(sort, len(halves))
        return np.concatenate(halves)

    def _sums(self) -> kernel.Sums:
        sums = kernel.new_sums(len(self.expected))
        run_on_cores(kernel.summarise, len(sums.totals), sums, self.expected, self.game.numbering)
        return sums

    def _repr_html_(self) -> str:
        # A summary reads all hands; for larger games it is computed on request only.
        rows = self.summary().rows() if self.game.cards <= MAX_SHOWN else [("hands", f"{self.game.hands:,}")]
        rows += [("kinds of hands", f"{len(self.expected):,}"), ("residual", f"{self.residual:.1e}")]
        return html_table([], [*rows, ("solved in", f"{self.seconds:.2f} s, {self.device}")], f"Waiting times: {self.game}")

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return (masks, hands in the class, E) of every class, [classes] each, in the order of class numbers."""
        masks = classes.hands(self.game.cards, dead=self.game.dead)
        return masks, classes.orbit_sizes(masks, self.game.cards, self.game.dead), self.expected.astype(np.float64) * self.unit

    def hand(self, hand: Hand | str, more: int = 0) -> Hand:
        """Return a hand of this game, with ``more`` cards than it has between turns; raise for any other."""
        parsed, cards = as_hand(hand), self.game.cards + more
        if len(parsed) != cards:
            raise NotLegalHere(f"expected {cards} cards, got {len(parsed)}: {parsed or 'no cards'}")
        if parsed & self.game.dead:
            raise NotLegalHere(f"{parsed & self.game.dead} is dead and cannot be in the hand")
        return parsed
