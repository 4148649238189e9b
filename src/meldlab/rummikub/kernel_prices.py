"""What a table costs at the least, for the fewest tiles moved: colours and groups each for themselves, joined by prices.

Colours touch each other in groups only. A colour that puts so many tiles of a number into groups pays a *price*, and the groups of that
number are paid it: whatever the prices are, the least that each colour costs and the least that the groups cost add up to no more than
any table does. Good prices are found by mending: what the colours do and the groups do not becomes dearer, the other way about cheaper, by
as much as is missing to what is known to be the cost. First only weights are looked at, by codes as in ``kernel``, which takes little
time and tells which states need no looking into; then all costs, on the edges of the colours.
"""

import numpy as np

from meldlab.compiling import scalar_kernel
from meldlab.rummikub.kernel import NEVER, NEXT
from meldlab.rummikub.kernel_colours import GROUPED, OLD, PRICE, STAYS, TILE, WORTH, find_floor, give_tiles

INERTIA, PATIENCE = 0.7, 40.0
UNCODED = 12  # where ``ahead`` has the least of all codes
# Columns of the options: tiles of each colour, two bits each; jokers; what they cost; old groups and old sets with jokers whose heirs are
# groups; free groups, four bits of colours each; the groups, colours and jokers, six bits each.
IN_GROUPS, JOKERS, GROUPS_COST, GROUPS_HAD_HERE, JOKERED_HAD_HERE, FREE, LAID_GROUPS = range(7)


@scalar_kernel
def pure_price(n, c, grouped, old, graphs):
    """Return a price without what is paid back for table tiles that may stay in groups."""
    return graphs.prices[n, c, grouped] + min(grouped, old.marks[n, c, GROUPED]) * TILE


@scalar_kernel
def code_ways(n, c, code, left, old, question, graphs, best):
    """Return the least weight of a colour from here on, with prices, and leave the tiles in groups, jokers and code of it in ``best``."""
    game, table, rack, ahead = question.game, question.table, question.rack, graphs.ahead
    late = 1 if n == game[0] - 3 else 0
    tiles, least = table[n, c] + rack[n, c], NEVER
    for jokers in range(left + 1):
        for run in range(min(tiles, 2 - jokers) + 1):
            after = NEXT[late, code, run, jokers]
            if after < 0 or ahead[n + 1, c, left - jokers, after] >= NEVER:
                continue
            for grouped in range(max(0, table[n, c] - run), min(tiles - run, graphs.most[n, c]) + 1):
                weight = (tiles - run - grouped) * question.weights[n, c] * WORTH
                cost = (
                    weight + pure_price(n, c, grouped, old, graphs) + jokers * graphs.charges[PRICE] + ahead[n + 1, c, left - jokers, after]
                )
                if cost < least:
                    least = cost
                    best[0], best[1], best[2] = grouped, jokers, after
    return least


@scalar_kernel
def code_floor(old, question, graphs, best):
    """Fill ``ahead`` with the least weight, with prices, and return what the four colours come to."""
    game, ahead = question.game, graphs.ahead
    numbers, jokers, total = game[0], game[1] + game[2], 0
    for c in range(4):
        for left in range(jokers + 1):
            for code in range(16):
                low, high = code & 3, code >> 2
                ahead[numbers, c, left, code] = 0 if (low == 0 or low == 3) and (high == 0 or high == 3) else NEVER
        for n in range(numbers - 1, -1, -1):
            for left in range(jokers + 1):
                for code in range(16):
                    if code & 3 >= code >> 2:
                        ahead[n, c, left, code] = code_ways(n, c, code, left, old, question, graphs, best)
        total += ahead[0, c, jokers, 0]
    return total


@scalar_kernel
def loosen(old, question, graphs):
    """Make ``ahead`` a bound for all costs: one set may seem to have a run and a group as heirs, and jokers may be paid for staying."""
    game, ahead = question.game, graphs.ahead
    for c in range(4):
        twice = 0
        for n in range(game[0], -1, -1):
            if n < game[0]:
                tiles, grouped = question.table[n, c] + question.rack[n, c], old.marks[n, c, GROUPED]
                twice += max(0, min(tiles - old.marks[n, c, OLD], tiles - grouped, grouped))
            for left in range(game[1] + game[2] + 1):
                least = NEVER
                for code in range(16):
                    if code & 3 >= code >> 2 and ahead[n, c, left, code] < NEVER:
                        ahead[n, c, left, code] += left * graphs.charges[STAYS] - twice * TILE
                        least = min(least, ahead[n, c, left, code])
                ahead[n, c, left, UNCODED] = least


@scalar_kernel
def choice_floor(old, question, graphs, desk, fitting):
    """Fill ``groups`` with the least that choices of groups come to, with prices, when only weights count; return what all do."""
    game, choices, groups = question.game, question.choices, desk.groups
    numbers, jokers = game[0], game[1] + game[2]
    for left in range(jokers + 1):
        groups[left, numbers] = 0
    for n in range(numbers - 1, -1, -1):
        for left in range(jokers + 1):
            groups[left, n] = NEVER
        f = 0
        while fitting[n, f] >= 0:
            choice = choices[fitting[n, f]]
            paid = 0
            for c in range(4):
                paid += pure_price(n, c, choice[c], old, graphs)
            for left in range(choice[4], jokers + 1):
                cost = groups[left - choice[4], n + 1] - paid + choice[4] * graphs.charges[PRICE]
                if cost < groups[left, n]:
                    groups[left, n] = cost
                    desk.taking[left, n] = fitting[n, f]
            f += 1
    return groups[jokers, 0]


@scalar_kernel
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


@scalar_kernel
def keep_prices(bound, question, graphs, desk):
    """Remember prices if they are the best so far, else return 1."""
    if bound <= desk.bound[0]:
        return 1
    desk.bound[0], desk.bound[4] = bound, graphs.charges[PRICE]
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                desk.mended[n, c, grouped] = graphs.prices[n, c, grouped]
    return 0


@scalar_kernel
def best_prices(question, graphs, desk):
    """Take the best prices so far."""
    graphs.charges[PRICE] = desk.bound[4]
    for n in range(question.game[0]):
        for c in range(4):
            for grouped in range(3):
                graphs.prices[n, c, grouped] = desk.mended[n, c, grouped]


@scalar_kernel
def weigh(target, rounds, old, question, graphs, desk, fitting):
    """Find prices by which the weight left comes close to ``target``, the least there is."""
    numbers, jokers = question.game[0], question.game[1] + question.game[2]
    desk.bound[0] = -NEVER
    best, taken = desk.bound[1:4], desk.taken
    halves = 0
    for turn in range(rounds):
        total = (
            code_floor(old, question, graphs, best) + choice_floor(old, question, graphs, desk, fitting) - jokers * graphs.charges[PRICE]
        )
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
                code_ways(n, c, code, left, old, question, graphs, best)
                taken[n, c, best[0]] += 1
                left -= best[1]
                too_many += best[1]
                code = best[2]
        left = jokers
        for n in range(numbers):
            choice = question.choices[desk.taking[left, n]]
            for c in range(4):
                taken[n, c, choice[c]] -= 1
            left -= choice[4]
            too_many += choice[4]
        if not mend((target - total) * PATIENCE / (PATIENCE + halves), too_many, turn, question, graphs, desk):
            break
    best_prices(question, graphs, desk)


@scalar_kernel
def option_floor(question, graphs, desk):
    """Fill ``groups`` with the least that groups come to from a number on, with prices, by jokers left; return what all do."""
    game, options, groups = question.game, desk.options, desk.groups
    numbers, jokers = game[0], game[1] + game[2]
    for left in range(jokers + 1):
        groups[left, numbers] = 0
    for n in range(numbers - 1, -1, -1):
        for left in range(jokers + 1):
            groups[left, n] = NEVER
        for o in range(desk.first[n], desk.first[n + 1]):
            tiles, laid, cost = options[o, IN_GROUPS], options[o, JOKERS], options[o, GROUPS_COST]
            cost += laid * graphs.charges[PRICE]
            for c in range(4):
                cost -= graphs.prices[n, c, tiles >> (2 * c) & 3]
            for left in range(laid, jokers + 1):
                if cost + groups[left - laid, n + 1] < groups[left, n]:
                    groups[left, n] = cost + groups[left - laid, n + 1]
                    desk.taking[left, n] = o
    return groups[jokers, 0]


@scalar_kernel
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
        total = option_floor(question, graphs, desk) - jokers * graphs.charges[PRICE]
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
        left = jokers
        for n in range(numbers):
            o = desk.taking[left, n]
            for c in range(4):
                taken[n, c, desk.options[o, IN_GROUPS] >> (2 * c) & 3] -= 1
            left -= desk.options[o, JOKERS]
            too_many += desk.options[o, JOKERS]
        if not mend((target - total) * PATIENCE / (PATIENCE + halves), too_many, turn, question, graphs, desk):
            break
    return total
