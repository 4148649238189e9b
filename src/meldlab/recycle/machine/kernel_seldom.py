"""The instructions that are seldom or take long, apart from the loop over the others, which is the faster for being short.

``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_loop``.
"""

import numpy as np

from meldlab.chance.kernel import below
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_cards as cards
from meldlab.recycle.machine.kernel_cards import acted, chance, location, note, put
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_lists import (
    indexed,
    occurring,
    room,
    run_end,
    sort,
    subsets,
)
from meldlab.recycle.machine.kernel_numbers import divided, fibonacci, power, small
from meldlab.recycle.machine.kernel_points import best_card, clear_points, extreme, keep_award, recount_points


@device_function(inline="never")
def seldom(code, data, layout, state, op, here):
    """Carry out the instruction ``op`` at ``here``; what cannot be done sets the status."""
    a, b, c, d = code[here + 1], code[here + 2], code[here + 3], code[here + 4]
    if op == ATTRIBUTE_BY:
        card, column = state[b], data[layout[L_COLUMN_OF] + state[c]]
        state[a] = data[column + state[card + TYPE]] if card and column >= 0 else 0
    elif op == LOCATE_NAME:
        state[a] = location(state, layout, data[b + state[code[here + 5]]] + state[c] * LOCATION, state[d])
    elif op == SCOREMIN:
        state[a] = extreme(state, layout, state[b], state[c], -1)
    elif op == BEST:
        state[a] = best_card(state, layout, state[b], state[c], 1 if d else -1)
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
    elif op == PREVIOUS_SEAT:
        state[a] = (state[b + CURRENT] + state[c] - 2) % state[c] + 1
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
    elif op == INDEXED_NAME:
        state[a] = indexed(state, layout, data[b + state[d]] + state[c] * LOCATION)
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
    elif op == INTERSECT:
        state[a] = occurring(state, layout, state[b], state[state[b]])
    elif op == DISJUNCTION:
        state[a] = occurring(state, layout, state[b], 1)
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
    elif op == SORT:
        sort(state, layout, state[b], state[c])
        state[a] = state[b]
    elif op == MEMBERS:
        members = layout[L_TEAM_LISTS] + (state[b] - 1) * (layout[L_PLAYERS] + 1)
        list = room(state, layout, state[members])
        state[a] = list
        if list:
            for i in range(state[members]):
                state[list + 1 + i] = state[members + 1 + i]
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
        points = state[a]
        if state[TRAIL] == 0:
            for kind in range(layout[L_TYPES]):
                state[points + kind] = data[b + kind]
        else:
            for kind in range(layout[L_TYPES]):
                put(state, points + kind, data[b + kind])
        note(state, layout, CLEAR_POINTS, state[a], 0, 0)
        acted(state)
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
