"""Card lists: locations read, and lists computed from them.

A computed list is [length, members ..] in the heap part of ``state``; what runs out of room sets the status and returns 0.
"""

import numpy as np

from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import AT_ONCE, charge, node_at, nodes, put, relink


@device_function
def new_list(state, layout, size):
    """Return the address of a new list of ``size`` members, its length set, or 0."""
    offset = state[k.HEAP]
    if offset + size + 1 > layout[k.L_LISTS_END]:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    state[k.HEAP] = offset + size + 1
    state[offset] = size
    return offset


@device_function
def cut(state, list, size):
    """Let the last list of the heap end behind its first ``size`` members."""
    state[list] = size
    state[k.HEAP] = list + size + 1


@device_function
def size_of(state, layout, cards):
    """Return the length of any list."""
    return state[cards + k.SIZE_AT] if cards < layout[k.L_LISTS_FROM] else state[cards]


@device_function
def fill(state, layout, cards, offset):
    """Copy the members of any list to ``offset`` and following; return their number."""
    state[k.WORK] += size_of(state, layout, cards) >> 2
    if cards >= layout[k.L_LISTS_FROM]:
        size = state[cards]
        for i in range(size):
            state[offset + i] = state[cards + 1 + i]
        return size
    node, size = state[cards + k.BOTTOM_AT], 0
    if state[cards + k.KIND_AT] == k.MEMORY:
        while node:
            state[offset + size] = state[node + k.TYPE]
            size += 1
            node = state[node + k.ABOVE]
    else:
        while node:
            state[offset + size] = node
            size += 1
            node = state[node + k.ABOVE]
    return size


@device_function(inline="never")
def fill_noinline(state, layout, cards, offset):
    """Do the same, for callers that take long anyway: compiled once, not in each of them."""
    return fill(state, layout, cards, offset)


@device_function(inline="never")
def snapshot(state, layout, cards):
    """Return a copy of any list."""
    copy = new_list(state, layout, size_of(state, layout, cards))
    if copy:
        fill(state, layout, cards, copy + 1)
    return copy


@device_function
def end_card(state, layout, cards, end):
    """Return the card at an end, or 0 if there is none."""
    if cards >= layout[k.L_LISTS_FROM]:
        size = state[cards]
        if size == 0:
            return 0
        return state[cards + size] if end == k.AT_TOP else state[cards + 1]
    node = state[cards + k.TOP_AT] if end == k.AT_TOP else state[cards + k.BOTTOM_AT]
    if node and state[cards + k.KIND_AT] == k.MEMORY:
        return state[node + k.TYPE]
    return node


@device_function
def card_at(state, layout, cards, index):
    """Return the card at an index, or 0 of an empty list; beyond a list with cards is an error."""
    size = size_of(state, layout, cards)
    if size == 0:
        return 0
    if index < 0 or index >= size:
        state[k.STATUS] = k.BEYOND
        return 0
    if cards >= layout[k.L_LISTS_FROM]:
        return state[cards + 1 + index]
    node = node_at(state, cards, index)
    return state[node + k.TYPE] if state[cards + k.KIND_AT] == k.MEMORY else node


# --- lists from elsewhere


@device_function(inline="never")
def indexed(state, layout, first):
    """Return the locations of all indexes, ``first`` being that of index 0, as they were touched."""
    count, location = 0, state[first + k.CHAIN_AT]
    while location:
        count += 1
        location = state[location + k.NEXT_AT]
    state[k.WORK] += count
    result = new_list(state, layout, count)
    if result:
        offset, location = result, state[first + k.CHAIN_AT]
        while location:
            offset += 1
            state[offset] = location
            location = state[location + k.NEXT_AT]
    return result


@device_function(inline="never")
def numbers(state, layout, first, last):
    """Return the numbers from ``first`` to ``last``."""
    count = max(0, last - first + 1)
    result = new_list(state, layout, count)
    if result:
        state[k.WORK] += count >> 1
        for i in range(count):
            state[result + 1 + i] = first + i
    return result


@device_function(inline="never")
def others(state, layout, but, count):
    """Return the numbers from 1 to ``count`` but for one, which may be another."""
    result = new_list(state, layout, count - (1 if 1 <= but <= count else 0))
    if result:
        offset = result
        for seat in range(1, count + 1):
            if seat != but:
                offset += 1
                state[offset] = seat
    return result


# --- lists from lists


@device_function
def size_of_all(state, layout, lists):
    """Return the number of members of all lists in ``lists``."""
    count = 0
    for i in range(state[lists]):
        count += size_of(state, layout, state[lists + 1 + i])
    return count


@device_function
def gathered(state, layout, lists):
    """Copy the members of all lists in ``lists`` to the end of the heap; return (address, number)."""
    state[k.WORK] += state[lists]
    count = size_of_all(state, layout, lists)
    offset = layout[k.L_LISTS_END] - count
    if offset <= state[k.HEAP]:
        state[k.STATUS] = k.OUT_OF_LISTS
        return offset, 0
    filled = offset
    for i in range(state[lists]):
        filled += fill_noinline(state, layout, state[lists + 1 + i], filled)
    return offset, count


@device_function(inline="never")
def union(state, layout, lists):
    """Return all lists, one behind the other."""
    state[k.WORK] += state[lists]
    count = size_of_all(state, layout, lists)
    result = new_list(state, layout, count)
    if result:
        filled = result + 1
        for i in range(state[lists]):
            filled += fill_noinline(state, layout, state[lists + 1 + i], filled)
    return result


@device_function
def occurring(state, layout, lists, times):
    """Return the cards that occur ``times`` times in all lists together, each once."""
    offset, count = gathered(state, layout, lists)
    if state[k.STATUS]:
        return 0
    result = state[k.HEAP]
    if result + count + 1 > offset:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    if not charge(state, layout, count * count >> 2):
        return 0
    size = 0
    for i in range(count):
        card, seen, before = state[offset + i], 0, 0
        for j in range(count):
            if state[offset + j] == card:
                seen += 1
                if j < i:
                    before += 1
        if seen == times and before == 0:
            size += 1
            state[result + size] = card
    cut(state, result, size)
    return result


@device_function
def handles(state, layout, first, count):
    """Return the list of ``count`` lists that lie one behind the other from ``first``."""
    result = new_list(state, layout, count)
    if result:
        state[k.WORK] += count
        offset = first
        for i in range(count):
            state[result + 1 + i] = offset
            offset += state[offset] + 1
    return result


@device_function(inline="never")
def partition(state, layout, data, column, cards, alone):
    """Return one list per value of an attribute (``column``: of its values, -1 for none), in order of first occurrence.

    ``cards`` is a list if it stands ``alone``, else a list of lists. The tally, with a word for each string, counts the cards of a value,
    then knows where the next of them goes, and is left as it was, empty.
    """
    if alone:
        count = size_of(state, layout, cards)
        offset = layout[k.L_LISTS_END] - count
    else:
        offset, count = gathered(state, layout, cards)
        if state[k.STATUS]:
            return 0
    tally, first, values = layout[k.L_TALLY], state[k.HEAP], offset - count
    order = values - count - 1
    if first + 2 * count + 1 > order:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    if not charge(state, layout, 2 * count):
        return 0
    if alone:
        fill_noinline(state, layout, cards, offset)
    groups = 0
    for i in range(count):
        value = tally + (data[column + state[state[offset + i] + k.TYPE]] if column >= 0 else 0)
        state[values + i] = value
        state[order + groups] = value
        groups += state[value] == 0
        state[value] += 1
    group = first
    for i in range(groups):
        value = state[order + i]
        state[group] = state[value]
        state[value] = group
        group += state[group] + 1
    for i in range(count):
        value = state[values + i]
        state[value] += 1
        state[state[value]] = state[offset + i]
    for i in range(groups):
        state[state[order + i]] = 0
    state[k.HEAP] = group
    return handles(state, layout, first, groups)


@device_function(inline="never")
def take(state, layout, cards, end, count):
    """Return ``count`` cards from an end inward."""
    size = size_of(state, layout, cards)
    if count < 0 or count > size:
        state[k.STATUS] = k.BEYOND
        return 0
    result = snapshot(state, layout, cards)
    if result == 0:
        return 0
    if end == k.AT_TOP:
        state[k.WORK] += size >> 2
        for i in range(size // 2):
            state[result + 1 + i], state[result + size - i] = state[result + size - i], state[result + 1 + i]
    cut(state, result, count)
    return result


@device_function(inline="never")
def longest_run(state, layout, cards, end, least, points):
    """Return the longest part at an end, of at least ``least`` cards, whose scores are consecutive and distinct."""
    result = snapshot(state, layout, cards)
    if result == 0:
        return 0
    size = state[result]
    if not charge(state, layout, size * size >> 2):
        return 0
    for length in range(size, max(least, 1) - 1, -1):
        start = result + 1 + (size - length if end == k.AT_TOP else 0)
        low = high = state[points + state[state[start] + k.TYPE]]
        for i in range(1, length):
            score = state[points + state[state[start + i] + k.TYPE]]
            low, high = min(low, score), max(high, score)
        distinct = high - low == length - 1
        if distinct and not charge(state, layout, length * length >> 2):
            return 0
        for i in range(length):
            if not distinct:
                break
            for j in range(i):
                if state[points + state[state[start + i] + k.TYPE]] == state[points + state[state[start + j] + k.TYPE]]:
                    distinct = False
        if distinct:
            for i in range(length):
                state[result + 1 + i] = state[start + i]
            cut(state, result, length)
            return result
    cut(state, result, 0)
    return result


@device_function
def bits(mask):
    """Return the number of bits set, of 63."""
    mask -= (mask >> 1) & 0x5555555555555555
    mask = (mask & 0x3333333333333333) + ((mask >> 2) & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((mask * 0x0101010101010101) >> 56) & 0x7F


@device_function(inline="never")
def subsets(state, layout, cards, fewest, most, but):
    """Return the subsets of ``fewest`` to ``most`` cards, but not of ``but``, counted in binary."""
    size = size_of(state, layout, cards)
    fewest, most = max(fewest, 1), min(most, size)
    if size > 62 and fewest <= most:
        state[k.STATUS] = k.TOO_MANY_SUBSETS
        return 0
    offset = layout[k.L_LISTS_END] - size
    first = state[k.HEAP]
    if offset <= first:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    fill_noinline(state, layout, cards, offset)
    end, count, next = np.int64(1) << np.int64(min(size, 62)), 0, first
    max_subsets = min(AT_ONCE, layout[k.L_WORK_LIMIT]) // (2 + (size >> 1))
    mask = (np.int64(1) << np.int64(min(fewest, 62))) - 1
    while fewest <= most and mask < end:
        length = bits(mask)
        if length != but:
            if next + length + count + 2 > offset:
                state[k.STATUS] = k.TOO_MANY_SUBSETS
                return 0
            if count >= max_subsets:
                state[k.STATUS] = k.OVERWORKED
                return 0
            state[next] = length
            filled = next + 1
            for i in range(size):
                state[filled] = state[offset + i]
                filled += (mask >> i) & 1
            next += length + 1
            count += 1
        # With as many bits as allowed, everything up to the carry of the lowest one has more.
        mask += (mask & -mask) if length >= most else 1
        short = fewest - bits(mask)
        bit = np.int64(1)
        while short > 0:
            if not mask & bit:
                mask |= bit
                short -= 1
            bit <<= 1
    state[k.WORK] += count * (2 + (size >> 1))
    state[k.HEAP] = next
    return handles(state, layout, first, count)


@device_function
def sort_nodes(state, offset, size, points, remembers):
    """Sort cards (or memories) from ``offset`` by score, stably."""
    for i in range(1, size):
        node = state[offset + i]
        score = state[points + state[(state[node + k.TYPE] if remembers else node) + k.TYPE]]
        j = i
        while j > 0:
            before = state[offset + j - 1]
            if state[points + state[(state[before + k.TYPE] if remembers else before) + k.TYPE]] <= score:
                break
            state[offset + j] = before
            j -= 1
        state[offset + j] = node


@device_function
def sort_by_rank(state, offset, size, points):
    """Sort the cards from ``offset + size`` to ``offset`` by score, stably; return the most scores that follow each other.

    ``offset + 2 * size`` and following is workspace for the scores. Each card goes where as many come before it: that is branch-free, and
    the cards are few.
    """
    scores = offset + 2 * size
    for i in range(size):
        # Equal ones in their order.
        state[scores + i] = state[points + state[state[offset + size + i] + k.TYPE]] * size + i
    for i in range(size):
        score, rank = state[scores + i], 0
        for j in range(size):
            rank += state[scores + j] < score
        state[offset + rank] = state[offset + size + i]
    longest, length, before = 0, 0, 0
    for i in range(size):
        score = state[points + state[state[offset + i] + k.TYPE]]
        if i == 0 or score > before + 1:
            length = 1
        elif score == before + 1:
            length += 1
        longest = max(longest, length)
        before = score
    return longest


@device_function
def sort(state, layout, cards, points):
    """Sort any list in place."""
    size = size_of(state, layout, cards)
    offset = state[k.HEAP]
    if offset + size > layout[k.L_LISTS_END]:
        state[k.STATUS] = k.OUT_OF_LISTS
    elif not charge(state, layout, size * size >> 2):
        return
    elif cards >= layout[k.L_LISTS_FROM]:
        fill_noinline(state, layout, cards, offset)
        sort_nodes(state, offset, size, points, False)
        for i in range(size):
            put(state, cards + 1 + i, state[offset + i])
    else:
        nodes(state, cards, offset)
        sort_nodes(state, offset, size, points, state[cards + k.KIND_AT] == k.MEMORY)
        relink(state, cards, offset, size)


@device_function
def no_run(state, offset, size, least, points):
    """Return whether among the cards from ``offset`` fewer than ``least`` scores follow each other; False if they are too large."""
    unit, low, high, beyond = np.uint64(1), np.uint64(0), np.uint64(0), 0
    for i in range(size):
        score = state[points + state[state[offset + i] + k.TYPE]]
        bit = unit << np.uint64(score & 63)
        low |= bit if score < 64 else np.uint64(0)
        high |= bit if score >= 64 else np.uint64(0)
        beyond |= score >> 7
    for _ in range(1, min(least, 128)):
        low &= (low >> unit) | (high << np.uint64(63))
        high &= high >> unit
    return beyond == 0 and (low | high) == 0


@device_function(inline="never")
def runs(state, layout, cards, least, points, largest):
    """Return the runs of at least ``least`` cards: all of them, or only those that cannot be longer.

    Complete runs are copied to the heap from below; those that may still grow lie at its end, as rows of the length of the list.
    """
    size = size_of(state, layout, cards)
    sorted_at = layout[k.L_LISTS_END] - 3 * size
    first = state[k.HEAP]
    if sorted_at <= first:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    if not charge(state, layout, size * size >> 2):
        return 0
    fill_noinline(state, layout, cards, sorted_at + size)
    if no_run(state, sorted_at + size, size, least, points):
        return handles(state, layout, first, 0)
    if sort_by_rank(state, sorted_at, size, points) < least:
        state[k.WORK] += size
        return handles(state, layout, first, 0)
    row = size + 1
    count, next, growing = 0, first, 0
    before, grown, max_grown = 0, 0, min(AT_ONCE, layout[k.L_WORK_LIMIT])
    for i in range(size + 1):
        card = state[sorted_at + i] if i < size else 0
        grown += growing
        if grown > max_grown:
            state[k.STATUS] = k.OVERWORKED
            return 0
        step = 2
        if before and card:
            step = state[points + state[card + k.TYPE]] - state[points + state[before + k.TYPE]]
        if before and step != 0 and (step != 1 or not largest):
            # The runs so far are complete, or for all of them worth recording before they grow.
            for r in range(growing):
                offset = sorted_at - (r + 1) * row
                length = state[offset]
                if length >= least:
                    if next + length + count + 2 > sorted_at - (growing + 1) * row:
                        state[k.STATUS] = k.OUT_OF_LISTS
                        return 0
                    for j in range(length + 1):
                        state[next + j] = state[offset + j]
                    next += length + 1
                    count += 1
        if card == 0:
            break
        if step == 0:
            for r in range(growing):
                offset = sorted_at - (r + 1) * row
                length = state[offset]
                if state[offset + length] == before:
                    copy = sorted_at - (growing + 1) * row
                    if copy <= next + count + row:
                        state[k.STATUS] = k.OUT_OF_LISTS
                        return 0
                    for j in range(length):
                        state[copy + j] = state[offset + j]
                    state[copy + length] = card
                    growing += 1
        elif step == 1:
            for r in range(growing):
                offset = sorted_at - (r + 1) * row
                state[offset] += 1
                state[offset + state[offset]] = card
        else:
            growing = 0
        if growing == 0 or not largest:
            copy = sorted_at - (growing + 1) * row
            if copy <= next + count + row:
                state[k.STATUS] = k.OUT_OF_LISTS
                return 0
            state[copy] = 1
            state[copy + 1] = card
            growing += 1
        before = card
    state[k.WORK] += size + 2 * grown + (next - first)
    state[k.HEAP] = next
    return handles(state, layout, first, count)
