"""A deck is 52 cards in an order that a seed determines."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import kernel
from meldlab.cards.card import CARDS, Card
from meldlab.cards.hand import Hand
from meldlab.cards.notation import read_cards
from meldlab.errors import BadText, NotLegalHere

__all__ = ["DEAL", "Deck", "random_hands"]

DEAL = 0  # the purpose under which a shuffle draws


@dataclass(frozen=True, repr=False)
class Deck:
    """Cards lying face down, the first on top.

    >>> hand, rest = Deck.shuffled(seed=7).deal(10)
    >>> len(hand), len(rest.cards), Deck.shuffled(seed=7) == Deck.shuffled(seed=7)
    (10, 42, True)
    """

    cards: tuple[Card, ...]

    @classmethod
    def shuffled(cls, seed: int, game: int = 0, round: int = 0) -> Self:
        """Return the deck that round ``round`` of game ``game`` is dealt from, the same on every machine."""
        order = np.arange(52)
        # Out of a kernel an address is a plain int again; numba would take one below 2^63 for signed and refuse the others.
        kernel.shuffle(order, np.uint64(kernel.address(seed, game, round, 0, DEAL)))
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
        if not 0 <= cards <= len(self.cards):
            raise NotLegalHere(f"{cards} cards cannot be dealt from {len(self.cards)}")
        return Hand(self.cards[:cards]), type(self)(self.cards[cards:])

    def __str__(self) -> str:
        return " ".join(map(str, self.cards))

    def __repr__(self) -> str:
        return f"Deck.parse('{self}')"


def random_hands(many: int, cards: int, seed: int) -> NDArray[np.int64]:
    """Return [many] masks of hands of ``cards`` cards, uniform and independent.

    >>> [len(Hand.from_mask(int(mask))) for mask in random_hands(3, 10, seed=1)]
    [10, 10, 10]
    """
    if not (many >= 0 and 0 <= cards <= 52):
        raise NotLegalHere(f"{many} hands of {cards} cards cannot be dealt")
    hands: NDArray[np.int64] = kernel.random_hands(many, cards, seed)
    return hands
