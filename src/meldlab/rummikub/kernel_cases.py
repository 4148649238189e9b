"""The search where jokers on the table are not free: their homes are decided number by number, beside everything else.

A *case* says of every home what it must contain (jokers that stay at their tile, jokers that were freed, a tile from the rack), whether it
is a run of which colour or a group, and which rack tiles have to be played for it; the first decision of the search is the case. What is
left of the tiles then is a problem without table jokers, which goes by the codes of ``kernel``: depth first, with a budget that grows
until something fits, and a memo of the states that failed.

A search that is cut short begins anew with the memo as it was, and so comes to the same place through few states.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import kernel, scalar_kernel
from meldlab.rummikub.kernel import FEW, NEVER, NEXT, finish, fit_groups, lay_runs
from meldlab.rummikub.kernel_homes import (
    BEST,
    BOTH_LIE,
    BUDGET,
    CASE,
    COLOURS,
    COST,
    FIRST,
    FLOOR_BITS,
    GENERATION,
    GROUPED,
    LEAST,
    LIMIT,
    MEMO_BITS,
    MODE,
    NODES,
    OTHERS,
    PAUSED,
    RUNS,
    SECOND,
    SHARE,
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
    find,
    home_ways,
    looked_up,
    mend_prices,
)


@scalar_kernel
def group_floor(case, n, homes, left, guarded, desk):
    """Return the least cost of the groups from number ``n`` on, with the jokers left and those of homes that wait."""
    if homes & 31 == WAITS:
        left += guarded.cases[case, GROUPED]
    if homes >> 5 == WAITS:
        left += guarded.cases[case, GROUPED + 1]
    return desk.groups[left, n]


@scalar_kernel
def rounded(cost):
    """Return the least whole cost that is not below a bound."""
    return -(-cost // UNIT) * UNIT


@scalar_kernel
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


@scalar_kernel
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


@scalar_kernel
def descend(n, standing, case, budget, guarded, desk):
    """Return the least cost from number ``n`` on if it is within ``budget`` (its way is then in the trail), else a bound above it."""
    codes, used, room, locked, homes = standing
    numbers = len(guarded.supply)
    if n == numbers:
        return min(NEVER, finish(codes, used, room, guarded.games[case]) * UNIT) if homes == BOTH_LIE else NEVER
    counters, ways, scratch, trail = desk.counters, desk.ways, desk.scratch, desk.trail
    begins, lanes, lies = guarded.locks
    # Once the homes lie, cases that ask for the same tiles and leave as many jokers are the same.
    name = guarded.cases[case, SHARE] if homes == BOTH_LIE else case
    key = ((((((name << 10 | homes) << 16 | locked) << 16 | codes) << 1 | used) << 2 | room) << 4) | n
    at = find(key, MEMO_BITS, desk.memo, counters[GENERATION])
    if desk.memo[2, at] == counters[GENERATION] and desk.memo[0, at] == key and desk.memo[1, at] > budget:
        return desk.memo[1, at]
    if counters[NODES] >= counters[LIMIT]:
        counters[PAUSED] = 1
        return NEVER
    counters[NODES] += 1
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
        held_kept, going, kept = 0, locked & ~lies[n, 1], 0
        for c in range(4):
            held_kept += FEW[(locked & lies[n, 0]) >> (4 * c) & 15] << (4 * c)
        for i in range(starting):
            if not broken >> i & 1:
                s = begins[n, i]
                kept |= 1 << s
                if lanes[s, 0] < 0:
                    for c in range(4):
                        held_kept += (lanes[s, 1] >> c & 1) << (4 * c)
                else:
                    held_kept += 1 << (4 * lanes[s, 0])
                    going |= 1 << lanes[s, 1]
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
            lowest = cost_broken + group_floor(case, n + 1, after_homes, jokers - used, guarded, desk)
            here, asked = Standing(codes, used, room, locked, after_homes), Demands(held, claims, going)
            for c in range(4):
                cheapest = NEVER
                for taken in range(3):
                    for more in range(jokers - used + 1):
                        low = colour_ways(n, c, (taken, more), here, asked, case, guarded, desk)
                        cheapest = min(cheapest, low)
                lowest += cheapest
            if lowest > budget:
                least = min(least, rounded(lowest)) if lowest < NEVER // 2 else least
                continue
            f = 0
            while desk.fitting[n, f] >= 0:
                e = desk.fitting[n, f]
                f += 1
                more = guarded.choices[e, 4]
                used_e = used + more
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
                                roomy = 2 if after else min(2, room + guarded.choices[e, 5])
                                following = Standing(after, used_g, np.int64(roomy), going, after_homes)
                                rest_cost = descend(n + 1, following, case, budget - cost, guarded, desk)
                                if counters[PAUSED]:
                                    return NEVER
                                if cost + rest_cost <= budget:
                                    trail[n, T_GROUP] = e
                                    trail[n, T_KEPT] = kept
                                    trail[n, T_RUN] = ways_0[a, 4]
                                    trail[n, T_RUN + 1] = ways_1[b, 4]
                                    trail[n, T_RUN + 2] = ways_2[d, 4]
                                    trail[n, T_RUN + 3] = ways_3[g, 4]
                                    trail[n, T_BRIDGE] = ways_0[a, 3]
                                    trail[n, T_BRIDGE + 1] = ways_1[b, 3]
                                    trail[n, T_BRIDGE + 2] = ways_2[d, 3]
                                    trail[n, T_BRIDGE + 3] = ways_3[g, 3]
                                    trail[n, T_FIRST] = ways[n, 0, x, 3]
                                    trail[n, T_SECOND] = ways[n, 1, y, 3]
                                    trail[n, T_CLAIMS] = claims
                                    return cost + rest_cost
                                least = min(least, cost + rest_cost)
    at = find(key, MEMO_BITS, desk.memo, counters[GENERATION])
    desk.memo[0, at] = key
    desk.memo[1, at] = least
    desk.memo[2, at] = counters[GENERATION]
    return least


@scalar_kernel
def prepare(rounds, stride, guarded, desk):
    """Fill what depends on the tiles alone, and a bound for each case; return the least of these."""
    zero, least = np.int64(0), NEVER
    for n in range(len(guarded.supply)):
        desk.grouped[n] = fit_groups(n, 2, guarded.before, guarded.rack, guarded.choices, desk.fitting)
    mend_prices(rounds, stride, guarded, desk)
    for case in range(len(guarded.cases)):
        left = guarded.games[case, 1] + guarded.games[case, 2]
        low = bound(case, zero, zero, left, zero, guarded.cases[case, START], guarded, desk)
        desk.bounds[case] = guarded.cases[case, COST] + low
        least = min(least, desk.bounds[case])
    return least


@kernel
def search_cases(guarded, plan, desk, best, runs):
    """Return the least cost of all cases, -1 past the limit of states: then it can be called on, and the memo knows what is done.

    The ``plan``: a cost below which there is nothing; how many times a raise of the budget is repeated; rounds of mending prices, and by
    how much they hope to lift the bound at first.

    The counters say where the deepening stands: nothing costs less than LEAST (-1 in the first call), and a way of cost BEST is left in
    ``best``, [numbers, 13] int64 like a trail, that of case CASE; its runs are in ``runs``, [runs, 4] int64.
    """
    counters, zero = desk.counters, np.int64(0)
    known, grow, rounds, stride = plan
    if counters[LEAST] < 0:
        counters[LEAST] = max(known, prepare(rounds, stride, guarded, desk))
        counters[BUDGET] = min(counters[LEAST], counters[BEST] - UNIT)
    counters[PAUSED] = 0
    while counters[LEAST] < counters[BEST] and not counters[PAUSED]:
        for case in range(len(guarded.cases)):
            cost, start = guarded.cases[case, COST], Standing(zero, zero, zero, zero, guarded.cases[case, START])
            while desk.bounds[case] <= counters[BUDGET] and not counters[PAUSED]:
                low = cost + descend(zero, start, case, counters[BUDGET] - cost, guarded, desk)
                if counters[PAUSED]:
                    break
                if low > counters[BUDGET]:
                    desk.bounds[case] = low
                else:
                    counters[BEST], counters[CASE], counters[BUDGET] = low, case, low - UNIT
                    for n in range(len(guarded.supply)):
                        for i in range(13):
                            best[n, i] = desk.trail[n, i]
        if not counters[PAUSED]:
            # Every case costs more than the budget now.
            least = counters[BEST]
            for case in range(len(guarded.cases)):
                least = min(least, desk.bounds[case])
            raised = least - counters[LEAST]
            counters[LEAST] = least
            counters[BUDGET] = min(counters[BEST] - UNIT, least + raised * grow)
    if counters[BEST] < NEVER:
        counters[RUNS] = lay_runs(len(guarded.supply), best, runs)
    return -1 if counters[PAUSED] else counters[BEST]
