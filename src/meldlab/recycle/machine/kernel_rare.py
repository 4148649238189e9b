"""Rare and long instructions, outside the interpreter loop, which is faster when it is short.

``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_run``.
"""

import numpy as np

from meldlab.chance.kernel import below
from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_cards as cards
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import acted, chance, find_location, log_event, put
from meldlab.recycle.machine.kernel_lists import (
    indexed,
    longest_run,
    new_list,
    occurring,
    sort,
    subsets,
)
from meldlab.recycle.machine.kernel_points import (
    best_card,
    clear_points,
    divided,
    extreme,
    fibonacci,
    power,
    recount_points,
    save_award,
    small,
)


@device_function(inline="never")
def run_rare(code, data, layout, state, op, here):
    """Carry out the instruction ``op`` at ``here``; what cannot be done sets the status."""
    a, b, c, d = code[here + 1], code[here + 2], code[here + 3], code[here + 4]
    if op == k.ATTRIBUTE_BY:
        card, column = state[b], data[layout[k.L_COLUMN_OF] + state[c]]
        state[a] = data[column + state[card + k.TYPE]] if card and column >= 0 else 0
    elif op == k.LOCATE_NAME:
        state[a] = find_location(state, layout, data[b + state[code[here + 5]]] + state[c] * k.LOCATION, state[d])
    elif op == k.SCOREMIN:
        state[a] = extreme(state, layout, state[b], state[c], -1)
    elif op == k.BEST:
        state[a] = best_card(state, layout, state[b], state[c], 1 if d else -1)
    elif op == k.DIV:
        state[a] = small(state, divided(state, state[b], state[c]))
    elif op == k.MOD:
        state[a] = state[b] - divided(state, state[b], state[c]) * state[c]
    elif op == k.POW:
        state[a] = small(state, power(state[b], state[c]))
    elif op == k.TRI:
        state[a] = small(state, state[b] * (state[b] + 1) // 2)
    elif op == k.FIB:
        state[a] = small(state, fibonacci(state[b]))
    elif op == k.RANDOM:
        if state[c] < state[b]:
            state[k.STATUS] = k.NO_RANGE
        else:
            state[a] = state[b] + below(chance(state, layout, k.FOR_RANDOM), 0, state[c] - state[b] + 1)
    elif op == k.LOAD_AT:
        state[a] = state[state[b]]
    elif op == k.PUT_AT:
        put(state, state[a], state[b])
        log_event(state, layout, k.PUT, state[a], state[b], d)
        acted(state)
    elif op == k.ADDRESS_NAME:
        # Operands: result, table, owner, stride, name.
        state[a] = data[b + state[code[here + 5]]] + state[c] * d
    elif op == k.PREVIOUS_SEAT:
        state[a] = (state[b + k.CURRENT] + state[c] - 2) % state[c] + 1
    elif op == k.OWNER:
        if state[b] == 0:
            state[k.STATUS] = k.NO_CARD
        else:
            owner = state[state[state[b] + k.LOCATION_AT] + k.OWNER_AT]
            if owner == 0:
                state[k.STATUS] = k.ON_TABLE
            state[a] = owner
    elif op == k.TEAM_OF:
        state[a] = state[layout[k.L_TEAM_OF] + state[b]]
        if state[a] == 0:
            state[k.STATUS] = k.NO_TEAM
    elif op == k.INDEXED_NAME:
        state[a] = indexed(state, layout, data[b + state[d]] + state[c] * k.LOCATION)
    elif op == k.PICK:
        list = state[b]
        if state[c] < 0 or state[c] >= state[list]:
            state[k.STATUS] = k.NO_LIST
        else:
            state[a] = state[list + 1 + state[c]]
    elif op == k.PICK_LAST:
        list = state[b]
        if state[list] == 0:
            state[k.STATUS] = k.NO_LIST
        else:
            state[a] = state[list + state[list]]
    elif op == k.PACK:
        list = new_list(state, layout, c)
        state[a] = list
        if list:
            for i in range(c):
                state[list + 1 + i] = state[b + i]
    elif op == k.INTERSECT:
        state[a] = occurring(state, layout, state[b], state[state[b]])
    elif op == k.DISJUNCTION:
        state[a] = occurring(state, layout, state[b], 1)
    elif op == k.LONGEST_RUN:
        state[a] = longest_run(state, layout, state[b], code[here + 5], state[c], state[d])
    elif op == k.SUBSETS:
        # Operands: result, list, comparison, size.
        size = state[d]
        fewest, most, but = np.int64(1), np.int64(2147483647), np.int64(-1)
        if c == k.EQUAL:
            fewest, most = size, size
            if size < 1:
                fewest, most = 1, 0
        elif c == k.UNEQUAL:
            but = size
        elif c == k.AT_MOST:
            most = size
        elif c == k.AT_LEAST:
            fewest = size
        elif c == k.BELOW_SIZE:
            most = size - 1
        elif c == k.ABOVE_SIZE:
            fewest = size + 1
        state[a] = subsets(state, layout, state[b], fewest, most, but)
    elif op == k.SORT:
        sort(state, layout, state[b], state[c])
        state[a] = state[b]
    elif op == k.MEMBERS:
        members = layout[k.L_TEAM_LISTS] + (state[b] - 1) * (layout[k.L_PLAYERS] + 1)
        list = new_list(state, layout, state[members])
        state[a] = list
        if list:
            for i in range(state[members]):
                state[list + 1 + i] = state[members + 1 + i]
    elif op == k.FORGET_CARD:
        # Operands: card, memory or 0 for the first that has it, the table of memories, list the card was found in, at which end.
        if state[a] == 0:
            state[k.STATUS] = k.NO_CARD
        elif state[b]:
            if (
                state[b] >= layout[k.L_LISTS_FROM]
                or state[state[b] + k.KIND_AT] != k.MEMORY
                or not cards.forget_card(state, layout, state[a], state[b])
            ):
                state[k.STATUS] = k.NO_MEMORY
        else:
            done = False
            state[k.WORK] += data[c]
            # Memories in order of creation: those by name first, as they lie in the table, then those by index.
            for i in range(data[c]):
                first = data[c + 1 + i]
                if not done and cards.forget_card(state, layout, state[a], first):
                    done = True
                location = state[first + k.CHAIN_AT]
                while location and not done:
                    if location != first and cards.forget_card(state, layout, state[a], location):
                        done = True
                    state[k.WORK] += 1
                    location = state[location + k.NEXT_AT]
            if not done:
                state[k.STATUS] = k.NO_MEMORY
        if state[d] >= layout[k.L_LISTS_FROM]:
            cards.leave_list(state, layout, state[d], code[here + 5], state[a])
    elif op == k.SWAP_CARDS:
        cards.swap_cards(state, layout, state[a], state[b])
    elif op == k.SWAP_LISTS:
        cards.swap_lists(state, layout, state[a], state[b])
    elif op == k.SHUFFLE:
        cards.shuffle(state, layout, state[a])
    elif op == k.FARO:
        cards.faro(state, layout, state[a], state[b])
    elif op == k.CYCLE_CURRENT:
        put(state, a + k.CURRENT, state[b])
        log_event(state, layout, k.CYCLE_CURRENT, state[b], 0, 0)
        acted(state)
    elif op == k.CLEAR_POINTS:
        clear_points(state, layout, state[a])
        if layout[k.L_AWARDS]:
            put(state, state[a] + layout[k.L_TYPES], 0)
        log_event(state, layout, k.CLEAR_POINTS, state[a], 0, 0)
        acted(state)
    elif op == k.TABLE_POINTS:
        state[k.WORK] += layout[k.L_TYPES]
        points = state[a]
        if state[k.TRAIL] == 0:
            for kind in range(layout[k.L_TYPES]):
                state[points + kind] = data[b + kind]
        else:
            for kind in range(layout[k.L_TYPES]):
                put(state, points + kind, data[b + kind])
        log_event(state, layout, k.CLEAR_POINTS, state[a], 0, 0)
        acted(state)
    elif op == k.UPDATE:
        save_award(state, layout, state[a], b, c, state[d], True)
    elif op == k.RECOUNT:
        recount_points(state, layout, data, state[a])
        log_event(state, layout, k.CLEAR_POINTS, state[a], 0, 0)
        acted(state)
    elif op == k.CREATE_CARDS:
        if cards.is_location(state, layout, state[a]):
            cards.create_cards(state, layout, state[a], b, c)
        else:
            state[k.STATUS] = k.NO_TARGET
    elif op == k.CREATE_TEAMS:
        cards.create_teams(state, layout, data, a)
