"""The vector environment in kernels: one action at each of many tables, and the observations of the seats to move.

The same functions run on the CPU, where a core steps a range of tables, and on the GPU, where a thread steps one.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.chance.kernel import below, decision
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import by_kind, device_function, kernel
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import LEFT, nth_card
from meldlab.gin.kernel_match import act, next_action, start_round
from meldlab.gin.kernel_players import new_workspace, plain_workspace, show_knock
from meldlab.gin.kernel_round import card_plane, deal, end_round, forbidden_card, start_match, step, write_legal
from meldlab.gin.kernel_value_network import write_prior
from meldlab.melds.kernel import deadwood

NEW_GAME = -1  # in place of an action
NUM_PLANES = 8  # of 52 bytes: seven of cards that are there or not, and their positions in the pile
NUM_SCALARS = 16
WORDS = 13  # a plane is written four cards at a time
NUM_FEATURES = 52 * NUM_PLANES + NUM_SCALARS
MASK_WORDS = ks.NUM_ACTIONS // 4
CHOICE = int(Purpose.CHOICE)


class StepSettings(NamedTuple):
    """Reward and order of games."""

    by_points: Any  # whether the reward is points, or the win of a match
    stride: Any  # number of games from one of a table to the next


# Rules and settings of the tables on the cores in one record: 22 Python integers as arguments take 1 us more for a step of 4 us.
NUMBERS = np.dtype((np.record, np.dtype([(name, np.int64) for name in (*ks.RuleNumbers._fields, *StepSettings._fields)])))


class NoPlayer(NamedTuple):
    """The player inside where both seats are outside the environment."""

    unused: int = 0


class VectorState(NamedTuple):
    """The states of ``n`` games."""

    states: Any  # [n] STATE
    cards: Any  # [n, 2, 52] int64, of the memory of a player; [n, 2, 0] without an opponent inside
    belief: Any  # [n, 2, 54] float64, likewise


class Outputs(NamedTuple):
    """Observations and results of ``n`` tables; features and mask share their memory with the arrays of words."""

    features: Any  # [n, NUM_FEATURES] uint8
    feature_words: Any  # [n, NUM_FEATURES / 4] uint32
    mask_words: Any  # [n, MASK_WORDS] uint32
    to_move: Any  # [n] int8
    rewards: Any  # [n, 2] float32
    done: Any  # [n] bool
    points: Any  # [n, 2] int32
    scores: Any  # [n, 2] int32
    over: Any  # [n] bool
    winner: Any  # [n] int8
    final_features: Any  # [n, 2, NUM_FEATURES] uint8, the last observations of both seats of a game that has ended; or [n, 2, 0]


@device_function
def write_scalars(state, seat, rules, row):
    """Write the numbers of the features of a seat; ``row``: [NUM_FEATURES] uint8."""
    other, first = 1 - seat, 52 * NUM_PLANES
    row[first] = state.phase
    row[first + 1] = min(state.turns[seat], 255)
    row[first + 2] = min(state.turns[other], 255)
    row[first + 3] = state.stock
    row[first + 4] = min(state.upcard_draws, 255)
    row[first + 5] = min(state.scores[seat], 255)
    row[first + 6] = min(state.scores[other], 255)
    row[first + 7] = min(state.knock_limit, 255)
    row[first + 8] = min(rules.match_points, 255)
    row[first + 9] = min(state.round_index, 255)
    row[first + 10] = state.starter == seat
    row[first + 11] = state.taken + 1
    row[first + 12] = deadwood(state.hand[seat], LEFT)


@device_function
def write_order(state, row):
    """Write the positions of cards in the pile, from 1 at the bottom; ``row``: [NUM_FEATURES] uint8."""
    first = 52 * (NUM_PLANES - 1)
    for card in range(52):
        row[first + card] = 0
    for index in range(state.pile_size):
        row[first + (np.int64(state.pile[index]) & ks.CARD_BITS)] = index + 1


@device_function
def write_features(state, seat, rules, row):
    """Write the features of a seat; ``row``: [NUM_FEATURES] uint8."""
    for plane in range(NUM_PLANES - 1):
        cards = card_plane(state, seat, plane)
        for card in range(52):
            row[52 * plane + card] = cards >> card & 1
    write_order(state, row)
    write_scalars(state, seat, rules, row)


@device_function
def is_legal(state, action):
    """Return whether an action, any integer, is legal for the seat to move."""
    return 0 <= action < ks.NUM_ACTIONS and state.legal[action >> 6] >> (action & 63) & 1 == 1


@device_function
def end_of_round(state, i, rules, settings, outputs):
    """Write the result of a round that is over, and start the next game if the match is over."""
    winner, points = state.winner, state.points
    is_over, is_won = end_round(state, rules)
    # Nothing is written about a next game before the own seat is to move: that seat was another one in the game that has ended.
    if not outputs.done[i]:
        outputs.over[i] = True
        if winner >= 0:
            outputs.points[i, winner] += points
            if is_won or settings.by_points:
                reward = np.float32(points) / np.float32(100.0) if settings.by_points else np.float32(1.0)
                outputs.rewards[i, winner] += reward
                outputs.rewards[i, 1 - winner] -= reward
        if is_over:
            outputs.done[i], outputs.winner[i] = True, winner if is_won else ks.NO_SEAT
            for seat in range(2):
                outputs.scores[i, seat] = state.scores[seat]
                if outputs.final_features.shape[2] > 0:
                    write_features(state, seat, rules, outputs.final_features[i, seat])
    if is_over:
        state.game += settings.stride
        start_match(state, rules)


@device_function(inline="always")
def advance_alone(player, state, action, i, memories, rules, settings, outputs):
    """Apply an action at table ``i``, or start its game, and continue to the next decision, in a new round or game if need be."""
    count = np.int64(0)
    if action >= ks.KNOCK:
        count = show_knock(player, state, np.int64(ks.NO_CARD if action == ks.BIG_GIN else action - ks.KNOCK))
    if action == NEW_GAME:
        start_match(state, rules)
        deal(state, rules)
    elif step(state, action, count, rules):
        end_of_round(state, i, rules, settings, outputs)
        deal(state, rules)


@device_function
def own_seat(state, stride):
    """Return the own seat where the opponent is inside the environment.

    Unless it is fixed it changes with every game of a table: with a fixed starter one seat might otherwise never move.
    """
    return state.own_seat if state.own_seat >= 0 else (state.game % stride + state.game // stride) & 1


@device_function(inline="always")
def advance_against(player, state, action, i, memories, rules, settings, outputs):
    """Apply an action at table ``i``, or start its game, and the actions of the player inside, until the own seat is to move.

    ``memories``: of the player in either seat.
    """
    while True:
        is_over = False
        if action == NEW_GAME:
            start_match(state, rules)
            is_over = True
        elif act(state, action, player, player, memories, 0, rules):
            end_of_round(state, i, rules, settings, outputs)
            is_over = True
        if is_over:
            start_round(state, player, player, memories, 0, rules)
        if state.seat == own_seat(state, settings.stride):
            return
        action = next_action(state, player, player, memories, 0, rules)


advance = by_kind({NoPlayer: advance_alone}, advance_against)


@device_function(inline="always")
def no_workspace(player):
    """Return nothing: no player decides."""
    return player


vector_workspace = by_kind({NoPlayer: no_workspace}, new_workspace)


@device_function
def clear(i, outputs):
    """Clear the results of a table."""
    outputs.done[i], outputs.over[i], outputs.winner[i] = False, False, ks.NO_SEAT
    for seat in range(2):
        outputs.rewards[i, seat], outputs.points[i, seat], outputs.scores[i, seat] = np.float32(0.0), 0, 0


@device_function
def write_table(state, i, rules, outputs):
    """Write the legal actions, the scores of the match, the seat to move, and the numbers of its features."""
    write_legal(state, rules)
    if not outputs.done[i]:
        outputs.scores[i, 0], outputs.scores[i, 1] = state.scores[0], state.scores[1]
    outputs.to_move[i] = state.seat
    write_scalars(state, state.seat, rules, outputs.features[i])


@device_function
def word_of(bits):
    """Return the four lowest bits as four bytes, each 0 or 1."""
    return np.uint32(((bits & 15) * 0x204081) & 0x01010101)


@device_function
def mask_word(state, word):
    """Return four actions of the mask."""
    return word_of(state.legal[word >> 4] >> (4 * (word & 15)))


@device_function(inline="always")
def write_cards(state, i, outputs):
    """Write the planes of cards and the mask of a table."""
    words, mask, features = outputs.feature_words[i], outputs.mask_words[i], outputs.features[i]
    for plane in range(NUM_PLANES - 1):
        cards = card_plane(state, state.seat, plane)
        for word in range(WORDS):
            words[WORDS * plane + word] = word_of(cards >> (4 * word))
    write_order(state, features)
    for word in range(MASK_WORDS):
        mask[word] = mask_word(state, word)


@device_function
def first_illegal(states, actions):
    """Return the first table whose action is not legal, or -1."""
    for i in range(len(actions)):
        if not is_legal(states[i], actions[i]):
            return i
    return -1


@device_function
def step_range(player, workspace, tables, actions, numbers, outputs, first, count):
    """Step a range of tables. A function of its own, since a kernel that Python calls counts references."""
    for i in range(first, first + count):
        state, cards, belief = tables.states[i], tables.cards[i], tables.belief[i]
        memories = (
            ks.Memory(cards=cards[0], belief=belief[0], workspace=workspace),
            ks.Memory(cards=cards[1], belief=belief[1], workspace=workspace),
        )
        clear(i, outputs)
        advance(player, state, actions[i], i, memories, numbers, numbers, outputs)
        write_table(state, i, numbers, outputs)
        write_cards(state, i, outputs)


@kernel
def step_tables(player, tables, actions, numbers, outputs, first, count):
    """Apply legal actions, or start games, at tables ``first`` to ``first + count - 1``, and write the observations of the seats to move.

    With a player inside, the own seat acts, then the player until the own seat is to move again; rewards and points of several rounds that
    end meanwhile are added up. ``actions``: [n] int64; ``numbers``: [1] NUMBERS.
    """
    step_range(player, vector_workspace(player), tables, actions, numbers[0], outputs, first, count)


@device_function
def step_legal(player, workspace, tables, actions, numbers, outputs):
    """Step all tables and return -1, or the first table whose action is not legal and change nothing."""
    illegal = first_illegal(tables.states, actions)
    if illegal < 0:
        step_range(player, workspace, tables, actions, numbers[0], outputs, 0, len(actions))
    return illegal


@kernel
def step_all(player, tables, actions, numbers, outputs):
    """Do ``step_legal`` on one core."""
    return step_legal(player, vector_workspace(player), tables, actions, numbers, outputs)


@kernel
def step_all_alone(tables, actions, numbers, outputs):
    """Do the same without a player inside; to hand one over takes a tenth of the time of a step of one table."""
    return step_legal(NoPlayer(0), NoPlayer(0), tables, actions, numbers, outputs)


@kernel
def write_priors(states, weights, rules, priors):
    """Write the prior of a value network at each table; ``priors``: [n, PRIOR] float32."""
    workspace = plain_workspace(weights)
    for i in range(len(priors)):
        state = states[i]
        write_prior(state, state.seat, forbidden_card(state, rules), weights, workspace, priors[i])


@device_function
def random_action(state):
    """Return a legal action, each equally likely, drawn at the address of the decision."""
    low, high = state.legal[0], state.legal[1]
    num_low = popcount(low)
    nth = below(decision(state.root, state.step, state.seat, CHOICE), 0, num_low + popcount(high))
    return nth_card(low, nth) if nth < num_low else 64 + nth_card(high, nth - num_low)


@device_function
def hidden_hand(state):
    """Return the hand of the seat that is not to move."""
    return state.hand[1 - state.seat]


@kernel
def choose_at_random(states, actions):
    """Set ``actions`` to legal ones."""
    for i in range(len(actions)):
        actions[i] = random_action(states[i])


@kernel
def write_hidden(states, cards):
    """Set ``cards``, [n, 52] uint8, to 1 where the seat that is not to move holds the card."""
    for i in range(len(cards)):
        hand = hidden_hand(states[i])
        for card in range(52):
            cards[i, card] = hand >> card & 1


@kernel
def write_both(states, rules, rows):
    """Write the features of both seats of each table; ``rows``: [n, 2, NUM_FEATURES] uint8."""
    for i in range(len(rows)):
        for seat in range(2):
            write_features(states[i], seat, rules, rows[i, seat])
