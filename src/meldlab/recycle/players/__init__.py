"""Players of any described game.

>>> parse("mcts:200").simulations, parse("random").name
(200, 'random')
>>> parse("clever")
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no player 'clever' (use random, pimc, mcts, ismcts)
"""

from collections.abc import Sequence

from meldlab.errors import NotLegalHere
from meldlab.recycle.players.searcher import KINDS, LEVELS, POLICIES, REWARDS, Searcher

__all__ = ["KINDS", "LEVELS", "POLICIES", "REWARDS", "Searcher", "one_per_seat", "parse"]

parse = Searcher.parse


def one_per_seat(names: Sequence[str], seats: int) -> list[str]:
    """Return the name of a player for each seat, from as many names or from one.

    >>> one_per_seat(["random"], 3)
    ['random', 'random', 'random']
    """
    if len(names) not in (1, seats):
        raise NotLegalHere(f"the game has {seats} seats, not {len(names)}")
    return list(names) * (seats // len(names))
