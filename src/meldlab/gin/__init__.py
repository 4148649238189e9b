"""Gin rummy: rules, round, match, players, and a kernel that plays batches.

>>> from meldlab.gin import Gin, players
>>> from meldlab.play import Deal, Table
>>> Table(Gin(), [players.parse("simple"), players.parse("random")]).play(Deal(seed=1)).result.winners
(0,)
"""

from meldlab.gin.match import Gin, Match
from meldlab.gin.move import Move, Verb
from meldlab.gin.outcome import Outcome
from meldlab.gin.round import Round
from meldlab.gin.rules import MINI, PRESETS, Rules
from meldlab.gin.view import Phase, View

__all__ = ["MINI", "PRESETS", "Gin", "Match", "Move", "Outcome", "Phase", "Round", "Rules", "Verb", "View", "players"]

# Players import the modules above, so they come last.
from meldlab.gin import players
