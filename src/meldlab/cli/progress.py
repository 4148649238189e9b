"""Progress bars on stderr, if it is a terminal, and the speed of a search."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from meldlab.parallel import Progress
    from meldlab.runs.tasks import TaskRunner

T = TypeVar("T")

PROJECTION_DELAY = 10.0  # seconds of play until the speed is stable enough to predict the rest


@contextmanager
def progress_bar(description: str) -> "Iterator[Progress]":
    """Yield a callback that moves a bar on stderr, and does nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
    with rich_progress.Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total, message: bar.update(task, completed=done, total=total, description=message or description)


def tracked(items: Iterable[T], total: int, description: str) -> Iterator[T]:
    """Yield each item, with a bar for the number of finished ones.

    >>> list(tracked("abc", 3, "spelling"))
    ['a', 'b', 'c']
    """
    with progress_bar(description) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(done, total, "")


@contextmanager
def metered(description: str, evaluator: "TaskRunner") -> Iterator[None]:
    """Show the progress of an evaluator; games read from the store take no time and do not count for the speed."""
    start, projected = time.monotonic(), False
    with progress_bar(description) as bar:

        def show(done: float, total: float, message: str) -> None:
            nonlocal projected
            bar(done, total, message)
            seconds, played = time.monotonic() - start, evaluator.played
            if not projected and seconds >= PROJECTION_DELAY and played:
                projected = True
                left = (total - done) * seconds / played
                _print_now(f"{played / seconds:,.0f} games/s: {total:,.0f} games, about {_span(seconds + left)} in all")

        evaluator.progress = show
        yield
    seconds = time.monotonic() - start
    speed = evaluator.played / max(seconds, 1e-9)
    _print_now(f"took {_span(seconds)}, {evaluator.played:,} games played, {speed:,.0f} games/s")


def _print_now(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
