"""Kernels of the way that the best policy takes through the hands: who leads where, and how long it lasts.

Moves between S hands are kept as compressed rows. All cards of the bag that lead nowhere leave the hand as it is; every other one leads to
a hand with a smaller E.

Each kernel does a stretch of its work, from ``first`` on, in arrays that it is given: one that works for long, or returns arrays, does
not hear Ctrl-C or is torn by it.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import LANE, class_hand
from meldlab.compiling import kernel
from meldlab.waiting.kernel import least_wait


class Moves(NamedTuple):
    """Which hand leads where."""

    starts: Any  # [S + 1] int64, where the moves of each hand begin
    targets: Any  # [moves] int32, places in the list of hands
    draws: Any  # [moves] int16, the number of cards that lead there


class Chain(NamedTuple):
    """A list of hands that grows, with the moves between them."""

    numbers: Any  # [room] int64, the classes in the list
    place: Any  # [N] int32, the place of each class in the list, -1 elsewhere
    moves: Moves


@kernel
def list_moves(first, hands, known, listed, close, chain, expected, space):
    """Write the moves from ``hands`` hands of the list, the ``first`` of them on; return (hands in the list, moves) by then.

    ``known`` hands are in the list and ``listed`` moves so far; hands that are reached join it. There must be room for as many hands and
    moves as there are cards in the bag, for each of ``hands``. A draw must better E by more than ``close`` to be taken: less is rounding.
    """
    numbers, place = chain.numbers, chain.place
    starts, targets, draws = chain.moves
    small, alive = space.small, space.alive
    keys, patterns = small.keys, small.patterns
    for at in range(first, first + hands):
        number = numbers[at]
        hand = class_hand(number, small)
        now = np.float64(expected[number])
        begun = listed
        if now > 0.0:
            for suit in range(4):
                rest = alive[suit] & ~((hand >> (13 * suit)) & LANE)
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    value, chosen, _ = least_wait(hand | bit << (13 * suit), expected, keys, patterns)
                    if value >= now - close:
                        continue
                    if place[chosen] < 0:
                        numbers[known] = chosen
                        place[chosen] = known
                        known += 1
                    here = place[chosen]
                    seen = begun
                    while seen < listed and targets[seen] != here:
                        seen += 1
                    if seen == listed:
                        targets[listed], draws[listed] = here, 0
                        listed += 1
                    draws[seen] += 1
        starts[at + 1] = listed
    return known, listed


@kernel
def moments(first, hands, order, bag, moves, mean, square):
    """Set ``mean`` and ``square``, [S] float64: the mean number of turns from each of ``hands`` hands, and the mean of its square.

    ``order``: [S] int64, places by ascending E; hands before the ``first`` of it must be done.
    """
    starts, targets, draws = moves
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
def take_turn(first, hands, bag, moves, chance, after, ended):
    """Move the chance of ``hands`` hands, [S] float64, one turn on, from ``chance`` into ``after``; goals add to ``ended``, [1] float64.

    A place without moves is a goal. ``after`` is 0 before the first hand of a turn.
    """
    starts, targets, draws = moves
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
def wait_longer(first, hands, part, bag, moves, before, after, missed):
    """Set ``after``, [S] float64, to the chance of each of ``hands`` hands to end within a turn more than ``before`` says.

    Where that is below ``part``, ``missed``, [S] int64, goes up by one; return how many of the hands still miss it.
    """
    starts, targets, draws = moves
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
