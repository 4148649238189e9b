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
    """A game of the registry; import paths are loaded on demand."""

    game: str
    """Import path of the game."""
    parse: str
    """Import path of the parser of its players."""
    default: str
    """The default player."""
    table: str
    """Import path of the builder of its table (``meldlab.tables``)."""
    opponents: tuple[str, ...] = ()
    """The players that a server offers: names that read no file."""
    read: str = ""
    """Import path of the reader of typed moves, if it accepts more than the notation of records."""


GAMES = {
    "gin": KnownGame(
        "meldlab.gin.match:Gin",
        "meldlab.gin.players:parse",
        default="simple",
        table="meldlab.tables.gin:build",
        opponents=(
            "random",
            "simple",
            "ensemble:paper",
            "ensemble:best",
            "marjj",
            "computed:light",
            "computed:light-ensemble",
            "specialist",
            "champion",
            "mc:16",
            "mc:64",
        ),
        read="meldlab.gin.typed_moves:read_move",
    ),
    "rummikub": KnownGame(
        "meldlab.rummikub.game:Rummikub",
        "meldlab.rummikub.players:find_player",
        default="greedy",
        table="meldlab.tables.rummikub:build",
    ),
    "recycle": KnownGame(
        "meldlab.recycle.game:RecycleGame",
        "meldlab.recycle.players:parse",
        default="random",
        table="meldlab.tables.recycle:build",
        opponents=("random", "mcts:20", "mcts:100", "ismcts:100", "pimc:20"),
        read="meldlab.recycle.card_names:read_move",
    ),
    "recycle match": KnownGame(
        "meldlab.recycle.match:RecycleMatch",
        "meldlab.recycle.players:parse",
        default="random",
        table="meldlab.tables.recycle:build",
    ),
}
OFFERED = tuple(kind for kind, game in GAMES.items() if game.opponents)
"""The kinds of games that a server offers."""


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


def check_opponent(kind: str, name: str) -> None:
    """Raise NoSuchThing for a player that a server does not offer.

    >>> check_opponent("recycle", "own.py:Player")
    Traceback (most recent call last):
        ...
    meldlab.errors.NoSuchThing: no opponent 'own.py:Player' (use random, mcts:20, mcts:100, ismcts:100, pimc:20)
    """
    if name not in GAMES[kind].opponents:
        raise NoSuchThing("opponent", name, GAMES[kind].opponents)


def parse_opponent(game: Game[Any], name: str) -> Player[Any, Any]:
    """Return a player that a server offers, by its name in a record, which may come from anywhere."""
    check_opponent(kind_of_game(game), name)
    return parse_player(game, name)


def read_move(game: Game[Any], view: Any, text: str) -> Any:
    """Return the action that a typed text means, with the short forms of the game; the caller verifies it."""
    path = GAMES[kind_of_game(game)].read
    return load_object(path)(view, text) if path else view.parse(text)


def kind_of_game(game: Game[Any]) -> str:
    """Return the name in ``GAMES`` of a game."""
    path = f"{type(game).__module__}:{type(game).__qualname__}"
    for name, known in GAMES.items():
        if known.game == path:
            return name
    raise NotLegalHere(f"{game.name} has no players by name: it is not in the registry")
