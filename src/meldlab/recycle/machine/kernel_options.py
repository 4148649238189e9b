"""Options found by backtracking: choice points, the path so far, and the options listed.

``state``: [words] int64; ``layout``: [LAYOUT] int64.
"""

from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import insert, is_location, put, undo, unlink
from meldlab.recycle.machine.kernel_observe import action_key


@device_function
def open_point(state, layout, pc, members, variable):
    """Open a choice point: the instruction to continue with, and the list of members."""
    offset = layout[k.L_OPEN] + k.OPEN * state[k.POINTS_OPEN]
    if offset + k.OPEN > layout[k.L_OPEN_END]:
        state[k.STATUS] = k.OUT_OF_PATH
        return
    state[offset] = state[k.TRAIL]
    state[offset + 1] = state[k.HEAP]
    state[offset + 2] = pc
    state[offset + 3] = members
    state[offset + 4] = 0
    state[offset + 5] = variable
    state[offset + 6] = state[k.PATH]
    state[offset + 7] = state[k.FLOOR]
    state[offset + 8] = state[k.ACTED]
    state[k.POINTS_OPEN] += 1
    state[k.FLOOR] = state[k.HEAP]


@device_function
def extend_path(state, layout, branch):
    """Add a branch to the path."""
    offset = layout[k.L_PATH] + state[k.PATH]
    if offset >= layout[k.L_PATH_END]:
        state[k.STATUS] = k.OUT_OF_PATH
        return
    state[offset] = branch
    state[k.PATH] += 1


@device_function
def backtrack(state, layout):
    """Go back to the last choice point and take its next branch; return the instruction there, or -1 if none is left."""
    if state[k.POINTS_OPEN] == 0:
        undo(state, layout[k.L_TRAIL])
        return -1
    offset = layout[k.L_OPEN] + k.OPEN * (state[k.POINTS_OPEN] - 1)
    undo(state, state[offset])
    state[k.HEAP] = state[offset + 1]
    state[k.PATH] = state[offset + 6]
    state[k.ACTED] = state[offset + 8]
    members = state[offset + 3]
    if members == 0:
        state[k.POINTS_OPEN] -= 1
        state[k.FLOOR] = state[offset + 7]
        return state[offset + 2]
    member = state[offset + 4] + 1
    state[offset + 4] = member
    extend_path(state, layout, member)
    if member == state[members] - 1:
        state[k.POINTS_OPEN] -= 1
        state[k.FLOOR] = state[offset + 7]
    variable = state[offset + 5]
    if variable > 0:
        state[variable] = state[members + 1 + member]
    else:
        put(state, -variable, state[members + 1 + member])
    return state[offset + 2]


@device_function
def add_option(state, layout):
    """Add the path so far to the options."""
    length = state[k.PATH]
    offset = layout[k.L_OPTION_WORDS] + state[k.OPTION_WORDS]
    if layout[k.L_OPTION] + state[k.OPTIONS] >= layout[k.L_OPTION_END] or offset + length + 1 > layout[k.L_OPTION_WORDS_END]:
        state[k.STATUS] = k.OUT_OF_OPTIONS
        return
    state[layout[k.L_OPTION] + state[k.OPTIONS]] = offset
    state[offset] = length
    for i in range(length):
        state[offset + 1 + i] = state[layout[k.L_PATH] + i]
    if state[k.OPTIONS] < k.SAVED_OPTIONS:
        save_effects(state, layout, layout[k.L_SAVED_EFFECTS] + k.EFFECTS * state[k.OPTIONS])
    state[k.LAST_CARD] = 0
    if state[k.KEY_PLAYER]:
        state[k.WORK] += (state[k.TRAIL] - layout[k.L_TRAIL]) >> 1
        state[layout[k.L_ACTION_KEYS] + state[k.OPTIONS]] = action_key(state, layout, state[k.KEY_PLAYER] - 1)
    state[k.OPTIONS] += 1
    state[k.OPTION_WORDS] += length + 1


@device_function(inline="never")
def add_moves(state, layout, members, location, end):
    """Add an option for every member of a list but the last: to move it to an end of a location. Return their number, 0 if impossible."""
    moved, length = state[members] - 1, state[k.PATH] + 1
    path, option, offset = layout[k.L_PATH], layout[k.L_OPTION] + state[k.OPTIONS], layout[k.L_OPTION_WORDS] + state[k.OPTION_WORDS]
    if (
        moved == 0
        or path + length > layout[k.L_PATH_END]
        or option + moved > layout[k.L_OPTION_END]
        or offset + moved * (length + 1) > layout[k.L_OPTION_WORDS_END]
        or not is_location(state, layout, location)
    ):
        return 0
    state[k.WORK] += 2 * moved
    for member in range(moved):
        state[option + member] = offset
        state[offset] = length
        for i in range(length - 1):
            state[offset + 1 + i] = state[path + i]
        state[offset + length] = member
        offset += length + 1
    first = layout[k.L_SAVED_EFFECTS] + k.EFFECTS * state[k.OPTIONS]
    if state[k.OPTIONS] < k.SAVED_OPTIONS:
        state[k.LAST_CARD] = state[members + 1]
        state[k.LAST_LOCATION] = location
        state[k.LAST_END] = end
        state[k.LAST_INDEX] = 0
        save_effects(state, layout, first)
        state[k.LAST_CARD] = 0
    for member in range(1, min(moved, k.SAVED_OPTIONS - state[k.OPTIONS])):
        redo_at = first + k.EFFECTS * member
        for i in range(k.EFFECTS_HEADER + 2 * max(0, state[first])):
            state[redo_at + i] = state[first + i]
        state[redo_at + 1] = state[members + 1 + member]
    state[k.OPTIONS] += moved
    state[k.OPTION_WORDS] += moved * (length + 1)
    return moved


@device_function
def save_effects(state, layout, offset):
    """Save the writes of the option just found, unless they are many."""
    count, write = 0, offset + k.EFFECTS_HEADER
    last = state[k.TRAIL]
    state[offset] = -1
    if state[k.FOLLOWED] or last - layout[k.L_TRAIL] > 36:
        return
    for entry in range(layout[k.L_TRAIL], last, 2):
        address = state[entry]
        # Registers, and the number of chance events, are not needed afterwards.
        if address < layout[k.L_LISTS_FROM] and address != k.EVENT:
            if count == k.MAX_WRITES:
                return
            state[write] = address
            state[write + 1] = state[address]
            write += 2
            count += 1
    state[offset + 1] = state[k.LAST_CARD]
    state[offset + 2] = state[k.LAST_LOCATION]
    state[offset + 3] = state[k.LAST_END]
    state[offset + 4] = state[k.LAST_INDEX]
    state[offset] = count


@device_function
def replay_effects(state, layout, option):
    """Repeat the writes of an option when it was found; return whether they were saved."""
    offset = layout[k.L_SAVED_EFFECTS] + k.EFFECTS * option
    if option >= k.SAVED_OPTIONS or state[offset] < 0 or state[k.LOGGING]:
        return False
    for write in range(offset + k.EFFECTS_HEADER, offset + k.EFFECTS_HEADER + 2 * state[offset], 2):
        state[state[write]] = state[write + 1]
    card = state[offset + 1]
    if card:
        unlink(state, card)
        insert(state, state[offset + 2], state[offset + 3], state[offset + 4], card)
    return True


@device_function
def member_by_path(state, layout, members):
    """Return the member that the path to follow names, or another one if a shuffle changed the list."""
    if state[k.PATH] < state[k.PATH_END]:
        member = state[layout[k.L_PATH] + state[k.PATH]]
        state[k.PATH] += 1
    else:
        member = 0
        extend_path(state, layout, 0)
    return state[members + 1 + member % state[members]]
