"""What steps the tables of a vector environment on the cores of this machine."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import kernel_vector
from meldlab.gin.kernel_layout import PARAMETERS, Network, Pair
from meldlab.gin.kernel_vector import NEW, Tables, Told

__all__ = ["Cores", "put"]

WORTH_A_CORE = 256  # tables; stepping fewer takes less time than waking another core


def put(target: Any, values: NDArray[Any]) -> None:
    """Fill an array, of this side or of the GPU."""
    if not hasattr(target, "copy_to_device"):
        target[:] = values
    elif values.size:  # of nothing, numba compares the strides
        target.copy_to_device(np.ascontiguousarray(values))


class Cores:
    """As many cores as the tables are worth waking."""

    device = "cpu"

    def __init__(self, threads: int) -> None:
        most = int(numba.config.NUMBA_NUM_THREADS)
        if threads > most:
            raise NotPossible(f"{threads} threads asked for, this machine has {most}")
        self._threads = threads or most

    def array(self, shape: int | tuple[int, ...], kind: Any) -> NDArray[Any]:
        """Return an array of zeros."""
        return np.zeros(shape, kind)

    def given(self, actions: Any) -> NDArray[Any]:
        """Return the actions of a caller as an array."""
        try:
            return np.asarray(actions)
        except ValueError:
            raise NotLegalHere("actions are whole numbers, one for each table, and not lists of several lengths") from None

    def lend(self, network: Network) -> Network:
        """Return a network where the kernels can read it."""
        return network

    def sit(self, tables: Tables, told: Told, pair: Pair | None) -> None:
        """Take the tables over, and the player inside if there is one."""
        many = len(tables.notes)
        self._tables, self._told, self._actions = tables, told, np.zeros(many, np.int64)
        self._cores = min(self._threads, -(-many // WORTH_A_CORE))
        self._kernel: Any = kernel_vector.step_some if pair is None else kernel_vector.step_against
        self._players: Any = np.zeros((2, PARAMETERS)) if pair is None else pair
        self._alone = pair is None and self._cores == 1
        self._pool: ThreadPoolExecutor | None = None

    def rule(self, settings: NDArray[np.int64]) -> None:
        """Play by these settings from now on."""
        self.settings = settings

    def run(self, name: str, *arguments: Any) -> None:
        """Run a kernel over all tables."""
        getattr(kernel_vector, name)(*arguments)

    def begin(self) -> None:
        """Begin a game at every table."""
        self._actions[:] = NEW
        self._step()

    def wrong(self) -> tuple[int, int] | None:
        """Return nothing: a step on the cores says itself what is wrong."""
        return None

    def step(self, actions: NDArray[Any]) -> int:
        """Apply actions and return -1, or the first table whose action is not legal and apply none."""
        self._actions[:] = actions
        if self._alone:
            return int(kernel_vector.step_all(self._tables, self._actions, self._players, self.settings, self._told))
        wrong = int(kernel_vector.first_illegal(self._tables.notes, self._actions))
        if wrong < 0:
            self._step()
        return wrong

    def _step(self) -> None:
        many, cores = len(self._actions), self._cores

        def some(first: int, behind: int) -> None:
            self._kernel(self._tables, self._actions, self._players, self.settings, self._told, first, behind - first)

        if cores == 1:
            some(0, many)
            return
        if self._pool is None:
            some(0, 0)  # loads or compiles the kernel, before several threads ask for it at once
            self._pool = ThreadPoolExecutor(cores - 1)
        cuts = [many * core // cores for core in range(cores + 1)]
        others: list[Future[None]] = []
        try:
            others += [self._pool.submit(some, cuts[core], cuts[core + 1]) for core in range(1, cores)]
            some(0, cuts[1])
        finally:
            # Whoever interrupts: what has begun must end, or half of the tables would be a step ahead.
            wait(others)
        for other in others:
            other.result()
