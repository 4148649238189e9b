"""``meldlab tune watch``: a search while it runs, from any other terminal or machine with the same store."""

import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import JsonOption, StoreOption, print_json

if TYPE_CHECKING:
    from meldlab.lab.runs.store import Store

__all__ = ["watch"]


def watch(
    run: Annotated[int | None, typer.Argument(help="The number of the run; by default the latest.")] = None,
    every: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two looks.")] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look once and stop.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Watch a search until it is finished: the best so far with its interval, games per second, time left.

    Example: meldlab tune watch --once
    """
    from rich.console import Console
    from rich.live import Live

    from meldlab.lab.runs.store import Store

    kept = Store.look(store)
    number = run if run is not None else latest(kept)
    told = look(kept, number)
    if json:
        print_json(told)
        return
    if not sys.stdout.isatty():
        print(seen(told), flush=True)
        while told["state"] != "finished" and not once:
            time.sleep(every)
            told = look(kept, number)
            print(seen(told), flush=True)
        return
    with Live(seen(told), console=Console(highlight=False), auto_refresh=False) as picture:
        while told["state"] != "finished" and not once:
            time.sleep(every)
            told = look(kept, number)
            picture.update(seen(told), refresh=True)


def latest(store: "Store") -> int:
    """Return the number of the run that was started last."""
    from meldlab.errors import NotLegalHere

    runs = store.runs()
    if not runs:
        raise NotLegalHere(f"no runs in {store}")
    return runs[-1].number


def look(store: "Store", number: int) -> dict[str, Any]:
    """Return how a run stands now."""
    from meldlab.lab.runs.reached import Progress, leaders

    run = store.find(number)
    best = leaders(run, 1)
    told = {"run": number, "experiment": run.experiment, "best": best[0].as_json() if best else None, **Progress.of(run).as_json()}
    return {**told, "line": str(best[0]) if best else "nobody has played yet"}


def seen(told: dict[str, Any]) -> str:
    """Return a look as text."""
    share = f" ({told['games'] / told['planned']:.1%})" if told["planned"] else ""
    head = f"run {told['run']}, {told['experiment']}, {told['state']}: {told['games']:,} of {told['planned']:,} games{share}"
    if told["state"] == "running":
        left = "not yet known" if told["seconds_left"] is None else str(timedelta(seconds=round(told["seconds_left"])))
        head += f", {told['games_per_second']:,.0f} games/s from {told['workers']} process{'es' * (told['workers'] > 1)}, time left {left}"
    return f"{head}\n  best so far {told['line']}"
