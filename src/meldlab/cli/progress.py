"""The progress bar, on a terminal only."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

T = TypeVar("T")


class ProgressBar(Protocol):
    """A ``Progress`` that can also be called without a message."""

    def __call__(self, done: float, total: float, message: str = "") -> None:
        """Move the bar."""


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressBar]:
    """Yield a callback that moves a bar on stderr, or does nothing if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total, message="": None
        return
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
    with rich_progress.Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, message="": bar.update(task, completed=done, total=total, description=message or what)


def tracked(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield each item, with a progress bar.

    >>> list(tracked("abc", "spelling"))
    ['a', 'b', 'c']
    """
    with progress_bar(what) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(done, len(items))
