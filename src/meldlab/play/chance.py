"""Where chance comes from: a deal for the cards, an address for every decision of a player.

>>> Deal(seed=7, game=3).deck(round=0) == Deal(seed=7, game=3, turned=1).deck(round=0)
True
>>> Chance(seed=7, game=3, step=12, seat=0).below(6) == Chance(seed=7, game=3, step=12, seat=0).below(6)
True
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from meldlab.cards import Deck
from meldlab.cards.kernel import address
from meldlab.play.kernel import draw

__all__ = ["MOST_SEATS", "Chance", "Deal"]

T = TypeVar("T")
MOST_SEATS = 16


@dataclass(frozen=True)
class Deal:
    """Which cards a game is dealt: game ``game`` of seed ``seed``, or the ones ``given``.

    ``turned`` mirrors a deal: each seat gets what the seat ``turned`` places before it would have got.
    """

    seed: int = 0
    game: int = 0
    turned: int = 0
    given: tuple[str, ...] = ()

    def deck(self, round: int) -> Deck:
        """Return the deck that round ``round`` is dealt from: the one given for it, or a shuffled one."""
        if round < len(self.given):
            return Deck.parse(self.given[round])
        return Deck.shuffled(self.seed, self.game, round)

    def below(self, bound: int, round: int, purpose: int) -> int:
        """Return a draw that belongs to the deal, such as who starts; ``purpose`` tells such draws apart and is not 0."""
        return int(draw(self.seed, self.game, round, 0, purpose, 0, bound))


@dataclass(frozen=True)
class Chance:
    """The draws of one decision: the player in ``seat`` chooses action ``step`` of a game.

    >>> chance = Chance(seed=1, game=0, step=0, seat=0)
    >>> chance.pick("abc") in "abc", 0 <= chance.below(10, purpose=2, nth=5) < 10
    (True, True)
    """

    seed: int
    game: int
    step: int
    seat: int
    turned: int = 0

    def key(self, purpose: int = 1) -> int:
        """Return the address of the draws for one purpose; a kernel that plays the same game computes the same one."""
        return int(address(self.seed, self.game, self.step, MOST_SEATS * self.turned + self.seat, purpose))

    def below(self, bound: int, purpose: int = 1, nth: int = 0) -> int:
        """Return the ``nth`` draw for a purpose, an integer in 0 .. bound - 1."""
        return int(draw(self.seed, self.game, self.step, MOST_SEATS * self.turned + self.seat, purpose, nth, bound))

    def pick(self, options: Sequence[T], purpose: int = 1) -> T:
        """Return one of the options, each equally likely."""
        return options[self.below(len(options), purpose)]

    def stream(self, purpose: int = 1) -> Random:
        """Return a stream of draws, for players that need thousands."""
        return Random(self.key(purpose))
