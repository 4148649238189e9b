"""Kernels of the Monte Carlo player: deal the unseen cards at random, play the round out, count the points.

Seat 0 is the player who thinks. Every candidate meets the same deals, so that luck cancels out of the comparison.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel import bit, discards, popcount
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import new_desk, play_on

OWN, OTHER = 0, 1
PLAYOUT = int(Purpose.PLAYOUT)


class Situation(NamedTuple):
    """The middle of a round, as the player who thinks sees it; numbers are int64."""

    hand: Any  # ten cards before a draw, eleven after
    known: Any  # cards seen to be the opponent's, as a hand
    piled: Any  # [cards] int64, the pile with its top last, as a desk has it; who dropped a card may be left out
    stock: Any  # how many cards it has
    turn: Any  # how often the player has drawn
    draws: Any  # of how many in all
    upcards: Any  # taken after the first
    passes: Any  # as in play_on


@scalar_kernel
def list_unseen(situation, unseen):
    """Write the cards that may lie anywhere into ``unseen``, [52] int64, in order; return how many."""
    seen, count = situation.hand | situation.known, 0
    for card in situation.piled:
        seen |= bit(card & 63)
    for card in range(52):
        if not seen & bit(card):
            unseen[count] = card
            count += 1
    return count


@scalar_kernel
def set_out(desk, situation, theirs, limit):
    """Write the situation into the notes of a desk, with ``theirs`` in the other hand; nobody remembers how the round began."""
    notes, pile = desk.notes, desk.pile
    hand, known, piled, stock, turn, draws, upcards, _ = situation
    notes[HAND + OWN], notes[HAND + OTHER] = hand, theirs
    notes[KNOWN + OWN], notes[KNOWN + OTHER] = known, 0
    notes[TURN + OWN], notes[TURN + OTHER] = turn, draws - turn
    notes[PILE], notes[PILED], notes[STOCK_LEFT] = 0, len(piled), stock
    notes[DROPPED:NOTES] = 0
    notes[UPCARDS], notes[N_DRAWS], notes[STEP], notes[KNOCK_LIMIT] = upcards, draws, 0, limit
    for i in range(len(piled)):
        pile[i] = piled[i]
        notes[PILE] |= bit(piled[i] & 63)
    desk.used[:] = 0


@kernel
def rollouts(candidates, many, key, situation, pair, rules, values):
    """Add to ``values``, [candidates] float64, the points that each candidate wins in ``many`` deals.

    ``candidates``: [candidates, 2] int64, a verb and a card; ``pair``: simple players, who play the rounds out: a playout starts in the
    middle of a round, of which nobody remembers the beginning.
    """
    known, stock, passes = situation.known, situation.stock, situation.passes
    desk, diary = new_desk(np.empty((0, LOG_WIDTH), np.int64)), np.empty((0, DIARY), np.float64)
    deck, outcome = desk.deck, desk.outcome
    unseen = np.empty(52, np.int64)
    count = list_unseen(situation, unseen)
    hidden = 10 - popcount(known)
    for deal in range(many):
        for last in range(count - 1, 0, -1):
            other = below(key, deal * 64 + last, last + 1)
            unseen[last], unseen[other] = unseen[other], unseen[last]
        theirs, root = known, address(key, deal, 0, 0, PLAYOUT)
        for i in range(hidden):
            theirs |= bit(unseen[i])
        for i in range(stock):
            deck[52 - stock + i] = unseen[hidden + i]
        for which in range(len(candidates)):
            set_out(desk, situation, theirs, rules[LIMIT])
            play_on(desk, diary, OWN, passes, pair, rules, root, candidates[which, 0] + 8 * candidates[which, 1])
            if outcome[0] >= 0:
                values[which] += outcome[1] if outcome[0] == OWN else -outcome[1]


@kernel
def discard_deadwoods(hand):
    """Return [52] int64, the deadwood after each discard of a hand, 500 for cards not held."""
    left = np.zeros(52, np.int64)
    discards(hand, left)
    return left
