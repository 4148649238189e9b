"""One round: a pile shuffled by a seed, drawn from the top until the player stops.

>>> round = Round.shuffled(Urn(26, 26), seed=7)
>>> round.draw().draw().drawn
2
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from meldlab.cards import CARDS, Card, Suit
from meldlab.chance import Purpose, check_seed
from meldlab.chance.kernel import address, shuffle
from meldlab.errors import NotLegalHere, NotPossible, whole_number
from meldlab.stopping.results import Advice
from meldlab.stopping.urn import Urn

BLACKS = tuple(card for card in CARDS if card.suit in (Suit.CLUBS, Suit.SPADES))
REDS = tuple(card for card in CARDS if card.suit in (Suit.DIAMONDS, Suit.HEARTS))
MAX_CARDS = 100_000  # drawn one by one


@dataclass(frozen=True)
class Round:
    """A pile in its order and the number of drawn cards; ``order`` holds numbers, of which those below ``urn.black`` are black."""

    urn: Urn
    order: tuple[int, ...]
    drawn: int = 0

    @classmethod
    def shuffled(cls, urn: Urn, seed: int, game: int = 0) -> Self:
        """Return the pile that ``seed`` gives, the same on every machine."""
        if urn.black + urn.red > MAX_CARDS:
            raise NotPossible(f"{urn.black + urn.red} cards are too many to draw by hand (at most {MAX_CARDS:,})")
        order = np.arange(urn.black + urn.red)
        shuffle(order, np.uint64(address(check_seed(seed), whole_number(game, "game"), 0, 0, int(Purpose.DEAL))))
        return cls(urn, tuple(order.tolist()))

    @property
    def black(self) -> int:
        """Return how many of the drawn cards are black."""
        return sum(number < self.urn.black for number in self.order[: self.drawn])

    @property
    def remaining(self) -> Urn:
        """Return the cards that are still face down."""
        return self.urn.remaining(self.drawn, self.black)

    @property
    def over(self) -> bool:
        """Return whether no card is left."""
        return self.drawn == len(self.order)

    @property
    def last_card(self) -> Card | str:
        """Return the card drawn last: a card of a deck for at most 26 of each colour, otherwise its colour."""
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
        """Return the decision of the best policy."""
        return self.urn.advise(self.drawn, self.black)

    def finish(self) -> Self:
        """Return the round where the best policy stops on this order."""
        policy, round = self.urn.policy(), self
        while not policy.stops_at(round.remaining.black, round.remaining.red):
            round = round.draw()
        return round
