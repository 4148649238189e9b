"""Long work in short pieces, so that Ctrl-C is heard at once, on one core or on all.

Python hears no key while a kernel runs. Work that may take long is therefore cut into pieces of about a tenth of a second; how large they
are depends on the machine, so nothing that is computed may depend on where the cuts are.

>>> done = []
>>> for first, many in pieces(1000):
...     done.extend(range(first, first + many))
>>> done == list(range(1000))
True
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from threading import Lock
from time import perf_counter

__all__ = ["on_cores", "pieces"]

PIECE = 0.1  # seconds that a piece should take; at twice that a person feels the wait


def pieces(many: int, size: int = 1, seconds: float = PIECE) -> Iterator[tuple[int, int]]:
    """Cut 0 .. many - 1 into (first, how many), the next one larger or smaller by how long the last one took; ``size`` is the first guess.

    The clock runs while the caller works on a piece, so each must be worked on before the next is asked for.
    """
    first = 0
    while first < many:
        part = min(size, many - first)
        begun = perf_counter()
        yield first, part
        size = _next_size(part, perf_counter() - begun, seconds)
        first += part


def on_cores(work: Callable[[int, int], None], many: int, *, threads: int = 0, size: int = 1) -> None:
    """Do ``work(first, how many)`` for all of 0 .. many - 1 in pieces, on ``threads`` cores beside each other; 0 means all numba may use.

    ``work`` must let go of Python's lock, as kernels do, and must be ready for 0: that call loads or compiles the kernel, before several
    threads ask for it at once. Whatever is raised, by a key or by ``work``, stops all cores after their present piece.
    """
    work(0, 0)
    cores = min(threads or _cores(), max(1, many))
    if cores == 1:
        for first, part in pieces(many, size):
            work(first, part)
        return
    lock, at, stopped = Lock(), 0, False

    def run() -> None:
        nonlocal at, stopped
        mine = size
        while True:
            with lock:
                # A last stretch is shared out, so that no core waits long for another.
                first, part = at, max(1, min(mine, (many - at) // cores))
                if stopped or first >= many:
                    return
                at += part
            begun = perf_counter()
            try:
                work(first, part)
            except BaseException:
                stopped = True
                raise
            mine = _next_size(part, perf_counter() - begun)

    helpers: list[Future[None]] = []
    try:
        helpers += [_helpers(os.getpid()).submit(run) for _ in range(cores - 1)]
        run()
    finally:
        stopped = True
        # One that has not begun is not needed any more: nobody waits for threads that are busy with something else.
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


@cache
def _helpers(process: int) -> ThreadPoolExecutor:
    """Return the threads that wait for work: to start one takes longer than many a piece. A process that is forked needs its own."""
    return ThreadPoolExecutor(os.cpu_count() or 1)


def _next_size(part: int, took: float, seconds: float = PIECE) -> int:
    wanted = int(part * seconds / max(took, 1e-9))
    return max(1, min(wanted, 2 * part))


def _cores() -> int:
    import numba

    return int(numba.get_num_threads())
