"""The exact search for the fewest table tiles moved: the four colours side by side, joined by their groups and jokers.

The new groups of a number, each with the old set whose heir it is, are an *option*; old runs that have a group as heir are a matter of the
colours, and an option says which of its groups are free for that. The search goes through the numbers, takes an option and an edge of
each colour that fit together, depth first, with a budget that grows as in ``kernel``, and a memo of what failed.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function, kernel
from meldlab.rummikub.kernel import FEW, NEVER
from meldlab.rummikub.kernel_colours import (
    BOOK,
    BY_GROUP,
    COST,
    FULL,
    GROUPS_HAD,
    JOKERED_HAD,
    LAID,
    MANY_EDGES,
    MANY_STATES,
    MOVED,
    PRICE,
    STAYS,
    TAG,
    TILE,
    TO,
    fill_colour,
    find_floor,
    keep_useful,
)
from meldlab.rummikub.kernel_prices import (
    FREE,
    GROUPS_COST,
    GROUPS_HAD_HERE,
    IN_GROUPS,
    JOKERED_HAD_HERE,
    JOKERS,
    LAID_GROUPS,
    bargain,
    code_floor,
    group_floor,
    list_codes,
    list_kinds,
    loosen,
    weigh,
)

OPTIONS = 1 << 15
MEMO_BITS, PROBES = 17, 4
FEW_ROUNDS, SOME_ROUNDS, ROUNDS, MANY_ROUNDS = 5, 10, 30, 50
# Cells of the counters.
NODES, LIMIT, GENERATION, PAUSED, FLOOR, BEST, BUDGET, MANY_OPTIONS = range(8)
# Columns of the path: the states of the four colours, jokers left, old sets with jokers that have an heir.
LEFT, HAD = 4, 5


class MovingDesk(NamedTuple):
    """What the search writes on."""

    options: Any  # [OPTIONS, 7] int64
    first: Any  # [numbers + 1] int64, where the options of a number begin
    chosen: Any  # [4, 7] int64, the option that is being made
    counters: Any  # [8] int64
    memo: Any  # [3, 1 << MEMO_BITS] int64: keys, costs, generations
    path: Any  # [numbers + 1, 6] int64
    kinds: Any  # [KINDS, 3] int64, the options by tiles and jokers, and the least cost of each
    kinds_from: Any  # [numbers + 1] int64, where the kinds of a number begin
    known: Any  # [1024] int64, kinds by tiles and jokers
    groups: Any  # [3, numbers + 1] int64, the least that groups come to from a number on, by jokers left
    taking: Any  # [3, numbers] int64, the kind that does
    taken: Any  # [numbers, 4, 3] int64, what colours give less what groups take
    way: Any  # [numbers, 4, 4] float64, how prices change; that of jokers is at 0 0 3
    mended: Any  # [numbers, 4, 3] int64, the best prices so far
    bound: Any  # [2] int64, what is reached with them, and the best price of a joker
    cheapest: Any  # [numbers, 4, 3] int64, the least cost of a colour with so many tiles in groups
    trail: Any  # [numbers, 5] int64, option and edges


@device_function
def add_groups(depth, last, place, old, question, charges, desk):
    """List the options that contain the groups chosen so far, the last of which is ``last``; ``place`` is number and colours.

    The most tiles of each colour in them are returned, two bits a colour; -1 if there is no room for all.
    """
    game, table, rack = question.game, question.table, question.rack
    chosen, counters = desk.chosen, desk.counters
    n, colours = place
    row = chosen[depth]
    # A free group and an old group without heir that share two tiles had better be a pair: nothing else open to them gains more.
    wasted = False
    for i in range(2):
        if old.groups[n, i] and not row[GROUPS_HAD_HERE] >> i & 1:
            for group in range(3):
                wasted |= FEW[row[FREE] >> (4 * group) & old.groups[n, i] & 15] >= 2
    if not wasted:
        many = counters[MANY_OPTIONS]
        if many + 1 >= OPTIONS:
            return -1
        for i in range(7):
            desk.options[many, i] = row[i]
        counters[MANY_OPTIONS] += 1
    most = 0
    for c in range(4):
        most |= (row[IN_GROUPS] >> (2 * c) & 3) << (2 * c)
    if depth == 3:
        return most
    for kind in range(last // 5, 48):
        mask, jokers = kind & 15, kind >> 4
        size = FEW[mask] + jokers
        if mask == 0 or size < 3 or size > colours or row[JOKERS] + jokers > game[1] + game[2]:
            continue
        tiles, there = row[IN_GROUPS], True
        for c in range(4):
            if mask >> c & 1:
                there &= tiles >> (2 * c) & 3 < table[n, c] + rack[n, c]
                tiles += 1 << (2 * c)
        if not there:
            continue
        for heir in range(5):
            if 5 * kind + heir < last:
                continue
            following = chosen[depth + 1]
            for i in range(7):
                following[i] = row[i]
            following[IN_GROUPS] = tiles
            following[JOKERS] += jokers
            following[GROUPS_COST] += jokers * charges[MOVED]
            following[LAID_GROUPS] |= kind << (6 * depth)
            if heir == 4:
                following[FREE] |= mask << (4 * depth)
                if jokers and size > 3:
                    continue
            else:
                stay, jokers_stay = FEW[mask & old.groups[n, heir]], 0
                if heir < 2:
                    if row[GROUPS_HAD_HERE] >> heir & 1:
                        continue
                    following[GROUPS_HAD_HERE] |= 1 << heir
                else:
                    jokers_stay = min(jokers, old.jokers[heir - 2])
                    if row[JOKERED_HAD_HERE] >> (heir - 2) & 1:
                        continue
                    following[JOKERED_HAD_HERE] |= 1 << (heir - 2)
                # Spare jokers join some set in the end.
                if stay + jokers_stay == 0 or (jokers > jokers_stay and size > 3):
                    continue
                following[GROUPS_COST] += jokers_stay * (charges[STAYS] - charges[MOVED]) + TILE - stay * TILE
            more = add_groups(depth + 1, np.int64(5 * kind + heir), place, old, question, charges, desk)
            if more < 0:
                return more
            for c in range(4):
                if more >> (2 * c) & 3 > most >> (2 * c) & 3:
                    most += (more >> (2 * c) & 3) - (most >> (2 * c) & 3) << (2 * c)
    return most


@device_function
def fits(free, by_groups, many):
    """Tell whether ``many`` old runs, their colours in ``by_groups``, find a free group each that holds their colour."""
    if many == 0:
        return True
    colour = by_groups & 3
    for group in range(3):
        if free >> (4 * group) >> colour & 1 and fits(free & ~(15 << (4 * group)), by_groups >> 2, many - 1):
            return True
    return False


@device_function
def place_of(key, memo, generation):
    """Return where a key is in the memo, or where it may be put."""
    home = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - MEMO_BITS))
    for step in range(PROBES):
        at = (home + step) & ((1 << MEMO_BITS) - 1)
        if memo[2, at] != generation or memo[0, at] == key:
            return at
    return home


@device_function
def descend(n, budget, question, graphs, desk):
    """Return the least cost from number ``n`` on if it is within ``budget`` (its way is then in the trail), else a bound above it."""
    game = question.game
    path, counters, memo, options, cheapest = desk.path, desk.counters, desk.memo, desk.options, desk.cheapest[n]
    begins, edges, floor, groups = graphs.begins, graphs.better, graphs.floor, desk.groups
    left, had, price = path[n, LEFT], path[n, HAD], graphs.charges[PRICE]
    if n == game[0]:
        # Old sets with jokers that have no heir at all.
        return left * graphs.charges[MOVED] + (2 - FEW[had]) * TILE
    key = ((left << 2 | had) << 4) | n
    for c in range(4):
        key = key << 13 | path[n, c] - graphs.first[c, n]
    at = place_of(key, memo, counters[GENERATION])
    if memo[2, at] == counters[GENERATION] and memo[0, at] == key and memo[1, at] > budget:
        return memo[1, at]
    if counters[NODES] >= counters[LIMIT]:
        counters[PAUSED] = 1
        return NEVER
    counters[NODES] += 1
    for c in range(4):
        state = path[n, c]
        for grouped in range(3):
            cheapest[c, grouped] = NEVER
            for edge in range(begins[state, grouped], begins[state, grouped + 1]):
                tag = edges[edge, TAG]
                laid = tag >> LAID & 3
                if laid <= left and not tag >> JOKERED_HAD & had & 3:
                    low = edges[edge, COST] + laid * price + floor[edges[edge, TO], left - laid]
                    cheapest[c, grouped] = min(cheapest[c, grouped], low)
    least = NEVER
    for o in range(desk.first[n], desk.first[n + 1]):
        left_o = left - options[o, JOKERS]
        if left_o < 0 or options[o, JOKERED_HAD_HERE] & had:
            continue
        tiles = options[o, IN_GROUPS]
        rest_0, rest_1 = cheapest[0, tiles & 3], cheapest[1, tiles >> 2 & 3]
        rest_2, rest_3 = cheapest[2, tiles >> 4 & 3], cheapest[3, tiles >> 6]
        low_o = options[o, GROUPS_COST] + rest_0 + rest_1 + rest_2 + rest_3 + groups[left_o, n + 1] - left_o * price
        if low_o > budget:
            least = min(least, low_o)
            continue
        had_o = had | options[o, JOKERED_HAD_HERE]
        for a in range(begins[path[n, 0], tiles & 3], begins[path[n, 0], (tiles & 3) + 1]):
            tag_a = edges[a, TAG]
            left_a = left_o - (tag_a >> LAID & 3)
            if left_a < 0 or tag_a >> JOKERED_HAD & had_o & 3 or tag_a >> GROUPS_HAD & options[o, GROUPS_HAD_HERE] & 3:
                continue
            low_a = low_o - rest_0 + edges[a, COST] + (left_o - left_a) * price + floor[edges[a, TO], left_a]
            if low_a > budget:
                least = min(least, low_a)
                continue
            had_a, groups_a = had_o | tag_a >> JOKERED_HAD & 3, options[o, GROUPS_HAD_HERE] | tag_a >> GROUPS_HAD & 3
            for b in range(begins[path[n, 1], tiles >> 2 & 3], begins[path[n, 1], (tiles >> 2 & 3) + 1]):
                tag_b = edges[b, TAG]
                left_b = left_a - (tag_b >> LAID & 3)
                if left_b < 0 or tag_b >> JOKERED_HAD & had_a & 3 or tag_b >> GROUPS_HAD & groups_a & 3:
                    continue
                low_b = low_a - rest_1 + edges[b, COST] + (left_a - left_b) * price + floor[edges[b, TO], left_b]
                if low_b > budget:
                    least = min(least, low_b)
                    continue
                had_b, groups_b = had_a | tag_b >> JOKERED_HAD & 3, groups_a | tag_b >> GROUPS_HAD & 3
                for d in range(begins[path[n, 2], tiles >> 4 & 3], begins[path[n, 2], (tiles >> 4 & 3) + 1]):
                    tag_d = edges[d, TAG]
                    left_d = left_b - (tag_d >> LAID & 3)
                    if left_d < 0 or tag_d >> JOKERED_HAD & had_b & 3 or tag_d >> GROUPS_HAD & groups_b & 3:
                        continue
                    low_d = low_b - rest_2 + edges[d, COST] + (left_b - left_d) * price + floor[edges[d, TO], left_d]
                    if low_d > budget:
                        least = min(least, low_d)
                        continue
                    had_d, groups_d = had_b | tag_d >> JOKERED_HAD & 3, groups_b | tag_d >> GROUPS_HAD & 3
                    for e in range(begins[path[n, 3], tiles >> 6], begins[path[n, 3], (tiles >> 6) + 1]):
                        tag_e = edges[e, TAG]
                        left_e = left_d - (tag_e >> LAID & 3)
                        if left_e < 0 or tag_e >> JOKERED_HAD & had_d & 3 or tag_e >> GROUPS_HAD & groups_d & 3:
                            continue
                        low_e = low_d - rest_3 + edges[e, COST] + (left_d - left_e) * price + floor[edges[e, TO], left_e]
                        if low_e > budget:
                            least = min(least, low_e)
                            continue
                        # Old runs whose heir is to be a group: at most three, else there are not groups enough.
                        by_groups, many = 0, 0
                        for c in range(4):
                            tag = (tag_a, tag_b, tag_d, tag_e)[c]
                            for _ in range(FEW[tag >> BY_GROUP & 3]):
                                by_groups = by_groups << 2 | c
                                many += 1
                        if many > 3 or not fits(options[o, FREE], by_groups, many):
                            continue
                        cost = options[o, GROUPS_COST] + edges[a, COST] + edges[b, COST] + edges[d, COST] + edges[e, COST]
                        # Old groups that have no heir at all.
                        cost += (2 - FEW[groups_d | tag_e >> GROUPS_HAD & 3]) * TILE
                        bound = floor[edges[a, TO], left_e] + floor[edges[b, TO], left_e] + groups[left_e, n + 1] - left_e * price
                        low = cost + bound + floor[edges[d, TO], left_e] + floor[edges[e, TO], left_e]
                        if low > budget:
                            least = min(least, low)
                            continue
                        path[n + 1, 0], path[n + 1, 1], path[n + 1, 2], path[n + 1, 3] = (
                            edges[a, TO],
                            edges[b, TO],
                            edges[d, TO],
                            edges[e, TO],
                        )
                        path[n + 1, LEFT], path[n + 1, HAD] = left_e, had_d | tag_e >> JOKERED_HAD & 3
                        rest = descend(n + 1, budget - cost, question, graphs, desk)
                        if counters[PAUSED]:
                            return NEVER
                        if cost + rest <= budget:
                            desk.trail[n, 0], desk.trail[n, 1], desk.trail[n, 2], desk.trail[n, 3], desk.trail[n, 4] = o, a, b, d, e
                            return cost + rest
                        least = min(least, cost + rest)
    at = place_of(key, memo, counters[GENERATION])
    memo[0, at], memo[1, at], memo[2, at] = key, least, counters[GENERATION]
    return least


@kernel
def begin(colours, least, old, question, graphs, desk):
    """List the options and find prices by which a table costs close to ``least``, or more; tell whether there is room for that."""
    counters, numbers = desk.counters, question.game[0]
    counters[MANY_OPTIONS] = 0
    for n in range(numbers):
        desk.first[n] = counters[MANY_OPTIONS]
        for i in range(7):
            desk.chosen[0, i] = 0
        desk.chosen[0, GROUPS_COST] = -old.owed[n] * TILE
        for i in range(2):
            desk.chosen[0, GROUPS_HAD_HERE] |= (old.groups[n, i] == 0) << i
        tiles = add_groups(np.int64(0), np.int64(0), (n, colours), old, question, graphs.charges, desk)
        if tiles < 0:
            return False
        for c in range(4):
            graphs.most[n, c] = tiles >> (2 * c) & 3
            for grouped in range(3):
                graphs.prices[n, c, grouped] = old.prices[n, c, grouped]
    desk.first[numbers] = counters[MANY_OPTIONS]
    list_kinds(question, desk)
    list_codes(question, graphs)
    graphs.charges[PRICE] = -graphs.charges[STAYS] if old.jokers[0] else 0
    weigh(least, MANY_ROUNDS, old, question, graphs, desk)
    return True


@kernel
def set_up(most, old, question, graphs, desk):
    """Make ready to look for a table that costs at most ``most``: 1 if there may be one, 0 if there is none, -1 if it takes too much room.

    What a table costs at the least is left in the counters.
    """
    counters, sizes, jokers = desk.counters, graphs.sizes, question.game[1] + question.game[2]
    numbers = question.game[0]
    counters[NODES] = sizes[MANY_STATES] = sizes[MANY_EDGES] = sizes[FULL] = 0
    weigh(most + TILE, SOME_ROUNDS, old, question, graphs, desk)
    code_floor(old, question, graphs)
    loosen(old, question, graphs)
    total = group_floor(question, graphs, desk) - jokers * graphs.charges[PRICE]
    for c in range(4):
        total += graphs.ahead[0, c, jokers, 0]
    counters[FLOOR] = total
    if total > most:
        return 0
    for c in range(4):
        known = graphs.ahead[0, c, jokers, 0]
        fill_colour(c, most - total + known, old, question, graphs)
        if sizes[FULL]:
            return -1
        find_floor(c, question, graphs.edges, graphs)
        total += graphs.floor[graphs.first[c, 0], jokers] - known
        counters[FLOOR] = min(total, most + TILE)
        if total > most:
            return 0
        for n in range(numbers):
            if graphs.first[c, n + 1] - graphs.first[c, n] > BOOK // 8:
                return -1
    # A few rounds tell which edges can be left out, the others take less time.
    for rounds in (FEW_ROUNDS, ROUNDS):
        edges = graphs.edges if rounds == FEW_ROUNDS else graphs.better
        total = bargain(most + TILE, rounds, edges, question, graphs, desk)
        counters[FLOOR] = min(total, most + TILE)
        if total > most:
            return 0
        many = 0
        for c in range(4):
            many = keep_useful(c, most - total + graphs.floor[graphs.first[c, 0], jokers], many, edges, question, graphs)
            desk.path[0, c] = graphs.first[c, 0]
    desk.path[0, LEFT], desk.path[0, HAD] = jokers, (old.jokers[0] == 0) | (old.jokers[1] == 0) << 1
    counters[GENERATION] += 1
    counters[BEST] = most + TILE
    return 1


@device_function
def rounded(cost):
    """Return the least cost of whole tiles that is not below ``cost``."""
    return -(-cost // TILE) * TILE


@kernel
def fewest_moved(least, question, graphs, desk, best):
    """Return the least cost, which is no less than ``least``, or a tile more than was allowed if there is no such table.

    Past the limit of states it returns -1 and can be called on; then it begins anew, with the memo as it was. The best way is left in
    ``best``, [numbers, 5] int64 like a trail.
    """
    counters = desk.counters
    counters[FLOOR] = max(least, rounded(counters[FLOOR]))
    counters[BUDGET] = min(counters[FLOOR], counters[BEST] - TILE)
    counters[PAUSED] = 0
    while counters[FLOOR] < counters[BEST]:
        cost = descend(np.int64(0), counters[BUDGET], question, graphs, desk)
        if counters[PAUSED]:
            return -1
        if cost <= counters[BUDGET]:
            counters[BEST] = cost
            for n in range(question.game[0]):
                for i in range(5):
                    best[n, i] = desk.trail[n, i]
            counters[BUDGET] = cost - TILE
        else:
            counters[FLOOR] = min(rounded(cost), counters[BEST])
            counters[BUDGET] = min(counters[FLOOR], counters[BEST] - TILE)
    return counters[BEST]
