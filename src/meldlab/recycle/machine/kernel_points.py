"""Point maps: the score of every type of card, and the awards it comes from where a program updates them.

A map is [score of each type ..], followed in programs with ``update`` by [awards, then for each: pairs, points, key, value ..].
"""

from meldlab.chance.kernel import below
from meldlab.compiling import device_function
from meldlab.recycle.machine.kernel_cards import afford, chance, put
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_lists import fill_apart, size_of
from meldlab.recycle.machine.kernel_numbers import small

# --- what lists score


@device_function(inline="never")
def total(state, layout, cards, points):
    """Return the sum of the scores of a list."""
    state[WORK] += size_of(state, layout, cards)
    result = 0
    if cards >= layout[L_LISTS_FROM]:
        for i in range(state[cards]):
            result += state[points + state[state[cards + 1 + i] + TYPE]]
        return result
    node = state[cards + BOTTOM_AT]
    remembers = state[cards + KIND_AT] == MEMORY
    while node:
        card = state[node + TYPE] if remembers else node
        result += state[points + state[card + TYPE]]
        node = state[node + ABOVE]
    return result


@device_function
def lay_out(state, layout, cards, size):
    """Write the cards of a list behind all lists and return where, or 0 where there is no room."""
    at = state[HEAP]
    if at + size > layout[L_LISTS_END]:
        state[STATUS] = OUT_OF_LISTS
        return 0
    fill_apart(state, layout, cards, at)
    state[WORK] += size
    return at


@device_function(inline="never")
def extreme(state, layout, cards, points, sign):
    """Return the largest (sign 1) or smallest (sign -1) score of a list, -1 or 2147483647 if it is empty."""
    size = size_of(state, layout, cards)
    if size == 0:
        return -1 if sign > 0 else 2147483647
    at = lay_out(state, layout, cards, size)
    if at == 0:
        return 0
    best = state[points + state[state[at] + TYPE]]
    for i in range(1, size):
        score = state[points + state[state[at + i] + TYPE]]
        if (score - best) * sign > 0:
            best = score
    return best


@device_function(inline="never")
def best_card(state, layout, cards, points, sign):
    """Return the card of largest (sign 1) or smallest (sign -1) score; equals are drawn from."""
    size = size_of(state, layout, cards)
    if size == 0:
        state[STATUS] = NO_CARD
        return 0
    at = lay_out(state, layout, cards, size)
    if at == 0:
        return 0
    best = state[points + state[state[at] + TYPE]]
    equals = 1
    for i in range(1, size):
        score = state[points + state[state[at + i] + TYPE]]
        if (score - best) * sign > 0:
            best = score
            equals = 1
        elif score == best:
            equals += 1
    chosen = 0
    if equals > 1:
        chosen = below(chance(state, layout, FOR_TIE), 0, equals)
    for i in range(size):
        if state[points + state[state[at + i] + TYPE]] == best:
            if chosen == 0:
                return state[at + i]
            chosen -= 1
    return 0


# --- awards


@device_function(inline="never")
def add_award(state, layout, data, points, first, pairs, worth):
    """Add an award to a point map: ``pairs`` times (key, value) from register ``first``, as strings."""
    types = layout[L_TYPES]
    if not afford(state, layout, types + (types * pairs >> 1)):
        return
    if pairs <= 2 and state[TRAIL] == 0:
        # As most awards are: without a branch.
        column, value = data[layout[L_COLUMN_OF] + state[first]], state[first + 1]
        second = first + 2 * (pairs - 1)
        other_column, other = data[layout[L_COLUMN_OF] + state[second]], state[second + 1]
        wrong = 0
        if column >= 0 and other_column >= 0 and value and other:
            for kind in range(types):
                matching = (data[column + kind] == value) & (data[other_column + kind] == other)
                number = state[points + kind] + (worth if matching else 0)
                state[points + kind] = number
                wrong |= (number + 2147483648) >> 32
        if wrong:
            state[STATUS] = TOO_LARGE
        return
    for kind in range(types):
        matches = True
        for pair in range(pairs):
            column = data[layout[L_COLUMN_OF] + state[first + 2 * pair]]
            value = state[first + 2 * pair + 1]
            # A card without the attribute has the empty string there, and matches nothing.
            if column < 0 or value == 0 or data[column + kind] != value:
                matches = False
                break
        if matches:
            put(state, points + kind, small(state, state[points + kind] + worth))


@device_function
def keep_award(state, layout, points, first, pairs, worth, replaces):
    """Keep an award in the list behind a point map, in place of one with the same pairs if ``replaces``."""
    width, most = layout[L_AWARD_WIDTH], layout[L_AWARDS]
    count = points + layout[L_TYPES]
    for i in range(state[count] if replaces else 0):
        at = count + 1 + i * width
        state[WORK] += 1
        if state[at] != pairs:
            continue
        if not afford(state, layout, pairs * pairs >> 1):
            return
        same = True
        for p in range(pairs):
            here = False
            for q in range(pairs):
                if state[at + 2 + 2 * p] == state[first + 2 * q] and state[at + 3 + 2 * p] == state[first + 2 * q + 1]:
                    here = True
            same = same and here
        if same:
            put(state, at + 1, worth)
            return
    if state[count] >= most:
        state[STATUS] = OUT_OF_AWARDS
        return
    at = count + 1 + state[count] * width
    state[WORK] += pairs
    put(state, at, pairs)
    put(state, at + 1, worth)
    for p in range(2 * pairs):
        put(state, at + 2 + p, state[first + p])
    put(state, count, state[count] + 1)


@device_function
def clear_points(state, layout, points):
    """Make every card score nothing."""
    state[WORK] += layout[L_TYPES] >> 1
    for kind in range(layout[L_TYPES]):
        put(state, points + kind, 0)


@device_function
def recount_points(state, layout, data, points):
    """Score every card by the awards kept behind a point map."""
    clear_points(state, layout, points)
    count = points + layout[L_TYPES]
    for i in range(state[count]):
        if state[STATUS]:
            return
        at = count + 1 + i * layout[L_AWARD_WIDTH]
        add_award(state, layout, data, points, at + 2, state[at], state[at + 1])
