"""Solving a waiting game on a GPU: two-phase sweeps from above until the equation holds."""

import time
from collections.abc import Callable

import numpy as np

from meldlab.cards.kernel import Numbering
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gpu import use_gpu
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import RESIDUAL

__all__ = ["solve_on_gpu"]

DIGITS = 12
MOST_SWEEPS = 200
FULL_SWEEPS, FULL_EVERY = 14, 5  # sweeps that all look for better discards, and how often the later ones do
GRID = 132 * 64, 256  # blocks and threads: many times what an H200 runs at once, so that no part of it waits for the last block


def solve_on_gpu(game: Waiting, progress: Callable[[int, int], None] | None = None) -> Solution:
    """Return the exact solution of a game, computed on the first CUDA device; ``progress`` is told (digits that are right, all)."""
    cuda = use_gpu()
    small, large = game.small, game.large
    needed, free = small.classes * (8 + 8) + large.classes * (8 + 8 + 1), cuda.current_context().get_memory_info()[0]
    if needed > free:
        raise NotPossible(f"{game} needs {needed / 1e9:.0f} GB on the GPU, which has {free / 1e9:.0f} GB free")
    import kernel_before as kernel_cuda

    leftovers, limit = game.goal.leftovers(game.aces)
    start = time.perf_counter()
    up = cuda.to_device
    alive, keys, patterns, large_patterns = up(game.space.alive), up(small.keys), up(small.patterns), up(large.patterns)
    hands, larger = cuda.device_array(small.classes, np.int64), cuda.device_array(large.classes, np.int64)
    for array, size in ((hands, small), (larger, large)):
        kernel_cuda.list_hands[GRID](array, Numbering(size.classes, size.renamings, *map(up, size[2:])))
    expected, after = cuda.device_array(small.classes, np.float64), cuda.device_array(large.classes, np.float64)
    kernel_cuda.mark_goals[GRID](expected, hands, up(leftovers), limit)
    choice = cuda.device_array(large.classes, np.uint8)
    sweeps, residual, full = 0, np.inf, True
    while True:
        change = up(np.zeros(1))
        discards = kernel_cuda.sweep_discards if full else kernel_cuda.keep_discards
        discards[GRID](after, choice, expected, larger, keys, patterns)
        kernel_cuda.sweep_draws[GRID](expected, after, hands, float(game.bag), change, alive, keys, large_patterns)
        residual, sweeps = float(change.copy_to_host()[0]), sweeps + 1
        if progress is not None:
            progress(int(np.clip(-np.log10(max(residual, RESIDUAL)), 0, DIGITS)), DIGITS)
        if full and residual <= RESIDUAL:
            break
        if sweeps == MOST_SWEEPS:
            raise NotPossible(f"the equation does not close after {sweeps} sweeps (residual {residual:.1e}): {game}")
        # The best discards settle long before the values: look for better ones now and then, and before the end.
        full = sweeps < FULL_SWEEPS or sweeps % FULL_EVERY == 0 or residual <= RESIDUAL
    cuda.synchronize()
    seconds = time.perf_counter() - start
    values = expected.copy_to_host()
    if not np.isfinite(values.max()):
        raise NotLegalHere(f"no hand can reach the goal any more: {game}")
    return Solution(game, values, residual, sweeps, seconds, "cuda")
