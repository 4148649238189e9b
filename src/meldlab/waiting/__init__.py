"""Waiting times in rummy: the expected turns to a complete hand, exact for every hand of three to ten cards.

>>> from meldlab.waiting import WaitingGame, solve
>>> solution = solve(WaitingGame(3))
>>> solution.summary().goal_hands, round(solution.summary().mean, 10)
(96, 17.5142727492)
"""

from meldlab.waiting.game import GIN, Goal, WaitingGame
from meldlab.waiting.solution import Discard, Exchange, Solution, Summary, UpcardChoice
from meldlab.waiting.solver import solve

__all__ = ["GIN", "Discard", "Exchange", "Goal", "Solution", "Summary", "UpcardChoice", "WaitingGame", "solve"]
