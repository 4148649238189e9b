"""What every game and player speaks: Game, State, View, Action, Player, Table (the driver), Record.

A state knows everything and never leaves the table; a player is shown a view. An action is a value that prints as the text one
would type; ``state.parse`` reads that text back. All chance is addressed, so a game is its deal, its rules and its actions.
"""

from meldlab.play.chance import Chance, Deal
from meldlab.play.protocol import Action, Game, Player, RandomPlayer, Result, State, View
from meldlab.play.record import Record
from meldlab.play.table import Broken, Played, Table, replay

__all__ = [
    "Action",
    "Broken",
    "Chance",
    "Deal",
    "Game",
    "Played",
    "Player",
    "RandomPlayer",
    "Record",
    "Result",
    "State",
    "Table",
    "View",
    "replay",
]
