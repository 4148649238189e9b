"""What the RECYCLE verbs share: the game and how it is read."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from meldlab.recycle.game import Described

__all__ = ["DialectOption", "GameArgument", "LimitsOption", "SetOption", "read_game"]

GameArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help="A file (.rcy, .gdl) or a game of the library.")]
DialectOption = Annotated[str, typer.Option("--dialect", help="0.6, or 0.5 for older programs.")]
LimitsOption = Annotated[str, typer.Option("--limits", help="Limits to change, such as options=100000,cards=5000.")]


def read_game(name: str, dialect: str, limits: str, settings: list[str] | None = None) -> "Described":
    """Return a game of the library or of a file, with the numbers that are set."""
    from meldlab.recycle.game import Described
    from meldlab.recycle.language.limits import Limits
    from meldlab.recycle.language.variants import parse_settings, varied

    described = Described.named(name, dialect, Limits.parse(limits))
    return replace(described, text=varied(described.text, parse_settings(settings or []), dialect))


SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a number that the program declares; can be repeated.")
]
