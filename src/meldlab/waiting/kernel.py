"""Kernels of the waiting game: settle every hand in ascending order of E, and the two-phase sweep that checks the result.

E(h) is the mean of 1 + F(h + x) over the cards x of the bag, where F(g) is the least E over the discards from g, and no worse than E(h)
itself. Only draws with F < E matter, so E(h) = (bag + sum of those F) / (their number), and it depends on better hands only. Hands can
therefore be settled like the nodes of a shortest-path problem: always lock the hand with the least E, tell the (n+1)-card hands around
it, and through them all hands that can draw into it. Each pair of hands is met once, where sweeping meets it in every sweep.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``expected`` [N] float64, E or the best bound so far;
``weight`` [N] int16, hands of the classes drawn into, -1 once the hand is locked; ``reached`` [M] uint8, 1 once F is known.
``keys`` and ``patterns`` are those of the numbering (cards.kernel) of the hands that are led to.

What takes long is done in stretches, from ``first`` on, in arrays that are given, on several cores at once or one after the other: Ctrl-C
is heard between two calls only.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import LANE, Numbering, class_hand, frame_of_suit, key_of, number_in_frame, orbit_size
from meldlab.compiling import kernel, scalar_kernel
from meldlab.melds.kernel import LOWEST, deadwood

NEVER = np.inf
STRETCH = 4096  # classes that are summed up together
AROUND = 52 * 13  # entries that the hands around one may add to the heap
STEP, WAITING, SIZE, WANTED = range(4)  # of the state of a queue


class Space(NamedTuple):
    """The hands of a game, between turns and with the card drawn, and what can be drawn."""

    small: Numbering
    large: Numbering
    alive: Any  # [4] int64, the ranks of each suit that are in play
    bag: float  # cards that can be drawn


class Bounds(NamedTuple):
    """What is known of E while it is worked out."""

    expected: Any  # [N] float64
    weight: Any  # [N] int16
    reached: Any  # [M] uint8


class Queue(NamedTuple):
    """Hands that are about to be settled: candidates of a stretch of E, and a heap of those of the present step."""

    state: Any  # [4] int64: step, from 0 to one behind the last; candidates; entries of the heap; entries that it must have room for
    window: Any  # [N] int64, candidates
    values: Any  # [room] float64, of the heap
    numbers: Any  # [room] int64, their classes


class Sums(NamedTuple):
    """All values of E in a few numbers, for each stretch of 4,096 classes."""

    totals: Any  # [stretches] float64, E of all hands
    zeros: Any  # [stretches] int64, hands with E = 0
    bests: Any  # [stretches] int64, number of the least E above 0, -1 without one
    worsts: Any  # [stretches] float64, the largest E


def new_sums(classes: int) -> Sums:
    """Return the sums of so many classes before any is looked at."""
    stretches = -(-classes // STRETCH)
    return Sums(np.zeros(stretches), np.zeros(stretches, np.int64), np.full(stretches, -1, np.int64), np.zeros(stretches))


@scalar_kernel
def heap_push(values, numbers, size, value, number):
    """Put (value, number) into a binary heap of ``size`` entries, least value first, then least number."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if values[above] < value or (values[above] == value and numbers[above] <= number):
            break
        values[at], numbers[at] = values[above], numbers[above]
        at = above
    values[at], numbers[at] = value, number


@scalar_kernel
def heap_drop(values, numbers, size):
    """Remove the first entry of a heap of ``size`` entries."""
    value, number = values[size - 1], numbers[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        right = below + 1
        if right < size - 1 and (values[right] < values[below] or (values[right] == values[below] and numbers[right] < numbers[below])):
            below = right
        if values[below] > value or (values[below] == value and numbers[below] >= number):
            break
        values[at], numbers[at] = values[below], numbers[below]
        at = below
    values[at], numbers[at] = value, number


@scalar_kernel
def repeats_lane(hand, suit, keys):
    """Tell whether an earlier suit has the same key: what holds for one of the two holds for the other."""
    key = key_of(hand, suit, keys)
    for earlier in range(suit):
        if key_of(hand, earlier, keys) == key:
            return True
    return False


@scalar_kernel
def list_draws(hand, alive, keys, patterns, drawn, around):
    """Write the hands that one card more makes of ``hand``, and their numbers, into ``drawn`` and ``around``, [52] int64; return how many.

    Suits with equal lanes lead to the same classes, so only the first of them is drawn from.
    """
    many = 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = alive[suit] & ~lane
        if rest == 0 or repeats_lane(hand, suit, keys):
            continue
        frame = frame_of_suit(hand, suit, lane | (rest & -rest), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            drawn[many] = hand | bit << (13 * suit)
            around[many] = number_in_frame(keys[suit, lane | bit], frame)
            many += 1
    return many


@scalar_kernel
def list_discards(hand, keys, patterns, targets, many):
    """Write the numbers of the hands that one card less makes of a hand into ``targets`` from place ``many`` on; return where they end."""
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = lane
        if rest == 0:
            continue
        frame = frame_of_suit(hand, suit, lane & (lane - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            targets[many] = number_in_frame(keys[suit, lane ^ bit], frame)
            many += 1
    return many


@kernel
def open_window(high, window, expected, weight):
    """List the hands with E below ``high`` that are not locked in ``window``, [N] int64; return how many."""
    waiting = 0
    for number in range(len(expected)):
        if weight[number] >= 0 and expected[number] < high:
            window[waiting] = number
            waiting += 1
    return waiting


@kernel
def settle(most, low, high, steps, queue, bounds, space):
    """Lock the next hands with E below ``high``, in ascending order, at most ``most``; return how many were locked.

    The stretch from ``low`` to ``high`` is walked in ``steps``: candidates of the stretch are listed once, in the window, and only those
    of the current step are kept in the heap, which so stays small. Around a locked hand the numbers are worked out first and the memory is
    touched afterwards, in loops so short that the processor waits for many cache misses at once. The queue is kept from call to call.
    """
    state, window, values, numbers = queue
    expected, weight, reached = bounds
    small, alive, bag, larger = space.small, space.alive, space.bag, space.large.patterns
    keys, patterns, renamings = small.keys, small.patterns, small.renamings
    drawn, around = np.empty(52, np.int64), np.empty(52, np.int64)
    targets, hands = np.empty(AROUND, np.int64), np.empty(AROUND, np.int64)
    step, waiting, size, locked = state[STEP], state[WAITING], state[SIZE], 0
    room = len(values) - AROUND
    state[WANTED] = 0
    while True:
        end = high if step == steps else low + (high - low) * step / steps
        while size > 0 and size <= room and locked < most:
            value, number = values[0], numbers[0]
            heap_drop(values, numbers, size)
            size -= 1
            if weight[number] < 0 or value != expected[number]:
                continue  # locked through a later, lower entry
            weight[number] = -1
            locked += 1
            draws = list_draws(class_hand(number, small), alive, keys, larger, drawn, around)
            fresh = 0
            for i in range(draws):
                if reached[around[i]] == 0:
                    reached[around[i]] = 1
                    drawn[fresh] = drawn[i]
                    fresh += 1
            many = 0
            for i in range(fresh):
                orbit = orbit_size(drawn[i], keys, renamings)
                first, many = many, list_discards(drawn[i], keys, patterns, targets, many)
                hands[first:many] = orbit
            for i in range(many):
                target = targets[i]
                before, old = weight[target], expected[target]
                if before < 0 or old <= value:
                    continue
                # Each hand of the larger class is one draw of some hand of the target's class.
                if before == 0:
                    own = orbit_size(class_hand(target, small), keys, renamings)
                    new = value + bag * own / hands[i]
                else:
                    new = (old * before + value * hands[i]) / (before + hands[i])
                weight[target] = before + hands[i]
                expected[target] = new
                if new < end:
                    heap_push(values, numbers, size, new, target)
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
            number = window[i]
            if weight[number] < 0:
                continue
            if expected[number] >= end:
                window[kept] = number
                kept += 1
                continue
            heap_push(values, numbers, size, expected[number], number)
            size += 1
        waiting = kept
    state[STEP], state[WAITING], state[SIZE] = step, waiting, size
    return locked


@kernel
def mark_goals(first, many, expected, weight, leftovers, limit, small):
    """Set E of ``many`` classes to 0 for deadwood at most ``limit``, else to infinity; weights to 0. ``leftovers`` as in melds.kernel."""
    for number in range(first, first + many):
        expected[number] = 0.0 if deadwood(class_hand(number, small), leftovers) <= limit else NEVER
        weight[number] = 0


@scalar_kernel
def least_wait(hand, expected, keys, patterns):
    """Return F of an (n+1)-card hand and how: (least E over the discards, number of that hand, of the card), the first of equals.

    The number is -1 and the card 255 where no discard leads to a hand with a finite E.
    """
    least, chosen, card = NEVER, np.int64(-1), np.int64(255)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = lane
        if rest == 0:
            continue
        frame = frame_of_suit(hand, suit, lane & (lane - 1), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            number = number_in_frame(keys[suit, lane ^ bit], frame)
            value = np.float64(expected[number])
            if value < least:
                least, chosen, card = value, np.int64(number), 13 * suit + np.int64(LOWEST[bit])
    return least, chosen, card


@scalar_kernel
def mean_over_draws(hand, now, bag, after, alive, keys, patterns):
    """Return E of an n-card hand from ``after``, [M], the F of all larger hands, counting the draws with F below ``now``."""
    total, draws = 0.0, 0
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = alive[suit] & ~lane
        if rest == 0:
            continue
        frame = frame_of_suit(hand, suit, lane | (rest & -rest), keys, patterns)
        while rest:
            bit = rest & -rest
            rest ^= bit
            value = after[number_in_frame(keys[suit, lane | bit], frame)]
            if value < now:
                total += value
                draws += 1
    return (bag + total) / draws if draws else NEVER


@kernel
def sweep_discards(first, many, after, expected, space):
    """Set ``after`` [M] to F of ``many`` classes of (n+1)-card hands."""
    large, keys, patterns = space.large, space.small.keys, space.small.patterns
    for number in range(first, first + many):
        after[number] = least_wait(class_hand(number, large), expected, keys, patterns)[0]


@kernel
def sweep_draws(first, many, expected, after, space):
    """Set ``expected`` of ``many`` classes to its next value from ``after`` and return the largest change among finite ones."""
    small, alive, bag = space.small, space.alive, space.bag
    keys, patterns = small.keys, space.large.patterns
    change = 0.0
    for number in range(first, first + many):
        now = expected[number]
        if now > 0.0:
            new = mean_over_draws(class_hand(number, small), now, bag, after, alive, keys, patterns)
            if now < NEVER or new < NEVER:
                change = max(change, abs(now - new))
            expected[number] = new
    return change


@kernel
def least_waiting(expected, weight):
    """Return the least E among hands that are not locked, infinity if there is none."""
    least = NEVER
    for number in range(len(expected)):
        if weight[number] >= 0:
            least = min(least, expected[number])
    return least


@kernel
def summarise(first, many, sums, expected, small):
    """Sum up ``many`` stretches of 4,096 classes from ``first`` on; ``sums`` is as ``new_sums`` makes it."""
    totals, zeros, bests, worsts = sums
    keys, renamings = small.keys, small.renamings
    for stretch in range(first, first + many):
        for number in range(stretch * STRETCH, min(len(expected), (stretch + 1) * STRETCH)):
            hands = orbit_size(class_hand(number, small), keys, renamings)
            totals[stretch] += expected[number] * hands
            if expected[number] == 0:
                zeros[stretch] += hands
            elif bests[stretch] < 0 or expected[number] < expected[bests[stretch]]:
                bests[stretch] = number
            worsts[stretch] = max(worsts[stretch], expected[number])
