"""Kernels of the walk that the best policy takes through the hands: who leads where, and how long it lasts.

The walk over S hands is kept as compressed rows: ``starts`` [S + 1] int64, ``targets`` [moves] int32 (places in the list of hands) and
``draws`` [moves] int16, the number of cards that lead there; all other cards of the bag leave the hand as it is. Hands are listed by
ascending E, so every move goes to an earlier place.

Each kernel does a stretch of its work, from ``first`` on, in arrays that it is given: one that works for long, or returns arrays, does
not hear Ctrl-C or is torn by it.
"""

import numpy as np

from meldlab.cards.kernel import LANE, class_unrank
from meldlab.compiling import kernel
from meldlab.waiting.kernel import best_discard


@kernel
def list_moves(first, hands, many, moves, grow, close, found, place, starts, targets, draws, expected, alive, numbering):
    """Write the moves from ``hands`` hands of the list, the ``first`` of them on; return (hands in the list, moves) by then.

    ``found``: [room] int64, the classes in the list, ``many`` of them so far; ``place``: [N] int32, the place of each class in the list,
    -1 elsewhere; ``starts``, ``targets``, ``draws`` with ``moves`` moves so far. There must be room for as many hands and moves as there
    are cards in the bag, for each of ``hands``. With ``grow`` hands that are reached join the list, else they must be in it. A draw must
    better E by more than ``close`` to be taken: less is rounding. ``numbering``: (keys, lanes, seats, rows, patterns) of cards.kernel.
    """
    keys, lanes, seats, rows, small = numbering
    for at in range(first, first + hands):
        rank = found[at]
        hand = class_unrank(rank, rows, small, lanes, seats)
        now = np.float64(expected[rank])
        begun = moves
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
                        found[many] = chosen
                        place[chosen] = many
                        many += 1
                    here = place[chosen]
                    seen = begun
                    while seen < moves and targets[seen] != here:
                        seen += 1
                    if seen == moves:
                        targets[moves], draws[moves] = here, 0
                        moves += 1
                    draws[seen] += 1
        starts[at + 1] = moves
    return many, moves


@kernel
def moments(first, hands, order, bag, starts, targets, draws, mean, square):
    """Set ``mean`` and ``square``, [S] float64: the mean number of turns from each of ``hands`` hands, and the mean of its square.

    ``order``: [S] int64, places by ascending E; hands before the ``first`` of it must be done.
    """
    for i in range(first, first + hands):
        place = order[i]
        better, once, twice = 0, 0.0, 0.0
        for move in range(starts[place], starts[place + 1]):
            target, cards = targets[move], draws[move]
            better += cards
            once += cards * mean[target]
            twice += cards * (1.0 + 2.0 * mean[target] + square[target])
        if better > 0:
            # The other draws cost a turn and leave the hand as it is: solve for the hand's own value.
            mean[place] = (bag + once) / better
            square[place] = (twice + (bag - better) * (1.0 + 2.0 * mean[place])) / better


@kernel
def take_turn(first, hands, bag, starts, targets, draws, chance, after, ended):
    """Move the chance of ``hands`` hands, [S] float64, one turn on, from ``chance`` into ``after``; goals add to ``ended``, [1] float64.

    A place without moves is a goal. ``after`` is 0 before the first hand of a turn.
    """
    for place in range(first, first + hands):
        here = chance[place]
        if here > 0.0:
            if starts[place] == starts[place + 1]:
                ended[0] += here
                continue
            stays = bag
            for move in range(starts[place], starts[place + 1]):
                stays -= draws[move]
                after[targets[move]] += here * draws[move] / bag
            after[place] += here * stays / bag


@kernel
def wait_longer(first, hands, part, bag, starts, targets, draws, before, after, missed):
    """Set ``after``, [S] float64, to the chance of each of ``hands`` hands to end within a turn more than ``before`` says.

    Where that is below ``part``, ``missed``, [S] int64, goes up by one; return how many of the hands still miss it.
    """
    still = 0
    for place in range(first, first + hands):
        if starts[place] == starts[place + 1]:
            after[place] = 1.0
            continue
        stays, total = bag, 0.0
        for move in range(starts[place], starts[place + 1]):
            stays -= draws[move]
            total += draws[move] * before[targets[move]]
        after[place] = (total + stays * before[place]) / bag
        if after[place] < part:
            missed[place] += 1
            still += 1
    return still
