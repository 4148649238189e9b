"""Players of any RECYCLE game.

>>> parse("mcts:200").simulations, parse("random").name
(200, 'random')
>>> parse("random:last").name
'random:last'
>>> parse("clever")
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no player 'clever' (use random, pimc, mcts, ismcts)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Chance, RandomPlayer, View
from meldlab.recycle.players.search_player import ALGORITHMS, FINAL_POLICIES, MEMORIES, REWARDS, SearchPlayer

__all__ = [
    "ALGORITHMS",
    "FINAL_POLICIES",
    "MEMORIES",
    "NAMES",
    "REWARDS",
    "LastOptionPlayer",
    "SearchPlayer",
    "one_per_seat",
    "parse",
    "parse_batch_player",
]

NAMES = ("random", *ALGORITHMS)
LAST_OPTION = "random:last"


@dataclass(frozen=True)
class LastOptionPlayer:
    """A player that takes the last option with probability 0.8, otherwise a uniformly random one; ``recycle check`` simulates it, too."""

    name: str = LAST_OPTION

    def choose(self, view: View[Any], chance: Chance) -> Any:
        """Return an option."""
        options = view.legal_actions()
        return options[-1] if chance.below(5, nth=1) else chance.pick(options)


def parse(text: str) -> LastOptionPlayer | RandomPlayer | SearchPlayer:
    """Return the player of a text."""
    return LastOptionPlayer() if text.strip() == LAST_OPTION else parse_batch_player(text)


def parse_batch_player(text: str, simulations: int = 1000, memory: str = "private") -> RandomPlayer | SearchPlayer:
    """Return the player of a text, one that plays in batches; the numbers are those of a search player that does not say otherwise."""
    name = text.partition(":")[0].strip()
    if name not in NAMES:
        raise NoSuchThing("player", name, list(NAMES))
    player = SearchPlayer.parse(text, simulations, memory, name="pimc" if name == "random" else name)
    return RandomPlayer() if name == "random" else player


def one_per_seat(names: Sequence[str], seats: int) -> list[str]:
    """Return the name of a player for each seat, from as many names or from one.

    >>> one_per_seat(["random"], 3)
    ['random', 'random', 'random']
    """
    if len(names) not in (1, seats):
        raise NotLegalHere(f"the game has {seats} seats, not {len(names)}")
    return list(names) * (seats // len(names))
