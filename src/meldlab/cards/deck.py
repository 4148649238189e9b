"""A deck is 52 cards in an order that a seed determines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from meldlab.cards.card import CARDS, Card, all_cards, read_cards
from meldlab.cards.hand import Hand
from meldlab.chance import Purpose, verified
from meldlab.errors import BadText, NotLegalHere, whole_number

__all__ = ["Deck"]


@dataclass(frozen=True, repr=False)
class Deck:
    """Cards lying face down, the first on top.

    >>> hand, rest = Deck.shuffled(seed=7).deal(10)
    >>> len(hand), len(rest.cards), Deck.shuffled(seed=7) == Deck.shuffled(seed=7)
    (10, 42, True)
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(all_cards(self.cards)))
        if len(Hand(self.cards)) != len(self.cards):
            raise NotLegalHere("a deck has no card twice")

    @classmethod
    def shuffled(cls, seed: int, game: int = 0, round: int = 0, pack: Sequence[int] = range(52)) -> Self:
        """Return the deck that round ``round`` of game ``game`` is dealt from, the same on every machine.

        ``pack``: the cards that are in it, as bit numbers; a smaller game leaves some out.
        """
        # Whoever only reads and prints cards waits for no compiler.
        import numpy as np

        from meldlab.chance.kernel import address, shuffle

        order = np.array(pack)
        where = verified(seed), whole_number(game, "game"), whole_number(round, "round")
        shuffle(order, address(*where, 0, int(Purpose.DEAL)))
        return cls(tuple(CARDS[index] for index in order))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read cards from the top; a card given twice is an error."""
        cards: list[Card] = []
        for card, at in read_cards(text):
            if card in cards:
                raise BadText(f"{card} twice", text, at)
            cards.append(card)
        return cls(tuple(cards))

    def deal(self, cards: int) -> tuple[Hand, Self]:
        """Return the hand of the top ``cards`` cards, and what is left."""
        top = whole_number(cards, "number of cards to deal", most=len(self.cards))
        return Hand(self.cards[:top]), type(self)(self.cards[top:])

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Deck.parse('{self}')"
