"""Point maps: the score of every type of card, and the awards it comes from where a program updates them.

A map is [score of each type ..], followed in programs with ``update`` by [awards, then for each: pairs, points, key, value ..].
"""

from meldlab.chance.kernel import below
from meldlab.compiling import device_function
from meldlab.recycle.language import kernel_arithmetic
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import chance, charge, put
from meldlab.recycle.machine.kernel_lists import fill_noinline, size_of

# --- arithmetic in 32 bits; what does not fit, or divides by zero, sets the status

fibonacci = device_function(kernel_arithmetic.fibonacci)
power = device_function(kernel_arithmetic.power)
quotient = device_function(kernel_arithmetic.divided)


@device_function
def small(state, number):
    """Return the number, or 0 and an error if it takes more than 32 bits."""
    if number > 2147483647 or number < -2147483648:
        state[k.STATUS] = k.TOO_LARGE
        return 0
    return number


@device_function
def divided(state, number, by):
    """Divide, cut towards zero."""
    if by == 0:
        state[k.STATUS] = k.BY_ZERO
        return 0
    return quotient(number, by)


# --- what lists score


@device_function(inline="never")
def total(state, layout, cards, points):
    """Return the sum of the scores of a list."""
    state[k.WORK] += size_of(state, layout, cards)
    result = 0
    if cards >= layout[k.L_LISTS_FROM]:
        for i in range(state[cards]):
            result += state[points + state[state[cards + 1 + i] + k.TYPE]]
        return result
    node = state[cards + k.BOTTOM_AT]
    remembers = state[cards + k.KIND_AT] == k.MEMORY
    while node:
        card = state[node + k.TYPE] if remembers else node
        result += state[points + state[card + k.TYPE]]
        node = state[node + k.ABOVE]
    return result


@device_function
def lay_out(state, layout, cards, size):
    """Write the cards of a list behind all lists and return where, or 0 where there is no room."""
    offset = state[k.HEAP]
    if offset + size > layout[k.L_LISTS_END]:
        state[k.STATUS] = k.OUT_OF_LISTS
        return 0
    fill_noinline(state, layout, cards, offset)
    state[k.WORK] += size
    return offset


@device_function
def extreme_score(state, offset, size, points, sign):
    """Return the largest (sign 1) or smallest (sign -1) score of the cards from ``offset``, and how many have it."""
    best, equals = state[points + state[state[offset] + k.TYPE]], 1
    for i in range(1, size):
        score = state[points + state[state[offset + i] + k.TYPE]]
        if (score - best) * sign > 0:
            best, equals = score, 1
        elif score == best:
            equals += 1
    return best, equals


@device_function(inline="never")
def extreme(state, layout, cards, points, sign):
    """Return the largest (sign 1) or smallest (sign -1) score of a list, -1 or 2147483647 if it is empty."""
    size = size_of(state, layout, cards)
    if size == 0:
        return -1 if sign > 0 else 2147483647
    offset = lay_out(state, layout, cards, size)
    if offset == 0:
        return 0
    return extreme_score(state, offset, size, points, sign)[0]


@device_function(inline="never")
def best_card(state, layout, cards, points, sign):
    """Return the card of largest (sign 1) or smallest (sign -1) score; equals are drawn from."""
    size = size_of(state, layout, cards)
    if size == 0:
        state[k.STATUS] = k.NO_CARD
        return 0
    offset = lay_out(state, layout, cards, size)
    if offset == 0:
        return 0
    best, equals = extreme_score(state, offset, size, points, sign)
    chosen = 0
    if equals > 1:
        chosen = below(chance(state, layout, k.FOR_TIE), 0, equals)
    for i in range(size):
        if state[points + state[state[offset + i] + k.TYPE]] == best:
            if chosen == 0:
                return state[offset + i]
            chosen -= 1
    return 0


# --- awards


@device_function(inline="never")
def add_award(state, layout, data, points, first, pairs, worth):
    """Add an award to a point map: ``pairs`` times (key, value) from register ``first``, as strings."""
    types = layout[k.L_TYPES]
    if not charge(state, layout, types + (types * pairs >> 1)):
        return
    if pairs <= 2 and state[k.TRAIL] == 0:
        # As most awards are: without a branch.
        column, value = data[layout[k.L_COLUMN_OF] + state[first]], state[first + 1]
        second = first + 2 * (pairs - 1)
        other_column, other = data[layout[k.L_COLUMN_OF] + state[second]], state[second + 1]
        wrong = 0
        if column >= 0 and other_column >= 0 and value and other:
            for kind in range(types):
                matching = (data[column + kind] == value) & (data[other_column + kind] == other)
                number = state[points + kind] + (worth if matching else 0)
                state[points + kind] = number
                wrong |= (number + 2147483648) >> 32
        if wrong:
            state[k.STATUS] = k.TOO_LARGE
        return
    for kind in range(types):
        matches = True
        for pair in range(pairs):
            column = data[layout[k.L_COLUMN_OF] + state[first + 2 * pair]]
            value = state[first + 2 * pair + 1]
            # A card without the attribute has the empty string there, and matches nothing.
            if column < 0 or value == 0 or data[column + kind] != value:
                matches = False
                break
        if matches:
            put(state, points + kind, small(state, state[points + kind] + worth))


@device_function
def save_award(state, layout, points, first, pairs, worth, replaces):
    """Store an award in the list behind a point map, in place of one with the same pairs if ``replaces``."""
    width, most = layout[k.L_AWARD_WIDTH], layout[k.L_AWARDS]
    count = points + layout[k.L_TYPES]
    for i in range(state[count] if replaces else 0):
        offset = count + 1 + i * width
        state[k.WORK] += 1
        if state[offset] != pairs:
            continue
        if not charge(state, layout, pairs * pairs >> 1):
            return
        same = True
        for p in range(pairs):
            here = False
            for q in range(pairs):
                if state[offset + 2 + 2 * p] == state[first + 2 * q] and state[offset + 3 + 2 * p] == state[first + 2 * q + 1]:
                    here = True
            same = same and here
        if same:
            put(state, offset + 1, worth)
            return
    if state[count] >= most:
        state[k.STATUS] = k.OUT_OF_AWARDS
        return
    offset = count + 1 + state[count] * width
    state[k.WORK] += pairs
    put(state, offset, pairs)
    put(state, offset + 1, worth)
    for p in range(2 * pairs):
        put(state, offset + 2 + p, state[first + p])
    put(state, count, state[count] + 1)


@device_function
def clear_points(state, layout, points):
    """Make every card score nothing."""
    state[k.WORK] += layout[k.L_TYPES] >> 1
    for kind in range(layout[k.L_TYPES]):
        put(state, points + kind, 0)


@device_function
def recount_points(state, layout, data, points):
    """Score every card by the awards stored behind a point map."""
    clear_points(state, layout, points)
    count = points + layout[k.L_TYPES]
    for i in range(state[count]):
        if state[k.STATUS]:
            return
        offset = count + 1 + i * layout[k.L_AWARD_WIDTH]
        add_award(state, layout, data, points, offset + 2, state[offset], state[offset + 1])
