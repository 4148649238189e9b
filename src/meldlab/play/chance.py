"""Random draws of a game: a deal for the cards, an address for every decision of a player.

>>> Deal(seed=7, number=3).deck(round=0) == Deal(seed=7, number=3).deck(round=1)
False
>>> deal = Deal(seed=7, number=3)
>>> deal.chance(step=12, seat=0).below(6) == deal.chance(step=12, seat=0).below(6)
True
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple, TypeVar

from meldlab.cards import Deck
from meldlab.chance import Purpose, check_seed
from meldlab.chance.kernel import MAX_SEATS, address, below, decision, draw, player_root
from meldlab.chance.kernel_purpose import MAX_PURPOSES
from meldlab.errors import NotLegalHere, whole_number

__all__ = ["MAX_SEATS", "Chance", "Deal"]

T = TypeVar("T")
CHOICE = int(Purpose.CHOICE)
MAX_BOUND = 2**32  # the kernel scales 32 random bits


@dataclass(frozen=True)
class Deal:
    """The cards of a game: deal ``number`` of ``seed``, or the decks that are ``given``."""

    seed: int = 0
    number: int = 0
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "number", whole_number(self.number, "number of a game"))

    def deck(self, round: int, pack: Sequence[int] = range(52)) -> Deck:
        """Return the deck of a round: the given one, or the shuffled cards of the ``pack``."""
        if round < len(self.given):
            return Deck.parse(self.given[round])
        return Deck.shuffled(self.seed, self.number, round, pack)

    def below(self, bound: int, round: int, purpose: Purpose) -> int:
        """Return a draw of the deal, such as the starting seat, from 0 to ``bound`` - 1; ``bound`` is 1 to 2^32."""
        return int(below(address(self.seed, self.number, round, 0, int(purpose)), 0, whole_number(bound, "bound", 1, MAX_BOUND)))

    def stream(self, purpose: Purpose) -> Random:
        """Return a stream of draws of the deal, such as the order of the tiles."""
        return Random(int(address(self.seed, self.number, 0, 0, int(purpose))))

    @cached_property
    def root(self) -> int:
        """Return the root of the draws of all players; the cards cannot be computed from it."""
        return int(player_root(self.seed, self.number))

    def chance(self, step: int, seat: int) -> "Chance":
        """Return the draws of the player in ``seat`` for action ``step`` of the game."""
        return Chance(self.root, step, seat)


class Chance(NamedTuple):
    """The draws of one decision: the player in ``seat`` chooses action ``step`` of a game.

    It has the root of the players' draws and not the seed, so that a player cannot compute the deck.

    >>> chance = Deal(seed=1).chance(step=0, seat=0)
    >>> chance.pick("abc") in "abc", 0 <= chance.below(10, purpose=2, nth=5) < 10
    (True, True)
    """

    root: int
    step: int
    seat: int

    def key(self, purpose: int = CHOICE) -> int:
        """Return the address of the draws for a purpose, the same as in kernels; own players use purposes below 100."""
        root, step, seat = self
        if not (0 <= seat < MAX_SEATS and 0 <= purpose < MAX_PURPOSES):
            raise _no_address(seat, purpose)
        return int(decision(root, step, seat, int(purpose)))

    def below(self, bound: int, purpose: int = CHOICE, nth: int = 0) -> int:
        """Return the ``nth`` draw for a purpose, an integer from 0 to ``bound`` - 1; ``bound`` is 1 to 2^32, ``stream`` draws larger ones.

        The probabilities of two integers differ by at most 2^-32.

        >>> Deal(seed=1).chance(step=0, seat=0).below(0)
        Traceback (most recent call last):
            ...
        meldlab.errors.NotLegalHere: bound must be a whole number from 1 to 4294967296, not 0
        """
        return int(below(self.key(purpose), nth, whole_number(bound, "bound", 1, MAX_BOUND)))

    def pick(self, options: Sequence[T], purpose: int = CHOICE) -> T:
        """Return one of the options, each equally likely."""
        root, step, seat = self
        # Inlined: another call would slow down random players.
        if not (0 <= seat < MAX_SEATS and 0 <= purpose < MAX_PURPOSES):
            raise _no_address(seat, purpose)
        return options[draw(root, step, seat, purpose + 0, 0, len(options))]

    def stream(self, purpose: int = CHOICE) -> Random:
        """Return a stream of draws, for players that need thousands of them."""
        return Random(self.key(purpose))


def _no_address(seat: int, purpose: int) -> NotLegalHere:
    if 0 <= purpose < MAX_PURPOSES:
        return NotLegalHere(f"no draws for seat {seat}: there are {MAX_SEATS} seats at most")
    return NotLegalHere(f"a purpose is a number from 0 to {MAX_PURPOSES - 1}, not {purpose}")
