"""The interpreter: one loop over instructions, for every game.

``code``: [instructions * STRIDE] int64, operations with addresses in the state; ``data``: [words] int64, attributes of card types, tables
of names, teams; ``layout``: [LAYOUT] int64, addresses; ``state``: [words] int64, see ``kernel_layout``.
"""

from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_cards as cards
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import acted, find_location, log_event, put, touch
from meldlab.recycle.machine.kernel_filters import any_of, any_with_attribute, holds, with_number, with_word
from meldlab.recycle.machine.kernel_lists import (
    card_at,
    end_card,
    indexed,
    new_list,
    numbers,
    others,
    partition,
    runs,
    size_of,
    size_of_all,
    snapshot,
    take,
    union,
)
from meldlab.recycle.machine.kernel_options import add_moves, add_option, backtrack, extend_path, member_by_path, open_point
from meldlab.recycle.machine.kernel_points import add_award, extreme, save_award, small, total
from meldlab.recycle.machine.kernel_rare import run_rare


@device_function(inline="always")
def run(code, data, layout, state, pc, allowed, fuel):
    """Carry out instructions from ``pc`` until a decision, the end, an error, or, while exploring, no option is left.

    A task may take ``allowed`` work. After ``fuel`` of it the loop pauses; called again from ``PAUSED_AT`` it continues as if it had not.
    Work is checked where something can be repeated. Instructions that cannot fail continue with the next one at once and do not check the
    status. An instruction that jumps writes a word that is never read: without it LLVM would choose the next address without a branch, and
    the processor, which predicts branches well, would wait for the comparison. Rare and long instructions are in ``run_rare``.
    """
    work = 0
    stop = min(allowed, state[k.WORK] + fuel)
    while True:
        op = code[pc]
        a, b, c, d = code[pc + 1], code[pc + 2], code[pc + 3], code[pc + 4]
        here = pc
        pc += k.STRIDE
        work += 1
        if op == k.JUMP:
            pc = a
            if work + state[k.WORK] > stop:
                state[k.STATUS] = k.PAUSED
        elif op == k.JEQ:
            if state[a] == state[b]:
                pc = c
                state[k.JUMPED] = 1
            continue
        elif op == k.JNE:
            if state[a] != state[b]:
                pc = c
                state[k.JUMPED] = 1
            continue
        elif op == k.JLT:
            if state[a] < state[b]:
                pc = c
                state[k.JUMPED] = 1
            continue
        elif op == k.JGE:
            if state[a] >= state[b]:
                pc = c
                state[k.JUMPED] = 1
            continue
        elif op == k.JSIZE:
            # Operands: list, number, where to go, on what.
            if holds(size_of(state, layout, state[a]), state[b], d):
                pc = c
                state[k.JUMPED] = 1
            continue
        elif op == k.JSIZE_AT:
            # Operands: the size of the location of owner 0, owner, number, where to go, on what.
            if holds(state[a + state[b] * k.LOCATION], state[c], code[here + 5]):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.JCELL:
            # Operands: the cell of owner 0, owner, number, where to go, on what.
            if holds(state[a + state[b]], state[c], code[here + 5]):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.JATTRIBUTE:
            # Operands: card, column, string, where to go, on what.
            card = state[a]
            if ((data[b + state[card + k.TYPE]] if card else 0) == state[c]) == (code[here + 5] == k.IS):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.JEMPTY:
            if size_of(state, layout, state[a]) == 0:
                pc = b
                state[k.JUMPED] = 1
            continue
        elif op == k.FIRST:
            # Operands of all that walk: member, list, where the walk stands, where to go behind the last member, where with the next one.
            members = state[b]
            if state[members] == 0:
                pc = d
            else:
                state[a] = state[members + 1]
                state[c] = 1
            continue
        elif op == k.NEXT:
            members, index = state[b], state[c]
            if index >= state[members]:
                pc = d
            else:
                state[a] = state[members + 1 + index]
                state[c] = index + 1
                pc = code[here + 5]
            if work + state[k.WORK] <= stop:
                continue
            state[k.STATUS] = k.PAUSED
        elif op == k.FIRST_CARD:
            card = state[state[b] + k.BOTTOM_AT]
            state[a] = card
            if card == 0:
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.NEXT_CARD:
            card = state[state[a] + k.ABOVE]
            state[a] = card
            if card:
                pc = code[here + 5]
                state[k.JUMPED] = 1
            else:
                pc = d
            if work + state[k.WORK] <= stop:
                continue
            state[k.STATUS] = k.PAUSED
        elif op == k.FIRST_REFERENCE:
            node = state[state[b] + k.BOTTOM_AT]
            if node == 0:
                pc = d
            else:
                state[a] = state[node + k.TYPE]
                state[c] = node
            continue
        elif op == k.NEXT_REFERENCE:
            node = state[state[c] + k.ABOVE]
            if node == 0:
                pc = d
            else:
                state[a] = state[node + k.TYPE]
                state[c] = node
                pc = code[here + 5]
            if work + state[k.WORK] <= stop:
                continue
            state[k.STATUS] = k.PAUSED
        elif op == k.NEXT_ITEM:
            members, index = state[b], state[c]
            if index >= state[members]:
                pc = d
            else:
                put(state, a, state[members + 1 + index])
                put(state, c, index + 1)
                pc = code[here + 5]
            if work + state[k.WORK] > stop and state[k.STATUS] == k.PLAYING:
                state[k.STATUS] = k.PAUSED
        elif op == k.ATTRIBUTE:
            card = state[b]
            state[a] = data[c + state[card + k.TYPE]] if card else 0
            continue
        elif op == k.SCORE:
            card = state[b]
            if card:
                state[a] = state[state[c] + state[card + k.TYPE]]
                continue
            state[k.STATUS] = k.NO_CARD
        elif op == k.SIZE:
            state[a] = size_of(state, layout, state[b])
            continue
        elif op == k.TOP_CARD:
            state[a] = end_card(state, layout, state[b], k.AT_TOP)
            continue
        elif op == k.BOTTOM_CARD:
            state[a] = end_card(state, layout, state[b], k.AT_BOTTOM)
            continue
        elif op == k.ADDRESS:
            state[a] = b + state[c] * d
            continue
        elif op == k.LOAD:
            state[a] = state[b + state[c]]
            continue
        elif op == k.LOAD_FIELD:
            state[a] = state[b + state[c] * k.LOCATION]
            continue
        elif op == k.COPY:
            state[a] = state[b]
            continue
        elif op == k.COPY_ITEM:
            put(state, a, state[b])
        elif op == k.ANY or op == k.ANY_LAST:
            # Operands: member, list, where to go if it is empty, whether backtracking restores the member.
            members = state[b]
            if state[members] == 0:
                pc = c
            elif state[k.MODE] == k.EXPLORE:
                member = 0
                if op == k.ANY_LAST and state[k.KEY_PLAYER] == 0:
                    # The member is moved, and that is all: each but the last is an option as it stands.
                    member = add_moves(state, layout, members, state[code[pc + 3]], code[pc + 4] >> 2)
                if member + 1 < state[members]:
                    open_point(state, layout, pc, members, -a if d else a)
                extend_path(state, layout, member)
                if d:
                    put(state, a, state[members + 1 + member])
                else:
                    state[a] = state[members + 1 + member]
            else:
                state[a] = member_by_path(state, layout, members)
                log_event(state, layout, k.ANY, here, state[a], 0)
            if work + state[k.WORK] > stop and state[k.STATUS] == k.PLAYING:
                state[k.STATUS] = k.PAUSED
        elif op == k.ALTERNATIVE:
            if state[k.MODE] == k.EXPLORE:
                state[k.PATH] = 0
                if b:
                    open_point(state, layout, b, 0, 0)
                extend_path(state, layout, a)
            elif state[layout[k.L_PATH]] != a:
                pc = b
            else:
                state[k.PATH] = 1
        elif op == k.LEAF:
            if state[k.MODE] == k.EXPLORE:
                if state[k.ACTED]:
                    add_option(state, layout)
                pc = backtrack(state, layout)
                if pc < 0:
                    break
                if work + state[k.WORK] > stop and state[k.STATUS] == k.PLAYING:
                    state[k.STATUS] = k.PAUSED
            elif state[k.RETURN]:
                pc = state[k.RETURN]
                state[k.RETURN] = 0
                state[k.MODE] = k.RUN
                state[k.DECISION] = state[k.SAVED_DECISION]
                state[k.EVENT] = state[k.SAVED_EVENT]
            else:
                break
        elif op == k.MOVE or op == k.MOVE_LAST:
            # Operands: card, list it was found in, location, end found at + 4 * end to put, index.
            if op == k.MOVE_LAST and state[k.MODE] == k.EXPLORE and state[k.KEY_PLAYER] == 0:
                # An option ends here, so while exploring it is enough to see whether the card could be moved.
                cards.try_move(state, layout, state[a], state[b], state[c], d >> 2, state[code[here + 5]])
            else:
                cards.move(state, layout, state[a], state[b], d, state[c], state[code[here + 5]])
        elif op == k.MARK:
            state[a] = state[k.HEAP]
            continue
        elif op == k.RELEASE:
            mark = max(state[a], state[k.FLOOR])
            if mark < state[k.HEAP]:
                state[k.HEAP] = mark
            continue
        elif op == k.PUT:
            # Operands: base, owner, value, what it is for the log.
            put(state, a + state[b], state[c])
            log_event(state, layout, k.PUT, a + state[b], state[c], d)
            acted(state)
        elif op == k.ADJUST:
            # Operands: base, owner, by how much, 1 or -1.
            cell = a + state[b]
            number = small(state, state[cell] + state[c] * d)
            if state[k.STATUS] == 0:
                put(state, cell, number)
                log_event(state, layout, k.PUT, cell, number, 0)
                acted(state)
        elif op == k.ADD:
            number = state[b] + state[c]
            if small(state, number) == number:
                state[a] = number
                continue
        elif op == k.SUB:
            number = state[b] - state[c]
            if small(state, number) == number:
                state[a] = number
                continue
        elif op == k.LOCATE:
            location = b + state[c] * k.LOCATION
            touch(state, location)
            state[a] = location
        elif op == k.SNAPSHOT:
            state[a] = snapshot(state, layout, state[b])
        elif op == k.RESULT:
            list = new_list(state, layout, size_of(state, layout, state[b]))
            state[a] = list
            if list:
                state[list] = 0
        elif op == k.APPEND:
            list = state[a]
            state[list] += 1
            state[list + state[list]] = state[b]
            continue
        elif op == k.COUNT:
            # Operands: how often so far, how often, where to go behind the last time, where for the next one.
            done = state[a]
            if done >= state[b]:
                pc = c
            else:
                state[a] = done + 1
                pc = d
            if work + state[k.WORK] <= stop:
                continue
            state[k.STATUS] = k.PAUSED
        elif op == k.COUNT_ITEM:
            if state[a] >= state[b]:
                pc = c
            else:
                put(state, a, state[a] + 1)
                pc = d
            if work + state[k.WORK] > stop and state[k.STATUS] == k.PLAYING:
                state[k.STATUS] = k.PAUSED
        elif op == k.FILTER_ATTRIBUTE:
            # Operands of what filters: result, list, what of the members is compared, with what, how.
            state[a] = with_word(state, layout, data, c, state[b], state[d], code[here + 5])
        elif op == k.FILTER_SCORE:
            state[a] = with_word(state, layout, state, state[c], state[b], state[d], code[here + 5])
        elif op == k.FILTER_SIZE:
            state[a] = with_number(state, layout, state[b], 0, state[d], code[here + 5])
        elif op == k.FILTER_SUM:
            state[a] = with_number(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == k.JANY_ATTRIBUTE:
            # Operands of these: as above, where to go, and how it is compared + 8 if to go there when nothing is found.
            what = code[here + 5]
            if any_with_attribute(state, layout, data, state[a], b, state[c], what & 7) == (what < 8):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.JANY_SIZE:
            what = code[here + 5]
            if any_of(state, a, b * k.LOCATION, k.LOCATION, state[c], what & 7) == (what < 8):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.JANY_CELL:
            what = code[here + 5]
            if any_of(state, a, b, 1, state[c], what & 7) == (what < 8):
                pc = d
                state[k.JUMPED] = 1
            continue
        elif op == k.EACH_LOCATION:
            # Operands: result, the location of the first player, how many.
            list = new_list(state, layout, c)
            state[a] = list
            if list:
                for i in range(c):
                    state[list + 1 + i] = b + i * k.LOCATION
        elif op == k.SIZES:
            # The size of a union without the union itself.
            state[a] = size_of_all(state, layout, state[b])
            continue
        elif op == k.LOCATE_INDEX:
            state[a] = find_location(state, layout, b + state[c] * k.LOCATION, state[d])
        elif op == k.SUM:
            state[a] = small(state, total(state, layout, state[b], state[c]))
        elif op == k.SCOREMAX:
            state[a] = extreme(state, layout, state[b], state[c], 1)
        elif op == k.MUL:
            state[a] = small(state, state[b] * state[c])
        elif op == k.PARTITION:
            # Operands: result, key, list, or with the next one 0 list of lists.
            state[a] = partition(state, layout, data, data[layout[k.L_COLUMN_OF] + state[b]], state[c], d)
        elif op == k.UNION:
            state[a] = union(state, layout, state[b])
        elif op == k.TAKE:
            state[a] = take(state, layout, state[b], d, state[c])
        elif op == k.RUNS:
            state[a] = runs(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == k.RANGE:
            state[a] = numbers(state, layout, state[b], state[c])
        elif op == k.OTHERS:
            # Operands: result, current, how many; everyone: a current that does not exist.
            state[a] = others(state, layout, state[b], state[c])
        elif op == k.REMEMBER:
            # Operands: card, memory, end, index.
            cards.remember(state, layout, state[a], state[b], c, state[d])
        elif op == k.FORGET_AT:
            cards.forget_at(state, layout, state[a], b, state[c])
        elif op == k.AWARD:
            # Operands: map, first of the registers with keys and values, pairs, points.
            add_award(state, layout, data, state[a], b, c, state[d])
            if layout[k.L_AWARDS]:
                save_award(state, layout, state[a], b, c, state[d], False)
        elif op == k.CARD_AT:
            state[a] = card_at(state, layout, state[b], state[c])
        elif op == k.INDEXED_LISTS:
            state[a] = indexed(state, layout, b + state[c] * k.LOCATION)
        elif op == k.CYCLE_NEXT:
            put(state, a + k.QUEUED, state[b])
            log_event(state, layout, k.CYCLE_NEXT, state[b], 0, 0)
            acted(state)
        elif op == k.PASS:
            acted(state)
            log_event(state, layout, k.PASS, 0, 0, 0)
        elif op == k.NEXT_SEAT:
            queued = state[b + k.QUEUED]
            following = state[b + k.CURRENT] + 1
            state[a] = queued if queued else following if following <= state[c] else 1
        elif op == k.SEAT_NUMBER:
            if state[b] < 1 or state[b] > state[c]:
                state[k.STATUS] = k.NO_SEAT
            else:
                state[a] = state[b]
        elif op == k.PUSH:
            state[a + k.CYCLE + k.CURRENT] = state[a + k.CURRENT]
            state[a + k.CYCLE + k.QUEUED] = 0
            state[a + k.CYCLE + k.PASSES] = 0
        elif op == k.POP:
            state[a + k.CURRENT] = 0
            state[a + k.QUEUED] = 0
            state[a + k.PASSES] = 0
        elif op == k.ADVANCE or op == k.NEXT_TURN:
            queued = state[a + k.QUEUED]
            following = state[a + k.CURRENT] + 1
            state[a + k.CURRENT] = queued if queued else following if following <= state[b] else 1
            state[a + k.QUEUED] = 0
            if op == k.NEXT_TURN:
                pc = c
                if work + state[k.WORK] > stop:
                    state[k.STATUS] = k.PAUSED
        elif op == k.ZERO_QUEUE:
            state[a + k.QUEUED] = 0
        elif op == k.STEP:
            state[k.STEPS] += 1
            if state[k.STEPS] > layout[k.L_STEP_LIMIT]:
                state[k.STATUS] = k.STUCK
        elif op == k.CHOICE or op == k.JOINT:
            state[k.PC] = here
            state[k.STATUS] = k.DECIDING
            break
        elif op == k.CARRY_OUT:
            # Operands: the choice, the cell that counts the members.
            offset = layout[k.L_PENDING] + state[b] * layout[k.L_PENDING_WIDTH]
            length = state[offset + 1]
            for i in range(length):
                state[layout[k.L_PATH] + i] = state[offset + 2 + i]
            state[k.PATH_END] = length
            state[k.PATH] = 0
            state[k.SAVED_DECISION] = state[k.DECISION]
            state[k.SAVED_EVENT] = state[k.EVENT]
            state[k.DECISION] = state[offset]
            state[k.EVENT] = 0
            state[k.MODE] = k.FOLLOW
            state[k.RETURN] = pc
            # Nothing of a choice stays behind once it is carried out.
            for i in range(length + 2):
                state[offset + i] = 0
            pc = a + k.STRIDE
        elif op == k.HALT:
            state[k.PC] = here
            state[k.STATUS] = k.FINISHED
            break
        elif op == k.SCORED:
            break
        else:
            run_rare(code, data, layout, state, op, here)
        if state[k.STATUS]:
            break
    state[k.WORK] += work
    if state[k.STATUS] == k.PAUSED:
        state[k.PAUSED_AT] = pc
        if state[k.WORK] > allowed:
            state[k.STATUS] = k.OVERWORKED if state[k.WORK] > layout[k.L_WORK_LIMIT] else k.OVERLONG
    # A pause is no mistake: where it is depends on the clock.
    if state[k.STATUS] > k.CAPPED:
        state[k.ERROR_AT] = here
