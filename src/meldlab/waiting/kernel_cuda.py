"""Kernels of waiting times on a GPU: upper bounds, lowered in place, one thread per class of hands.

A thread reads the F of all hands that its hand can draw into, lowers its E, and lowers the F of those hands in turn, so that later threads
of the same sweep already use it. No bound is ever too low, whatever the order in which threads read and write. Finding the numbers of
hands takes most of the time, so all hands of one pattern (cards per suit) are processed together: what is the same for them is computed
before, in a plan, and the rest is 32-bit arithmetic on small tables, all values of a suit read together.

*Slots* are the suits in the order of keys (cards.kernel). ``plan``: [4 slots, 13] uint32, for draws into each slot the fields of PLAN.
``ranks``: [4 blocks, 704] uint16, rank by suit mask in two parts: that of the lower seven ranks in the first 128 entries, then what the
upper six add, in 64 entries for each number of cards below.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from meldlab.cards.kernel import SUIT_MASK, class_hand, orbit_size, pairs, triples
from meldlab.gpu import gpu_kernel
from meldlab.melds.kernel import deadwood
from meldlab.waiting.kernel import STRETCH

# Fields of a plan: shift of the suit in a hand, its block, its ranks in play; of the number that a draw leads to, the common part, the
# weight of the drawn suit, how often its group occurs among the others, the first of these; then three each: weight of another suit, 0 in
# the group, and its position in its own group.
SHIFT, BLOCK, ALIVE, OFFSET, WEIGHT, ALIKE, FIRST, WEIGHTS, PLACES = 0, 1, 2, 3, 4, 5, 6, 7, 10
PLAN = 13
LOWER, UPPER, RANKS = 7, 6, 128 + 9 * 64
RANKED = 13  # draws from one suit at most
BEYOND = np.uint32(0xFFFFFFFF)  # more than any rank


class GpuBounds(NamedTuple):
    """Bounds of E and F on the GPU."""

    expected: Any  # [N] float64
    after: Any  # [M + 1] float64, the last is infinity, the target of draws that do not exist
    bits: Any  # [M + 1] int64, the same memory; integers can be lowered atomically
    hands: Any  # [N] int64


@cuda.jit(device=True)
def rank_of(held, block, ranks):
    """Return the rank of a suit mask among those with as many cards."""
    low, high = held & np.uint32(127), np.uint32(held >> np.uint32(LOWER))
    return np.uint32(np.uint32(ranks[block, low]) + np.uint32(ranks[block, np.uint32(128 + 64 * cuda.popc(low) + high)]))


@cuda.jit(device=True)
def quadruples(r):
    """Return C(r + 3, 4) in 32 bits; a suit mask that four suits can share has at most 78 ranks."""
    twice = np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) * np.uint32(r + np.uint32(2)))
    return np.uint32(np.uint32(twice * np.uint32(r + np.uint32(3))) // np.uint32(24))


@cuda.jit(device=True)
def list_draws(numbers, hand, slot, plan, ranks, none):
    """Set ``numbers`` [13] to the numbers that draws into a slot lead to, ``none`` without such a card; return the cards that there are.

    Loops of constant length over constant bits: the compiler unrolls them, and ``numbers`` stays in registers.
    """
    base, alike, first, weight = plan[slot, OFFSET], plan[slot, ALIKE], plan[slot, FIRST], plan[slot, WEIGHT]
    r1 = r2 = r3 = BEYOND
    for j in range(3):
        other = j if j < slot else j + 1
        r = rank_of(np.uint32(hand >> plan[other, SHIFT]) & np.uint32(SUIT_MASK), plan[other, BLOCK], ranks)
        r1 = r if j == first else r1
        r2 = r if j == first + 1 else r2
        r3 = r if j == first + 2 else r3
        place = plan[slot, PLACES + j]
        digit = r if place == 1 else (pairs(r) if place == 2 else triples(r))
        base = np.uint32(base + np.uint32(plan[slot, WEIGHTS + j] * digit))
    held, block = np.uint32(hand >> plan[slot, SHIFT]) & np.uint32(SUIT_MASK), plan[slot, BLOCK]
    free = np.uint32(plan[slot, ALIVE] & ~held)
    low, high = held & np.uint32(127), np.uint32(held >> np.uint32(LOWER))
    upper = np.uint32(128 + 64 * cuda.popc(low))
    # A card more below moves all cards above to the next place.
    below, above = np.uint32(ranks[block, low]), np.uint32(ranks[block, np.uint32(upper + 64 + high)])
    for k in range(LOWER):
        numbers[k] = np.uint32(np.uint32(ranks[block, low | np.uint32(1 << k)]) + above)
    for k in range(UPPER):
        numbers[LOWER + k] = np.uint32(np.uint32(ranks[block, np.uint32(upper + (high | np.uint32(1 << k)))]) + below)
    if alike == 1:
        for k in range(RANKED):
            r = numbers[k]
            numbers[k] = np.uint32(r1 + pairs(r)) if r > r1 else np.uint32(pairs(r1) + r)
    elif alike == 2:
        # The multiset of the group: a rank counts by its place, so those above the new one move on by one.
        lowest, middle, highest = np.uint32(pairs(r1) + triples(r2)), np.uint32(r1 + triples(r2)), np.uint32(r1 + pairs(r2))
        for k in range(RANKED):
            r = numbers[k]
            upto = np.uint32(middle + pairs(r)) if r > r1 else np.uint32(lowest + r)
            numbers[k] = np.uint32(highest + triples(r)) if r > r2 else upto
    elif alike == 3:
        for k in range(RANKED):
            r = numbers[k]
            a, b = min(r, r1), max(r, r1)
            b, c = min(b, r2), max(b, r2)
            c, d = min(c, r3), max(c, r3)
            numbers[k] = np.uint32(np.uint32(a + pairs(b)) + np.uint32(triples(c) + quadruples(d)))
    for k in range(RANKED):
        numbers[k] = np.uint32(base + np.uint32(weight * numbers[k])) if free & np.uint32(1 << k) else none
    return free


@cuda.jit(device=True)
def wait_below(hand, limit, known, bag, after, plan, ranks):
    """Return E of a hand that takes the draws with F below ``limit`` and no others, and 13 bits a slot for those with F from ``known`` on.

    This E is never less than the best choice of draws gives.
    """
    numbers = cuda.local.array(RANKED, np.uint32)
    total, draws, none, behind = 0.0, np.int32(0), np.uint32(len(after) - 1), np.uint64(0)
    for slot in range(4):
        free, late = list_draws(numbers, hand, slot, plan, ranks, none), np.uint32(0)
        for k in range(RANKED):
            value = after[numbers[k]]
            if value < limit:
                total += value
                draws += np.int32(1)
            late |= np.uint32(1 << k) if value >= known else np.uint32(0)
        behind = (behind << np.uint64(RANKED)) | np.uint64(late & free)
    return (bag + total) / draws if draws else np.inf, behind


@cuda.jit(device=True)
def lower_after(hand, value, behind, values, plan, ranks):
    """Lower F of the hands that draws of ``behind`` (as ``wait_below`` gives them) lead to, where it is higher than ``value``."""
    numbers = cuda.local.array(RANKED, np.uint32)
    none, bits = np.uint32(len(values.after) - 1), np.float64(value).view(np.int64)
    for slot in range(4):
        late = np.uint32(behind >> np.uint64(RANKED * (3 - slot))) & np.uint32(SUIT_MASK)
        if late:
            list_draws(numbers, hand, slot, plan, ranks, none)
            for k in range(RANKED):
                if late & np.uint32(1 << k):
                    cuda.atomic.min(values.bits, numbers[k], bits)


@cuda.jit(device=True)
def load_shared(tables):
    """Return plan and ranks, copied into memory that the threads of a block share."""
    plan = cuda.shared.array((4, PLAN), np.uint32)
    ranks = cuda.shared.array((4, RANKS), np.uint16)
    for slot in range(4):
        for i in range(cuda.threadIdx.x, PLAN, cuda.blockDim.x):
            plan[slot, i] = tables[0][slot, i]
        for i in range(cuda.threadIdx.x, RANKS, cuda.blockDim.x):
            ranks[slot, i] = tables[1][slot, i]
    cuda.syncthreads()
    return plan, ranks


@gpu_kernel
def list_hands(hands, numbering):
    """Set ``hands`` [classes] int64 to the hands that stand for them: computing them in every sweep would take most of its time."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[number] = class_hand(np.int64(number), numbering)


@gpu_kernel
def mark_goals(expected, hands, leftovers, limit):
    """Set ``expected`` [N] to 0 on hands with deadwood at most ``limit``, elsewhere to infinity."""
    for number in range(cuda.grid(1), len(expected), cuda.gridsize(1)):
        expected[number] = 0.0 if deadwood(hands[number], leftovers) <= limit else np.inf


@gpu_kernel
def fill_infinity(after):
    """Set ``after`` [M + 1] to infinity."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number] = np.inf


@gpu_kernel
def lower_all(first, end, values, tables):
    """Lower F by the E of all classes of one pattern, ``first`` to before ``end``."""
    plan, ranks = load_shared(tables)
    for number in range(first + cuda.grid(1), end, cuda.gridsize(1)):
        value = values.expected[number]
        if value < np.inf:
            hand = values.hands[number]
            _, higher = wait_below(hand, 0.0, value, 0.0, values.after, plan, ranks)
            lower_after(hand, value, higher, values, plan, ranks)


@gpu_kernel
def lower(first, end, tries, bag, values, tables, largest):
    """Lower E, and F with it, of the classes of one pattern, and raise ``largest`` [1] to the largest change.

    ``tables`` is (plan, ranks). With ``tries`` above 1 the draws are chosen anew with the new E.

    F is lowered where it was not below E before: where this hand was the best discard, about one draw in six. Where it has become so, F is
    above E from now on, and the next sweep lowers it. That spares looking at every F a second time.
    """
    plan, ranks = load_shared(tables)
    most = 0.0
    for number in range(first + cuda.grid(1), end, cuda.gridsize(1)):
        before = values.expected[number]
        if before > 0.0:
            hand, value, behind = values.hands[number], before, np.uint64(0)
            for _ in range(tries):
                new, late = wait_below(hand, value, before, bag, values.after, plan, ranks)
                behind |= late
                if new >= value:
                    break
                value = new
            if behind and value < np.inf:
                lower_after(hand, value, behind, values, plan, ranks)
            if value < before:
                values.expected[number] = value
                most = max(most, before - value)
    if most > 0.0:
        cuda.atomic.max(largest, 0, most)


@gpu_kernel
def check(first, end, bag, values, tables, largest):
    """Raise ``largest`` [1] to the largest error of the equation for E of the classes of one pattern, in either direction.

    F may be above the least E after a discard, never below: its excess over the E of this hand counts, too.
    """
    plan, ranks = load_shared(tables)
    numbers = cuda.local.array(RANKED, np.uint32)
    most, none = 0.0, np.uint32(len(values.after) - 1)
    for number in range(first + cuda.grid(1), end, cuda.gridsize(1)):
        value = values.expected[number]
        if value < np.inf:
            hand, total, draws, above = values.hands[number], 0.0, np.int32(0), 0.0
            for slot in range(4):
                free = list_draws(numbers, hand, slot, plan, ranks, none)
                for k in range(RANKED):
                    after = values.after[numbers[k]]
                    if after < value:
                        total += after
                        draws += np.int32(1)
                    elif free & np.uint32(1 << k):
                        above = max(above, after - value)
            if value > 0.0:
                above += abs(value - (bag + total) / draws) if draws else np.inf
            most = max(most, above)
    if most > 0.0:
        cuda.atomic.max(largest, 0, most)


@gpu_kernel
def summarise(sums, expected, hands, keys, renamings):
    """Sum up all stretches, a thread each, in the order of the CPU."""
    totals, zeros, bests, worsts = sums
    for stretch in range(cuda.grid(1), len(totals), cuda.gridsize(1)):
        total, zero, best, least, worst = 0.0, 0, -1, np.inf, 0.0
        for number in range(stretch * STRETCH, min(len(expected), (stretch + 1) * STRETCH)):
            value, size = expected[number], orbit_size(hands[number], keys, renamings)
            total += value * size
            if value == 0.0:
                zero += size
            elif value < least:
                best, least = number, value
            worst = max(worst, value)
        totals[stretch], zeros[stretch], bests[stretch], worsts[stretch] = total, zero, best, worst
