"""Kernels of the walk that the best policy takes through the hands: who leads where, and how long it lasts.

The walk over S hands is kept as compressed rows: ``starts`` [S + 1] int64, ``targets`` [moves] int32 (places in the list of hands) and
``draws`` [moves] int16, the number of cards that lead there; all other cards of the bag leave the hand as it is. Hands are listed by
ascending E, so every move goes to an earlier place.
"""

import numpy as np

from meldlab.cards.kernel import LANE, class_unrank, key_of
from meldlab.compiling import kernel, scalar_kernel
from meldlab.waiting.kernel import with_lane


@scalar_kernel
def best_discard(hand, expected, keys, small):
    """Return (least E over the discards, rank of that hand, bit of the card), the lower rank among equals."""
    least, chosen, card = np.inf, np.int64(-1), np.int64(0)
    ka, kb, kc, kd = key_of(hand, 0, keys), key_of(hand, 1, keys), key_of(hand, 2, keys), key_of(hand, 3, keys)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        rest = lane
        while rest:
            bit = rest & -rest
            rest ^= bit
            rank = with_lane(ka, kb, kc, kd, suit, np.int64(keys[suit, lane ^ bit]), small)
            value = np.float64(expected[rank])
            if value < least or (value == least and rank < chosen):
                least, chosen, card = value, rank, bit << (13 * suit)
    return least, chosen, card


@kernel
def list_moves(ranks, place, close, expected, alive, keys, lanes, seats, rows, small, grow):
    """Return (ranks, starts, targets, draws) of the walk from the hands ``ranks``, [hands] int64, in any order.

    ``place``: [N] int32, the place of each class in the list, -1 elsewhere; changed here. With ``grow`` hands that are reached join the
    list, else they must be in it. A draw must better E by more than ``close`` to be taken: less is rounding.
    """
    found = ranks.copy()
    many = len(ranks)
    starts, targets, draws = np.zeros(many + 1, np.int64), np.empty(1 << 10, np.int32), np.empty(1 << 10, np.int16)
    moves, at = 0, 0
    while at < many:
        rank = found[at]
        hand = class_unrank(rank, rows, small, lanes, seats)
        now = np.float64(expected[rank])
        first = moves
        if len(targets) < moves + 52:
            targets, draws = np.concatenate((targets, targets)), np.concatenate((draws, draws))
        if now > 0.0:
            for suit in range(4):
                rest = alive[suit] & ~((hand >> (13 * suit)) & LANE)
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    value, chosen, _ = best_discard(hand | bit << (13 * suit), expected, keys, small)
                    if value >= now - close:
                        continue
                    if place[chosen] < 0 and grow:
                        if many == len(found):
                            found = np.concatenate((found, found))
                            starts = np.concatenate((starts, np.zeros(len(starts), np.int64)))
                        found[many] = chosen
                        place[chosen] = many
                        many += 1
                    here = place[chosen]
                    seen = first
                    while seen < moves and targets[seen] != here:
                        seen += 1
                    if seen == moves:
                        targets[moves], draws[moves] = here, 0
                        moves += 1
                    draws[seen] += 1
        at += 1
        starts[at] = moves
    return found[:many].copy(), starts[: many + 1].copy(), targets[:moves].copy(), draws[:moves].copy()


@kernel
def moments(order, bag, starts, targets, draws):
    """Return ([S] mean, [S] variance) of the number of turns from each hand; ``order``: places by ascending E."""
    mean, square = np.zeros(len(order)), np.zeros(len(order))
    for place in order:
        better, first, second = 0, 0.0, 0.0
        for move in range(starts[place], starts[place + 1]):
            target, cards = targets[move], draws[move]
            better += cards
            first += cards * mean[target]
            second += cards * (1.0 + 2.0 * mean[target] + square[target])
        if better > 0:
            # The other draws cost a turn and leave the hand as it is: solve for the hand's own value.
            mean[place] = (bag + first) / better
            square[place] = (second + (bag - better) * (1.0 + 2.0 * mean[place])) / better
    return mean, square - mean * mean


@kernel
def arrivals(start, turns, enough, bag, starts, targets, draws):
    """Return [t] float64, the chance that the walk from place ``start`` ends on turn 0, 1, ..., at most ``turns`` or until all but ``enough``.

    A place without moves is a goal.
    """
    many = len(starts) - 1
    chance, after = np.zeros(many), np.zeros(many)
    chance[start] = 1.0
    ended = np.zeros(turns + 1)
    left = 1.0
    for turn in range(turns + 1):
        for place in range(many):
            if chance[place] > 0.0 and starts[place] == starts[place + 1]:
                ended[turn] += chance[place]
                chance[place] = 0.0
        left -= ended[turn]
        if left <= enough:
            return ended[: turn + 1]
        after[:] = 0.0
        for place in range(many):
            if chance[place] > 0.0:
                stays = bag
                for move in range(starts[place], starts[place + 1]):
                    stays -= draws[move]
                    after[targets[move]] += chance[place] * draws[move] / bag
                after[place] += chance[place] * stays / bag
        chance, after = after, chance
    return ended


@kernel
def reached_within(turns, bag, starts, targets, draws):
    """Return [turns + 1, S] float64, the chance that the walk from each place has ended after at most t turns."""
    many = len(starts) - 1
    within = np.zeros((turns + 1, many))
    for place in range(many):
        within[0, place] = 1.0 if starts[place] == starts[place + 1] else 0.0
    for turn in range(1, turns + 1):
        for place in range(many):
            if starts[place] == starts[place + 1]:
                within[turn, place] = 1.0
                continue
            stays, total = bag, 0.0
            for move in range(starts[place], starts[place + 1]):
                stays -= draws[move]
                total += draws[move] * within[turn - 1, targets[move]]
            within[turn, place] = (total + stays * within[turn - 1, place]) / bag
    return within
