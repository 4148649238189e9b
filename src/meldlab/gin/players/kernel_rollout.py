"""Kernels of the Monte Carlo player: deal the unseen cards at random, play the round out, count the points.

Seat 0 is the player who thinks. Every candidate meets the same deals, so that luck cancels out of the comparison.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel
from meldlab.gin.kernel import bit, discards, popcount
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import new_desk, play_on, settle

OWN, OTHER = 0, 1
PLAYOUT = int(Purpose.PLAYOUT)


class Situation(NamedTuple):
    """The middle of a round, as the player who thinks sees it; numbers are int64."""

    hand: Any  # ten cards before a draw, eleven after
    known: Any  # cards seen to be the opponent's, as a hand
    piled: Any  # [cards] int64, the pile with its top last
    stock: Any  # how many cards it has
    turn: Any  # how often the player has drawn
    draws: Any  # of how many in all
    upcards: Any  # taken after the first
    passes: Any  # as in play_on
    shown: Any  # own cards that the opponent saw being taken, as a hand
    dropped: Any  # cards that the player has dropped, as a hand
    seen: Any  # cards that the opponent has dropped, as a hand
    own: Any  # points in the match
    other: Any


@kernel
def rollouts(candidates, key, situation, pair, rules, points):
    """Fill ``points``, [candidates, deals] int32, with what each candidate wins in each deal, lost points being negative.

    ``candidates``: [candidates, 2] int64, a verb and a card; ``pair``: simple or light players, who play the rounds out: a playout starts
    in the middle of a round, of which they need no more than the situation tells.
    """
    hand, known, piled, stock, turn, draws, upcards, passes, shown, dropped, seen, own, other = situation
    desk, diary = new_desk(np.empty((0, LOG_WIDTH), np.int64)), np.empty((0, DIARY), np.float64)
    deck, notes, pile, outcome = desk.deck, desk.notes, desk.pile, desk.outcome
    pile_mask = np.int64(0)
    for card in piled:
        pile_mask |= bit(card)
    unseen = np.empty(52, np.int64)
    count = 0
    for card in range(52):
        if not (hand | known | pile_mask) & bit(card):
            unseen[count] = card
            count += 1
    hidden = 10 - popcount(known)
    for deal in range(points.shape[1]):
        for last in range(count - 1, 0, -1):
            place = below(key, deal * 64 + last, last + 1)
            unseen[last], unseen[place] = unseen[place], unseen[last]
        theirs, root = known, address(key, deal, 0, 0, PLAYOUT)
        for i in range(hidden):
            theirs |= bit(unseen[i])
        for i in range(stock):
            deck[52 - stock + i] = unseen[hidden + i]
        for which in range(len(candidates)):
            notes[HAND + OWN], notes[HAND + OTHER] = hand, theirs
            notes[KNOWN + OWN], notes[KNOWN + OTHER] = known, shown
            notes[TURN + OWN], notes[TURN + OTHER] = turn, draws - turn
            notes[PILE], notes[PILED], notes[STOCK_LEFT] = pile_mask, len(piled), stock
            notes[DROPPED + OWN], notes[DROPPED + OTHER] = dropped, seen
            notes[SCORED + OWN], notes[SCORED + OTHER] = own, other
            notes[UPCARDS], notes[N_DRAWS], notes[STEP], notes[KNOCK_LIMIT] = upcards, draws, 0, rules[LIMIT]
            pile[: len(piled)] = piled
            desk.used[:] = 0
            if candidates[which, 0] == BIG:
                settle(desk, OWN, BIG, -1, rules, root)
            else:
                play_on(desk, diary, OWN, passes, pair, rules, root, candidates[which, 0] + 8 * candidates[which, 1])
            points[which, deal] = 0 if outcome[0] < 0 else outcome[1] if outcome[0] == OWN else -outcome[1]


@kernel
def discard_deadwoods(hand):
    """Return [52] int64, the deadwood after each discard of a hand, 500 for cards not held."""
    left = np.zeros(52, np.int64)
    discards(hand, left)
    return left
