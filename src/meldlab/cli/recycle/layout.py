"""``meldlab recycle format`` and ``migrate``: a program laid out anew."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.recycle.options import GameArgument
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    pass

__all__ = ["format_program", "migrate"]


def format_program(
    game: GameArgument,
    write: Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")] = False,
) -> None:
    """Lay a program out anew; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    from meldlab.recycle.game import load
    from meldlab.recycle.language.printer import layout
    from meldlab.recycle.language.reader import read

    _, text = load(game)
    _print_or_write(layout(read(text), text), game, write)


def migrate(
    game: GameArgument,
    write: Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")] = False,
) -> None:
    """Rewrite a program of dialect 0.5 (players from 0, bare words in cycle, actual, tuples) as 0.6.

    Example: meldlab recycle migrate old_game.gdl
    """
    from meldlab.recycle.game import load
    from meldlab.recycle.language.printer import layout
    from meldlab.recycle.language.reader import read

    _, text = load(game)
    _print_or_write(layout(read(text, "0.5"), text), game, write)


def _print_or_write(text: str, game: str, write: bool) -> None:
    if not write:
        print(text, end="")
        return
    if not Path(game).is_file():
        raise NotLegalHere(f"{game} is no file that could be written")
    Path(game).write_text(text, "utf-8")
