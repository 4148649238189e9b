"""Where pieces of work are done: threads or processes of this machine, or a Dask cluster by address; joblib runs them all.

>>> sorted(Pool(2).work(pow, [(2, 3), (3, 2)]))
[8, 9]
"""

import logging
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import Any, cast

import joblib

from meldlab.errors import NotPossible
from meldlab.parallel import core_count

__all__ = ["Pool"]

PATIENCE = 10  # seconds to wait for a scheduler that does not answer
MOST = 4096  # cores that can be asked for
AHEAD = 2  # calls that each core of a cluster has, so that it need not wait for the next
LOGS = ("distributed", "distributed.client", "distributed.core", "distributed.comm.tcp", "tornado.application", "asyncio")


@contextmanager
def _hushed() -> Iterator[None]:
    """While it lasts, what the libraries below log about a lost scheduler is left out: one line of ours says it."""
    loggers = [logging.getLogger(name) for name in LOGS]
    before = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


class Pool:
    """Some cores, here or elsewhere."""

    def __init__(self, jobs: int = 0, cluster: str | None = None, threads: bool = True) -> None:
        if not 0 <= jobs <= MOST:
            raise NotPossible(f"{jobs:,} cores cannot be used (at most {MOST:,})")
        self.stack, self.losses, self.client = ExitStack(), tuple[type[BaseException], ...](), cast(Any, None)
        if cluster is None:
            self.backend, self.size = "threading" if threads else "loky", jobs or core_count()
        else:
            self.backend, self.size = "dask", self._connect(cluster)

    def work(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Generator[Any]:
        """Return what the function answers to each call, as soon as it comes; calls are asked for when a core is free."""
        if self.client is not None:
            yield from self._on_cluster(function, iter(calls))
            return
        with joblib.parallel_config(backend=self.backend):
            parallel = joblib.Parallel(n_jobs=self.size, return_as="generator_unordered", batch_size=1)
            answers = parallel(joblib.delayed(function)(*call) for call in calls)
            try:
                for answer in answers:  # noqa: UP028 - closing is left to us
                    yield answer
            finally:
                # Whoever stops in the middle knows that some answers are lost.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    answers.close()

    def _on_cluster(self, function: Callable[..., Any], calls: Iterator[tuple[Any, ...]]) -> Generator[Any]:
        # Not by joblib, which plays in this process where a cluster has one core only.
        from distributed import as_completed

        with self.stack:
            running = as_completed(self.client.submit(function, *call, pure=False) for call in islice(calls, AHEAD * self.size))
            try:
                for future in running:
                    yield future.result()
                    for call in islice(calls, 1):
                        running.add(self.client.submit(function, *call, pure=False))
            except self.losses as problem:
                lost = "the scheduler does not answer any more" if isinstance(problem, OSError) else str(problem).splitlines()[0]
                raise NotPossible(f"the Dask cluster cannot go on: {lost}") from problem
            finally:
                # Whoever stops in the middle knows that some answers are lost.
                with suppress(*self.losses):
                    self.client.cancel(list(running.futures))

    def _connect(self, cluster: str) -> int:
        try:
            from distributed import Client, KilledWorker
            from distributed.comm import CommClosedError
        except ModuleNotFoundError:
            raise NotPossible("a Dask cluster needs distributed: pip install 'meldlab[cluster]'") from None
        self.stack.enter_context(_hushed())
        try:
            self.client = client = self.stack.enter_context(Client(cluster, timeout=PATIENCE))
        except (OSError, ValueError, TypeError) as problem:
            self.stack.close()
            raise NotPossible(f"no Dask cluster answers at {cluster}: {problem}") from None
        # No scheduler any more, no meldlab where a worker runs, a piece that took several workers down.
        self.losses = (CancelledError, ImportError, KilledWorker, CommClosedError, TimeoutError)
        cores = int(sum(client.ncores().values()))
        if not cores:
            self.stack.close()
            raise NotPossible(f"the Dask cluster at {cluster} has no workers")
        return cores
