"""One colour by itself, for the fewest table tiles moved: what its runs may look like at each number, and what that costs at the least.

A table tile has stayed if it lies in the heir of its old set. So a run that is being built carries, beside its length up to three, whose
heir it is: nobody's yet, somebody's of whom nothing more can come, that of one of the two old runs of this colour that may lie here, or
that of one of the two old sets with jokers. It becomes an heir with the first piece that it shares. A *state* is up to four such runs,
the old runs that have an heir already, and the old sets with jokers that have one in this colour.

Everything that may happen at a number is an *edge* to a state of the next number. The cost is ``WORTH`` times the weight left on the rack
plus the table tiles moved; groups are another matter, and here all that goes into them stays as far as it can. Only states and edges are
kept with which a cost below a given limit is possible.

A colour by itself would believe that its run is the heir of a set whose heir another colour, or a group, has as well. So whoever becomes an
heir pays a tile, and gains nothing by the first tile that stays; each old set lowers the cost by a tile once, and one that finds no heir at
all raises it again. Of an old run the first tile is therefore not counted among those that may move.

A joker begins a run only if that goes on to the highest number: else it can as well lie at its other end. A joker that no set needs and
that moves is *spare*: it joins some set in the end.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function
from meldlab.rummikub.kernel import FEW, NEVER

TILE = 64  # what a table tile that is moved costs: prices are fractions of it
WORTH = 128 * TILE  # what a unit of weight costs: more than all tiles of a table
STATES, EDGES, BOOK = 1 << 16, 1 << 19, 1 << 16  # a number of one colour has at most BOOK / 8 states
# A run has six bits: length, whose heir, and whether it has to reach the highest number.
NOBODYS, SPENT, LANE, JOKERED, GIVEN = 0, 1, 2, 4, 6  # GIVEN: as JOKERED, with all its jokers here
LEAD = 32
# Columns of the marks.
FIRST_LANE, HERE, AHEAD, OLD, GROUPED = 0, 2, 3, 4, 5
# Columns of the edges.
TO, COST, TAG, STEPS = range(4)
# Fields of a tag: tiles in groups, old runs whose heir is a group, old groups and old sets with jokers whose heir is one of the runs, and
# jokers laid.
BY_GROUP, GROUPS_HAD, JOKERED_HAD, LAID = 2, 4, 6, 8
# Cells of the place that is being looked at; from RUNS on there are four runs, the marks, whether two old groups have this colour, the
# jokers of two old sets, what is allowed by jokers laid, what is beside the runs by their tiles, and the runs in order.
N, C, TILES, NEXT_TILES, MUST, JOKERS, FROM, MOST, NUMBERS, LIMIT, WEIGHT, LEADS, MANY = range(13)
RUNS, MARKS, OLD_GROUPS, OLD_JOKERS, ALLOWED, BESIDE, SORTED = 13, 17, 23, 25, 27, 30, 33
UNCODED = 12  # where ``ahead`` has the least of all codes
LEAVES = 1 << 12
# Columns of what has been decided so far, and of the leaves, which have the runs that follow behind them.
NATURALS, LAYING, GAIN, JOKERS_STAY, LANES, HAD, GROUPS, MADE = range(8)
# Cells of the charges.
MOVED, STAYS, PRICE = range(3)
# Cells of the sizes.
MANY_STATES, MANY_EDGES, STAMP, FULL, ROOM = range(5)  # ROOM: the states that there may be


class OldSets(NamedTuple):
    """Where the old sets lie."""

    marks: Any  # [numbers, 4, 6] int64, as the columns above say; a lane holds 1 where its old run lies and 2 at the last tile; GROUPED
    # are tiles of sets that lie at this number alone
    groups: Any  # [numbers, 4] int64, colours as bits: two old groups without jokers, two old sets with jokers
    jokers: Any  # [2] int64, jokers of the old sets that have some
    owed: Any  # [numbers] int64, old sets that lie at this number alone
    prices: Any  # [numbers, 4, 3] int64, what a colour pays at first for so many tiles in groups


class Graphs(NamedTuple):
    """The states and edges of the four colours."""

    first: Any  # [4, numbers + 2] int64, where the states of a colour and number begin
    states: Any  # [STATES] int64
    spent: Any  # [STATES, 3] int64, the least cost up to here, by jokers laid
    floor: Any  # [STATES, 3] int64, the least cost from here on, by jokers left
    begins: Any  # [STATES, 4] int64, where the edges of a state begin that put so many tiles in groups
    edges: Any  # [EDGES, 4] int64
    better: Any  # [EDGES, 4] int64, the same without those that cannot pay
    book: Any  # [3, BOOK] int64: keys, states, stamps
    sizes: Any  # [5] int64
    place: Any  # [37] int64
    decided: Any  # [9, 7] int64
    leaves: Any  # [LEAVES + 1, 15] int64, all that may be decided; the last row is being written
    most: Any  # [numbers, 4] int64, the most tiles in groups
    prices: Any  # [numbers, 4, 3] int64, what a colour pays for so many tiles in groups, and groups are paid
    ahead: Any  # [numbers + 1, 4, 3, 16] int64, a cost that no run avoids from a number on, by jokers left and code
    ways: Any  # [numbers, 4, 3, 16] int64, what is done then: tiles and jokers in runs, two bits each, and the next code
    codes: Any  # [numbers + 1, 4] int64, the codes that there can be, as bits
    beside: Any  # [numbers, 4, 3] int64, what the other tiles cost at the least, by tiles in runs
    grouped: Any  # [numbers, 4, 3] int64, how many of them are in groups then
    whole: Any  # [3] int64, the same with tiles of old runs that move
    charges: Any  # [3] int64, what a joker costs that is moved, one that stays, and the price of any joker


@device_function(inline="always")
def known_state(key, graphs):
    """Return the state with this key of the number that is being filled, a new one if there is none."""
    book, sizes = graphs.book, graphs.sizes
    at = np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(48))
    while book[2, at] == sizes[STAMP]:
        if book[0, at] == key:
            return book[1, at]
        at = (at + 1) & (BOOK - 1)
    state = sizes[MANY_STATES]
    if state >= sizes[ROOM]:
        sizes[FULL] = 1
        return state
    sizes[MANY_STATES] += 1
    book[0, at], book[1, at], book[2, at] = key, state, sizes[STAMP]
    graphs.states[state] = key
    for jokers in range(3):
        graphs.spent[state, jokers] = NEVER
    return state


@device_function(inline="always")
def record_edges(leaf, graphs):
    """Add the edges of what has been decided, one for each number of tiles in groups and each way that these are match_sets."""
    place, done, sizes = graphs.place, graphs.leaves[leaf], graphs.sizes
    n, c, jokers, laying = place[N], place[C], place[JOKERS], done[LAYING]
    # The runs, largest first, and of equal ones the first: where each comes from is behind it.
    many = 0
    for i in range(8):
        run = done[MADE + i]
        if run:
            run = run << 3 | 7 - i
            at = many
            while at and place[SORTED + at - 1] < run:
                place[SORTED + at] = place[SORTED + at - 1]
                at -= 1
            place[SORTED + at] = run
            many += 1
    runs, steps, long, short, unfinished, paid = 0, 0, 0, 0, 0, 0
    for i in range(many):
        run = place[SORTED + i] >> 4
        runs |= run << (6 * i)
        steps |= (min(7 - (place[SORTED + i] & 7), 4) << 1 | (place[SORTED + i] >> 3 & 1)) + 2 << (4 * i)
        length, whose = run & 3, run >> 2 & 7
        unfinished += length < 3
        # A joker may have paid for being the heir, in place of a tile to come.
        paid += whose >= JOKERED and place[MARKS + AHEAD] >> (whose & 1) & 1
        if length > long:
            long, short = length, long
        else:
            short = max(short, length)
    # What is left for this number. With more than two open runs there is no code, and the least of all is at 0 0.
    code, least = long | short << 2 if many <= 2 else UNCODED, NEVER
    for used in range(jokers - laying + 1):
        left = jokers - used - laying
        if unfinished == 0 or unfinished <= place[NEXT_TILES] + left:
            least = min(least, graphs.spent[place[FROM], used] + graphs.ahead[n + 1, c, left, code])
    within = place[LIMIT] + paid * TILE - least - laying * graphs.charges[PRICE]
    rest, ends, ending = place[TILES] - done[NATURALS], n + 1 == place[NUMBERS], 0
    for lane in range(2):
        ending |= (place[MARKS + lane] == 2) << lane
    moved = (place[MARKS + OLD] - done[GAIN]) * TILE
    moved += (laying - done[JOKERS_STAY]) * graphs.charges[MOVED] + done[JOKERS_STAY] * graphs.charges[STAYS]
    for grouped in range(min(rest, place[MOST]), -1, -1):
        if done[NATURALS] + grouped < place[MUST]:
            break
        price, plain = graphs.prices[n, c, grouped], (rest - grouped) * place[WEIGHT] + moved
        if plain + price > within:
            continue
        for by_group in range(4):
            if FEW[by_group] > grouped or by_group & done[LANES]:
                continue
            if (by_group & 1 and place[MARKS] == 0) or (by_group & 2 and place[MARKS + 1] == 0):
                continue
            # An old run that ends here without an heir has moved as a whole.
            cost = plain + FEW[ending & ~(done[LANES] | by_group)] * TILE
            low = cost + price + laying * graphs.charges[PRICE]
            if cost + price > within:
                continue
            key = 0
            if not ends:
                key = runs | ((done[LANES] | by_group) & ~ending) << 24 | done[HAD] << 26
            to = known_state(key, graphs)
            edge = sizes[MANY_EDGES]
            if edge + 1 >= EDGES:
                sizes[FULL] = 1
            if sizes[FULL]:
                return
            sizes[MANY_EDGES] += 1
            for used in range(jokers - laying + 1):
                graphs.spent[to, used + laying] = min(graphs.spent[to, used + laying], graphs.spent[place[FROM], used] + low)
            had = done[HAD] & ~(graphs.states[place[FROM]] >> 26)
            tag = grouped | by_group << BY_GROUP | done[GROUPS] << GROUPS_HAD | had << JOKERED_HAD | laying << LAID
            graphs.edges[edge, TO] = to
            graphs.edges[edge, COST] = cost
            graphs.edges[edge, TAG] = tag
            graphs.edges[edge, STEPS] = steps


@device_function(inline="always")
def expect(graphs):
    """Write down what a way on from this state may cost, by jokers laid."""
    place, n, c = graphs.place, graphs.place[N], graphs.place[C]
    for laying in range(place[JOKERS] + 1):
        least = NEVER
        for used in range(place[JOKERS] - laying + 1):
            least = min(least, graphs.spent[place[FROM], used] + graphs.ahead[n + 1, c, place[JOKERS] - used - laying, UNCODED])
        place[ALLOWED + laying] = place[LIMIT] - least - laying * (graphs.charges[PRICE] + graphs.charges[MOVED])
        # Jokers may have paid, as in ``record_edges``.
        place[ALLOWED + laying] += (FEW[place[MARKS + AHEAD]] - place[MARKS + OLD]) * TILE


@device_function
def add_leaf(which, row, place, leaves):
    """Add what has been decided to the leaves, if it does not cost too much; the runs from ``which`` on do not begin."""
    leaf = place[MANY]
    # A joker that stays costs a tile less than one that moves.
    if leaf < LEAVES and place[BESIDE + row[NATURALS]] - (row[GAIN] + row[JOKERS_STAY]) * TILE <= place[ALLOWED + row[LAYING]]:
        place[MANY] += 1
        for i in range(7):
            leaves[leaf, i] = row[i]
        for i in range(8):
            leaves[leaf, MADE + i] = leaves[LEAVES, MADE + i] if i < which else 0
    return 0


@device_function
def carry_on(which, last, place, decided, leaves):
    """List all that may be decided for the run number ``which`` and all behind it: 0 to 3 are there already, 4 to 7 may begin.

    Equal runs are decided in falling order of what they do, ``last`` being what the one before does.
    """
    row, made = decided[which], leaves[LEAVES, MADE:]
    if which == 8 or (which >= 4 and row[NATURALS] >= place[TILES] and row[LAYING] >= place[JOKERS]):
        return add_leaf(which, row, place, leaves)
    if which < 4 and place[RUNS + which] == 0:
        for i in range(which, 4):
            made[i] = 0
        for i in range(7):
            decided[4, i] = row[i]
        return carry_on(np.int64(4), np.int64(99), place, decided, leaves)
    run = place[RUNS + which] if which < 4 else 0
    if which == 4 or (0 < which < 4 and run != place[RUNS + which - 1]):
        last = 99
    length, heir = run & 3, run >> 2 & 7
    for act in range(min(last, 10) + 1):
        following = decided[which + 1]
        if act == 0:
            if which >= 4:
                add_leaf(which, row, place, leaves)
            elif length == 3 and not run & LEAD:
                made[which] = 0
                for i in range(7):
                    following[i] = row[i]
                carry_on(which + 1, act, place, decided, leaves)
            continue
        natural = act < 8
        if natural and row[NATURALS] >= place[TILES]:
            continue
        if not natural and (row[LAYING] >= place[JOKERS] or (which >= 4 and not place[LEADS])):
            continue
        if act == 8 and which >= 4 and place[N] != place[NUMBERS] - 3:
            continue
        if act != 1 and act != 8 and heir != NOBODYS:
            continue
        gain, stay, lanes, had, groups, whose = 0, 0, row[LANES], row[HAD], row[GROUPS], heir
        if act == 1:
            if LANE <= heir < LANE + 2:
                gain = 1
            elif heir >= JOKERED:
                gain = place[MARKS + HERE] >> (heir & 1) & 1
        elif act <= 3:
            lane = act - 2
            if place[MARKS + FIRST_LANE + lane] == 0 or lanes >> lane & 1:
                continue
            whose = LANE + lane
            lanes |= 1 << lane
        elif act <= 5:
            x = act - 4
            if not place[MARKS + HERE] >> x & 1 or had >> x & 1:
                continue
            whose = JOKERED + x
            had |= 1 << x
        elif act <= 7:
            i = act - 6
            if not place[OLD_GROUPS + i] or groups >> i & 1:
                continue
            whose = SPENT
            groups |= 1 << i
        elif act == 8:
            if JOKERED <= heir < GIVEN:
                stay = 1
                whose = heir + 2 if place[OLD_JOKERS + (heir & 1)] == 1 else heir
        else:
            x = act - 9
            if place[OLD_JOKERS + x] == 0 or had >> x & 1:
                continue
            gain, stay = -1, 1
            whose = GIVEN + x if place[OLD_JOKERS + x] == 1 else JOKERED + x
            had |= 1 << x
        if LANE <= whose < LANE + 2 and place[MARKS + FIRST_LANE + whose - LANE] == 2:
            whose = SPENT
        elif whose >= GIVEN and not place[MARKS + AHEAD] >> (whose & 1) & 1:
            whose = SPENT
        lead = run & LEAD
        if which >= 4 and not natural:
            lead = LEAD
        # A joker that no set needs and that does not stay is spare: behind a run of three it must lead on to a tile.
        long = 2 if length == 3 and not natural and stay == 0 else min(length + 1, 3)
        made[which] = (long | whose << 2 | lead) << 1 | (0 if natural else 1)
        following[NATURALS] = row[NATURALS] + (1 if natural else 0)
        following[LAYING] = row[LAYING] + (0 if natural else 1)
        following[GAIN] = row[GAIN] + gain
        following[JOKERS_STAY] = row[JOKERS_STAY] + stay
        following[LANES] = lanes
        following[HAD] = had
        following[GROUPS] = groups
        carry_on(which + 1, act, place, decided, leaves)
    return 0


@device_function
def fill_colour(c, limit, old, question, graphs):
    """Find the states and edges of one colour with which its cost can be within ``limit``, and the least cost from each state on."""
    game, table, rack = question.game, question.table, question.rack
    numbers, jokers = game[0], game[1] + game[2]
    place, sizes, states = graphs.place, graphs.sizes, graphs.states
    sizes[STAMP] += 1
    graphs.first[c, 0] = sizes[MANY_STATES]
    root = known_state(0, graphs)
    graphs.spent[root, 0] = 0
    gaps = 0
    for n in range(numbers):
        gaps += table[n, c] + rack[n, c] == 0
    for n in range(numbers):
        sizes[STAMP] += 1
        graphs.first[c, n + 1] = sizes[MANY_STATES]
        tiles = table[n, c] + rack[n, c]
        gaps -= tiles == 0
        place[N], place[C], place[TILES], place[MUST], place[JOKERS] = n, c, tiles, table[n, c], jokers
        place[MOST], place[NUMBERS], place[LIMIT], place[WEIGHT] = graphs.most[n, c], numbers, limit, question.weights[n, c] * WORTH
        place[LEADS] = gaps < jokers
        for run in range(3):
            place[BESIDE + run] = graphs.beside[n, c, run]
        place[NEXT_TILES] = table[n + 1, c] + rack[n + 1, c] if n + 1 < numbers else -4
        for i in range(6):
            place[MARKS + i] = old.marks[n, c, i]
        for i in range(2):
            place[OLD_GROUPS + i], place[OLD_JOKERS + i] = old.groups[n, i] >> c & 1, old.jokers[i]
        for state in range(graphs.first[c, n], graphs.first[c, n + 1]):
            graphs.begins[state, 0] = sizes[MANY_EDGES]
            place[FROM] = state
            for i in range(4):
                place[RUNS + i] = states[state] >> (6 * i) & 63
            for i in range(7):
                graphs.decided[0, i] = 0
            graphs.decided[0, LANES] = states[state] >> 24 & 3
            graphs.decided[0, HAD] = states[state] >> 26 & 3
            place[MANY] = 0
            expect(graphs)
            carry_on(np.int64(0), np.int64(99), place, graphs.decided, graphs.leaves)
            for leaf in range(place[MANY]):
                record_edges(leaf, graphs)
            graphs.begins[state, 3] = sizes[MANY_EDGES]
            if sizes[FULL] or place[MANY] == LEAVES:
                sizes[FULL] = 1
                return
    graphs.first[c, numbers + 1] = sizes[MANY_STATES]
    for state in range(graphs.first[c, numbers], graphs.first[c, numbers + 1]):
        for left in range(3):
            graphs.floor[state, left] = 0


@device_function
def find_floor(c, question, edges, graphs):
    """Find the least cost of a colour from each state on, with the prices of today."""
    game, floor = question.game, graphs.floor
    numbers, jokers = game[0], game[1] + game[2]
    for n in range(numbers - 1, -1, -1):
        for state in range(graphs.first[c, n], graphs.first[c, n + 1]):
            for left in range(3):
                floor[state, left] = NEVER
            for edge in range(graphs.begins[state, 0], graphs.begins[state, 3]):
                tag = edges[edge, TAG]
                laid, to = tag >> LAID & 3, edges[edge, TO]
                cost = edges[edge, COST] + graphs.prices[n, c, tag & 3] + laid * graphs.charges[PRICE]
                for left in range(laid, jokers + 1):
                    floor[state, left] = min(floor[state, left], cost + floor[to, left - laid])


@device_function
def give_tiles(c, question, edges, graphs, taken):
    """Count in ``taken``, [numbers, 4, 3], the tiles that a colour puts in groups on its cheapest way, and return the jokers it lays."""
    game, floor = question.game, graphs.floor
    left, state = game[1] + game[2], graphs.first[c, 0]
    for n in range(game[0]):
        for edge in range(graphs.begins[state, 0], graphs.begins[state, 3]):
            tag = edges[edge, TAG]
            laid = tag >> LAID & 3
            if laid <= left:
                cost = edges[edge, COST] + graphs.prices[n, c, tag & 3] + laid * graphs.charges[PRICE]
                if cost + floor[edges[edge, TO], left - laid] == floor[state, left]:
                    taken[n, c, tag & 3] += 1
                    state = edges[edge, TO]
                    left -= laid
                    break
    return game[1] + game[2] - left


@device_function
def find_spent(c, question, edges, graphs):
    """Find the least cost of a colour up to each state, with the prices of today."""
    game, spent = question.game, graphs.spent
    numbers, jokers = game[0], game[1] + game[2]
    for state in range(graphs.first[c, 0] + 1, graphs.first[c, numbers + 1]):
        for used in range(3):
            spent[state, used] = NEVER
    for n in range(numbers):
        for state in range(graphs.first[c, n], graphs.first[c, n + 1]):
            for edge in range(graphs.begins[state, 0], graphs.begins[state, 3]):
                tag = edges[edge, TAG]
                laid, to = tag >> LAID & 3, edges[edge, TO]
                cost = edges[edge, COST] + graphs.prices[n, c, tag & 3] + laid * graphs.charges[PRICE]
                for used in range(jokers - laid + 1):
                    spent[to, used + laid] = min(spent[to, used + laid], spent[state, used] + cost)


@device_function
def keep_useful(c, limit, many, edges, question, graphs):
    """Put the edges of a colour that a cost within ``limit`` uses behind ``many`` others, by tiles in groups; return how many there are."""
    game, floor = question.game, graphs.floor
    numbers, jokers = game[0], game[1] + game[2]
    find_spent(c, question, edges, graphs)
    for n in range(numbers):
        for state in range(graphs.first[c, n], graphs.first[c, n + 1]):
            first, last = graphs.begins[state, 0], graphs.begins[state, 3]
            for grouped in range(3):
                graphs.begins[state, grouped] = many
                price = graphs.prices[n, c, grouped]
                for edge in range(first, last):
                    tag = edges[edge, TAG]
                    if tag & 3 == grouped:
                        laid, useful = tag >> LAID & 3, False
                        cost = edges[edge, COST] + price + laid * graphs.charges[PRICE]
                        for used in range(jokers - laid + 1):
                            low = graphs.spent[state, used] + cost + floor[edges[edge, TO], jokers - used - laid]
                            useful |= low <= limit
                        if useful:
                            for i in range(4):
                                graphs.better[many, i] = edges[edge, i]
                            many += 1
            graphs.begins[state, 3] = many
    return many
