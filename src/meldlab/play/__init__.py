"""Games at a table: the protocol of Game, State, View and Player, Table (the game loop) and Record.

A state has all cards and stays at the table; a player gets a view. An action prints as the text that a user types, and ``view.parse``
reads that text back. All random draws are addressed, so rules, deal and actions determine a game.
"""

from meldlab.play.batch import Batch, Count, win_shares
from meldlab.play.chance import Chance, Deal
from meldlab.play.clock import Clock, TimeLimit
from meldlab.play.protocol import Game, Player, RandomPlayer, Result, State, View
from meldlab.play.record import USER, Record
from meldlab.play.table import FinishedGame, InvalidRecord, Step, Table, replay

__all__ = [
    "USER",
    "Batch",
    "Chance",
    "Clock",
    "Count",
    "Deal",
    "FinishedGame",
    "Game",
    "InvalidRecord",
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
    "win_shares",
]
