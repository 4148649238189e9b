"""Kernels of the distribution of turns under the best policy: the graph of its moves, moments, and the probability to end by each turn.

Moves between S hands are stored as compressed rows. All cards of the bag that lead nowhere leave the hand unchanged; every other card leads
to a hand with a smaller E. So hands fall into *levels*: goals first, then those that lead to goals only, and so on. The result of a hand
depends on the levels before, and all hands of a level can be computed at once.

Each kernel does a chunk of its work, from ``first`` on, in arrays of the caller: Ctrl-C interrupts between two calls only, and a kernel
that returns arrays can lose them.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import SUIT_MASK, class_hand, number_in_frame, suit_frame, suit_key
from meldlab.compiling import kernel
from meldlab.waiting.kernel import repeats_suit

DRAWS = 52  # moves of a hand at most


class Moves(NamedTuple):
    """The moves of all hands."""

    starts: Any  # [S + 1] int64, the first move of each hand
    targets: Any  # [moves] int32, indices in the list of hands
    draws: Any  # [moves] int16, the number of cards of each move


class Wave(NamedTuple):
    """The moves of some hands of the list."""

    counts: Any  # [W] int64, the number of moves of each
    targets: Any  # [W, DRAWS] uint32, classes
    draws: Any  # [W, DRAWS] int16


@kernel
def list_moves(first, hands, close, numbers, wave, choice, expected, space):
    """Write the moves of ``hands`` hands of ``numbers``, [W] int64, into ``wave``.

    A move must improve E by more than ``close``: less is rounding. ``choice``: [M] uint32, the class after the best discard.
    """
    numbering, alive, keys, patterns = space.numbering, space.alive, space.numbering.keys, space.drawn_numbering.patterns
    around, alike, values = np.empty(DRAWS, np.int64), np.empty(DRAWS, np.int16), np.empty(DRAWS)
    for index in range(first, first + hands):
        hand, now, count, cards = class_hand(numbers[index], numbering), np.float64(expected[numbers[index]]), 0, 0
        targets, draws = wave.targets[index], wave.draws[index]
        for suit in range(4):
            held = (hand >> (13 * suit)) & SUIT_MASK
            rest = alive[suit] & ~held
            if now == 0.0 or rest == 0 or repeats_suit(hand, suit, keys):
                continue
            same = 0
            for other in range(suit, 4):
                same += 1 if suit_key(hand, other, keys) == suit_key(hand, suit, keys) else 0
            frame = suit_frame(hand, suit, held | (rest & -rest), keys, patterns)
            while rest:
                bit = rest & -rest
                rest ^= bit
                around[cards], alike[cards] = number_in_frame(keys[suit, held | bit], frame), same
                cards += 1
        # All distant memory is read before anything is decided: the reads then overlap.
        for i in range(cards):
            around[i] = choice[around[i]]
        for i in range(cards):
            values[i] = expected[around[i]]
        for i in range(cards):
            if values[i] >= now - close:
                continue
            move = 0
            while move < count and targets[move] != around[i]:
                move += 1
            if move == count:
                targets[count], draws[count] = around[i], 0
                count += 1
            draws[move] += alike[i]
        wave.counts[index] = count


@kernel
def add_targets(hands, known, numbers, listed, wave):
    """Append the new classes that ``hands`` hands of a wave lead to after the ``known`` ones of the list; return the new length.

    ``numbers``: [N] int64, the list; ``listed``: [N / 8] uint8, a bit for each class: whether it is in the list.
    """
    for index in range(hands):
        for i in range(wave.counts[index]):
            target = np.int64(wave.targets[index, i])
            if listed[target >> 3] >> (target & 7) & 1 == 0:
                listed[target >> 3] |= 1 << (target & 7)
                numbers[known] = target
                known += 1
    return known


@kernel
def append_moves(first, hands, starts, indices, moves, wave):
    """Copy the moves of ``hands`` hands of a wave to ``moves``.

    ``starts``: [W + 1] int64, the first move of each hand; ``indices``: [N] int32, the index of each class in the list.
    """
    for index in range(first, first + hands):
        for i in range(wave.counts[index]):
            moves.targets[starts[index] + i] = indices[wave.targets[index, i]]
            moves.draws[starts[index] + i] = wave.draws[index, i]


@kernel
def find_levels(first, hands, order, moves, levels):
    """Set ``levels``, [S] int32, of ``hands`` hands; ``order``: [S] int64, hands by ascending E, those before ``first`` done."""
    starts, targets, _ = moves
    for i in range(first, first + hands):
        index, level = order[i], 0
        for move in range(starts[index], starts[index + 1]):
            level = max(level, levels[targets[move]] + 1)
        levels[index] = level


@kernel
def moments(first, hands, order, bag, moves, mean, square):
    """Set ``mean`` and ``square``, [S] float64: the mean number of turns from each of ``hands`` hands, and the mean of its square.

    ``order``: [S] int64, hands by level; levels before must be done.
    """
    starts, targets, draws = moves
    for i in range(first, first + hands):
        index = order[i]
        better, once, twice = 0, 0.0, 0.0
        for move in range(starts[index], starts[index + 1]):
            target, cards = targets[move], draws[move]
            better += cards
            once += cards * mean[target]
            twice += cards * (1.0 + 2.0 * mean[target] + square[target])
        if better > 0:
            # The other draws cost a turn and leave the hand unchanged: solve for the hand's own value.
            mean[index] = (bag + once) / better
            square[index] = (twice + (bag - better) * (1.0 + 2.0 * mean[index])) / better


@kernel
def end_within(first, hands, order, bag, moves, known, probability):
    """Set ``probability``, [S, T + 1], of ``hands`` hands to the probability to have ended by a turn and by each of T more.

    ``known``: [S] float64, that of the first turn. ``order`` as in ``moments``. A hand without moves is a goal.
    """
    starts, targets, draws = moves
    turns = probability.shape[1] - 1
    sums = np.empty(turns)
    for i in range(first, first + hands):
        index = order[i]
        row, move, end = probability[index], starts[index], starts[index + 1]
        if move == end:
            row[:] = 1.0
            continue
        stays = bag
        sums[:] = 0.0
        # Four targets at a time: the reads of memory overlap.
        while move + 4 <= end:
            a, b, c, d = np.float64(draws[move]), np.float64(draws[move + 1]), np.float64(draws[move + 2]), np.float64(draws[move + 3])
            row_a, row_b = probability[targets[move]], probability[targets[move + 1]]
            row_c, row_d = probability[targets[move + 2]], probability[targets[move + 3]]
            stays -= a + b + c + d
            for turn in range(turns):
                sums[turn] += a * row_a[turn] + b * row_b[turn] + c * row_c[turn] + d * row_d[turn]
            move += 4
        for last in range(move, end):
            cards, target_row = np.float64(draws[last]), probability[targets[last]]
            stays -= cards
            for turn in range(turns):
                sums[turn] += cards * target_row[turn]
        for turn in range(turns):
            sums[turn] /= bag
        row[0] = ended = known[index]
        stays /= bag
        for turn in range(turns):
            ended = sums[turn] + stays * ended
            row[turn + 1] = ended
