"""A meld is a set (three or four of a rank) or a run (three or more neighbours in a suit)."""

from dataclasses import dataclass
from typing import Self

from meldlab.cards import Card, Hand, Rank
from meldlab.errors import BadText, NotLegalHere
from meldlab.melds.aces import Aces

__all__ = ["Meld"]


@dataclass(frozen=True, repr=False)
class Meld:
    """Cards that lie together; a run prints in its own order, so that Q K A reads as one.

    >>> meld = Meld.parse("KH AH QH")
    >>> str(meld), meld.is_run, meld.legal(Aces.LOW), meld.legal(Aces.BOTH)
    ('QH KH AH', True, False, True)
    """

    hand: Hand

    def __post_init__(self) -> None:
        if not isinstance(self.hand, Hand):
            raise NotLegalHere(f"a meld is made of a Hand, not {self.hand!r} (Meld.parse reads text)")
        if not self.is_set and not self.legal(Aces.ROUND):
            raise NotLegalHere(f"{self.hand or 'no cards'} is neither a set nor a run")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the cards of one meld."""
        hand = Hand.parse(text)
        try:
            return cls(hand)
        except NotLegalHere as problem:
            raise BadText(str(problem), text, len(text) - len(text.lstrip())) from None

    @property
    def is_set(self) -> bool:
        """Tell whether this is three or four cards of one rank."""
        return len(self.hand) >= 3 and len({card.rank for card in self.hand}) == 1

    @property
    def is_run(self) -> bool:
        """Tell whether this is a run."""
        return not self.is_set

    def legal(self, aces: Aces | str) -> bool:
        """Tell whether the meld stands under an ace rule."""
        lanes = [lane for lane in self.hand.lanes if lane]
        return self.is_set or (len(lanes) == 1 and lanes[0] in Aces.parse(aces).runs)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return the cards in the order they are laid out."""
        row = tuple(self.hand)
        if self.is_set or len(row) == 13:
            return row
        # A run starts at the card whose lower neighbour is missing; going round from there also orders K A 2.
        start = next(card.rank for card in row if Card(Rank((card.rank - 1) % 13), card.suit) not in self.hand)
        return tuple(sorted(row, key=lambda card: (card.rank - start) % 13))

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Meld.parse('{self}')"

    def _repr_svg_(self) -> str:
        from meldlab.cards import draw

        return draw(self.cards)
