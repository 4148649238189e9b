"""What every game and player speaks: Game, State, View, Action, Player, Table (the driver), Record.

A state knows everything and never leaves the table; a player is shown a view. An action is a value that prints as the text one
would type; ``state.parse`` reads that text back. All chance is addressed, so a game is its deal, its rules and its actions.
"""

from meldlab.play.batch import Batch, Count, wins_of
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, TimeLimit
from meldlab.play.protocol import Action, Game, Player, RandomPlayer, Result, State, View
from meldlab.play.record import Record
from meldlab.play.table import Broken, Forfeit, Played, Table, replay, step

__all__ = [
    "Action",
    "Batch",
    "Broken",
    "Chance",
    "Clock",
    "Count",
    "Deal",
    "Forfeit",
    "Game",
    "Played",
    "Player",
    "RandomPlayer",
    "Record",
    "Result",
    "State",
    "Table",
    "TimeLimit",
    "View",
    "replay",
    "step",
    "wins_of",
]
