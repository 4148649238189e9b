"""Long work in short chunks, on one core or all, so that Ctrl-C interrupts at once.

Python handles no signal while a kernel runs. Long work is therefore cut into chunks of about a tenth of a second; their size depends on
the machine, so results must not depend on the boundaries.

>>> done = []
>>> for first, count in chunks(1000):
...     done.extend(range(first, first + count))
>>> done == list(range(1000))
True
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from math import ceil
from pathlib import Path
from threading import Event, Lock
from time import perf_counter
from typing import Any, TypeVar

Progress = Callable[[float, float, str], None]
"""A callback for the progress of long work: the amount done, the total, and a message, which may be empty."""

T = TypeVar("T")
R = TypeVar("R")
CHUNK_SECONDS = 0.1  # at twice that a user notices the delay
QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a Linux container: microseconds of CPU time per period, and the period


def no_progress(done: float, total: float, message: str) -> None:
    """Ignore the progress."""


def chunks(total: int, size: int = 1, seconds: float = CHUNK_SECONDS) -> Iterator[tuple[int, int]]:
    """Cut 0 .. total - 1 into (first, count), each chunk sized by the time of the previous one; ``size`` is that of the first.

    The time of the caller is measured, so the caller must finish a chunk before it takes the next.
    """
    first = 0
    while first < total:
        count = min(size, total - first)
        start = perf_counter()
        yield first, count
        size = _next_size(count, perf_counter() - start, seconds)
        first += count


def run_on_cores(work: Callable[..., None], total: int, *arguments: Any, threads: int = 0, size: int = 1) -> None:
    """Call ``work(first, count, *arguments)`` for chunks of 0 .. total - 1 on ``threads`` cores; 0 means all that numba may use.

    ``work`` must release Python's lock, as kernels do, and accept a count of 0: that call loads or compiles the kernel before several
    threads need it. An exception, of Ctrl-C or ``work``, stops all cores after their current chunk.
    """
    work(0, 0, *arguments)
    cores = min(threads or _cores(), max(1, total))
    if cores == 1:
        for first, count in chunks(total, size):
            work(first, count, *arguments)
        return
    lock, offset, stopped = Lock(), 0, False

    def run() -> None:
        nonlocal offset, stopped
        next_size = size
        while True:
            with lock:
                # The last chunks are smaller, so that no core waits long for another.
                first, count = offset, max(1, min(next_size, (total - offset) // cores))
                if stopped or first >= total:
                    return
                offset += count
            start = perf_counter()
            try:
                work(first, count, *arguments)
            except BaseException:
                stopped = True
                raise
            next_size = _next_size(count, perf_counter() - start)

    helpers: list[Future[None]] = []
    try:
        helpers += [_helpers(os.getpid()).submit(run) for _ in range(cores - 1)]
        run()
    finally:
        stopped = True
        # Do not wait for threads that are busy with other work: cancel what has not started.
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
    for helper in started:
        helper.result()


def map_in_threads(work: Callable[[T, Event], R], items: Sequence[T], threads: int) -> Iterator[R]:
    """Yield ``work(item, stopped)`` for each item, in their order; ``work`` must end soon after the event ``stopped`` is set.

    It is set when the caller stops iterating.

    >>> list(map_in_threads(lambda number, stopped: 10 * number, [3, 1, 2], threads=2))
    [30, 10, 20]
    """
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


def core_count() -> int:
    """Return the number of cores available to this process: those of its affinity mask, within the quota of its container."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = map(int, QUOTA.read_text().split())
    except (OSError, ValueError):  # no such file, or no quota ("max")
        return cores
    return max(1, min(cores, ceil(quota / period)))


@cache
def _helpers(process: int) -> ThreadPoolExecutor:
    """Return the pool of threads of a process: starting a thread can take longer than a chunk. A forked process needs its own."""
    return ThreadPoolExecutor(core_count())


def _next_size(count: int, elapsed: float, seconds: float = CHUNK_SECONDS) -> int:
    target = int(count * seconds / max(elapsed, 1e-9))
    return max(1, min(target, 2 * count))


def _cores() -> int:
    import numba

    return min(int(numba.get_num_threads()), core_count())
