"""Decisions of players in kernels: the functions of a kind, chosen by the type of a player's parameters."""

import numpy as np

from meldlab.chance.kernel import decision
from meldlab.compiling import by_kind, device_function, kernel
from meldlab.gin.kernel_computed import computed_discard, computed_takes
from meldlab.gin.kernel_ensemble import adjacent_cards, baseline, ensemble_discard, ensemble_takes, see_draw, start_belief, weigh_knock
from meldlab.gin.kernel_hand import (
    DISCARD_PURPOSE,
    FULL,
    LEFT,
    MELDS_PURPOSE,
    bit,
    lowest_card,
    makes_meld,
    melds_with_fewest_lay_offs,
    pick_melds,
    simple_discard,
)
from meldlab.gin.kernel_marjj import marjj_discard, marjj_takes
from meldlab.gin.kernel_policy import policy_discard, policy_input, policy_takes, prior_weights
from meldlab.gin.kernel_round import can_take_at_wall, legal_knocks, observe, upcard_of
from meldlab.gin.kernel_state import (
    AT_WALL,
    BIG_GIN,
    DISCARD,
    DISCARDING,
    DRAW,
    FLOAT_PLANES,
    FORCED,
    KNOCK,
    LAST,
    NARROW,
    NO_CARD,
    OFFERED,
    PASS,
    PLANES,
    PRIOR,
    SCALARS,
    TAKE,
    WIDE,
    EnsembleParameters,
    MarjjParameters,
    Memory,
    NetworkParameters,
    PolicyParameters,
    PolicyWorkspace,
    SimpleParameters,
    ValueTable,
    Workspace,
)
from meldlab.gin.kernel_value_network import best_discard_value, network_takes
from meldlab.melds.kernel import deadwood

NEVER_KNOCKS = -1  # deadwood that no hand has


@device_function(inline="always")
def discard_key(state):
    """Return the address of the draws of the decision of the seat to move."""
    return decision(state.root, state.step, state.seat, DISCARD_PURPOSE)


@device_function(inline="always")
def forbidden_to_players(state):
    """Return the upcard just taken, as a mask: no player in kernels puts it back, whatever the rules say."""
    return bit(state.taken) if state.taken >= 0 else np.int64(0)


@device_function
def threshold(player, turn, limit):
    """Return the most deadwood a player with thresholds knocks with after ``turn`` draws."""
    return min(np.int64(player.knock_early if turn < player.knock_turn else player.knock_late), limit)


# Decisions to take the upcard, ``takes(player, memory, state)``.


@device_function(inline="always")
def simple_takes(player, memory, state):
    """Return whether the upcard makes a meld."""
    return makes_meld(state.hand[state.seat], upcard_of(state))


@device_function(inline="always")
def ensemble_takes_upcard(player, memory, state):
    """Return whether an ensemble takes the upcard."""
    return ensemble_takes(observe(state, state.seat, np.int64(0)), upcard_of(state), memory.belief, player, memory.workspace)


@device_function(inline="always")
def computed_takes_upcard(player, memory, state):
    """Return whether a computed player takes the upcard."""
    return computed_takes(observe(state, state.seat, np.int64(0)), upcard_of(state), player, memory.workspace)


@device_function(inline="always")
def marjj_takes_upcard(player, memory, state):
    """Return whether marjj takes the upcard."""
    return marjj_takes(observe(state, state.seat, np.int64(0)), upcard_of(state))


@device_function(inline="always")
def network_takes_upcard(player, memory, state):
    """Return whether a value network takes the upcard."""
    return network_takes(observe(state, state.seat, np.int64(0)), upcard_of(state), player.weights, memory.workspace)


@device_function(inline="always")
def policy_takes_upcard(player, memory, state):
    """Return whether a policy takes the upcard; after ``network_steps`` actions its prior network decides."""
    weights, workspace = player.weights, memory.workspace
    if 0 < player.network_steps <= state.step:
        observation = observe(state, state.seat, np.int64(0))
        return network_takes(observation, upcard_of(state), prior_weights(weights), workspace.plain)
    inputs = policy_input(state, state.seat, True, weights, workspace)
    return policy_takes(inputs, player.temperature, discard_key(state), weights, workspace)


# The discard and whether to knock with it, ``discards(player, memory, state)``.


@device_function(inline="always")
def simple_discards(player, memory, state):
    """Return the discard with the least deadwood; knock by two thresholds."""
    seat, drawn, used = state.seat, state.drawn, memory.cards
    card, left = simple_discard(state.hand[seat], drawn, state.taken >= 0, used, discard_key(state), memory.workspace.left)
    used[drawn] |= bit(card)
    used[card] |= bit(drawn)
    return card, left <= threshold(player, state.turns[seat], state.knock_limit)


@device_function(inline="always")
def ensemble_discards(player, memory, state):
    """Return the discard of an ensemble, and forget the card."""
    seat, order, belief, workspace = state.seat, memory.cards, memory.belief, memory.workspace
    observation = observe(state, seat, forbidden_to_players(state))
    order[10] = state.drawn
    chosen = ensemble_discard(observation, order, belief, player, workspace)
    card, left, can_knock = weigh_knock(chosen, observation, belief, player, workspace.left)
    index = 0
    while index < 10 and order[index] != card:
        index += 1
    while index < 10:
        order[index] = order[index + 1]
        index += 1
    return card, can_knock and left <= threshold(player, state.turns[seat], state.knock_limit)


@device_function(inline="always")
def computed_discards(player, memory, state):
    """Return the discard of a computed player."""
    return computed_discard(observe(state, state.seat, forbidden_to_players(state)), player, memory.workspace)


@device_function(inline="always")
def marjj_discards(player, memory, state):
    """Return the discard of marjj."""
    limit = threshold(player, state.turns[state.seat], state.knock_limit)
    return marjj_discard(observe(state, state.seat, forbidden_to_players(state)), limit, player, memory.workspace)


@device_function(inline="always")
def network_discards(player, memory, state):
    """Return the discard of a value network."""
    observation = observe(state, state.seat, forbidden_to_players(state))
    _, card, knock = best_discard_value(observation, player.noise, discard_key(state), player.weights, memory.workspace)
    return card, knock


@device_function(inline="always")
def policy_discards(player, memory, state):
    """Return the discard of a policy, or of its prior network after ``network_steps`` actions."""
    weights, workspace = player.weights, memory.workspace
    if 0 < player.network_steps <= state.step:
        observation = observe(state, state.seat, forbidden_to_players(state))
        _, card, knock = best_discard_value(observation, 0.0, np.uint64(0), prior_weights(weights), workspace.plain)
        return card, knock
    inputs = policy_input(state, state.seat, True, weights, workspace)
    return policy_discard(inputs, player.temperature, discard_key(state), weights, workspace)


# Updates of a memory: ``starts(player, memory, state, seat)`` after the deal,
# ``sees(player, memory, state, seat, mover, upcard, action)`` after an action; ``upcard`` is the one before it.


@device_function(inline="always")
def simple_starts(player, memory, state, seat):
    """Forget all pairs."""
    memory.cards[:] = 0


@device_function(inline="always")
def ensemble_starts(player, memory, state, seat):
    """Reset the belief, and store the own cards in the order they came."""
    start_belief(memory.belief)
    first = 0 if seat == state.starter else 10
    for i in range(10):
        memory.cards[i] = state.deck[first + i]


@device_function(inline="always")
def nothing_starts(player, memory, state, seat):
    """Remember nothing."""


@device_function(inline="always")
def ensemble_sees(player, memory, state, seat, mover, upcard, action):
    """Update the belief of an ensemble."""
    if action >= KNOCK:
        return
    if action >= DISCARD:
        if mover != seat:
            adjacent_cards(memory.belief, np.int64(action - DISCARD), 1.0, player.discards)
        baseline(memory.belief, state.stock, state.known[seat])
    elif mover != seat:
        see_draw(memory.belief, upcard, action == TAKE, player.draws, player.declines)


@device_function(inline="always")
def nothing_sees(player, memory, state, seat, mover, upcard, action):
    """Remember nothing."""


# The melds that a knocker shows, ``show_melds(player, state, hand, unseen)``: written into ``state.shown[0]``; returns their number.


@device_function
def any_melds(player, state, hand, unseen):
    """Show one of the arrangements with the least deadwood, each equally likely."""
    return pick_melds(hand, decision(state.root, state.step, state.seat, MELDS_PURPOSE), state.shown[0])


@device_function
def guarded_melds(player, state, hand, unseen):
    """Show the arrangement on which the fewest unseen cards can be laid off."""
    return melds_with_fewest_lay_offs(hand, unseen, state.shown[0])


# Estimates for the last discard, ``estimates(player, memory, card)``: (risk that it is taken, value).


@device_function(inline="always")
def no_estimates(player, memory, card):
    """Return zeros."""
    return 0.0, 0.0


@device_function(inline="always")
def computed_estimates(player, memory, card):
    """Return the risk and the value of waiting."""
    return memory.workspace.risks[card], memory.workspace.values[card]


@device_function(inline="always")
def value_estimates(player, memory, card):
    """Return the value of waiting."""
    return 0.0, memory.workspace.values[card]


@device_function(inline="always")
def prior_estimates(player, memory, card):
    """Return the value of waiting by the prior network."""
    return 0.0, memory.workspace.plain.values[card]


# The most deadwood that a hand of the player is expected to keep, ``knock_threshold(player, turn, limit)``.


@device_function
def never_knocks(player, turn, limit):
    """Return a deadwood that no hand has."""
    return np.int64(NEVER_KNOCKS)


@kernel
def plain_workspace(player):
    """Return a new workspace for any player but a policy."""
    return Workspace(
        np.zeros(68, np.float64),
        np.zeros(52, np.int64),
        np.zeros(52, np.float64),
        np.zeros(52, np.float64),
        np.zeros((2, 52), np.float64),
        np.zeros((2, WIDE), np.float32),
        np.zeros(NARROW, np.float32),
    )


@kernel
def policy_workspace(player):
    """Return a new workspace for a policy."""
    return PolicyWorkspace(
        plain_workspace(player),
        np.zeros((2, 5, player.weights.own.shape[1]), np.float32),
        np.zeros(64, np.float64),
        np.zeros(PLANES, np.int64),
        np.zeros((FLOAT_PLANES, 52), np.float32),
        np.zeros(SCALARS, np.float32),
        np.zeros(PRIOR, np.float32),
    )


def _by_kind(simple, ensemble, computed, marjj, network, policy):
    return by_kind(
        {
            SimpleParameters: simple,
            EnsembleParameters: ensemble,
            ValueTable: computed,
            MarjjParameters: marjj,
            NetworkParameters: network,
            PolicyParameters: policy,
        }
    )


takes = _by_kind(simple_takes, ensemble_takes_upcard, computed_takes_upcard, marjj_takes_upcard, network_takes_upcard, policy_takes_upcard)
discards = _by_kind(simple_discards, ensemble_discards, computed_discards, marjj_discards, network_discards, policy_discards)
starts = _by_kind(simple_starts, ensemble_starts, *(nothing_starts,) * 4)
sees = _by_kind(nothing_sees, ensemble_sees, *(nothing_sees,) * 4)
show_melds = _by_kind(any_melds, any_melds, any_melds, guarded_melds, any_melds, any_melds)
estimates = _by_kind(no_estimates, no_estimates, computed_estimates, value_estimates, value_estimates, prior_estimates)
knock_threshold = _by_kind(threshold, *(never_knocks,) * 5)
new_workspace = _by_kind(*(plain_workspace,) * 5, policy_workspace)


@device_function(inline="always")
def show_knock(player, state, card):
    """Show melds for a knock with ``card``, still in the hand, or for big gin with NO_CARD; return their number."""
    hand = state.hand[state.seat]
    unseen = FULL & ~(hand | state.pile_mask)
    if card >= 0:
        hand ^= bit(card)
    return show_melds(player, state, hand, unseen)


@device_function(inline="always")
def decide(player, memory, state, rules):
    """Return the action of the seat to move."""
    phase = state.phase
    if phase == DISCARDING or phase == LAST:
        if rules.big_gin_bonus and deadwood(state.hand[state.seat], LEFT) == 0:
            return np.int64(BIG_GIN)
        card, knock = discards(player, memory, state)
        if phase == LAST:
            able = legal_knocks(state, rules)
            if not able & bit(card):
                card = first_in_print(able)
            knock = True
        return np.int64(card + (KNOCK if knock else DISCARD))
    if phase == FORCED:
        return np.int64(DRAW)
    if phase == AT_WALL:
        return np.int64(TAKE if can_take_at_wall(state, rules) else PASS)
    if takes(player, memory, state):
        return np.int64(TAKE)
    return np.int64(PASS if phase == OFFERED else DRAW)


@device_function
def first_in_print(hand):
    """Return the first card of a hand in the order in which hands are printed: by rank, then by suit."""
    best, place = np.int64(NO_CARD), np.int64(64)
    while hand:
        card = lowest_card(hand)
        hand &= hand - 1
        if card % 13 * 4 + card // 13 < place:
            best, place = card, card % 13 * 4 + card // 13
    return best


@kernel
def new_memory(player):
    """Return a new memory of a player."""
    return Memory(np.zeros(52, np.int64), np.zeros(54, np.float64), new_workspace(player))


@kernel
def take_upcard(player, memory, states):
    """Return whether the seat to move takes the upcard; ``states``: [1] STATE."""
    return takes(player, memory, states[0])


@kernel
def choose_discard(player, memory, states):
    """Return (discard, whether to knock with it) of the seat to move; ``states``: [1] STATE."""
    return discards(player, memory, states[0])
