"""One game at the table: a pile in the order that a seed gives, drawn from the top until one stops.

>>> pile = Sitting.shuffled(Urn(26, 26), seed=7)
>>> pile.draw().draw().drawn
2
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from meldlab.cards import CARDS, Card, Suit
from meldlab.chance import Purpose, check_seed
from meldlab.chance.kernel import address, shuffle
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.stopping.answers import Advice
from meldlab.stopping.urn import Urn

__all__ = ["Sitting"]

BLACKS = tuple(card for card in CARDS if card.suit in (Suit.CLUBS, Suit.SPADES))
REDS = tuple(card for card in CARDS if card.suit in (Suit.DIAMONDS, Suit.HEARTS))
MOST_CARDS = 100_000  # nobody draws more by hand


@dataclass(frozen=True)
class Sitting:
    """A pile in its order and how many of its cards are drawn; ``order`` holds numbers, of which those below ``urn.black`` are black."""

    urn: Urn
    order: tuple[int, ...]
    drawn: int = 0

    @classmethod
    def shuffled(cls, urn: Urn, seed: int, game: int = 0) -> Self:
        """Return the pile that ``seed`` gives, the same on every machine."""
        if urn.black + urn.red > MOST_CARDS:
            raise NotPossible(f"{urn.black + urn.red} cards are too many to draw by hand (at most {MOST_CARDS:,})")
        order = np.arange(urn.black + urn.red)
        shuffle(order, np.uint64(address(check_seed(seed), whole_number(game, "game"), 0, 0, int(Purpose.DEAL))))
        return cls(urn, tuple(order.tolist()))

    @property
    def black(self) -> int:
        """Return how many of the drawn cards are black."""
        return sum(number < self.urn.black for number in self.order[: self.drawn])

    @property
    def rest(self) -> Urn:
        """Return what is still face down."""
        return self.urn.rest(self.drawn, self.black)

    @property
    def over(self) -> bool:
        """Tell whether no card is left."""
        return self.drawn == len(self.order)

    @property
    def last_card(self) -> Card | str:
        """Return the card drawn last: a real one where 26 of a colour are enough, otherwise its colour."""
        if not 0 < self.drawn <= len(self.order):
            raise NotLegalHere("no card is drawn yet")
        number = self.order[self.drawn - 1]
        colour, cards = ("black", BLACKS) if number < self.urn.black else ("red", REDS)
        within = number if colour == "black" else number - self.urn.black
        return cards[within] if max(self.urn.black, self.urn.red) <= len(cards) else colour

    def draw(self) -> Self:
        """Turn the next card."""
        if self.over:
            raise NotLegalHere("no card is left to draw")
        return replace(self, drawn=self.drawn + 1)

    def advice(self) -> Advice:
        """Say what the best policy does here."""
        return self.urn.advise(self.drawn, self.black)

    def played_out(self) -> Self:
        """Return where the best policy stops on this very order, from here on."""
        best, pile = self.urn.policy(), self
        while not best.stops_at(pile.rest.black, pile.rest.red):
            pile = pile.draw()
        return pile
