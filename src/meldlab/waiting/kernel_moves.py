"""Kernels of the way that the best policy takes through the hands: who leads where, and how long it lasts.

Moves between S hands are kept as compressed rows. All cards of the bag that lead nowhere leave the hand as it is; every other one leads to
a hand with a smaller E. So hands fall into *levels*: goals first, then those that lead to goals only, and so on. What holds of a hand
follows from the levels before, and all hands of a level can be worked on at once.

Each kernel does a stretch of its work, from ``first`` on, in arrays that it is given: one that works for long, or returns arrays, does
not hear Ctrl-C or is torn by it.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import RANK_BITS, SUIT_MASK, class_hand, number_in_frame, run_from, suit_frame, suit_key
from meldlab.compiling import kernel
from meldlab.waiting.kernel import CARDS_AND_RANK, NEVER, repeats_lane

DRAWS = 52  # moves that a hand has at most


class Moves(NamedTuple):
    """Which hand leads where."""

    starts: Any  # [S + 1] int64, where the moves of each hand begin
    targets: Any  # [moves] int32, places in the list of hands
    draws: Any  # [moves] int16, the number of cards that lead there


class Wave(NamedTuple):
    """Where some hands of the list lead."""

    many: Any  # [W] int64, moves of each
    targets: Any  # [W, DRAWS] uint32, classes
    draws: Any  # [W, DRAWS] int16


@kernel
def choose_discards(first, many, choice, expected, space):
    """Set ``choice`` [M] uint32 to the class that the best discard leads to, for ``many`` classes of (n+1)-card hands.

    Neighbouring classes differ in one lane, as in ``kernel.sweep_discards``.
    """
    large, keys, patterns = space.large, space.small.keys, space.small.patterns
    leasts = np.empty(RANK_BITS)
    number, last = first, first + many
    while number < last:
        hand = class_hand(number, large)
        suit, rank, length = run_from(hand, large)
        end = min(number + length, last)
        chosen, least = choice[number:end], leasts[: end - number]
        least[:] = NEVER
        chosen[:] = 0
        lane = (hand >> (13 * suit)) & SUIT_MASK
        rest = hand & ~(SUIT_MASK << (13 * suit))
        while rest:
            bit = rest & -rest
            rest ^= bit
            frame = suit_frame(hand ^ bit, suit, lane, keys, patterns)
            for i in range(len(least)):
                target = number_in_frame(rank + i, frame)
                value = np.float64(expected[target])
                chosen[i] = target if value < least[i] else chosen[i]
                least[i] = min(value, least[i])
        if lane:
            frame = suit_frame(hand, suit, lane & (lane - 1), keys, patterns)
            lanes = large.suit_masks[suit, (keys[suit, lane] & CARDS_AND_RANK) :]
            for i in range(len(least)):
                lane = np.int64(lanes[i])
                rest = lane
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    target = number_in_frame(keys[suit, lane ^ bit], frame)
                    value = np.float64(expected[target])
                    if value < least[i]:
                        least[i], chosen[i] = value, target
        number = end


@kernel
def list_moves(first, hands, close, numbers, wave, choice, expected, space):
    """Write into ``wave`` where ``hands`` of the hands ``numbers``, [W] int64, lead.

    A draw must better E by more than ``close`` to be taken: less is rounding.
    """
    small, alive, keys, patterns = space.small, space.alive, space.small.keys, space.large.patterns
    around, alike, betters = np.empty(DRAWS, np.int64), np.empty(DRAWS, np.int16), np.empty(DRAWS)
    for at in range(first, first + hands):
        hand, now, many, cards = class_hand(numbers[at], small), np.float64(expected[numbers[at]]), 0, 0
        targets, draws = wave.targets[at], wave.draws[at]
        for suit in range(4):
            lane = (hand >> (13 * suit)) & SUIT_MASK
            rest = alive[suit] & ~lane
            if now == 0.0 or rest == 0 or repeats_lane(hand, suit, keys):
                continue
            same = 0
            for other in range(suit, 4):
                same += 1 if suit_key(hand, other, keys) == suit_key(hand, suit, keys) else 0
            frame = suit_frame(hand, suit, lane | (rest & -rest), keys, patterns)
            while rest:
                bit = rest & -rest
                rest ^= bit
                around[cards], alike[cards] = number_in_frame(keys[suit, lane | bit], frame), same
                cards += 1
        # All that lies far away is asked for before anything is decided: memory answers many questions at once.
        for i in range(cards):
            around[i] = choice[around[i]]
        for i in range(cards):
            betters[i] = expected[around[i]]
        for i in range(cards):
            if betters[i] >= now - close:
                continue
            seen = 0
            while seen < many and targets[seen] != around[i]:
                seen += 1
            if seen == many:
                targets[many], draws[many] = around[i], 0
                many += 1
            draws[seen] += alike[i]
        wave.many[at] = many


@kernel
def reach(hands, known, numbers, listed, wave):
    """Add new classes that ``hands`` hands of a wave lead to behind the ``known`` ones of the list; return how many there are then.

    ``numbers``: [N] int64, the list; ``listed``: [N / 8] uint8, a bit for each class: whether it is in the list.
    """
    for at in range(hands):
        for i in range(wave.many[at]):
            chosen = np.int64(wave.targets[at, i])
            if listed[chosen >> 3] >> (chosen & 7) & 1 == 0:
                listed[chosen >> 3] |= 1 << (chosen & 7)
                numbers[known] = chosen
                known += 1
    return known


@kernel
def join(first, hands, starts, place, moves, wave):
    """Add the moves of ``hands`` hands of a wave.

    ``starts``: [W + 1] int64, where those of each begin; ``place``: [N] int32, the place of each class in the list.
    """
    for at in range(first, first + hands):
        for i in range(wave.many[at]):
            moves.targets[starts[at] + i] = place[wave.targets[at, i]]
            moves.draws[starts[at] + i] = wave.draws[at, i]


@kernel
def find_levels(first, hands, order, moves, level):
    """Set ``level``, [S] int32, of ``hands`` hands; ``order``: [S] int64, places by ascending E, the ones before ``first`` done."""
    starts, targets, _ = moves
    for i in range(first, first + hands):
        place, above = order[i], 0
        for move in range(starts[place], starts[place + 1]):
            above = max(above, level[targets[move]] + 1)
        level[place] = above


@kernel
def moments(first, hands, order, bag, moves, mean, square):
    """Set ``mean`` and ``square``, [S] float64: the mean number of turns from each of ``hands`` hands, and the mean of its square.

    ``order``: [S] int64, places by level; levels before must be done.
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
def end_within(first, hands, order, bag, moves, known, chance):
    """Go on from ``known``, [S] float64, the chance to have ended by a turn: ``chance``, [S, T + 1], of ``hands`` hands gets it and T more.

    ``order`` as in ``moments``. A place without moves is a goal.
    """
    starts, targets, draws = moves
    turns = chance.shape[1] - 1
    sums = np.empty(turns)
    for i in range(first, first + hands):
        place = order[i]
        row, move, end = chance[place], starts[place], starts[place + 1]
        if move == end:
            row[:] = 1.0
            continue
        stays = bag
        sums[:] = 0.0
        # Four hands at a time: while memory answers for one, it is asked for the next.
        while move + 4 <= end:
            a, b, c, d = np.float64(draws[move]), np.float64(draws[move + 1]), np.float64(draws[move + 2]), np.float64(draws[move + 3])
            better_a, better_b = chance[targets[move]], chance[targets[move + 1]]
            better_c, better_d = chance[targets[move + 2]], chance[targets[move + 3]]
            stays -= a + b + c + d
            for turn in range(turns):
                sums[turn] += a * better_a[turn] + b * better_b[turn] + c * better_c[turn] + d * better_d[turn]
            move += 4
        for last in range(move, end):
            cards, better = np.float64(draws[last]), chance[targets[last]]
            stays -= cards
            for turn in range(turns):
                sums[turn] += cards * better[turn]
        for turn in range(turns):
            sums[turn] /= bag
        row[0] = ended = known[place]
        stays /= bag
        for turn in range(turns):
            ended = sums[turn] + stays * ended
            row[turn + 1] = ended
