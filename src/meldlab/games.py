"""The registry of games: the game of a record, and the parser of its players.

>>> from meldlab.play import Record
>>> load_game(Record("gin", {"preset": "oklahoma"}, ("you", "simple"))).rule.oklahoma
True
>>> parse_player(load_game(Record("rummikub", {}, ("you", "greedy"))), "greedy").name
'greedy'
"""

from typing import Any, NamedTuple

from meldlab.digests import load_object
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.play import Game, Player, Record


class KnownGame(NamedTuple):
    """Import paths of a game and of the parser of its players, and the default player; loaded on demand."""

    game: str
    parse: str
    default: str


GAMES = {
    "gin": KnownGame("meldlab.gin.match:Gin", "meldlab.gin.players:parse", "simple"),
    "rummikub": KnownGame("meldlab.rummikub.game:Rummikub", "meldlab.rummikub.players:find_player", "greedy"),
    "recycle": KnownGame("meldlab.recycle.game:RecycleGame", "meldlab.recycle.players:parse", "random"),
    "recycle match": KnownGame("meldlab.recycle.match:RecycleMatch", "meldlab.recycle.players:parse", "random"),
}


def game_kind(record: Record) -> str:
    """Return the name in ``GAMES`` of a record's game; one with a description is a RECYCLE game."""
    if "description" not in record.rules:
        return record.game
    return "recycle match" if "match" in record.rules else "recycle"


def load_game(record: Record) -> Game[Any]:
    """Return the game of a record, under its rules."""
    name = game_kind(record)
    if name not in GAMES:
        raise NoSuchThing("game", record.game, [*list(GAMES)[:-2], "a RECYCLE game with its description"])
    game: type[Game[Any]] = load_object(GAMES[name].game)
    return game.read(record.rules)


def parse_player(game: Game[Any], text: str) -> Player[Any, Any]:
    """Return the player of this game that a text names."""
    player: Player[Any, Any] = load_object(GAMES[kind_of_game(game)].parse)(text)
    return player


def default_player(game: Game[Any]) -> Player[Any, Any]:
    """Return a simple player of this game."""
    return parse_player(game, GAMES[kind_of_game(game)].default)


def kind_of_game(game: Game[Any]) -> str:
    """Return the name in ``GAMES`` of a game."""
    path = f"{type(game).__module__}:{type(game).__qualname__}"
    for name, known in GAMES.items():
        if known.game == path:
            return name
    raise NotLegalHere(f"{game.name} has no players by name: it is not in the registry")
