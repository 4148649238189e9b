"""Where pieces of work are done: threads or processes of this machine, or a Dask cluster by address; joblib runs them all.

>>> sorted(Pool(2).work(pow, [(2, 3), (3, 2)]))
[8, 9]
"""

import warnings
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from contextlib import ExitStack
from typing import Any

import joblib

from meldlab.errors import NotLegalHere

__all__ = ["Pool"]

PATIENCE = 10  # seconds to wait for a scheduler that does not answer


class Pool:
    """Some cores, here or elsewhere."""

    def __init__(self, jobs: int = 0, cluster: str | None = None, threads: bool = True, patience: float = PATIENCE) -> None:
        if jobs < 0:
            raise NotLegalHere(f"{jobs} cores cannot be used")
        self.stack, self.losses = ExitStack(), tuple[type[Exception], ...]()
        if cluster is None:
            self.backend, self.size = "threading" if threads else "loky", jobs or joblib.cpu_count()
        else:
            self.backend, self.size = "dask", self._connect(cluster, patience)

    def work(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Generator[Any]:
        """Return what the function answers to each call, as soon as it comes; calls are asked for when a core is free."""
        with self.stack, joblib.parallel_config(backend=self.backend):
            parallel = joblib.Parallel(n_jobs=self.size, return_as="generator_unordered", batch_size=1)
            answers = parallel(joblib.delayed(function)(*call) for call in calls)
            try:
                for answer in answers:  # noqa: UP028 - closing is left to us
                    yield answer
            except self.losses as problem:
                raise NotLegalHere(f"the Dask cluster cannot go on: {str(problem).splitlines()[0]}") from problem
            finally:
                # Whoever stops in the middle knows that some answers are lost.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    answers.close()

    def _connect(self, cluster: str, patience: float) -> int:
        try:
            from distributed import Client, KilledWorker
        except ModuleNotFoundError:
            raise NotLegalHere("a Dask cluster needs distributed: pip install 'meldlab[cluster]'") from None
        try:
            client = self.stack.enter_context(Client(cluster, timeout=patience))
        except (OSError, ValueError, TypeError) as problem:
            raise NotLegalHere(f"no Dask cluster answers at {cluster}: {problem}") from None
        # No scheduler any more, no meldlab where a worker runs, a piece that took several workers down.
        self.losses = (CancelledError, ImportError, KilledWorker)
        cores = int(sum(client.ncores().values()))
        if not cores:
            self.stack.close()
            raise NotLegalHere(f"the Dask cluster at {cluster} has no workers")
        return cores
