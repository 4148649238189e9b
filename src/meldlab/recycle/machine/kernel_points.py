"""Point maps: the score of every type of card, and the awards it comes from where a program updates them.

A map is [score of each type ..], followed in programs with ``update`` by [awards, then for each: pairs, points, key, value ..].
"""

from meldlab.compiling import apart_kernel, scalar_kernel
from meldlab.recycle.machine.kernel_cards import afford, put
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_numbers import small


@apart_kernel
def add_award(state, layout, data, points, first, pairs, worth):
    """Add an award to a point map: ``pairs`` times (key, value) from register ``first``, as strings."""
    types = layout[L_TYPES]
    if not afford(state, layout, types + (types * pairs >> 1)):
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


@scalar_kernel
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


@scalar_kernel
def clear_points(state, layout, points):
    """Make every card score nothing."""
    state[WORK] += layout[L_TYPES] >> 1
    for kind in range(layout[L_TYPES]):
        put(state, points + kind, 0)


@scalar_kernel
def recount_points(state, layout, data, points):
    """Score every card by the awards kept behind a point map."""
    clear_points(state, layout, points)
    count = points + layout[L_TYPES]
    for i in range(state[count]):
        if state[STATUS]:
            return
        at = count + 1 + i * layout[L_AWARD_WIDTH]
        add_award(state, layout, data, points, at + 2, state[at], state[at + 1])
