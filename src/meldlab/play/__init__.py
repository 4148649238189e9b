"""What every game and player speaks: Game, State, View, Player, Table (the driver), Record.

A state knows everything and never leaves the table; a player is shown a view. An action is a value that prints as the text one
would type; ``view.parse`` reads that text back. All chance is addressed, so a game is its deal, its rules and its actions.
"""

from meldlab.play.batch import Batch, Count, wins_of
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, TimeLimit
from meldlab.play.protocol import Game, Player, RandomPlayer, Result, State, View
from meldlab.play.record import PERSON, Record
from meldlab.play.table import BrokenRecord, Played, Step, Table, replay

__all__ = [
    "PERSON",
    "Batch",
    "BrokenRecord",
    "Chance",
    "Clock",
    "Count",
    "Deal",
    "Game",
    "Played",
    "Player",
    "RandomPlayer",
    "Record",
    "Result",
    "State",
    "Step",
    "Table",
    "TimeLimit",
    "View",
    "replay",
    "wins_of",
]
