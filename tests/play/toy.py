"""A game small enough to see through: two cards each, swap one with the stock if you like, the highest card wins."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Chance, Deal, Result


@dataclass(frozen=True)
class Swap:
    """Give a card away for the top of the stock, or stand."""

    card: Card | None

    def __str__(self) -> str:
        return f"swap {self.card}" if self.card else "stand"


@dataclass(frozen=True)
class Look:
    """A seat's own cards, and how many lie in the stock."""

    seat: int
    hand: Hand
    stock: int
    acting: bool

    def legal_actions(self) -> list[Swap]:
        return [Swap(card) for card in (*self.hand, None) if self.acting]

    def parse(self, text: str) -> Swap:
        verb, _, cards = text.partition(" ")
        if verb not in ("swap", "stand"):
            raise NoSuchThing("action", verb, ["swap", "stand"])
        return Swap(Card.parse(cards.split(" for ")[0]) if verb == "swap" else None)

    def verify(self, action: Swap) -> None:
        if not self.acting or type(action) is not Swap or type(getattr(action, "card", self)) not in (Card, type(None)):
            raise NotLegalHere("not possible now")
        if action.card is not None and action.card not in self.hand:
            raise NotLegalHere(f"{action.card} is not in the hand")


@dataclass(frozen=True)
class Cards:
    hands: tuple[Hand, ...]
    stock: tuple[Card, ...]
    turn: int = 0

    @property
    def seat(self) -> int | None:
        return self.turn if self.turn < len(self.hands) else None

    @property
    def result(self) -> Result | None:
        if self.seat is not None:
            return None
        scores = tuple(max(card.index % 13 for card in hand) for hand in self.hands)
        return Result(scores, tuple(seat for seat, score in enumerate(scores) if score == max(scores)), "highest card")

    def apply(self, action: Swap) -> Self:
        self.view(min(self.turn, len(self.hands) - 1)).verify(action)
        if action.card is None:
            return replace(self, turn=self.turn + 1)
        hand = (self.hands[self.turn] - {action.card}) | {self.stock[0]}
        hands = (*self.hands[: self.turn], Hand(hand), *self.hands[self.turn + 1 :])
        return replace(self, hands=hands, stock=self.stock[1:], turn=self.turn + 1)

    def describe(self, action: Swap, seat: int | None = None) -> str:
        return f"{action} for {self.stock[0]}" if action.card and seat in (None, self.seat) else str(action)

    def view(self, seat: int) -> Look:
        return Look(seat, self.hands[seat], len(self.stock), seat == self.seat)

    def forfeit(self, seat: int, why: str) -> Result:
        others = [other for other in range(len(self.hands)) if other != seat]
        return Result(tuple(-1 if other == seat else 12 for other in range(len(self.hands))), tuple(others), why)

    def redeal(self, seat: int, chance: Chance) -> Self:
        unseen = [card for card in CARDS if card not in self.hands[seat]]
        chance.stream().shuffle(unseen)
        hands = [self.hands[seat] if other == seat else Hand(unseen[2 * other : 2 * other + 2]) for other in range(len(self.hands))]
        dealt = {card for hand in hands for card in hand}
        stock = [card for card in unseen if card not in dealt][: len(self.stock)]
        return replace(self, hands=tuple(hands), stock=tuple(stock))


@dataclass(frozen=True)
class HighCard:
    name: str = "high card"
    seats: range = range(2, 5)
    lowest_wins: ClassVar[bool] = False

    def rules(self) -> dict[str, bool]:
        return {"swap": True}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        assert rules == {"swap": True}
        return cls()

    def start(self, seats: int, deal: Deal) -> Cards:
        deck = deal.deck(0).cards
        return Cards(tuple(Hand(deck[2 * seat : 2 * seat + 2]) for seat in range(seats)), deck[2 * seats :])
