"""Kernels of the review: every candidate on the same worlds, and the chance to win a match from every score.

Seat 0 is whoever decided. A world is where the cards that it could not see lie; what was open both have seen, so that whoever plays the
round out goes on with all that it would remember.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.chance.kernel import address, decision, shuffle
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel import MELDS, bit, popcount
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import laid_open, new_desk, play_on
from meldlab.gin.players.kernel_rollout import OTHER, OWN, list_unseen, set_out

IMAGINED_HANDS, PLAYOUT = int(Purpose.IMAGINED_HANDS), int(Purpose.PLAYOUT)

# Places in a candidate, [CANDIDATE] int64: verb and card; for a knock the cards that are shown, and four melds.
TRIED, ABOUT, SHOWN, FIRST_SHOWN = 0, 1, 2, 3
CANDIDATE = 7
ENDS = -1  # the verb of a candidate that ends the round without score
EVEN = 0.5  # what a match is worth that nobody can win
SINGULAR = 1e-12


class Memory(NamedTuple):
    """What both remember of the round so far, beside a Situation; whoever decided comes first."""

    seen: Any  # own cards that the opponent saw taken, as a hand
    dropped: Any  # [2] int64, as hands
    scores: Any  # [2] int64
    order: Any  # [10 or 11] int64, own cards as they came
    beliefs: Any  # [2, 54] float64, of an ensemble


@scalar_kernel
def remember(desk, memory, known, gone):
    """Write what both remember on a desk that is set out; ``gone``: the card that is dropped first, or -1."""
    notes, order = desk.notes, desk.order
    notes[KNOWN + OTHER] = memory.seen
    at = 0
    for card in memory.order:
        if card != gone:
            order[OWN, at] = card
            at += 1
    # In which order the opponent's cards came is hidden; those it took came last.
    at, theirs = 0, notes[HAND + OTHER]
    for card in range(52):
        if theirs & ~known & bit(card):
            order[OTHER, at] = card
            at += 1
    for card in range(52):
        if known & bit(card):
            order[OTHER, at] = card
            at += 1
    for seat in range(2):
        notes[DROPPED + seat], notes[SCORED + seat] = memory.dropped[seat], memory.scores[seat]
        for i in range(54):
            desk.belief[seat, i] = memory.beliefs[seat, i]


@scalar_kernel
def knocked(candidate, theirs, rules, root, shown, melds):
    """Return the outcome of a knock against ``theirs``, coded as in play_worlds."""
    for i in range(4):
        shown[i] = candidate[FIRST_SHOWN + i]
    many = 0
    while many < 4 and shown[many] != 0:
        many += 1
    worth = laid_open(candidate[SHOWN], theirs, candidate[TRIED] == BIG, rules, decision(root, 1, OTHER, MELDS), shown, many, melds)
    return np.int64(0) if worth == 0 else (worth >> 2) + 1 if worth > 0 else -((-worth >> 2) + 1)


@kernel
def play_worlds(candidates, first, key, situation, memory, pair, rules, outcomes):
    """Play every candidate out in worlds ``first`` and following, one for each row of ``outcomes``, [worlds, candidates] int64.

    An outcome is 0 if nobody wins the round, points + 1 if whoever decided wins, - (points + 1) if the other does. ``candidates``:
    [candidates, CANDIDATE] int64. All draws of a world hang from ``key`` and its number, so nothing depends on how worlds are split up.
    """
    known, stock, passes = situation.known, situation.stock, situation.passes
    desk, diary = new_desk(np.empty((0, LOG_WIDTH), np.int64)), np.empty((0, DIARY), np.float64)
    deck, outcome = desk.deck, desk.outcome
    unseen, hidden = np.empty(52, np.int64), 10 - popcount(known)
    for row in range(len(outcomes)):
        world = first + row
        count = list_unseen(situation, unseen)
        shuffle(unseen[:count], address(key, world, 0, 0, IMAGINED_HANDS))
        theirs, root = known, address(key, world, 0, 0, PLAYOUT)
        for i in range(hidden):
            theirs |= bit(unseen[i])
        for i in range(stock):
            deck[52 - stock + i] = unseen[hidden + i]
        for which in range(len(candidates)):
            verb, card = candidates[which, TRIED], candidates[which, ABOUT]
            if verb == ENDS:
                outcomes[row, which] = 0
            elif verb == KNOCK or verb == BIG:
                outcomes[row, which] = knocked(candidates[which], theirs, rules, root, desk.shown, desk.melds)
            else:
                set_out(desk, situation, theirs, rules[LIMIT])
                remember(desk, memory, known, card if verb == DROP else np.int64(-1))
                play_on(desk, diary, OWN, passes, pair, rules, root, verb + 8 * card)
                won = outcome[1] + 1
                outcomes[row, which] = 0 if outcome[0] < 0 else won if outcome[0] == OWN else -won


@kernel
def fill_equity(odds, next_starter, equity):
    """Fill ``equity``, [points wanted, points wanted, 2] float64: the chance to win from own points and the other's, by who starts.

    Seat 0 is one's own. ``odds``: [2, points] float64, how often the starter wins so many points, and how often the other does; what is
    missing to 1 are rounds that nobody wins, after which the same starts again. ``next_starter``: [2, 2] int64, by who started and who won.
    """
    wanted, most = equity.shape[0], odds.shape[1]
    nobody = max(0.0, 1.0 - odds.sum())
    known, same = np.zeros(2), np.zeros((2, 2))
    for own in range(wanted - 1, -1, -1):
        for other in range(wanted - 1, -1, -1):
            known[:], same[:] = 0.0, 0.0
            for starter in range(2):
                same[starter, starter] += nobody
                for winner in range(2):
                    row, after = odds[0 if winner == starter else 1], next_starter[starter, winner]
                    same[starter, after] += row[0]
                    for points in range(1, most):
                        mine, theirs = own + points * (winner == 0), other + points * (winner == 1)
                        if mine >= wanted:
                            known[starter] += row[points]
                        elif theirs < wanted:
                            known[starter] += row[points] * equity[mine, theirs, after]
            # A round that changes no score leads back here: two equations, by who starts.
            a, b, c, d = 1.0 - same[0, 0], -same[0, 1], -same[1, 0], 1.0 - same[1, 1]
            determinant = a * d - b * c
            if determinant > SINGULAR:
                equity[own, other, 0] = (known[0] * d - b * known[1]) / determinant
                equity[own, other, 1] = (a * known[1] - known[0] * c) / determinant
            else:
                equity[own, other, :] = EVEN
