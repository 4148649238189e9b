"""Melds: sets (three or four of a rank) and runs (three or more consecutive ranks of a suit)."""

from dataclasses import dataclass
from typing import Self

from meldlab.cards import Card, Hand, Rank
from meldlab.errors import BadText, NotLegalHere
from meldlab.melds.aces import Aces


@dataclass(frozen=True, repr=False)
class Meld:
    """A set or a run; a run prints in its own order, such as Q K A.

    >>> meld = Meld.parse("KH AH QH")
    >>> str(meld), meld.is_run, meld.legal(Aces.LOW), meld.legal(Aces.BOTH)
    ('QH KH AH', True, False, True)
    """

    hand: Hand

    def __post_init__(self) -> None:
        if not isinstance(self.hand, Hand):
            raise NotLegalHere(f"expected a Hand, got {self.hand!r} (Meld.parse reads text)")
        if not self.is_set and not self.legal(Aces.ROUND):
            raise NotLegalHere(f"{self.hand or 'no cards'} is neither a set nor a run")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the meld of a text of cards."""
        hand = Hand.parse(text)
        try:
            return cls(hand)
        except NotLegalHere as error:
            raise BadText(str(error), text, len(text) - len(text.lstrip())) from None

    @property
    def is_set(self) -> bool:
        """Return whether the meld is three or four cards of one rank."""
        return len(self.hand) >= 3 and len({card.rank for card in self.hand}) == 1

    @property
    def is_run(self) -> bool:
        """Return whether the meld is a run."""
        return not self.is_set

    def legal(self, aces: Aces | str) -> bool:
        """Return whether the meld is legal under an ace rule."""
        suits = [ranks for ranks in self.hand.suit_masks if ranks]
        return self.is_set or (len(suits) == 1 and suits[0] in Aces.parse(aces).runs)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return the cards in their order on the table."""
        cards = tuple(self.hand)
        if self.is_set or len(cards) == 13:
            return cards
        # A run starts at the card without the next lower rank; the order from there is also right for K A 2.
        start = next(card.rank for card in cards if Card(Rank((card.rank - 1) % 13), card.suit) not in self.hand)
        return tuple(sorted(cards, key=lambda card: (card.rank - start) % 13))

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Meld.parse('{self}')"

    def _repr_svg_(self) -> str:
        from meldlab.cards import draw

        return draw(self.cards)
