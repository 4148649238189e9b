"""Options found by backtracking: choice points, the path to where one stands, and the options that were met.

``state``: [words] int64; ``layout``: [LAYOUT] int64.
"""

from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_cards import insert, put, undo, unlink
from meldlab.recycle.machine.kernel_deals import effect
from meldlab.recycle.machine.kernel_layout import *


@device_function
def open_point(state, layout, pc, members, variable):
    """Leave a choice point behind: where to go on, and with which list of members."""
    at = layout[L_OPEN] + OPEN * state[POINTS_OPEN]
    if at + OPEN > layout[L_OPEN_END]:
        state[STATUS] = OUT_OF_PATH
        return
    state[at] = state[TRAIL]
    state[at + 1] = state[HEAP]
    state[at + 2] = pc
    state[at + 3] = members
    state[at + 4] = 0
    state[at + 5] = variable
    state[at + 6] = state[PATH]
    state[at + 7] = state[FLOOR]
    state[at + 8] = state[ACTED]
    state[POINTS_OPEN] += 1
    state[FLOOR] = state[HEAP]


@device_function
def walk_on(state, layout, branch):
    """Add a branch to the path."""
    at = layout[L_PATH] + state[PATH]
    if at >= layout[L_PATH_END]:
        state[STATUS] = OUT_OF_PATH
        return
    state[at] = branch
    state[PATH] += 1


@device_function
def backtrack(state, layout):
    """Go back to the last choice point and take its next branch; return the instruction there, or -1 if none is left."""
    if state[POINTS_OPEN] == 0:
        undo(state, layout[L_TRAIL])
        return -1
    at = layout[L_OPEN] + OPEN * (state[POINTS_OPEN] - 1)
    undo(state, state[at])
    state[HEAP] = state[at + 1]
    state[PATH] = state[at + 6]
    state[ACTED] = state[at + 8]
    members = state[at + 3]
    if members == 0:
        state[POINTS_OPEN] -= 1
        state[FLOOR] = state[at + 7]
        return state[at + 2]
    member = state[at + 4] + 1
    state[at + 4] = member
    walk_on(state, layout, member)
    if member == state[members] - 1:
        state[POINTS_OPEN] -= 1
        state[FLOOR] = state[at + 7]
    variable = state[at + 5]
    if variable > 0:
        state[variable] = state[members + 1 + member]
    else:
        put(state, -variable, state[members + 1 + member])
    return state[at + 2]


@device_function
def emit(state, layout):
    """Note the path so far as an option."""
    length = state[PATH]
    at = layout[L_OPTION_WORDS] + state[OPTION_WORDS]
    if layout[L_OPTION] + state[OPTIONS] >= layout[L_OPTION_END] or at + length + 1 > layout[L_OPTION_WORDS_END]:
        state[STATUS] = OUT_OF_OPTIONS
        return
    state[layout[L_OPTION] + state[OPTIONS]] = at
    state[at] = length
    for i in range(length):
        state[at + 1 + i] = state[layout[L_PATH] + i]
    if state[OPTIONS] < REDONE:
        keep_writes(state, layout, layout[L_REDO] + REDO * state[OPTIONS])
    state[LAST_CARD] = 0
    if state[TELLING]:
        state[WORK] += (state[TRAIL] - layout[L_TRAIL]) >> 1
        state[layout[L_EFFECTS] + state[OPTIONS]] = effect(state, layout, state[TELLING])
    state[OPTIONS] += 1
    state[OPTION_WORDS] += length + 1


@device_function(inline="never")
def emit_moves(state, layout, members, home, end):
    """Note every member of a list but the last, moved to an end of ``home``, as an option; return how many, 0 if that cannot be done."""
    moved, length = state[members] - 1, state[PATH] + 1
    path, option, at = layout[L_PATH], layout[L_OPTION] + state[OPTIONS], layout[L_OPTION_WORDS] + state[OPTION_WORDS]
    if (
        moved == 0
        or path + length > layout[L_PATH_END]
        or option + moved > layout[L_OPTION_END]
        or at + moved * (length + 1) > layout[L_OPTION_WORDS_END]
        or home >= layout[L_LISTS_FROM]
        or state[home + KIND_AT] == MEMORY
    ):
        return 0
    state[WORK] += 2 * moved
    for member in range(moved):
        state[option + member] = at
        state[at] = length
        for i in range(length - 1):
            state[at + 1 + i] = state[path + i]
        state[at + length] = member
        at += length + 1
    first = layout[L_REDO] + REDO * state[OPTIONS]
    if state[OPTIONS] < REDONE:
        state[LAST_CARD] = state[members + 1]
        state[LAST_HOME] = home
        state[LAST_END] = end
        state[LAST_INDEX] = 0
        keep_writes(state, layout, first)
        state[LAST_CARD] = 0
    for member in range(1, min(moved, REDONE - state[OPTIONS])):
        redo_at = first + REDO * member
        for i in range(REDO_AT + 2 * max(0, state[first])):
            state[redo_at + i] = state[first + i]
        state[redo_at + 1] = state[members + 1 + member]
    state[OPTIONS] += moved
    state[OPTION_WORDS] += moved * (length + 1)
    return moved


@device_function
def keep_writes(state, layout, at):
    """Keep what the option just found wrote, unless that is much."""
    count, write = 0, at + REDO_AT
    last = state[TRAIL]
    state[at] = -1
    if state[FOLLOWED] or last - layout[L_TRAIL] > 36:
        return
    for entry in range(layout[L_TRAIL], last, 2):
        address = state[entry]
        # Registers, and how many chance events there were, are of no use afterwards.
        if address < layout[L_LISTS_FROM] and address != EVENT:
            if count == REDO_WRITES:
                return
            state[write] = address
            state[write + 1] = state[address]
            write += 2
            count += 1
    state[at + 1] = state[LAST_CARD]
    state[at + 2] = state[LAST_HOME]
    state[at + 3] = state[LAST_END]
    state[at + 4] = state[LAST_INDEX]
    state[at] = count


@device_function
def redo(state, layout, option):
    """Do again what an option did when it was found; return whether that was kept."""
    at = layout[L_REDO] + REDO * option
    if option >= REDONE or state[at] < 0 or state[LOGGING]:
        return False
    for write in range(at + REDO_AT, at + REDO_AT + 2 * state[at], 2):
        state[state[write]] = state[write + 1]
    card = state[at + 1]
    if card:
        unlink(state, card)
        insert(state, state[at + 2], state[at + 3], state[at + 4], card)
    return True


@device_function
def member_by_path(state, layout, members):
    """Return the member that the path to follow names, or the nearest thing if a shuffle changed the list."""
    if state[PATH] < state[PATH_END]:
        member = state[layout[L_PATH] + state[PATH]]
        state[PATH] += 1
    else:
        member = 0
        walk_on(state, layout, 0)
    return state[members + 1 + member % state[members]]
