"""Block Rummy written by hand in Python, from the rules and without RECYCLE.

Two players, ten cards each. A turn: draw from the stock or take the last discard; lay down at most one meld; lay off
single cards on any meld, as many as wished; discard, but not the card just taken unless it is the last one. The deal ends
when a hand or the stock is empty, and each player scores the cards left in hand.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

Card = tuple[int, int]  # suit 0 to 3, rank 1 to 13
Choose = Callable[[int], int]  # from the number of options to the one taken


@dataclass
class Deal:
    stock: list[Card]  # the last one is on top
    choose: Choose
    hands: tuple[list[Card], list[Card]] = field(default_factory=lambda: ([], []))
    discards: list[Card] = field(default_factory=list)
    books: list[list[Card]] = field(default_factory=list)
    runs: list[list[Card]] = field(default_factory=list)  # ascending
    asked: list[int] = field(default_factory=list)  # options of each decision
    seat: int = 0

    def pick(self, options: int) -> int:
        self.asked.append(options)
        return self.choose(options)

    def play(self) -> tuple[int, int]:
        for _ in range(10):
            for hand in self.hands:
                hand.append(self.stock.pop())
        self.discards.append(self.stock.pop())
        while self.stock and all(self.hands):
            self.turn(self.hands[self.seat])
            self.seat = 1 - self.seat
        return cost(self.hands[0]), cost(self.hands[1])

    def turn(self, hand: list[Card]) -> None:
        taken = self.draw(hand)
        self.meld(hand)
        while self.lay_off(hand):
            pass
        self.discard(hand, taken)

    def draw(self, hand: list[Card]) -> Card | None:
        from_stock = self.pick(2) == 0
        hand.append(self.stock.pop() if from_stock else self.discards.pop())
        return None if from_stock else hand[-1]

    def meld(self, hand: list[Card]) -> None:
        books = [[card for card in hand if card[1] == rank] for rank in dict.fromkeys(rank for _, rank in hand)]
        books = [book for book in books if len(book) >= 3]
        runs = all_runs(hand)
        choice = self.pick(1 + len(books) + len(runs)) - 1
        if choice < 0:
            return
        meld = (books + runs)[choice]
        (self.books if choice < len(books) else self.runs).append(meld)
        for card in meld:
            hand.remove(card)

    def lay_off(self, hand: list[Card]) -> bool:
        on_books = [(card, book) for book in self.books for card in hand if card[1] == book[0][1]]
        on_runs = [(card, run) for run in self.runs for card in hand if card in (above(run[-1]), below(run[0]))]
        choice = self.pick(1 + len(on_books) + len(on_runs)) - 1
        if choice < 0:
            return False
        card, meld = (on_books + on_runs)[choice]
        hand.remove(card)
        meld.append(card)
        if choice >= len(on_books):
            meld.sort()
        return True

    def discard(self, hand: list[Card], taken: Card | None) -> None:
        if not hand:
            self.pick(1)
            return
        loose = [card for card in hand if card != taken or len(hand) == 1]
        card = loose[self.pick(len(loose))]
        hand.remove(card)
        self.discards.append(card)


def cost(hand: list[Card]) -> int:
    return sum(min(rank, 10) for _, rank in hand)


def above(card: Card) -> Card:
    return card[0], card[1] + 1


def below(card: Card) -> Card:
    return card[0], card[1] - 1


def all_runs(hand: list[Card]) -> list[list[Card]]:
    """Return every run of three or more in the hand, by its highest card, the longest first."""
    runs = []
    for last in sorted(hand):
        run = [last]
        found = []
        while below(run[0]) in hand:
            run = [below(run[0]), *run]
            if len(run) >= 3:
                found.append(run)
        runs += found[::-1]
    return runs
