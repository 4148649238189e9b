"""The search where jokers on the table are not free: their homes are decided number by number, beside everything else.

A *case* says of every home what it must contain (jokers that stay at their tile, jokers that were freed, a tile from the rack), whether it
is a run of which colour or a group, and which rack tiles have to be played for it. What is left of the tiles is a problem without table
jokers, which goes by the codes of ``kernel``.

A case goes up through the numbers in layers: of all ways to a state only the cheapest is kept, and of all states only those that no other
one *beats*. A run of three tiles can do all that a shorter one can, or none, and one of two all that one of one can. So a state with codes
as good in every colour, and all else equal, beats another one if it costs no more. It may be one of an earlier case: once the homes lie,
cases that ask for the same tiles are the same. A state that keeps runs is also beaten by one that has broken them and has their tiles in
open runs, if that costs no more. Ways whose bound is over the budget are left out; the budget grows until something fits.
"""

from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function, kernel
from meldlab.rummikub.kernel import FEW, NEVER, NEXT, finish, fit_groups, lay_runs
from meldlab.rummikub.kernel_homes import (
    AT,
    BEST,
    BOTH_LIE,
    BUDGET,
    CASE,
    COLOURS,
    COST,
    END,
    FIRST,
    FLOOR_BITS,
    FRESH,
    FULL,
    GENERATION,
    GROUPED,
    LAST,
    LEAST,
    LIMIT,
    LOW_FOUND,
    MODE,
    NODES,
    NUMBER,
    OTHERS,
    PAUSED,
    RUNS,
    SECOND,
    SHARE,
    SHELVED,
    STAMP,
    START,
    T_BRIDGE,
    T_CLAIMS,
    T_FIRST,
    T_GROUP,
    T_KEPT,
    T_RUN,
    T_SECOND,
    TWINS,
    UNIT,
    UNKNOWN,
    WAITS,
    WORTH,
    colour_floor,
    colour_key,
    home_ways,
    looked_up,
    mend_prices,
)

MOST_FRESH, MOST_STATES = 1 << 17, 1 << 18
STRONGEST = 25  # more than the strength of any four codes
# Columns of states: all that the rest depends on, the cost, the case, the state before, what was done since, the next one in a list,
# and the codes that it beats. A key is the case or what it shares, number, homes, kept runs, jokers used, room for jokers, codes.
KEY, COST_SO_FAR, OF_CASE, PARENT, MOVE, LINK, BEATEN = range(7)
LOCKED = 0xFFFF << 20  # where kept runs stand in a key
ALL_USED = 3  # instead of room for jokers: none is left


def _dominance():
    """Return [3, 16] int64: of each code itself and what it beats, as bits of the ten codes, and its strength: what beats it has more."""
    codes, rank = [code for code in range(16) if code & 3 >= code >> 2], (1, 1, 2, 3)
    beats = {(3, 0), (3, 1), (3, 2), (2, 1), *((length, length) for length in range(4))}
    table = np.zeros((3, 16), np.int64)
    for at, one in enumerate(codes):
        table[0, one], table[2, one] = 1 << at, rank[one & 3] + rank[one >> 2]
        for bit, other in enumerate(codes):
            pairs = permutations((other & 3, other >> 2))
            table[1, one] |= any((one & 3, x) in beats and (one >> 2, y) in beats for x, y in pairs) << bit
    return table


ITSELF, BEATS, STRENGTH = _dominance()


@device_function
def group_floor(case, n, homes, left, guarded, desk):
    """Return the least cost of the groups from number ``n`` on, with the jokers left and those of homes that wait."""
    if homes & 31 == WAITS:
        left += guarded.cases[case, GROUPED]
    if homes >> 5 == WAITS:
        left += guarded.cases[case, GROUPED + 1]
    return desk.groups[left, n]


@device_function
def rounded(cost):
    """Return the least whole cost that is not below a bound."""
    return -(-cost // UNIT) * UNIT


@device_function
def bound(case, n, codes, left, locked, homes, guarded, desk):
    """Return a cost that no way from number ``n`` on avoids: each colour for itself, as if all jokers left were its own, and the groups."""
    total = group_floor(case, n, homes, left, guarded, desk)
    for c in range(4):
        config = guarded.cases[case, COLOURS + c]
        own, runs, code = homes | guarded.colours[config, OTHERS], locked >> (4 * c) & 15, codes >> (4 * c) & 15
        low = looked_up(colour_key(config, n, own, left, runs, code), FLOOR_BITS, desk.floor, desk.counters[GENERATION])
        total += low if low != UNKNOWN else colour_floor(config, n, own, left, runs, code, guarded, desk)
    return NEVER if total > NEVER // 2 else rounded(total)


class Standing(NamedTuple):
    """What lies when the search comes to a number."""

    codes: Any  # four codes of four bits
    used: Any  # jokers
    room: Any  # for jokers that were left over
    locked: Any  # kept runs that have begun, four bits a colour
    homes: Any  # two states of five bits


class Demands(NamedTuple):
    """What sets and homes do with a number, four bits a colour."""

    held: Any
    needed: Any
    going: Any


@device_function
def colour_ways(n, c, groups, standing, claims, case, guarded, desk):
    """List what a colour may do at number ``n``, with the tiles and further jokers of ``groups`` in them; return its least cost.

    ``standing``: before the number, but for the homes, which are those after it.
    """
    taken, more = groups
    codes, used, _, _, homes = standing
    held, needed_there, going = claims
    numbers, ways = len(guarded.supply), desk.scratch[n, c, 3 * more + taken]
    jokers, late = guarded.games[case, 1] + guarded.games[case, 2] - used - more, 1 if n == numbers - 3 else 0
    taken += held >> (4 * c) & 15
    free = guarded.supply[n, c] - taken
    needed = max(guarded.must[guarded.cases[case, MODE], n, c], guarded.before[n, c] + (needed_there >> (4 * c) & 15)) - taken
    code, runs, config = codes >> (4 * c) & 15, going >> (4 * c) & 15, guarded.cases[case, COLOURS + c]
    many, cheapest = 0, NEVER
    own, floor, generation = homes | guarded.colours[config, OTHERS], desk.floor, desk.counters[GENERATION]
    if free >= 0:
        for j in range((0 if free == 0 and code == 0 and late == 0 else jokers) + 1):
            for k in range(min(free, 2 - j), max(0, needed) - 1, -1):
                after = NEXT[late, code, k, j]
                if after >= 0:
                    cost = (free - k) * guarded.weights[n, c] * WORTH
                    low = looked_up(colour_key(config, n + 1, own, jokers - j, runs, after), FLOOR_BITS, floor, generation)
                    if low == UNKNOWN:
                        low = colour_floor(config, n + 1, own, jokers - j, runs, after, guarded, desk)
                    low += cost
                    if low < NEVER // 2:
                        cheapest = min(cheapest, low)
                        ways[many, 0] = cost
                        ways[many, 1] = low
                        ways[many, 2] = after
                        ways[many, 3] = j
                        ways[many, 4] = k
                        many += 1
    ways[9, 0] = many
    ways[9, 1] = cheapest
    return cheapest


@device_function
def look(key, shift, book, states, stamp):
    """Return where a key stands in a book of states, or may be written; keys are the same that agree but for the lowest bits."""
    bits = len(book[0]) - 1
    home = np.int64(np.uint64(key >> shift) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(32)) & bits
    while book[1, home] == stamp and states[book[0, home], KEY] >> shift != key >> shift:
        home = (home + 1) & bits
    return home


@device_function
def arrive(key, cost, case, parent, move, desk):
    """Add a state to the next layer, or find a cheaper way to one that is there."""
    counters, fresh, book = desk.counters, desk.fresh, desk.book
    at = look(key, 0, book, fresh, counters[STAMP])
    many = counters[FRESH]
    if book[1, at] == counters[STAMP]:
        many = book[0, at]
        if fresh[many, COST_SO_FAR] <= cost:
            return
    elif many == MOST_FRESH:
        counters[FULL] = 1
        return
    else:
        book[0, at] = many
        book[1, at] = counters[STAMP]
        counters[FRESH] += 1
        strength = STRENGTH[key & 15] + STRENGTH[key >> 4 & 15] + STRENGTH[key >> 8 & 15] + STRENGTH[key >> 12 & 15]
        # States without kept runs first: they may beat the others too.
        strength += STRONGEST if key & LOCKED == 0 else 0
        fresh[many, KEY] = key
        fresh[many, LINK] = desk.strengths[strength]
        desk.strengths[strength] = many
    fresh[many, COST_SO_FAR] = cost
    fresh[many, OF_CASE] = case
    fresh[many, PARENT] = parent
    fresh[many, MOVE] = move


@device_function
def beaten(key, cost, desk):
    """Tell whether a state costs no less than one with codes as good and all else equal."""
    stamp, states = desk.counters[SHELVED], desk.states
    at = look(key, 16, desk.shelf, states, stamp)
    if desk.shelf[1, at] != stamp:
        return False
    itself = ITSELF[key & 15] | ITSELF[key >> 4 & 15] << 10 | ITSELF[key >> 8 & 15] << 20 | ITSELF[key >> 12 & 15] << 30
    other = desk.shelf[0, at]
    while other >= 0:
        if states[other, COST_SO_FAR] <= cost and itself & ~states[other, BEATEN] == 0:
            return True
        other = states[other, LINK]
    return False


@device_function
def unlocked(n, key, lengths):
    """Return a key with the kept runs as open runs like others; -1 if there are too many of them, or jokers in one."""
    locked, key = key >> 20 & 0xFFFF, key & ~LOCKED
    for bit in range(16):
        if locked >> bit & 1:
            shift = 4 * (bit >> 2)
            code = key >> shift & 15
            if code >> 2 or lengths[n, bit] == 0:
                return np.int64(-1)
            short, long = min(code & 3, lengths[n, bit]), max(code & 3, lengths[n, bit])
            key = key & ~(15 << shift) | (long | short << 2) << shift
    return key


@device_function
def settle(n, desk):
    """Append to the states those of the layer after number ``n`` that no other beats, and begin a new layer behind them."""
    counters, fresh, states, shelf = desk.counters, desk.fresh, desk.states, desk.shelf
    # The strong first: what beats a state is stronger.
    for strength in range(len(desk.strengths) - 1, -1, -1):
        one = desk.strengths[strength]
        desk.strengths[strength] = -1
        while one >= 0:
            key, cost = fresh[one, KEY], fresh[one, COST_SO_FAR]
            out = beaten(key, cost, desk)
            # Jokers to come could make a third run of what counts as two.
            if not out and key & LOCKED and key >> 16 & 3 == ALL_USED:
                broken = unlocked(n, key, desk.lengths)
                out = broken >= 0 and beaten(broken, cost, desk)
            if not out:
                end = counters[END]
                if end == MOST_STATES:
                    counters[FULL] = 1
                    return
                at = look(key, 16, shelf, states, counters[SHELVED])
                for i in range(MOVE + 1):
                    states[end, i] = fresh[one, i]
                states[end, LINK] = shelf[0, at] if shelf[1, at] == counters[SHELVED] else -1
                states[end, BEATEN] = (
                    BEATS[key & 15] | BEATS[key >> 4 & 15] << 10 | BEATS[key >> 8 & 15] << 20 | BEATS[key >> 12 & 15] << 30
                )
                shelf[0, at] = end
                shelf[1, at] = counters[SHELVED]
                counters[END] += 1
            one = fresh[one, LINK]
    counters[FRESH] = 0
    counters[STAMP] += 1


@device_function
def expand(n, at, budget, guarded, desk):
    """Go on from a state in every way whose bound is within ``budget``; return the least bound of the others."""
    key, so_far, case = desk.states[at, KEY], desk.states[at, COST_SO_FAR], desk.states[at, OF_CASE]
    codes, room, used, locked, homes = key & 0xFFFF, key >> 16 & 3, key >> 18 & 3, key >> 20 & 0xFFFF, key >> 36 & 0x3FF
    numbers, ways, scratch = len(guarded.supply), desk.ways, desk.scratch
    begins, lanes, lies = guarded.locks
    budget -= so_far
    least = NEVER
    jokers = guarded.games[case, 1] + guarded.games[case, 2]
    first, second = guarded.cases[case, FIRST], guarded.cases[case, SECOND]
    ways_first = home_ways(guarded.homes[first], homes & 31, n, numbers, guarded.supply, ways[n, 0])
    ways_second = home_ways(guarded.homes[second], homes >> 5, n, numbers, guarded.supply, ways[n, 1])
    starting = 0
    while begins[n, starting] >= 0:
        starting += 1
    for broken in range(1 << starting):
        cost_broken = UNIT * (FEW[broken & 15] + FEW[broken >> 4 & 15] + FEW[broken >> 8 & 15])
        if cost_broken > budget:
            least = min(least, cost_broken)
            continue
        # What the kept sets hold at this number, four bits a colour, and which of them go on.
        held_kept, going, used_kept = 0, locked & ~lies[n, 1], used
        for c in range(4):
            held_kept += FEW[(locked & lies[n, 0]) >> (4 * c) & 15] << (4 * c)
        for i in range(starting):
            if not broken >> i & 1:
                s = begins[n, i]
                used_kept += lanes[s, 2]
                if lanes[s, 0] < 0:
                    for c in range(4):
                        held_kept += (lanes[s, 1] >> c & 1) << (4 * c)
                else:
                    held_kept += 1 << (4 * lanes[s, 0])
                    going |= 1 << lanes[s, 1]
        if used_kept > jokers:
            continue
        for both in range(ways_first * ways_second):
            x, y = both // ways_second, both % ways_second
            after_homes = ways[n, 0, x, 2] | ways[n, 1, y, 2] << 5
            # Of two homes of one kind the first does not begin later.
            if guarded.cases[case, TWINS] and ways[n, 0, x, 2] == WAITS and ways[n, 1, y, 2] != WAITS:
                continue
            held, claims = held_kept + ways[n, 0, x, 0] + ways[n, 1, y, 0], ways[n, 0, x, 1] + ways[n, 1, y, 1]
            lacking = False
            for c in range(4):
                lacking |= (held >> (4 * c) & 15) > guarded.supply[n, c]
                lacking |= guarded.before[n, c] + (claims >> (4 * c) & 15) > guarded.supply[n, c]
            if lacking:
                continue
            # The ways of each colour, by its tiles in groups and the jokers there: cost, that with what follows, next code, jokers, tiles.
            lowest = cost_broken + group_floor(case, n + 1, after_homes, jokers - used_kept, guarded, desk)
            here, asked = Standing(codes, used_kept, room, locked, after_homes), Demands(held, claims, going)
            for c in range(4):
                cheapest = NEVER
                for taken in range(3):
                    for more in range(jokers - used_kept + 1):
                        low = colour_ways(n, c, (taken, more), here, asked, case, guarded, desk)
                        cheapest = min(cheapest, low)
                lowest += cheapest
            if lowest > budget:
                least = min(least, rounded(lowest)) if lowest < NEVER // 2 else least
                continue
            f = 0
            while desk.fitting[n, f] >= 0:
                e = desk.fitting[n, f] & 255
                f += 1
                more = guarded.choices[e, 4]
                used_e = used_kept + more
                if used_e > jokers:
                    continue
                rows = (
                    3 * more + guarded.choices[e, 0], 3 * more + guarded.choices[e, 1],
                    3 * more + guarded.choices[e, 2], 3 * more + guarded.choices[e, 3],
                )  # fmt: skip
                sum_low = cost_broken + group_floor(case, n + 1, after_homes, jokers - used_e, guarded, desk)
                for c in range(4):
                    sum_low += scratch[n, c, rows[c], 9, 1]
                if sum_low > budget:
                    least = min(least, rounded(sum_low)) if sum_low < NEVER // 2 else least
                    continue
                ways_0, ways_1, ways_2, ways_3 = (
                    scratch[n, 0, rows[0]],
                    scratch[n, 1, rows[1]],
                    scratch[n, 2, rows[2]],
                    scratch[n, 3, rows[3]],
                )
                for a in range(ways_0[9, 0]):
                    low_a = sum_low - ways_0[9, 1] + ways_0[a, 1]
                    used_a = used_e + ways_0[a, 3]
                    if low_a > budget or used_a > jokers:
                        least = min(least, rounded(low_a)) if low_a > budget else least
                        continue
                    for b in range(ways_1[9, 0]):
                        low_b = low_a - ways_1[9, 1] + ways_1[b, 1]
                        used_b = used_a + ways_1[b, 3]
                        if low_b > budget or used_b > jokers:
                            least = min(least, rounded(low_b)) if low_b > budget else least
                            continue
                        for d in range(ways_2[9, 0]):
                            low_d = low_b - ways_2[9, 1] + ways_2[d, 1]
                            used_d = used_b + ways_2[d, 3]
                            if low_d > budget or used_d > jokers:
                                least = min(least, rounded(low_d)) if low_d > budget else least
                                continue
                            for g in range(ways_3[9, 0]):
                                low_g = low_d - ways_3[9, 1] + ways_3[g, 1]
                                used_g = used_d + ways_3[g, 3]
                                if low_g > budget or used_g > jokers:
                                    least = min(least, rounded(low_g)) if low_g > budget else least
                                    continue
                                cost = cost_broken + ways_0[a, 0] + ways_1[b, 0] + ways_2[d, 0] + ways_3[g, 0]
                                after = ways_0[a, 2] | ways_1[b, 2] << 4 | ways_2[d, 2] << 8 | ways_3[g, 2] << 12
                                if used_g > used_e:
                                    low = cost + bound(case, n + 1, after, jokers - used_g, going, after_homes, guarded, desk)
                                    if low > budget:
                                        least = min(least, low)
                                        continue
                                # Once the homes lie, cases that ask for the same tiles and leave as many jokers are the same.
                                name = guarded.cases[case, SHARE] if after_homes == BOTH_LIE else case
                                roomy = ALL_USED if used_g == jokers else 2 if after else min(2, room + guarded.choices[e, 5])
                                key = ((((name << 4 | n + 1) << 10 | after_homes) << 16 | going) << 2 | used_g) << 2 | roomy
                                runs = ways_0[a, 4] | ways_1[b, 4] << 2 | ways_2[d, 4] << 4 | ways_3[g, 4] << 6
                                bridges = ways_0[a, 3] | ways_1[b, 3] << 2 | ways_2[d, 3] << 4 | ways_3[g, 3] << 6
                                move = ((broken << 16 | claims) << 8 | ways[n, 0, x, 3] << 4 | ways[n, 1, y, 3]) << 8 | e
                                arrive(key << 16 | after, so_far + cost, case, at, (move << 8 | bridges) << 8 | runs, desk)
    return so_far + least


@device_function
def sweep(case, guarded, desk):
    """Go through all layers of a case, or on from where the last call stopped, and return the number of its best last state, or -1.

    The least cost of a last state, or else the least bound over the budget, is then in LOW_FOUND.
    """
    counters, states, zero = desk.counters, desk.states, np.int64(0)
    numbers, budget = len(guarded.supply), counters[BUDGET]
    if counters[NUMBER] < 0:
        start = (case << 14 | guarded.cases[case, START]) << 36
        arrive(start, guarded.cases[case, COST], case, np.int64(-1), zero, desk)
        counters[AT] = counters[END]
        settle(zero, desk)
        counters[LAST], counters[NUMBER], counters[LOW_FOUND] = counters[END], 0, NEVER
    while counters[NUMBER] < numbers:
        while counters[AT] < counters[LAST] and not counters[FULL]:
            if counters[NODES] >= counters[LIMIT]:
                counters[PAUSED] = 1
                return -1
            counters[NODES] += 1
            counters[LOW_FOUND] = min(counters[LOW_FOUND], expand(counters[NUMBER], counters[AT], budget, guarded, desk))
            counters[AT] += 1
        settle(counters[NUMBER], desk)
        if counters[FULL]:
            counters[PAUSED] = 1
            return -1
        counters[LAST] = counters[END]
        counters[NUMBER] += 1
    counters[NUMBER] = -1
    best = -1
    for at in range(counters[AT], counters[END]):
        key = states[at, KEY]
        if key >> 36 & 0x3FF == BOTH_LIE:
            rest = finish(key & 0xFFFF, key >> 18 & 3, key >> 16 & 3, guarded.games[case])
            if rest < NEVER and states[at, COST_SO_FAR] + rest * UNIT < counters[LOW_FOUND]:
                counters[LOW_FOUND] = states[at, COST_SO_FAR] + rest * UNIT
                best = at
    return best if counters[LOW_FOUND] <= budget else -1


@device_function
def retrace(at, guarded, desk, best):
    """Write the way to a last state into ``best``, like a trail."""
    begins = guarded.locks.begins
    desk.counters[CASE] = desk.states[at, OF_CASE]
    for n in range(len(guarded.supply) - 1, -1, -1):
        move = desk.states[at, MOVE]
        for c in range(4):
            best[n, T_RUN + c] = move >> (2 * c) & 3
            best[n, T_BRIDGE + c] = move >> (8 + 2 * c) & 3
        best[n, T_GROUP] = move >> 16 & 0xFF
        best[n, T_SECOND] = move >> 24 & 15
        best[n, T_FIRST] = move >> 28 & 15
        best[n, T_CLAIMS] = move >> 32 & 0xFFFF
        kept, i = 0, 0
        while begins[n, i] >= 0:
            if not move >> (48 + i) & 1:
                kept |= 1 << begins[n, i]
            i += 1
        best[n, T_KEPT] = kept
        at = desk.states[at, PARENT]


@device_function
def prepare(rounds, stride, guarded, desk):
    """Fill what depends on the tiles alone, and a bound for each case; return the least of these."""
    zero, least = np.int64(0), NEVER
    for n in range(len(guarded.supply)):
        desk.grouped[n] = fit_groups(n, 2, guarded.before, guarded.rack, guarded.choices, desk.fitting)
    begins, lanes, lies = guarded.locks
    for n in range(len(guarded.supply)):
        for bit in range(16):
            length = desk.lengths[n - 1, bit] if n and lies[n, 0] >> bit & 1 else 0
            desk.lengths[n, bit] = min(3, length + 1) if length else 0
        i = 0
        while begins[n, i] >= 0:
            if lanes[begins[n, i], 0] >= 0:
                desk.lengths[n, lanes[begins[n, i], 1]] = lanes[begins[n, i], 2] == 0
            i += 1
    mend_prices(rounds, stride, guarded, desk)
    for case in range(len(guarded.cases)):
        left = guarded.games[case, 1] + guarded.games[case, 2]
        low = bound(case, zero, zero, left, zero, guarded.cases[case, START], guarded, desk)
        desk.bounds[case] = guarded.cases[case, COST] + low
        desk.failed[case] = -1
        least = min(least, desk.bounds[case])
    return least


@device_function
def clear(desk):
    """Forget all states."""
    desk.counters[END] = 0
    desk.counters[FRESH] = 0
    desk.counters[STAMP] += 1
    desk.counters[SHELVED] += 1
    for i in range(len(desk.strengths)):
        desk.strengths[i] = -1


@kernel
def search_cases(guarded, plan, desk, best, runs):
    """Return the least cost of all cases, -1 past the limit of states: then it can be called on.

    The ``plan``: a cost below which there is nothing; by how much the first budget, and each one after it, is above what is needed; rounds
    of mending prices, and by how much they hope to lift the bound at first.

    The counters say where the deepening stands: nothing costs less than LEAST (-1 in the first call), and a way of cost BEST is left in
    ``best``, [numbers, 13] int64 like a trail, that of case CASE; its runs are in ``runs``, [runs, 4] int64.
    """
    counters = desk.counters
    known, slack, jump, rounds, stride = plan
    if counters[LEAST] < 0:
        counters[LEAST] = max(known, prepare(rounds, stride, guarded, desk))
        counters[BUDGET] = min(counters[LEAST] + slack, counters[BEST] - UNIT)
        counters[NUMBER] = -1
        clear(desk)
    counters[PAUSED] = 0
    while counters[LEAST] < counters[BEST]:
        # The case that promises most, or the first of them; one that was stopped still does, for its bound is as it was.
        case, least = np.int64(0), NEVER
        for i in range(len(desk.bounds)):
            if max(desk.bounds[i], counters[LEAST]) < least:
                case, least = np.int64(i), max(desk.bounds[i], counters[LEAST])
        if least > counters[BUDGET]:
            # Every case costs more than the budget now.
            counters[LEAST] = min(least, counters[BEST])
            counters[BUDGET] = min(counters[BEST] - UNIT, least + jump)
            clear(desk)
            continue
        found = sweep(case, guarded, desk)
        if counters[PAUSED]:
            return -1
        if found >= 0:
            retrace(found, guarded, desk, best)
            counters[BEST], counters[BUDGET] = counters[LOW_FOUND], counters[LOW_FOUND] - UNIT
        # Other cases may have beaten some of its states, but they came to nothing within the budget either.
        desk.failed[case] = counters[BUDGET]
        # What is found is the best of the case.
        desk.bounds[case] = max(desk.bounds[case], counters[LOW_FOUND])
    if counters[BEST] < NEVER:
        counters[RUNS] = lay_runs(len(guarded.supply), best, runs)
    return counters[BEST]
