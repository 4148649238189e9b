"""Deals sampled from the view of a seat in kernels, and rollouts of every candidate move on the same deals.

Seat 0 decides. A rollout starts with the memories that both players would have from the open events. The opponent's hand is not a random
one: it is developed for as many turns as the real one, or drawn from a belief.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import address, below, shuffle, unit
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import by_kind, device_function, kernel
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import FULL, LEFT, bit, discards, list_cards
from meldlab.gin.kernel_match import act, next_action
from meldlab.gin.kernel_players import knock_threshold, new_memory
from meldlab.gin.kernel_policy import prior_weights
from meldlab.gin.kernel_round import observe, step, upcard_of
from meldlab.gin.kernel_value_network import draw_value, take_value
from meldlab.melds.kernel import deadwood

OWN, OTHER = 0, 1
SAMPLED_HANDS, DEVELOPING, PLAYOUT = int(Purpose.SAMPLED_HANDS), int(Purpose.DEVELOPING), int(Purpose.PLAYOUT)

# A candidate, [CANDIDATE_WIDTH] int64: an action; for a knock also the hand that is shown, the discard included, and four melds.
ACTION, SHOWN_HAND, FIRST_MELD = 0, 1, 2
CANDIDATE_WIDTH = 6
NO_SCORE = -1  # in place of an action: the round ends without score
# First draws for a hand from a belief, after those for a developed one; the number of exchanges of its cards, and the weight of a point of
# deadwood after each of the opponent's turns: fitted so that the deadwood is that of rounds between players (benchmarks/gin_belief.py).
FIRST_DRAWN, FIRST_EXCHANGED, EXCHANGES = 64, 128, 60
DEADWOOD_PRICE, MAX_PRICED_TURNS = 0.01, 8
LEAF_WEIGHT = 0.85  # of the value by each prior network, which knows one hand and assumes an average other one; docs/training.md


class Position(NamedTuple):
    """A position within a round, as seat 0 knows it."""

    states: Any  # [1] STATE, without the other hand and the deck
    order: Any  # [10 or 11] int64, own cards in the order they came
    beliefs: Any  # [2, 54] float64, of ensembles
    odds: Any  # [52] float64, odds by a belief that the opponent holds each card; empty without a belief
    max_deadwood: Any  # of the rules, to develop hands that would not have knocked


class Rollouts(NamedTuple):
    """Results of rollouts."""

    outcomes: Any  # [samples, candidates] int64, see ``encode_outcome``
    expected: Any  # [samples, candidates] float64, points for seat 0 by the prior networks, where a rollout is truncated; else NaN
    steps: Any  # after which a rollout is truncated before a draw, where both players are policies; 0: never
    states: Any  # [1] STATE, workspace


@device_function
def develop_hand(hand, unseen, hidden, count, turns, limit, key, left):
    """Play with the first ``hidden`` of ``count`` unseen cards, and the known cards in ``hand``, for some turns; return the hand.

    In every turn a card is drawn from stock, and the discard leaves the least deadwood; known cards stay. A change that leaves at most
    ``limit`` points is skipped, because the opponent would have knocked. ``left``: [52] int64 workspace.
    """
    for turn in range(turns if count > hidden else 0):
        drawn = hidden + below(key, turn, count - hidden)
        eleven = hand | bit(unseen[drawn])
        discards(eleven, left)
        # Ties go to the first card: the order of the unseen cards is random.
        leaving, least = drawn, left[unseen[drawn]]
        for i in range(hidden):
            if left[unseen[i]] < least:
                leaving, least = np.int64(i), left[unseen[i]]
        if leaving != drawn and least > limit:
            hand = eleven ^ bit(unseen[leaving])
            unseen[leaving], unseen[drawn] = unseen[drawn], unseen[leaving]
    return hand


@device_function
def sample_hand(unseen, count, hidden, odds, key, sums):
    """Bring ``hidden`` of ``count`` unseen cards to the front, drawn by their odds as if each were held or not independently.

    ``sums``: [53, 12] float64 workspace, the weight of all ways to hold a number of the cards from an index on.
    """
    for held in range(hidden + 1):
        sums[count, held] = 1.0 if held == 0 else 0.0
    for index in range(count - 1, -1, -1):
        sums[index, 0] = 1.0
        for held in range(1, hidden + 1):
            sums[index, held] = sums[index + 1, held] + odds[unseen[index]] * sums[index + 1, held - 1]
    num_held = 0
    for index in range(count):
        missing = hidden - num_held
        if missing > 0 and unit(key, FIRST_DRAWN + index) * sums[index, missing] < odds[unseen[index]] * sums[index + 1, missing - 1]:
            unseen[index], unseen[num_held] = unseen[num_held], unseen[index]
            num_held += 1


@device_function
def exchange_cards(hand, unseen, hidden, count, turns, odds, key):
    """Exchange the first ``hidden`` unseen cards by Metropolis steps, with weights that fall with the deadwood, and return the hand.

    The odds of single cards alone do not account for melds.
    """
    price, left = DEADWOOD_PRICE * min(turns, MAX_PRICED_TURNS), deadwood(hand, LEFT)
    for i in range(EXCHANGES if 0 < hidden < count else 0):
        nth = FIRST_EXCHANGED + 3 * i
        leaving, coming = below(key, nth, hidden), hidden + below(key, nth + 1, count - hidden)
        other = hand ^ bit(unseen[leaving]) ^ bit(unseen[coming])
        after = deadwood(other, LEFT)
        if unit(key, nth + 2) * odds[unseen[leaving]] < odds[unseen[coming]] * math.exp(price * (left - after)):
            hand, left = other, after
            unseen[leaving], unseen[coming] = unseen[coming], unseen[leaving]
    return hand


@device_function
def sample_deal(deck, position, opponent, key, sample, work, sums):
    """Sample a deal: put the stock into a deck, [52], and return the hand of the opponent, who plays as ``opponent``.

    All draws come from ``key`` and the number of the sample. ``work``: [2, 52] int64, and ``sums``: [53, 12] float64, are workspaces.
    """
    state, odds, unseen = position.states[0], position.odds, work[0]
    known, stock, turns = state.known[OWN], state.stock, state.turns[OTHER]
    count, hidden = list_cards(FULL & ~(state.hand[OWN] | known | state.pile_mask), unseen, 0), 10 - popcount(known)
    shuffle(unseen[:count], address(key, sample, 0, 0, SAMPLED_HANDS))
    draws = address(key, sample, 0, 0, DEVELOPING)
    if len(odds) > 0:
        sample_hand(unseen, count, hidden, odds, draws, sums)
    hand = known
    for i in range(hidden):
        hand |= bit(unseen[i])
    if len(odds) > 0:
        hand = exchange_cards(hand, unseen, hidden, count, turns, odds, draws)
    elif turns > 0:
        # Known cards came without a draw from stock. One turn more brings the deadwood to that of rounds between players.
        limit = knock_threshold(opponent, turns, position.max_deadwood)
        hand = develop_hand(hand, unseen, hidden, count, turns - popcount(known) + 1, limit, draws, work[1])
    for i in range(stock):
        deck[52 - stock + i] = unseen[hidden + i]
    return hand


# The memory of a player within a round, ``restore(player, memory, position, seat, hand, discarded)``; ``hand``: the opponent's,
# ``discarded``: the card that seat 0 discards first, or NO_CARD.


@device_function
def restore_nothing(player, memory, position, seat, hand, discarded):
    """Forget the pairs of drawn and discarded cards."""
    memory.cards[:] = 0


@device_function
def restore_ensemble(player, memory, position, seat, hand, discarded):
    """Restore the belief and the order in which the cards came; of the opponent's hand, hidden cards come first."""
    index, order, known = 0, memory.cards, position.states[0].known[OWN]
    if seat == OWN:
        for card in position.order:
            if card != discarded:
                order[index] = card
                index += 1
    else:
        list_cards(hand & known, order, list_cards(hand & ~known, order, 0))
    for i in range(54):
        memory.belief[i] = position.beliefs[seat, i]


restore = by_kind({ks.EnsembleParameters: restore_ensemble}, restore_nothing)


@device_function
def policy_leaf(player, memory, state, seat):
    """Return the value of a round in which the seat to move is to draw, for ``seat``, by the prior network of a policy."""
    observation, weights = observe(state, seat, np.int64(0)), prior_weights(player.weights)
    value = draw_value(observation, observation.turn + 1, weights, memory.workspace.plain)
    if seat == state.seat:
        value = max(value, take_value(observation, upcard_of(state), weights, memory.workspace.plain))
    return value


@device_function
def no_leaf(player, memory, state, seat):
    """Return 0: rollouts of other players are not truncated."""
    return 0.0


leaf_value = by_kind({ks.PolicyParameters: policy_leaf}, no_leaf)


@device_function
def rollout(candidate, position, hand, first, second, memories, rules, results):
    """Play a candidate to the end of the round in the state of ``results``, with the deck of the sample; return expected points or NaN."""
    state, action, steps = results.states[0], candidate[ACTION], results.steps
    if action >= ks.KNOCK:
        state.hand[OWN], state.hand[OTHER] = candidate[SHOWN_HAND], hand
        count = 0
        while count < 4 and candidate[FIRST_MELD + count] != 0:
            count += 1
        for i in range(4):
            state.shown[OWN, i] = candidate[FIRST_MELD + i]
        step(state, action, count, rules)
        return np.nan
    state.hand[OTHER] = hand
    discarded = np.int64(action - ks.DISCARD) if action >= ks.DISCARD else np.int64(ks.NO_CARD)
    restore(first, memories[0], position, OWN, hand, discarded)
    restore(second, memories[1], position, OTHER, hand, discarded)
    while not act(state, action, first, second, memories, 0, rules):
        if 0 < steps <= state.step and state.phase == ks.DRAWING:
            own, other = leaf_value(first, memories[0], state, OWN), leaf_value(second, memories[1], state, OTHER)
            return LEAF_WEIGHT * (own - other)
        action = next_action(state, first, second, memories, 0, rules)
    return np.nan


@device_function
def encode_outcome(winner, points):
    """Return 0 without a winner, points + 1 if seat 0 scores, - (points + 1) if the other does; ``equity.decode_outcomes`` reads it."""
    if winner < 0:
        return np.int64(0)
    return points + 1 if winner == OWN else -(points + 1)


@kernel
def play_rollouts(candidates, position, first, second, rules, key, sample, results):
    """Play every candidate to the end on sampled deals ``sample`` and following, one for each row of ``results``, a Rollouts.

    ``candidates``: [candidates, CANDIDATE_WIDTH] int64; ``first`` continues for seat 0, ``second`` for the other. All draws of a sample
    come from ``key`` and its number.
    """
    work, sums, deck = np.empty((2, 52), np.int64), np.empty((53, 12), np.float64), np.zeros(52, np.uint8)
    memories = (new_memory(first), new_memory(second))
    for row in range(len(results.outcomes)):
        number = sample + row
        hand = sample_deal(deck, position, second, key, number, work, sums)
        for which in range(len(candidates)):
            results.outcomes[row, which], results.expected[row, which] = 0, np.nan
            if candidates[which, ACTION] == NO_SCORE:
                continue
            results.states[0] = position.states[0]
            state = results.states[0]
            state.root, state.step = np.int64(address(key, number, 0, 0, PLAYOUT)), 0
            state.winner, state.knocker = ks.NO_SEAT, ks.NO_SEAT
            for i in range(52):
                state.deck[i] = deck[i]
            results.expected[row, which] = rollout(candidates[which], position, hand, first, second, memories, rules, results)
            results.outcomes[row, which] = encode_outcome(state.winner, state.points)


@kernel
def sampled_deal(position, opponent, key, sample):
    """Return one sampled deal: the opponent's hand, and [stock] uint8, the stock with its top first."""
    deck = np.zeros(52, np.uint8)
    hand = sample_deal(deck, position, opponent, key, sample, np.empty((2, 52), np.int64), np.empty((53, 12), np.float64))
    return hand, deck[52 - position.states[0].stock :].copy()
