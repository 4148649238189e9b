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
from meldlab.melds.arrangement import ONE_EACH, leftovers
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel

MIN_CARDS, MAX_CARDS = 3, 10
MAX_DEADWOOD = 100
CHUNK = 1 << 16  # classes of the first chunk of any work
PRINTED = re.compile(r"([0-9]{1,9}) cards, aces (\w+), ([^,]+)(?:, without (.+))?", re.ASCII)
MAX_CLASSES = 1 << 32  # of hands before a discard, which have numbers of 32 bits


@dataclass(frozen=True)
class Goal:
    """What the hand waits for: gin (every card melded) or, with ``knock``, that much deadwood at most.

    >>> Goal.parse("knock:10"), str(Goal.parse("gin"))
    (Goal(knock=10), 'gin')
    """

    knock: int | None = None

    def __post_init__(self) -> None:
        if self.knock is not None:
            object.__setattr__(self, "knock", whole_number(self.knock, "the deadwood of a knock", maximum=MAX_DEADWOOD))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``gin`` or ``knock:K``."""
        if text == "gin":
            return cls()
        word, _, number = text.partition(":")
        if word != "knock":
            raise BadText(f"no goal {text!r} (use gin or knock:K)", text, 0)
        if not (number.isascii() and number.isdigit() and len(number) <= 3 and int(number) <= MAX_DEADWOOD):
            raise BadText(f"the deadwood of a knock is a whole number from 0 to {MAX_DEADWOOD}", text, len("knock:"))
        return cls(int(number))

    def __str__(self) -> str:
        return "gin" if self.knock is None else f"knock:{self.knock}"

    def leftovers(self, aces: Aces | str) -> tuple[NDArray[np.uint16], int]:
        """Return the leftovers (melds.kernel) for the kernels and the most points that reach the goal."""
        return (leftovers(aces, ONE_EACH), 0) if self.knock is None else (leftovers(aces), self.knock)


GIN = Goal()


@dataclass(frozen=True)
class WaitingGame:
    """The rules of one waiting game: cards in hand, ace rule, goal, and cards that are out of play.

    >>> game = WaitingGame(3)
    >>> game.bag, game.hands, game.numbering.classes
    (49, 22100, 1755)
    >>> str(WaitingGame(4, "both", Goal.parse("knock:10"), Hand.parse("2H 2D")))
    '4 cards, aces both, knock:10, without 2D 2H'
    >>> WaitingGame.parse("3 cards, aces low, gin") == WaitingGame(3)
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
        object.__setattr__(self, "cards", whole_number(self.cards, "number of cards in a hand", MIN_CARDS, MAX_CARDS))
        if self.bag < 1:
            raise NotLegalHere(f"with {len(self.dead)} dead cards and {self.cards} in hand there is nothing to draw")

    @property
    def bag(self) -> int:
        """Return the number of cards that can be drawn."""
        return 52 - self.cards - len(self.dead)

    @property
    def hands(self) -> int:
        """Return the number of hands, suits distinguished."""
        return comb(52 - len(self.dead), self.cards)

    @cached_property
    def numbering(self) -> Numbering:
        """Return the numbering of the hands between turns."""
        return classes.numbering(self.cards, self.dead)

    @cached_property
    def drawn_numbering(self) -> Numbering:
        """Return the numbering of the hands with one card more, before the discard; the kernels use 32 bits for it."""
        numbering = classes.numbering(self.cards + 1, self.dead)
        if numbering.classes > MAX_CLASSES:
            raise NotPossible(
                f"dead cards make {numbering.classes:,} classes of {self.cards + 1}-card hands; {MAX_CLASSES:,} can be solved"
            )
        return numbering

    @cached_property
    def space(self) -> kernel.Space:
        """Return the hands and the draws as the kernels read them."""
        alive = np.array([0x1FFF & ~mask for mask in self.dead.suit_masks], np.int64)
        return kernel.Space(self.numbering, self.drawn_numbering, alive, float(self.bag))

    def mark_goals(self) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
        """Return E of every class before solving, 0 at the goal and infinity elsewhere, and the number of hands in each class."""
        expected, orbits = np.empty(self.numbering.classes), np.empty(self.numbering.classes, np.int16)
        leftovers, limit = self.goal.leftovers(self.aces)
        run_on_cores(kernel.mark_goals, self.numbering.classes, expected, orbits, leftovers, limit, self.numbering, size=CHUNK)
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
