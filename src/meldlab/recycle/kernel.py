"""The machine: one loop over instructions, for every game.

``code``: [instructions * STRIDE] int64, operations with addresses in the state; ``data``: [words] int64, attributes of card types, tables of
names, teams; ``layout``: [LAYOUT] int64, where things lie; ``state``: [words] int64, see ``kernel_layout``.
"""

import numpy as np

from meldlab.cards.kernel import address, below
from meldlab.compiling import kernel, scalar_kernel
from meldlab.recycle.kernel_cards import (
    acted, chance, create_cards, create_teams, faro, forget_at, forget_card, leave_list, location, move, note, put, remember, shuffle, swap_cards,
    swap_lists, touch, undo,
)  # fmt: skip
from meldlab.recycle.kernel_layout import *  # noqa: F403
from meldlab.recycle.kernel_lists import (
    best_card, card_at, end_card, extreme, occurring, partition, room, run_end, runs, size_of, snapshot, sort, subsets, take, total, union,
)  # fmt: skip
from meldlab.recycle.kernel_numbers import divided, fibonacci, power, small


@scalar_kernel
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
    state[POINTS_OPEN] += 1
    state[FLOOR] = state[HEAP]


@scalar_kernel
def walk_on(state, layout, branch):
    """Add a branch to the path."""
    at = layout[L_PATH] + state[PATH]
    if at >= layout[L_PATH_END]:
        state[STATUS] = OUT_OF_PATH
        return
    state[at] = branch
    state[PATH] += 1


@scalar_kernel
def backtrack(state, layout):
    """Go back to the last choice point and take its next branch; return the instruction there, or -1 if none is left."""
    if state[POINTS_OPEN] == 0:
        undo(state, layout[L_TRAIL])
        return -1
    at = layout[L_OPEN] + OPEN * (state[POINTS_OPEN] - 1)
    undo(state, state[at])
    state[HEAP] = state[at + 1]
    state[PATH] = state[at + 6]
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
    put(state, state[at + 5], state[members + 1 + member])
    return state[at + 2]


@scalar_kernel
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
    state[OPTIONS] += 1
    state[OPTION_WORDS] += length + 1


@scalar_kernel
def member_by_path(state, layout, members):
    """Return the member that the path to follow names, or the nearest thing if a shuffle changed the list."""
    if state[PATH] < state[PATH_END]:
        member = state[layout[L_PATH] + state[PATH]]
        state[PATH] += 1
    else:
        member = 0
        walk_on(state, layout, 0)
    return state[members + 1 + member % state[members]]


@scalar_kernel
def add_award(state, layout, data, points, first, pairs, worth):
    """Add an award to a point map: ``pairs`` times (key, value) from register ``first``, as strings."""
    types, keys, attributes = layout[L_TYPES], layout[L_KEYS], layout[L_ATTRIBUTES]
    for kind in range(types):
        matches = True
        for pair in range(pairs):
            key = data[layout[L_KEY_OF] + state[first + 2 * pair]]
            value = state[first + 2 * pair + 1]
            # A card without the attribute has the empty string there, and matches nothing.
            if key < 0 or value == 0 or data[attributes + kind * keys + key] != value:
                matches = False
                break
        if matches:
            put(state, points + kind, state[points + kind] + worth)


@scalar_kernel
def keep_award(state, layout, points, first, pairs, worth, replaces):
    """Keep an award in the list behind a point map, in place of one with the same pairs if ``replaces``."""
    width, most = layout[L_AWARD_WIDTH], layout[L_AWARDS]
    count = points + layout[L_TYPES]
    for i in range(state[count] if replaces else 0):
        at = count + 1 + i * width
        if state[at] != pairs:
            continue
        same = True
        for p in range(pairs):
            here = False
            for q in range(pairs):
                if state[at + 2 + 2 * p] == state[first + 2 * q] and state[at + 3 + 2 * p] == state[first + 2 * q + 1]:
                    here = True
            same = same and here
        if same:
            put(state, at + 1, worth)
            return
    if state[count] >= most:
        state[STATUS] = OUT_OF_AWARDS
        return
    at = count + 1 + state[count] * width
    put(state, at, pairs)
    put(state, at + 1, worth)
    for p in range(2 * pairs):
        put(state, at + 2 + p, state[first + p])
    put(state, count, state[count] + 1)


@scalar_kernel
def clear_points(state, layout, points):
    """Make every card score nothing."""
    for kind in range(layout[L_TYPES]):
        put(state, points + kind, 0)


@scalar_kernel
def recount_points(state, layout, data, points):
    """Score every card by the awards kept behind a point map."""
    clear_points(state, layout, points)
    count = points + layout[L_TYPES]
    for i in range(state[count]):
        at = count + 1 + i * layout[L_AWARD_WIDTH]
        add_award(state, layout, data, points, at + 2, state[at], state[at + 1])


@scalar_kernel
def run(code, data, layout, state, pc):
    """Carry out instructions from ``pc`` until a decision, the end, an error, or, while exploring, no option is left."""
    work = 0
    work_limit = layout[L_WORK_LIMIT]
    trail_end = layout[L_TRAIL_END]
    while True:
        op = code[pc]
        a, b, c, d = code[pc + 1], code[pc + 2], code[pc + 3], code[pc + 4]
        here = pc
        pc += STRIDE
        work += 1
        if op == JUMP:
            pc = a
            if work > work_limit:
                state[STATUS] = OVERWORKED
        elif op == JEQ:
            if state[a] == state[b]:
                pc = c
        elif op == JNE:
            if state[a] != state[b]:
                pc = c
        elif op == JLT:
            if state[a] < state[b]:
                pc = c
        elif op == JGE:
            if state[a] >= state[b]:
                pc = c
        elif op == NEXT:
            index = state[c]
            if index >= state[state[b]]:
                pc = d
            else:
                state[a] = state[state[b] + 1 + index]
                state[c] = index + 1
        elif op == NEXT_ITEM:
            index = state[c]
            if index >= state[state[b]]:
                pc = d
            else:
                put(state, a, state[state[b] + 1 + index])
                put(state, c, index + 1)
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == ATTRIBUTE:
            card = state[b]
            key = data[layout[L_KEY_OF] + state[c]]
            if card == 0 or key < 0:
                state[a] = 0
            else:
                state[a] = data[layout[L_ATTRIBUTES] + state[card + TYPE] * layout[L_KEYS] + key]
        elif op == SCORE:
            card = state[b]
            if card == 0:
                state[STATUS] = NO_CARD
            else:
                state[a] = state[state[c] + state[card + TYPE]]
        elif op == SIZE:
            state[a] = size_of(state, layout, state[b])
        elif op == TOP_CARD:
            state[a] = end_card(state, layout, state[b], AT_TOP)
        elif op == BOTTOM_CARD:
            state[a] = end_card(state, layout, state[b], AT_BOTTOM)
        elif op == CARD_AT:
            state[a] = card_at(state, layout, state[b], state[c])
        elif op == ADDRESS:
            state[a] = b + state[c] * d
        elif op == LOAD:
            state[a] = state[b + state[c]]
        elif op == COPY:
            state[a] = state[b]
        elif op == COPY_ITEM:
            put(state, a, state[b])
        elif op == ANY:
            members = state[b]
            if state[members] == 0:
                pc = c
            elif state[MODE] == EXPLORE:
                if state[members] > 1:
                    open_point(state, layout, pc, members, a)
                walk_on(state, layout, 0)
                put(state, a, state[members + 1])
            else:
                state[a] = member_by_path(state, layout, members)
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
            if work > work_limit:
                state[STATUS] = OVERWORKED
        elif op == ALTERNATIVE:
            if state[MODE] == EXPLORE:
                state[PATH] = 0
                if b:
                    open_point(state, layout, b, 0, 0)
                walk_on(state, layout, a)
            elif state[layout[L_PATH]] != a:
                pc = b
            else:
                state[PATH] = 1
        elif op == LEAF:
            if state[MODE] == EXPLORE:
                if state[ACTED]:
                    emit(state, layout)
                pc = backtrack(state, layout)
                if pc < 0:
                    return
                if work > work_limit:
                    state[STATUS] = OVERWORKED
            elif state[RETURN]:
                pc = state[RETURN]
                state[RETURN] = 0
                state[MODE] = RUN
                state[DECISION] = state[SAVED_DECISION]
                state[EVENT] = state[SAVED_EVENT]
            else:
                return
        elif op == MOVE:
            # Operands: card, list it was found in, location, end found at + 4 * end to put, index.
            move(state, layout, state[a], state[b], d & 3, state[c], d >> 2, state[code[here + 5]])
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == MARK:
            state[a] = state[HEAP]
        elif op == RELEASE:
            mark = max(state[a], state[FLOOR])
            if mark < state[HEAP]:
                state[HEAP] = mark
        elif op == PUT:
            # Operands: base, owner, value, what it is for the log.
            put(state, a + state[b], state[c])
            note(state, layout, PUT, a + state[b], state[c], d)
            acted(state)
        elif op == ADD:
            state[a] = small(state, state[b] + state[c])
        elif op == SUB:
            state[a] = small(state, state[b] - state[c])
        elif op == LOCATE:
            home = b + state[c] * LOCATION
            touch(state, home)
            state[a] = home
        elif op == LOCATE_INDEX:
            state[a] = location(state, layout, b + state[c] * LOCATION, state[d])
        elif op == LOCATE_NAME:
            state[a] = location(state, layout, data[b + state[code[here + 5]]] + state[c] * LOCATION, state[d])
        elif op == SNAPSHOT:
            state[a] = snapshot(state, layout, state[b])
        elif op == RESULT:
            list = room(state, layout, state[state[b]])
            state[a] = list
            if list:
                state[list] = 0
        elif op == APPEND:
            list = state[a]
            state[list] += 1
            state[list + state[list]] = state[b]
        elif op == JEMPTY:
            if size_of(state, layout, state[a]) == 0:
                pc = b
        elif op == COUNT:
            if state[a] >= state[b]:
                pc = c
            else:
                put(state, a, state[a] + 1)
            if work > work_limit:
                state[STATUS] = OVERWORKED
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == NEED:
            if state[a] == 0:
                state[STATUS] = NO_CARD
        elif op == SUM:
            state[a] = small(state, total(state, layout, state[b], state[c]))
        elif op == SCOREMAX:
            state[a] = extreme(state, layout, state[b], state[c], 1)
        elif op == SCOREMIN:
            state[a] = extreme(state, layout, state[b], state[c], -1)
        elif op == BEST:
            state[a] = best_card(state, layout, state[b], state[c], d)
        elif op == MUL:
            state[a] = small(state, state[b] * state[c])
        elif op == DIV:
            state[a] = small(state, divided(state, state[b], state[c]))
        elif op == MOD:
            state[a] = state[b] - divided(state, state[b], state[c]) * state[c]
        elif op == POW:
            state[a] = small(state, power(state[b], state[c]))
        elif op == TRI:
            state[a] = small(state, state[b] * (state[b] + 1) // 2)
        elif op == FIB:
            state[a] = small(state, fibonacci(state[b]))
        elif op == RANDOM:
            if state[c] < state[b]:
                state[STATUS] = NO_RANGE
            else:
                state[a] = state[b] + below(chance(state, layout, FOR_RANDOM), 0, state[c] - state[b] + 1)
        elif op == LOAD_AT:
            state[a] = state[state[b]]
        elif op == PUT_AT:
            put(state, state[a], state[b])
            note(state, layout, PUT, state[a], state[b], d)
            acted(state)
        elif op == ADDRESS_NAME:
            # Operands: result, table, owner, stride, name.
            state[a] = data[b + state[code[here + 5]]] + state[c] * d
        elif op == NEXT_SEAT:
            queued = state[b + QUEUED]
            state[a] = queued if queued else state[b + CURRENT] % state[c] + 1
        elif op == PREVIOUS_SEAT:
            state[a] = (state[b + CURRENT] + state[c] - 2) % state[c] + 1
        elif op == SEAT_NUMBER:
            if state[b] < 1 or state[b] > state[c]:
                state[STATUS] = NO_SEAT
            else:
                state[a] = state[b]
        elif op == OWNER:
            if state[b] == 0:
                state[STATUS] = NO_CARD
            else:
                owner = state[state[state[b] + HOME] + OWNER_AT]
                if owner == 0:
                    state[STATUS] = ON_TABLE
                state[a] = owner
        elif op == TEAM_OF:
            state[a] = state[layout[L_TEAM_OF] + state[b]]
            if state[a] == 0:
                state[STATUS] = NO_TEAM
        elif op == INDEXED_LISTS or op == INDEXED_NAME:
            first = (b if op == INDEXED_LISTS else data[b + state[d]]) + state[c] * LOCATION
            count = 0
            home = state[first + CHAIN_AT]
            while home:
                count += 1
                home = state[home + NEXT_AT]
            list = room(state, layout, count)
            state[a] = list
            if list:
                home = state[first + CHAIN_AT]
                while home:
                    list += 1
                    state[list] = home
                    home = state[home + NEXT_AT]
        elif op == PICK:
            list = state[b]
            if state[c] < 0 or state[c] >= state[list]:
                state[STATUS] = NO_LIST
            else:
                state[a] = state[list + 1 + state[c]]
        elif op == PICK_LAST:
            list = state[b]
            if state[list] == 0:
                state[STATUS] = NO_LIST
            else:
                state[a] = state[list + state[list]]
        elif op == PACK:
            list = room(state, layout, c)
            state[a] = list
            if list:
                for i in range(c):
                    state[list + 1 + i] = state[b + i]
        elif op == UNION:
            state[a] = union(state, layout, state[b])
        elif op == INTERSECT:
            state[a] = occurring(state, layout, state[b], state[state[b]])
        elif op == DISJUNCTION:
            state[a] = occurring(state, layout, state[b], 1)
        elif op == PARTITION:
            state[a] = partition(state, layout, data, data[layout[L_KEY_OF] + state[b]], state[c])
        elif op == TAKE:
            state[a] = take(state, layout, state[b], d, state[c])
        elif op == RUN_END:
            state[a] = run_end(state, layout, state[b], code[here + 5], state[c], state[d])
        elif op == SUBSETS:
            # Operands: result, list, comparison (0 none, 1 ==, 2 !=, 3 <=, 4 >=, 5 <, 6 >), size.
            size = state[d]
            fewest, most, but = np.int64(1), np.int64(2147483647), np.int64(-1)
            if c == 1:
                fewest, most = size, size
                if size < 1:
                    fewest, most = 1, 0
            elif c == 2:
                but = size
            elif c == 3:
                most = size
            elif c == 4:
                fewest = size
            elif c == 5:
                most = size - 1
            elif c == 6:
                fewest = size + 1
            state[a] = subsets(state, layout, state[b], fewest, most, but)
        elif op == RUNS:
            state[a] = runs(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == SORT:
            sort(state, layout, state[b], state[c])
            state[a] = state[b]
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == RANGE:
            count = max(0, state[c] - state[b] + 1)
            list = room(state, layout, count)
            state[a] = list
            if list:
                for i in range(count):
                    state[list + 1 + i] = state[b] + i
        elif op == OTHERS:
            # Operands: result, current, how many; everyone: a current nobody is.
            count = state[c] - (1 if 1 <= state[b] <= state[c] else 0)
            list = room(state, layout, count)
            state[a] = list
            if list:
                for seat in range(1, state[c] + 1):
                    if seat != state[b]:
                        list += 1
                        state[list] = seat
        elif op == MEMBERS:
            members = layout[L_TEAM_LISTS] + (state[b] - 1) * (layout[L_PLAYERS] + 1)
            list = room(state, layout, state[members])
            state[a] = list
            if list:
                for i in range(state[members]):
                    state[list + 1 + i] = state[members + 1 + i]
        elif op == REMEMBER:
            # Operands: card, memory, end, index.
            remember(state, layout, state[a], state[b], c, state[d])
        elif op == FORGET_AT:
            forget_at(state, layout, state[a], b, state[c])
        elif op == FORGET_CARD:
            # Operands: card, memory or 0 for the first that has it, the table of memories, list the card was found in, at which end.
            if state[a] == 0:
                state[STATUS] = NO_CARD
            elif state[b]:
                if state[b] >= layout[L_LISTS_FROM] or state[state[b] + KIND_AT] != MEMORY or not forget_card(state, layout, state[a], state[b]):
                    state[STATUS] = NO_MEMORY
            else:
                done = False
                # Memories in order of creation: those by name first, as they lie in the table, then those by index.
                for i in range(data[c]):
                    first = data[c + 1 + i]
                    if not done and forget_card(state, layout, state[a], first):
                        done = True
                    home = state[first + CHAIN_AT]
                    while home and not done:
                        if home != first and forget_card(state, layout, state[a], home):
                            done = True
                        home = state[home + NEXT_AT]
                if not done:
                    state[STATUS] = NO_MEMORY
            if state[d] >= layout[L_LISTS_FROM]:
                leave_list(state, state[d], code[here + 5], state[a])
        elif op == SWAP_CARDS:
            swap_cards(state, layout, state[a], state[b])
        elif op == SWAP_LISTS:
            swap_lists(state, layout, state[a], state[b])
        elif op == SHUFFLE:
            shuffle(state, layout, state[a])
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == FARO:
            faro(state, layout, state[a], state[b])
        elif op == PASS:
            acted(state)
            note(state, layout, PASS, 0, 0, 0)
        elif op == CYCLE_NEXT:
            put(state, a + QUEUED, state[b])
            note(state, layout, CYCLE_NEXT, state[b], 0, 0)
            acted(state)
        elif op == CYCLE_CURRENT:
            put(state, a + CURRENT, state[b])
            note(state, layout, CYCLE_CURRENT, state[b], 0, 0)
            acted(state)
        elif op == CLEAR_POINTS:
            clear_points(state, layout, state[a])
            if layout[L_AWARDS]:
                put(state, state[a] + layout[L_TYPES], 0)
            note(state, layout, CLEAR_POINTS, state[a], 0, 0)
            acted(state)
        elif op == TABLE_POINTS:
            for kind in range(layout[L_TYPES]):
                put(state, state[a] + kind, data[b + kind])
            note(state, layout, CLEAR_POINTS, state[a], 0, 0)
            acted(state)
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == AWARD:
            # Operands: map, first of the registers with keys and values, pairs, points.
            add_award(state, layout, data, state[a], b, c, state[d])
            if layout[L_AWARDS]:
                keep_award(state, layout, state[a], b, c, state[d], False)
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == UPDATE:
            if c == 0:
                recount_points(state, layout, data, state[a])
                note(state, layout, CLEAR_POINTS, state[a], 0, 0)
                acted(state)
            else:
                keep_award(state, layout, state[a], b, c, state[d], True)
            if state[TRAIL] > trail_end:
                state[STATUS] = OUT_OF_TRAIL
        elif op == CREATE_CARDS:
            if state[a] >= layout[L_LISTS_FROM] or state[state[a] + KIND_AT] == MEMORY:
                state[STATUS] = NO_TARGET
            else:
                create_cards(state, layout, state[a], b, c)
        elif op == CREATE_TEAMS:
            create_teams(state, layout, data, a)
        elif op == PUSH:
            state[a + CYCLE + CURRENT] = state[a + CURRENT]
            state[a + CYCLE + QUEUED] = 0
            state[a + CYCLE + PASSES] = 0
        elif op == POP:
            state[a + CURRENT] = 0
            state[a + QUEUED] = 0
            state[a + PASSES] = 0
        elif op == ADVANCE:
            queued = state[a + QUEUED]
            state[a + CURRENT] = queued if queued else state[a + CURRENT] % state[b] + 1
            state[a + QUEUED] = 0
        elif op == ZERO_QUEUE:
            state[a + QUEUED] = 0
        elif op == STEP:
            state[STEPS] += 1
            if state[STEPS] > layout[L_STEP_LIMIT]:
                state[STATUS] = STUCK
        elif op == CHOICE or op == JOINT:
            state[PC] = here
            state[STATUS] = DECIDING
            return
        elif op == CARRY_OUT:
            # Operands: the choice, the cell that counts the members.
            at = layout[L_PENDING] + state[b] * layout[L_PENDING_WIDTH]
            length = state[at + 1]
            for i in range(length):
                state[layout[L_PATH] + i] = state[at + 2 + i]
            state[PATH_END] = length
            state[PATH] = 0
            state[SAVED_DECISION] = state[DECISION]
            state[SAVED_EVENT] = state[EVENT]
            state[DECISION] = state[at]
            state[EVENT] = 0
            state[MODE] = FOLLOW
            state[RETURN] = pc
            # Nothing of a choice stays behind once it is carried out.
            for i in range(length + 2):
                state[at + i] = 0
            pc = a + STRIDE
        elif op == HALT:
            state[PC] = here
            state[STATUS] = FINISHED
            return
        elif op == SCORED:
            return
        if state[STATUS]:
            state[ERROR_AT] = here
            return


# --- one game


@scalar_kernel
def work_room(layout, state):
    """Empty the room to work in."""
    state[HEAP] = layout[L_LISTS]
    state[TRAIL] = layout[L_TRAIL]
    state[MODE] = RUN
    state[ACTED] = 0
    state[POINTS_OPEN] = 0
    state[PATH] = 0
    state[PATH_END] = 0
    state[FLOOR] = 0
    state[RETURN] = 0


@kernel
def begin(code, data, layout, state, initial, seed, game):
    """Set up a game and run it to its first decision, or its end; ``initial``: [words] int64, what a state begins with."""
    for i in range(len(initial)):
        state[i] = initial[i]
    state[KEY] = np.int64(address(seed, game, 0, 0, 0))
    state[STATUS] = PLAYING
    work_room(layout, state)
    run(code, data, layout, state, layout[L_START])


@kernel
def explore(code, data, layout, state):
    """Find the options of the decision that the game stands at; return how many."""
    work_room(layout, state)
    state[OPTIONS] = 0
    state[OPTION_WORDS] = 0
    state[MODE] = EXPLORE
    state[STATUS] = PLAYING
    event = state[EVENT]
    state[EVENT] = 0
    run(code, data, layout, state, state[PC] + STRIDE)
    undo(state, layout[L_TRAIL])
    state[MODE] = RUN
    state[EVENT] = event
    state[HEAP] = layout[L_LISTS]
    if state[STATUS] == PLAYING:
        state[STATUS] = DECIDING if state[OPTIONS] else NO_OPTION
        if state[OPTIONS] == 0:
            state[ERROR_AT] = state[PC]
    return state[OPTIONS]


@kernel
def decide(code, data, layout, state, option):
    """Carry out an option found by ``explore`` and run to the next decision, or the end."""
    at = state[layout[L_OPTION] + option]
    length = state[at]
    choice = state[PC]
    work_room(layout, state)
    state[STATUS] = PLAYING
    state[STEPS] = 0
    if code[choice] == JOINT:
        # Chosen now, carried out when all have chosen. Operands: where to go on, cell that counts the members.
        pending = layout[L_PENDING] + state[code[choice + 2]] * layout[L_PENDING_WIDTH]
        if length + 2 > layout[L_PENDING_WIDTH]:
            state[STATUS] = OUT_OF_PATH
            state[ERROR_AT] = choice
            return
        state[pending] = state[DECISION]
        state[pending + 1] = length
        for i in range(length):
            state[pending + 2 + i] = state[at + 1 + i]
    else:
        for i in range(length):
            state[layout[L_PATH] + i] = state[at + 1 + i]
        state[PATH_END] = length
        state[MODE] = FOLLOW
        state[EVENT] = 0
        run(code, data, layout, state, choice + STRIDE)
        if state[STATUS] != PLAYING:
            return
    state[DECISION] += 1
    state[EVENT] = 0
    work_room(layout, state)
    run(code, data, layout, state, code[choice + 1])


@kernel
def score(code, data, layout, state):
    """Evaluate the score of every player, also of an unfinished game; return whether all could be."""
    status, at = state[STATUS], state[ERROR_AT]
    cycle = layout[L_PLAYER_CYCLE]
    current, queued = state[cycle + CURRENT], state[cycle + QUEUED]
    state[cycle + QUEUED] = 0
    for player in range(1, layout[L_PLAYERS] + 1):
        state[cycle + CURRENT] = player
        work_room(layout, state)
        state[STATUS] = PLAYING
        run(code, data, layout, state, layout[L_SCORE_AT])
        if state[STATUS] != PLAYING:
            return False
        state[layout[L_SCORES] + player] = state[layout[L_SCORES]]
    state[cycle + CURRENT], state[cycle + QUEUED] = current, queued
    state[STATUS], state[ERROR_AT] = status, at
    return True


@kernel
def random_games(code, data, layout, state, initial, seed, first, games, limit, statuses, errors, decisions, options, scores):
    """Play games ``first`` and following with random players.

    Results: ``statuses``, ``errors`` (instruction), ``decisions``, ``options`` (summed): [games] int64; ``scores``: [games, players] int64.
    """
    for i in range(games):
        begin(code, data, layout, state, initial, seed, first + i)
        while state[STATUS] == DECIDING:
            if state[DECISION] >= limit:
                state[STATUS] = CAPPED
                break
            count = explore(code, data, layout, state)
            if state[STATUS] != DECIDING:
                break
            options[i] += count
            key = address(np.uint64(state[KEY]), 0, state[DECISION], 0, FOR_PLAYER)
            decide(code, data, layout, state, below(key, 0, count))
        if state[STATUS] == FINISHED or state[STATUS] == CAPPED:
            score(code, data, layout, state)
        statuses[i] = state[STATUS]
        errors[i] = state[ERROR_AT]
        decisions[i] = state[DECISION]
        for player in range(layout[L_PLAYERS]):
            scores[i, player] = state[layout[L_SCORES] + 1 + player]


@kernel
def count_histories(code, data, layout, stack, words, depth, limit, counts):
    """Count the histories of each length up to ``depth`` from the decision in ``stack[0]``, and those that end before.

    ``stack``: [depth + 1, words] int64, room for one state per decision; ``counts``: [depth + 1, 2] int64, histories and ends by length.
    Returns the status of the first game that failed, or 0.
    """
    chosen = np.zeros(depth + 1, np.int64)
    found = np.zeros(depth + 1, np.int64)
    level = 0
    found[0] = -1
    while level >= 0:
        state = stack[level]
        if found[level] < 0:
            counts[level, 0] += 1
            found[level], chosen[level] = 0, 0
            if state[STATUS] == FINISHED or state[DECISION] >= limit:
                counts[level, 1] += 1
            elif state[STATUS] != DECIDING:
                return state[STATUS]
            elif level < depth:
                found[level] = explore(code, data, layout, state)
                if state[STATUS] != DECIDING:
                    return state[STATUS]
        if chosen[level] >= found[level]:
            level -= 1
            continue
        below_it = stack[level + 1]
        for i in range(state[TOP]):
            below_it[i] = state[i]
        for i in range(layout[L_LISTS_FROM], layout[L_LISTS]):
            below_it[i] = state[i]
        # The option is named by its path, which lies in the room of the state above.
        at = state[layout[L_OPTION] + chosen[level]]
        below_it[layout[L_OPTION]] = layout[L_OPTION_WORDS]
        for i in range(state[at] + 1):
            below_it[layout[L_OPTION_WORDS] + i] = state[at + i]
        chosen[level] += 1
        decide(code, data, layout, below_it, 0)
        level += 1
        found[level] = -1
    return 0
