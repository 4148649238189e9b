"""What the RECYCLE verbs share: the game and how it is read."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import one_of, read_by

if TYPE_CHECKING:
    from meldlab.recycle.game import Described


GameArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help="A file (.rcy, .gdl) or a game of the library.")]
DialectOption = Annotated[str, typer.Option("--dialect", **one_of("dialect", "0.6", "0.5"), help="0.5 is for older programs.")]
LimitsOption = Annotated[
    Any,
    typer.Option(
        "--limits", **read_by("meldlab.recycle:Limits.parse", "NAME=NUMBER,..."), help="Limits to change, such as decisions=500,cards=5000."
    ),
]
SetOption = Annotated[
    list[Any] | None,
    typer.Option(
        "--set",
        **read_by("meldlab.recycle.language.settings:parse_settings", "NAME=VALUE"),
        help="Set a number that the program declares; can be repeated.",
    ),
]


def merged(settings: list[dict[str, int]] | None) -> dict[str, int]:
    """Return the numbers of every ``--set``; of two for one name the later one holds.

    >>> merged([{"TARGET": 100, "ROUNDS": 3}, {"ROUNDS": 4}])
    {'TARGET': 100, 'ROUNDS': 4}
    """
    return {name: value for each in settings or [] for name, value in each.items()}


def read_game(game: GameArgument, dialect: DialectOption = "0.6", limits: LimitsOption = "", settings: SetOption = None) -> "Described":
    """Return a game of the library or of a file, with the numbers that are set."""
    from meldlab.recycle.game import Described

    return Described.named(game, dialect, limits, merged(settings))
