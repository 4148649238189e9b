"""``meldlab recycle new``: a program to begin with."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.errors import NotLegalHere, NotPossible


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as my_game.rcy.")],
    like: Annotated[
        str, typer.Option("--like", metavar="NAME", help="A game of the library to copy; without it, a small one with comments.")
    ] = "",
) -> None:
    """Write a complete small game to begin with, each part of it explained, or a copy of a game of the library.

    Example: meldlab recycle new my_game.rcy --like block_rummy
    """
    from meldlab.recycle import library

    if file.suffix not in (".rcy", ".gdl", ".txt"):
        raise NotLegalHere(f"a program is a file .rcy, not {file.name!r}")
    title = file.stem.replace("_", " ").replace("-", " ").title()
    text = library.entry(like).text if like else library.template(title)
    try:
        # "x" fails where something is there already, also if it appeared a moment ago.
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise NotPossible(f"{file} is there already; name a file that is not") from None
    except OSError as problem:
        raise NotPossible(f"cannot write {file}: {problem.strerror}") from None
    what = f"a copy of {like}" if like else "a small game with comments"
    print(f"{file} is {what}; next: meldlab recycle check {file}, meldlab recycle play {file}")
