"""The games of the house: which game a record is of, and how each reads its players.

>>> from meldlab.play import Record
>>> game_of(Record("gin", {"preset": "oklahoma"}, ("you", "simple"))).rule.oklahoma
True
>>> player_of(game_of(Record("rummikub", {}, ("you", "greedy"))), "greedy").name
'greedy'
"""

from typing import Any, NamedTuple

from meldlab.digests import load_object
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Game, Player, Record

__all__ = ["GAMES", "game_of", "kind_of", "player_of", "stand_in"]


class KnownGame(NamedTuple):
    """A kind of game by where it is defined, where its players are read, and one of them; loaded when it is asked for."""

    game: str
    parse: str
    plain: str


GAMES = {
    "gin": KnownGame("meldlab.gin.match:Gin", "meldlab.gin.players:parse", "simple"),
    "rummikub": KnownGame("meldlab.rummikub.game:Rummikub", "meldlab.rummikub.players:find_player", "greedy"),
    "recycle": KnownGame("meldlab.recycle.game:Described", "meldlab.recycle.players:parse", "random"),
}


def kind_of(record: Record) -> str:
    """Return under which name of GAMES a record falls; one that holds a description is of a described game."""
    return "recycle" if "description" in record.rules else record.game


def game_of(record: Record) -> Game[Any]:
    """Return the game that a record was played by, under its rules."""
    name = kind_of(record)
    if name not in GAMES:
        raise NoSuchThing("game", record.game, [*list(GAMES)[:-1], "a described game with its description"])
    game: type[Game[Any]] = load_object(GAMES[name].game)
    return game.read(record.rules)


def player_of(game: Game[Any], text: str) -> Player[Any, Any]:
    """Return the player that a text names for this game."""
    player: Player[Any, Any] = load_object(_known(game).parse)(text)
    return player


def stand_in(game: Game[Any]) -> Player[Any, Any]:
    """Return a player that uses what players of this game use."""
    return player_of(game, _known(game).plain)


def _known(game: Game[Any]) -> KnownGame:
    kind = f"{type(game).__module__}:{type(game).__qualname__}"
    for known in GAMES.values():
        if known.game == kind:
            return known
    raise NotLegalHere(f"{game.name} has no players by name")
