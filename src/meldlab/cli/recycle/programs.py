"""``meldlab recycle new``, ``format`` and ``migrate``: programs written to files."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.recycle.options import GameArgument, SetOption, read_settings
from meldlab.errors import NotLegalHere, NotPossible

WriteOption = Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")]


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, such as my_game.rcy.")],
    like: Annotated[
        str, typer.Option("--like", metavar="NAME", help="Game of the library to copy; by default a small game with comments.")
    ] = "",
) -> None:
    """Write a complete small game to start from, each part of it explained, or a copy of a game of the library.

    Example: meldlab recycle new my_game.rcy --like block_rummy
    """
    from meldlab.recycle import library

    if file.suffix not in (".rcy", ".gdl", ".txt"):
        raise NotLegalHere(f"expected a file .rcy, got {file.name!r}")
    title = file.stem.replace("_", " ").replace("-", " ").title()
    text = library.entry(like).text if like else library.template(title)
    try:
        # "x" fails for an existing file, also if it appeared a moment ago.
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise NotPossible(f"{file} exists already; name a new file") from None
    except OSError as error:
        raise NotPossible(f"cannot write {file}: {error.strerror}") from None
    content = f"a copy of {like}" if like else "a small game with comments"
    print(f"{file} is {content}; next: meldlab recycle check {file}, meldlab recycle play {file}")


def format_program(game: GameArgument, settings: SetOption = None, write: WriteOption = False) -> None:
    """Format a program; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    from meldlab.recycle import format_program as formatted
    from meldlab.recycle import parse

    text = _text(game, settings, "0.6")
    _print_or_write(formatted(parse(text), text), game, write)


def migrate(
    game: GameArgument,
    settings: SetOption = None,
    write: WriteOption = False,
    force: Annotated[bool, typer.Option("--force", help="Rewrite a program without any sign that it is of dialect 0.5.")] = False,
) -> None:
    """Rewrite a program of dialect 0.5 (players from 0, bare words in cycle, actual, tuples) as 0.6.

    Example: meldlab recycle migrate old_game.gdl
    """
    from meldlab.recycle import format_program, parse
    from meldlab.recycle.language import migration

    text = _text(game, settings, "0.5")
    tree = parse(text)
    if migration.is_new(tree) and not migration.is_old(tree):
        raise NotLegalHere(f"{game} is 0.6 already: it counts players from 1")
    if not (force or migration.is_old(tree)):
        marks = "no player or team 0, no bare word in cycle, no actual, no tuples"
        raise NotLegalHere(f"nothing in {game} is of 0.5: {marks}; if its players are counted from 0 all the same, --force rewrites it")
    _print_or_write(format_program(migration.migrate(tree), text), game, write)


def _text(game: str, settings: list[str] | None, dialect: str) -> str:
    from meldlab.recycle import library
    from meldlab.recycle.language.settings import with_settings

    return with_settings(library.load(game)[1], read_settings(settings), dialect)


def _print_or_write(text: str, game: str, write: bool) -> None:
    if not write:
        print(text, end="")
        return
    if not Path(game).is_file():
        raise NotPossible(f"{game} is not a file: only a file can be changed")
    Path(game).write_text(text, "utf-8")
