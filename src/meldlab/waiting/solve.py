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
from meldlab.waiting import kernel
from meldlab.waiting.checkpoint import Checkpoint
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution

__all__ = ["MOST_ON_CPU", "mark_goals", "solve"]

MOST_ON_CPU = 8
HELD_RESIDUAL = 1e-12  # E is some tens of turns, so this is a few hundred units in the last place
MOST_SWEEPS = 60
WIDTH, STEPS = 0.5, 32  # turns settled per call, and parts of it that share a heap
SMALL = 200_000  # classes that fit into one heap

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

    ``progress`` is told (hands done, hands in all); with ``checkpoint`` a file there keeps the state every ``every`` seconds, and a
    solve that was killed goes on from it.

    >>> solution = solve(Waiting(3))
    >>> round(solution.of("AC QH KD"), 8), solution.residual < 1e-12
    (19.1800551, True)
    """
    if device not in ("auto", "cpu", "cuda"):
        raise NoSuchThing("device", device, ["auto", "cpu", "cuda"])
    if device == "cuda" or (device == "auto" and game.cards > MOST_ON_CPU - 1 and has_gpu()):
        from meldlab.waiting.solve_cuda import solve_on_gpu

        return solve_on_gpu(game)
    if game.cards > MOST_ON_CPU:
        raise NotLegalHere(_too_large(game))
    with _threads(threads):
        return _solve_on_cpu(game, progress, Checkpoint(checkpoint, game, every))


def mark_goals(game: Waiting) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    """Return E and weight of every class before anything is known: 0 at the goal, infinity elsewhere, no weight."""
    small = game.small
    expected, weight = np.empty(small.count), np.empty(small.count, np.int16)
    table, limit = game.goal.table(game.aces)
    kernel.mark_goals(expected, weight, table, limit, small.lanes, small.seats, small.rows, small.patterns)
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
    width, steps = (np.inf, 1) if small.count < SMALL else (WIDTH, STEPS)
    while locked < small.count:
        low = float(kernel.least_waiting(expected, weight))
        if low == np.inf:
            raise NotLegalHere(f"{small.count - locked:,} classes of hands can never reach the goal: {game}")
        locked += int(
            kernel.settle(
                low,
                low + width,
                steps,
                float(game.bag),
                expected,
                weight,
                reached,
                game.alive,
                small.keys,
                small.lanes,
                small.seats,
                small.rows,
                small.patterns,
                large.patterns,
                small.renamings,
            )
        )
        if progress is not None:
            progress(locked, small.count)
        checkpoint.keep(expected, weight, reached, locked)
    del reached, weight
    residual, sweeps = _sweep(game, expected)
    checkpoint.drop()
    return Solution(game, expected, residual, sweeps, time.perf_counter() - start, "cpu")


def _sweep(game: Waiting, expected: NDArray[np.float64]) -> tuple[float, int]:
    """Sweep until the equation holds, usually at once, and return (residual, sweeps)."""
    small, large = game.small, game.large
    after = np.empty(large.count)
    for sweeps in range(1, MOST_SWEEPS + 1):
        kernel.sweep_discards(after, expected, small.keys, small.lanes, small.seats, large.rows, small.patterns, large.patterns)
        residual = float(
            kernel.sweep_draws(
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
        )
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
