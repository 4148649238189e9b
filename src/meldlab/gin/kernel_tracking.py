"""Kernels that measure state tracking: the share of the opponent's hidden cards that a player guesses from its observations.

The tracked player does not use the belief, so one game evaluates any number of trackers on the same actions.
"""

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.compiling import device_function, kernel
from meldlab.gin.kernel_ensemble import see_action, start_belief
from meldlab.gin.kernel_hand import FULL, bit
from meldlab.gin.kernel_match import act, next_action, start_round
from meldlab.gin.kernel_players import new_memory
from meldlab.gin.kernel_round import end_round, start_match, upcard_of
from meldlab.gin.kernel_state import DRAW, NO_CARD, TAKE

NUM_SHARES = 9  # of a tracker: how far p moves when the opponent draws, declines and discards, for three distances each
ALLOWANCES = 2  # additional guesses: none, and three
ALLOWED = (0, 3)
TRACKED_TURNS = 40  # own draws of a round that are distinguished; later ones count as the last, and index 0 has all of them together

# Sums over deals, each played in both seats, for every tracker, allowance and turn: fitness, its square, its product with
# the measurements; and once for all trackers: measurements and their square.
FITNESS, SQUARE, PRODUCT = range(3)
MEASURED, MEASURED_SQUARE = range(2)


@device_function
def add_fitness(belief, unknown, hidden, sums):
    """Add to ``sums``, [ALLOWANCES] float64, the share of the ``hidden`` cards among the guesses, the unknown cards with the lowest p.

    There are as many guesses as hidden cards, and the allowance. Guesses among equal p are random; their mean is added.
    """
    num_hidden = popcount(hidden)
    for card in range(52):
        if not hidden & bit(card):
            continue
        less, equal = 0, 0
        for other in range(52):
            if unknown & bit(other):
                less += belief[other] < belief[card]
                equal += belief[other] == belief[card]
        for which in range(ALLOWANCES):
            free = num_hidden + ALLOWED[which] - less
            sums[which] += min(1.0, max(0.0, free / equal)) / num_hidden


@device_function
def track_match(state, players, memories, swapped, rules, trackers, work):
    """Play a match, and add up the fitness of every tracker of the first player after each of its draws.

    ``work``: beliefs [trackers, 54] and sums [trackers, TRACKED_TURNS, ALLOWANCES] float64, measured [TRACKED_TURNS] int64.
    """
    first, second = players
    beliefs, sums, measured = work
    start_match(state, rules)
    is_over = False
    while not is_over:
        start_round(state, first, second, memories, swapped, rules)
        for i in range(len(trackers)):
            start_belief(beliefs[i])
        round_is_over = False
        while not round_is_over:
            action, mover = next_action(state, first, second, memories, swapped, rules), state.seat
            upcard = upcard_of(state) if state.pile_size > 0 else np.int64(NO_CARD)
            round_is_over = act(state, action, first, second, memories, swapped, rules)
            for i in range(len(trackers)):
                see_action(beliefs[i], action, mover == swapped, upcard, state.stock, state.known[swapped], trackers[i])
            if mover == swapped and (action == DRAW or action == TAKE):
                hidden = state.hand[1 - swapped] & ~state.known[swapped]
                if hidden:
                    turn = min(state.turns[swapped], TRACKED_TURNS - 1)
                    unknown = FULL & ~(state.hand[swapped] | state.known[swapped] | state.pile_mask)
                    measured[turn] += 1
                    for i in range(len(trackers)):
                        add_fitness(beliefs[i], unknown, hidden, sums[i, turn])
        is_over, _ = end_round(state, rules)


@kernel
def track_matches(players, rules, states, deals, trackers, totals, counts):
    """Play deals on one core, each with the players in both seats, and add up the fitness of every tracker.

    ``players``: the tracked one and the opponent; ``states``: [1] STATE, with the seed and the first deal;
    ``trackers``: [trackers, NUM_SHARES] float64; ``totals``: [trackers, ALLOWANCES, TRACKED_TURNS, 3] float64;
    ``counts``: [TRACKED_TURNS, 2] int64.
    """
    count, state, memories = len(trackers), states[0], (new_memory(players[0]), new_memory(players[1]))
    beliefs = np.zeros((count, 54), np.float64)
    sums, measured = np.zeros((count, TRACKED_TURNS, ALLOWANCES), np.float64), np.zeros(TRACKED_TURNS, np.int64)
    for _ in range(deals):
        sums[:] = 0.0
        measured[:] = 0
        for swapped in range(2):
            track_match(state, players, memories, swapped, rules, trackers.reshape(count, 3, 3), (beliefs, sums, measured))
        for turn in range(1, TRACKED_TURNS):
            measured[0] += measured[turn]
            for i in range(count):
                for which in range(ALLOWANCES):
                    sums[i, 0, which] += sums[i, turn, which]
        for turn in range(TRACKED_TURNS):
            weight = float(measured[turn])
            counts[turn, MEASURED] += measured[turn]
            counts[turn, MEASURED_SQUARE] += measured[turn] ** 2
            for i in range(count):
                for which in range(ALLOWANCES):
                    fitness = sums[i, turn, which]
                    totals[i, which, turn, FITNESS] += fitness
                    totals[i, which, turn, SQUARE] += fitness * fitness
                    totals[i, which, turn, PRODUCT] += fitness * weight
        state.game += 1
