"""``meldlab gin export``: what players saw and did, for those who learn from it."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import JsonOption, SeedOption, one_of, print_json
from meldlab.cli.outputs import out_file
from meldlab.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = ("jsonl", "parquet")
BETWEEN = re.compile(r",(?!\s*\d+\s*(?:,|$))")  # two names; the numbers of knock:A,B,T are one


def export(
    players: Annotated[str, typer.Option("--players", metavar="A,B", help="Who plays; every deal twice, in both seatings.")],
    out: Annotated[Path, out_file("The file to write; one that is there is replaced when the new one is whole.")],
    games: Annotated[int, typer.Option("--games", min=1, help="How many games.")] = 100,
    seed: SeedOption = 0,
    format: Annotated[str, typer.Option("--format", **one_of("format", *FORMATS), help="Lines of JSON, or Parquet.")] = "jsonl",
    features: Annotated[bool, typer.Option(help="Add the features and the mask of the vector environment.")] = True,
    rules: RulesOption = "eaai",
    json: JsonOption = False,
) -> None:
    """Write every decision of some games as a row: what the seat could see, its legal moves, what it did, and what came of it.

    Example: meldlab gin export --players computed:light,simple --games 20 --format parquet --out games.parquet
    """
    from meldlab.cache import replace_file
    from meldlab.gin.trajectories import decisions, write_jsonl, write_parquet

    def watched(show: Any) -> "Iterator[list[dict[str, Any]]]":
        for done, rows in enumerate(decisions([name.strip() for name in BETWEEN.split(players)], rules, games, seed, features=features), 1):
            yield rows
            show(done, games)

    with progress_bar("gin, games") as show, replace_file(out) as file:
        many = write_parquet(watched(show), file, features=features) if format == "parquet" else write_jsonl(watched(show), file)
    if json:
        print_json({"out": str(out), "games": games, "rows": many})
    else:
        print(f"{many:,} rows of {games:,} games in {out}", file=sys.stderr)
