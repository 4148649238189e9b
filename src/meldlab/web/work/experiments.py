"""Queries of the experiments pages that read many rows of the store."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from meldlab.reports.rows import csv_text
from meldlab.runs.leaderboard import LeaderboardRow, RunProgress, leaderboard
from meldlab.runs.store import EVALUATIONS, Run, Store

MAX_LEADERS, MAX_POINTS = 20, 2000  # of a page, of its curve


@lru_cache(maxsize=1)
def open_store(store: str | None, lock_seconds: float) -> Store:
    """Return the store, opened once per process."""
    return Store.open(store, lock_seconds)


def all_runs(store: str | None, lock_seconds: float) -> list[dict[str, Any]]:
    """Return the runs of the store, newest first."""
    return [_run(run) for run in reversed(open_store(store, lock_seconds).runs())]


def run_detail(store: str | None, lock_seconds: float, number: int) -> dict[str, Any]:
    """Return a run with its leaders, its curve, its notes and its result."""
    run = open_store(store, lock_seconds).find(number)
    leaders = [_leader(row) for row in leaderboard(run, MAX_LEADERS)]
    return {**_run(run), "leaders": leaders, "curve": _curve(run), "notes": run.notes.splitlines(), "result": run.result}


def rows_csv(store: str | None, lock_seconds: float, number: int) -> str:
    """Return every evaluation of a run as CSV."""
    names = [column.name for column in EVALUATIONS.columns]
    return csv_text([names, *(tuple(row) for row in open_store(store, lock_seconds).find(number).evaluations())])


def _run(run: Run) -> dict[str, Any]:
    progress = RunProgress.from_run(run)
    names = ("state", "games", "planned", "games_per_second", "seconds_left")
    return {
        "run": run.number,
        "experiment": run.experiment,
        "settings": dict(run.settings),
        "version": run.version,
        "started": datetime.fromtimestamp(run.started, UTC).isoformat(timespec="seconds"),
        **{name: getattr(progress, name) for name in names},
    }


def _leader(row: LeaderboardRow) -> dict[str, Any]:
    rate = row.win_rate
    numbers = {"win_rate": rate.value if rate else None, "ci95": [rate.low, rate.high] if rate else None, "score": row.score}
    return {"label": row.label, "player": row.player, "opponent": row.opponent, "games": row.games, **numbers}


def _curve(run: Run) -> list[list[float]]:
    points, games = list[list[float]](), 0
    for row in run.evaluations():
        games += row.games
        value = row.score if row.score is not None else row.wins / row.games if row.wins is not None and row.games else None
        if value is not None:
            points.append([games, float(value)])
    return points[:: max(1, len(points) // MAX_POINTS)]
