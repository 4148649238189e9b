"""Options of the RECYCLE commands: the game and how it is read."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from meldlab.recycle import Limits
    from meldlab.recycle.game import RecycleGame

GameArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help="File (.rcy, .gdl) or game of the library.")]
DialectOption = Annotated[Literal["0.6", "0.5"], typer.Option("--dialect", help="Dialect of the program; 0.5 for older ones.")]
LimitsOption = Annotated[str, typer.Option("--limits", metavar="NAME=NUMBER,...", help="Changed limits, such as decisions=500,cards=5000.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Declared number to change; may be repeated.")]
PlayerKindOption = Annotated[Literal["random", "pimc", "mcts", "ismcts"], typer.Option("--player", help="Kind of the searching players.")]


def read_limits(limits: str) -> "Limits":
    """Return the limits of ``--limits``."""
    from meldlab.recycle import Limits

    return Limits.parse(limits)


def read_settings(settings: list[str] | None) -> dict[str, int]:
    """Return the numbers of every ``--set``; for a repeated name the last one.

    >>> read_settings(["TARGET=100,ROUNDS=3", "ROUNDS=4"])
    {'TARGET': 100, 'ROUNDS': 4}
    """
    from meldlab.recycle.language.settings import parse_settings

    return {name: value for text in settings or [] for name, value in parse_settings(text).items()}


def read_game(game: str, dialect: str = "0.6", limits: str = "", settings: list[str] | None = None) -> "RecycleGame":
    """Return a game of the library or of a file, with the changed numbers."""
    from meldlab.recycle.game import RecycleGame

    return RecycleGame.load(game, dialect, read_limits(limits), read_settings(settings))
