"""Decisions of players in kernels: the functions of a kind, chosen by the type of a player's parameters."""

import numpy as np

from meldlab.chance.kernel import decision
from meldlab.compiling import by_kind, device_function, kernel
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_computed import computed_discards, computed_takes
from meldlab.gin.kernel_ensemble import ensemble_discards, ensemble_sees, ensemble_starts, ensemble_takes
from meldlab.gin.kernel_hand import (
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
from meldlab.gin.kernel_marjj import marjj_discards, marjj_takes
from meldlab.gin.kernel_policy import policy_discards, policy_takes
from meldlab.gin.kernel_round import can_take_at_wall, discard_key, legal_knocks, threshold, upcard_of
from meldlab.gin.kernel_value_network import network_discards, network_takes
from meldlab.melds.kernel import deadwood

NEVER_KNOCKS = -1  # deadwood that no hand has


@device_function(inline="always")
def simple_takes(player, memory, state):
    """Return whether the upcard makes a meld."""
    return makes_meld(state.hand[state.seat], upcard_of(state))


@device_function(inline="always")
def simple_discards(player, memory, state):
    """Return the discard with the least deadwood; knock by two thresholds."""
    seat, drawn, used = state.seat, state.drawn, memory.cards
    card, left = simple_discard(state.hand[seat], drawn, state.taken >= 0, used, discard_key(state), memory.workspace.left)
    used[drawn] |= bit(card)
    used[card] |= bit(drawn)
    return card, left <= threshold(player, state.turns[seat], state.knock_limit)


@device_function(inline="always")
def forget_pairs(player, memory, state, seat):
    """Forget the pairs of drawn and discarded cards."""
    memory.cards[:] = 0


@device_function(inline="always")
def see_nothing(player, memory, state, seat, mover, upcard, action):
    """Remember nothing."""


@device_function
def any_melds(player, state, hand, unseen):
    """Show one of the arrangements with the least deadwood, each equally likely."""
    return pick_melds(hand, decision(state.root, state.step, state.seat, MELDS_PURPOSE), state.shown[0])


@device_function
def marjj_melds(player, state, hand, unseen):
    """Show the arrangement on which the fewest unseen cards can be laid off."""
    return melds_with_fewest_lay_offs(hand, unseen, state.shown[0])


@device_function(inline="always")
def wait_estimate(player, memory, card):
    """Return the value of waiting."""
    return memory.workspace.values[card]


@device_function(inline="always")
def prior_estimate(player, memory, card):
    """Return the value of waiting by the prior network."""
    return memory.workspace.plain.values[card]


@device_function(inline="always")
def no_estimate(player, memory, card):
    """Return 0: a simple player has no values, and those of an ensemble are not points."""
    return 0.0


@device_function
def never_knocks(player, turn, limit):
    """Return a deadwood that no hand has."""
    return np.int64(NEVER_KNOCKS)


@kernel
def plain_workspace(player):
    """Return a new workspace for any player but a policy."""
    return ks.Workspace(
        obtainability=np.zeros(68, np.float64),
        left=np.zeros(52, np.int64),
        risks=np.zeros(52, np.float64),
        values=np.zeros(52, np.float64),
        terms=np.zeros((2, 52), np.float64),
        total=np.zeros((2, ks.WIDE), np.float32),
        inner=np.zeros(ks.NARROW, np.float32),
    )


@kernel
def wide_workspace(wide):
    """Return a new workspace for a policy with layers of this width."""
    return ks.PolicyWorkspace(
        plain=plain_workspace(wide),
        layers=np.zeros((2, 6, wide), np.float32),
        values=np.zeros(64, np.float64),
        planes=np.zeros(ks.PLANES, np.int64),
        float_planes=np.zeros((ks.FLOAT_PLANES, 52), np.float32),
        scalars=np.zeros(ks.SCALARS, np.float32),
        prior=np.zeros(ks.PRIOR, np.float32),
    )


@kernel
def policy_workspace(player):
    """Return a new workspace for a policy."""
    return wide_workspace(player.weights.own.shape[1])


# Of each kind takes(player, memory, state), whether to take the upcard, and discards(player, memory, state), (discard, whether to knock).
DECISIONS = {
    ks.SimpleParameters: (simple_takes, simple_discards),
    ks.EnsembleParameters: (ensemble_takes, ensemble_discards),
    ks.ValueTable: (computed_takes, computed_discards),
    ks.MarjjParameters: (marjj_takes, marjj_discards),
    ks.NetworkParameters: (network_takes, network_discards),
    ks.PolicyParameters: (policy_takes, policy_discards),
}
takes, discards = (by_kind({kind: functions[i] for kind, functions in DECISIONS.items()}) for i in range(2))
# starts(player, memory, state, seat): update of the memory after the deal
starts = by_kind({ks.EnsembleParameters: ensemble_starts}, forget_pairs)
# sees(player, memory, state, seat, mover, upcard, action): update of the memory after an action; ``upcard`` is the one before it
sees = by_kind({ks.EnsembleParameters: ensemble_sees}, see_nothing)
# show_melds(player, state, hand, unseen): melds that a knocker shows, written into ``state.shown[0]``; returns their number
show_melds = by_kind({ks.MarjjParameters: marjj_melds}, any_melds)
# estimate(player, memory, card): expected points after the last discard
estimate = by_kind(
    {ks.PolicyParameters: prior_estimate, ks.SimpleParameters: no_estimate, ks.EnsembleParameters: no_estimate}, wait_estimate
)
# knock_threshold(player, turn, limit): the most deadwood that a hand of the player is sure to knock with
knock_threshold = by_kind({ks.SimpleParameters: threshold}, never_knocks)
new_workspace = by_kind({ks.PolicyParameters: policy_workspace}, plain_workspace)


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
    if phase == ks.DISCARDING or phase == ks.LAST:
        if rules.big_gin_bonus and deadwood(state.hand[state.seat], LEFT) == 0:
            return np.int64(ks.BIG_GIN)
        card, knock = discards(player, memory, state)
        if phase == ks.LAST:
            able = legal_knocks(state, rules)
            if not able & bit(card):
                card = first_in_print(able)
            knock = True
        return np.int64(card + (ks.KNOCK if knock else ks.DISCARD))
    if phase == ks.FORCED:
        return np.int64(ks.DRAW)
    if phase == ks.AT_WALL:
        return np.int64(ks.TAKE if can_take_at_wall(state, rules) else ks.PASS)
    if takes(player, memory, state):
        return np.int64(ks.TAKE)
    return np.int64(ks.PASS if phase == ks.OFFERED else ks.DRAW)


@device_function
def first_in_print(hand):
    """Return the first card of a hand in the order in which hands are printed: by rank, then by suit."""
    best, place = np.int64(ks.NO_CARD), np.int64(64)
    while hand:
        card = lowest_card(hand)
        hand &= hand - 1
        if card % 13 * 4 + card // 13 < place:
            best, place = card, card % 13 * 4 + card // 13
    return best


@kernel
def new_memory(player):
    """Return a new memory of a player."""
    return ks.Memory(cards=np.zeros(52, np.int64), belief=np.zeros(54, np.float64), workspace=new_workspace(player))


@kernel
def take_upcard(player, memory, states):
    """Return whether the seat to move takes the upcard; ``states``: [1] STATE."""
    return takes(player, memory, states[0])


@kernel
def choose_discard(player, memory, states):
    """Return (discard, whether to knock with it) of the seat to move; ``states``: [1] STATE."""
    return discards(player, memory, states[0])
