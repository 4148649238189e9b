"""``meldlab tune watch``: a search while it runs, from any other terminal or machine with the same store."""

import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.interruption import on_interrupt
from meldlab.cli.options import JsonOption, StoreOption, print_json

if TYPE_CHECKING:
    from meldlab.runs.store import Store


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

    from meldlab.runs.store import Store

    on_interrupt("the search itself is not affected; run the same command to watch it again")
    kept = Store.open_read_only(store)
    number = run if run is not None else latest(kept)
    state = look(kept, number)
    if json:
        print_json(state)
        return
    if not sys.stdout.isatty():
        print(as_text(state), flush=True)
        while state["state"] != "finished" and not once:
            time.sleep(every)
            state = look(kept, number)
            print(as_text(state), flush=True)
        return
    with Live(as_text(state), console=Console(highlight=False), auto_refresh=False) as picture:
        while state["state"] != "finished" and not once:
            time.sleep(every)
            state = look(kept, number)
            picture.update(as_text(state), refresh=True)


def latest(store: "Store") -> int:
    """Return the number of the run that was started last."""
    from meldlab.errors import NotLegalHere

    runs = store.runs()
    if not runs:
        raise NotLegalHere(f"no runs in {store}")
    return runs[-1].number


def look(store: "Store", number: int) -> dict[str, Any]:
    """Return how a run stands now."""
    from meldlab.runs.leaderboard import RunProgress, leaderboard

    run = store.find(number)
    best = leaderboard(run, 1)
    line = str(best[0]) if best else "nobody has played yet"
    answer = {"run": number, "experiment": run.experiment, "best": best[0].as_json() if best else None}
    return {**answer, **RunProgress.from_run(run).as_json(), "line": line}


def as_text(state: dict[str, Any]) -> str:
    """Return a look as text."""
    share = f" ({state['games'] / state['planned']:.1%})" if state["planned"] else ""
    head = f"run {state['run']}, {state['experiment']}, {state['state']}: {state['games']:,} of {state['planned']:,} games{share}"
    if state["state"] == "running":
        left = "not yet known" if state["seconds_left"] is None else str(timedelta(seconds=round(state["seconds_left"])))
        head += (
            f", {state['games_per_second']:,.0f} games/s from {state['workers']} process{'es' * (state['workers'] > 1)}, time left {left}"
        )
    return f"{head}\n  best so far {state['line']}"
