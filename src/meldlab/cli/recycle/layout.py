"""``meldlab recycle format`` and ``migrate``: a program laid out anew."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.recycle.options import GameArgument, SetOption, merged
from meldlab.errors import NotLegalHere, NotPossible

WriteOption = Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")]


def format_program(game: GameArgument, settings: SetOption = None, write: WriteOption = False) -> None:
    """Lay a program out anew; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    from meldlab.recycle import format_program, parse

    text = _text(game, settings, "0.6")
    _print_or_write(format_program(parse(text), text), game, write)


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
    from meldlab.recycle import format_program, parse
    from meldlab.recycle.language.migration import is_new, is_old, migrate

    text = _text(game, settings, "0.5")
    tree = parse(text)
    if is_new(tree) and not is_old(tree):
        raise NotLegalHere(f"{game} is 0.6 already: it counts players from 1")
    if not (certain or is_old(tree)):
        marks = "no player or team 0, no bare word in cycle, no actual, no tuples"
        raise NotLegalHere(f"nothing in {game} is of 0.5: {marks}; if its players are counted from 0 all the same, --certain rewrites it")
    _print_or_write(format_program(migrate(tree), text), game, write)


def _text(game: str, settings: list[dict[str, int]] | None, dialect: str) -> str:
    from meldlab.recycle import library
    from meldlab.recycle.language.settings import with_settings

    return with_settings(library.load(game)[1], merged(settings), dialect)


def _print_or_write(text: str, game: str, write: bool) -> None:
    if not write:
        print(text, end="")
        return
    if not Path(game).is_file():
        raise NotPossible(f"{game} is no file that could be written")
    Path(game).write_text(text, "utf-8")
