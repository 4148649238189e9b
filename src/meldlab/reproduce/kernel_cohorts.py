"""The thesis's own algorithm as kernels: lock in whole cohorts within a tolerance of the least E.

Each round takes every hand whose estimate is less than the tolerance above the least one, locks it with that estimate, and only then
updates the others. An estimate is (bag + sum of the known F) / (their number) over all draws with a known F, whatever their size.

Arrays as in waiting.kernel.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import SUIT_MASK, class_hand, orbit_size
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import INFINITY, list_discards, list_draws

LOCKED, SIZE, UPDATED, CHOSEN = range(4)  # of the state of ``lock_in``
PAUSED, DOUBTFUL, DONE = range(3)  # the reason to return


class CohortRun(NamedTuple):
    """The state of a run."""

    expected: Any  # [N] float64
    weight: Any  # [N] int16
    after: Any  # [M] float64, F where it is known, infinity elsewhere
    cohort: Any  # [N] int32, the round in which a class was locked, -1 for goals
    members: Any  # [N] int64, the classes of the current cohort


@kernel
def lock_in(limit, tolerance, near, state, sizes, leasts, run, space):
    """Lock the next cohorts, about ``limit`` hands or until ``sizes`` is full, and return the reason to stop.

    PAUSED: there is more to do. DOUBTFUL: a hand is within ``near`` of the tolerance above the least one, and doubles cannot decide on
    which side; the caller writes the cohort to ``members``, sets SIZE and CHOSEN, and calls again. DONE: no hand is open.

    ``state``: [4] int64, persists between calls: cohorts in ``sizes``, [capacity] int64 hands, and ``leasts``, [capacity] float64; classes
    in ``members``; the number of them whose neighbours are updated; and 1 if they are to be locked first.
    """
    expected, weight, after, cohort, members = run
    numbering, alive, bag, larger = space.numbering, space.alive, space.bag, space.drawn_numbering.patterns
    keys, patterns, renamings = numbering.keys, numbering.patterns, numbering.renamings
    drawn, around, targets = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(13, np.int64)
    work = 0
    while True:
        if state[CHOSEN] == 0:
            while state[UPDATED] < state[SIZE]:
                if work >= limit:
                    return PAUSED
                work += 1
                number = members[state[UPDATED]]
                state[UPDATED] += 1
                value = expected[number]
                for j in range(list_draws(class_hand(number, numbering), alive, keys, larger, drawn, around)):
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
                        if known < INFINITY:
                            expected[target] += (value - known) * hands / before
                        elif before == 0:
                            own = orbit_size(class_hand(target, numbering), keys, renamings)
                            expected[target] = value + bag * own / hands
                            weight[target] = hands
                        else:
                            expected[target] = (expected[target] * before + value * hands) / (before + hands)
                            weight[target] = before + hands
            least = INFINITY
            for number in range(len(expected)):
                if weight[number] >= 0 and expected[number] < least:
                    least = expected[number]
            if least == INFINITY:
                return DONE
            if state[LOCKED] == len(sizes):
                return PAUSED
            leasts[state[LOCKED]] = least
            count, doubtful = 0, 0
            for number in range(len(expected)):
                if weight[number] >= 0:
                    over = expected[number] - least - tolerance
                    if over < near:
                        if over > -near:
                            doubtful += 1
                        members[count] = number
                        count += 1
            state[SIZE] = state[UPDATED] = count  # all updated, if there is a doubt
            if doubtful > 0:
                return DOUBTFUL
            work += len(expected) >> 12  # updating for one hand takes as long as scanning some thousand
        state[CHOSEN], state[UPDATED] = 0, 0
        size = 0
        for i in range(state[SIZE]):
            weight[members[i]] = -1
            cohort[members[i]] = state[LOCKED]
            size += orbit_size(class_hand(members[i], numbering), keys, renamings)
        sizes[state[LOCKED]] = size
        state[LOCKED] += 1


@device_function
def card_order_key(hand):
    """Return a number that falls in the order in which hands are listed card by card, aces and clubs first."""
    key = np.int64(0)
    for suit in range(4):
        held = (hand >> (13 * suit)) & SUIT_MASK
        for rank in range(13):
            if held >> rank & 1:
                key |= np.int64(1) << (51 - 4 * rank - suit)
    return key


@kernel
def first_of_orbits(hands, renamings, first):
    """Set ``first``, [hands, 2] int64: for each class the hand that is first in card order, and its key; ``renamings``: [r, 4] suits."""
    for i in range(len(hands)):
        first[i, 1] = -1
        for j in range(len(renamings)):
            hand = np.int64(0)
            for suit in range(4):
                hand |= ((hands[i] >> (13 * suit)) & SUIT_MASK) << (13 * renamings[j, suit])
            key = card_order_key(hand)
            if key > first[i, 1]:
                first[i, 0], first[i, 1] = hand, key
