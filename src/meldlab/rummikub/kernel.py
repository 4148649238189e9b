"""The exact search for the best move: number by number, with what is open in each colour as its state.

Going up through the numbers, a colour needs to remember only how long its open runs are, up to three: a *code* is two lengths of two
bits each, the longer first. At each number the search decides which table sets that begin here are kept as they are, which groups
are laid, and how many of the remaining tiles and jokers go on in runs; what the runs look like afterwards follows by dominance. Depth
first, with a budget that starts at a bound and grows until something fits (iterative deepening), then shrinks until nothing does;
states that failed are remembered with the smallest cost they need. The cost is ``SCALE`` times the weight left on the rack plus the
table sets broken.

Jokers go on in a run or end it; only ``numbers - 2`` is a place where one begins a run, since elsewhere it can as well lie at the other
end. A joker that no set needs is *spare* and joins any run or a group with room for it: ``room`` says how many fit.

A search can be cut into pieces: past ``LIMIT`` states every number writes down where its loops stand, and the next call goes on from
there, with the memo as it was. So the states visited, and the answer, do not depend on where the cuts are.
"""

from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import kernel, scalar_kernel

SCALE = 64  # more than there can be sets on a table
NEVER = 1 << 40
MOST_SETS = 35
MEMO = 1 << 16
PROBES = 4
SHORT = 1000  # states of a search that needs little of the memo
KEY, LOW, STAMP = range(3)  # columns of the memo
GROW = 64  # how many times the last raise the budget is raised beyond what is needed: proving is cheaper than deepening

# Columns of the trail, one row per number: group choice, kept sets, then runs and jokers of the four colours.
GROUP, KEPT, RUN, BRIDGE = 0, 1, 2, 6
# Cells of the counters; FLOOR, BEST and BUDGET are where the deepening stands, DEPTH the last number whose loops are to be taken up again.
NODES, LIMIT, GENERATION, PAUSED, RUNS, DEPTH, FLOOR, BEST, BUDGET = range(9)
FRESH = -2  # DEPTH of a search that has not begun; -1 when no loop waits
# Rows of the scratch behind the ways of a colour: where the loops stopped, and how many ways there are.
STOPPED, WAYS = 8, 9


def _next_codes():
    """Return [2, 16, 3, 3] int64: the code after so many tiles and jokers, by whether a joker may begin a run here; -1 if impossible."""
    table = np.full((2, 16, 3, 3), -1, np.int64)
    for late, code, tiles, jokers in product(range(2), range(16), range(3), range(3)):
        tracks = sorted((code & 3, code >> 2), reverse=True)
        must, may = [t for t in tracks if t in (1, 2)], [t for t in tracks if t == 3]
        ways = tiles + jokers
        if code & 3 < code >> 2 or not len(must) <= ways <= 2 or (jokers and ways > len(must) + len(may) and not late):
            continue
        after = [t + 1 for t in must] + may[: ways - len(must)]
        after += [1] * (ways - len(after)) + [0] * (2 - ways)
        after.sort(reverse=True)
        table[late, code, tiles, jokers] = after[0] | after[1] << 2
    return table


def _groups(colours):
    """Return every group at one number: tiles of each of four colours, then jokers; large groups first."""
    shapes = [shape for size in range(3, colours + 1) for shape in combinations(range(colours), size)]
    naturals = {(some, len(shape) - len(some)) for shape in shapes for left in range(3) for some in combinations(shape, len(shape) - left)}
    return sorted(((*(int(c in some) for c in range(4)), jokers) for some, jokers in naturals), reverse=True)


def _group_choices(groups):
    """Return [choices, 6] int64: tiles of each of four colours that lie in groups at one number, jokers in them, room for more jokers."""
    reached, before = {(0,) * 5}, set()
    while reached != before:
        before = reached
        more = {tuple(map(sum, zip(one, group, strict=True))) for one in reached for group in groups}
        reached = before | {one for one in more if max(one) <= 2}
    rows = []
    for *tiles, jokers in reached:
        if (*tiles, jokers - 1) not in reached:
            room = 0
            while (*tiles, jokers + room + 1) in reached:
                room += 1
            rows.append((*tiles, jokers, room))
    # Few jokers, then many tiles first: a choice that takes everything ends more questions than one that takes nothing.
    return np.array(sorted(rows, key=lambda row: (row[4], -sum(row[:4]), row)), np.int64)


NEXT = _next_codes()
FEW = np.array([bits.bit_count() for bits in range(16)], np.int64)
GROUPS = tuple(_groups(colours) for colours in range(1, 5))
CHOICES = tuple(_group_choices(groups) for groups in GROUPS)


class Locks(NamedTuple):
    """Sets that would better stay as they are: where they begin, and where they lie."""

    begins: Any  # [numbers, MOST_SETS + 1] int64, sets whose first tile is here, -1 behind
    lanes: Any  # [sets, 3] int64, of a run its colour, its bit and its jokers, of a group -1, its colours as bits and its jokers
    lies: Any  # [numbers, 2] int64, bits of runs with a later tile here, and with their last one


class Question(NamedTuple):
    """What is to be laid."""

    game: Any  # [4] int64: numbers, table jokers, rack jokers, joker weight
    table: Any  # [numbers, 4] int64, tiles that must lie
    rack: Any  # [numbers, 4] int64, tiles that may
    weights: Any  # [numbers, 4] int64
    choices: Any  # [choices, 6] int64, as in CHOICES
    locks: Locks


class Scratchpad(NamedTuple):
    """What the search writes on, for up to 15 numbers."""

    fitting: Any  # [numbers, choices + 1] int64, choices that the tiles allow, -1 behind
    floor: Any  # [16, numbers + 1, 4, 3, 16] int64, the least cost from a number on, by kept runs, number, colour, jokers left and code
    counters: Any  # [9] int64
    memo: Any  # [MEMO, 4] int64: key, least cost, generation; what is looked at together lies together
    scratch: Any  # [numbers, 4, 10, 5] int64
    trail: Any  # [numbers, 10] int64


@scalar_kernel
def slot(key, memo, counters):
    """Return where a state is in the memo, or where it may be put; a short search keeps to a part of it that stays in the cache."""
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    home = np.int64(x >> np.uint64(48 if counters[NODES] > SHORT else 53))
    for step in range(PROBES):
        at = (home + step) & (MEMO - 1)
        if memo[at, STAMP] != counters[GENERATION] or memo[at, KEY] == key:
            return at
    return home


@scalar_kernel
def finish(codes, used, room, game):
    """Return the cost after the last number: spare jokers are laid where there is room; open runs or a lost table joker are impossible."""
    for c in range(4):
        code = codes >> (4 * c) & 15
        low, high = code & 3, code >> 2
        if low == 1 or low == 2 or high == 1 or high == 2:
            return NEVER
    left = game[1] + game[2] - used
    laid = min(left, room)
    if used + laid < game[1]:
        return NEVER
    return (left - laid) * game[3] * SCALE


@scalar_kernel
def bound(n, codes, left, locked, floor):
    """Return a cost that no way from number ``n`` on avoids: each colour for itself, as if all jokers left were its own."""
    total = 0
    for c in range(4):
        total += floor[locked >> (4 * c) & 15, n, c, left, codes >> (4 * c) & 15]
    return total


@scalar_kernel
def descend(n, codes, used, room, locked, budget, question, work):
    """Return the least cost from number ``n`` on if it is within ``budget`` (its way is then in the trail), else a bound above it.

    ``codes``: four codes of four bits; ``locked``: kept runs that have begun, four bits a colour.
    """
    game, table, rack, weights, choices, locks = question
    begins, lanes, lies = locks
    fitting, floor, counters, memo, scratch, trail = work
    if n == game[0]:
        return finish(codes, used, room, game)
    key = ((((locked << 16 | codes) << 2 | used) << 2 | room) << 4) | n
    least = NEVER
    # Taken up again, the loops pass over what they did before; what that leaves behind in ``least`` is there already.
    skipping = counters[DEPTH] >= n
    if skipping:
        least = scratch[n, 2, STOPPED, 1]
        if counters[DEPTH] == n:
            counters[DEPTH] = -1
    else:
        at = slot(key, memo, counters)
        if memo[at, KEY] == key and memo[at, STAMP] == counters[GENERATION] and memo[at, LOW] > budget:
            return memo[at, LOW]
        if counters[NODES] >= counters[LIMIT]:
            counters[PAUSED] = 1
            counters[DEPTH] = n - 1
            return NEVER
        counters[NODES] += 1
    late = 1 if n == game[0] - 3 else 0
    jokers = game[1] + game[2]
    starting = 0
    while begins[n, starting] >= 0:
        starting += 1
    for broken in range(1 << starting):
        if skipping and broken < scratch[n, 0, STOPPED, 1]:
            continue
        cost_broken = 0
        for i in range(starting):
            cost_broken += broken >> i & 1
        if cost_broken > budget:
            least = min(least, cost_broken)
            continue
        # What the kept sets hold at this number, four bits a colour, and which of them go on.
        held, going, used_here, kept = 0, locked & ~lies[n, 1], used, 0
        for c in range(4):
            held += FEW[(locked & lies[n, 0]) >> (4 * c) & 15] << (4 * c)
        for i in range(starting):
            if not broken >> i & 1:
                s = begins[n, i]
                kept |= 1 << s
                used_here += lanes[s, 2]
                if lanes[s, 0] < 0:
                    for c in range(4):
                        held += (lanes[s, 1] >> c & 1) << (4 * c)
                else:
                    held += 1 << (4 * lanes[s, 0])
                    going |= 1 << lanes[s, 1]
        if used_here > jokers:
            continue
        f = 0
        while fitting[n, f] >= 0:
            e = fitting[n, f]
            f += 1
            if skipping and f <= scratch[n, 1, STOPPED, 1]:
                continue
            used_e = used_here + choices[e, 4]
            if used_e > jokers:
                continue
            # The ways of each colour: cost, the least cost with what follows, next code, jokers, tiles.
            possible, sum_low = True, cost_broken
            for c in range(4):
                taken = (held >> (4 * c) & 15) + choices[e, c]
                free = table[n, c] + rack[n, c] - taken
                if free < 0:
                    possible = False
                    break
                need = max(0, table[n, c] - taken)
                code, runs = codes >> (4 * c) & 15, going >> (4 * c) & 15
                many, cheapest = 0, NEVER
                # Most often a colour has nothing here and nothing open, and no joker can begin a run: then there is nothing to try.
                most_jokers = 0 if free == 0 and code == 0 and late == 0 else min(jokers - used_e, 2)
                for j in range(most_jokers + 1):
                    for k in range(min(free, 2 - j), need - 1, -1):
                        after = NEXT[late, code, k, j]
                        if after >= 0:
                            cost = (free - k) * weights[n, c] * SCALE
                            low = cost + floor[runs, n + 1, c, jokers - used_e - j, after]
                            if low < NEVER:
                                cheapest = min(cheapest, low)
                                scratch[n, c, many, 0] = cost
                                scratch[n, c, many, 1] = low
                                scratch[n, c, many, 2] = after
                                scratch[n, c, many, 3] = j
                                scratch[n, c, many, 4] = k
                                many += 1
                if many == 0:
                    possible = False
                    break
                scratch[n, c, WAYS, 0] = many
                scratch[n, c, WAYS, 1] = cheapest
                sum_low += cheapest
            if not possible:
                continue
            if sum_low > budget:
                least = min(least, sum_low)
                continue
            for a in range(scratch[n, 0, WAYS, 0]):
                low_a = sum_low - scratch[n, 0, WAYS, 1] + scratch[n, 0, a, 1]
                used_a = used_e + scratch[n, 0, a, 3]
                if low_a > budget or used_a > jokers:
                    least = min(least, low_a) if low_a > budget else least
                    continue
                for b in range(scratch[n, 1, WAYS, 0]):
                    low_b = low_a - scratch[n, 1, WAYS, 1] + scratch[n, 1, b, 1]
                    used_b = used_a + scratch[n, 1, b, 3]
                    if low_b > budget or used_b > jokers:
                        least = min(least, low_b) if low_b > budget else least
                        continue
                    for d in range(scratch[n, 2, WAYS, 0]):
                        low_d = low_b - scratch[n, 2, WAYS, 1] + scratch[n, 2, d, 1]
                        used_d = used_b + scratch[n, 2, d, 3]
                        if low_d > budget or used_d > jokers:
                            least = min(least, low_d) if low_d > budget else least
                            continue
                        for g in range(scratch[n, 3, WAYS, 0]):
                            low_g = low_d - scratch[n, 3, WAYS, 1] + scratch[n, 3, g, 1]
                            used_g = used_d + scratch[n, 3, g, 3]
                            if low_g > budget or used_g > jokers:
                                least = min(least, low_g) if low_g > budget else least
                                continue
                            cost = cost_broken + scratch[n, 0, a, 0] + scratch[n, 1, b, 0] + scratch[n, 2, d, 0] + scratch[n, 3, g, 0]
                            after = scratch[n, 0, a, 2] | scratch[n, 1, b, 2] << 4 | scratch[n, 2, d, 2] << 8 | scratch[n, 3, g, 2] << 12
                            if used_g > used_e:
                                low = cost + bound(n + 1, after, jokers - used_g, going, floor)
                                if low > budget:
                                    least = min(least, low)
                                    continue
                            if skipping:
                                done = scratch[n, :, STOPPED, 0]
                                if a != done[0] or b != done[1] or d != done[2] or g != done[3]:
                                    continue
                                skipping = False
                            roomy = 2 if after else min(2, room + choices[e, 5])
                            rest_cost = descend(n + 1, after, used_g, roomy, going, budget - cost, question, work)
                            if counters[PAUSED]:
                                scratch[n, 0, STOPPED, 0] = a
                                scratch[n, 1, STOPPED, 0] = b
                                scratch[n, 2, STOPPED, 0] = d
                                scratch[n, 3, STOPPED, 0] = g
                                scratch[n, 0, STOPPED, 1] = broken
                                scratch[n, 1, STOPPED, 1] = f - 1
                                scratch[n, 2, STOPPED, 1] = least
                                return NEVER
                            if cost + rest_cost <= budget:
                                trail[n, GROUP] = e
                                trail[n, KEPT] = kept
                                trail[n, RUN] = scratch[n, 0, a, 4]
                                trail[n, RUN + 1] = scratch[n, 1, b, 4]
                                trail[n, RUN + 2] = scratch[n, 2, d, 4]
                                trail[n, RUN + 3] = scratch[n, 3, g, 4]
                                trail[n, BRIDGE] = scratch[n, 0, a, 3]
                                trail[n, BRIDGE + 1] = scratch[n, 1, b, 3]
                                trail[n, BRIDGE + 2] = scratch[n, 2, d, 3]
                                trail[n, BRIDGE + 3] = scratch[n, 3, g, 3]
                                return cost + rest_cost
                            least = min(least, cost + rest_cost)
    at = slot(key, memo, counters)
    memo[at, KEY] = key
    memo[at, LOW] = least
    memo[at, STAMP] = counters[GENERATION]
    return least


@scalar_kernel
def fit_groups(n, jokers, table, rack, choices, fitting):
    """List the group choices that the tiles allow at number ``n``, and return the most tiles of each colour in them, two bits a colour."""
    many, grouped = 0, 0
    for e in range(len(choices)):
        fits = choices[e, 4] <= jokers
        for c in range(4):
            fits &= choices[e, c] <= table[n, c] + rack[n, c]
        if fits:
            fitting[n, many] = e
            many += 1
            for c in range(4):
                grouped |= choices[e, c] << (2 * c)
    fitting[n, many] = -1
    return grouped


@scalar_kernel
def colour_floor(n, c, most, active, question, floor):
    """Fill ``floor`` for one number and colour from the number above: the colour's own runs are exact, its groups take what they may.

    A table run is decided where it begins; a table group in its first colour only, so that no broken set is counted twice.
    """
    game, table, rack, weights, _, locks = question
    begins, lanes, lies = locks
    jokers = game[1] + game[2]
    late = 1 if n == game[0] - 3 else 0
    mine, i = 0, 0
    while begins[n, i] >= 0:
        s = begins[n, i]
        own = lanes[s, 0] == c if lanes[s, 0] >= 0 else lanes[s, 1] & ((2 << c) - 1) == 1 << c
        mine |= own << i
        i += 1
    runs = active
    while True:
        for left in range(jokers + 1):
            for code in range(16):
                floor[runs, n, c, left, code] = NEVER
        broken = mine
        while True:
            # Decide the colour's own sets that begin here: bits of ``broken`` are broken, the others of ``mine`` kept.
            cost_broken, held, jokers_kept, going = 0, FEW[runs & (lies[n, 0] >> (4 * c)) & 15], 0, runs & ~(lies[n, 1] >> (4 * c)) & 15
            rest, i = mine, 0
            while rest:
                if rest & 1:
                    s = begins[n, i]
                    if broken >> i & 1:
                        cost_broken += 1
                    else:
                        held += 1
                        jokers_kept += lanes[s, 2]
                        if lanes[s, 0] >= 0:
                            going |= 1 << (lanes[s, 1] & 3)
                rest >>= 1
                i += 1
            free = table[n, c] + rack[n, c] - held
            if free >= 0:
                for left in range(jokers_kept, jokers + 1):
                    for code in range(16):
                        if code & 3 < code >> 2:
                            continue
                        least = floor[runs, n, c, left, code]
                        for j in range(left - jokers_kept + 1):
                            for k in range(min(free, 2 - j) + 1):
                                after = NEXT[late, code, k, j]
                                if after >= 0:
                                    # What is not in runs lies in groups as far as they go; the rest stays on the rack.
                                    lost = max(0, free - k - most)
                                    if lost <= rack[n, c]:
                                        cost = cost_broken + lost * weights[n, c] * SCALE
                                        least = min(least, cost + floor[going, n + 1, c, left - jokers_kept - j, after])
                        floor[runs, n, c, left, code] = least
            if broken == 0:
                break
            broken = (broken - 1) & mine
        if runs == 0:
            break
        runs = (runs - 1) & active


@scalar_kernel
def prepare(question, fitting, floor):
    """Fill ``fitting`` with the group choices that the tiles allow, and ``floor`` with the least cost of each colour for itself."""
    game, table, rack, _, choices, locks = question
    begins, lanes, lies = locks
    numbers, jokers = game[0], game[1] + game[2]
    for c in range(4):
        for left in range(jokers + 1):
            for code in range(16):
                low, high = code & 3, code >> 2
                floor[0, numbers, c, left, code] = 0 if (low == 0 or low == 3) and (high == 0 or high == 3) else NEVER
    active = 0
    for n in range(numbers - 1, -1, -1):
        grouped = fit_groups(n, jokers, table, rack, choices, fitting)
        # Runs that may have begun before this number and still lie here.
        active |= lies[n, 1]
        i = 0
        while begins[n, i] >= 0:
            s = begins[n, i]
            if lanes[s, 0] >= 0:
                active &= ~(1 << lanes[s, 1])
            i += 1
        for c in range(4):
            most = grouped >> (2 * c) & 3
            colour_floor(n, c, 2 if most == 3 else most, active >> (4 * c) & 15, question, floor)


@scalar_kernel
def lay_runs(numbers, trail, runs):
    """Fill ``runs``, [runs, 4], with the runs along a trail - colour, first number, length, jokers as bits - and return how many there are.

    Where a run must stop the longest does: unfinished ones go on.
    """
    many = 0
    for c in range(4):
        first, second = -1, -1
        for n in range(numbers):
            tiles = trail[n, RUN + c]
            ways = tiles + trail[n, BRIDGE + c]
            if first >= 0 and second >= 0 and ways < 2:
                longer = first if runs[first, 2] >= runs[second, 2] else second
                first, second = first + second - longer, -1
            if ways == 0:
                first, second = -1, -1
            for way in range(ways):
                r = first if way == 0 else second
                if r < 0:
                    r = many
                    many += 1
                    runs[r, 0] = c
                    runs[r, 1] = n + 1
                    runs[r, 2] = 0
                    runs[r, 3] = 0
                    if way == 0:
                        first = r
                    else:
                        second = r
                if way >= tiles:
                    runs[r, 3] |= 1 << runs[r, 2]
                runs[r, 2] += 1
    return many


@kernel
def search(question, budget, work, best, runs):
    """Return the least cost of a move that keeps every table tile on the table; -1 past the limit of states, and then it can be called on.

    ``budget`` is a cost below which there is nothing, 0 if nothing is known. The best way so far is left in ``best``, [numbers, 10] int64
    like a trail, its runs in ``runs``, [runs, 4] int64, its cost and how many runs they are in the counters, where DEPTH is FRESH in the
    first call.
    """
    game, counters, trail = question.game, work.counters, work.trail
    # One signature for the first call and the recursive ones: with two of them numba crashes when it loads them from its cache.
    zero = np.int64(0)
    if counters[DEPTH] == FRESH:
        prepare(question, work.fitting, work.floor)
        counters[GENERATION] += 1
        counters[NODES] = 0
        counters[DEPTH] = -1
        counters[FLOOR] = max(np.int64(budget), bound(zero, zero, game[1] + game[2], zero, work.floor))
        counters[BEST] = NEVER
        counters[BUDGET] = counters[FLOOR]
    counters[PAUSED] = 0
    # Nothing costs less than FLOOR, and something costs BEST; the budget lies between.
    while counters[FLOOR] < counters[BEST]:
        least = descend(zero, zero, zero, zero, zero, counters[BUDGET], question, work)
        if counters[PAUSED]:
            break
        if least <= counters[BUDGET]:
            counters[BEST] = least
            for n in range(game[0]):
                for i in range(10):
                    best[n, i] = trail[n, i]
            counters[BUDGET] = least - 1
        else:
            raised = least - counters[FLOOR]
            counters[FLOOR] = least
            counters[BUDGET] = min(counters[BEST] - 1, least + raised * GROW)
    if counters[BEST] < NEVER:
        counters[RUNS] = lay_runs(game[0], best, runs)
    return -1 if counters[PAUSED] else counters[BEST]
