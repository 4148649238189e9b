"""The machine: one loop over instructions, for every game.

``code``: [instructions * STRIDE] int64, operations with addresses in the state; ``data``: [words] int64, attributes of card types, tables
of names, teams; ``layout``: [LAYOUT] int64, where things lie; ``state``: [words] int64, see ``kernel_layout``.
"""

import numpy as np

from meldlab.chance.kernel import below
from meldlab.compiling import inlined_kernel
from meldlab.recycle.machine import kernel_cards as cards
from meldlab.recycle.machine.kernel_cards import acted, chance, location, note, put, touch
from meldlab.recycle.machine.kernel_choices import backtrack, emit, member_by_path, open_point, walk_on
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_lists import (
    best_card,
    card_at,
    end_card,
    extreme,
    occurring,
    partition,
    room,
    run_end,
    runs,
    size_of,
    snapshot,
    sort,
    subsets,
    take,
    total,
    union,
)
from meldlab.recycle.machine.kernel_numbers import divided, fibonacci, power, small
from meldlab.recycle.machine.kernel_points import add_award, clear_points, keep_award, recount_points


@inlined_kernel
def run(code, data, layout, state, pc, allowed, fuel):
    """Carry out instructions from ``pc`` until a decision, the end, an error, or, while exploring, no option is left.

    A task may take ``allowed`` work. After ``fuel`` of it the loop pauses; called again from ``PAUSED_AT`` it goes on as if it had not.
    Work is looked at where something can be repeated. Instructions that cannot fail go on with the next one at once, without a look at
    the status.
    """
    work = 0
    stop = min(allowed, state[WORK] + fuel)
    while True:
        op = code[pc]
        a, b, c, d = code[pc + 1], code[pc + 2], code[pc + 3], code[pc + 4]
        here = pc
        pc += STRIDE
        work += 1
        if op == JUMP:
            pc = a
            if work + state[WORK] > stop:
                state[STATUS] = PAUSED
        elif op == JEQ:
            if state[a] == state[b]:
                pc = c
            continue
        elif op == JNE:
            if state[a] != state[b]:
                pc = c
            continue
        elif op == JLT:
            if state[a] < state[b]:
                pc = c
            continue
        elif op == JGE:
            if state[a] >= state[b]:
                pc = c
            continue
        elif op == NEXT:
            index = state[c]
            if index >= state[state[b]]:
                pc = d
            else:
                state[a] = state[state[b] + 1 + index]
                state[c] = index + 1
            continue
        elif op == NEXT_ITEM:
            index = state[c]
            if index >= state[state[b]]:
                pc = d
            else:
                put(state, a, state[state[b] + 1 + index])
                put(state, c, index + 1)
        elif op == ATTRIBUTE:
            card = state[b]
            key = data[layout[L_KEY_OF] + state[c]]
            if card == 0 or key < 0:
                state[a] = 0
            else:
                state[a] = data[layout[L_ATTRIBUTES] + state[card + TYPE] * layout[L_KEYS] + key]
            continue
        elif op == SCORE:
            card = state[b]
            if card == 0:
                state[STATUS] = NO_CARD
            else:
                state[a] = state[state[c] + state[card + TYPE]]
        elif op == SIZE:
            state[a] = size_of(state, layout, state[b])
            continue
        elif op == TOP_CARD:
            state[a] = end_card(state, layout, state[b], AT_TOP)
            continue
        elif op == BOTTOM_CARD:
            state[a] = end_card(state, layout, state[b], AT_BOTTOM)
            continue
        elif op == CARD_AT:
            state[a] = card_at(state, layout, state[b], state[c])
        elif op == ADDRESS:
            state[a] = b + state[c] * d
            continue
        elif op == LOAD:
            state[a] = state[b + state[c]]
            continue
        elif op == COPY:
            state[a] = state[b]
            continue
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
            if work + state[WORK] > stop and state[STATUS] == PLAYING:
                state[STATUS] = PAUSED
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
                    break
                if work + state[WORK] > stop and state[STATUS] == PLAYING:
                    state[STATUS] = PAUSED
            elif state[RETURN]:
                pc = state[RETURN]
                state[RETURN] = 0
                state[MODE] = RUN
                state[DECISION] = state[SAVED_DECISION]
                state[EVENT] = state[SAVED_EVENT]
            else:
                break
        elif op == MOVE:
            # Operands: card, list it was found in, location, end found at + 4 * end to put, index.
            cards.move(state, layout, state[a], state[b], d, state[c], state[code[here + 5]])
        elif op == MOVE_LAST:
            # An option ends here, so while exploring it is enough to see whether the card could be moved.
            if state[MODE] == EXPLORE and state[TELLING] == 0:
                cards.try_move(state, layout, state[a], state[b], state[c], d >> 2, state[code[here + 5]])
            else:
                cards.move(state, layout, state[a], state[b], d, state[c], state[code[here + 5]])
        elif op == MARK:
            state[a] = state[HEAP]
            continue
        elif op == RELEASE:
            mark = max(state[a], state[FLOOR])
            if mark < state[HEAP]:
                state[HEAP] = mark
            continue
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
            continue
        elif op == JEMPTY:
            if size_of(state, layout, state[a]) == 0:
                pc = b
            continue
        elif op == COUNT:
            if state[a] >= state[b]:
                pc = c
            else:
                put(state, a, state[a] + 1)
            if work + state[WORK] > stop and state[STATUS] == PLAYING:
                state[STATUS] = PAUSED
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
            state[WORK] += count
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
            # Operands: result, list, comparison, size.
            size = state[d]
            fewest, most, but = np.int64(1), np.int64(2147483647), np.int64(-1)
            if c == EQUAL:
                fewest, most = size, size
                if size < 1:
                    fewest, most = 1, 0
            elif c == UNEQUAL:
                but = size
            elif c == AT_MOST:
                most = size
            elif c == AT_LEAST:
                fewest = size
            elif c == BELOW_SIZE:
                most = size - 1
            elif c == ABOVE_SIZE:
                fewest = size + 1
            state[a] = subsets(state, layout, state[b], fewest, most, but)
        elif op == RUNS:
            state[a] = runs(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == SORT:
            sort(state, layout, state[b], state[c])
            state[a] = state[b]
        elif op == RANGE:
            count = max(0, state[c] - state[b] + 1)
            list = room(state, layout, count)
            state[a] = list
            if list:
                state[WORK] += count >> 1
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
            cards.remember(state, layout, state[a], state[b], c, state[d])
        elif op == FORGET_AT:
            cards.forget_at(state, layout, state[a], b, state[c])
        elif op == FORGET_CARD:
            # Operands: card, memory or 0 for the first that has it, the table of memories, list the card was found in, at which end.
            if state[a] == 0:
                state[STATUS] = NO_CARD
            elif state[b]:
                if (
                    state[b] >= layout[L_LISTS_FROM]
                    or state[state[b] + KIND_AT] != MEMORY
                    or not cards.forget_card(state, layout, state[a], state[b])
                ):
                    state[STATUS] = NO_MEMORY
            else:
                done = False
                state[WORK] += data[c]
                # Memories in order of creation: those by name first, as they lie in the table, then those by index.
                for i in range(data[c]):
                    first = data[c + 1 + i]
                    if not done and cards.forget_card(state, layout, state[a], first):
                        done = True
                    home = state[first + CHAIN_AT]
                    while home and not done:
                        if home != first and cards.forget_card(state, layout, state[a], home):
                            done = True
                        state[WORK] += 1
                        home = state[home + NEXT_AT]
                if not done:
                    state[STATUS] = NO_MEMORY
            if state[d] >= layout[L_LISTS_FROM]:
                cards.leave_list(state, layout, state[d], code[here + 5], state[a])
        elif op == SWAP_CARDS:
            cards.swap_cards(state, layout, state[a], state[b])
        elif op == SWAP_LISTS:
            cards.swap_lists(state, layout, state[a], state[b])
        elif op == SHUFFLE:
            cards.shuffle(state, layout, state[a])
        elif op == FARO:
            cards.faro(state, layout, state[a], state[b])
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
            state[WORK] += layout[L_TYPES]
            for kind in range(layout[L_TYPES]):
                put(state, state[a] + kind, data[b + kind])
            note(state, layout, CLEAR_POINTS, state[a], 0, 0)
            acted(state)
        elif op == AWARD:
            # Operands: map, first of the registers with keys and values, pairs, points.
            add_award(state, layout, data, state[a], b, c, state[d])
            if layout[L_AWARDS]:
                keep_award(state, layout, state[a], b, c, state[d], False)
        elif op == UPDATE:
            keep_award(state, layout, state[a], b, c, state[d], True)
        elif op == RECOUNT:
            recount_points(state, layout, data, state[a])
            note(state, layout, CLEAR_POINTS, state[a], 0, 0)
            acted(state)
        elif op == CREATE_CARDS:
            if state[a] >= layout[L_LISTS_FROM] or state[state[a] + KIND_AT] == MEMORY:
                state[STATUS] = NO_TARGET
            else:
                cards.create_cards(state, layout, state[a], b, c)
        elif op == CREATE_TEAMS:
            cards.create_teams(state, layout, data, a)
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
            break
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
            break
        elif op == SCORED:
            break
        if state[STATUS]:
            state[ERROR_AT] = here
            break
    state[WORK] += work
    if state[STATUS] == PAUSED:
        state[PAUSED_AT] = pc
        if state[WORK] > allowed:
            state[STATUS] = OVERWORKED if state[WORK] > layout[L_WORK_LIMIT] else OVERLONG
