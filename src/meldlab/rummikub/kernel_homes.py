"""Homes, the sets in which table jokers end that are not free: what they may do at each number, and what a table costs at the least.

A home is a run or a group that the search builds piece by piece, apart from the other sets of a colour. It has one of 32 states: it waits,
it must go on (so long, so many freed jokers to come, a rack tile to come or not), it is complete and goes on once or twice all the same,
or it lies. A rack tile that a home *claims* must be played: one more of this tile lies than before.

The bound takes the table apart. Colours touch each other in groups only, so a tile that goes into a group pays a *price*, and the groups of
its number are paid it: whatever the prices are, the least that each colour costs for itself and the least that the groups of each number
cost add up to no more than any table does. Good prices are found by mending: where the colours would give groups more tiles of a kind than
these would take, it becomes dearer.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function
from meldlab.rummikub.kernel import FEW, NEVER, NEXT, SCALE, Locks

FLOOR_BITS = 18
UNIT = 64  # a broken set costs so much: prices are fractions of it
WORTH = SCALE * UNIT
PROBES = 4
UNKNOWN = -NEVER
# States of a home; one that must go on is OPEN + 6 * (length - 1) + 2 * freed jokers to come + whether a rack tile is to come.
WAITS, OPEN, LONGER, LIES = 0, 1, 25, 31
BOTH_LIE = LIES | LIES << 5
# Columns of the homes, as in ``guarded.Home``.
KIND, PLACE, LOW, HIGH, EXACT, PINS, FAST, OWN, JOKERS, LONELY, PLAIN = range(11)
RUN, GROUP = 0, 1
# Columns of the cases; GROUPED is how many jokers lie in each home that is a group, COLOURS are the four configurations.
MODE, FIRST, SECOND, START, COST, TWINS, SHARE, GROUPED, COLOURS = 0, 1, 2, 3, 4, 5, 6, 7, 9
# Columns of the trail: group choice, kept sets, runs and jokers of the four colours, then pieces of the two homes and claims.
T_GROUP, T_KEPT, T_RUN, T_BRIDGE, T_FIRST, T_SECOND, T_CLAIMS = 0, 1, 2, 6, 10, 11, 12
NATURAL, JOKER = 1, 2
OTHERS = 4  # column of the colours: for homes that are no runs of it the bits that make them lie
# Cells of the counters. From NUMBER on they say where the layers stand: the number and its state AT, the LAST of its layer, the END of
# all states, how many FRESH ones the next layer has, the least bound over the budget, no room for more, the marks of book and shelf.
NODES, LIMIT, GENERATION, PAUSED, RUNS, CASE, LEAST, BEST, BUDGET, NUMBER, AT, LAST, END, FRESH, LOW_FOUND, FULL, STAMP, SHELVED = range(18)


class Guarded(NamedTuple):
    """What is to be laid."""

    supply: Any  # [numbers, 4] int64, tiles of table and rack
    before: Any  # [numbers, 4] int64, tiles of the table
    rack: Any  # [numbers, 4] int64, tiles of the rack
    must: Any  # [modes, numbers, 4] int64, tiles that must lie
    weights: Any  # [numbers, 4] int64
    choices: Any  # [choices, 6] int64, as in CHOICES
    locks: Locks  # of the sets without jokers
    homes: Any  # [homes, 11] int64, what each may be
    cases: Any  # [cases, 13] int64
    games: Any  # [cases, 4] int64: numbers, jokers that must lie beside the homes, jokers that may, joker weight
    colours: Any  # [configurations, 5] int64: mode, colour, homes that are runs of it, OTHERS; the last four have none


class CaseDesk(NamedTuple):
    """What the search writes on, for up to 15 numbers."""

    fitting: Any  # [numbers, choices + 1] int64, choices that the tiles allow, -1 behind
    grouped: Any  # [numbers] int64, the most tiles of each colour in groups, two bits a colour
    prices: Any  # [numbers, 4] int64, what a tile in a group costs its colour, and brings the groups
    taken: Any  # [numbers, 4] int64, tiles in groups as the colours would have it, less those the groups would have
    groups: Any  # [3, numbers + 1] int64, the least cost of groups from a number on, by jokers that may lie in them
    mended: Any  # [numbers, 4] int64, the best prices so far
    counters: Any  # [18] int64
    floor: Any  # [3, 1 << FLOOR_BITS] int64: keys, costs, generations
    bounds: Any  # [cases] int64, what each costs at the least, or is not better than another
    failed: Any  # [cases] int64, a budget that is too small for each
    ways: Any  # [numbers, 2, 32, 4] int64, of homes: tiles held and claimed, four bits a colour, next state, piece
    colour_ways: Any  # [numbers, 2, 32, 4] int64, the same for the bound of a colour
    scratch: Any  # [numbers, 4, 9, 10, 5] int64, the ways of a colour
    states: Any  # [MOST_STATES, 7] int64, layer after layer
    fresh: Any  # [MOST_FRESH, 7] int64, states of the next layer
    book: Any  # [2, 2 * MOST_FRESH] int64, which of them has a key, and marks
    shelf: Any  # [2, 2 * MOST_STATES] int64, the first of the states that differ in their codes only, and marks
    strengths: Any  # [2 * STRONGEST] int64, the first fresh state of each strength, -1 if there is none
    lengths: Any  # [numbers, 16] int64, of runs without jokers that may be kept: how many tiles of each lie up to a number, at most three


@device_function
def find(key, bits, book, generation):
    """Return where a key is in a book, or where it may be put."""
    home = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - bits))
    for step in range(PROBES):
        at = (home + step) & ((1 << bits) - 1)
        if book[2, at] != generation or book[0, at] == key:
            return at
    return home


@device_function
def looked_up(key, bits, book, generation):
    """Return what a book says of a key, or UNKNOWN; to look first saves a call with all the arrays, which costs more."""
    home = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - bits))
    for step in range(PROBES):
        at = (home + step) & ((1 << bits) - 1)
        if book[2, at] != generation:
            return UNKNOWN
        if book[0, at] == key:
            return book[1, at]
    return UNKNOWN


@device_function
def colour_key(config, n, homes, left, runs, code):
    """Return the name of a question about one colour."""
    return (((((config << 4 | n) << 10 | homes) << 2 | left) << 4 | runs) << 4) | code


@device_function
def put(ways, many, held, claims, state, piece):
    """Add a way, and return how many there are now."""
    ways[many, 0] = held
    ways[many, 1] = claims
    ways[many, 2] = state
    ways[many, 3] = piece
    return many + 1


@device_function
def run_ways(home, state, n, numbers, ways):
    """List what a home that is a run may do at number ``n``, and return how many ways there are.

    Of a long run the first three tiles can lie by themselves, and the last three too, where what is left holds all that the home must
    contain: so few plain tiles come before it, and at most two behind it.
    """
    low, high, unit = home[LOW], home[HIGH], 1 << (4 * home[PLACE])
    many, length, jokers, lonely, longer = 0, 0, home[JOKERS], home[LONELY], 0
    if state == WAITS:
        if low < 0 or n < low:
            many = put(ways, many, 0, 0, WAITS, 0)
        if low >= 0 and (n > low or (home[EXACT] and n < low)):
            return many
    elif state >= LONGER:
        length, jokers, lonely, longer = 3, 0, 0, state - LONGER + 1
    else:
        length, jokers, lonely = (state - OPEN) // 6 + 1, (state - OPEN) // 2 % 3, (state - OPEN) & 1
    plain_so_far = jokers == home[JOKERS] and lonely == home[LONELY] and (low < 0 or n <= low)
    pinned = home[PINS] >> n & 1
    for kind in range(3):
        # A plain tile, one that is claimed, a joker.
        held, claims, piece, jokers_after, lonely_after = unit, 0, NATURAL, jokers, lonely
        grows = 1
        if kind == 0:
            if pinned:
                continue
            if plain_so_far and (low < 0 or n < low):
                if length >= home[PLAIN]:
                    continue
                grows = 2
        elif kind == 1:
            if pinned or not lonely or home[OWN] >> n & 1:
                continue
            claims, lonely_after = unit, 0
        else:
            held, piece = 0, JOKER
            if not pinned:
                if jokers == 0 or home[FAST] >> n & 1:
                    continue
                jokers_after = jokers - 1
        long = min(length + 1, 3) if grows == 1 else length + 1
        if long >= 3 and jokers_after == 0 and lonely_after == 0 and n >= high:
            many = put(ways, many, held, claims, LIES, piece)
            if not home[EXACT] and longer < 2 and n + 1 < numbers:
                many = put(ways, many, held, claims, LONGER + longer, piece)
        elif n + 1 < numbers and not (home[EXACT] and n >= high):
            many = put(ways, many, held, claims, OPEN + 6 * (long - 1) + 2 * jokers_after + lonely_after, piece)
    return many


@device_function
def group_ways(home, state, n, numbers, supply, ways):
    """List what a home that is a group may do at number ``n``, and return how many ways there are."""
    many = 0
    if n < home[PLACE] or (home[PLACE] < 0 and n + 1 < numbers):
        many = put(ways, many, 0, 0, WAITS, 0)
    if home[PLACE] >= 0 and n != home[PLACE]:
        return many
    jokers = home[JOKERS] + FEW[home[PINS]]
    for some in range(1, 16):
        size, held = FEW[some] + jokers, 0
        if size < 3 or size > home[HIGH] or some & home[PINS] or home[FAST] & ~some or (home[EXACT] and some != home[FAST]):
            continue
        there = True
        for c in range(4):
            if some >> c & 1:
                held |= 1 << (4 * c)
                there &= supply[n, c] > 0
        if not there:
            continue
        if not home[LONELY]:
            many = put(ways, many, held, 0, LIES, some)
        else:
            for c in range(4):
                if (some & ~home[OWN]) >> c & 1:
                    many = put(ways, many, held, 1 << (4 * c), LIES, some)
    return many


@device_function
def home_ways(home, state, n, numbers, supply, ways):
    """List what a home may do at number ``n``, and return how many ways there are."""
    if state == LIES:
        return put(ways, 0, 0, 0, LIES, 0)
    if home[KIND] == RUN:
        return run_ways(home, state, n, numbers, ways)
    return group_ways(home, state, n, numbers, supply, ways)


@device_function
def colour_floor(config, n, homes, left, runs, code, guarded, desk):
    """Return the least cost of one colour from number ``n`` on: its runs and homes are exact, a tile in a group costs its price."""
    numbers = len(guarded.supply)
    first, second = guarded.colours[config, 2], guarded.colours[config, 3]
    if n == numbers:
        low, high = code & 3, code >> 2
        open_run = low == 1 or low == 2 or high == 1 or high == 2 or homes != BOTH_LIE
        return NEVER if open_run else np.int64(0)
    floor, generation = desk.floor, desk.counters[GENERATION]
    begins, lanes, lies = guarded.locks
    mode, c = guarded.colours[config, 0], guarded.colours[config, 1]
    supply, worth, price = guarded.supply[n, c], guarded.weights[n, c] * WORTH, desk.prices[n, c]
    late = 1 if n == numbers - 3 else 0
    most = desk.grouped[n] >> (2 * c) & 3
    if most == 3:
        most = 2
    ways, ways_first, ways_second = desk.colour_ways[n], 1, 1
    if homes & 31 == LIES:
        put(ways[0], 0, 0, 0, LIES, 0)
    else:
        ways_first = run_ways(guarded.homes[first], homes & 31, n, numbers, ways[0])
    if homes >> 5 == LIES:
        put(ways[1], 0, 0, 0, LIES, 0)
    else:
        ways_second = run_ways(guarded.homes[second], homes >> 5, n, numbers, ways[1])
    mine, i = 0, 0
    while begins[n, i] >= 0:
        mine |= (lanes[begins[n, i], 0] == c) << i
        i += 1
    least = NEVER
    broken = mine
    while True:
        # Decide the colour's runs that begin here: bits of ``broken`` are broken, the others of ``mine`` kept.
        cost_broken, kept, going = 0, FEW[runs & (lies[n, 0] >> (4 * c)) & 15], runs & ~(lies[n, 1] >> (4 * c)) & 15
        bits, i = mine, 0
        while bits:
            if bits & 1:
                if broken >> i & 1:
                    cost_broken += UNIT
                else:
                    kept += 1
                    going |= 1 << (lanes[begins[n, i], 1] & 3)
            bits >>= 1
            i += 1
        for x in range(ways_first):
            for y in range(ways_second):
                free = supply - kept - (ways[0, x, 0] >> (4 * c) & 15) - (ways[1, y, 0] >> (4 * c) & 15)
                claims = (ways[0, x, 1] >> (4 * c) & 15) + (ways[1, y, 1] >> (4 * c) & 15)
                may_stay = supply - max(guarded.must[mode, n, c], guarded.before[n, c] + claims)
                if free < 0 or may_stay < 0:
                    continue
                after_homes = ways[0, x, 2] | ways[1, y, 2] << 5
                for j in range(left + 1):
                    for k in range(min(free, 2 - j) + 1):
                        after = NEXT[late, code, k, j]
                        fewest, many = max(0, free - k - may_stay), min(free - k, most)
                        if after >= 0 and fewest <= many:
                            # Into groups goes as much as may, or as little, whichever is cheaper.
                            grouped = many if price < worth else fewest
                            cost = cost_broken + grouped * price + (free - k - grouped) * worth
                            rest = looked_up(colour_key(config, n + 1, after_homes, left - j, going, after), FLOOR_BITS, floor, generation)
                            if rest == UNKNOWN:
                                rest = colour_floor(config, n + 1, after_homes, left - j, going, after, guarded, desk)
                            least = min(least, cost + rest)
        if broken == 0:
            break
        broken = (broken - 1) & mine
    if least > NEVER // 2:
        least = NEVER
    key = colour_key(config, n, homes, left, runs, code)
    at = find(key, FLOOR_BITS, floor, generation)
    floor[0, at] = key
    floor[1, at] = least
    floor[2, at] = generation
    return least


@device_function
def walk(config, left, guarded, desk):
    """Add to ``taken`` the tiles in groups along a way of one colour, without homes, that costs the least, and return its cost."""
    begins, lanes, lies = guarded.locks
    numbers, c, mode = len(guarded.supply), guarded.colours[config, 1], guarded.colours[config, 0]
    zero, homes = np.int64(0), np.int64(BOTH_LIE)
    total = colour_floor(config, zero, homes, left, zero, zero, guarded, desk)
    if total >= NEVER:
        return total
    code, runs, wanted = zero, zero, total
    for n in range(numbers):
        supply, worth, price = guarded.supply[n, c], guarded.weights[n, c] * WORTH, desk.prices[n, c]
        late = 1 if n == numbers - 3 else 0
        most = min(2, desk.grouped[n] >> (2 * c) & 3)
        may_stay = supply - guarded.must[mode, n, c]
        mine, i = 0, 0
        while begins[n, i] >= 0:
            mine |= (lanes[begins[n, i], 0] == c) << i
            i += 1
        broken, found = mine, False
        while not found:
            cost_broken, kept, going = 0, FEW[runs & (lies[n, 0] >> (4 * c)) & 15], runs & ~(lies[n, 1] >> (4 * c)) & 15
            for b in range(i):
                if mine >> b & 1:
                    if broken >> b & 1:
                        cost_broken += UNIT
                    else:
                        kept += 1
                        going |= 1 << (lanes[begins[n, b], 1] & 3)
            free = supply - kept
            for j in range(left + 1):
                for k in range(min(free, 2 - j) + 1):
                    after = NEXT[late, code, k, j]
                    fewest, many = max(0, free - k - may_stay), min(free - k, most)
                    if not found and after >= 0 and fewest <= many:
                        grouped = many if price < worth else fewest
                        cost = cost_broken + grouped * price + (free - k - grouped) * worth
                        rest = colour_floor(config, n + 1, homes, left - j, going, after, guarded, desk)
                        if cost + rest == wanted:
                            desk.taken[n, c] += grouped
                            wanted, next_left, next_runs, next_code, found = rest, left - j, going, after, True
            if broken == 0:
                break
            broken = (broken - 1) & mine
        left, runs, code = next_left, next_runs, next_code
    return total


@device_function
def price_groups(guarded, desk, counting):
    """Fill ``groups`` for the present prices; where ``counting``, take what the cheapest groups hold from ``taken``."""
    begins, lanes, _ = guarded.locks
    numbers = len(guarded.supply)
    for left in range(3):
        desk.groups[left, numbers] = 0
    for n in range(numbers - 1, -1, -1):
        starting, mine = 0, 0
        while begins[n, starting] >= 0:
            mine |= (lanes[begins[n, starting], 0] < 0) << starting
            starting += 1
        least, held_least = NEVER, 0
        here = (NEVER, NEVER, NEVER)
        broken = mine
        while True:
            cost_broken, held = 0, 0
            for i in range(starting):
                if mine >> i & 1:
                    if broken >> i & 1:
                        cost_broken += UNIT
                    else:
                        for c in range(4):
                            held += (lanes[begins[n, i], 1] >> c & 1) << (4 * c)
            f = 0
            while desk.fitting[n, f] >= 0:
                e = desk.fitting[n, f] & 255
                f += 1
                cost, fits, all_held = cost_broken, True, held
                for c in range(4):
                    all_held += guarded.choices[e, c] << (4 * c)
                    many = all_held >> (4 * c) & 15
                    fits &= many <= guarded.supply[n, c]
                    cost -= many * desk.prices[n, c]
                if fits:
                    used = guarded.choices[e, 4]
                    if used == 0:
                        here = (min(here[0], cost), here[1], here[2])
                    elif used == 1:
                        here = (here[0], min(here[1], cost), here[2])
                    else:
                        here = (here[0], here[1], min(here[2], cost))
                    if used <= 1 and cost < least:
                        least, held_least = cost, all_held
            if broken == 0:
                break
            broken = (broken - 1) & mine
        for left in range(3):
            best = here[0] + desk.groups[left, n + 1]
            if left >= 1:
                best = min(best, here[1] + desk.groups[left - 1, n + 1])
            if left >= 2:
                best = min(best, here[2] + desk.groups[0, n + 1])
            desk.groups[left, n] = best
        if counting:
            for c in range(4):
                desk.taken[n, c] -= held_least >> (4 * c) & 15


@device_function
def copy_prices(source, target, times):
    """Write so many times the cells of one array into another."""
    for n in range(len(source)):
        for c in range(4):
            target[n, c] = source[n, c] * times


@device_function
def mend_prices(rounds, stride, guarded, desk):
    """Look for prices that make the bound high: where colours give groups more tiles than these take, a tile becomes dearer."""
    counters, numbers, base = desk.counters, len(guarded.supply), len(guarded.colours) - 4
    highest, stride, idle = -NEVER, 1.0 * stride, 0
    copy_prices(desk.prices, desk.prices, 0)
    copy_prices(desk.prices, desk.mended, 0)
    for _ in range(rounds):
        counters[GENERATION] += 1
        copy_prices(desk.taken, desk.taken, 0)
        total = 0
        for c in range(4):
            left, low = np.int64(0), NEVER
            while low >= NEVER and left < 3:
                low = walk(base + c, left, guarded, desk)
                left += 1
            total += low if low < NEVER else 0
        price_groups(guarded, desk, True)
        total += desk.groups[1, 0]
        if total > highest:
            highest, idle = total, 0
            copy_prices(desk.prices, desk.mended, 1)
        else:
            idle += 1
            if idle == 4:
                idle, stride = 0, stride / 2
        length = 0
        for n in range(numbers):
            for c in range(4):
                length += desk.taken[n, c] * desk.taken[n, c]
        if length == 0:
            break
        step = (highest - total + stride) / length
        for n in range(numbers):
            for c in range(4):
                desk.prices[n, c] += np.int64(round(step * desk.taken[n, c]))
    copy_prices(desk.mended, desk.prices, 1)
    counters[GENERATION] += 1
    price_groups(guarded, desk, False)
