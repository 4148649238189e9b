"""The one progress bar: on a terminal, and silence elsewhere."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function of (done, in all) that moves a bar on stderr, and does nothing where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, whole: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


def tracked(items: Sequence[T], what: str) -> Iterator[T]:
    """Give each item, with a bar for how many are done.

    >>> list(tracked("abc", "spelling"))
    ['a', 'b', 'c']
    """
    with progress_bar(what) as show:
        for done, item in enumerate(items, 1):
            yield item
            show(done, len(items))
