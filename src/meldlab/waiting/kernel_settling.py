"""Kernels that settle every hand in ascending order of E, a window of E at a time.

The order is that of shortest paths: always lock the hand with the least E, tell the (n+1)-card hands around it, and through them all hands
that can draw into it. Most of those have an E far above, so that they need not know at once. Hence the windows. All hands that could come
to lie below the end of a window are *near*. What a lock means for near hands is worked out at once, hand by hand, by one core; what it
means for all others is kept and told later, on all cores, a *bucket* of neighbouring classes after the other, which fits into a core's
cache. What the hands of the window lead to is looked up before, on all cores too. The window is walked in *phases*: while hands of the
first are locked, the other cores sort what is to be told by buckets, and while those of the next are, they tell what the ones before mean.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: while a hand is open, E is at most ``total`` / ``weight``, over
all hands of its class; once it is locked, ``total`` is E. Nothing that is computed depends on how many cores there are.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_hand, number_hands, orbit_size, popcount
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import NEVER, list_draws

CHUNK, ROOM = 256, 4096  # hands whose notes lie together, and notes that there is room for
BLOCK = 1 << 15  # classes that are looked through together
BUCKETS = 64
STEPS, PHASES = 16, 2  # parts of a window: those that share a heap, and those after each of which far hands are told
LARGER, META, TARGETS = range(3)  # of a note
STEP, WAITING, SIZE, LATE, WANTED = range(5)  # of the state of a queue


class Bounds(NamedTuple):
    """What is known of E while it is worked out."""

    total: Any  # [N] float64
    weight: Any  # [N] int16, hands of the classes drawn into, -1 once the hand is locked
    reached: Any  # [M / 8] uint8, a bit for each larger hand: whether F is known


class Window(NamedTuple):
    """A stretch of E that is settled at once, with the hands that are near: their places are 0, 1, 2, ... in the order of numbers."""

    low: float
    high: float
    near: Any  # [N / 32] uint32, a bit for each hand: whether it is near
    before: Any  # [N / 32] uint32, the place of the first near hand of those 32, if there is one
    numbers: Any  # [N] uint32, by place; in BLOCKs at first
    bounds: Any  # [N, 2] float64, by place: total and weight, which is -1 once the hand is locked
    notes: Any  # [N] int32, by place: where the notes of a hand are, -1 if there are none
    listed: Any  # [N] uint32, places of the hands that lie in the window


class Queue(NamedTuple):
    """Hands that are about to be settled: those of the window, which is walked in steps, and a heap of those of the present step."""

    state: Any  # [5] int64: step, from 0 on; hands listed; entries of the heap; where the next notes go; room wanted
    values: Any  # [room] float64, of the heap
    places: Any  # [room] int64


class Notes(NamedTuple):
    """The larger hands around the hands of a window, as far as they are not reached, and where their discards lead: C chunks.

    R is ROOM. Most larger hands have been reached before; a hand whose notes find no room gets them later. First come the notes with
    near targets; the others are about larger hands that no other hand of the window has around it.
    """

    starts: Any  # [C, CHUNK + 1] int32, where the notes of each hand begin
    middles: Any  # [C, CHUNK] int32, where those without near targets begin
    rows: Any  # [C, R, 2 + n] uint32: class; hands in it, number of near targets, first far target, a byte each; targets
    values: Any  # [C, R] float64, F, infinity until it becomes known by this very note
    offsets: Any  # [C, BUCKETS + 1] int32, where the entries of each bucket begin
    entries: Any  # [C, R * n, 2] uint32: far target; its note, and in the last byte the hands of that


@device_function
def heap_push(values, places, size, value, place):
    """Put (value, place) into a binary heap of ``size`` entries, least value first, then least place."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if values[above] < value or (values[above] == value and places[above] <= place):
            break
        values[at], places[at] = values[above], places[above]
        at = above
    values[at], places[at] = value, place


@device_function
def heap_drop(values, places, size):
    """Remove the first entry of a heap of ``size`` entries."""
    value, place = values[size - 1], places[size - 1]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        right = below + 1
        if right < size - 1 and (values[right] < values[below] or (values[right] == values[below] and places[right] < places[below])):
            below = right
        if values[below] > value or (values[below] == value and places[below] >= place):
            break
        values[at], places[at] = values[below], places[below]
        at = below
    values[at], places[at] = value, place


@kernel
def look_through(first, many, found, window, bounds, space):
    """Find the near hands in ``many`` blocks; list them block by block, and count them in ``found``.

    A draw adds at least ``low`` for each hand that it adds to the weight, which is at most the bag times all renamings.
    """
    low, near, numbers = window.low, window.near, window.numbers
    total, weight = bounds.total, bounds.weight
    room = (window.high - low) * space.bag * space.small.renamings
    for block in range(first, first + many):
        at, end = block * BLOCK, min(len(total), (block + 1) * BLOCK)
        for begin in range(block * BLOCK, end, 32):
            bits = 0
            for i in range(min(32, end - begin)):
                hands = weight[begin + i]
                bits |= np.int64((hands >= 0) & (total[begin + i] - low * hands < room)) << i
            near[begin >> 5] = bits
            for number in range(begin, min(begin + 32, end) if bits else begin):
                numbers[at] = number
                at += bits & 1
                bits >>= 1
        found[block] = at - block * BLOCK


@device_function
def end_of_step(step, window):
    """Return where a step of the window ends, the first of which is 1."""
    return window.high if step == STEPS else window.low + (window.high - window.low) * step / STEPS


@kernel
def close_ranks(found, ends, window, bounds):
    """Give places to the hands that were found by blocks, list those in the window by phases, and return how many are near.

    ``ends``: [PHASES] int64, gets where the hands of each phase end in the list; a hand may turn out to belong to an earlier phase.
    """
    many, last = 0, -1
    ends[:] = 0
    for block in range(len(found)):
        for i in range(block * BLOCK, block * BLOCK + found[block]):
            number = window.numbers[i]
            if number >> 5 != last:
                last = number >> 5
                window.before[last] = many
            total, weight = bounds.total[number], np.float64(bounds.weight[number])
            window.numbers[many] = number
            window.bounds[many, 0], window.bounds[many, 1] = total, weight
            window.notes[many] = -1
            if total < window.high * weight:
                phase = 0
                while phase < PHASES - 1 and total / weight >= end_of_step(STEPS // PHASES * (phase + 1), window):
                    phase += 1
                window.notes[many] = phase
                ends[phase] += 1
            many += 1
    listed = 0
    for phase in range(PHASES):
        listed += ends[phase]
        ends[phase] = listed - ends[phase]
    for place in range(many):
        phase = window.notes[place]
        if phase >= 0:
            window.notes[place], window.listed[ends[phase]] = ends[phase], place
            ends[phase] += 1
    return many


@kernel
def write_back(many, window, bounds):
    """Keep what has become known of ``many`` near hands."""
    for place in range(many):
        bounds.total[window.numbers[place]] = window.bounds[place, 0]
        bounds.weight[window.numbers[place]] = np.int16(window.bounds[place, 1])


@device_function
def note_hand(number, chunk, i, scratch, window, reached, notes, space):
    """Write the notes of a hand, the i-th of a chunk; ``scratch``: [8, 52 * 13] int64."""
    small, keys, patterns = space.small, space.small.keys, space.small.patterns
    drawn, around, targets = scratch[0], scratch[1], scratch[2]
    hand, larger, many = class_hand(number, small), 0, 0
    for j in range(list_draws(hand, space.alive, keys, space.large.patterns, drawn, around)):
        drawn[larger], around[larger] = drawn[j], around[j]
        larger += 1 - (reached[around[j] >> 3] >> (around[j] & 7) & 1)
    for j in range(larger):
        rest = hand
        while rest:
            targets[many] = drawn[j] ^ (rest & -rest)
            rest &= rest - 1
            many += 1
    number_hands(targets, many, scratch[3:], keys, patterns)
    first = np.int64(notes.starts[chunk, i])
    last, at = first + larger, 0
    notes.starts[chunk, i + 1] = last
    for j in range(larger):
        row = notes.rows[chunk, last - 1]
        # Near targets from the front, far ones from the back; the hand itself is neither.
        front, back = TARGETS, len(row) - 1
        for _ in range(len(row) - TARGETS):
            target = targets[at]
            at += 1
            bits = np.int64(window.near[target >> 5])
            if bits >> (target & 31) & 1 == 0:
                row[back] = target
                back -= 1
            elif target != number:
                row[front] = window.before[target >> 5] + popcount(bits & (1 << (target & 31)) - 1)
                front += 1
        row[LARGER] = around[j]
        row[META] = orbit_size(drawn[j], keys, small.renamings) | front << 8 | (back + 1) << 16
        notes.values[chunk, first] = NEVER
        if front == TARGETS:
            last -= 1
        else:
            # The next note is written over it, where this one was not meant to stay.
            for k in range(len(row)):
                notes.rows[chunk, first, k] = row[k]
            first += 1
    notes.middles[chunk, i] = first


@kernel
def note(first, many, hands, window, reached, notes, space):
    """Write the notes of ``many`` chunks of the ``hands`` hands of the window."""
    scratch, most = np.empty((8, 52 * 13), np.int64), space.bag * space.small.renamings
    chunks = -(-hands // CHUNK)
    part = chunks // PHASES
    for k in range(first, first + many):
        # Neighbours in number lead to the same hands: the phases are gone through side by side.
        chunk = k % PHASES * part + k // PHASES if k < PHASES * part else k
        notes.starts[chunk, :] = 0
        notes.middles[chunk, :] = 0
        for i in range(min(CHUNK, hands - chunk * CHUNK)):
            place, begun = window.listed[chunk * CHUNK + i], notes.starts[chunk, i]
            if window.bounds[place, 1] == most or begun + 52 > ROOM:
                # All larger hands around it are reached, or there is no room; in that case the notes are written later.
                notes.starts[chunk, i + 1] = notes.middles[chunk, i] = begun
                if window.bounds[place, 1] < most:
                    window.notes[place] = -1
            else:
                note_hand(np.int64(window.numbers[place]), chunk, i, scratch, window, reached, notes, space)


@kernel
def settle(most, until, window, queue, reached, notes, space):
    """Lock the next hands of the window, in ascending order, at most ``most`` and up to a step; return how many were locked.

    The window is walked in steps: only hands of the current step are kept in the heap, which so stays small. Hands that join the window
    late have no notes yet, and get theirs now. The queue is kept from call to call.
    """
    high, bounds, listed = window.high, window.bounds, window.listed
    state, values, places = queue
    starts, rows = notes.starts, notes.rows
    scratch = np.empty((8, 52 * 13), np.int64)
    step, waiting, size, late, locked = state[STEP], state[WAITING], state[SIZE], state[LATE], 0
    room, chunks = len(values) - 52 * 14, len(starts) - 1
    state[WANTED] = 0
    while True:
        end = end_of_step(step, window)
        while size > 0 and size <= room and locked < most and late < chunks * CHUNK:
            value, place = values[0], places[0]
            heap_drop(values, places, size)
            size -= 1
            if bounds[place, 1] < 0 or value != bounds[place, 0] / bounds[place, 1]:
                continue  # locked through a later, lower entry
            bounds[place, 0], bounds[place, 1] = value, -1.0
            locked += 1
            own = np.int64(window.notes[place])
            if own < 0:
                if late % CHUNK and starts[late // CHUNK, late % CHUNK] + 52 > ROOM:
                    late += CHUNK - late % CHUNK
                own = late
                late += 1
                if own % CHUNK == 0:
                    starts[own // CHUNK, :] = 0
                    notes.middles[own // CHUNK, :] = 0
                note_hand(np.int64(window.numbers[place]), own // CHUNK, own % CHUNK, scratch, window, reached, notes, space)
            chunk, i = own // CHUNK, own % CHUNK
            for at in range(notes.middles[chunk, i], starts[chunk, i + 1]):
                larger = rows[chunk, at, LARGER]
                reached[larger >> 3] |= 1 << (larger & 7)
                notes.values[chunk, at] = value
            for at in range(starts[chunk, i], notes.middles[chunk, i]):
                larger = rows[chunk, at, LARGER]
                if reached[larger >> 3] >> (larger & 7) & 1:
                    continue
                reached[larger >> 3] |= 1 << (larger & 7)
                notes.values[chunk, at] = value
                meta = rows[chunk, at, META]
                hands = np.float64(meta & 255)
                for k in range(TARGETS, meta >> 8 & 255):
                    target = np.int64(rows[chunk, at, k])
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
            state[WANTED] = size + 52 * 14
            break
        if step == until:
            break
        if waiting > room:
            state[WANTED] = waiting + 52 * 14
            break
        step += 1
        end = end_of_step(step, window)
        kept = 0
        for i in range(waiting):
            place = np.int64(listed[i])
            if bounds[place, 1] < 0:
                continue
            value = bounds[place, 0] / bounds[place, 1]
            if value >= end:
                listed[kept] = place
                kept += 1
                continue
            heap_push(values, places, size, value, place)
            size += 1
        waiting = kept
    state[STEP], state[WAITING], state[SIZE], state[LATE] = step, waiting, size, late
    return locked


@kernel
def sort_far(first, many, shift, notes):
    """Sort what far hands may have to be told by ``many`` chunks into buckets of 2 ^ ``shift`` classes."""
    starts, rows = notes.starts, notes.rows
    counts, last = np.empty(BUCKETS, np.int64), rows.shape[2]
    for chunk in range(first, first + many):
        end = np.int64(starts[chunk].max())
        counts[:] = 0
        for at in range(end):
            for k in range(rows[chunk, at, META] >> 16, last):
                counts[rows[chunk, at, k] >> shift] += 1
        offsets, entries = notes.offsets[chunk], notes.entries[chunk]
        offsets[0] = 0
        for bucket in range(BUCKETS):
            offsets[bucket + 1] = offsets[bucket] + counts[bucket]
            counts[bucket] = offsets[bucket]
        for at in range(end):
            hands = rows[chunk, at, META] & 255
            for k in range(rows[chunk, at, META] >> 16, last):
                target = rows[chunk, at, k]
                bucket = target >> shift
                entries[counts[bucket], 0] = target
                entries[counts[bucket], 1] = at << 8 | hands
                counts[bucket] += 1


@kernel
def tell_far(first, many, begin, end, bounds, notes):
    """Tell far hands of ``many`` buckets what the chunks from ``begin`` to ``end``, all locked, have for them."""
    total, weight, _ = bounds
    offsets, entries, values = notes.offsets, notes.entries, notes.values
    for bucket in range(first, first + many):
        for chunk in range(begin, end):
            for i in range(offsets[chunk, bucket], offsets[chunk, bucket + 1]):
                target, hands = entries[chunk, i, 0], np.int64(entries[chunk, i, 1] & 255)
                value = values[chunk, entries[chunk, i, 1] >> 8]
                if value < NEVER:
                    total[target] += value * hands
                    weight[target] += hands
