"""Cards, memories and locations: every change of a state, and how it is taken back.

``state``: [words] int64; ``layout``: [LAYOUT] int64. While options are explored every write goes to the trail as (address, old value);
where the trail is full nothing is written any more and the status says so. What takes longer than an instruction should is charged as
work.
"""

import numpy as np

from meldlab.chance.kernel import address, below, mix
from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_layout import *

AT_ONCE = 20_000_000  # the most work of one instruction, whatever the limits: a tenth of a second


@device_function
def put(state, at, value):
    """Write one word, while there is a trail so that it can be taken back; without room for that it is not written."""
    trail = state[TRAIL]
    if trail:
        if trail >= state[TRAIL_END]:
            state[STATUS] = OUT_OF_TRAIL
            return
        state[trail] = at
        state[trail + 1] = state[at]
        state[TRAIL] = trail + 2
    state[at] = value


@device_function
def undo(state, mark):
    """Take back every write since the trail was ``mark`` long."""
    trail = state[TRAIL]
    while trail > mark:
        trail -= 2
        state[state[trail]] = state[trail + 1]
    state[TRAIL] = mark


@device_function
def afford(state, layout, work):
    """Charge work before it is done; return whether it may be done. Nothing can stop an instruction, so none may take very long."""
    state[WORK] += work
    if state[WORK] > layout[L_WORK_LIMIT] or work > AT_ONCE:
        state[STATUS] = OVERWORKED
    return state[STATUS] == 0


@device_function
def acted(state):
    """Count an action: a branch without any is no option. Choice points keep the count."""
    state[ACTED] += 1


@device_function
def note(state, layout, what, a, b, c):
    """Write an action to the log, if someone reads it."""
    if state[LOGGING] and state[MODE] != EXPLORE:
        write_note(state, layout, what, a, b, c)


@device_function(inline="never")
def write_note(state, layout, what, a, b, c):
    """Write an action to the log."""
    at = layout[L_LOG] + state[LOG]
    if at + 4 > layout[L_LOG_END]:
        # Whoever reads it sees that it ran over; the game goes on.
        state[LOG] = layout[L_LOG_END] - layout[L_LOG] + 4
        return
    state[at] = what
    state[at + 1] = a
    state[at + 2] = b
    state[at + 3] = c
    state[LOG] += 4


@device_function
def chance(state, layout, purpose):
    """Return the key of the next chance event."""
    path = np.uint64(0)
    if state[MODE] != RUN:
        base = layout[L_PATH]
        state[WORK] += state[PATH]
        for i in range(state[PATH]):
            path = mix(path ^ np.uint64(state[base + i] + 1))
    event = state[EVENT]
    put(state, EVENT, event + 1)
    return address(np.uint64(state[KEY]), path, state[DECISION], event, purpose)


# --- chains of cards


@device_function
def written(state, trail, at, value):
    """Write one word as ``put`` does, but with the trail, on which there is room, in hand; return where it goes on."""
    if trail:
        state[trail] = at
        state[trail + 1] = state[at]
        trail += 2
    state[at] = value
    return trail


@device_function
def unlink(state, node):
    """Take a card or memory out of its location."""
    above, under, home = state[node + ABOVE], state[node + BELOW], state[node + HOME]
    trail = state[TRAIL]
    if trail and trail + 6 > state[TRAIL_END]:
        state[STATUS] = OUT_OF_TRAIL
        return
    trail = written(state, trail, under + ABOVE if under else home + BOTTOM_AT, above)
    trail = written(state, trail, above + BELOW if above else home + TOP_AT, under)
    state[TRAIL] = written(state, trail, home + SIZE_AT, state[home + SIZE_AT] - 1)


@device_function
def link(state, home, under, node):
    """Put a card or memory into a location, above ``under`` or, where that is 0, at the bottom."""
    link_at = under + ABOVE if under else home + BOTTOM_AT
    above = state[link_at]
    trail = state[TRAIL]
    if trail and trail + 12 > state[TRAIL_END]:
        state[STATUS] = OUT_OF_TRAIL
        return
    trail = written(state, trail, node + ABOVE, above)
    trail = written(state, trail, node + BELOW, under)
    trail = written(state, trail, node + HOME, home)
    trail = written(state, trail, link_at, node)
    trail = written(state, trail, above + BELOW if above else home + TOP_AT, node)
    state[TRAIL] = written(state, trail, home + SIZE_AT, state[home + SIZE_AT] + 1)


@device_function
def node_at(state, home, index):
    """Return the card or memory at an index of a location that has it."""
    state[WORK] += index >> 1
    node = state[home + BOTTOM_AT]
    for _ in range(index):
        node = state[node + ABOVE]
    return node


@device_function
def insert(state, home, end, index, node):
    """Put a card or memory at an end or index of a location; an index beyond it is an error."""
    under = 0
    if end == AT_TOP:
        under = state[home + TOP_AT]
    elif end == AT_INDEX:
        if index < 0 or index > state[home + SIZE_AT]:
            state[STATUS] = BEYOND
            return
        if index:
            under = node_at(state, home, index - 1)
    link(state, home, under, node)


@device_function
def relink(state, home, at, size):
    """Make a location hold the ``size`` nodes listed from ``at``, from the bottom up."""
    state[WORK] += size
    under = 0
    if state[TRAIL] == 0:
        # Nothing is to be taken back.
        for i in range(size):
            node = state[at + i]
            state[node + BELOW] = under
            state[node + HOME] = home
            state[node + ABOVE] = state[at + i + 1] if i + 1 < size else 0
            under = node
        state[home + BOTTOM_AT] = state[at] if size else 0
        state[home + TOP_AT] = under
        state[home + SIZE_AT] = size
        return
    for i in range(size):
        node = state[at + i]
        put(state, node + BELOW, under)
        put(state, node + HOME, home)
        if under:
            put(state, under + ABOVE, node)
        else:
            put(state, home + BOTTOM_AT, node)
        under = node
    if under:
        put(state, under + ABOVE, 0)
    else:
        put(state, home + BOTTOM_AT, 0)
    put(state, home + TOP_AT, under)
    put(state, home + SIZE_AT, size)


@device_function
def nodes(state, home, at):
    """List the nodes of a location from ``at``; return how many."""
    node, size = state[home + BOTTOM_AT], 0
    while node:
        state[at + size] = node
        size += 1
        node = state[node + ABOVE]
    return size


# --- locations


@device_function
def touch(state, home):
    """Note that a location has been named."""
    if state[home + NEXT_AT] < 0:
        first = state[home + FIRST_AT]
        put(state, home + NEXT_AT, 0)
        if state[first + CHAIN_AT]:
            put(state, state[first + CHAIN_END_AT] + NEXT_AT, home)
        else:
            put(state, first + CHAIN_AT, home)
        put(state, first + CHAIN_END_AT, home)


@device_function
def location(state, layout, first, index):
    """Return the location of an index, made if it is new; ``first`` is that of index 0."""
    if index == 0:
        touch(state, first)
        return first
    home = state[first + CHAIN_AT]
    while home:
        if state[home + INDEX_AT] == index:
            return home
        state[WORK] += 1
        home = state[home + NEXT_AT]
    return new_location(state, layout, first, index)


@device_function(inline="never")
def new_location(state, layout, first, index):
    """Make the location of an index and return it."""
    home = state[TOP]
    if state[INDEXED] >= layout[L_INDEX_LIMIT] or home + LOCATION > layout[L_DYNAMIC_END]:
        state[STATUS] = OUT_OF_LOCATIONS
        return first
    put(state, TOP, home + LOCATION)
    put(state, INDEXED, state[INDEXED] + 1)
    # These words were free: nobody needs them back. They are not on the trail, either.
    put(state, FOLLOWED, 1)
    state[home + BOTTOM_AT] = 0
    state[home + TOP_AT] = 0
    state[home + SIZE_AT] = 0
    state[home + OWNER_AT] = state[first + OWNER_AT]
    state[home + KIND_AT] = state[first + KIND_AT]
    state[home + FIRST_AT] = first
    state[home + INDEX_AT] = index
    state[home + NEXT_AT] = -1
    state[home + CHAIN_AT] = 0
    state[home + CHAIN_END_AT] = 0
    touch(state, home)
    return home


# --- actions


@device_function
def leave_list(state, layout, cards, end, card):
    """Take a card out of a computed list, at the end where it was found."""
    size = state[cards]
    found = -1
    if not afford(state, layout, size):
        return
    if end == AT_BOTTOM:
        for i in range(size):
            if state[cards + 1 + i] == card:
                found = i
                break
    else:
        for i in range(size - 1, -1, -1):
            if state[cards + 1 + i] == card:
                found = i
                break
    if found >= 0:
        for i in range(found, size - 1):
            put(state, cards + 1 + i, state[cards + 2 + i])
        put(state, cards, size - 1)


@device_function(inline="never")
def move(state, layout, card, cards, ends, home, index):
    """Move a card, found in the list ``cards`` (0: by name), to a place in ``home``; ``ends``: where it was found + 4 * where it goes."""
    if card == 0:
        state[STATUS] = NO_CARD
    elif home >= layout[L_LISTS_FROM] or state[home + KIND_AT] == MEMORY:
        state[STATUS] = NO_TARGET
    elif cards and cards < layout[L_LISTS_FROM] and state[cards + KIND_AT] == MEMORY:
        state[STATUS] = FROM_MEMORY
    else:
        note(state, layout, MOVE, card, state[card + HOME], home)
        unlink(state, card)
        insert(state, home, ends >> 2, index, card)
        if cards >= layout[L_LISTS_FROM]:
            leave_list(state, layout, cards, ends & 3, card)
        acted(state)


@device_function
def try_move(state, layout, card, cards, home, where, index):
    """See whether a card could be moved, where nothing after the move depends on it."""
    if card == 0:
        state[STATUS] = NO_CARD
    elif home >= layout[L_LISTS_FROM] or state[home + KIND_AT] == MEMORY:
        state[STATUS] = NO_TARGET
    elif cards and cards < layout[L_LISTS_FROM] and state[cards + KIND_AT] == MEMORY:
        state[STATUS] = FROM_MEMORY
    elif where == AT_INDEX and (index < 0 or index > state[home + SIZE_AT] - (1 if state[card + HOME] == home else 0)):
        state[STATUS] = BEYOND
    else:
        state[LAST_CARD] = card
        state[LAST_HOME] = home
        state[LAST_END] = where
        state[LAST_INDEX] = index
        acted(state)


@device_function(inline="never")
def remember(state, layout, card, home, where, index):
    """Put a reference to a card at a place in a memory."""
    if card == 0:
        state[STATUS] = NO_CARD
        return
    if home >= layout[L_LISTS_FROM] or state[home + KIND_AT] != MEMORY:
        state[STATUS] = NO_MEMORY
        return
    node = state[FREE]
    if node:
        put(state, FREE, state[node + ABOVE])
    else:
        node = state[TOP]
        if node + NODE > layout[L_DYNAMIC_END]:
            state[STATUS] = OUT_OF_MEMORIES
            return
        put(state, TOP, node + NODE)
    if state[REMEMBERED] >= layout[L_MEMORY_LIMIT]:
        state[STATUS] = OUT_OF_MEMORIES
        return
    put(state, REMEMBERED, state[REMEMBERED] + 1)
    put(state, node + TYPE, card)
    insert(state, home, where, index, node)
    note(state, layout, REMEMBER, card, home, 0)
    acted(state)


@device_function
def forget(state, layout, node):
    """Drop a reference."""
    note(state, layout, FORGET_AT, state[node + TYPE], state[node + HOME], 0)
    unlink(state, node)
    put(state, node + ABOVE, state[FREE])
    put(state, node + HOME, 0)
    put(state, FREE, node)
    put(state, REMEMBERED, state[REMEMBERED] - 1)
    acted(state)


@device_function(inline="never")
def forget_at(state, layout, home, end, index):
    """Drop the reference at a place in a memory."""
    if home >= layout[L_LISTS_FROM] or state[home + KIND_AT] != MEMORY:
        state[STATUS] = NO_MEMORY
    elif state[home + SIZE_AT] == 0:
        state[STATUS] = NO_CARD
    elif end == AT_TOP:
        forget(state, layout, state[home + TOP_AT])
    elif end == AT_BOTTOM:
        forget(state, layout, state[home + BOTTOM_AT])
    elif index < 0 or index >= state[home + SIZE_AT]:
        state[STATUS] = BEYOND
    else:
        forget(state, layout, node_at(state, home, index))


@device_function
def forget_card(state, layout, card, home):
    """Drop the topmost reference to a card in a memory; return whether there was one."""
    node = state[home + TOP_AT]
    while node:
        if state[node + TYPE] == card:
            forget(state, layout, node)
            return True
        state[WORK] += 1
        node = state[node + BELOW]
    return False


@device_function(inline="never")
def swap_cards(state, layout, one, other):
    """Let two cards take each other's places."""
    if one == 0 or other == 0:
        state[STATUS] = NO_CARD
        return
    # Their homes in one word.
    note(state, layout, SWAP_CARDS, one, other, state[one + HOME] + (state[other + HOME] << 32))
    acted(state)
    if one == other:
        return
    if state[other + ABOVE] == one:
        one, other = other, one
    home, under = state[one + HOME], state[one + BELOW]
    other_home, other_under = state[other + HOME], state[other + BELOW]
    if other_under == one:
        unlink(state, one)
        link(state, home, other, one)
        return
    unlink(state, one)
    unlink(state, other)
    link(state, other_home, other_under, one)
    link(state, home, under, other)


@device_function
def swap_lists(state, layout, one, other):
    """Let two locations exchange their cards."""
    if one >= layout[L_LISTS_FROM] or other >= layout[L_LISTS_FROM]:
        state[STATUS] = NO_TARGET
    elif state[one + KIND_AT] == MEMORY or state[other + KIND_AT] == MEMORY:
        state[STATUS] = NO_TARGET
    elif state[one + SIZE_AT] == 0 or state[other + SIZE_AT] == 0:
        state[STATUS] = NO_CARD
    else:
        note(state, layout, SWAP_LISTS, one, other, 0)
        acted(state)
        if one != other:
            state[WORK] += state[one + SIZE_AT] + state[other + SIZE_AT]
            for field in (BOTTOM_AT, TOP_AT, SIZE_AT):
                kept = state[one + field]
                put(state, one + field, state[other + field])
                put(state, other + field, kept)
            for home in (one, other):
                node = state[home + BOTTOM_AT]
                while node:
                    put(state, node + HOME, home)
                    node = state[node + ABOVE]


@device_function(inline="never")
def shuffle(state, layout, cards):
    """Shuffle a location or a computed list."""
    key = chance(state, layout, FOR_TRIAL_SHUFFLE if state[MODE] == EXPLORE else FOR_SHUFFLE)
    put(state, FOLLOWED, 1)
    if not afford(state, layout, 3 * (state[cards] if cards >= layout[L_LISTS_FROM] else state[cards + SIZE_AT])):
        return
    if cards >= layout[L_LISTS_FROM]:
        for last in range(state[cards] - 1, 0, -1):
            other = below(key, last, last + 1)
            kept = state[cards + 1 + last]
            put(state, cards + 1 + last, state[cards + 1 + other])
            put(state, cards + 1 + other, kept)
    else:
        at = state[HEAP]
        if at + 2 * state[cards + SIZE_AT] > layout[L_LISTS_END]:
            state[STATUS] = OUT_OF_LISTS
            return
        size = nodes(state, cards, at)
        # All draws first: they wait for nothing, while a card is not read before it is known where the last ones went.
        drawn = at + size
        for last in range(1, size):
            state[drawn + last] = at + below(key, last, last + 1)
        for last in range(size - 1, 0, -1):
            other = state[drawn + last]
            state[at + last], state[other] = state[other], state[at + last]
        relink(state, cards, at, size)
        note(state, layout, SHUFFLE, cards, 0, 0)
    acted(state)


@device_function
def faro(state, layout, lower, upper):
    """Interleave two locations, or the halves of one, into the first."""
    if lower >= layout[L_LISTS_FROM] or upper >= layout[L_LISTS_FROM]:
        state[STATUS] = NO_TARGET
        return
    if state[lower + KIND_AT] == MEMORY or state[upper + KIND_AT] == MEMORY:
        state[STATUS] = NO_TARGET
        return
    at = state[HEAP]
    if at + 2 * (state[lower + SIZE_AT] + state[upper + SIZE_AT]) > layout[L_LISTS_END]:
        state[STATUS] = OUT_OF_LISTS
        return
    size = nodes(state, lower, at)
    if lower == upper:
        total = size
        size = (total + 1) // 2
    else:
        total = size + nodes(state, upper, at + size)
    mixed = at + total
    i, j, k = 0, size, 0
    while i < size or j < total:
        if i < size:
            state[mixed + k] = state[at + i]
            i += 1
            k += 1
        if j < total:
            state[mixed + k] = state[at + j]
            j += 1
            k += 1
    relink(state, upper, mixed, 0)
    relink(state, lower, mixed, total)
    note(state, layout, FARO, lower, upper, 0)
    acted(state)


@device_function
def create_cards(state, layout, home, kind, count):
    """Make cards of types ``kind`` and following, each on top of the one before."""
    state[WORK] += 3 * count
    for i in range(count):
        if state[CARDS] >= layout[L_CARDS_LIMIT]:
            state[STATUS] = OUT_OF_CARDS
        if state[STATUS]:
            return
        card = layout[L_CARDS] + NODE * state[CARDS]
        put(state, CARDS, state[CARDS] + 1)
        put(state, card + TYPE, kind + i)
        link(state, home, state[home + TOP_AT], card)
    acted(state)


@device_function
def create_teams(state, layout, data, at):
    """Make the teams listed in ``data`` from ``at``: [teams, then for each its size and members]."""
    players = layout[L_PLAYERS]
    for player in range(1, players + 1):
        put(state, layout[L_TEAM_OF] + player, 0)
    put(state, TEAMS, data[at])
    at += 1
    for team in range(1, state[TEAMS] + 1):
        members = layout[L_TEAM_LISTS] + (team - 1) * (players + 1)
        put(state, members, data[at])
        for i in range(data[at]):
            put(state, members + 1 + i, data[at + 1 + i])
            put(state, layout[L_TEAM_OF] + data[at + 1 + i], team)
        at += 1 + data[at]
    state[WORK] += (layout[L_TEAM_CELLS_END] - layout[L_TEAM_CELLS]) >> 1
    for cell in range(layout[L_TEAM_CELLS], layout[L_TEAM_CELLS_END]):
        put(state, cell, 0)
    for depth in range(layout[L_TEAM_DEPTH]):
        cycle = layout[L_TEAM_CYCLES] + CYCLE * depth
        if state[cycle + CURRENT]:
            put(state, cycle + CURRENT, 1)
    acted(state)
