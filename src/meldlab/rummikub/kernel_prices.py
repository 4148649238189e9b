"""What a table costs at the least, for the fewest tiles moved: colours and groups each for themselves, joined by prices.

Colours touch each other in groups only. A colour that puts so many tiles of a number into groups pays a *price*, and the groups of that
number are paid it: whatever the prices are, the least that each colour costs and the least that the groups cost add up to no more than
any table does. Good prices are found by mending: what the colours do and the groups do not becomes dearer, the other way about cheaper, by
as much as is missing to what is known to be the cost. First costs are looked at as far as codes tell, those of ``kernel``, which takes
little time and tells which states need no looking into: the weight, tiles of old groups in no group and tiles of old runs in no run; then
all costs, on the edges of the colours.
"""

import numpy as np

from meldlab.compiling import device_function
from meldlab.rummikub.kernel import NEVER, NEXT
from meldlab.rummikub.kernel_colours import GROUPED, MOVED, OLD, PRICE, STAYS, TILE, UNCODED, WORTH, find_floor, give_tiles

INERTIA, PATIENCE = 0.7, 40.0
KINDS = 1 << 12
# Columns of the options: tiles of each colour, two bits each; jokers; what they cost; old groups and old sets with jokers whose match_sets are
# groups; free groups, four bits of colours each; the groups, colours and jokers, six bits each.
IN_GROUPS, JOKERS, GROUPS_COST, GROUPS_HAD_HERE, JOKERED_HAD_HERE, FREE, LAID_GROUPS = range(7)


@device_function
def joker_cost(old, charges):
    """Return what a joker costs at the least."""
    return charges[PRICE] + (charges[STAYS] if old.jokers[0] else charges[MOVED])


@device_function(inline="always")
def look_beside(question, graphs):
    """Fill ``beside`` and ``grouped``: with so many tiles in runs, the least that the others cost, and how many of them are in groups."""
    for n in range(question.game[0]):
        for c in range(4):
            must, tiles = question.table[n, c], question.table[n, c] + question.rack[n, c]
            for run in range(3):
                graphs.beside[n, c, run] = NEVER
                for grouped in range(max(0, must - run), min(tiles - run, graphs.most[n, c]) + 1):
                    cost = (tiles - run - grouped) * question.weights[n, c] * WORTH + graphs.prices[n, c, grouped]
                    if cost < graphs.beside[n, c, run]:
                        graphs.beside[n, c, run] = cost
                        graphs.grouped[n, c, run] = grouped


@device_function(inline="always")
def list_codes(question, graphs):
    """Fill ``codes``: at one number, or so many before, there are no more runs than tiles and jokers."""
    game, table, rack = question.game, question.table, question.rack
    for c in range(4):
        for n in range(game[0] + 1):
            graphs.codes[n, c] = 0
            for code in range(16):
                fits = code & 3 >= code >> 2
                for back in range(1, 4):
                    long = (code & 3 >= back) + (code >> 2 >= back)
                    fits &= long <= (table[n - back, c] + rack[n - back, c] + game[1] + game[2] if n >= back else 0)
                graphs.codes[n, c] |= fits << code


@device_function
def code_floor(old, question, graphs):
    """Fill ``ahead`` with the least cost as far as codes tell, and ``ways`` with what is done then; return what all colours come to."""
    game, ahead, codes, marks = question.game, graphs.ahead, graphs.codes, old.marks
    numbers, jokers, total, charge = game[0], game[1] + game[2], 0, max(0, joker_cost(old, graphs.charges))
    look_beside(question, graphs)
    for c in range(4):
        for left in range(jokers + 1):
            for code in range(16):
                low, high = code & 3, code >> 2
                ahead[numbers, c, left, code] = 0 if (low == 0 or low == 3) and (high == 0 or high == 3) else NEVER
        for n in range(numbers - 1, -1, -1):
            late = 1 if n == numbers - 3 else 0
            for run in range(3):
                # A tile of an old run that lies in no run now has moved.
                moved = marks[n, c, GROUPED] + max(0, marks[n, c, OLD] - marks[n, c, GROUPED] - run)
                graphs.whole[run] = min(NEVER, graphs.beside[n, c, run] + moved * TILE)
            for left in range(jokers + 1):
                for code in range(16):
                    if codes[n, c] >> code & 1:
                        least = NEVER
                        for run in range(3):
                            for laid in range(min(left, 2 - run) + 1):
                                after = NEXT[late, code, run, laid]
                                if after >= 0:
                                    cost = graphs.whole[run] + laid * charge + ahead[n + 1, c, left - laid, after]
                                    if cost < least:
                                        least = cost
                                        graphs.ways[n, c, left, code] = after << 4 | laid << 2 | run
                        ahead[n, c, left, code] = least
        total += ahead[0, c, jokers, 0]
    return total


@device_function(inline="always")
def loosen(old, question, graphs):
    """Make ``ahead`` a bound for all costs: jokers may be paid for staying."""
    game, ahead = question.game, graphs.ahead
    for c in range(4):
        for n in range(game[0], -1, -1):
            for left in range(game[1] + game[2] + 1):
                least = NEVER
                for code in range(16):
                    if graphs.codes[n, c] >> code & 1 and ahead[n, c, left, code] < NEVER:
                        ahead[n, c, left, code] += left * min(0, joker_cost(old, graphs.charges))
                        least = min(least, ahead[n, c, left, code])
                ahead[n, c, left, UNCODED] = least


@device_function(inline="always")
def list_kinds(question, desk):
    """List which tiles and jokers the options of each number put into groups, with the least that this costs."""
    options, kinds, known, many = desk.options, desk.kinds, desk.known, 0
    for n in range(question.game[0]):
        desk.kinds_from[n] = many
        for i in range(len(known)):
            known[i] = -1
        for o in range(desk.first[n], desk.first[n + 1]):
            name = options[o, IN_GROUPS] | options[o, JOKERS] << 8
            if known[name] < 0:
                known[name] = many
                kinds[many, IN_GROUPS], kinds[many, JOKERS], kinds[many, GROUPS_COST] = options[o, IN_GROUPS], options[o, JOKERS], NEVER
                many += 1
            kinds[known[name], GROUPS_COST] = min(kinds[known[name], GROUPS_COST], options[o, GROUPS_COST])
    desk.kinds_from[question.game[0]] = many


@device_function
def group_floor(question, graphs, desk):
    """Fill ``groups`` with the least that groups come to from a number on, with prices, by jokers left; return what all do."""
    game, kinds, groups = question.game, desk.kinds, desk.groups
    numbers, jokers = game[0], game[1] + game[2]
    for left in range(jokers + 1):
        groups[left, numbers] = 0
    for n in range(numbers - 1, -1, -1):
        for left in range(jokers + 1):
            groups[left, n] = NEVER
        for kind in range(desk.kinds_from[n], desk.kinds_from[n + 1]):
            tiles, laid, cost = kinds[kind, IN_GROUPS], kinds[kind, JOKERS], kinds[kind, GROUPS_COST]
            cost += laid * graphs.charges[PRICE]
            for c in range(4):
                cost -= graphs.prices[n, c, tiles >> (2 * c) & 3]
            for left in range(laid, jokers + 1):
                if cost + groups[left - laid, n + 1] < groups[left, n]:
                    groups[left, n] = cost + groups[left - laid, n + 1]
                    desk.taking[left, n] = kind
    return groups[jokers, 0]


@device_function
def take_tiles(question, desk):
    """Take from ``taken`` the tiles that groups hold on their cheapest way, and return the jokers they do."""
    left = question.game[1] + question.game[2]
    for n in range(question.game[0]):
        kind = desk.taking[left, n]
        for c in range(4):
            desk.taken[n, c, desk.kinds[kind, IN_GROUPS] >> (2 * c) & 3] -= 1
        left -= desk.kinds[kind, JOKERS]
    return question.game[1] + question.game[2] - left


@device_function
def mend(missing, too_many, turn, question, graphs, desk):
    """Change prices by how many tiles the colours give and the groups take, and how many jokers are laid that are not there.

    The way they change is remembered, and goes on a little. They change so much that what is ``missing`` may be made up for.
    """
    charges, way, apart = graphs.charges, desk.way, 0.0
    goes_on = 0.0 if turn == 0 else INERTIA
    way[0, 0, 3] = way[0, 0, 3] * goes_on + too_many
    if charges[PRICE] == 0 and way[0, 0, 3] < 0:
        way[0, 0, 3] = 0.0
    apart = way[0, 0, 3] * way[0, 0, 3]
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                way[n, c, grouped] = way[n, c, grouped] * goes_on + desk.taken[n, c, grouped]
                apart += way[n, c, grouped] * way[n, c, grouped]
    if apart < 0.01:
        return False
    step = missing / apart
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                graphs.prices[n, c, grouped] += np.int64(step * way[n, c, grouped])
    charges[PRICE] = max(0, charges[PRICE] + np.int64(step * way[0, 0, 3]))
    return True


@device_function
def keep_prices(bound, question, graphs, desk):
    """Remember prices if they are the best so far, else return 1."""
    if bound <= desk.bound[0]:
        return 1
    desk.bound[0], desk.bound[1] = bound, graphs.charges[PRICE]
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                desk.mended[n, c, grouped] = graphs.prices[n, c, grouped]
    return 0


@device_function
def best_prices(question, graphs, desk):
    """Take the best prices so far."""
    graphs.charges[PRICE] = desk.bound[1]
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                graphs.prices[n, c, grouped] = desk.mended[n, c, grouped]


@device_function
def weigh(target, rounds, old, question, graphs, desk):
    """Find prices by which the costs that codes tell come close to ``target``."""
    numbers, jokers = question.game[0], question.game[1] + question.game[2]
    desk.bound[0] = -NEVER
    taken = desk.taken
    halves = 0
    for turn in range(rounds):
        total = code_floor(old, question, graphs) + group_floor(question, graphs, desk) - jokers * graphs.charges[PRICE]
        too_many = -jokers
        halves += keep_prices(total, question, graphs, desk)
        if total >= target:
            break
        for n in range(numbers):
            for c in range(4):
                for grouped in range(3):
                    taken[n, c, grouped] = 0
        for c in range(4):
            code, left = np.int64(0), jokers
            for n in range(numbers):
                way = graphs.ways[n, c, left, code]
                taken[n, c, graphs.grouped[n, c, way & 3]] += 1
                left -= way >> 2 & 3
                code = way >> 4
            too_many += jokers - left
        too_many += take_tiles(question, desk)
        if not mend((target - total) * PATIENCE / (PATIENCE + halves), too_many, turn, question, graphs, desk):
            break
    best_prices(question, graphs, desk)


@device_function
def bargain(target, rounds, edges, question, graphs, desk):
    """Find prices by which all costs come close to ``target``, on these edges; fill floors and groups by them, and return the bound."""
    numbers, jokers = question.game[0], question.game[1] + question.game[2]
    desk.bound[0] = -NEVER
    taken = desk.taken
    halves = 0
    for turn in range(rounds + 1):
        # The last turn is for the best prices of all.
        if turn == rounds:
            best_prices(question, graphs, desk)
        total = group_floor(question, graphs, desk) - jokers * graphs.charges[PRICE]
        for c in range(4):
            find_floor(c, question, edges, graphs)
            total += graphs.floor[graphs.first[c, 0], jokers]
        halves += keep_prices(total, question, graphs, desk)
        if total >= target or turn == rounds:
            break
        for n in range(numbers):
            for c in range(4):
                for grouped in range(3):
                    taken[n, c, grouped] = 0
        too_many = -jokers
        for c in range(4):
            too_many += give_tiles(c, question, edges, graphs, taken)
        too_many += take_tiles(question, desk)
        if not mend((target - total) * PATIENCE / (PATIENCE + halves), too_many, turn, question, graphs, desk):
            break
    return total
