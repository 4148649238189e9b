"""Batches of matches between two players in kernels, and the decisions of their rounds as trajectories.

``first`` and ``second`` are parameters of players, ``swapped`` is the seat of the first one. numba compiles a function for each
pair of kinds of players; both orders of the seats share it.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.compiling import device_function, kernel
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import LEFT, bit
from meldlab.gin.kernel_players import decide, estimate, new_memory, sees, show_knock, starts
from meldlab.gin.kernel_round import deal, end_round, score_knock, start_match, step, upcard_of
from meldlab.melds.kernel import deadwood


@device_function(inline="always")
def start_round(state, first, second, memories, swapped, rules):
    """Deal the next round and reset the memories of both players."""
    deal(state, rules)
    starts(first, memories[0], state, swapped)
    starts(second, memories[1], state, 1 - swapped)


@device_function(inline="always")
def act(state, action, first, second, memories, swapped, rules):
    """Apply a legal action that both players see; return whether the round is over."""
    mover, count = state.seat, np.int64(0)
    upcard = upcard_of(state) if state.pile_size > 0 else np.int64(ks.NO_CARD)
    if action >= ks.KNOCK:
        card = np.int64(ks.NO_CARD if action == ks.BIG_GIN else action - ks.KNOCK)
        count = show_knock(first, state, card) if mover == swapped else show_knock(second, state, card)
    is_over = step(state, action, count, rules)
    sees(first, memories[0], state, swapped, mover, upcard, action)
    sees(second, memories[1], state, 1 - swapped, mover, upcard, action)
    return is_over


@device_function(inline="always")
def next_action(state, first, second, memories, swapped, rules):
    """Return the action of the player whose turn it is."""
    if state.seat == swapped:
        return decide(first, memories[0], state, rules)
    return decide(second, memories[1], state, rules)


@device_function
def count_round(state, rules, match):
    """Add a round that is over to the record of a match; return whether the match is over."""
    winner = state.winner
    match.rounds += 1
    match.draws += state.draws
    if winner < 0:
        match.voids += state.knocker < 0  # a knock with equal deadwood may score nothing, too
    else:
        match.points[winner] += state.points
        match.gins[winner] += state.gin
        match.undercuts[winner] += state.undercut
        match.rounds_won[winner] += 1
    is_over, is_won = end_round(state, rules)
    if is_over:
        match.winner = winner if is_won else ks.NO_SEAT
        match.actions = state.step
    return is_over


@device_function
def play_match(state, first, second, memories, swapped, rules, match):
    """Play the match that seed and game of the state name; ``match``: one MATCH of zeros.

    A function of its own: the kernel that Python calls counts references, which would take a tenth of the time.
    """
    start_match(state, rules)
    is_over = False
    while not is_over:
        start_round(state, first, second, memories, swapped, rules)
        while not act(state, next_action(state, first, second, memories, swapped, rules), first, second, memories, swapped, rules):
            pass
        is_over = count_round(state, rules, match)


@kernel
def play_matches(first, second, swapped, rules, states, matches):
    """Play matches on one core; ``matches``: [games] MATCH, of zeros, is filled.

    ``states``: [1] STATE, with the seed and the number of the first game.
    """
    state, memories = states[0], (new_memory(first), new_memory(second))
    for i in range(len(matches)):
        play_match(state, first, second, memories, swapped, rules, matches[i])
        state.game += 1


class Trajectory(NamedTuple):
    """The decisions of a round."""

    turns: Any  # [seats, turns, TURN_WIDTH] float64, of the first seats or of none
    num_turns: Any  # [2] int64, discards of each seat


@device_function
def record_discard(state, player, memory, card, knocks, rules, trajectory):
    """Write the discard of the seat to move, before it is applied, into a row of its trajectory."""
    seat, row = state.seat, trajectory.num_turns[state.seat]
    trajectory.num_turns[seat] += 1
    if seat >= len(trajectory.turns) or row >= trajectory.turns.shape[1]:
        return
    turn, hand = trajectory.turns[seat, row], state.hand[seat] ^ bit(card)
    left_over, pile = deadwood(hand, LEFT), state.pile_mask | bit(card)
    turn[ks.LEFT_OVER], turn[ks.NUM_KNOWN], turn[ks.KNOCKED] = left_over, popcount(state.known[seat]), knocks
    turn[ks.EXPECTED] = estimate(player, memory, card)
    turn[ks.PLANE], turn[ks.PLANE + 1] = hand | pile, state.known[seat] | pile
    turn[ks.OPPONENT_DISCARDS], turn[ks.DISCARDED] = state.discarded[1 - seat], card
    turn[ks.OWN_SCORE], turn[ks.OTHER_SCORE] = state.scores[seat], state.scores[1 - seat]
    turn[ks.IF_KNOCK] = ks.CANNOT_KNOCK
    if left_over <= state.knock_limit:
        turn[ks.IF_KNOCK] = score_knock(state, seat, hand, False, show_knock(player, state, card), rules)[0]


@device_function
def record_draw(state, taken, trajectory):
    """Write the cards that the seat to move sees before its draw, which is not applied yet."""
    turns, seat = trajectory.turns, state.seat
    row, pile = trajectory.num_turns[seat], state.pile_mask
    if seat < len(turns) and row < turns.shape[1]:
        turns[seat, row, ks.DRAW_PLANE] = -1 if taken else state.hand[seat] | pile
        turns[seat, row, ks.DRAW_PLANE + 1] = state.known[seat] | (pile & ~bit(upcard_of(state)) if taken else pile)


@device_function(inline="always")
def record_action(state, action, player, memory, rules, trajectory):
    """Write an action of the seat to move, before it is applied."""
    if action == ks.DRAW or action == ks.TAKE:
        record_draw(state, action == ks.TAKE, trajectory)
    elif ks.DISCARD <= action < ks.BIG_GIN:
        knocks = action >= ks.KNOCK
        record_discard(state, player, memory, np.int64(action - (ks.KNOCK if knocks else ks.DISCARD)), knocks, rules, trajectory)


@device_function(inline="always")
def act_and_record(state, action, first, second, memories, swapped, rules, trajectory):
    """Write and apply an action; return whether the round is over."""
    if state.seat == swapped:
        record_action(state, action, first, memories[0], rules, trajectory)
    else:
        record_action(state, action, second, memories[1], rules, trajectory)
    return act(state, action, first, second, memories, swapped, rules)


@device_function
def play_recorded_round(state, first, second, memories, rules, trajectory):
    """Play the one round of a match, the first player in seat 0, and write its trajectory."""
    start_match(state, rules)
    start_round(state, first, second, memories, 0, rules)
    trajectory.num_turns[:] = 0
    is_over = False
    while not is_over:
        action = next_action(state, first, second, memories, 0, rules)
        is_over = act_and_record(state, action, first, second, memories, 0, rules, trajectory)


@device_function
def close_trajectory(trajectory, state):
    """Write the points of a round that is over into its rows, and CANNOT_KNOCK into the unused ones."""
    turns = trajectory.turns
    for seat in range(len(turns)):
        points = state.points if state.winner == seat else -state.points
        for row in range(turns.shape[1]):
            turns[seat, row, ks.RESULT] = points if row < trajectory.num_turns[seat] else ks.CANNOT_KNOCK


@kernel
def record_rounds(first, second, rules, states, trajectories):
    """Play single rounds on one core and record them; ``trajectories``: [rounds, seats, turns, TURN_WIDTH] float64.

    ``states``: [1] STATE, with the seed and the number of the first game.
    """
    state, memories, num_turns = states[0], (new_memory(first), new_memory(second)), np.zeros(2, np.int64)
    for i in range(len(trajectories)):
        trajectory = Trajectory(trajectories[i], num_turns)
        play_recorded_round(state, first, second, memories, rules, trajectory)
        close_trajectory(trajectory, state)
        state.game += 1
