"""Arrangements of a hand into melds and deadwood, and their points.

>>> deadwood("5H 6H 7H 9C 9D KS")
28
>>> for arrangement in arrangements(Hand.parse("4H 5H 6H 7H 7C 7D KS")):
...     print(arrangement, arrangement.deadwood)
4H 5H 6H | 7C 7D 7H + KS 10
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import CARDS, Card, Hand, draw
from meldlab.cards.masks import as_masks
from meldlab.errors import BadText, NotLegalHere, parse_part, whole_number
from meldlab.melds import kernel
from meldlab.melds.aces import Aces
from meldlab.melds.meld import Meld

Points = Sequence[int]
GIN_POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
ONE_EACH = (1,) * 13
MAX_CARDS = 26  # six ranks of four are 6^6 ways to choose sets; a whole deck would be 6^13
MAX_POINTS = 1000


@dataclass(frozen=True)
class Arrangement:
    """Melds, the cards outside them, and the points of these cards.

    >>> Arrangement.parse("5H 6H 7H | 9C 9D 9S + KD").deadwood
    10
    """

    melds: tuple[Meld, ...]
    deadwood_cards: Hand
    deadwood: int

    def __post_init__(self) -> None:
        if not isinstance(self.melds, tuple) or not all(isinstance(meld, Meld) for meld in self.melds):
            raise NotLegalHere(f"expected a tuple of Meld as the melds of an arrangement, got {self.melds!r}")
        seen = as_hand(self.deadwood_cards).mask
        for meld in self.melds:
            if seen & meld.hand.mask:
                raise NotLegalHere(f"{Hand.from_mask(seen & meld.hand.mask)} cannot be in two places of an arrangement")
            seen |= meld.hand.mask
        # The points of a card are unknown here, but at most MAX_POINTS.
        whole_number(self.deadwood, "deadwood of an arrangement", maximum=MAX_POINTS * len(self.deadwood_cards))

    @classmethod
    def parse(cls, text: str, points: Points = GIN_POINTS) -> Self:
        """Return the arrangement of melds separated by ``|`` and, after ``+``, the cards outside them."""
        if not isinstance(text, str):
            raise NotLegalHere(f"expected the text of an arrangement, got {text!r}")
        front, _, back = text.partition("+")
        melds, seen, offset = [], 0, 0
        for part in front.split("|") if front.strip() else []:
            start = offset + len(part) - len(part.lstrip())
            meld = parse_part(Meld.parse, part, text, offset)
            if seen & meld.hand.mask:
                raise BadText(f"{meld} shares a card with an earlier meld", text, start)
            seen |= meld.hand.mask
            melds.append(meld)
            offset += len(part) + 1
        deadwood_cards = parse_part(Hand.parse, back, text, len(front) + 1)
        if deadwood_cards.mask & seen:
            raise BadText(f"{Hand.from_mask(deadwood_cards.mask & seen)} is in a meld too", text, len(front))
        return cls(tuple(melds), deadwood_cards, hand_points(deadwood_cards, points))

    @property
    def complete(self) -> bool:
        """Return whether every card is in a meld."""
        return not self.deadwood_cards

    def __str__(self) -> str:
        melds = " | ".join(map(str, self.melds))
        return f"{melds} + {self.deadwood_cards}".strip() if self.deadwood_cards else melds

    def _repr_svg_(self) -> str:
        melded = [card for meld in self.melds for card in meld.cards]
        groups = [meld.cards for meld in self.melds] + [tuple(self.deadwood_cards)]
        return draw([*melded, *self.deadwood_cards], marked=melded, apart=[group[0] for group in groups if group])


def hand_points(hand: Hand | str, points: Points = GIN_POINTS) -> int:
    """Return the points of all cards of a hand.

    >>> hand_points("AC 5H KS")
    16
    """
    values = _points(points)
    return sum(values[card.rank] for card in as_hand(hand))


def leftovers(aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> NDArray[np.uint16]:
    """Return [8192] uint16, the kernels' table of an ace rule and points per rank (ace to king)."""
    return _leftovers(Aces.parse(aces), _points(points))


@lru_cache(maxsize=16)
def _leftovers(aces: Aces, points: tuple[int, ...]) -> NDArray[np.uint16]:
    table: NDArray[np.uint16] = kernel.leftovers(np.array(aces.runs), np.array(points))
    table.setflags(write=False)
    return table


def melds(hand: Hand | str, aces: Aces | str = Aces.LOW) -> tuple[Meld, ...]:
    """Return every meld within a hand: sets first, then runs, each from the smallest.

    >>> [str(meld) for meld in melds("7C 7D 7H 8H 9H")]
    ['7C 7D 7H', '7H 8H 9H']
    """
    mask = _mask(hand)
    return tuple(meld for meld_mask, meld in _all_melds(Aces.parse(aces)).items() if mask & meld_mask == meld_mask)


@cache
def _all_melds(aces: Aces) -> dict[int, Meld]:
    """Return all melds of a deck by their masks, in the order of ``melds``."""
    ranks = [[CARDS[13 * suit + rank] for suit in range(4)] for rank in range(13)]
    sets = [Meld(Hand(cards)) for rank in ranks for size in (3, 4) for cards in combinations(rank, size)]
    runs = [Meld(Hand.from_mask(run << 13 * suit)) for run in aces.runs for suit in range(4)]
    ordered = [meld for kind in (sets, runs) for meld in sorted(kind, key=lambda meld: (len(meld.hand), meld.cards))]
    return {meld.hand.mask: meld for meld in ordered}


def deadwood(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> int:
    """Return the fewest points outside melds."""
    return int(kernel.deadwood(_mask(hand), leftovers(aces, points)))


def deadwoods(masks: ArrayLike, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> NDArray[np.uint16]:
    """Return [hands] uint16, the deadwood of each of ``masks``, [hands] 52-bit hands.

    >>> deadwoods(np.array([Hand.parse("5H 6H 7H").mask, Hand.parse("5H 6H KS").mask]))
    array([ 0, 21], dtype=uint16)
    """
    hands, table = as_masks(masks), leftovers(aces, points)
    if len(hands) and np.bitwise_count(hands).max() > MAX_CARDS:
        raise NotLegalHere(f"expected hands of at most {MAX_CARDS} cards, got {np.bitwise_count(hands).max()}")
    kernel.deadwoods(hands, table, result := np.empty(len(hands), np.uint16))
    return result


def is_complete(hand: Hand | str, aces: Aces | str = Aces.LOW) -> bool:
    """Return whether all cards of a hand can be melded.

    >>> is_complete("QH KH AH"), is_complete("QH KH AH", aces="both")
    (False, True)
    """
    # One point per card: with cards of zero points a hand without deadwood might not be complete.
    return deadwood(hand, aces, ONE_EACH) == 0


def arrangements(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Iterator[Arrangement]:
    """Return every arrangement with the least deadwood once, fewest and longest melds first."""
    mask, table, values = _mask(hand), leftovers(aces, points), _points(points)
    all_melds = _all_melds(Aces.parse(aces))
    candidates = [meld for meld in all_melds if mask & meld == meld]
    solutions: set[tuple[int, ...]] = set()

    def split(rest: int, budget: int, chosen: tuple[int, ...]) -> None:
        # The lowest card is deadwood or in a meld; the kernel prunes branches that cannot be minimal, so each leads to a solution.
        if not rest:
            solutions.add(tuple(sorted(chosen)))
            return
        lowest = rest & -rest
        cost = values[(lowest.bit_length() - 1) % 13]
        if cost + kernel.deadwood(rest ^ lowest, table) == budget:
            split(rest ^ lowest, budget - cost, chosen)
        for meld in candidates:
            if meld & lowest and meld & rest == meld and kernel.deadwood(rest ^ meld, table) == budget:
                split(rest ^ meld, budget, (*chosen, meld))

    minimum = int(kernel.deadwood(mask, table))
    split(mask, minimum, ())
    results = [_arrangement(mask, [all_melds[meld] for meld in chosen], minimum) for chosen in solutions]
    return iter(sorted(results, key=lambda result: (len(result.melds), [meld.cards for meld in result.melds])))


def _arrangement(mask: int, chosen: list[Meld], points: int) -> Arrangement:
    melds = tuple(sorted(chosen, key=lambda meld: meld.cards))
    return Arrangement(melds, Hand.from_mask(mask & ~sum(meld.hand.mask for meld in melds)), points)


def arrange(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Arrangement:
    """Return a best arrangement: least deadwood, then fewest melds, then the smallest cards first."""
    return next(arrangements(hand, aces, points))


def discards(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> dict[Card, int]:
    """Return the deadwood after each discard.

    >>> {str(card): left for card, left in discards("5H 6H 7H KS").items()}
    {'5H': 23, '6H': 22, '7H': 21, 'KS': 0}
    """
    cards, table = Hand.from_mask(_mask(hand)), leftovers(aces, points)
    return {card: int(kernel.deadwood(cards.mask ^ 1 << card.index, table)) for card in cards}


def best_discard(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Card:
    """Return the discard that leaves the least deadwood; among equal ones that of most points, then the highest."""
    deadwood_after = discards(hand, aces, points)
    if not deadwood_after:
        raise NotLegalHere("no card to discard from an empty hand")
    return max(deadwood_after, key=lambda card: (-deadwood_after[card], points[card.rank], card))


def as_hand(hand: Hand | str) -> Hand:
    """Return a hand from a Hand or text."""
    if isinstance(hand, str):
        return Hand.parse(hand)
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"expected a Hand or text, got {hand!r}")
    return hand


def _points(points: Points) -> tuple[int, ...]:
    if points is GIN_POINTS or points is ONE_EACH:
        return points
    if not isinstance(points, Iterable):
        raise NotLegalHere(f"expected 13 points, ace to king, got {points!r}")
    values = tuple(whole_number(value, "points of a rank", maximum=MAX_POINTS) for value in points)
    if len(values) != 13:
        raise NotLegalHere(f"expected 13 points, ace to king, got {len(values)}")
    return values


def _mask(hand: Hand | str) -> int:
    cards = as_hand(hand)
    if len(cards) > MAX_CARDS:
        raise NotLegalHere(f"{len(cards)} cards are too many to arrange (at most {MAX_CARDS})")
    return cards.mask
