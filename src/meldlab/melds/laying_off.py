"""Laying off: the defender adds cards to the opponent's shown melds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.melds.aces import Aces
from meldlab.melds.arrangement import GIN_POINTS, Arrangement, Points, arrange, as_hand, deadwood
from meldlab.melds.meld import Meld


@dataclass(frozen=True)
class LayOff:
    """The shown melds with the laid-off cards, these cards, and the arrangement of the rest of the hand."""

    melds: tuple[Meld, ...]
    laid: Hand
    rest: Arrangement

    @property
    def deadwood(self) -> int:
        """Return the remaining points of the defender."""
        return self.rest.deadwood


def lay_off(hand: Hand | str, melds: Iterable[Meld], aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> LayOff:
    """Return the lay-off with the least deadwood, also if it breaks up own melds, among equal ones that of the fewest cards.

    >>> shown = [Meld.parse("3H 4H 5H"), Meld.parse("9C 9D 9H")]
    >>> result = lay_off("6H 7H 8H 9S KS", shown)
    >>> print(result.rest, result.deadwood)
    6H 7H 8H + KS 10
    """
    cards = as_hand(hand)
    if not isinstance(melds, Iterable):
        raise NotLegalHere(f"expected melds to lay off on, got {melds!r}")
    rule, shown = Aces.parse(aces), tuple(melds)
    seen = cards
    for meld in shown:
        if not isinstance(meld, Meld):
            raise NotLegalHere(f"expected a Meld to lay off on, got {meld!r}")
        if not meld.legal(rule):
            raise NotLegalHere(f"{meld} is not a meld with aces {rule}")
        if meld.hand & seen:
            raise NotLegalHere(f"{meld.hand & seen} cannot be in two places, the hand and the shown melds")
        seen |= meld.hand
    best: tuple[int, int, int, tuple[int, ...]] | None = None
    for extended in product(*(list(_extensions(meld, cards, rule)) for meld in shown)):
        laid = sum(after & ~meld.hand.mask for after, meld in zip(extended, shown, strict=True))
        # A card on two melds at once would be counted twice.
        if laid.bit_count() != sum((after & ~meld.hand.mask).bit_count() for after, meld in zip(extended, shown, strict=True)):
            continue
        candidate = deadwood(Hand.from_mask(cards.mask & ~laid), rule, points), laid.bit_count(), laid, extended
        best = candidate if best is None else min(best, candidate)
    assert best is not None  # to lay off nothing is always a candidate
    _, _, laid, extended = best
    rest = arrange(Hand.from_mask(cards.mask & ~laid), rule, points)
    return LayOff(tuple(Meld(Hand.from_mask(after)) for after in extended), Hand.from_mask(laid), rest)


def _extensions(meld: Meld, free: Hand, aces: Aces) -> Iterator[int]:
    """Return the mask of the meld, and of every larger meld with free cards."""
    yield meld.hand.mask
    if meld.is_set:
        # A set of three can get the fourth card.
        rank = next(iter(meld.hand)).rank
        missing = sum(1 << 13 * suit + rank for suit in range(4)) & ~meld.hand.mask
        if missing and missing & free.mask == missing:
            yield meld.hand.mask | missing
        return
    suit = next(iter(meld.hand)).suit
    available = meld.hand.mask | free.mask
    for ranks in aces.runs:
        run = ranks << 13 * suit
        # Every longer run of the meld and free cards, at both ends at once.
        if run != meld.hand.mask and run & meld.hand.mask == meld.hand.mask and run & available == run:
            yield run
