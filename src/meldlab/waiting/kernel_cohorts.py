"""The thesis's own algorithm as a kernel: lock in whole cohorts within a tolerance of the least E.

Each round takes every hand whose estimate lies less than the tolerance above the least one, locks it with that estimate, and only
then tells the others. An estimate is (bag + sum of the known F) / (their number) over all draws with a known F, whatever their size.
"""

import numpy as np

from meldlab.cards.kernel import LANE, class_unrank, orbit_size
from meldlab.compiling import kernel, scalar_kernel
from meldlab.waiting.kernel import NEVER, list_discards, list_draws


@kernel
def lock_in(tolerance, bag, expected, weight, cohort, alive, keys, lanes, seats, rows, small, large, renamings, larger):
    """Lock all hands; return ([cohorts] int64 hands, [cohorts] float64 least E, hands evaluated in all).

    ``expected`` and ``weight`` as in waiting.kernel, goals marked; ``cohort``: [N] int32, set to the round in which a class was locked,
    -1 for goals; ``larger``: M, the number of classes of (n+1)-card hands. Hands evaluated are those still open, summed over the rounds:
    the work of a program that evaluates every open hand anew in each round.
    """
    after = np.full(larger, NEVER)
    drawn, around = np.empty(52, np.int64), np.empty(52, np.int64)
    targets = np.empty(13, np.int64)
    sizes, leasts, rounds, evaluated = np.zeros(64, np.int64), np.zeros(64), 0, 0
    members, many, still_open = np.empty(len(expected), np.int64), 0, 0
    for rank in range(len(expected)):
        cohort[rank] = -1
        if expected[rank] == 0.0:
            members[many] = rank
            many += 1
            weight[rank] = -1
        else:
            still_open += orbit_size(class_unrank(rank, rows, small, lanes, seats), keys, renamings)
    while many > 0:
        for i in range(many):
            value = expected[members[i]]
            draws = list_draws(class_unrank(members[i], rows, small, lanes, seats), alive, keys, large, drawn, around)
            for j in range(draws):
                known = after[around[j]]
                if value >= known:
                    continue
                after[around[j]] = value
                hands = orbit_size(drawn[j], keys, renamings)
                for k in range(list_discards(drawn[j], keys, small, targets, 0)):
                    target = targets[k]
                    before = weight[target]
                    if before < 0:
                        continue
                    if known < NEVER:
                        expected[target] += (value - known) * hands / before
                    elif before == 0:
                        own = orbit_size(class_unrank(target, rows, small, lanes, seats), keys, renamings)
                        expected[target] = value + bag * own / hands
                        weight[target] = hands
                    else:
                        expected[target] = (expected[target] * before + value * hands) / (before + hands)
                        weight[target] = before + hands
        least = NEVER
        for rank in range(len(expected)):
            if weight[rank] >= 0 and expected[rank] < least:
                least = expected[rank]
        many = 0
        if least == NEVER:
            break
        if rounds == len(sizes):
            sizes, leasts = np.concatenate((sizes, np.zeros_like(sizes))), np.concatenate((leasts, np.zeros_like(leasts)))
        evaluated += still_open
        for rank in range(len(expected)):
            if weight[rank] >= 0 and expected[rank] - least < tolerance:
                weight[rank] = -1
                cohort[rank] = rounds
                members[many] = rank
                many += 1
                sizes[rounds] += orbit_size(class_unrank(rank, rows, small, lanes, seats), keys, renamings)
        leasts[rounds] = least
        still_open -= sizes[rounds]
        rounds += 1
    return sizes[:rounds], leasts[:rounds], evaluated


@scalar_kernel
def place_in_card_order(hand):
    """Return a number that is the larger, the earlier a hand stands when hands are listed card by card, aces and clubs first."""
    place = np.int64(0)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
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
                hand |= ((hands[i] >> (13 * suit)) & LANE) << (13 * renamings[j, suit])
            place = place_in_card_order(hand)
            if place > first[i, 1]:
                first[i, 0], first[i, 1] = hand, place
    return first
