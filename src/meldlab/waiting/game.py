"""The waiting game: draw a card from the bag, put one back, until the hand reaches its goal."""

import re
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Self

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.cards.classes import NO_CARDS
from meldlab.cards.kernel import Numbering
from meldlab.errors import BadText, NotLegalHere, NotPossible, whole_number
from meldlab.melds import Aces
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel
from meldlab.waiting.goal import GIN, Goal

__all__ = ["FEWEST", "MOST", "Waiting"]

FEWEST, MOST = 3, 10
PIECE = 1 << 16  # classes of the first piece of any work
PRINTED = re.compile(r"([0-9]{1,9}) cards, aces (\w+), ([^,]+)(?:, without (.+))?", re.ASCII)
MOST_CLASSES = 1 << 32  # of hands before a discard, which have numbers of 32 bits


@dataclass(frozen=True)
class Waiting:
    """The rules of one waiting game: cards in hand, ace rule, goal, and cards that are out of play.

    >>> game = Waiting(3)
    >>> game.bag, game.hands, game.small.classes
    (49, 22100, 1755)
    >>> str(Waiting(4, "both", Goal.parse("knock:10"), Hand.parse("2H 2D")))
    '4 cards, aces both, knock:10, without 2D 2H'
    >>> Waiting.parse("3 cards, aces low, gin") == Waiting(3)
    True
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
        object.__setattr__(self, "cards", whole_number(self.cards, "number of cards in a hand", FEWEST, MOST))
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
    def small(self) -> Numbering:
        """Return how the hands are numbered."""
        return classes.numbering(self.cards, self.dead)

    @cached_property
    def large(self) -> Numbering:
        """Return how the hands with one card more are numbered, before the discard; the kernels do it in 32 bits."""
        found = classes.numbering(self.cards + 1, self.dead)
        if found.classes > MOST_CLASSES:
            raise NotPossible(f"dead cards make {found.classes:,} classes of {self.cards + 1}-card hands; {MOST_CLASSES:,} can be solved")
        return found

    @cached_property
    def space(self) -> kernel.Space:
        """Return the hands and the draws as the kernels read them."""
        alive = np.array([0x1FFF & ~lane for lane in self.dead.suit_masks], np.int64)
        return kernel.Space(self.small, self.large, alive, float(self.bag))

    def mark_goals(self) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
        """Return E of every class before anything is known, 0 at the goal, infinity elsewhere, and how many hands are in it."""
        expected, orbits = np.empty(self.small.classes), np.empty(self.small.classes, np.int16)
        leftovers, limit = self.goal.leftovers(self.aces)

        def mark(first: int, many: int) -> None:
            kernel.mark_goals(first, many, expected, orbits, leftovers, limit, self.small)

        run_on_cores(mark, self.small.classes, size=PIECE)
        return expected, orbits

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a game as it prints itself."""
        parts = PRINTED.fullmatch(text)
        if parts is None:
            raise BadText("a waiting game reads like '4 cards, aces both, knock:10, without 2D 2H' or '3 cards, aces low, gin'", text, 0)
        return cls(int(parts[1]), parts[2], Goal.parse(parts[3]), Hand.parse(parts[4] or ""))

    def __str__(self) -> str:
        without = f", without {self.dead}" if self.dead else ""
        return f"{self.cards} cards, aces {self.aces}, {self.goal}{without}"
