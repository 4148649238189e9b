"""Players of any RECYCLE game.

>>> parse("mcts:200").simulations, parse("random").name
(200, 'random')
>>> parse("clever")
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no player 'clever' (use random, pimc, mcts, ismcts)
"""

from meldlab.errors import NoSuchThing
from meldlab.play import RandomPlayer
from meldlab.recycle.players.search_player import ALGORITHMS, FINAL_POLICIES, MEMORIES, REWARDS, SearchPlayer

__all__ = ["ALGORITHMS", "FINAL_POLICIES", "MEMORIES", "NAMES", "REWARDS", "SearchPlayer", "parse"]

NAMES = ("random", *ALGORITHMS)


def parse(text: str, simulations: int = 1000, memory: str = "private") -> "RandomPlayer | SearchPlayer":
    """Return the player of a text; the numbers are those of a search player that does not say otherwise."""
    name = text.partition(":")[0].strip()
    if name not in NAMES:
        raise NoSuchThing("player", name, list(NAMES))
    player = SearchPlayer.parse(text, simulations, memory, name="pimc" if name == "random" else name)
    return RandomPlayer() if name == "random" else player
