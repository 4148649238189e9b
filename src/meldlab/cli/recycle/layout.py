"""``meldlab recycle format`` and ``migrate``: a program laid out anew."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.recycle.options import GameArgument, SetOption, merged
from meldlab.errors import NotLegalHere

WriteOption = Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")]


def format_program(game: GameArgument, settings: SetOption = None, write: WriteOption = False) -> None:
    """Lay a program out anew; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    _lay_out(game, "0.6", settings, write)


def migrate(
    game: GameArgument,
    settings: SetOption = None,
    write: WriteOption = False,
    certain: Annotated[
        bool, typer.Option("--certain", help="Rewrite it though nothing in it shows that players are counted from 0.")
    ] = False,
) -> None:
    """Rewrite a program of dialect 0.5 (players from 0, bare words in cycle, actual, tuples) as 0.6.

    Example: meldlab recycle migrate old_game.gdl
    """
    from meldlab.recycle import library, read
    from meldlab.recycle.language.migration import is_new, is_old

    tree = read(library.load(game)[1])
    if is_new(tree) and not is_old(tree):
        raise NotLegalHere(f"{game} is 0.6 already: it counts players from 1")
    if not (certain or is_old(tree)):
        marks = "no player or team 0, no bare word in cycle, no actual, no tuples"
        raise NotLegalHere(f"nothing in {game} is of 0.5: {marks}; if its players are counted from 0 all the same, --certain rewrites it")
    _lay_out(game, "0.5", settings, write)


def _lay_out(game: str, dialect: str, settings: list[dict[str, int]] | None, write: bool) -> None:
    from meldlab.recycle import layout, library, read
    from meldlab.recycle.language.variants import varied

    text = varied(library.load(game)[1], merged(settings), dialect)
    laid_out = layout(read(text, dialect), text)
    if not write:
        print(laid_out, end="")
        return
    if not Path(game).is_file():
        raise NotLegalHere(f"{game} is no file that could be written")
    Path(game).write_text(laid_out, "utf-8")
