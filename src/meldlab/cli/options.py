"""Options that several doors share, and how an answer is printed."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

__all__ = ["AcesOption", "ClusterOption", "JobsOption", "JsonOption", "SeedOption", "StoreOption", "print_json"]

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same answer.")]
AcesOption = Annotated[str, typer.Option("--aces", help="low (A23), both (A23, QKA) or round (KA2 too).")]

StoreOption = Annotated[
    str | None,
    typer.Option("--store", envvar="MELDLAB_STORE", help="A file or postgresql+psycopg://HOST/NAME; by default runs.sqlite in the cache."),
]
JobsOption = Annotated[int, typer.Option("--jobs", min=0, max=4096, help="Cores to use; 0 is all.")]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="A Dask scheduler to play on, such as tcp://host:8786.")]


def print_json(answer: Mapping[str, Any]) -> None:
    """Print one JSON object, with cards and hands as text."""
    print(json.dumps(answer, default=str, ensure_ascii=False))
