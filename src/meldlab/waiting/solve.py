"""Solving a waiting game on this machine: settle all hands once, then sweep until the equation holds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gpu import has_gpu
from meldlab.pieces import pieces
from meldlab.waiting import kernel
from meldlab.waiting.checkpoint import Checkpoint
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution

__all__ = ["MOST_ON_CPU", "mark_goals", "on_gpu", "solve"]

MOST_ON_CPU = 8
HELD_RESIDUAL = 1e-12  # E is some tens of turns, so this is a few hundred units in the last place
MOST_SWEEPS = 60
WIDTH, STEPS = 0.5, 32  # turns settled per call, and parts of it that share a heap
SMALL = 200_000  # classes that fit into one heap
PIECE = 1 << 16  # classes of the first piece of any work

Progress = Callable[[int, int], None]


def solve(
    game: Waiting,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    every: float = 20.0,
) -> Solution:
    """Return the exact solution of a game (to the rounding of doubles).

    ``device`` is cpu, cuda or auto: a GPU, if there is one, for 8 cards and more, unless ``threads`` are asked for. ``progress`` is told
    (hands done, hands in all), on a GPU (digits that are right, all of them). With ``checkpoint`` a file there keeps the state every
    ``every`` seconds, and a solve that was killed goes on from it; a GPU needs none, and has no threads of that kind.

    >>> solution = solve(Waiting(3))
    >>> round(solution.of("AC QH KD"), 8), solution.residual < 1e-12
    (19.1800551, True)
    """
    if on_gpu(game, device, threads):
        for name, given in (("threads", threads), ("checkpoint", checkpoint)):
            if given is not None:
                raise NotLegalHere(f"{name}={given!s} is for the CPU; a game that is solved on the GPU takes none")
        from meldlab.waiting.solve_cuda import solve_on_gpu

        return solve_on_gpu(game, progress)
    if game.cards > MOST_ON_CPU:
        raise NotLegalHere(_too_large(game))
    with _threads(threads):
        return _solve_on_cpu(game, progress, Checkpoint(checkpoint, game, every))


def on_gpu(game: Waiting, device: str, threads: int | None) -> bool:
    """Tell whether a game is solved on a GPU."""
    if device not in ("auto", "cpu", "cuda"):
        raise NoSuchThing("device", device, ["auto", "cpu", "cuda"])
    return device == "cuda" or (device == "auto" and threads is None and game.cards >= MOST_ON_CPU and has_gpu())


def mark_goals(game: Waiting) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    """Return E and weight of every class before anything is known: 0 at the goal, infinity elsewhere, no weight."""
    small = game.small
    expected, weight = np.empty(small.count), np.empty(small.count, np.int16)
    table, limit = game.goal.table(game.aces)
    for first, part in pieces(small.count, PIECE):
        kernel.mark_goals(first, part, expected, weight, table, limit, small.lanes, small.seats, small.rows, small.patterns)
    return expected, weight


def _solve_on_cpu(game: Waiting, progress: Progress | None, checkpoint: Checkpoint) -> Solution:
    start = time.perf_counter()
    small, large = game.small, game.large
    resumed = checkpoint.load()
    if resumed is None:
        expected, weight = mark_goals(game)
        reached, locked = np.zeros(large.count, np.uint8), 0
        if not np.any(expected == 0.0):
            raise NotLegalHere(f"no hand can reach the goal any more: {game}")
    else:
        expected, weight, reached, locked = resumed.expected, resumed.weight, resumed.reached, resumed.locked
    settling = _Settling(game, expected, weight, reached)
    begun = locked
    for first, part in pieces(small.count - begun, PIECE):
        settling.lock(part)
        locked = begun + first + part
        if progress is not None:
            progress(locked, small.count)
        checkpoint.keep(expected, weight, reached, locked)
    del settling, reached, weight
    residual, sweeps = _sweep(game, expected)
    checkpoint.drop()
    return Solution(game, expected, residual, sweeps, time.perf_counter() - start, "cpu")


class _Settling:
    """Where the settling of a game stands: its present stretch of E, and the window and the heap of ``kernel.settle``."""

    def __init__(self, game: Waiting, expected: NDArray[np.float64], weight: NDArray[np.int16], reached: NDArray[np.uint8]) -> None:
        self.game, self.expected, self.weight, self.reached = game, expected, weight, reached
        self.low = self.high = 0.0
        self.width, self.steps = (np.inf, 1) if game.small.count < SMALL else (WIDTH, STEPS)
        self.window = np.empty(game.small.count, np.int64)
        self.values, self.ranks = np.empty(1 << 12), np.empty(1 << 12, np.int64)
        self.state = np.array([self.steps + 1, 0, 0, 0])

    def lock(self, many: int) -> None:
        """Lock the ``many`` hands with the least E."""
        game, small = self.game, self.game.small
        numbering = small.keys, small.lanes, small.seats, small.rows, small.patterns
        while many:
            if self.state[kernel.STEP] > self.steps:
                self._open()
            if self.state[kernel.WANTED] > len(self.values):
                self._enlarge(int(self.state[kernel.WANTED]))
            many -= kernel.settle(
                many,
                self.low,
                self.high,
                self.steps,
                self.state,
                self.window,
                self.values,
                self.ranks,
                float(game.bag),
                self.expected,
                self.weight,
                self.reached,
                game.alive,
                numbering,
                game.large.patterns,
                small.renamings,
            )

    def _open(self) -> None:
        """Begin the next stretch, at the least E of all hands that are not locked."""
        self.low = float(kernel.least_waiting(self.expected, self.weight))
        if self.low == np.inf:
            left = int(np.count_nonzero(self.weight >= 0))
            raise NotLegalHere(f"{left:,} classes of hands can never reach the goal: {self.game}")
        self.high = self.low + self.width
        self.state[:] = 0, kernel.open_window(self.high, self.window, self.expected, self.weight), 0, 0

    def _enlarge(self, entries: int) -> None:
        used, room = int(self.state[kernel.SIZE]), max(entries, 2 * len(self.values))
        values, ranks = np.empty(room), np.empty(room, np.int64)
        values[:used], ranks[:used] = self.values[:used], self.ranks[:used]
        self.values, self.ranks = values, ranks


def _sweep(game: Waiting, expected: NDArray[np.float64]) -> tuple[float, int]:
    """Sweep until the equation holds, usually at once, and return (residual, sweeps)."""
    small, large = game.small, game.large
    after = np.empty(large.count)
    for sweeps in range(1, MOST_SWEEPS + 1):
        for first, part in pieces(large.count, PIECE):
            kernel.sweep_discards(
                first, part, after, expected, small.keys, small.lanes, small.seats, large.rows, small.patterns, large.patterns
            )
        residual = 0.0
        for first, part in pieces(small.count, PIECE):
            change = kernel.sweep_draws(
                first,
                part,
                expected,
                after,
                float(game.bag),
                game.alive,
                small.keys,
                small.lanes,
                small.seats,
                small.rows,
                small.patterns,
                large.patterns,
            )
            residual = max(residual, float(change))
        if residual <= HELD_RESIDUAL:
            return residual, sweeps
    raise NotLegalHere(f"the equation does not close after {MOST_SWEEPS} sweeps (residual {residual:.1e}): {game}")


def _too_large(game: Waiting) -> str:
    classes, larger = game.small.count, game.large.count
    memory = (classes * (8 + 2 + 8) + larger * (1 + 8)) / 1e9
    # Seven cards take about 45 s on one core of 2.8 GHz; the work goes with the draws and discards that are met.
    work = (classes * game.bag + larger * (game.cards + 1)) / (6_009_159 * 45 + 32_819_436 * 8)
    return (
        f"{game.cards} cards need a GPU (--device cuda): here they would take {memory:,.0f} GB of memory "
        f"and about {work * 45 / 3600:,.1f} hours; up to {MOST_ON_CPU} cards are solved on the CPU"
    )


@contextmanager
def _threads(threads: int | None) -> Iterator[None]:
    """Use this many threads within the block."""
    before, most = numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS
    if threads is not None and not 1 <= threads <= most:
        raise NotLegalHere(f"{threads} threads where this machine has 1 to {most}")
    numba.set_num_threads(threads or before)
    try:
        yield
    finally:
        numba.set_num_threads(before)
