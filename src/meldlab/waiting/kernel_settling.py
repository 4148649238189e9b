"""Kernels that settle every hand in ascending order of E, a window of E at a time.

The order is that of shortest paths: lock the hand with the least E, then lower the bounds of the (n+1)-card hands around it, and through
them those of all hands that can draw into it. Most of these have an E far above and can wait. Hence the windows. All hands that could fall
below the end of a window are *near*. One core propagates a lock to near hands immediately, hand by hand; to all others it is propagated
later, on all cores, a *bucket* of neighbouring classes after the other, which fits into a core's cache. The edges of the hands of the
window are written before, on all cores too. The window is walked in *phases*: while hands of the first are locked, the other cores sort
the far targets by buckets, and while those of the next are, they propagate the ones before.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: while a hand is open, E is at most ``total`` / ``weight``, over
all hands of its class; once it is locked, ``total`` is E. No result depends on the number of cores.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_hand, number_hands, orbit_size, popcount
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import INFINITY, list_draws

CHUNK, CAPACITY = 256, 4096  # hands whose edges are stored together, and the number of edges allocated for them
BLOCK = 1 << 15  # classes that are searched together
BUCKETS = 64
STEPS, PHASES = 16, 2  # parts of a window: those that share a heap, and those after each of which far hands are updated
LARGER, META, TARGETS = range(3)  # columns of an edge
STEP, WAITING, SIZE, LATE, REQUIRED = range(5)  # of the state of a queue


class Bounds(NamedTuple):
    """Bounds of E while it is computed."""

    total: Any  # [N] float64
    weight: Any  # [N] int16, hands of the classes drawn into, -1 once the hand is locked
    reached: Any  # [M / 8] uint8, a bit for each larger hand: whether F is known


class Window(NamedTuple):
    """An interval of E that is settled together, and its near hands: their places are 0, 1, 2, ... in the order of numbers."""

    low: float
    high: float
    near: Any  # [N / 32] uint32, a bit for each hand: whether it is near
    before: Any  # [N / 32] uint32, the place of the first near hand of those 32, if there is one
    numbers: Any  # [N] uint32, by place; in BLOCKs at first
    bounds: Any  # [N, 2] float64, by place: total and weight, which is -1 once the hand is locked
    edges: Any  # [N] int32, by place: the hand's index in Edges, -1 without edges
    listed: Any  # [N] uint32, places of the hands in the window


class Queue(NamedTuple):
    """The hands to settle next: those of the window, which is walked in steps, and a heap of those of the current step."""

    state: Any  # [5] int64: step, from 0 on; hands listed; entries of the heap; index of the next edges; required capacity
    values: Any  # [capacity] float64, of the heap
    places: Any  # [capacity] int64


class Edges(NamedTuple):
    """The larger hands around the hands of a window, as far as they are not reached, and the targets of their discards: C chunks.

    R is CAPACITY. Most larger hands have been reached before; a hand whose chunk is full gets its edges later. First come the edges with
    near targets; the others lead to larger hands that no other hand of the window has around it.
    """

    starts: Any  # [C, CHUNK + 1] int32, the first edge of each hand
    middles: Any  # [C, CHUNK] int32, the first of those without near targets
    rows: Any  # [C, R, 2 + n] uint32: class; hands in it, number of near targets, first far target, a byte each; targets
    values: Any  # [C, R] float64, F, infinity until this edge makes it known
    offsets: Any  # [C, BUCKETS + 1] int32, the first entry of each bucket
    entries: Any  # [C, R * n, 2] uint32: far target; its edge, and in the last byte the hands of that


@device_function
def heap_push(values, places, size, value, place):
    """Put (value, place) into a binary heap of ``size`` entries, least value first, then least place."""
    index = size
    while index > 0:
        above = (index - 1) >> 1
        if values[above] < value or (values[above] == value and places[above] <= place):
            break
        values[index], places[index] = values[above], places[above]
        index = above
    values[index], places[index] = value, place


@device_function
def heap_drop(values, places, size):
    """Remove the first entry of a heap of ``size`` entries."""
    value, place = values[size - 1], places[size - 1]
    index = 0
    while True:
        below = 2 * index + 1
        if below >= size - 1:
            break
        right = below + 1
        if right < size - 1 and (values[right] < values[below] or (values[right] == values[below] and places[right] < places[below])):
            below = right
        if values[below] > value or (values[below] == value and places[below] >= place):
            break
        values[index], places[index] = values[below], places[below]
        index = below
    values[index], places[index] = value, place


@kernel
def find_near(first, count, counts, window, bounds, space):
    """Find the near hands in ``count`` blocks; list them block by block, and count them in ``counts``.

    A draw adds at least ``low`` for each hand that it adds to the weight, which is at most the bag times all renamings.
    """
    low, near, numbers = window.low, window.near, window.numbers
    total, weight = bounds.total, bounds.weight
    span = (window.high - low) * space.bag * space.numbering.renamings
    for block in range(first, first + count):
        index, end = block * BLOCK, min(len(total), (block + 1) * BLOCK)
        for start in range(block * BLOCK, end, 32):
            bits = 0
            for i in range(min(32, end - start)):
                hands = weight[start + i]
                bits |= np.int64((hands >= 0) & (total[start + i] - low * hands < span)) << i
            near[start >> 5] = bits
            for number in range(start, min(start + 32, end) if bits else start):
                numbers[index] = number
                index += bits & 1
                bits >>= 1
        counts[block] = index - block * BLOCK


@device_function
def end_of_step(step, window):
    """Return where a step of the window ends, the first of which is 1."""
    return window.high if step == STEPS else window.low + (window.high - window.low) * step / STEPS


@kernel
def compact_window(counts, ends, window, bounds):
    """Number the near hands of all blocks, list those in the window by phases, and return the number of near hands.

    ``ends``: [PHASES] int64, gets where the hands of each phase end in the list; a hand may turn out to belong to an earlier phase.
    """
    count, last = 0, -1
    ends[:] = 0
    for block in range(len(counts)):
        for i in range(block * BLOCK, block * BLOCK + counts[block]):
            number = window.numbers[i]
            if number >> 5 != last:
                last = number >> 5
                window.before[last] = count
            total, weight = bounds.total[number], np.float64(bounds.weight[number])
            window.numbers[count] = number
            window.bounds[count, 0], window.bounds[count, 1] = total, weight
            window.edges[count] = -1
            if total < window.high * weight:
                phase = 0
                while phase < PHASES - 1 and total / weight >= end_of_step(STEPS // PHASES * (phase + 1), window):
                    phase += 1
                window.edges[count] = phase
                ends[phase] += 1
            count += 1
    listed = 0
    for phase in range(PHASES):
        listed += ends[phase]
        ends[phase] = listed - ends[phase]
    for place in range(count):
        phase = window.edges[place]
        if phase >= 0:
            window.edges[place], window.listed[ends[phase]] = ends[phase], place
            ends[phase] += 1
    return count


@kernel
def write_back(count, window, bounds):
    """Copy the bounds of ``count`` near hands back."""
    for place in range(count):
        bounds.total[window.numbers[place]] = window.bounds[place, 0]
        bounds.weight[window.numbers[place]] = np.int16(window.bounds[place, 1])


@device_function
def write_hand_edges(number, chunk, i, scratch, window, reached, edges, space):
    """Write the edges of a hand, the i-th of a chunk; ``scratch``: [8, 52 * 13] int64."""
    numbering, keys, patterns = space.numbering, space.numbering.keys, space.numbering.patterns
    drawn, around, targets = scratch[0], scratch[1], scratch[2]
    hand, larger, count = class_hand(number, numbering), 0, 0
    for j in range(list_draws(hand, space.alive, keys, space.drawn_numbering.patterns, drawn, around)):
        drawn[larger], around[larger] = drawn[j], around[j]
        larger += 1 - (reached[around[j] >> 3] >> (around[j] & 7) & 1)
    for j in range(larger):
        rest = hand
        while rest:
            targets[count] = drawn[j] ^ (rest & -rest)
            rest &= rest - 1
            count += 1
    number_hands(targets, count, scratch[3:], keys, patterns)
    first = np.int64(edges.starts[chunk, i])
    last, read = first + larger, 0
    edges.starts[chunk, i + 1] = last
    for j in range(larger):
        row = edges.rows[chunk, last - 1]
        # Near targets from the front, far ones from the back; the hand itself is neither.
        front, back = TARGETS, len(row) - 1
        for _ in range(len(row) - TARGETS):
            target = targets[read]
            read += 1
            bits = np.int64(window.near[target >> 5])
            if bits >> (target & 31) & 1 == 0:
                row[back] = target
                back -= 1
            elif target != number:
                row[front] = window.before[target >> 5] + popcount(bits & (1 << (target & 31)) - 1)
                front += 1
        row[LARGER] = around[j]
        row[META] = orbit_size(drawn[j], keys, numbering.renamings) | front << 8 | (back + 1) << 16
        edges.values[chunk, first] = INFINITY
        if front == TARGETS:
            last -= 1
        else:
            # The next edge overwrites the row from which this one was moved.
            for k in range(len(row)):
                edges.rows[chunk, first, k] = row[k]
            first += 1
    edges.middles[chunk, i] = first


@kernel
def write_edges(first, count, hands, window, reached, edges, space):
    """Write the edges of ``count`` chunks of the ``hands`` hands of the window."""
    scratch, most = np.empty((8, 52 * 13), np.int64), space.bag * space.numbering.renamings
    chunks = -(-hands // CHUNK)
    part = chunks // PHASES
    for k in range(first, first + count):
        # Neighbours in number lead to the same hands: the phases are gone through side by side.
        chunk = k % PHASES * part + k // PHASES if k < PHASES * part else k
        edges.starts[chunk, :] = 0
        edges.middles[chunk, :] = 0
        for i in range(min(CHUNK, hands - chunk * CHUNK)):
            place, used = window.listed[chunk * CHUNK + i], edges.starts[chunk, i]
            if window.bounds[place, 1] == most or used + 52 > CAPACITY:
                # All larger hands around it are reached, or the chunk is full; in that case the edges are written later.
                edges.starts[chunk, i + 1] = edges.middles[chunk, i] = used
                if window.bounds[place, 1] < most:
                    window.edges[place] = -1
            else:
                write_hand_edges(np.int64(window.numbers[place]), chunk, i, scratch, window, reached, edges, space)


@kernel
def settle(most, until, window, queue, reached, edges, space):
    """Lock the next hands of the window, in ascending order, at most ``most`` and up to a step; return the number of locked hands.

    The window is walked in steps: only hands of the current step are in the heap, which so stays small. Hands that join the window late
    have no edges yet and get theirs here. The queue persists between calls.
    """
    high, bounds, listed = window.high, window.bounds, window.listed
    state, values, places = queue
    starts, rows = edges.starts, edges.rows
    scratch = np.empty((8, 52 * 13), np.int64)
    step, waiting, size, late, locked = state[STEP], state[WAITING], state[SIZE], state[LATE], 0
    capacity, chunks = len(values) - 52 * 14, len(starts) - 1
    state[REQUIRED] = 0
    while True:
        end = end_of_step(step, window)
        while size > 0 and size <= capacity and locked < most and late < chunks * CHUNK:
            value, place = values[0], places[0]
            heap_drop(values, places, size)
            size -= 1
            if bounds[place, 1] < 0 or value != bounds[place, 0] / bounds[place, 1]:
                continue  # locked through a later, lower entry
            bounds[place, 0], bounds[place, 1] = value, -1.0
            locked += 1
            own = np.int64(window.edges[place])
            if own < 0:
                if late % CHUNK and starts[late // CHUNK, late % CHUNK] + 52 > CAPACITY:
                    late += CHUNK - late % CHUNK
                own = late
                late += 1
                if own % CHUNK == 0:
                    starts[own // CHUNK, :] = 0
                    edges.middles[own // CHUNK, :] = 0
                write_hand_edges(np.int64(window.numbers[place]), own // CHUNK, own % CHUNK, scratch, window, reached, edges, space)
            chunk, i = own // CHUNK, own % CHUNK
            for edge in range(edges.middles[chunk, i], starts[chunk, i + 1]):
                larger = rows[chunk, edge, LARGER]
                reached[larger >> 3] |= 1 << (larger & 7)
                edges.values[chunk, edge] = value
            for edge in range(starts[chunk, i], edges.middles[chunk, i]):
                larger = rows[chunk, edge, LARGER]
                if reached[larger >> 3] >> (larger & 7) & 1:
                    continue
                reached[larger >> 3] |= 1 << (larger & 7)
                edges.values[chunk, edge] = value
                meta = rows[chunk, edge, META]
                hands = np.float64(meta & 255)
                for k in range(TARGETS, meta >> 8 & 255):
                    target = np.int64(rows[chunk, edge, k])
                    total, before = bounds[target, 0], bounds[target, 1]
                    if before < 0 or total <= value * before:
                        continue
                    # Each hand of the larger class is one draw of some hand of the target's class.
                    total += value * hands
                    bounds[target, 0], bounds[target, 1] = total, before + hands
                    new = total / (before + hands)
                    if new < end:
                        heap_push(values, places, size, new, target)
                        size += 1
                    elif new < high and total - value * hands >= high * before:
                        listed[waiting] = target
                        waiting += 1
        if size > 0:
            state[REQUIRED] = size + 52 * 14
            break
        if step == until:
            break
        if waiting > capacity:
            state[REQUIRED] = waiting + 52 * 14
            break
        step += 1
        end = end_of_step(step, window)
        left = 0
        for i in range(waiting):
            place = np.int64(listed[i])
            if bounds[place, 1] < 0:
                continue
            value = bounds[place, 0] / bounds[place, 1]
            if value >= end:
                listed[left] = place
                left += 1
                continue
            heap_push(values, places, size, value, place)
            size += 1
        waiting = left
    state[STEP], state[WAITING], state[SIZE], state[LATE] = step, waiting, size, late
    return locked


@kernel
def sort_far(first, count, shift, edges):
    """Sort the far targets of ``count`` chunks into buckets of 2 ^ ``shift`` classes."""
    starts, rows = edges.starts, edges.rows
    counts, last = np.empty(BUCKETS, np.int64), rows.shape[2]
    for chunk in range(first, first + count):
        end = np.int64(starts[chunk].max())
        counts[:] = 0
        for edge in range(end):
            for k in range(rows[chunk, edge, META] >> 16, last):
                counts[rows[chunk, edge, k] >> shift] += 1
        offsets, entries = edges.offsets[chunk], edges.entries[chunk]
        offsets[0] = 0
        for bucket in range(BUCKETS):
            offsets[bucket + 1] = offsets[bucket] + counts[bucket]
            counts[bucket] = offsets[bucket]
        for edge in range(end):
            hands = rows[chunk, edge, META] & 255
            for k in range(rows[chunk, edge, META] >> 16, last):
                target = rows[chunk, edge, k]
                bucket = target >> shift
                entries[counts[bucket], 0] = target
                entries[counts[bucket], 1] = edge << 8 | hands
                counts[bucket] += 1


@kernel
def propagate_far(first, count, start, end, bounds, edges):
    """Add the locked hands of the chunks from ``start`` to ``end`` to the bounds of the far hands of ``count`` buckets."""
    total, weight, _ = bounds
    offsets, entries, values = edges.offsets, edges.entries, edges.values
    for bucket in range(first, first + count):
        for chunk in range(start, end):
            for i in range(offsets[chunk, bucket], offsets[chunk, bucket + 1]):
                target, hands = entries[chunk, i, 0], np.int64(entries[chunk, i, 1] & 255)
                value = values[chunk, entries[chunk, i, 1] >> 8]
                if value < INFINITY:
                    total[target] += value * hands
                    weight[target] += hands
