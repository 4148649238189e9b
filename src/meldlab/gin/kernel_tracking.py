"""Kernels that measure state tracking: how many of the opponent's hidden cards a player would guess from what it has seen.

The tracking player plays as a vector that does not look at its belief, so one game serves any number of trackers: it is played once
with its log kept, and every tracker goes through the same log.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import address, shuffle
from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel import FULL, bit
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import DEAL, play_some
from meldlab.gin.players.kernel_ensemble import adjacent_cards, baseline, hear_draw, start_belief

ALLOWANCES = 2  # additional guesses: none, and three
ALLOWED = (0, 3)
TRACKED_TURNS = 40  # own draws of a round that are told apart; later ones count as the last, and place 0 has all of them together
LONGEST = 20_000  # steps of a match that are kept

# What is summed over deals, each played in both seats, for every tracker, allowance and turn: fitness, its square, its product with
# the measurements; and once for all trackers: measurements and their square.
FITNESS, SQUARE, PRODUCT = range(3)
MEASURED, MEASURED_SQUARE = range(2)


@scalar_kernel
def add_fitness(belief, unknown, hidden, sums):
    """Add to ``sums``, [ALLOWANCES] float64, the share of the ``hidden`` cards among the guesses, the unknown cards with the lowest p.

    There are as many guesses as hidden cards, and the allowance. Among equal p guesses fall at random; what is added is their mean.
    """
    many = popcount(hidden)
    for card in range(52):
        if not hidden & bit(card):
            continue
        less, equal = 0, 0
        for other in range(52):
            if unknown & bit(other):
                less += belief[other] < belief[card]
                equal += belief[other] == belief[card]
        for which in range(ALLOWANCES):
            free = many + ALLOWED[which] - less
            sums[which] += min(1.0, max(0.0, free / equal)) / many


class Trail(NamedTuple):
    """What a tracker writes on."""

    deck: Any  # [52] int64
    belief: Any  # [54] float64
    pile: Any  # [64] int64


@scalar_kernel
def follow_round(log, first, own_seat, rules, tracker, trail, sums, measured):
    """Go through the steps of a round from ``first`` on as a tracker in ``own_seat``; return the step behind the last.

    ``log``: [steps, 7] int64; ``sums``: [TRACKED_TURNS, ALLOWANCES] float64 and ``measured``: [TRACKED_TURNS] int64 grow. A measurement
    is taken after every own draw. The deck is that of the round.
    """
    deck, belief, pile = trail
    begins = log[first, SEAT] == own_seat
    own, theirs = np.int64(0), np.int64(0)
    for i in range(10):
        own |= bit(deck[i if begins else 10 + i])
        theirs |= bit(deck[10 + i if begins else i])
    start_belief(belief)
    pile[0] = deck[20]
    piled, lying = 1, bit(deck[20])
    stock, draws, turn, known = 31, 0, 0, np.int64(0)
    for step in range(first, len(log)):
        seat, verb, card = log[step, SEAT], log[step, VERB], log[step, CARD]
        if verb == SHOW:
            return step + 1
        if verb == PASS or verb == TAKE or verb == DRAW:
            upcard = pile[piled - 1]
            if verb == TAKE:
                piled -= 1
                lying &= ~bit(card)
            elif verb == DRAW:
                stock -= 1
            if seat != own_seat:
                if verb == TAKE:
                    known |= bit(card)
                hear_draw(belief, upcard, verb == TAKE, tracker)
            if verb == PASS:
                continue
            draws += 1
            if seat != own_seat:
                theirs |= bit(card)
                continue
            own |= bit(card)
            turn += 1
            hidden = theirs & ~known
            if hidden:
                at = min(turn, TRACKED_TURNS - 1)
                add_fitness(belief, FULL & ~(own | known | lying), hidden, sums[at])
                measured[at] += 1
        elif verb == DROP:
            pile[piled] = card
            piled += 1
            lying |= bit(card)
            if seat != own_seat:
                theirs &= ~bit(card)
                known &= ~bit(card)
                adjacent_cards(belief, card, 1.0, tracker, DROPS)
            else:
                own &= ~bit(card)
            baseline(belief, stock, known)
            if stock <= rules[FLOOR] or draws >= rules[MOST_DRAWS]:
                return step + 1
    return len(log)


@kernel
def track_some(pair, rules, seed, first, deals, trackers, totals, counts):
    """Play deals ``first`` to ``first + deals - 1``, each with the players in both seats, and add up what every tracker guesses.

    ``pair``: who is followed and the opponent; ``trackers``: [trackers, PARAMETERS] float64;
    ``totals``: [trackers, ALLOWANCES, TRACKED_TURNS, 3] float64; ``counts``: [TRACKED_TURNS, 2] int64.
    """
    many = len(trackers)
    trail = Trail(np.empty(52, np.int64), np.zeros(54, np.float64), np.zeros(64, np.int64))
    deck = trail.deck
    log, told = np.zeros((LONGEST, LOG_WIDTH), np.int64), np.zeros((1, COUNTS), np.int32)
    sums, measured = np.zeros((many, TRACKED_TURNS, ALLOWANCES), np.float64), np.zeros((many, TRACKED_TURNS), np.int64)
    swapped = Pair(pair.vectors[::-1].copy(), (pair.books[1], pair.books[0]))
    for deal in range(first, first + deals):
        sums[:] = 0.0
        measured[:] = 0
        for seat in range(2):
            play_some(pair if seat == 0 else swapped, rules, seed, deal, 1, log, told)
            steps = min(np.int64(told[0, STEPS]), LONGEST)
            step, round = np.int64(0), 0
            while step < steps:
                for i in range(52):
                    deck[i] = i
                shuffle(deck, address(seed, deal, round, 0, DEAL))
                after = step
                for i in range(many):
                    after = follow_round(log[:steps], step, seat, rules, trackers[i], trail, sums[i], measured[i])
                step = after
                round += 1
        for i in range(many):
            for turn in range(1, TRACKED_TURNS):
                measured[i, 0] += measured[i, turn]
                for which in range(ALLOWANCES):
                    sums[i, 0, which] += sums[i, turn, which]
        for turn in range(TRACKED_TURNS):
            weight = float(measured[0, turn])
            counts[turn, MEASURED] += measured[0, turn]
            counts[turn, MEASURED_SQUARE] += measured[0, turn] ** 2
            for i in range(many):
                for which in range(ALLOWANCES):
                    fitness = sums[i, turn, which]
                    totals[i, which, turn, FITNESS] += fitness
                    totals[i, which, turn, SQUARE] += fitness * fitness
                    totals[i, which, turn, PRODUCT] += fitness * weight
