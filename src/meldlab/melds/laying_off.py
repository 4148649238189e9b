"""Laying off: the defender adds cards to the melds that the other player has shown."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from meldlab.cards import Hand
from meldlab.errors import NotLegalHere
from meldlab.melds.aces import Aces
from meldlab.melds.arrangement import GIN_POINTS, Arrangement, Points, arrange, as_hand, deadwood
from meldlab.melds.meld import Meld

__all__ = ["LayOff", "lay_off"]


@dataclass(frozen=True)
class LayOff:
    """The shown melds as they have grown, what was added, and how the rest of the hand is arranged."""

    melds: tuple[Meld, ...]
    laid: Hand
    rest: Arrangement

    @property
    def deadwood(self) -> int:
        """Return the points that still count against the defender."""
        return self.rest.deadwood


def lay_off(hand: Hand | str, melds: Iterable[Meld], aces: Aces | str = Aces.LOW, points: Points = GIN_POINTS) -> LayOff:
    """Return the lay-off that leaves the least deadwood, breaking up own melds where that pays, with the fewest cards laid among equals.

    >>> shown = [Meld.parse("3H 4H 5H"), Meld.parse("9C 9D 9H")]
    >>> done = lay_off("6H 7H 8H 9S KS", shown)
    >>> print(done.rest, done.deadwood)
    6H 7H 8H + KS 10
    """
    cards = as_hand(hand)
    if not isinstance(melds, Iterable):
        raise NotLegalHere(f"cards are laid off on melds, not on {melds!r}")
    rule, shown = Aces.parse(aces), tuple(melds)
    seen = cards
    for meld in shown:
        if not isinstance(meld, Meld):
            raise NotLegalHere(f"cards are laid off on a Meld, not on {meld!r}")
        if not meld.legal(rule):
            raise NotLegalHere(f"{meld} is not a meld with aces {rule}")
        if meld.hand & seen:
            raise NotLegalHere(f"{meld.hand & seen} cannot lie in two places, the hand and the shown melds")
        seen |= meld.hand
    best: tuple[int, int, int, tuple[int, ...]] | None = None
    for grown in product(*(list(_grown(meld, cards, rule)) for meld in shown)):
        laid = sum(after & ~meld.hand.mask for after, meld in zip(grown, shown, strict=True))
        # A card on two melds at once would be counted twice.
        if laid.bit_count() != sum((after & ~meld.hand.mask).bit_count() for after, meld in zip(grown, shown, strict=True)):
            continue
        way = deadwood(Hand.from_mask(cards.mask & ~laid), rule, points), laid.bit_count(), laid, grown
        best = way if best is None else min(best, way)
    assert best is not None  # laying off nothing is always one of the ways
    _, _, laid, grown = best
    rest = arrange(Hand.from_mask(cards.mask & ~laid), rule, points)
    return LayOff(tuple(Meld(Hand.from_mask(after)) for after in grown), Hand.from_mask(laid), rest)


def _grown(meld: Meld, free: Hand, aces: Aces) -> Iterator[int]:
    """Give the meld as it is, and every larger meld that free cards make of it."""
    yield meld.hand.mask
    if meld.is_set:
        # A set of three has one card missing.
        rank = next(iter(meld.hand)).rank
        missing = sum(1 << 13 * suit + rank for suit in range(4)) & ~meld.hand.mask
        if missing and missing & free.mask == missing:
            yield meld.hand.mask | missing
        return
    suit = next(iter(meld.hand)).suit
    within = meld.hand.mask | free.mask
    for lane in aces.runs:
        run = lane << 13 * suit
        # Every longer run around this one, as far as free cards reach: chains on both ends at once.
        if run != meld.hand.mask and run & meld.hand.mask == meld.hand.mask and run & within == run:
            yield run
