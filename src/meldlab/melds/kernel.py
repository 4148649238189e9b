"""Kernels on melds: a table of the leftovers of all 8192 suit masks for an ace rule and points, and enumeration of sets.

``leftovers``, [8192] uint16, has for every suit mask the fewest points outside runs. Sets connect suits, so they are enumerated first:
for each rank with three or four cards every set or none, and the table has the leftovers of the remaining cards of each suit.
"""

import numpy as np

from meldlab.cards.kernel import SUIT_MASK
from meldlab.compiling import device_function, kernel

# Bits of one rank in the suits of a 4-bit set of suits: SPREAD[0b0101] has bits 0 and 26.
SPREAD = np.array([sum(1 << 13 * suit for suit in range(4) if suits >> suit & 1) for suits in range(16)], np.int64)
# The sets of a rank: for each 4-bit set of held suits its subsets that are sets, "no set" first.
SETS = np.zeros((16, 6), np.int64)
for _held in (0b0111, 0b1011, 0b1101, 0b1110):
    SETS[_held, 1] = SPREAD[_held]
SETS[15, 1:] = SPREAD[[15, 7, 11, 13, 14]]
NUM_SETS = np.array([6 if held == 15 else 2 if held in (7, 11, 13, 14) else 1 for held in range(16)], np.int64)
# Index of the lowest bit of a suit mask.
LOWEST = np.array([0] + [(ranks & -ranks).bit_length() - 1 for ranks in range(1, 8192)], np.uint8)


@kernel
def leftovers(runs, points):
    """Return [8192] uint16: the fewest points of a suit mask outside runs; ``runs``: [runs] int64, the suit masks of single runs."""
    table = np.zeros(8192, np.uint16)
    for suit_mask in range(1, 8192):
        lowest = suit_mask & -suit_mask
        # The lowest card is left over or in one of the runs.
        best = table[suit_mask ^ lowest] + points[LOWEST[suit_mask]]
        for run in runs:
            if run & lowest and run & suit_mask == run:
                best = min(best, np.int64(table[suit_mask ^ run]))
        table[suit_mask] = best
    return table


@device_function
def leftover(hand, leftovers):
    """Return the fewest points of a hand outside runs, without sets."""
    return (
        np.int64(leftovers[hand & SUIT_MASK])
        + np.int64(leftovers[(hand >> 13) & SUIT_MASK])
        + np.int64(leftovers[(hand >> 26) & SUIT_MASK])
        + np.int64(leftovers[(hand >> 39) & SUIT_MASK])
    )


@device_function
def ranks_with_sets(hand):
    """Return the ranks of which the hand has three or four cards, as 13 bits."""
    a, b, c, d = hand & SUIT_MASK, (hand >> 13) & SUIT_MASK, (hand >> 26) & SUIT_MASK, (hand >> 39) & SUIT_MASK
    return (a & b & (c | d)) | (c & d & (a | b))


@device_function
def suits_held(hand, rank):
    """Return the suits of ``rank`` in the hand as 4 bits."""
    column = hand >> rank
    return (column & 1) | (column >> 12 & 2) | (column >> 24 & 4) | (column >> 36 & 8)


@device_function
def deadwood_with_sets(hand, ranks, leftovers):
    """Return the deadwood of a hand with sets of ``ranks`` only, 13 bits, at least one of them set."""
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = deadwood_with_sets(hand, others, leftovers) if others else leftover(hand, leftovers)
    # Recursion instead of a loop with arrays, whose allocation took three quarters of the time.
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (SETS[held, i] << rank)
        left = deadwood_with_sets(rest, others, leftovers) if others else leftover(rest, leftovers)
        if left < best:
            best = left
    return best


@device_function(inline="always")
def over_sets(hand, leaf, start, extra):
    """Reduce a hand of at most eleven cards over every choice of sets: ``best = leaf(rest, sets, best, extra)``, first with ``start``.

    ``rest`` and ``sets`` are the cards outside and inside the chosen sets. Eleven cards have at most three ranks with sets, so there are at
    most 72 choices; the sets of the lowest rank are the outer loop, and "no set" is first.
    """
    first = ranks_with_sets(hand)
    if first == 0:
        return leaf(hand, np.int64(0), start, extra)
    second = first & (first - 1)
    third = second & (second - 1)
    a, b, c = np.int64(LOWEST[first]), np.int64(LOWEST[second]), np.int64(LOWEST[third])
    suits_a = suits_held(hand, a)
    suits_b = suits_held(hand, b) if second else np.int64(0)
    suits_c = suits_held(hand, c) if third else np.int64(0)
    best = start
    for i in range(NUM_SETS[suits_a]):
        set_a = SETS[suits_a, i] << a
        for j in range(NUM_SETS[suits_b]):
            sets_ab = set_a | SETS[suits_b, j] << b
            for k in range(NUM_SETS[suits_c]):
                sets = sets_ab | SETS[suits_c, k] << c
                best = leaf(hand ^ sets, sets, best, extra)
    return best


@device_function(inline="always")
def deadwood_leaf(rest, sets, best, leftovers):
    """Return the smaller of ``best`` and the points outside runs."""
    return min(best, leftover(rest, leftovers))


@device_function
def small_hand_deadwood(hand, leftovers):
    """Return the deadwood of at most eleven cards without recursion, which is slow on a GPU."""
    return over_sets(hand, deadwood_leaf, np.int64(1000), leftovers)


@device_function
def deadwood(hand, leftovers):
    """Return the fewest points of a hand outside melds."""
    ranks = ranks_with_sets(hand)
    return deadwood_with_sets(hand, ranks, leftovers) if ranks else leftover(hand, leftovers)


@kernel
def deadwoods(hands, leftovers, result):
    """Set ``result``, [hands] uint16, to the deadwood of each of ``hands``, [hands] int64."""
    for i in range(len(hands)):
        result[i] = deadwood(hands[i], leftovers)
