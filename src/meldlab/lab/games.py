"""Which game a record is of.

>>> from meldlab.play import Record
>>> game_of(Record("gin", {"preset": "oklahoma"}, ("you", "simple"))).rule.oklahoma
True
"""

from typing import Any

from meldlab.errors import NoSuchThing
from meldlab.gin import Gin
from meldlab.play import Game, Record
from meldlab.recycle.game import Described
from meldlab.rummikub.game import Rummikub

__all__ = ["GAMES", "game_of"]

GAMES: dict[str, type[Game[Any]]] = {"gin": Gin, "rummikub": Rummikub}


def game_of(record: Record) -> Game[Any]:
    """Return the game that a record was played by, under its rules; one that holds a description is of a described game."""
    if "description" in record.rules:
        return Described.read(record.rules)
    if record.game not in GAMES:
        raise NoSuchThing("game", record.game, [*GAMES, "a described game with its description"])
    return GAMES[record.game].read(record.rules)
