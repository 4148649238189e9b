"""The machine: one loop over instructions, for every game.

``code``: [instructions * STRIDE] int64, operations with addresses in the state; ``data``: [words] int64, attributes of card types, tables
of names, teams; ``layout``: [LAYOUT] int64, where things lie; ``state``: [words] int64, see ``kernel_layout``.
"""

from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_cards as cards
from meldlab.recycle.machine.kernel_cards import acted, location, note, put, touch
from meldlab.recycle.machine.kernel_choices import backtrack, emit, emit_moves, member_by_path, open_point, walk_on
from meldlab.recycle.machine.kernel_filters import any_of, any_with_attribute, holds, with_attribute, with_score, with_size, with_sum
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_lists import (
    card_at,
    end_card,
    indexed,
    numbers,
    others,
    partition,
    room,
    runs,
    size_of,
    size_of_all,
    snapshot,
    take,
    union,
)
from meldlab.recycle.machine.kernel_numbers import small
from meldlab.recycle.machine.kernel_points import add_award, extreme, keep_award, total
from meldlab.recycle.machine.kernel_seldom import seldom


@device_function(inline="always")
def run(code, data, layout, state, pc, allowed, fuel):
    """Carry out instructions from ``pc`` until a decision, the end, an error, or, while exploring, no option is left.

    A task may take ``allowed`` work. After ``fuel`` of it the loop pauses; called again from ``PAUSED_AT`` it goes on as if it had not.
    Work is looked at where something can be repeated. Instructions that cannot fail go on with the next one at once, without a look at
    the status. Where an instruction jumps it writes a word that nobody reads: LLVM would choose the next address without a branch, and
    the processor, which guesses branches well, would wait for the comparison. What is seldom or takes long is in ``seldom``.
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
                state[JUMPED] = 1
            continue
        elif op == JNE:
            if state[a] != state[b]:
                pc = c
                state[JUMPED] = 1
            continue
        elif op == JLT:
            if state[a] < state[b]:
                pc = c
                state[JUMPED] = 1
            continue
        elif op == JGE:
            if state[a] >= state[b]:
                pc = c
                state[JUMPED] = 1
            continue
        elif op == JSIZE:
            # Operands: list, number, where to go, on what.
            if holds(size_of(state, layout, state[a]), state[b], d):
                pc = c
                state[JUMPED] = 1
            continue
        elif op == JSIZE_AT:
            # Operands: the size of the location of owner 0, owner, number, where to go, on what.
            if holds(state[a + state[b] * LOCATION], state[c], code[here + 5]):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == JCELL:
            # Operands: the cell of owner 0, owner, number, where to go, on what.
            if holds(state[a + state[b]], state[c], code[here + 5]):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == JSCORE:
            # Operands: card, points, number, where to go, on what.
            card = state[a]
            if card == 0:
                state[STATUS] = NO_CARD
            else:
                if holds(state[state[b] + state[card + TYPE]], state[c], code[here + 5]):
                    pc = d
                    state[JUMPED] = 1
                continue
        elif op == JATTRIBUTE:
            # Operands: card, column, string, where to go, on what.
            card = state[a]
            if ((data[b + state[card + TYPE]] if card else 0) == state[c]) == (code[here + 5] == IS):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == JEMPTY:
            if size_of(state, layout, state[a]) == 0:
                pc = b
                state[JUMPED] = 1
            continue
        elif op == FIRST:
            # Operands of all that walk: member, list, where the walk stands, where to go behind the last member, where with the next one.
            members = state[b]
            if state[members] == 0:
                pc = d
            else:
                state[a] = state[members + 1]
                state[c] = 1
            continue
        elif op == NEXT:
            members, index = state[b], state[c]
            if index >= state[members]:
                pc = d
            else:
                state[a] = state[members + 1 + index]
                state[c] = index + 1
                pc = code[here + 5]
            if work + state[WORK] <= stop:
                continue
            state[STATUS] = PAUSED
        elif op == FIRST_CARD:
            card = state[state[b] + BOTTOM_AT]
            state[a] = card
            if card == 0:
                pc = d
                state[JUMPED] = 1
            continue
        elif op == NEXT_CARD:
            card = state[state[a] + ABOVE]
            state[a] = card
            if card:
                pc = code[here + 5]
                state[JUMPED] = 1
            else:
                pc = d
            if work + state[WORK] <= stop:
                continue
            state[STATUS] = PAUSED
        elif op == FIRST_KEPT:
            node = state[state[b] + BOTTOM_AT]
            if node == 0:
                pc = d
            else:
                state[a] = state[node + TYPE]
                state[c] = node
            continue
        elif op == NEXT_KEPT:
            node = state[state[c] + ABOVE]
            if node == 0:
                pc = d
            else:
                state[a] = state[node + TYPE]
                state[c] = node
                pc = code[here + 5]
            if work + state[WORK] <= stop:
                continue
            state[STATUS] = PAUSED
        elif op == NEXT_ITEM:
            members, index = state[b], state[c]
            if index >= state[members]:
                pc = d
            else:
                put(state, a, state[members + 1 + index])
                put(state, c, index + 1)
                pc = code[here + 5]
            if work + state[WORK] > stop and state[STATUS] == PLAYING:
                state[STATUS] = PAUSED
        elif op == ATTRIBUTE:
            card = state[b]
            state[a] = data[c + state[card + TYPE]] if card else 0
            continue
        elif op == SCORE:
            card = state[b]
            if card:
                state[a] = state[state[c] + state[card + TYPE]]
                continue
            state[STATUS] = NO_CARD
        elif op == SIZE:
            state[a] = size_of(state, layout, state[b])
            continue
        elif op == TOP_CARD:
            state[a] = end_card(state, layout, state[b], AT_TOP)
            continue
        elif op == BOTTOM_CARD:
            state[a] = end_card(state, layout, state[b], AT_BOTTOM)
            continue
        elif op == ADDRESS:
            state[a] = b + state[c] * d
            continue
        elif op == LOAD:
            state[a] = state[b + state[c]]
            continue
        elif op == LOAD_FIELD:
            state[a] = state[b + state[c] * LOCATION]
            continue
        elif op == COPY:
            state[a] = state[b]
            continue
        elif op == COPY_ITEM:
            put(state, a, state[b])
        elif op == ANY or op == ANY_LAST:
            # Operands: member, list, where to go if it is empty, whether backtracking restores the member.
            members = state[b]
            if state[members] == 0:
                pc = c
            elif state[MODE] == EXPLORE:
                member = 0
                if op == ANY_LAST and state[TELLING] == 0:
                    # The member is moved, and that is all: each but the last is an option as it stands.
                    member = emit_moves(state, layout, members, state[code[pc + 3]], code[pc + 4] >> 2)
                if member + 1 < state[members]:
                    open_point(state, layout, pc, members, -a if d else a)
                walk_on(state, layout, member)
                if d:
                    put(state, a, state[members + 1 + member])
                else:
                    state[a] = state[members + 1 + member]
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
        elif op == MOVE or op == MOVE_LAST:
            # Operands: card, list it was found in, location, end found at + 4 * end to put, index.
            if op == MOVE_LAST and state[MODE] == EXPLORE and state[TELLING] == 0:
                # An option ends here, so while exploring it is enough to see whether the card could be moved.
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
        elif op == ADJUST:
            # Operands: base, owner, by how much, 1 or -1.
            cell = a + state[b]
            number = small(state, state[cell] + state[c] * d)
            if state[STATUS] == 0:
                put(state, cell, number)
                note(state, layout, PUT, cell, number, 0)
                acted(state)
        elif op == ADD:
            number = state[b] + state[c]
            if small(state, number) == number:
                state[a] = number
                continue
        elif op == SUB:
            number = state[b] - state[c]
            if small(state, number) == number:
                state[a] = number
                continue
        elif op == LOCATE:
            home = b + state[c] * LOCATION
            touch(state, home)
            state[a] = home
        elif op == SNAPSHOT:
            state[a] = snapshot(state, layout, state[b])
        elif op == RESULT:
            list = room(state, layout, size_of(state, layout, state[b]))
            state[a] = list
            if list:
                state[list] = 0
        elif op == APPEND:
            list = state[a]
            state[list] += 1
            state[list + state[list]] = state[b]
            continue
        elif op == COUNT:
            # Operands: how often so far, how often, where to go behind the last time, where for the next one.
            done = state[a]
            if done >= state[b]:
                pc = c
            else:
                state[a] = done + 1
                pc = d
            if work + state[WORK] <= stop:
                continue
            state[STATUS] = PAUSED
        elif op == COUNT_ITEM:
            if state[a] >= state[b]:
                pc = c
            else:
                put(state, a, state[a] + 1)
                pc = d
            if work + state[WORK] > stop and state[STATUS] == PLAYING:
                state[STATUS] = PAUSED
        elif op == FILTER_ATTRIBUTE:
            # Operands of what filters: result, list, what of the members is compared, with what, how.
            state[a] = with_attribute(state, layout, data, state[b], c, state[d], code[here + 5])
        elif op == FILTER_SCORE:
            state[a] = with_score(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == FILTER_SIZE:
            state[a] = with_size(state, layout, state[b], state[d], code[here + 5])
        elif op == FILTER_SUM:
            state[a] = with_sum(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == JANY_ATTRIBUTE:
            # Operands of these: as above, where to go, and how it is compared + 8 if to go there when nothing is found.
            what = code[here + 5]
            if any_with_attribute(state, layout, data, state[a], b, state[c], what & 7) == (what < 8):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == JANY_SIZE:
            what = code[here + 5]
            if any_of(state, a, b * LOCATION, LOCATION, state[c], what & 7) == (what < 8):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == JANY_CELL:
            what = code[here + 5]
            if any_of(state, a, b, 1, state[c], what & 7) == (what < 8):
                pc = d
                state[JUMPED] = 1
            continue
        elif op == EACH_LOCATION:
            # Operands: result, the location of the first player, how many.
            list = room(state, layout, c)
            state[a] = list
            if list:
                for i in range(c):
                    state[list + 1 + i] = b + i * LOCATION
        elif op == SIZES:
            # The size of a union that nobody asks for itself.
            state[a] = size_of_all(state, layout, state[b])
            continue
        elif op == LOCATE_INDEX:
            state[a] = location(state, layout, b + state[c] * LOCATION, state[d])
        elif op == SUM:
            state[a] = small(state, total(state, layout, state[b], state[c]))
        elif op == SCOREMAX:
            state[a] = extreme(state, layout, state[b], state[c], 1)
        elif op == MUL:
            state[a] = small(state, state[b] * state[c])
        elif op == PARTITION:
            # Operands: result, key, list, or with the next one 0 list of lists.
            state[a] = partition(state, layout, data, data[layout[L_COLUMN_OF] + state[b]], state[c], d)
        elif op == UNION:
            state[a] = union(state, layout, state[b])
        elif op == TAKE:
            state[a] = take(state, layout, state[b], d, state[c])
        elif op == RUNS:
            state[a] = runs(state, layout, state[b], state[c], state[d], code[here + 5])
        elif op == RANGE:
            state[a] = numbers(state, layout, state[b], state[c])
        elif op == OTHERS:
            # Operands: result, current, how many; everyone: a current nobody is.
            state[a] = others(state, layout, state[b], state[c])
        elif op == REMEMBER:
            # Operands: card, memory, end, index.
            cards.remember(state, layout, state[a], state[b], c, state[d])
        elif op == FORGET_AT:
            cards.forget_at(state, layout, state[a], b, state[c])
        elif op == AWARD:
            # Operands: map, first of the registers with keys and values, pairs, points.
            add_award(state, layout, data, state[a], b, c, state[d])
            if layout[L_AWARDS]:
                keep_award(state, layout, state[a], b, c, state[d], False)
        elif op == CARD_AT:
            state[a] = card_at(state, layout, state[b], state[c])
        elif op == INDEXED_LISTS:
            state[a] = indexed(state, layout, b + state[c] * LOCATION)
        elif op == CYCLE_NEXT:
            put(state, a + QUEUED, state[b])
            note(state, layout, CYCLE_NEXT, state[b], 0, 0)
            acted(state)
        elif op == PASS:
            acted(state)
            note(state, layout, PASS, 0, 0, 0)
        elif op == NEXT_SEAT:
            queued = state[b + QUEUED]
            following = state[b + CURRENT] + 1
            state[a] = queued if queued else following if following <= state[c] else 1
        elif op == SEAT_NUMBER:
            if state[b] < 1 or state[b] > state[c]:
                state[STATUS] = NO_SEAT
            else:
                state[a] = state[b]
        elif op == PUSH:
            state[a + CYCLE + CURRENT] = state[a + CURRENT]
            state[a + CYCLE + QUEUED] = 0
            state[a + CYCLE + PASSES] = 0
        elif op == POP:
            state[a + CURRENT] = 0
            state[a + QUEUED] = 0
            state[a + PASSES] = 0
        elif op == ADVANCE or op == NEXT_TURN:
            queued = state[a + QUEUED]
            following = state[a + CURRENT] + 1
            state[a + CURRENT] = queued if queued else following if following <= state[b] else 1
            state[a + QUEUED] = 0
            if op == NEXT_TURN:
                pc = c
                if work + state[WORK] > stop:
                    state[STATUS] = PAUSED
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
        else:
            seldom(code, data, layout, state, op, here)
        if state[STATUS]:
            break
    state[WORK] += work
    if state[STATUS] == PAUSED:
        state[PAUSED_AT] = pc
        if state[WORK] > allowed:
            state[STATUS] = OVERWORKED if state[WORK] > layout[L_WORK_LIMIT] else OVERLONG
    # A pause is no mistake: where it is depends on the clock.
    if state[STATUS] > CAPPED:
        state[ERROR_AT] = here
