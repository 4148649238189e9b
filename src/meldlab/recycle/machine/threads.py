"""Work of kernels on several threads, which ends when nobody listens any more.

>>> list(beside(lambda number, stopped: 10 * number, [3, 1, 2], threads=2))
[30, 10, 20]
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

__all__ = ["beside"]

T = TypeVar("T")
R = TypeVar("R")


def beside(work: Callable[[T, Event], R], items: Sequence[T], threads: int) -> Iterator[R]:
    """Yield what ``work`` makes of each item, in their order; it is to give up soon after the event that it is handed is set."""
    stopped = Event()
    if threads == 1:
        for item in items:
            yield work(item, stopped)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(lambda item: work(item, stopped), items)
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)
