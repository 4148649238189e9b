"""Progress of a search: a bar on a terminal, a forecast after ten seconds, and the time taken at the end."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from meldlab.cli.progress import progress_bar

if TYPE_CHECKING:
    from meldlab.arena.evaluation import RunEvaluator

FORECAST_SECONDS = 10.0  # of play before the forecast


@contextmanager
def metered(what: str, evaluator: "RunEvaluator") -> Iterator[None]:
    """Show the progress of an evaluator; games that the store had take no time and do not count for the speed."""
    start, forecast = time.monotonic(), False
    with progress_bar(what) as bar:

        def show(done: float, total: float, message: str) -> None:
            nonlocal forecast
            bar(done, total, message)
            seconds, played = time.monotonic() - start, evaluator.played
            if not forecast and seconds >= FORECAST_SECONDS and played:
                forecast = True
                left = (total - done) * seconds / played
                _print(f"{played / seconds:,.0f} games/s: {total:,.0f} games, about {_span(seconds + left)} in all")

        evaluator.progress = show
        yield
    seconds = time.monotonic() - start
    speed = evaluator.played / max(seconds, 1e-9)
    _print(f"took {_span(seconds)}, {evaluator.played:,} games played, {speed:,.0f} games/s")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
