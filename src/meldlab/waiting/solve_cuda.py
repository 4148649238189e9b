"""Solving a waiting game on a GPU: sweeps from above, in single precision until they are close, then in double."""

import time

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.gpu import use_gpu
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution

__all__ = ["solve_on_gpu"]

ROUGH = 1e-3  # the largest change at which single precision has done its work
HELD_RESIDUAL = 1e-12
MOST_SWEEPS = 200
THREADS, BLOCKS = 256, 132 * 64


def solve_on_gpu(game: Waiting) -> Solution:
    """Return the exact solution of a game, computed on the first CUDA device."""
    cuda = use_gpu()
    small, large = game.small, game.large
    needed, free = small.count * (8 + 4) + large.count * 8, cuda.current_context().get_memory_info()[0]
    if needed > free:
        raise NotLegalHere(f"{game} needs {needed / 1e9:.0f} GB on the GPU, which has {free / 1e9:.0f} GB free")
    from meldlab.waiting import kernel_cuda

    table, limit = game.goal.table(game.aces)
    start = time.perf_counter()
    up = cuda.to_device
    alive, keys, lanes, seats = up(game.alive), up(small.keys), up(small.lanes), up(small.seats)
    rows, large_rows, patterns, large_patterns = up(small.rows), up(large.rows), up(small.patterns), up(large.patterns)
    after_bytes = cuda.device_array(large.count, np.float64)
    shape = (BLOCKS, THREADS)
    sweeps, residual = 0, np.inf
    expected = cuda.device_array(small.count, np.float32)
    kernel_cuda.mark_goals[shape](expected, up(table), limit, lanes, seats, rows, patterns)
    for dtype, until in ((np.float32, ROUGH), (np.float64, HELD_RESIDUAL)):
        if dtype == np.float64:
            rough, expected = expected, cuda.device_array(small.count, np.float64)
            kernel_cuda.widen[shape](expected, rough)
            del rough
        after = after_bytes[: large.count] if dtype == np.float64 else after_bytes.view(np.float32)[: large.count]
        while True:
            change = up(np.zeros(1))
            kernel_cuda.sweep_discards[shape](after, expected, keys, lanes, seats, large_rows, patterns, large_patterns)
            kernel_cuda.sweep_draws[shape](
                expected, after, float(game.bag), change, alive, keys, lanes, seats, rows, patterns, large_patterns
            )
            residual, sweeps = float(change.copy_to_host()[0]), sweeps + 1
            if residual <= until:
                break
            if sweeps == MOST_SWEEPS:
                raise NotLegalHere(f"the equation does not close after {sweeps} sweeps (residual {residual:.1e}): {game}")
    cuda.synchronize()
    seconds = time.perf_counter() - start
    values = expected.copy_to_host()
    if not np.isfinite(values.max()):
        raise NotLegalHere(f"no hand can reach the goal any more: {game}")
    return Solution(game, values, residual, sweeps, seconds, "cuda")
