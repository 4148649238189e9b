"""Where chance comes from: a deal for the cards, an address for every decision of a player.

>>> Deal(seed=7, game=3).deck(round=0) == Deal(seed=7, game=3).deck(round=1)
False
>>> deal = Deal(seed=7, game=3)
>>> deal.chance(step=12, seat=0).below(6) == deal.chance(step=12, seat=0).below(6)
True
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple, TypeVar

from meldlab.cards import Deck
from meldlab.chance import Purpose, verified
from meldlab.chance.kernel import MOST_SEATS, address, below, decision, draw, root_of
from meldlab.chance.kernel_purpose import MOST_PURPOSES
from meldlab.errors import NotLegalHere, whole_number

__all__ = ["MOST_SEATS", "Chance", "Deal"]

T = TypeVar("T")
CHOICE = int(Purpose.CHOICE)


@dataclass(frozen=True)
class Deal:
    """Which cards a game is dealt: game ``game`` of seed ``seed``, or the ones ``given``."""

    seed: int = 0
    game: int = 0
    given: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", verified(self.seed))
        object.__setattr__(self, "game", whole_number(self.game, "number of a game"))

    def deck(self, round: int, pack: Sequence[int] = range(52)) -> Deck:
        """Return the deck that round ``round`` is dealt from: the one given for it, or the cards of the ``pack`` shuffled."""
        if round < len(self.given):
            return Deck.parse(self.given[round])
        return Deck.shuffled(self.seed, self.game, round, pack)

    def below(self, bound: int, round: int, purpose: Purpose) -> int:
        """Return a draw that belongs to the deal, such as who starts."""
        return int(below(address(self.seed, self.game, round, 0, int(purpose)), 0, bound))

    def stream(self, purpose: Purpose) -> Random:
        """Return a stream of draws that belong to the deal, such as the order of the tiles."""
        return Random(int(address(self.seed, self.game, 0, 0, int(purpose))))

    @cached_property
    def root(self) -> int:
        """Return where the draws of all players hang; the cards cannot be told from it."""
        return int(root_of(self.seed, self.game))

    def chance(self, step: int, seat: int) -> "Chance":
        """Return the draws of the player in ``seat`` for action ``step`` of the game."""
        return Chance(self.root, step, seat)


class Chance(NamedTuple):
    """The draws of one decision: the player in ``seat`` chooses action ``step`` of a game.

    It carries the root of the players' draws and not the seed, so that a player who is given it is not given the deck.

    >>> chance = Deal(seed=1).chance(step=0, seat=0)
    >>> chance.pick("abc") in "abc", 0 <= chance.below(10, purpose=2, nth=5) < 10
    (True, True)
    """

    root: int
    step: int
    seat: int

    def key(self, purpose: int = CHOICE) -> int:
        """Return the address of the draws for one purpose, the own ones below 100; a kernel that plays the same game has the same one."""
        root, step, seat = self
        if not (0 <= seat < MOST_SEATS and 0 <= purpose < MOST_PURPOSES):
            raise _no_address(seat, purpose)
        return int(decision(root, step, seat, int(purpose)))

    def below(self, bound: int, purpose: int = CHOICE, nth: int = 0) -> int:
        """Return the ``nth`` draw for a purpose, an integer in 0 .. bound - 1."""
        return int(below(self.key(purpose), nth, bound))

    def pick(self, options: Sequence[T], purpose: int = CHOICE) -> T:
        """Return one of the options, each equally likely."""
        root, step, seat = self
        # Written out: a call more is felt by whoever plays at random.
        if not (0 <= seat < MOST_SEATS and 0 <= purpose < MOST_PURPOSES):
            raise _no_address(seat, purpose)
        return options[draw(root, step, seat, purpose + 0, 0, len(options))]

    def stream(self, purpose: int = CHOICE) -> Random:
        """Return a stream of draws, for players that need thousands."""
        return Random(self.key(purpose))


def _no_address(seat: int, purpose: int) -> NotLegalHere:
    if 0 <= purpose < MOST_PURPOSES:
        return NotLegalHere(f"no draws for seat {seat}: there are {MOST_SEATS} seats at most")
    return NotLegalHere(f"a purpose is a number from 0 to {MOST_PURPOSES - 1}, not {purpose}")
