"""Filters and tests whose condition is one comparison: a whole loop as one instruction.

``state``: [words] int64; ``layout``: [LAYOUT] int64; ``data``: [words] int64. The members of a list are copied behind each other and the
count grows by those that pass: branch-free.
"""

from meldlab.compiling import device_function
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_lists import cut, fill, new_list, size_of
from meldlab.recycle.machine.kernel_points import small, total


@device_function
def holds(number, other, what):
    """Return whether two numbers compare as asked: ``IS`` and so on."""
    if what < k.IS_BELOW:
        return (number == other) == (what == k.IS)
    if what < k.IS_ABOVE:
        return (number < other) == (what == k.IS_BELOW)
    return (number > other) == (what == k.IS_ABOVE)


@device_function(inline="never")
def candidates(state, layout, cards):
    """Return a new list with all members of a list, to be cut by ``cut``."""
    size = size_of(state, layout, cards)
    result = new_list(state, layout, size)
    if result:
        state[k.WORK] += size
        fill(state, layout, cards, result + 1)
    return result


@device_function(inline="never")
def with_word(state, layout, words, first, cards, number, what):
    """Return the cards whose word by type (``words`` from ``first`` on: an attribute, a score) compares with a number as asked."""
    result = candidates(state, layout, cards)
    if result:
        passed = 0
        for i in range(state[result]):
            card = state[result + 1 + i]
            state[result + 1 + passed] = card
            passed += holds(words[first + state[card + k.TYPE]], number, what)
        cut(state, result, passed)
    return result


@device_function(inline="never")
def with_number(state, layout, lists, points, number, what):
    """Return the lists with cards whose sum of scores, or without ``points`` (0) whose size, compares with a number as asked."""
    result = candidates(state, layout, lists)
    if result:
        passed = 0
        for i in range(state[result]):
            cards = state[result + 1 + i]
            size = size_of(state, layout, cards)
            value = small(state, total(state, layout, cards, points)) if points else size
            state[result + 1 + passed] = cards
            passed += holds(value, number, what) and size > 0
        cut(state, result, passed)
    return result


@device_function(inline="never")
def any_with_attribute(state, layout, data, cards, column, value, what):
    """Return whether an attribute of some card is, or is not, a string."""
    expected = what == k.IS
    state[k.WORK] += size_of(state, layout, cards)
    if cards >= layout[k.L_LISTS_FROM]:
        for i in range(state[cards]):
            if (data[column + state[state[cards + 1 + i] + k.TYPE]] == value) == expected:
                return True
        return False
    node, remembers = state[cards + k.BOTTOM_AT], state[cards + k.KIND_AT] == k.MEMORY
    while node:
        card = state[node + k.TYPE] if remembers else node
        if (data[column + state[card + k.TYPE]] == value) == expected:
            return True
        node = state[node + k.ABOVE]
    return False


@device_function(inline="never")
def any_of(state, first, words, stride, number, what):
    """Return whether one of the words that lie a ``stride`` apart from ``first`` on compares with a number as asked."""
    for offset in range(first, first + words, stride):
        if holds(state[offset], number, what):
            return True
    return False
