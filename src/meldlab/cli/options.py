"""Options that several doors share, and how an answer is printed."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from meldlab.chance.seed import verified
from meldlab.errors import NotLegalHere

__all__ = [
    "AcesOption",
    "ClusterOption",
    "GameSecondsOption",
    "JobsOption",
    "JsonOption",
    "MoveSecondsOption",
    "RaiseOption",
    "SaveOption",
    "SeedOption",
    "StoreOption",
    "need_input",
    "print_json",
    "seed_option",
    "tracebacks",
]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _number(text: str | int) -> int | str:
    """Return what was typed as a whole number where it is one; whether it is a seed, ``_seed`` says in one way for all doors."""
    try:
        return int(text)
    except ValueError:
        return str(text)[:40]


def _seed(number: int | None) -> int | None:
    return None if number is None else verified(number)


def seed_option(words: str) -> Any:
    """Return the option ``--seed``, which refuses what is no seed before anything is played or kept."""
    return typer.Option("--seed", parser=_number, callback=_seed, metavar="INTEGER", help=words)


SeedOption = Annotated[int, seed_option("The same seed gives the same answer.")]
AcesOption = Annotated[str, typer.Option("--aces", help="low (A23), both (A23, QKA) or round (KA2 too).")]

StoreOption = Annotated[
    str | None,
    typer.Option("--store", envvar="MELDLAB_STORE", help="A file or postgresql+psycopg://HOST/NAME; by default runs.sqlite in the cache."),
]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, max=4096, help="Cores to use; 0 is all.")]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="A Dask scheduler to play on, such as tcp://host:8786.")]

MoveSecondsOption = Annotated[float | None, typer.Option("--seconds-per-move", help="Processor time of a move, or it is a forfeit.")]
GameSecondsOption = Annotated[float | None, typer.Option("--seconds-per-game", help="Processor time of a player's moves in a game.")]
RaiseOption = Annotated[bool, typer.Option("--raise", help="Show the traceback of what a player raises.")]
SaveOption = Annotated[Path | None, typer.Option("--save", help="Keep the record in this new file, move by move.")]


@contextmanager
def tracebacks(wanted: bool) -> Iterator[None]:
    """Let out what a player's file raised, instead of the line about it, where that is wanted."""
    try:
        yield
    except NotLegalHere as mistake:
        if wanted and mistake.__cause__ is not None:
            raise mistake.__cause__ from None
        raise


def need_input() -> None:
    """Raise NotLegalHere where nobody can type anything: the standard input is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise NotLegalHere("there is no input to play from: it is closed")


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object, with cards and hands as text."""
    print(json.dumps(answer, default=str, ensure_ascii=False))
