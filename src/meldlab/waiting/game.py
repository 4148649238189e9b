"""The waiting game: draw a card from the bag, put one back, until the hand reaches its goal."""

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.cards.classes import NO_CARDS, Tables
from meldlab.errors import NotLegalHere, whole
from meldlab.melds import Aces
from meldlab.waiting.goal import GIN, Goal

__all__ = ["FEWEST", "MOST", "Waiting"]

FEWEST, MOST = 3, 10
MOST_CLASSES = 1 << 32  # of hands before a discard, which have numbers of 32 bits


@dataclass(frozen=True)
class Waiting:
    """The rules of one waiting game: cards in hand, ace rule, goal, and cards that are out of play.

    >>> game = Waiting(3)
    >>> game.bag, game.hands, game.small.count
    (49, 22100, 1755)
    >>> str(Waiting(4, "both", Goal.parse("knock:10"), Hand.parse("2H 2D")))
    '4 cards, aces both, knock:10, without 2D 2H'
    """

    cards: int
    aces: Aces | str = Aces.LOW
    goal: Goal = GIN
    dead: Hand = NO_CARDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "aces", Aces.parse(self.aces))
        for name, value, kind in (("goal", self.goal, Goal), ("dead", self.dead, Hand)):
            if not isinstance(value, kind):
                raise NotLegalHere(f"{name} must be a {kind.__name__}, not {value!r} ({kind.__name__}.parse reads text)")
        object.__setattr__(self, "cards", whole(self.cards, "number of cards in a hand", FEWEST, MOST))
        if self.bag < 1:
            raise NotLegalHere(f"with {len(self.dead)} dead cards and {self.cards} in hand there is nothing to draw")

    @property
    def bag(self) -> int:
        """Return the number of cards that can be drawn."""
        return 52 - self.cards - len(self.dead)

    @property
    def hands(self) -> int:
        """Return the number of hands, suits told apart."""
        return comb(52 - len(self.dead), self.cards)

    @cached_property
    def small(self) -> Tables:
        """Return the class tables of the hands."""
        return classes.tables(self.cards, self.dead)

    @cached_property
    def large(self) -> Tables:
        """Return the class tables of the hands with one card more, before the discard; the kernels number them in 32 bits."""
        found = classes.tables(self.cards + 1, self.dead)
        if found.count > MOST_CLASSES:
            raise NotLegalHere(f"dead cards make {found.count:,} classes of {self.cards + 1}-card hands; {MOST_CLASSES:,} can be solved")
        return found

    @cached_property
    def alive(self) -> NDArray[np.int64]:
        """Return [4] int64, the ranks of each suit that are in play."""
        return np.array([0x1FFF & ~lane for lane in self.dead.lanes], np.int64)

    def __str__(self) -> str:
        without = f", without {self.dead}" if self.dead else ""
        return f"{self.cards} cards, aces {self.aces}, {self.goal}{without}"
