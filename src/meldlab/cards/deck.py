"""Decks: cards in an order, given or shuffled by a seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from meldlab.cards.card import CARDS, Card, check_cards, read_cards
from meldlab.cards.hand import Hand
from meldlab.chance import Purpose, check_seed
from meldlab.errors import BadText, NotLegalHere, whole_number


@dataclass(frozen=True, repr=False)
class Deck:
    """Face-down cards, the first on top.

    >>> hand, rest = Deck.shuffled(seed=7).deal(10)
    >>> len(hand), len(rest.cards), Deck.shuffled(seed=7) == Deck.shuffled(seed=7)
    (10, 42, True)
    """

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(check_cards(self.cards)))
        if len(Hand(self.cards)) != len(self.cards):
            raise NotLegalHere("a deck has no card twice")

    @classmethod
    def shuffled(cls, seed: int, game: int = 0, round: int = 0, pack: Sequence[int] = range(52)) -> Self:
        """Return the deck of round ``round`` of game ``game``, the same on every machine.

        ``pack``: the bit numbers of its cards; smaller games use fewer.
        """
        # Imported here, since reading and printing cards needs no compiler.
        import numpy as np

        from meldlab.chance.kernel import address, shuffle

        order = np.array(pack)
        numbers = check_seed(seed), whole_number(game, "game"), whole_number(round, "round")
        shuffle(order, address(*numbers, 0, int(Purpose.DEAL)))
        return cls(tuple(CARDS[index] for index in order))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the deck of a text, top card first; a repeated card is an error."""
        cards: list[Card] = []
        for card, offset in read_cards(text):
            if card in cards:
                raise BadText(f"{card} twice", text, offset)
            cards.append(card)
        return cls(tuple(cards))

    def deal(self, cards: int) -> tuple[Hand, Self]:
        """Return the hand of the top ``cards`` cards and the remaining deck."""
        count = whole_number(cards, "number of cards to deal", maximum=len(self.cards))
        return Hand(self.cards[:count]), type(self)(self.cards[count:])

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Deck.parse('{self}')"
