"""Kernels on melds: the leftovers of 8192 lanes per ace rule and points, sets by enumeration.

``leftovers``, [8192] uint16, holds for every suit lane the fewest points left over when its cards are melded in runs only. Sets join suits,
so they are chosen first: for each rank with three or four cards every set or none, and the leftovers answer for what remains of each lane.
"""

import numpy as np

from meldlab.cards.kernel import LANE
from meldlab.compiling import kernel, scalar_kernel

# Bits of one rank in the suits of a 4-bit choice: SPREAD[0b0101] has bits 0 and 26.
SPREAD = np.array([sum(1 << 13 * suit for suit in range(4) if choice >> suit & 1) for choice in range(16)], np.int64)
# The sets within 4 suits: for each 4-bit choice of suits held, the sets to try, "no set" first.
TRIES = np.zeros((16, 6), np.int64)
for _held in (0b0111, 0b1011, 0b1101, 0b1110):
    TRIES[_held, 1] = SPREAD[_held]
TRIES[15, 1:] = SPREAD[[15, 7, 11, 13, 14]]
MANY_TRIES = np.array([6 if held == 15 else 2 if held in (7, 11, 13, 14) else 1 for held in range(16)], np.int64)
# Place of the lowest bit of a lane.
LOWEST = np.array([0] + [(lane & -lane).bit_length() - 1 for lane in range(1, 8192)], np.uint8)


@scalar_kernel
def lane_points(lane, points):
    """Return the points of the cards of a lane; ``points``: [13] int64 by rank."""
    total = 0
    for rank in range(13):
        if lane >> rank & 1:
            total += points[rank]
    return total


@kernel
def leftovers(runs, points):
    """Return [8192] uint16: the fewest points of a lane outside runs; ``runs``: [runs] int64, lanes that are one run."""
    left = np.zeros(8192, np.uint16)
    for lane in range(1, 8192):
        lowest = lane & -lane
        # The lowest card is left over, or lies in one of the runs.
        best = left[lane ^ lowest] + lane_points(lowest, points)
        for run in runs:
            if run & lowest and run & lane == run:
                best = min(best, np.int64(left[lane ^ run]))
        left[lane] = best
    return left


@scalar_kernel
def leftover(hand, leftovers):
    """Return the fewest points of a hand left over when only runs are melded."""
    return (
        np.int64(leftovers[hand & LANE])
        + np.int64(leftovers[(hand >> 13) & LANE])
        + np.int64(leftovers[(hand >> 26) & LANE])
        + np.int64(leftovers[(hand >> 39) & LANE])
    )


@scalar_kernel
def ranks_with_sets(hand):
    """Return, as a lane, the ranks of which the hand holds three or four cards."""
    a, b, c, d = hand & LANE, (hand >> 13) & LANE, (hand >> 26) & LANE, (hand >> 39) & LANE
    return (a & b & (c | d)) | (c & d & (a | b))


@scalar_kernel
def suits_held(hand, rank):
    """Return the suits of ``rank`` in the hand as a 4-bit choice."""
    column = hand >> rank
    return (column & 1) | (column >> 12 & 2) | (column >> 24 & 4) | (column >> 36 & 8)


@scalar_kernel
def deadwood_with_sets(hand, ranks, leftovers):
    """Return the deadwood of a hand when sets are allowed on ``ranks``, a lane with at least one bit."""
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = deadwood_with_sets(hand, others, leftovers) if others else leftover(hand, leftovers)
    # Recursion, not an odometer: an odometer needs arrays, and asking for them took three quarters of the time.
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (TRIES[held, i] << rank)
        left = deadwood_with_sets(rest, others, leftovers) if others else leftover(rest, leftovers)
        if left < best:
            best = left
    return best


@scalar_kernel
def deadwood_of_few(hand, ranks, leftovers):
    """Return the same for a lane with at most three bits, and eleven cards have no more.

    For a GPU, which has to call a recursive function and to put aside what it had in registers.
    """
    second = ranks & (ranks - 1)
    third = second & (second - 1)
    a, b, c = np.int64(LOWEST[ranks]), np.int64(LOWEST[second]), np.int64(LOWEST[third])
    suits_a = suits_held(hand, a) if ranks else np.int64(0)
    suits_b = suits_held(hand, b) if second else np.int64(0)
    suits_c = suits_held(hand, c) if third else np.int64(0)
    best = np.int64(1000)
    for i in range(MANY_TRIES[suits_a]):
        without_a = hand ^ (TRIES[suits_a, i] << a)
        for j in range(MANY_TRIES[suits_b]):
            without_b = without_a ^ (TRIES[suits_b, j] << b)
            for k in range(MANY_TRIES[suits_c]):
                best = min(best, leftover(without_b ^ (TRIES[suits_c, k] << c), leftovers))
    return best


@scalar_kernel
def deadwood(hand, leftovers):
    """Return the fewest points of a hand outside melds."""
    ranks = ranks_with_sets(hand)
    return deadwood_with_sets(hand, ranks, leftovers) if ranks else leftover(hand, leftovers)


@kernel
def deadwoods(hands, leftovers):
    """Return [hands] uint16, the deadwood of each of ``hands``, [hands] int64."""
    result = np.empty(len(hands), np.uint16)
    for i in range(len(hands)):
        result[i] = deadwood(hands[i], leftovers)
    return result
