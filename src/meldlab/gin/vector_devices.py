"""The cores of this machine, or its GPU, stepping the tables of a vector environment."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import kernel_vector
from meldlab.gin.batch import PlayerParameters
from meldlab.gin.kernel_state import NUM_ACTIONS, NetworkParameters, PolicyParameters, RuleNumbers, ValueTable, ValueWeights
from meldlab.gin.kernel_vector import NEW_GAME, NoPlayer, Outputs, StepSettings, VectorState
from meldlab.gpu import Device

MIN_TABLES = 256  # of a core, not tuned: a step of them takes some 30 us, about as long as handing work to a thread
THREADS = 64  # in a block, when each has a table
WRITERS = 256  # in a block, when each writes a word
MAX_BLOCKS = 1 << 16
DEFAULT_STREAM = 1  # the stream of programs that name no other


class Cores(Device):
    """Tables stepped by cores, each with MIN_TABLES of them at least."""

    def __init__(self, threads: int) -> None:
        super().__init__("cpu")
        most = int(numba.config.NUMBA_NUM_THREADS)
        if threads > most:
            raise NotPossible(f"{threads} threads asked for, this machine has {most}")
        self._threads = threads or most

    def actions_of(self, actions: Any) -> NDArray[Any]:
        """Return the actions of a caller as an array."""
        try:
            return np.asarray(actions)
        except ValueError:
            raise NotLegalHere("expected whole numbers as actions, one for each table, got lists of several lengths") from None

    def bind(self, tables: VectorState, outputs: Outputs, rules: RuleNumbers, player: PlayerParameters | None) -> None:
        """Set the tables, and the player inside if there is one."""
        count = len(tables.states)
        self._actions, self._cores = np.zeros(count, np.int64), min(self._threads, -(-count // MIN_TABLES))
        self._tables, self._outputs, self._rules, self._player = tables, outputs, rules, player or NoPlayer()
        self._step_all: Any = kernel_vector.step_all_alone if player is None else partial(kernel_vector.step_all, player)
        self._pool: ThreadPoolExecutor | None = None

    def run(self, name: str, *arguments: Any) -> None:
        """Run a kernel over all tables."""
        getattr(kernel_vector, name)(*arguments)

    def resume(self, settings: StepSettings) -> None:
        """Continue with these settings."""
        self._numbers = np.array([(*self._rules, *settings)], kernel_vector.NUMBERS)

    def start(self, settings: StepSettings) -> None:
        """Start a game at every table."""
        self.resume(settings)
        self._actions[:] = NEW_GAME
        self._step()

    def find_illegal(self) -> tuple[int, int] | None:
        """Return None: a step on the cores returns what is illegal."""
        return None

    def step(self, actions: NDArray[Any]) -> int:
        """Apply actions and return -1, or the first table whose action is not legal and apply none."""
        self._actions[:] = actions
        if self._cores == 1:
            return int(self._step_all(self._tables, self._actions, self._numbers, self._outputs))
        illegal = int(kernel_vector.first_illegal(self._tables.states, self._actions))
        if illegal < 0:
            self._step()
        return illegal

    def _step(self) -> None:
        count, cores = len(self._actions), self._cores

        def step(first: int, end: int) -> None:
            kernel_vector.step_tables(self._player, self._tables, self._actions, self._numbers, self._outputs, first, end - first)

        if cores == 1:
            step(0, count)
            return
        if self._pool is None:
            step(0, 0)  # loads or compiles the kernel, before several threads ask for it at once
            self._pool = ThreadPoolExecutor(cores - 1)
        cuts = [count * core // cores for core in range(cores + 1)]
        others: list[Future[None]] = []
        try:
            others += [self._pool.submit(step, cuts[core], cuts[core + 1]) for core in range(1, cores)]
            step(0, cuts[1])
        finally:
            # Also after Ctrl-C: started steps must end, or half of the tables would be a step ahead.
            wait(others)
        for other in others:
            other.result()


class Gpu(Device):
    """Tables stepped by a thread each; the arrays are shared with other programs on the GPU without a copy."""

    def __init__(self) -> None:
        from meldlab.gin import kernel_vector_cuda

        super().__init__("cuda")
        self._kernels = kernel_vector_cuda

    def actions_of(self, actions: Any) -> Any:
        """Return the actions of a caller as an array of the GPU, where they may be already."""
        assert self.cuda is not None
        interface = getattr(actions, "__cuda_array_interface__", None)
        if interface is None:
            return self.up(np.asarray(actions))
        # Another stream than the default one is waited for.
        return self.cuda.as_cuda_array(actions, sync=interface.get("stream") not in (None, DEFAULT_STREAM))

    def bind(self, tables: VectorState, outputs: Outputs, rules: RuleNumbers, player: PlayerParameters | None) -> None:
        """Set the tables, and the player inside if there is one."""
        self._tables, self._outputs, self._rules = tables, outputs, rules
        self._illegal, self._steps = self.up(np.array([self._kernels.NONE_ILLEGAL], np.int64)), 0
        self._player = NoPlayer() if player is None else parameters_on(self, player)
        self._shape = _shape(len(tables.states), THREADS)

    def run(self, name: str, *arguments: Any) -> None:
        """Run a kernel over all tables."""
        getattr(self._kernels, name)[self._shape](*arguments)

    def resume(self, settings: StepSettings) -> None:
        """Continue with these settings."""
        self._settings = settings

    def start(self, settings: StepSettings) -> None:
        """Start a game at every table."""
        self.resume(settings)
        self._step(self.up(np.full(len(self._tables.states), NEW_GAME, np.int64)))

    def find_illegal(self) -> tuple[int, int] | None:
        """Wait for the GPU and return the first table and action that was not legal, if there is one; after that tables may continue."""
        code = int(self._illegal.copy_to_host()[0])
        if code == self._kernels.NONE_ILLEGAL:
            return None
        self.put(self._illegal, np.array([self._kernels.NONE_ILLEGAL], np.int64))
        action = code % 256
        return code // 256 % self._kernels.MAX_TABLES, action if action < NUM_ACTIONS else -1

    def step(self, actions: Any) -> int:
        """Apply actions without waiting for the GPU, and none from the first step on in which one is not legal."""
        self._steps += 1
        self.run("find_illegal", self._tables.states, actions, self._steps, self._illegal)
        self._step(actions)
        return -1

    def _step(self, actions: Any) -> None:
        arguments = self._tables, actions, self._rules, self._settings, self._outputs, self._illegal
        self._kernels.step_tables[self._shape](self._player, *arguments)
        words = len(self._tables.states) * self._kernels.TABLE_WORDS
        self._kernels.write_words[_shape(words, WRITERS)](self._tables.states, self._outputs)


def _shape(count: int, threads: int) -> tuple[int, int]:
    return min(-(-count // threads), MAX_BLOCKS), threads


def parameters_on(device: Device, player: PlayerParameters) -> PlayerParameters:
    """Return the parameters of a player with arrays that the kernels of a device can read."""
    if device.cuda is None:
        return player
    if isinstance(player, PolicyParameters):
        raise NotPossible("a policy does not play inside on the GPU: it plays on the cores, or as a network of PyTorch")
    if isinstance(player, NetworkParameters):
        return player._replace(weights=ValueWeights(*map(device.up, player.weights)))
    return ValueTable(*map(device.up, player)) if isinstance(player, ValueTable) else player
