"""``meldlab runs``: every search in the store, its players, and its evaluations as CSV or Parquet."""

import sys
import time
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from meldlab.cli.interruption import on_interrupt
from meldlab.cli.options import Commands, JsonOption, StoreOption, out_file
from meldlab.cli.output import aligned, print_json, terminal_width
from meldlab.formatting import utc_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from meldlab.runs.leaderboard import RunProgress
    from meldlab.runs.store import Run

app = Commands(epilog="Example: meldlab runs list")

RunArgument = Annotated[int, typer.Argument(metavar="RUN", help="Number of the run, as 'meldlab runs list' shows it.")]
MAX_RESULT = 200  # characters of a result that are printed in full
FORMATS = (".csv", ".parquet")


@app.command("list")
def list_runs(store: StoreOption = None, json: JsonOption = False) -> None:
    """List every run: its search, how far it came, and when it started.

    Example: meldlab runs list
    """
    from meldlab.runs.leaderboard import RunProgress
    from meldlab.runs.store import Store, default_store

    if store is None and not default_store().exists():
        # One of the first commands of a new user, so not an error.
        if json:
            print_json({"store": str(default_store()), "runs": []})
        else:
            print(f"no runs yet: {default_store()} does not exist")
        return
    opened = Store.open_read_only(store)
    runs = [(run, RunProgress.from_run(run)) for run in opened.runs()]
    if json:
        from meldlab.schemas.runs import RunAnswer

        print_json({"store": str(opened), "runs": [RunAnswer.from_run(*pair).model_dump() for pair in runs]})
        return
    if not runs:
        print(f"no runs in {opened}")
        return
    _print_runs(runs)


def _print_runs(runs: "Sequence[tuple[Run, RunProgress]]") -> None:
    """Print a line for each run; a narrow terminal gets no version, then no hours, and names are cut last."""
    rows = [("run", "experiment", "state", "games", "started", "version")]
    for run, progress in runs:
        name = f"{run.experiment} {run.settings.get('game', '')}".rstrip()
        games = f"{progress.games:,}" if progress.finished else f"{progress.games:,} of {progress.planned:,}"
        rows.append((str(run.number), name, progress.state, games, f"{utc_text(run.started)[:16]}Z", run.version))
    width = terminal_width()
    without_version = [row[:5] for row in rows]
    without_hours = [(*row[:4], row[4][:10]) for row in rows]
    for shown in (rows, without_version, without_hours):
        lines = aligned(shown)
        if width is None or max(map(len, lines)) <= width:
            break
    else:
        lines = aligned(without_hours, width, {1: 8})
    print(*lines, sep="\n")


@app.command()
def show(
    run: Annotated[int | None, typer.Argument(metavar="[RUN]", help="Number of the run; the latest by default.")] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Number of players to show, best first.")] = 10,
    watch: Annotated[bool, typer.Option("--watch", help="Print the best player and the time left until the run is finished.")] = False,
    every: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two updates of --watch.")] = 2.0,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show a run: its settings, its best players with intervals, its notes and its result.

    Example: meldlab runs show 1 --top 5
    """
    import json as json_text

    from meldlab.errors import NotLegalHere
    from meldlab.runs.leaderboard import RunProgress, leaderboard
    from meldlab.runs.store import Store

    opened = Store.open_read_only(store)
    if run is None and not opened.runs():
        raise NotLegalHere(f"no runs in {opened}")
    chosen = opened.find(run if run is not None else opened.runs()[-1].number)
    if watch and not json:
        _watch(chosen, every)
        return
    progress, players = RunProgress.from_run(chosen), leaderboard(chosen, top)
    if json:
        from meldlab.schemas.runs import LeaderboardAnswer, RunDetail

        rows = [LeaderboardAnswer.model_validate(player) for player in players]
        print_json(RunDetail.from_run(chosen, progress, notes=chosen.notes.splitlines(), players=rows, result=chosen.result))
        return
    print(f"run {chosen.number}: {chosen.experiment}, {progress.state}, version {chosen.version}, started {utc_text(chosen.started)}")
    for name, value in chosen.settings.items():
        print(f"  {name} = {json_text.dumps(value)}")
    print(f"{progress.games:,} of {progress.planned:,} games")
    for player in players:
        print(f"  {player}")
    print(chosen.notes, end="")
    if chosen.result is not None:
        print(f"result: {abridged(chosen.result)}")


def _watch(run: "Run", every: float) -> None:
    """Print the state of a run again and again, in place on a terminal, until it is finished."""
    from rich.console import Console
    from rich.live import Live

    on_interrupt("the search itself is not affected; run the same command to watch it again")
    text, finished = _state(run)
    with Live(text, console=Console(highlight=False), auto_refresh=False) if sys.stdout.isatty() else nullcontext() as live:
        while True:
            if live is None:
                print(text, flush=True)
            else:
                live.update(text, refresh=True)
            if finished:
                return
            time.sleep(every)
            text, finished = _state(run.store.find(run.number))


def _state(run: "Run") -> tuple[str, bool]:
    """Return the progress of a run with its best player as text, and whether the run is finished."""
    from meldlab.runs.leaderboard import RunProgress, leaderboard

    progress, best = RunProgress.from_run(run), leaderboard(run, 1)
    share = f" ({progress.games / progress.planned:.1%})" if progress.planned else ""
    head = f"run {run.number}, {run.experiment}, {progress.state}: {progress.games:,} of {progress.planned:,} games{share}"
    if progress.state == "running":
        left = "not yet known" if progress.seconds_left is None else str(timedelta(seconds=round(progress.seconds_left)))
        processes = f"{progress.workers} process{'es' * (progress.workers > 1)}"
        head += f", {progress.games_per_second:,.0f} games/s from {processes}, time left {left}"
    return f"{head}\n  best so far {best[0] if best else 'no player yet'}", progress.finished


def abridged(result: Any) -> str:
    """Return a result as a short text: long parts are counted.

    >>> print(abridged({"best": "knock:10,0,6", "two_stages": list(range(825))}))
    best "knock:10,0,6", two_stages (825) (all of it with --json)
    """
    import json as json_text

    text = json_text.dumps(result, ensure_ascii=False)
    if not isinstance(result, dict) or len(text) <= MAX_RESULT:
        return text if len(text) <= MAX_RESULT else f"{text[:MAX_RESULT]} … (all of it with --json)"
    parts = []
    for name, value in result.items():
        line = json_text.dumps(value, ensure_ascii=False)
        parts.append(f"{name} ({len(value)})" if isinstance(value, dict | list) else f"{name} {line[:60]}{' …' * (len(line) > 60)}")
    return f"{', '.join(parts)} (all of it with --json)"


@app.command()
def export(
    run: RunArgument,
    out: Annotated[Path | None, out_file("FILE.csv or FILE.parquet; without it, CSV on the terminal.")] = None,
    payload: Annotated[bool, typer.Option("--payload", help="Add the column payload: all other counts of the worker, as JSON.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write every evaluation of a run as a row of CSV or Parquet.

    Example: meldlab runs export 1 --out run.csv
    """
    from meldlab.cache import replace_file
    from meldlab.errors import NoSuchThing
    from meldlab.reports.rows import csv_text
    from meldlab.runs.store import EVALUATIONS, Store

    if out is not None and out.suffix.lower() not in FORMATS:
        raise NoSuchThing("format", out.suffix or out.name, FORMATS)
    names = [column.name for column in EVALUATIONS.columns if payload or column.name != "payload"]
    rows = [{name: row._mapping[name] for name in names} for row in Store.open_read_only(store).find(run).evaluations()]
    if out is None and json:
        print_json({"run": run, "rows": rows})
        return
    text = csv_text([names, *(list(row.values()) for row in rows)])
    if out is None:
        print(text, end="")
        return
    with replace_file(out) as file:
        if out.suffix.lower() == ".parquet":
            _write_parquet(names, rows, file)
        else:
            file.write(text.encode())
    if json:
        print_json({"run": run, "out": str(out), "rows": len(rows)})
    else:
        print(f"{len(rows):,} rows in {out}", file=sys.stderr)


def _write_parquet(names: list[str], rows: list[dict[str, Any]], file: BinaryIO) -> None:
    """Write rows as Parquet with the column types of the store."""
    import pyarrow as pa
    from pyarrow import parquet

    from meldlab.runs.store import EVALUATIONS

    types = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    # A run without wins, or without rows, still has every column with its type.
    schema = pa.schema([(column.name, types[column.type.python_type]) for column in EVALUATIONS.columns if column.name in names])
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), file)
