"""What steps the tables of a vector environment on a GPU; its arrays are shared with other programs there without a copy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.gin import kernel_vector_cuda
from meldlab.gin.kernel_layout import PARAMETERS, Network, Pair
from meldlab.gin.kernel_vector import ACTIONS, NEW, Tables, Told
from meldlab.gin.stepping import put
from meldlab.gin.values.recursion import Engine

__all__ = ["Gpu"]

THREADS = 64  # in a block, when each has a table
WRITERS = 256  # in a block, when each writes a word
MOST_BLOCKS = 1 << 16
FINE = np.array([kernel_vector_cuda.FINE], np.int64)
LEGACY = 1  # the stream that everybody works on who does not ask for another


class Gpu:
    """One thread for each table."""

    device = "cuda"

    def __init__(self) -> None:
        self._engine = Engine(self.device)
        self._cuda = self._engine.cuda

    def array(self, shape: int | tuple[int, ...], kind: Any) -> Any:
        """Return an array of zeros on the GPU."""
        return self._cuda.to_device(np.zeros(shape, kind))

    def given(self, actions: Any) -> Any:
        """Return the actions of a caller as an array of the GPU, where they may be already."""
        interface = getattr(actions, "__cuda_array_interface__", None)
        if interface is None:
            return self._engine.up(np.asarray(actions))
        # Who works on a stream of its own is waited for.
        return self._cuda.as_cuda_array(actions, sync=interface.get("stream") not in (None, LEGACY))

    def lend(self, network: Network) -> Network:
        """Return a network where the kernels can read it."""
        return Network(*map(self._engine.up, network))

    def sit(self, tables: Tables, told: Told, pair: Pair | None) -> None:
        """Take the tables over, and the player inside if there is one."""
        many, up = len(tables.notes), self._engine.up
        self._tables, self._told, self._place_words = tables, told, tables.place.view(np.uint32)
        self._wrong, self._steps = up(FINE), 0
        self._kernel: Any = kernel_vector_cuda.step_some if pair is None else kernel_vector_cuda.step_against
        if pair is None:
            self._players: Any = up(np.zeros((2, PARAMETERS)))
        else:
            book = self._engine.book(pair.books[0])
            self._players = Pair(up(pair.vectors), (book, book))
        self._shape = _shape(many, THREADS)

    def rule(self, settings: NDArray[np.int64]) -> None:
        """Play by these settings from now on."""
        self.settings = self._engine.up(settings)

    def run(self, name: str, *arguments: Any) -> None:
        """Run a kernel over all tables."""
        getattr(kernel_vector_cuda, name)[self._shape](*arguments)

    def begin(self) -> None:
        """Begin a game at every table."""
        self._step(self._engine.up(np.full(len(self._tables.notes), NEW, np.int64)))

    def wrong(self) -> tuple[int, int] | None:
        """Wait for the GPU and return the first table and action that was not legal, if there is one; after that tables may go on."""
        found = int(self._wrong.copy_to_host()[0])
        if found == kernel_vector_cuda.FINE:
            return None
        put(self._wrong, FINE)
        action = found % 256
        return found // 256 % kernel_vector_cuda.MOST_TABLES, action if action < ACTIONS else -1

    def step(self, actions: Any) -> int:
        """Apply actions without waiting for the GPU, and none from the first step on in which one is not legal; ``wrong`` tells."""
        self._steps += 1
        self.run("find_illegal", self._tables.notes, actions, self._steps, self._wrong)
        self._step(actions)
        return -1

    def _step(self, actions: Any) -> None:
        self._kernel[self._shape](self._tables, actions, self._players, self.settings, self._told, self._wrong)
        words = len(self._tables.notes) * kernel_vector_cuda.EACH
        kernel_vector_cuda.tell_cards[_shape(words, WRITERS)](self._tables, self._place_words, self._told)


def _shape(many: int, threads: int) -> tuple[int, int]:
    return min(-(-many // threads), MOST_BLOCKS), threads
