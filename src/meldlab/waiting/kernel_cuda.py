"""The two-phase sweep on a GPU: one thread per class of hands, around the same scalar functions as on the CPU."""

import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_unrank
from meldlab.melds.kernel import deadwood
from meldlab.waiting.kernel import least_after_discard, mean_over_draws


@cuda.jit
def mark_goals(expected, table, limit, lanes, seats, rows, small):
    """Set ``expected`` [N] to 0 on hands with deadwood at most ``limit``, elsewhere to infinity."""
    for rank in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        hand = class_unrank(np.int64(rank), rows, small, lanes, seats)
        expected[rank] = 0.0 if deadwood(hand, table) <= limit else np.inf


@cuda.jit
def sweep_discards(after, expected, keys, lanes, seats, large_rows, small, large):
    """Set ``after`` [M] to F of every (n+1)-card hand."""
    for rank in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[rank] = least_after_discard(class_unrank(np.int64(rank), large_rows, large, lanes, seats), expected, keys, small)


@cuda.jit
def sweep_draws(expected, after, bag, change, alive, keys, lanes, seats, rows, small, large):
    """Set ``expected`` [N] to its next value from ``after``; ``change`` [1] float64 becomes the largest change among finite values."""
    most = 0.0
    for rank in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        now = np.float64(expected[rank])
        if now > 0.0:
            new = mean_over_draws(class_unrank(np.int64(rank), rows, small, lanes, seats), now, bag, after, alive, keys, large)
            # A hand that was out of reach before has changed by any measure.
            most = max(most, now - new if now < np.inf else (1e300 if new < np.inf else 0.0))
            expected[rank] = new
    cuda.atomic.max(change, 0, most)


@cuda.jit
def widen(expected, rough):
    """Copy ``rough`` [N] float32 into ``expected`` [N] float64, a little larger: sweeps must start from above."""
    for rank in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        expected[rank] = np.float64(rough[rank]) * (1.0 + 1e-6)
