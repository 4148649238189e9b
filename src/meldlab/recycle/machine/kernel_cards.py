"""Cards, memories and locations: every change of a state, and how it is taken back.

``state``: [words] int64; ``layout``: [LAYOUT] int64. While options are explored every write goes to the trail as (address, old value);
where the trail is full nothing is written any more and the status says so. What takes longer than an instruction should is charged as
work.
"""

import numpy as np

from meldlab.chance.kernel import address, below, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k

AT_ONCE = 20_000_000  # the most work of one instruction, whatever the limits: a tenth of a second


@device_function
def put(state, offset, value):
    """Write one word, while there is a trail so that it can be taken back; without room for that it is not written."""
    trail = state[k.TRAIL]
    if trail:
        if trail >= state[k.TRAIL_END]:
            state[k.STATUS] = k.OUT_OF_TRAIL
            return
        state[trail] = offset
        state[trail + 1] = state[offset]
        state[k.TRAIL] = trail + 2
    state[offset] = value


@device_function
def undo(state, mark):
    """Take back every write since the trail was ``mark`` long."""
    trail = state[k.TRAIL]
    while trail > mark:
        trail -= 2
        state[state[trail]] = state[trail + 1]
    state[k.TRAIL] = mark


@device_function
def charge(state, layout, work):
    """Charge work before it is done; return whether it may be done. Nothing can stop an instruction, so none may take very long."""
    state[k.WORK] += work
    if state[k.WORK] > layout[k.L_WORK_LIMIT] or work > AT_ONCE:
        state[k.STATUS] = k.OVERWORKED
    return state[k.STATUS] == 0


@device_function
def acted(state):
    """Count an action: a branch without any is not an option. Choice points store the count."""
    state[k.ACTED] += 1


@device_function
def log_event(state, layout, what, a, b, c):
    """Write an action to the log, if someone reads it."""
    if state[k.LOGGING] and state[k.MODE] != k.EXPLORE:
        write_event(state, layout, what, a, b, c)


@device_function(inline="never")
def write_event(state, layout, what, a, b, c):
    """Write an action to the log."""
    offset = layout[k.L_LOG] + state[k.LOG]
    if offset + 4 > layout[k.L_LOG_END]:
        # The reader sees that it ran over; the game continues.
        state[k.LOG] = layout[k.L_LOG_END] - layout[k.L_LOG] + 4
        return
    state[offset] = what
    state[offset + 1] = a
    state[offset + 2] = b
    state[offset + 3] = c
    state[k.LOG] += 4


@device_function
def chance(state, layout, purpose):
    """Return the key of the next chance event."""
    path = np.uint64(0)
    if state[k.MODE] != k.RUN:
        base = layout[k.L_PATH]
        state[k.WORK] += state[k.PATH]
        for i in range(state[k.PATH]):
            path = mix(path ^ np.uint64(state[base + i] + 1))
    event = state[k.EVENT]
    put(state, k.EVENT, event + 1)
    return address(np.uint64(state[k.KEY]), path, state[k.DECISION], event, purpose)


# --- chains of cards


@device_function
def written(state, trail, offset, value):
    """Write one word as ``put`` does, but for a caller that holds the trail and has checked its end; return the new end."""
    if trail:
        state[trail] = offset
        state[trail + 1] = state[offset]
        trail += 2
    state[offset] = value
    return trail


@device_function
def unlink(state, node):
    """Take a card or memory out of its location."""
    above, under, location = state[node + k.ABOVE], state[node + k.BELOW], state[node + k.LOCATION_AT]
    trail = state[k.TRAIL]
    if trail and trail + 6 > state[k.TRAIL_END]:
        state[k.STATUS] = k.OUT_OF_TRAIL
        return
    trail = written(state, trail, under + k.ABOVE if under else location + k.BOTTOM_AT, above)
    trail = written(state, trail, above + k.BELOW if above else location + k.TOP_AT, under)
    state[k.TRAIL] = written(state, trail, location + k.SIZE_AT, state[location + k.SIZE_AT] - 1)


@device_function
def link(state, location, under, node):
    """Put a card or memory into a location, above ``under`` or, where that is 0, at the bottom."""
    link_at = under + k.ABOVE if under else location + k.BOTTOM_AT
    above = state[link_at]
    trail = state[k.TRAIL]
    if trail and trail + 12 > state[k.TRAIL_END]:
        state[k.STATUS] = k.OUT_OF_TRAIL
        return
    trail = written(state, trail, node + k.ABOVE, above)
    trail = written(state, trail, node + k.BELOW, under)
    trail = written(state, trail, node + k.LOCATION_AT, location)
    trail = written(state, trail, link_at, node)
    trail = written(state, trail, above + k.BELOW if above else location + k.TOP_AT, node)
    state[k.TRAIL] = written(state, trail, location + k.SIZE_AT, state[location + k.SIZE_AT] + 1)


@device_function
def node_at(state, location, index):
    """Return the card or memory at an index of a location that has it."""
    state[k.WORK] += index >> 1
    node = state[location + k.BOTTOM_AT]
    for _ in range(index):
        node = state[node + k.ABOVE]
    return node


@device_function
def insert(state, location, end, index, node):
    """Put a card or memory at an end or index of a location; an index beyond it is an error."""
    under = 0
    if end == k.AT_TOP:
        under = state[location + k.TOP_AT]
    elif end == k.AT_INDEX:
        if index < 0 or index > state[location + k.SIZE_AT]:
            state[k.STATUS] = k.BEYOND
            return
        if index:
            under = node_at(state, location, index - 1)
    link(state, location, under, node)


@device_function
def relink(state, location, offset, size):
    """Make a location hold the ``size`` nodes listed from ``at``, from the bottom up."""
    state[k.WORK] += size
    under = 0
    if state[k.TRAIL] == 0:
        # Nothing is to be taken back.
        for i in range(size):
            node = state[offset + i]
            state[node + k.BELOW] = under
            state[node + k.LOCATION_AT] = location
            state[node + k.ABOVE] = state[offset + i + 1] if i + 1 < size else 0
            under = node
        state[location + k.BOTTOM_AT] = state[offset] if size else 0
        state[location + k.TOP_AT] = under
        state[location + k.SIZE_AT] = size
        return
    for i in range(size):
        node = state[offset + i]
        put(state, node + k.BELOW, under)
        put(state, node + k.LOCATION_AT, location)
        if under:
            put(state, under + k.ABOVE, node)
        else:
            put(state, location + k.BOTTOM_AT, node)
        under = node
    if under:
        put(state, under + k.ABOVE, 0)
    else:
        put(state, location + k.BOTTOM_AT, 0)
    put(state, location + k.TOP_AT, under)
    put(state, location + k.SIZE_AT, size)


@device_function
def nodes(state, location, offset):
    """List the nodes of a location from ``offset``; return their number."""
    node, size = state[location + k.BOTTOM_AT], 0
    while node:
        state[offset + size] = node
        size += 1
        node = state[node + k.ABOVE]
    return size


# --- locations


@device_function
def touch(state, location):
    """Note that a location has been named."""
    if state[location + k.NEXT_AT] < 0:
        first = state[location + k.FIRST_AT]
        put(state, location + k.NEXT_AT, 0)
        if state[first + k.CHAIN_AT]:
            put(state, state[first + k.CHAIN_END_AT] + k.NEXT_AT, location)
        else:
            put(state, first + k.CHAIN_AT, location)
        put(state, first + k.CHAIN_END_AT, location)


@device_function
def find_location(state, layout, first, index):
    """Return the location of an index, made if it is new; ``first`` is that of index 0."""
    if index == 0:
        touch(state, first)
        return first
    location = state[first + k.CHAIN_AT]
    while location:
        if state[location + k.INDEX_AT] == index:
            return location
        state[k.WORK] += 1
        location = state[location + k.NEXT_AT]
    return new_location(state, layout, first, index)


@device_function(inline="never")
def new_location(state, layout, first, index):
    """Make the location of an index and return it."""
    location = state[k.TOP]
    if state[k.INDEXED] >= layout[k.L_INDEX_LIMIT] or location + k.LOCATION > layout[k.L_DYNAMIC_END]:
        state[k.STATUS] = k.OUT_OF_LOCATIONS
        return first
    put(state, k.TOP, location + k.LOCATION)
    put(state, k.INDEXED, state[k.INDEXED] + 1)
    # These words were free: they need not be restored and are not on the trail.
    put(state, k.FOLLOWED, 1)
    state[location + k.BOTTOM_AT] = 0
    state[location + k.TOP_AT] = 0
    state[location + k.SIZE_AT] = 0
    state[location + k.OWNER_AT] = state[first + k.OWNER_AT]
    state[location + k.KIND_AT] = state[first + k.KIND_AT]
    state[location + k.FIRST_AT] = first
    state[location + k.INDEX_AT] = index
    state[location + k.NEXT_AT] = -1
    state[location + k.CHAIN_AT] = 0
    state[location + k.CHAIN_END_AT] = 0
    touch(state, location)
    return location


# --- actions


@device_function
def leave_list(state, layout, cards, end, card):
    """Take a card out of a computed list, at the end where it was index."""
    size = state[cards]
    if not charge(state, layout, size):
        return
    for i in range(size):
        index = i if end == k.AT_BOTTOM else size - 1 - i
        if state[cards + 1 + index] == card:
            for after in range(index, size - 1):
                put(state, cards + 1 + after, state[cards + 2 + after])
            put(state, cards, size - 1)
            return


@device_function
def is_location(state, layout, cards):
    """Return whether a list is a location that holds cards, neither a computed list nor a memory."""
    return cards < layout[k.L_LISTS_FROM] and state[cards + k.KIND_AT] != k.MEMORY


@device_function
def can_move(state, layout, card, cards, location):
    """Return whether a card, found in the list ``cards`` (0: by name), may go to a location; else set the status."""
    if card == 0:
        state[k.STATUS] = k.NO_CARD
    elif not is_location(state, layout, location):
        state[k.STATUS] = k.NO_TARGET
    elif cards and cards < layout[k.L_LISTS_FROM] and state[cards + k.KIND_AT] == k.MEMORY:
        state[k.STATUS] = k.FROM_MEMORY
    else:
        return True
    return False


@device_function(inline="never")
def move(state, layout, card, cards, ends, location, index):
    """Move a card, found in the list ``cards`` (0: by name), to a place in a location; ``ends``: where it was found + 4 * where it goes."""
    if can_move(state, layout, card, cards, location):
        log_event(state, layout, k.MOVE, card, state[card + k.LOCATION_AT], location)
        unlink(state, card)
        insert(state, location, ends >> 2, index, card)
        if cards >= layout[k.L_LISTS_FROM]:
            leave_list(state, layout, cards, ends & 3, card)
        acted(state)


@device_function
def try_move(state, layout, card, cards, location, where, index):
    """See whether a card could be moved, where nothing after the move depends on it."""
    if not can_move(state, layout, card, cards, location):
        return
    if where == k.AT_INDEX and (index < 0 or index > state[location + k.SIZE_AT] - (1 if state[card + k.LOCATION_AT] == location else 0)):
        state[k.STATUS] = k.BEYOND
    else:
        state[k.LAST_CARD] = card
        state[k.LAST_LOCATION] = location
        state[k.LAST_END] = where
        state[k.LAST_INDEX] = index
        acted(state)


@device_function(inline="never")
def remember(state, layout, card, location, where, index):
    """Put a reference to a card at a place in a memory."""
    if card == 0:
        state[k.STATUS] = k.NO_CARD
        return
    if location >= layout[k.L_LISTS_FROM] or state[location + k.KIND_AT] != k.MEMORY:
        state[k.STATUS] = k.NO_MEMORY
        return
    node = state[k.FREE]
    if node:
        put(state, k.FREE, state[node + k.ABOVE])
    else:
        node = state[k.TOP]
        if node + k.NODE > layout[k.L_DYNAMIC_END]:
            state[k.STATUS] = k.OUT_OF_MEMORIES
            return
        put(state, k.TOP, node + k.NODE)
    if state[k.REMEMBERED] >= layout[k.L_MEMORY_LIMIT]:
        state[k.STATUS] = k.OUT_OF_MEMORIES
        return
    put(state, k.REMEMBERED, state[k.REMEMBERED] + 1)
    put(state, node + k.TYPE, card)
    insert(state, location, where, index, node)
    log_event(state, layout, k.REMEMBER, card, location, 0)
    acted(state)


@device_function
def forget(state, layout, node):
    """Drop a reference."""
    log_event(state, layout, k.FORGET_AT, state[node + k.TYPE], state[node + k.LOCATION_AT], 0)
    unlink(state, node)
    put(state, node + k.ABOVE, state[k.FREE])
    put(state, node + k.LOCATION_AT, 0)
    put(state, k.FREE, node)
    put(state, k.REMEMBERED, state[k.REMEMBERED] - 1)
    acted(state)


@device_function(inline="never")
def forget_at(state, layout, location, end, index):
    """Drop the reference at a place in a memory."""
    if location >= layout[k.L_LISTS_FROM] or state[location + k.KIND_AT] != k.MEMORY:
        state[k.STATUS] = k.NO_MEMORY
    elif state[location + k.SIZE_AT] == 0:
        state[k.STATUS] = k.NO_CARD
    elif end == k.AT_TOP:
        forget(state, layout, state[location + k.TOP_AT])
    elif end == k.AT_BOTTOM:
        forget(state, layout, state[location + k.BOTTOM_AT])
    elif index < 0 or index >= state[location + k.SIZE_AT]:
        state[k.STATUS] = k.BEYOND
    else:
        forget(state, layout, node_at(state, location, index))


@device_function
def forget_card(state, layout, card, location):
    """Drop the topmost reference to a card in a memory; return whether there was one."""
    node = state[location + k.TOP_AT]
    while node:
        if state[node + k.TYPE] == card:
            forget(state, layout, node)
            return True
        state[k.WORK] += 1
        node = state[node + k.BELOW]
    return False


@device_function(inline="never")
def swap_cards(state, layout, first, other):
    """Let two cards take each other's places."""
    if first == 0 or other == 0:
        state[k.STATUS] = k.NO_CARD
        return
    # Their locations in one word.
    log_event(state, layout, k.SWAP_CARDS, first, other, state[first + k.LOCATION_AT] + (state[other + k.LOCATION_AT] << 32))
    acted(state)
    if first == other:
        return
    if state[other + k.ABOVE] == first:
        first, other = other, first
    location, under = state[first + k.LOCATION_AT], state[first + k.BELOW]
    other_location, other_under = state[other + k.LOCATION_AT], state[other + k.BELOW]
    if other_under == first:
        unlink(state, first)
        link(state, location, other, first)
        return
    unlink(state, first)
    unlink(state, other)
    link(state, other_location, other_under, first)
    link(state, location, under, other)


@device_function
def swap_lists(state, layout, first, other):
    """Let two locations exchange their cards."""
    if not (is_location(state, layout, first) and is_location(state, layout, other)):
        state[k.STATUS] = k.NO_TARGET
    elif state[first + k.SIZE_AT] == 0 or state[other + k.SIZE_AT] == 0:
        state[k.STATUS] = k.NO_CARD
    else:
        log_event(state, layout, k.SWAP_LISTS, first, other, 0)
        acted(state)
        if first != other:
            state[k.WORK] += state[first + k.SIZE_AT] + state[other + k.SIZE_AT]
            for field in (k.BOTTOM_AT, k.TOP_AT, k.SIZE_AT):
                saved = state[first + field]
                put(state, first + field, state[other + field])
                put(state, other + field, saved)
            for location in (first, other):
                node = state[location + k.BOTTOM_AT]
                while node:
                    put(state, node + k.LOCATION_AT, location)
                    node = state[node + k.ABOVE]


@device_function(inline="never")
def shuffle(state, layout, cards):
    """Shuffle a location or a computed list."""
    key = chance(state, layout, k.FOR_TRIAL_SHUFFLE if state[k.MODE] == k.EXPLORE else k.FOR_SHUFFLE)
    put(state, k.FOLLOWED, 1)
    if not charge(state, layout, 3 * (state[cards] if cards >= layout[k.L_LISTS_FROM] else state[cards + k.SIZE_AT])):
        return
    if cards >= layout[k.L_LISTS_FROM]:
        for last in range(state[cards] - 1, 0, -1):
            other = below(key, last, last + 1)
            saved = state[cards + 1 + last]
            put(state, cards + 1 + last, state[cards + 1 + other])
            put(state, cards + 1 + other, saved)
    else:
        offset = state[k.HEAP]
        if offset + 2 * state[cards + k.SIZE_AT] > layout[k.L_LISTS_END]:
            state[k.STATUS] = k.OUT_OF_LISTS
            return
        size = nodes(state, cards, offset)
        # All draws first: they wait for nothing, while a card is not read before it is known where the last ones went.
        drawn = offset + size
        for last in range(1, size):
            state[drawn + last] = offset + below(key, last, last + 1)
        for last in range(size - 1, 0, -1):
            other = state[drawn + last]
            state[offset + last], state[other] = state[other], state[offset + last]
        relink(state, cards, offset, size)
        log_event(state, layout, k.SHUFFLE, cards, 0, 0)
    acted(state)


@device_function
def faro(state, layout, lower, upper):
    """Interleave two locations, or the halves of one, into the first."""
    if not (is_location(state, layout, lower) and is_location(state, layout, upper)):
        state[k.STATUS] = k.NO_TARGET
        return
    offset = state[k.HEAP]
    if offset + 2 * (state[lower + k.SIZE_AT] + state[upper + k.SIZE_AT]) > layout[k.L_LISTS_END]:
        state[k.STATUS] = k.OUT_OF_LISTS
        return
    size = nodes(state, lower, offset)
    if lower == upper:
        total = size
        size = (total + 1) // 2
    else:
        total = size + nodes(state, upper, offset + size)
    mixed = offset + total
    i, j, filled = 0, size, 0
    while i < size or j < total:
        if i < size:
            state[mixed + filled] = state[offset + i]
            i += 1
            filled += 1
        if j < total:
            state[mixed + filled] = state[offset + j]
            j += 1
            filled += 1
    relink(state, upper, mixed, 0)
    relink(state, lower, mixed, total)
    log_event(state, layout, k.FARO, lower, upper, 0)
    acted(state)


@device_function
def create_cards(state, layout, location, kind, count):
    """Make cards of types ``kind`` and following, each on top of the one before."""
    state[k.WORK] += 3 * count
    for i in range(count):
        if state[k.CARDS] >= layout[k.L_CARDS_LIMIT]:
            state[k.STATUS] = k.OUT_OF_CARDS
        if state[k.STATUS]:
            return
        card = layout[k.L_CARDS] + k.NODE * state[k.CARDS]
        put(state, k.CARDS, state[k.CARDS] + 1)
        put(state, card + k.TYPE, kind + i)
        link(state, location, state[location + k.TOP_AT], card)
    acted(state)


@device_function
def create_teams(state, layout, data, offset):
    """Make the teams listed in ``data`` from ``at``: [teams, then for each its size and members]."""
    players = layout[k.L_PLAYERS]
    for player in range(1, players + 1):
        put(state, layout[k.L_TEAM_OF] + player, 0)
    put(state, k.TEAMS, data[offset])
    offset += 1
    for team in range(1, state[k.TEAMS] + 1):
        members = layout[k.L_TEAM_LISTS] + (team - 1) * (players + 1)
        put(state, members, data[offset])
        for i in range(data[offset]):
            put(state, members + 1 + i, data[offset + 1 + i])
            put(state, layout[k.L_TEAM_OF] + data[offset + 1 + i], team)
        offset += 1 + data[offset]
    state[k.WORK] += (layout[k.L_TEAM_CELLS_END] - layout[k.L_TEAM_CELLS]) >> 1
    for cell in range(layout[k.L_TEAM_CELLS], layout[k.L_TEAM_CELLS_END]):
        put(state, cell, 0)
    for depth in range(layout[k.L_TEAM_DEPTH]):
        cycle = layout[k.L_TEAM_CYCLES] + k.CYCLE * depth
        if state[cycle + k.CURRENT]:
            put(state, cycle + k.CURRENT, 1)
    acted(state)
