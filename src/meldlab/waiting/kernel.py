"""Kernels of the waiting game: settle every hand in ascending order of E, and the two-phase sweep that checks the result.

E(h) is the mean of 1 + F(h + x) over the cards x of the bag, where F(g) is the least E over the discards from g, and no worse than E(h)
itself. Only draws with F < E matter, so E(h) = (bag + sum of those F) / (their number), and it depends on better hands only. Hands can
therefore be settled like the nodes of a shortest-path problem: always lock the hand with the least E, tell the (n+1)-card hands around
it, and through them all hands that can draw into it. Each pair of hands is met once, where sweeping meets it in every sweep.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``expected`` [N] float64, E or the best bound so far;
``weight`` [N] int16, hands of the classes drawn into, -1 once the hand is locked; ``reached`` [M] uint8, 1 once F is known.
``small`` and ``large`` are the pattern tables of n- and (n+1)-card hands; ``keys``, ``lanes``, ``seats``, ``rows`` as in cards.kernel.

What takes long is done in stretches, from ``first`` on, in arrays that are given: Ctrl-C is heard between two calls only.
"""

import numpy as np
from numba import prange

from meldlab.cards.kernel import LANE, class_unrank, frame_of_suit, key_of, orbit_size, rank_in_frame
from meldlab.compiling import kernel, parallel_kernel, scalar_kernel
from meldlab.melds.kernel import LOWEST, deadwood

NEVER = np.inf
STRETCH = 4096  # classes that are summed up together
AROUND = 52 * 13  # entries that the hands around one may add to the heap
STEP, WAITING, SIZE, WANTED = range(4)  # of the state of ``settle``


@scalar_kernel
def heap_push(values, ranks, size, value, rank):
    """Put (value, rank) into a binary heap of ``size`` entries, least value first, then least rank."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if values[above] < value or (values[above] == value and ranks[above] <= rank):
            break
        values[at], ranks[at] = values[above], ranks[above]
        at = above
    values[at], ranks[at] = value, rank


@scalar_kernel
def heap_drop(values, ranks, size):
    """Remove the first entry of a heap of ``size`` entries."""
    value, rank = values[size - 1], ranks[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        right = below + 1
        if right < size - 1 and (values[right] < values[below] or (values[right] == values[below] and ranks[right] < ranks[below])):
            below = right
        if values[below] > value or (values[below] == value and ranks[below] >= rank):
            break
        values[at], ranks[at] = values[below], ranks[below]
        at = below
    values[at], ranks[at] = value, rank


@scalar_kernel
def repeats_lane(hand, suit, keys):
    """Tell whether an earlier suit has the same key: what holds for one of the two holds for the other."""
    key = key_of(hand, suit, keys)
    for earlier in range(suit):
        if key_of(hand, earlier, keys) == key:
            return True
    return False


@scalar_kernel
def list_draws(hand, alive, keys, large, drawn, around):
    """Write the hands that one card more makes of ``hand``, and their ranks, into ``drawn`` and ``around``, [52] int64; return how many.

    Suits with equal lanes lead to the same classes, so only the first of them is drawn from.
    """
    many = 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = alive[suit] & ~lane
        if rest == 0 or repeats_lane(hand, suit, keys):
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, lane | (rest & -rest), keys, large)
        while rest:
            bit = rest & -rest
            rest ^= bit
            drawn[many] = hand | bit << (13 * suit)
            around[many] = rank_in_frame(keys[suit, lane | bit], base, weight, m, r1, r2, r3)
            many += 1
    return many


@scalar_kernel
def list_discards(hand, keys, small, targets, many):
    """Write the ranks of the hands that one card less makes of ``hand`` into ``targets`` from place ``many`` on; return where they end."""
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = lane
        if rest == 0:
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, lane & (lane - 1), keys, small)
        while rest:
            bit = rest & -rest
            rest ^= bit
            targets[many] = rank_in_frame(keys[suit, lane ^ bit], base, weight, m, r1, r2, r3)
            many += 1
    return many


@kernel
def open_window(high, window, expected, weight):
    """List the hands with E below ``high`` that are not locked in ``window``, [N] int64; return how many."""
    waiting = 0
    for rank in range(len(expected)):
        if weight[rank] >= 0 and expected[rank] < high:
            window[waiting] = rank
            waiting += 1
    return waiting


@kernel
def settle(most, low, high, steps, state, window, values, ranks, bag, expected, weight, reached, alive, numbering, large, renamings):
    """Lock the next hands with E below ``high``, in ascending order, at most ``most``; return how many were locked.

    The stretch from ``low`` to ``high`` is walked in ``steps``: candidates of the stretch are listed once, in ``window``, and only those
    of the current step are kept in a heap, ``values`` float64 and ``ranks`` int64, which so stays small. Around a locked hand the ranks
    are worked out first and the memory is touched afterwards, in loops so short that the processor waits for many cache misses at once.

    ``state``: [4] int64, kept from call to call: the step (0 before the first, ``steps`` + 1 after the last), hands in the window,
    entries in the heap, and the entries that the heap must have room for before it can go on. ``numbering``: (keys, lanes, seats, rows,
    small).
    """
    keys, lanes, seats, rows, small = numbering
    drawn, around = np.empty(52, np.int64), np.empty(52, np.int64)
    targets, hands = np.empty(AROUND, np.int64), np.empty(AROUND, np.int64)
    step, waiting, size, locked = state[STEP], state[WAITING], state[SIZE], 0
    room = len(values) - AROUND
    state[WANTED] = 0
    while True:
        end = high if step == steps else low + (high - low) * step / steps
        while size > 0 and size <= room and locked < most:
            value, rank = values[0], ranks[0]
            heap_drop(values, ranks, size)
            size -= 1
            if weight[rank] < 0 or value != expected[rank]:
                continue  # locked through a later, lower entry
            weight[rank] = -1
            locked += 1
            draws = list_draws(class_unrank(rank, rows, small, lanes, seats), alive, keys, large, drawn, around)
            fresh = 0
            for i in range(draws):
                if reached[around[i]] == 0:
                    reached[around[i]] = 1
                    drawn[fresh] = drawn[i]
                    fresh += 1
            many = 0
            for i in range(fresh):
                orbit = orbit_size(drawn[i], keys, renamings)
                first, many = many, list_discards(drawn[i], keys, small, targets, many)
                hands[first:many] = orbit
            for i in range(many):
                target = targets[i]
                before, old = weight[target], expected[target]
                if before < 0 or old <= value:
                    continue
                # Each hand of the larger class is one draw of some hand of the target's class.
                if before == 0:
                    own = orbit_size(class_unrank(target, rows, small, lanes, seats), keys, renamings)
                    new = value + bag * own / hands[i]
                else:
                    new = (old * before + value * hands[i]) / (before + hands[i])
                weight[target] = before + hands[i]
                expected[target] = new
                if new < end:
                    heap_push(values, ranks, size, new, target)
                    size += 1
                elif new < high and old >= high:
                    window[waiting] = target
                    waiting += 1
        if size > 0:
            state[WANTED] = size + AROUND
            break
        if step < steps and waiting > room:
            state[WANTED] = waiting + AROUND
            break
        step += 1
        if step > steps:
            break
        end = high if step == steps else low + (high - low) * step / steps
        kept = 0
        for i in range(waiting):
            rank = window[i]
            if weight[rank] < 0:
                continue
            if expected[rank] >= end:
                window[kept] = rank
                kept += 1
                continue
            heap_push(values, ranks, size, expected[rank], rank)
            size += 1
        waiting = kept
    state[STEP], state[WAITING], state[SIZE] = step, waiting, size
    return locked


@parallel_kernel
def mark_goals(first, many, expected, weight, table, limit, lanes, seats, rows, small):
    """Set E of ``many`` classes to 0 for deadwood at most ``limit`` under ``table`` (of melds.kernel), else to infinity; weights to 0."""
    for rank in prange(first, first + many):
        hand = class_unrank(rank, rows, small, lanes, seats)
        expected[rank] = 0.0 if deadwood(hand, table) <= limit else NEVER
        weight[rank] = 0


@scalar_kernel
def best_discard(hand, expected, keys, small):
    """Return F of an (n+1)-card hand and how: (least E over the discards, rank of that hand, number of the card), the first of equals.

    The rank is -1 and the card 255 where no discard leads to a hand with a finite E.
    """
    least, chosen, card = NEVER, np.int64(-1), np.int64(255)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = lane
        if rest == 0:
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, lane & (lane - 1), keys, small)
        while rest:
            bit = rest & -rest
            rest ^= bit
            rank = rank_in_frame(keys[suit, lane ^ bit], base, weight, m, r1, r2, r3)
            value = np.float64(expected[rank])
            if value < least:
                least, chosen, card = value, np.int64(rank), 13 * suit + np.int64(LOWEST[bit])
    return least, chosen, card


@scalar_kernel
def after_discard(hand, card, expected, keys, small):
    """Return E of what is left of a hand without the card of this number."""
    suit = card // 13
    lane = ((hand >> (13 * suit)) & LANE) ^ (1 << card % 13)
    base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, lane, keys, small)
    return np.float64(expected[rank_in_frame(keys[suit, lane], base, weight, m, r1, r2, r3)])


@scalar_kernel
def mean_over_draws(hand, now, bag, after, alive, keys, large):
    """Return E of an n-card hand from ``after``, [M], the F of all larger hands, counting the draws with F below ``now``."""
    total, draws = 0.0, 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = alive[suit] & ~lane
        if rest == 0:
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, lane | (rest & -rest), keys, large)
        while rest:
            bit = rest & -rest
            rest ^= bit
            value = after[rank_in_frame(keys[suit, lane | bit], base, weight, m, r1, r2, r3)]
            if value < now:
                total += value
                draws += 1
    return (bag + total) / draws if draws else NEVER


@parallel_kernel
def sweep_discards(first, many, after, expected, keys, lanes, seats, large_rows, small, large):
    """Set ``after`` [M] to F of ``many`` classes of (n+1)-card hands."""
    for rank in prange(first, first + many):
        after[rank] = best_discard(class_unrank(rank, large_rows, large, lanes, seats), expected, keys, small)[0]


@parallel_kernel
def sweep_draws(first, many, expected, after, bag, alive, keys, lanes, seats, rows, small, large):
    """Set ``expected`` of ``many`` classes to its next value from ``after`` and return the largest change among finite ones."""
    change = 0.0
    for rank in prange(first, first + many):
        now = expected[rank]
        if now > 0.0:
            new = mean_over_draws(class_unrank(rank, rows, small, lanes, seats), now, bag, after, alive, keys, large)
            if now < NEVER or new < NEVER:
                change = max(change, abs(now - new))
            expected[rank] = new
    return change


@parallel_kernel
def least_waiting(expected, weight):
    """Return the least E among hands that are not locked, infinity if there is none."""
    least = NEVER
    for rank in prange(len(expected)):
        if weight[rank] >= 0:
            least = min(least, expected[rank])
    return least


@parallel_kernel
def summarise(first, many, totals, zeros, bests, expected, renamings, numbering):
    """Sum up ``many`` stretches of 4,096 classes: [s] E of their hands, [s] hands with E = 0, [s] rank of the least E above 0.

    ``totals`` and ``zeros`` are 0 before, ``bests`` -1; ``numbering``: (keys, lanes, seats, rows, small).
    """
    keys, lanes, seats, rows, small = numbering
    for stretch in prange(first, first + many):
        for rank in range(stretch * STRETCH, min(len(expected), (stretch + 1) * STRETCH)):
            hands = orbit_size(class_unrank(rank, rows, small, lanes, seats), keys, renamings)
            totals[stretch] += expected[rank] * hands
            if expected[rank] == 0:
                zeros[stretch] += hands
            elif bests[stretch] < 0 or expected[rank] < expected[bests[stretch]]:
                bests[stretch] = rank
