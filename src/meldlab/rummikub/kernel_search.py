"""The exact search for the best move: number by number, with what is open in each colour as its state.

At each number the search decides which old sets that start here are locked, which groups are laid, and how many of the remaining tiles and
jokers continue runs; the codes of the runs follow by dominance (``kernel_tables``). It is depth first with a budget that falls below the
cost of each path found (branch and bound). States are remembered with the smallest cost they need, and the moves of one colour are listed
once for all states. The cost is ``SCALE`` times the weight left on the rack plus the table sets broken.

Jokers continue a run or end it; only at ``numbers - 2`` may one start a run, since elsewhere it can as well be at the other end. A joker
that no set needs is *spare* and joins any run, or a group with room for it.

A search can be cut into parts: its *frames*, one a number, say where it stands. At the limit of states it stops, and the next call
continues from there with the memo unchanged. So the states visited, and the solution, do not depend on where the cuts are.
"""

import numpy as np

from meldlab.compiling import device_function, kernel
from meldlab.rummikub.kernel_tables import (
    BIT_COUNT,
    BRIDGE,
    CHOICE_JOKERS,
    CHOICE_ROOM,
    CHOICE_TILES,
    CODE_SHIFT,
    COST_BITS,
    COST_SHIFT,
    EACH,
    GROUP,
    HIGHEST,
    INFINITE_COST,
    KEY,
    LOCKED,
    LOW,
    LOW_SHIFT,
    MEMO,
    NEXT,
    NONE_LEFT,
    NOT_STARTED,
    OPEN,
    RUN,
    SCALE,
    STAMP,
    UNFINISHED,
    build_runs,
    final_cost,
    list_group_choices,
)

PROBES = 4  # slots of the memo that are tried
SHORT = 1000  # states of a search that needs little of the memo
GROWTH = 64  # how many times the last raise the budget is raised beyond what is needed: proving is cheaper than deepening


@device_function
def hash_slot(key, memo, counters):
    """Return where a state is in the memo, or where it may be put; a short search keeps to a part of it that stays in the CPU's cache."""
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    first = np.int64(x >> np.uint64(48 if counters.nodes > SHORT else 53))
    for probe in range(PROBES):
        slot = (first + probe) & (MEMO - 1)
        if memo[slot, STAMP] != counters.generation or memo[slot, KEY] == key:
            return slot
    return first


@device_function
def lower_bound(n, codes, left, locked_runs, bounds):
    """Return a cost that no path from number ``n`` on avoids: each colour for itself, as if all jokers left were its own."""
    total = 0
    for c in range(4):
        total += bounds[locked_runs >> (4 * c) & 15, n, c, left, codes >> (4 * c) & 15]
    return total


@device_function
def keep_sets(n, problem, workspace):
    """Decide which sets that start at number ``n`` are broken, the next of all possibilities; return whether there was one left."""
    starts, counts, shapes, covers = problem.locked
    frame = workspace.frames[n]
    frame.broken += 1
    if frame.broken == 1 << counts[n]:
        return False
    locked_runs = frame.locked_runs
    free, onward, used, sets, cost = frame.tiles | HIGHEST, locked_runs & ~covers[n, 1], frame.used, 0, frame.cost
    for c in range(4):
        free -= BIT_COUNT[(locked_runs & covers[n, 0]) >> (4 * c) & 15] << (4 * c)
    for i in range(counts[n]):
        if frame.broken >> i & 1:
            cost += 1
        else:
            s = starts[n, i]
            sets |= 1 << s
            used += shapes[s, 2]
            if shapes[s, 0] < 0:
                for c in range(4):
                    free -= (shapes[s, 1] >> c & 1) << (4 * c)
            else:
                free -= 1 << (4 * shapes[s, 0])
                onward |= 1 << shapes[s, 1]
    frame.free, frame.locked_onward, frame.used_locked, frame.locked_sets, frame.cost_locked = free, onward, used, sets, cost
    frame.choice = 0
    if cost > workspace.counters[0].budget:
        frame.least = min(frame.least, cost)
        frame.choice = NONE_LEFT
    return True


@device_function(inline="never")
def list_moves(n, c, code, free, left, runs, problem, workspace):
    """List how one colour, with ``free`` tiles besides groups and locked sets, can continue its runs; return the row of the list."""
    counters = workspace.counters[0]
    row = counters.listed
    counters.listed += 1
    moves = workspace.moves[row]
    needed = max(0, free - problem.rack[n, c])
    late = 1 if n == problem.game[0] - 3 else 0
    count, cheapest = 0, INFINITE_COST
    # Most often a colour has nothing here and nothing open, and no joker can start a run: then there is nothing to try.
    max_jokers = 0 if free == 0 and code == 0 and late == 0 else left
    for j in range(max_jokers + 1):
        for k in range(min(free, 2 - j), needed - 1, -1):
            after = NEXT[late, code, k, j]
            if after >= 0:
                cost = (free - k) * problem.weights[n, c] * SCALE
                low = cost + workspace.bounds[runs, n + 1, c, left - j, after]
                if low < INFINITE_COST:
                    cheapest = min(cheapest, low)
                    moves[2 + count] = low << LOW_SHIFT | cost << COST_SHIFT | after << CODE_SHIFT | j << 2 | k
                    count += 1
    moves[0] = count
    moves[1] = cheapest
    return row


@device_function
def moves_of(n, c, rest, left, problem, workspace):
    """Return the row of the list of a colour's moves; most states need a list that another one has needed."""
    frame, generation = workspace.frames[n], workspace.counters[0].generation
    code, free, runs = frame.codes >> (4 * c) & 15, rest >> (4 * c) & 7, frame.locked_onward >> (4 * c) & 15
    i = (((runs * 16 + n) * 4 + c) * 16 + code) * 9 + 3 * free + left
    if workspace.lists[i] >> 20 != generation:
        workspace.lists[i] = generation << 20 | list_moves(n, c, code, free, left, runs, problem, workspace)
    return workspace.lists[i] & 0xFFFFF


@device_function
def list_steps(n, problem, workspace):
    """List the steps from number ``n`` to the next for the next choice of groups that allows any; return whether there was one."""
    frame, budget, moves, steps = workspace.frames[n], workspace.counters[0].budget, workspace.moves, workspace.steps
    jokers = problem.game[1] + problem.game[2]
    cost_locked, least, count = frame.cost_locked, frame.least, frame.first_step
    while frame.choice >= 0 and count == frame.first_step:
        choice = workspace.fitting[n, frame.choice]
        frame.choice += 1
        used = frame.used_locked + (choice >> CHOICE_JOKERS & 3)
        left = jokers - used
        # Choices that need fewer jokers come first.
        if choice < 0 or left < 0:
            frame.choice = NONE_LEFT
            break
        # What is left for runs, four bits a colour with the highest set: no colour may lack tiles, nor any for its unfinished runs.
        rest = frame.free - (choice >> CHOICE_TILES)
        if rest & HIGHEST & (rest + left * EACH - frame.unfinished) != HIGHEST:
            continue
        first, second = moves[moves_of(n, 0, rest, left, problem, workspace)], moves[moves_of(n, 1, rest, left, problem, workspace)]
        third, fourth = moves[moves_of(n, 2, rest, left, problem, workspace)], moves[moves_of(n, 3, rest, left, problem, workspace)]
        low_e = cost_locked + first[1] + second[1] + third[1] + fourth[1]
        if low_e > budget:
            least = min(least, low_e)
            continue
        for a in range(2, 2 + first[0]):
            low_a = low_e - first[1] + (first[a] >> LOW_SHIFT)
            if low_a > budget:
                least = min(least, low_a)
                continue
            for b in range(2, 2 + second[0]):
                low_b = low_a - second[1] + (second[b] >> LOW_SHIFT)
                if low_b > budget:
                    least = min(least, low_b)
                    continue
                for d in range(2, 2 + third[0]):
                    low_d = low_b - third[1] + (third[d] >> LOW_SHIFT)
                    if low_d > budget:
                        least = min(least, low_d)
                        continue
                    for g in range(2, 2 + fourth[0]):
                        low = low_d - fourth[1] + (fourth[g] >> LOW_SHIFT)
                        laid = first[a] & 15 | (second[b] & 15) << 4 | (third[d] & 15) << 8 | (fourth[g] & 15) << 12
                        more = (laid >> 2 & 3) + (laid >> 6 & 3) + (laid >> 10 & 3) + (laid >> 14 & 3)
                        if more > left:
                            continue
                        cost = cost_locked + (first[a] >> COST_SHIFT & COST_BITS) + (second[b] >> COST_SHIFT & COST_BITS)
                        cost += (third[d] >> COST_SHIFT & COST_BITS) + (fourth[g] >> COST_SHIFT & COST_BITS)
                        codes = (first[a] & 0xF0) >> 4 | second[b] & 0xF0 | (third[d] & 0xF0) << 4 | (fourth[g] & 0xF0) << 8
                        if more:
                            low = cost + lower_bound(n + 1, codes, left - more, frame.locked_onward, workspace.bounds)
                        if low > budget:
                            least = min(least, low)
                            continue
                        steps[count, 0] = low
                        steps[count, 1] = cost
                        steps[count, 2] = codes << 20 | (used + more) << 16 | laid
                        count += 1
    frame.step, frame.end_step = frame.first_step, count
    frame.least = least
    return count > frame.first_step or keep_sets(n, problem, workspace)


@device_function
def push_state(n, codes, used, room, cost, problem, workspace):
    """Start with a state at number ``n`` and return 0, or the least cost in the memo if it exceeds the budget; stop at the limit."""
    counters, memo, frame = workspace.counters[0], workspace.memo, workspace.frames[n]
    left = problem.game[1] + problem.game[2] - used
    state, tiles, unfinished = 0, 0, 0
    for c in range(4):
        count = problem.table[n, c] + problem.rack[n, c]
        # Finished runs that cannot continue here are as good as none.
        code = OPEN[min(2, count + left), codes >> (4 * c) & 15]
        state |= code << (4 * c)
        tiles |= count << (4 * c)
        unfinished |= UNFINISHED[code] << (4 * c)
    locked_runs = workspace.frames[n - 1].locked_onward if n else 0
    key = ((((locked_runs << 16 | state) << 2 | used) << 2 | min(room, left)) << 4) | n
    slot = hash_slot(key, memo, counters)
    if memo[slot, KEY] == key and memo[slot, STAMP] == counters.generation and cost + memo[slot, LOW] > counters.budget:
        return cost + memo[slot, LOW]
    if counters.nodes >= counters.limit:
        counters.stopped = 1
        return 0
    counters.nodes += 1
    frame.codes, frame.used, frame.room, frame.locked_runs, frame.key, frame.cost = state, used, room, locked_runs, key, cost
    frame.least, frame.tiles, frame.unfinished, frame.broken, frame.choice = INFINITE_COST, tiles, unfinished, -1, NONE_LEFT
    frame.first_step = frame.step = frame.end_step = workspace.frames[n - 1].end_step if n else 0
    return 0


@device_function
def record_best(numbers, workspace, best):
    """Copy the path of the frames into ``best``."""
    for n in range(numbers):
        frame = workspace.frames[n]
        best[n, GROUP] = workspace.fitting[n, frame.choice - 1] & 255
        best[n, LOCKED] = frame.locked_sets
        laid = workspace.steps[frame.step - 1, 2]
        for c in range(4):
            best[n, RUN + c] = laid >> (4 * c) & 3
            best[n, BRIDGE + c] = laid >> (4 * c + 2) & 3


@device_function
def search_within(problem, workspace, best):
    """Continue from where the frames stand until no path within the budget is left, or the limit of states stops the search."""
    game, counters, frames, memo = problem.game, workspace.counters[0], workspace.frames, workspace.memo
    n = counters.depth
    while n >= 0:
        frame = frames[n]
        if frame.step == frame.end_step:
            if not list_steps(n, problem, workspace):
                slot = hash_slot(frame.key, memo, counters)
                memo[slot, KEY] = frame.key
                memo[slot, LOW] = frame.least - frame.cost if frame.least < INFINITE_COST else INFINITE_COST
                memo[slot, STAMP] = counters.generation
                n -= 1
                if n >= 0:
                    frames[n].least = min(frames[n].least, frame.least)
            continue
        low, cost, step = workspace.steps[frame.step]
        frame.step += 1
        if low <= counters.budget:
            codes, used = step >> 20, step >> 16 & 3
            room = 2 if step & 0xFFFF else min(2, frame.room + (workspace.fitting[n, frame.choice - 1] >> CHOICE_ROOM & 3))
            if n + 1 < game[0]:
                low = push_state(n + 1, codes, used, room, cost, problem, workspace)
                if counters.stopped:
                    frame.step -= 1
                    break
                if low == 0:
                    n += 1
                    continue
            else:
                low = cost + final_cost(codes, used, room, game)
                if low <= counters.budget:
                    record_best(game[0], workspace, best)
                    counters.best = low
                    counters.budget = low - 1
                    if low <= counters.lower_bound:
                        frames[0].least = low
                        n = -1
                        break
        frame.least = min(frame.least, low)
    counters.depth = n


@device_function
def fill_bounds(n, c, max_grouped, reaching, problem, bounds):
    """Fill ``bounds`` for one number and colour from the number above: its own runs are exact, its groups take what they may.

    A table run is decided where it starts; a table group in its first colour only, so that no broken set is counted twice.
    """
    game, table, rack, weights, _, locked_sets = problem
    starts, counts, shapes, covers = locked_sets
    jokers = game[1] + game[2]
    late = 1 if n == game[0] - 3 else 0
    own = 0
    for i in range(counts[n]):
        s = starts[n, i]
        is_own = shapes[s, 0] == c if shapes[s, 0] >= 0 else shapes[s, 1] & ((2 << c) - 1) == 1 << c
        own |= is_own << i
    runs = reaching
    while True:
        for left in range(jokers + 1):
            for code in range(16):
                bounds[runs, n, c, left, code] = INFINITE_COST
        broken = own
        while True:
            # Decide the colour's own sets that start here: bits of ``broken`` are broken, the others of ``own`` locked.
            cost_broken, held, jokers_locked = 0, BIT_COUNT[runs & (covers[n, 0] >> (4 * c)) & 15], 0
            onward = runs & ~(covers[n, 1] >> (4 * c)) & 15
            for i in range(counts[n] if own else 0):
                s = starts[n, i]
                if broken >> i & 1:
                    cost_broken += 1
                elif own >> i & 1:
                    held += 1
                    jokers_locked += shapes[s, 2]
                    if shapes[s, 0] >= 0:
                        onward |= 1 << (shapes[s, 1] & 3)
            free = table[n, c] + rack[n, c] - held
            if free >= 0:
                for left in range(jokers_locked, jokers + 1):
                    for code in range(16):
                        if code & 3 < code >> 2:
                            continue
                        least = bounds[runs, n, c, left, code]
                        for j in range(left - jokers_locked + 1):
                            for k in range(min(free, 2 - j) + 1):
                                after = NEXT[late, code, k, j]
                                if after >= 0:
                                    # What is not in runs is in groups as far as possible; the rest stays on the rack.
                                    lost = max(0, free - k - max_grouped)
                                    if lost <= rack[n, c]:
                                        cost = cost_broken + lost * weights[n, c] * SCALE
                                        least = min(least, cost + bounds[onward, n + 1, c, left - jokers_locked - j, after])
                        bounds[runs, n, c, left, code] = least
            if broken == 0:
                break
            broken = (broken - 1) & own
        if runs == 0:
            break
        runs = (runs - 1) & reaching


@device_function
def prepare(problem, fitting, bounds):
    """Fill ``fitting`` with the choices of groups that the tiles allow, and ``bounds`` with the least cost of each colour for itself."""
    numbers, jokers = problem.game[0], problem.game[1] + problem.game[2]
    for c in range(4):
        for left in range(jokers + 1):
            for code in range(16):
                low, high = code & 3, code >> 2
                bounds[0, numbers, c, left, code] = 0 if (low == 0 or low == 3) and (high == 0 or high == 3) else INFINITE_COST
    for n in range(numbers - 1, -1, -1):
        grouped = list_group_choices(n, jokers, problem, fitting)
        for c in range(4):
            most = grouped >> (2 * c) & 3
            fill_bounds(n, c, 2 if most == 3 else most, problem.locked.covers[n, 2] >> (4 * c) & 15, problem, bounds)


@kernel
def search(problem, budget, workspace, best, runs):
    """Return the least cost of a move that keeps every table tile on the table; -1 at the limit of states, where the next call continues.

    ``budget`` is a cost below which there is nothing, -1 if nothing is known. The best path so far is in ``best``, [numbers, 10] int64,
    its runs in ``runs``, [runs, 4] int64, its cost and their number in the counters, whose ``depth`` is NOT_STARTED in the first call.
    """
    game, counters = problem.game, workspace.counters[0]
    if counters.depth == NOT_STARTED:
        prepare(problem, workspace.fitting, workspace.bounds)
        counters.generation += 1
        counters.nodes = counters.listed = 0
        counters.depth = -1
        counters.lower_bound = max(budget, lower_bound(0, 0, game[1] + game[2], 0, workspace.bounds))
        counters.best = INFINITE_COST
        # If something is known, the bound is almost reached; if not, the first path found is the better budget.
        counters.budget = counters.lower_bound if budget >= 0 else INFINITE_COST - 1
    counters.stopped = 0
    while counters.lower_bound < counters.best:
        if counters.depth < 0:
            push_state(0, 0, 0, 0, 0, problem, workspace)
            counters.depth = -1 if counters.stopped else 0
        search_within(problem, workspace, best)
        if counters.stopped:
            break
        least = workspace.frames[0].least
        if counters.best == INFINITE_COST:
            counters.budget = min(INFINITE_COST - 1, least + (least - counters.lower_bound) * GROWTH)
        counters.lower_bound = least
    if counters.best < INFINITE_COST:
        counters.runs = build_runs(game[0], best, runs)
    return -1 if counters.stopped else counters.best
