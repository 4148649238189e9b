"""The two-phase sweep on a GPU: one thread per class of hands, around the same scalar functions as on the CPU."""

import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_unrank
from meldlab.melds.kernel import deadwood
from meldlab.waiting.kernel import after_discard, best_discard, mean_over_draws


@cuda.jit
def list_hands(hands, lanes, seats, rows, patterns):
    """Set ``hands`` [classes] int64 to the hands that stand for them: unranking anew in every sweep would take most of its time."""
    for rank in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[rank] = class_unrank(np.int64(rank), rows, patterns, lanes, seats)


@cuda.jit
def mark_goals(expected, hands, table, limit):
    """Set ``expected`` [N] to 0 on hands with deadwood at most ``limit``, elsewhere to infinity."""
    for rank in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        expected[rank] = 0.0 if deadwood(hands[rank], table) <= limit else np.inf


@cuda.jit
def sweep_discards(after, choice, expected, hands, keys, small):
    """Set ``after`` [M] to F of every (n+1)-card hand and ``choice`` [M] uint8 to the number of the card to discard."""
    for rank in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[rank], _, choice[rank] = best_discard(hands[rank], expected, keys, small)


@cuda.jit
def keep_discards(after, choice, expected, hands, keys, small):
    """Set ``after`` [M] to what the choices of the last full sweep give now: still a bound from above, at a fraction of the cost."""
    for rank in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        card = np.int64(choice[rank])
        if card < 52:
            after[rank] = after_discard(hands[rank], card, expected, keys, small)


@cuda.jit
def sweep_draws(expected, after, hands, bag, change, alive, keys, large):
    """Set ``expected`` [N] to its next value from ``after``; ``change`` [1] float64 becomes the largest change among finite values."""
    most = 0.0
    for rank in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        now = expected[rank]
        if now > 0.0:
            new = mean_over_draws(hands[rank], now, bag, after, alive, keys, large)
            # A hand that was out of reach before has changed by any measure.
            most = max(most, now - new if now < np.inf else (1e300 if new < np.inf else 0.0))
            expected[rank] = new
    cuda.atomic.max(change, 0, most)
