"""The two-phase sweep on a GPU: one thread per class of hands, around the same scalar functions as on the CPU."""

import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_hand
from meldlab.melds.kernel import deadwood
from meldlab.waiting.kernel import after_discard, least_wait, mean_over_draws


@cuda.jit
def list_hands(hands, numbering):
    """Set ``hands`` [classes] int64 to the hands that stand for them: finding them anew in every sweep would take most of its time."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[number] = class_hand(np.int64(number), numbering)


@cuda.jit
def mark_goals(expected, hands, leftovers, limit):
    """Set ``expected`` [N] to 0 on hands with deadwood at most ``limit``, elsewhere to infinity."""
    for number in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        expected[number] = 0.0 if deadwood(hands[number], leftovers) <= limit else np.inf


@cuda.jit
def sweep_discards(after, choice, expected, hands, keys, patterns):
    """Set ``after`` [M] to F of every (n+1)-card hand and ``choice`` [M] uint8 to the number of the card to discard."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number], _, choice[number] = least_wait(hands[number], expected, keys, patterns)


@cuda.jit
def keep_discards(after, choice, expected, hands, keys, patterns):
    """Set ``after`` [M] to what the choices of the last full sweep give now: still a bound from above, at a fraction of the cost."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        card = np.int64(choice[number])
        if card < 52:
            after[number] = after_discard(hands[number], card, expected, keys, patterns)


@cuda.jit
def sweep_draws(expected, after, hands, bag, change, alive, keys, patterns):
    """Set ``expected`` [N] to its next value from ``after``; ``change`` [1] float64 becomes the largest change among finite values."""
    most = 0.0
    for number in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        now = expected[number]
        if now > 0.0:
            new = mean_over_draws(hands[number], now, bag, after, alive, keys, patterns)
            # A hand that was out of reach before has changed by any measure.
            most = max(most, now - new if now < np.inf else (1e300 if new < np.inf else 0.0))
            expected[number] = new
    cuda.atomic.max(change, 0, most)
