"""Pools of cores: threads or processes of this machine by joblib, or a Dask cluster by its address.

>>> sorted(Pool(2).map(pow, [(2, 3), (3, 2)]))
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

CONNECT_SECONDS = 10  # to wait for a scheduler
MAX_CORES = 4096
CALLS_PER_CORE = 2  # of a cluster, so that a core does not wait for its next call
LOGS = ("distributed", "distributed.client", "distributed.core", "distributed.comm.tcp", "tornado.application", "asyncio")


@contextmanager
def silenced() -> Iterator[None]:
    """Suppress the log of Dask and its libraries about a lost scheduler, which is raised as an error."""
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
    """Some cores of this machine or of a cluster."""

    def __init__(self, jobs: int = 0, cluster: str | None = None, threads: bool = True) -> None:
        if not 0 <= jobs <= MAX_CORES:
            raise NotPossible(f"{jobs:,} cores cannot be used (at most {MAX_CORES:,})")
        self.stack, self.losses, self.client = ExitStack(), tuple[type[BaseException], ...](), cast(Any, None)
        if cluster is None:
            self.backend, self.size = "threading" if threads else "loky", jobs or core_count()
        else:
            self.backend, self.size = "dask", self._connect(cluster)

    def map(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Generator[Any]:
        """Yield the result of each call as it finishes; the next call is taken when a core is free."""
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
                # A caller that stops early expects that some answers are lost.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    answers.close()

    def _on_cluster(self, function: Callable[..., Any], calls: Iterator[tuple[Any, ...]]) -> Generator[Any]:
        # Not by joblib, which runs the calls in this process if the cluster has only one core.
        from distributed import as_completed

        with self.stack:
            running = as_completed(self.client.submit(function, *call, pure=False) for call in islice(calls, CALLS_PER_CORE * self.size))
            try:
                for future in running:
                    yield future.result()
                    for call in islice(calls, 1):
                        running.add(self.client.submit(function, *call, pure=False))
            except self.losses as error:
                reason = "the scheduler does not answer any more" if isinstance(error, OSError) else str(error).splitlines()[0]
                raise NotPossible(f"the Dask cluster is lost: {reason}") from error
            finally:
                # A caller that stops early expects that some answers are lost.
                with suppress(*self.losses):
                    self.client.cancel(list(running.futures))

    def _connect(self, cluster: str) -> int:
        try:
            from distributed import Client, KilledWorker
            from distributed.comm import CommClosedError
        except ModuleNotFoundError:
            raise NotPossible("a Dask cluster needs distributed: pip install 'meldlab[cluster]'") from None
        self.stack.enter_context(silenced())
        try:
            self.client = client = self.stack.enter_context(Client(cluster, timeout=CONNECT_SECONDS))
        except (OSError, ValueError, TypeError) as error:
            self.stack.close()
            raise NotPossible(f"no Dask cluster answers at {cluster}: {error}") from None
        # A lost scheduler, a worker without meldlab, a call that ended several workers.
        self.losses = (CancelledError, ImportError, KilledWorker, CommClosedError, TimeoutError)
        cores = int(sum(client.ncores().values()))
        if not cores:
            self.stack.close()
            raise NotPossible(f"the Dask cluster at {cluster} has no workers")
        return cores
