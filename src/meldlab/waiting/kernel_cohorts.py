"""The thesis's own algorithm as kernels: lock in whole cohorts within a tolerance of the least E.

Each round takes every hand whose estimate lies less than the tolerance above the least one, locks it with that estimate, and only
then tells the others. An estimate is (bag + sum of the known F) / (their number) over all draws with a known F, whatever their size.

Arrays as in waiting.kernel.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import SUIT_MASK, class_hand, orbit_size
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import NEVER, list_discards, list_draws

LOCKED, MANY, TOLD, CHOSEN = range(4)  # of the state of ``lock_in``
PAUSED, DOUBTFUL, DONE = range(3)  # why it returns


class CohortRun(NamedTuple):
    """Where a run stands."""

    expected: Any  # [N] float64
    weight: Any  # [N] int16
    after: Any  # [M] float64, F as far as it is known, infinity elsewhere
    cohort: Any  # [N] int32, the round in which a class was locked, -1 for goals
    members: Any  # [N] int64, the classes of the present cohort


@kernel
def lock_in(most, tolerance, near, state, sizes, leasts, run, space):
    """Go on locking cohorts, about ``most`` hands or until ``sizes`` is full, and return why it went no further.

    PAUSED: there is more to do. DOUBTFUL: a hand lies within ``near`` of the tolerance above the least one, and doubles cannot tell on
    which side; the caller puts the cohort into ``members``, sets MANY and CHOSEN, and calls again. DONE: no hand is open.

    ``state``: [4] int64, kept from call to call: cohorts in ``sizes``, [room] int64 hands, and ``leasts``, [room] float64; classes in
    ``members``; how many of them have told the others; and 1 if they are to be locked first.
    """
    expected, weight, after, cohort, members = run
    small, alive, bag, larger = space.small, space.alive, space.bag, space.large.patterns
    keys, patterns, renamings = small.keys, small.patterns, small.renamings
    drawn, around, targets = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(13, np.int64)
    work = 0
    while True:
        if state[CHOSEN] == 0:
            while state[TOLD] < state[MANY]:
                if work >= most:
                    return PAUSED
                work += 1
                number = members[state[TOLD]]
                state[TOLD] += 1
                value = expected[number]
                for j in range(list_draws(class_hand(number, small), alive, keys, larger, drawn, around)):
                    known = after[around[j]]
                    if value >= known:
                        continue
                    after[around[j]] = value
                    hands = orbit_size(drawn[j], keys, renamings)
                    for k in range(list_discards(drawn[j], keys, patterns, targets, 0)):
                        target = targets[k]
                        before = weight[target]
                        if before < 0:
                            continue
                        if known < NEVER:
                            expected[target] += (value - known) * hands / before
                        elif before == 0:
                            own = orbit_size(class_hand(target, small), keys, renamings)
                            expected[target] = value + bag * own / hands
                            weight[target] = hands
                        else:
                            expected[target] = (expected[target] * before + value * hands) / (before + hands)
                            weight[target] = before + hands
            least = NEVER
            for number in range(len(expected)):
                if weight[number] >= 0 and expected[number] < least:
                    least = expected[number]
            if least == NEVER:
                return DONE
            if state[LOCKED] == len(sizes):
                return PAUSED
            leasts[state[LOCKED]] = least
            many, doubtful = 0, 0
            for number in range(len(expected)):
                if weight[number] >= 0:
                    over = expected[number] - least - tolerance
                    if over < near:
                        if over > -near:
                            doubtful += 1
                        members[many] = number
                        many += 1
            state[MANY] = state[TOLD] = many  # all told, should there be a doubt
            if doubtful > 0:
                return DOUBTFUL
            work += len(expected) >> 12  # a hand takes as long to tell as some thousand to look at
        state[CHOSEN], state[TOLD] = 0, 0
        size = 0
        for i in range(state[MANY]):
            weight[members[i]] = -1
            cohort[members[i]] = state[LOCKED]
            size += orbit_size(class_hand(members[i], small), keys, renamings)
        sizes[state[LOCKED]] = size
        state[LOCKED] += 1


@device_function
def place_in_card_order(hand):
    """Return a number that is the larger, the earlier a hand stands when hands are listed card by card, aces and clubs first."""
    place = np.int64(0)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & SUIT_MASK
        for rank in range(13):
            if lane >> rank & 1:
                place |= np.int64(1) << (51 - 4 * rank - suit)
    return place


@kernel
def first_of_orbits(hands, renamings):
    """Return [hands, 2] int64: for each class the hand that comes first in card order, and its place; ``renamings``: [r, 4] suits."""
    first = np.empty((len(hands), 2), np.int64)
    for i in range(len(hands)):
        first[i, 1] = -1
        for j in range(len(renamings)):
            hand = np.int64(0)
            for suit in range(4):
                hand |= ((hands[i] >> (13 * suit)) & SUIT_MASK) << (13 * renamings[j, suit])
            place = place_in_card_order(hand)
            if place > first[i, 1]:
                first[i, 0], first[i, 1] = hand, place
    return first
