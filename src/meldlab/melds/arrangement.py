"""How a hand falls into melds and deadwood, and what that costs.

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
from meldlab.errors import BadText, NotLegalHere, whole_number
from meldlab.melds import kernel
from meldlab.melds.aces import Aces
from meldlab.melds.meld import Meld

__all__ = [
    "GIN_POINTS",
    "MOST_CARDS",
    "Arrangement",
    "arrange",
    "arrangements",
    "as_hand",
    "best_discard",
    "deadwood",
    "deadwoods",
    "discards",
    "is_complete",
    "leftovers",
    "melds",
    "points_of",
]

Points = Sequence[int]
GIN_POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
ONE_EACH = (1,) * 13
MOST_CARDS = 26  # six ranks of four are 6^6 ways to choose sets; a whole deck would be 6^13
MOST_POINTS = 1000


@dataclass(frozen=True)
class Arrangement:
    """Melds, the cards outside them, and the points of those.

    >>> Arrangement.parse("5H 6H 7H | 9C 9D 9S + KD").deadwood
    10
    """

    melds: tuple[Meld, ...]
    deadwood_cards: Hand
    deadwood: int

    def __post_init__(self) -> None:
        if not isinstance(self.melds, tuple) or not all(isinstance(meld, Meld) for meld in self.melds):
            raise NotLegalHere(f"the melds of an arrangement are a tuple of Meld, not {self.melds!r}")
        seen = as_hand(self.deadwood_cards).mask
        for meld in self.melds:
            if seen & meld.hand.mask:
                raise NotLegalHere(f"{Hand.from_mask(seen & meld.hand.mask)} would lie in two places of an arrangement")
            seen |= meld.hand.mask
        # What a card counts is not known here, but no card counts more than this.
        whole_number(self.deadwood, "deadwood of an arrangement", most=MOST_POINTS * len(self.deadwood_cards))

    @classmethod
    def parse(cls, text: str, points: Points = GIN_POINTS) -> Self:
        """Read melds separated by ``|`` and, behind ``+``, the cards outside them."""
        if not isinstance(text, str):
            raise NotLegalHere(f"an arrangement is read from text, not from {text!r}")
        front, _, back = text.partition("+")
        melds, seen, at = [], 0, 0
        for part in front.split("|") if front.strip() else []:
            blank = at + len(part) - len(part.lstrip())
            try:
                meld = Meld.parse(part)
            except BadText as problem:
                raise BadText(problem.problem, text, at + problem.at) from None
            if seen & meld.hand.mask:
                raise BadText(f"{meld} shares a card with an earlier meld", text, blank)
            seen |= meld.hand.mask
            melds.append(meld)
            at += len(part) + 1
        try:
            dead = Hand.parse(back)
        except BadText as problem:
            raise BadText(problem.problem, text, len(front) + 1 + problem.at) from None
        if dead.mask & seen:
            raise BadText(f"{Hand.from_mask(dead.mask & seen)} lies in a meld too", text, len(front))
        return cls(tuple(melds), dead, points_of(dead, points))

    @property
    def complete(self) -> bool:
        """Tell whether every card lies in a meld."""
        return not self.deadwood_cards

    def __str__(self) -> str:
        melds = " | ".join(map(str, self.melds))
        return f"{melds} + {self.deadwood_cards}".strip() if self.deadwood_cards else melds

    def _repr_svg_(self) -> str:
        melded = [card for meld in self.melds for card in meld.cards]
        groups = [meld.cards for meld in self.melds] + [tuple(self.deadwood_cards)]
        return draw([*melded, *self.deadwood_cards], marked=melded, apart=[group[0] for group in groups if group])


def points_of(hand: Hand | str, points: Points = GIN_POINTS) -> int:
    """Return the points of all cards of a hand.

    >>> points_of("AC 5H KS")
    16
    """
    values = _points(points)
    return sum(values[card.rank] for card in as_hand(hand))


def leftovers(aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> NDArray[np.uint16]:
    """Return [8192] uint16, what the kernels read for an ace rule and points per rank (ace to king)."""
    return _leftovers(Aces.parse(aces), _points(points))


@lru_cache(maxsize=16)
def _leftovers(aces: Aces, points: tuple[int, ...]) -> NDArray[np.uint16]:
    left: NDArray[np.uint16] = kernel.leftovers(np.array(aces.runs), np.array(points))
    left.setflags(write=False)
    return left


def melds(hand: Hand | str, aces: Aces | str = Aces.LOW) -> tuple[Meld, ...]:
    """Return every meld within a hand: sets first, then runs, each from the smallest.

    >>> [str(meld) for meld in melds("7C 7D 7H 8H 9H")]
    ['7C 7D 7H', '7H 8H 9H']
    """
    mask = _mask(hand)
    return tuple(meld for bits, meld in _every_meld(Aces.parse(aces)).items() if mask & bits == bits)


@cache
def _every_meld(aces: Aces) -> dict[int, Meld]:
    """Return all melds of a deck by their masks, in the order of ``melds``."""
    ranks = [[CARDS[13 * suit + rank] for suit in range(4)] for rank in range(13)]
    sets = [Meld(Hand(some)) for rank in ranks for size in (3, 4) for some in combinations(rank, size)]
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
    hands, left = as_masks(masks), leftovers(aces, points)
    if len(hands) and np.bitwise_count(hands).max() > MOST_CARDS:
        raise NotLegalHere(f"each hand has at most {MOST_CARDS} cards")
    result: NDArray[np.uint16] = kernel.deadwoods(hands, left)
    return result


def is_complete(hand: Hand | str, aces: Aces | str = Aces.LOW) -> bool:
    """Tell whether the whole hand falls into melds.

    >>> is_complete("QH KH AH"), is_complete("QH KH AH", aces="both")
    (False, True)
    """
    # One point a card: with points of zero a hand could be worth nothing without being complete.
    return deadwood(hand, aces, ONE_EACH) == 0


def arrangements(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Iterator[Arrangement]:
    """Give every arrangement with the least deadwood once, fewest and longest melds first."""
    mask, left, values = _mask(hand), leftovers(aces, points), _points(points)
    known = _every_meld(Aces.parse(aces))
    within = [meld for meld in known if mask & meld == meld]
    found: set[tuple[int, ...]] = set()

    def split(rest: int, budget: int, dead: int, chosen: tuple[int, ...]) -> None:
        # The lowest card is deadwood or lies in a meld; the kernel says which branches can still be minimal, so none is in vain.
        if not rest:
            found.add(tuple(sorted(chosen)))
            return
        lowest = rest & -rest
        cost = values[(lowest.bit_length() - 1) % 13]
        if cost + kernel.deadwood(rest ^ lowest, left) == budget:
            split(rest ^ lowest, budget - cost, dead | lowest, chosen)
        for meld in within:
            if meld & lowest and meld & rest == meld and kernel.deadwood(rest ^ meld, left) == budget:
                split(rest ^ meld, budget, dead, (*chosen, meld))

    least = int(kernel.deadwood(mask, left))
    split(mask, least, 0, ())
    every = [_arrangement(mask, [known[meld] for meld in chosen], least) for chosen in found]
    return iter(sorted(every, key=lambda one: (len(one.melds), [meld.cards for meld in one.melds])))


def _arrangement(mask: int, chosen: list[Meld], least: int) -> Arrangement:
    laid = tuple(sorted(chosen, key=lambda meld: meld.cards))
    return Arrangement(laid, Hand.from_mask(mask & ~sum(meld.hand.mask for meld in laid)), least)


def arrange(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Arrangement:
    """Return a best arrangement: least deadwood, then fewest melds, then the smallest cards first."""
    return next(arrangements(hand, aces, points))


def discards(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> dict[Card, int]:
    """Return the deadwood that each discard would leave.

    >>> {str(card): left for card, left in discards("5H 6H 7H KS").items()}
    {'5H': 23, '6H': 22, '7H': 21, 'KS': 0}
    """
    cards, left = Hand.from_mask(_mask(hand)), leftovers(aces, points)
    return {card: int(kernel.deadwood(cards.mask ^ 1 << card.index, left)) for card in cards}


def best_discard(hand: Hand | str, aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> Card:
    """Return the card whose discard leaves the least deadwood; among equals the one of most points, then the highest."""
    left = discards(hand, aces, points)
    if not left:
        raise NotLegalHere("no card to discard from an empty hand")
    return max(left, key=lambda card: (-left[card], points[card.rank], card))


def as_hand(hand: Hand | str) -> Hand:
    """Return a hand given as one or as text."""
    if isinstance(hand, str):
        return Hand.parse(hand)
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"a hand is a Hand or text, not {hand!r}")
    return hand


def _points(points: Points) -> tuple[int, ...]:
    if points is GIN_POINTS or points is ONE_EACH:
        return points
    if not isinstance(points, Iterable):
        raise NotLegalHere(f"points are 13 numbers, ace to king, not {points!r}")
    values = tuple(whole_number(value, "points of a rank", most=MOST_POINTS) for value in points)
    if len(values) != 13:
        raise NotLegalHere(f"points are 13 numbers, ace to king, not {len(values)}")
    return values


def _mask(hand: Hand | str) -> int:
    cards = as_hand(hand)
    if len(cards) > MOST_CARDS:
        raise NotLegalHere(f"{len(cards)} cards are too many to arrange (at most {MOST_CARDS})")
    return cards.mask
