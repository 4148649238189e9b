"""Kernels of the Monte Carlo player: deal the unseen cards at random, play the round out, count the points.

Seat 0 is the player who thinks. Every candidate meets the same deals, so that luck cancels out of the comparison.
"""

import numpy as np

from meldlab.chance.kernel import address, below, decision
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel
from meldlab.gin.kernel import DISCARD, bit, discards, popcount, simple_discard
from meldlab.gin.kernel_ensemble import DRAW, DROP, KNOCK, PASS, TAKE
from meldlab.gin.kernel_round import (
    DIARY,
    DROPPED,
    HAND,
    KNOWN,
    LIMIT,
    LOG_WIDTH,
    N_DRAWS,
    NOTES,
    PILE,
    PILED,
    STEP,
    STOCK_LEFT,
    TURN,
    UPCARDS,
    drop_card,
    is_void,
    new_desk,
    play_on,
    settle,
)

OWN, OTHER = 0, 1
PLAYOUT = int(Purpose.PLAYOUT)


@kernel
def rollouts(candidates, many, key, hand, known, piled, stock, turn, draws, upcards, passes, players, books, rules, values):
    """Add to ``values``, [candidates] float64, the points that each candidate wins in ``many`` deals.

    ``candidates``: [candidates, 2] int64, a verb and a card; ``hand``: ten cards before a draw, eleven after; ``known``: cards seen to be
    the opponent's; ``piled``: [cards] int64, the pile with its top last; ``stock``: how many cards it has; ``turn``: how often
    the player has drawn, of ``draws`` draws in all; ``upcards``, ``passes`` as in play_on; ``players``: [2, PARAMETERS] float64, simple
    ones, who play the rounds out: a playout starts in the middle of a round, of which nobody remembers the beginning.
    """
    desk = new_desk()
    deck, notes, pile, outcome = desk.deck, desk.notes, desk.pile, desk.outcome
    log, diary = np.empty((0, LOG_WIDTH), np.int64), np.empty((0, DIARY), np.float64)
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
    limit = rules[LIMIT]
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
            verb, card = candidates[which, 0], candidates[which, 1]
            notes[HAND + OWN], notes[HAND + OTHER] = hand, theirs
            notes[KNOWN + OWN], notes[KNOWN + OTHER] = known, 0
            notes[TURN + OWN], notes[TURN + OTHER] = turn, draws - turn
            notes[PILE], notes[PILED], notes[STOCK_LEFT] = pile_mask, len(piled), stock
            notes[DROPPED:NOTES] = 0
            notes[UPCARDS], notes[N_DRAWS], notes[STEP] = upcards, draws, 0
            pile[: len(piled)] = piled
            desk.used[:] = 0
            outcome[0] = -1
            seat, passed = OTHER, passes
            going = True
            if verb == PASS:
                passed = passes + 1
            elif verb == TAKE or verb == DRAW:
                if verb == TAKE:
                    got = card
                    notes[PILED] -= 1
                    notes[PILE] &= ~bit(card)
                    notes[UPCARDS] += passed == 3
                else:
                    got = deck[52 - stock]
                    notes[STOCK_LEFT] -= 1
                notes[HAND + OWN] |= bit(got)
                notes[N_DRAWS] += 1
                notes[TURN + OWN] += 1
                passed = np.int64(3)
                tie = decision(root, 0, OWN, DISCARD)
                chosen = simple_discard(notes[HAND + OWN], got, verb == TAKE, desk.used[OWN], tie, desk.left)
                card, after = chosen & 63, chosen >> 6
                verb = KNOCK if after <= limit else DROP
            if verb == KNOCK:
                notes[HAND + OWN] &= ~bit(card)
                settle(notes, OWN, KNOCK, card, rules, root, desk.melds, desk.shown, log, outcome)
                going = False
            elif verb == DROP:
                notes[HAND + OWN] &= ~bit(card)
                drop_card(notes, OWN, card, pile, players, desk.belief)
                going = not is_void(notes, rules)
            if going:
                play_on(desk, seat, passed, limit, players, books, rules, root, log, diary)
            if outcome[0] >= 0:
                values[which] += outcome[1] if outcome[0] == OWN else -outcome[1]


@kernel
def discard_deadwoods(hand):
    """Return [52] int64, the deadwood after each discard of a hand, 500 for cards not held."""
    left = np.zeros(52, np.int64)
    discards(hand, left)
    return left
