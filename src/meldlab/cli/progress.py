"""Progress bars on stderr, if it is a terminal, and the speed of a search."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")

PROJECTION_DELAY = 10.0  # seconds of play until the speed is stable enough to predict the rest


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a function of (done, total) that moves a bar on stderr, and does nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def tracked(items: Sequence[T], description: str) -> Iterator[T]:
    """Yield each item, with a bar for the number of finished ones.

    >>> list(tracked("abc", "spelling"))
    ['a', 'b', 'c']
    """
    with progress_bar(description) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(done, len(items))


class Meter:
    """Progress of a search with its speed; games read from the store take no time and do not count for the speed."""

    def __init__(self, bar: Callable[[int, int], None]) -> None:
        self.bar, self.start, self.projected, self.played = bar, time.monotonic(), False, 0

    def __call__(self, done: int, total: int, played: int) -> None:
        """Update the bar, and print once how long the search will take."""
        self.played, seconds = played, time.monotonic() - self.start
        self.bar(done, total)
        if not self.projected and seconds >= PROJECTION_DELAY and played:
            self.projected = True
            left = (total - done) * seconds / played
            _print_now(f"{played / seconds:,.0f} games/s: {total:,} games, about {_span(seconds + left)} in all")

    def end(self) -> None:
        """Print how long the search took."""
        seconds = time.monotonic() - self.start
        _print_now(f"took {_span(seconds)}, {self.played:,} games played, {self.played / max(seconds, 1e-9):,.0f} games/s")


def _print_now(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


@contextmanager
def metered(description: str) -> Iterator[Meter]:
    """Yield a function of (games done, in all, played just now)."""
    with progress_bar(description) as bar:
        meter = Meter(bar)
        yield meter
    meter.end()
