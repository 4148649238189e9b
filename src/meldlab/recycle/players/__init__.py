"""Players of any described game.

>>> parse("mcts:200").simulations, parse("random").name
(200, 'random')
>>> parse("clever")
Traceback (most recent call last):
    ...
meldlab.errors.NoSuchThing: no player 'clever' (use random, pimc, mcts, ismcts)
"""

from meldlab.recycle.players.searcher import KINDS, LEVELS, POLICIES, REWARDS, Searcher

__all__ = ["KINDS", "LEVELS", "POLICIES", "REWARDS", "Searcher", "parse"]

parse = Searcher.parse
