"""Options that several doors share, and how an answer is printed."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from meldlab.chance.seed import verified

__all__ = ["AcesOption", "ClusterOption", "JobsOption", "JsonOption", "SeedOption", "StoreOption", "print_json", "seed_option"]

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
JobsOption = Annotated[int, typer.Option("--jobs", min=0, help="Cores to use; 0 is all.")]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="A Dask scheduler to play on, such as tcp://host:8786.")]


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object, with cards and hands as text."""
    print(json.dumps(answer, default=str, ensure_ascii=False))
