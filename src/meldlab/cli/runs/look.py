"""``meldlab runs list`` and ``show``: all runs of the store, and one of them."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.columns import aligned, terminal_width
from meldlab.cli.options import JsonOption, StoreOption, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from meldlab.runs.leaderboard import RunProgress
    from meldlab.runs.store import Run

RunArgument = Annotated[int, typer.Argument(help="The number of the run, as 'meldlab runs list' shows it.")]
SHORT = 200  # characters of an answer that are printed as they are


def list_runs(store: StoreOption = None, json: JsonOption = False) -> None:
    """List every run: what it searched, how far it came, and when.

    Example: meldlab runs list
    """
    from meldlab.runs.leaderboard import RunProgress
    from meldlab.runs.store import Store, default_store

    if store is None and not default_store().exists():
        # The first thing that a newcomer may type is no mistake.
        if json:
            print_json({"store": str(default_store()), "runs": []})
        else:
            print(f"no runs yet: {default_store()} does not exist")
        return
    kept = Store.open_read_only(store)
    found = [(run, RunProgress.from_run(run)) for run in kept.runs()]
    if json:
        print_json({"store": str(kept), "runs": [run_json(run, progress) for run, progress in found]})
        return
    if not found:
        print(f"no runs in {kept}")
        return
    print_runs(found)


def print_runs(runs: "Sequence[tuple[Run, RunProgress]]") -> None:
    """Print a line for each run; a narrow terminal gets no version, then no hours, and names are cut last."""
    rows = [("run", "experiment", "state", "games", "started", "version")]
    for run, progress in runs:
        name = f"{run.experiment} {run.settings.get('game', '')}".rstrip()
        games = f"{progress.games:,}" if progress.finished else f"{progress.games:,} of {progress.planned:,}"
        rows.append((str(run.number), name, progress.state, games, f"{when(run.started)[:16]}Z", run.version))
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


def show(
    run: RunArgument,
    top: Annotated[int, typer.Option("--top", min=1, help="How many players to show, the best first.")] = 10,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show a run: its settings, its best players with intervals, its notes and its answer.

    Example: meldlab runs show 1 --top 5
    """
    import json as text

    from meldlab.runs.leaderboard import RunProgress, leaderboard
    from meldlab.runs.store import Store

    found = Store.open_read_only(store).find(run)
    progress, players = RunProgress.from_run(found), leaderboard(found, top)
    if json:
        more = {"notes": found.notes.splitlines(), "players": [one.as_json() for one in players], "result": found.result}
        print_json({**run_json(found, progress), **more})
        return
    print(f"run {found.number}: {found.experiment}, {progress.state}, version {found.version}, started {when(found.started)}")
    for name, value in found.settings.items():
        print(f"  {name} = {text.dumps(value)}")
    print(f"{progress.games:,} of {progress.planned:,} games")
    for one in players:
        print(f"  {one}")
    print(found.notes, end="")
    if found.result is not None:
        print(f"result: {in_short(found.result)}")


def in_short(result: Any) -> str:
    """Return an answer as a few lines of text; what is long is counted, and printed by --json.

    >>> print(in_short({"best": "knock:10,0,6", "two_stages": list(range(825))}))
    best "knock:10,0,6", two_stages (825) (all of it with --json)
    """
    import json as text

    whole = text.dumps(result, ensure_ascii=False)
    if not isinstance(result, dict) or len(whole) <= SHORT:
        return whole if len(whole) <= SHORT else f"{whole[:SHORT]} … (all of it with --json)"
    parts = []
    for name, value in result.items():
        line = text.dumps(value, ensure_ascii=False)
        parts.append(f"{name} ({len(value)})" if isinstance(value, dict | list) else f"{name} {line[:60]}{' …' * (len(line) > 60)}")
    return f"{', '.join(parts)} (all of it with --json)"


def run_json(run: "Run", progress: "RunProgress") -> dict[str, Any]:
    """Return what the command line answers about a run."""
    return {
        "run": run.number,
        "experiment": run.experiment,
        "settings": run.settings,
        "version": run.version,
        "started": when(run.started),
        "finished": when(run.finished) if run.finished is not None else None,
        **progress.as_json(),
    }


def when(seconds: float) -> str:
    """Return a time in UTC.

    >>> when(0)
    '1970-01-01T00:00:00Z'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
