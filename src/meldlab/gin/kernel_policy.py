"""Kernels of the player by a policy network, which gives every legal action a logit.

The input is eight planes of cards, three of floats and a few numbers; the logits of a value network, the prior, are part of it and are also
added to the output: the layers correct the prior. Every suit goes through the same layers, which see that suit and the mean of all four:
renaming the suits of a hand renames the decision, as far as the prior does so.
``weights`` is a PolicyWeights, ``inputs`` a PolicyInput and ``workspace`` a PolicyWorkspace of gin.kernel_state.
"""

import math

import numpy as np

from meldlab.chance.kernel import unit
from meldlab.compiling import device_function
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_hand import FULL, LEFT, bit, knocks, list_cards, lowest_card
from meldlab.gin.kernel_round import card_plane, discard_key
from meldlab.gin.kernel_value_network import network_discards, network_takes, write_prior
from meldlab.melds.kernel import deadwood

SUITS, RANKS = 4, 13
MEAN, ACTIVE = 4, 5  # rows of a layer in a workspace: the mean of the suits, and the indices of active units
KNOCK_PLANE = ks.NUM_CARD_PLANES
POSITION_PLANE, DISCARD_PLANE, KNOCK_PRIOR_PLANE = range(ks.FLOAT_PLANES)
POSITION_SCALE = 32.0
DRAW_SCALAR, TAKE_SCALAR, VALUE_SCALAR = ks.SCALARS - 3, ks.SCALARS - 2, ks.SCALARS - 1
BELIEF = 2  # index of the output about a card: whether the opponent holds it
PASS_HEAD, DRAW_HEAD, TAKE_HEAD = range(3)  # then big gin, which is declared whenever possible, and the value, for training


@device_function(inline="always")
def prior_weights(weights):
    """Return the weights of the prior network."""
    return ks.ValueWeights(weights.rows, weights.first, weights.last)


@device_function(inline="always")
def prior_player(player, memory):
    """Return the player by the prior network, and its memory."""
    return ks.NetworkParameters(prior_weights(player.weights), 0.0), ks.Memory(memory.cards, memory.belief, memory.workspace.plain)


@device_function
def policy_input(state, seat, has_prior, weights, workspace):
    """Return the input of the policy of a seat, written on the workspace; without a prior the workspace has logits 0."""
    other, hand, phase = 1 - seat, state.hand[seat], state.phase
    planes, float_planes, scalars, prior = workspace.planes, workspace.float_planes, workspace.scalars, workspace.prior
    # No player in kernels puts an upcard back, whatever the rules say.
    forbidden = bit(state.taken) if state.taken >= 0 else np.int64(0)
    discards = phase == ks.DISCARDING or phase == ks.LAST
    for plane in range(ks.NUM_CARD_PLANES):
        planes[plane] = card_plane(state, seat, plane)
    planes[KNOCK_PLANE] = knocks(hand, state.knock_limit) & ~forbidden if discards else np.int64(0)
    for i in range(4):
        scalars[i] = np.float32(phase != ks.AT_WALL and i == min(phase, np.int64(ks.DISCARDING)))
    scalars[4], scalars[5] = np.float32(min(state.turns[seat], 255) / 16), np.float32(min(state.turns[other], 255) / 16)
    scalars[6] = np.float32(state.stock / 32)
    scalars[7], scalars[8] = np.float32(min(state.scores[seat], 255) / 100), np.float32(min(state.scores[other], 255) / 100)
    scalars[9], scalars[10] = np.float32(min(state.knock_limit, 255) / 10), np.float32(deadwood(hand, LEFT) / 50)
    for card in range(52):
        float_planes[POSITION_PLANE, card] = np.float32(0.0)
    for i in range(state.pile_size):
        float_planes[POSITION_PLANE, np.int64(state.pile[i]) & ks.CARD_BITS] = np.float32((i + 1) / POSITION_SCALE)
    if has_prior:
        write_prior(state, seat, forbidden, prior_weights(weights), workspace.plain, prior)
    for card in range(52):
        float_planes[DISCARD_PLANE, card] = prior[ks.PRIOR_DISCARD + card]
        float_planes[KNOCK_PRIOR_PLANE, card] = prior[ks.PRIOR_KNOCK + card]
    scalars[DRAW_SCALAR], scalars[TAKE_SCALAR], scalars[VALUE_SCALAR] = prior[ks.PRIOR_DRAW], prior[ks.PRIOR_TAKE], prior[ks.PRIOR_VALUE]
    return ks.PolicyInput(planes, float_planes, scalars, hand & ~forbidden)


@device_function(inline="always")
def add_inputs(inputs, factor, weights, by_suit, out):
    """Add the weights of all planes times a factor, [13 * planes, wide], to the units of each card's suit, or of the mean."""
    for plane in range(ks.PLANES):
        rest = inputs.planes[plane]
        while rest:
            card = lowest_card(rest)
            rest &= rest - 1
            row, target = plane * RANKS + card % RANKS, card // RANKS if by_suit else MEAN
            for j in range(weights.shape[1]):
                out[target, j] += factor * weights[row, j]
    for plane in range(ks.FLOAT_PLANES):
        for card in range(52):
            x = factor * inputs.float_planes[plane, card]
            if x != 0.0:
                row, target = (ks.PLANES + plane) * RANKS + card % RANKS, card // RANKS if by_suit else MEAN
                for j in range(weights.shape[1]):
                    out[target, j] += x * weights[row, j]


@device_function
def input_layer(inputs, weights, out):
    """Apply the first layer; ``out``: [6, wide]. Returns as ``relu_and_mean``."""
    scalars, wide = inputs.scalars, weights.own.shape[1]
    for j in range(wide):
        out[MEAN, j] = weights.scalars[ks.SCALARS, j]
    for i in range(ks.SCALARS):
        x = scalars[i]
        if x != 0.0:
            for j in range(wide):
                out[MEAN, j] += x * weights.scalars[i, j]
    add_inputs(inputs, np.float32(0.25), weights.every, False, out)
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = out[MEAN, j]
    add_inputs(inputs, np.float32(1.0), weights.own, True, out)
    return relu_and_mean(out)


@device_function
def relu_and_mean(out):
    """Apply the rectifier, take the mean of the suits, and list the active units, those not 0 in all suits; return their number.

    A third to a half of the units of the champion are not active: further layers skip them, and the sums are the same.
    """
    wide, count = out.shape[1], 0
    for j in range(wide):
        out[MEAN, j] = np.float32(0.0)
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = max(out[suit, j], np.float32(0.0))
            out[MEAN, j] += np.float32(0.25) * out[suit, j]
    for j in range(wide):
        out[ACTIVE, count] = j
        count += out[MEAN, j] != np.float32(0.0)
    return count


@device_function
def active_unit(out, nth):
    """Return the index of an active unit."""
    return np.int64(out[ACTIVE, nth])


@device_function
def hidden_layer(before, count, layer, weights, out):
    """Apply a further layer to ``count`` active units; returns as ``relu_and_mean``.

    Several inputs at a time: an output is loaded and stored once for all of them, and the sum keeps its order.
    """
    wide, own, every = weights.own.shape[1], weights.deep_own[layer], weights.deep_every[layer]
    for j in range(wide):
        out[MEAN, j] = weights.deep_bias[layer, j]
    whole = count - count % 4
    for k in range(0, whole, 4):
        e, f, g, h = active_unit(before, k), active_unit(before, k + 1), active_unit(before, k + 2), active_unit(before, k + 3)
        a, b, c, d = before[MEAN, e], before[MEAN, f], before[MEAN, g], before[MEAN, h]
        for j in range(wide):
            out[MEAN, j] = out[MEAN, j] + a * every[e, j] + b * every[f, j] + c * every[g, j] + d * every[h, j]
    for k in range(whole, count):
        i = active_unit(before, k)
        for j in range(wide):
            out[MEAN, j] += before[MEAN, i] * every[i, j]
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = out[MEAN, j]
    whole = count - count % 2
    for k in range(0, whole, 2):
        i, n = active_unit(before, k), active_unit(before, k + 1)
        a, b, c, d = before[0, i], before[1, i], before[2, i], before[3, i]
        e, f, g, h = before[0, n], before[1, n], before[2, n], before[3, n]
        for j in range(wide):
            first, second = own[i, j], own[n, j]
            out[0, j] = out[0, j] + a * first + e * second
            out[1, j] = out[1, j] + b * first + f * second
            out[2, j] = out[2, j] + c * first + g * second
            out[3, j] = out[3, j] + d * first + h * second
    for k in range(whole, count):
        i = active_unit(before, k)
        for suit in range(SUITS):
            for j in range(wide):
                out[suit, j] += before[suit, i] * own[i, j]
    return relu_and_mean(out)


@device_function
def forward(inputs, weights, workspace):
    """Return (half, count): which half of ``workspace.layers`` holds the output of the last layer, and its number of active units."""
    layers = workspace.layers
    half, count = 0, input_layer(inputs, weights, layers[0])
    for layer in range(len(weights.deep_bias)):
        count = hidden_layer(layers[half], count, layer, weights, layers[1 - half])
        half = 1 - half
    return half, count


@device_function
def head_output(out, head, weights):
    """Return the output of a head that is not about a card."""
    wide = weights.own.shape[1]
    total = np.float64(weights.plain[wide, head])
    for i in range(wide):
        total += np.float64(out[MEAN, i]) * np.float64(weights.plain[i, head])
    return total


@device_function
def write_card_logits(first, last, about, count, half, weights, workspace):
    """Set ``workspace.values`` from ``first`` to ``last`` to the outputs about the cards in ``workspace.plain.left``, without the prior.

    ``about``: 0 to discard a card, 1 to knock with it, BELIEF that the opponent holds it. The sums of all cards are added up side by side,
    since each addition waits for the one before it.
    """
    values, cards, out = workspace.values, workspace.plain.left, workspace.layers[half]
    for k in range(first, last):
        values[k] = weights.cards[weights.own.shape[1], cards[k] % RANKS + RANKS * about]
    for n in range(count):
        i = active_unit(out, n)
        for k in range(first, last):
            x, weight = out[cards[k] // RANKS, i], weights.cards[i, cards[k] % RANKS + RANKS * about]
            values[k] += np.float64(x) * np.float64(weight)


@device_function
def sample_action(logits, count, temperature, key):
    """Return the index of one of the first ``count`` logits, drawn by softmax; of the largest one at temperature 0."""
    best = 0
    for i in range(1, count):
        if logits[i] > logits[best]:
            best = i
    if temperature <= 0.0:
        return best
    top, total = logits[best], 0.0
    for i in range(count):
        logits[i] = math.exp((logits[i] - top) / temperature)
        total += logits[i]
    left = unit(key, 0) * total
    for i in range(count):
        left -= logits[i]
        if left < 0.0:
            return i
    return best


@device_function
def sample_take(inputs, temperature, key, weights, workspace):
    """Return whether the upcard is taken; where it is offered it may be passed, else a card is drawn instead."""
    (half, _), logits, scale = forward(inputs, weights, workspace), workspace.values, weights.prior_scale[0]
    out = workspace.layers[half]
    logits[0] = head_output(out, PASS_HEAD if inputs.scalars[0] > 0 else DRAW_HEAD, weights) + scale * inputs.scalars[DRAW_SCALAR]
    logits[1] = head_output(out, TAKE_HEAD, weights) + scale * inputs.scalars[TAKE_SCALAR]
    return sample_action(logits, 2, temperature, key) == 1


@device_function
def sample_discard(inputs, temperature, key, weights, workspace):
    """Return (discard, whether to knock with it) among the discards and the knocks that are allowed."""
    (half, active), logits, cards = forward(inputs, weights, workspace), workspace.values, workspace.plain.left
    num_discards = list_cards(inputs.allowed, cards, 0)
    count = list_cards(inputs.planes[KNOCK_PLANE], cards, num_discards)
    write_card_logits(0, num_discards, 0, active, half, weights, workspace)
    write_card_logits(num_discards, count, 1, active, half, weights, workspace)
    for k in range(count):
        knocks_too = np.int64(k >= num_discards)
        logits[k] += weights.prior_scale[1 + knocks_too] * inputs.float_planes[DISCARD_PLANE + knocks_too, cards[k]]
    chosen = sample_action(logits, count, temperature, key)
    return cards[chosen], chosen >= num_discards


@device_function
def write_belief(inputs, weights, workspace):
    """Set the first 52 ``workspace.values`` to the logits that the opponent holds each card."""
    half, count = forward(inputs, weights, workspace)
    write_card_logits(0, list_cards(np.int64(FULL), workspace.plain.left, 0), BELIEF, count, half, weights, workspace)


@device_function
def policy_takes(player, memory, state):
    """Return whether a policy takes the upcard; after ``network_steps`` actions its prior network decides."""
    if 0 < player.network_steps <= state.step:
        prior, plain = prior_player(player, memory)
        return network_takes(prior, plain, state)
    inputs = policy_input(state, state.seat, True, player.weights, memory.workspace)
    return sample_take(inputs, player.temperature, discard_key(state), player.weights, memory.workspace)


@device_function
def policy_discards(player, memory, state):
    """Return (discard, whether to knock with it) of a policy, or of its prior network after ``network_steps`` actions."""
    if 0 < player.network_steps <= state.step:
        prior, plain = prior_player(player, memory)
        return network_discards(prior, plain, state)
    inputs = policy_input(state, state.seat, True, player.weights, memory.workspace)
    return sample_discard(inputs, player.temperature, discard_key(state), player.weights, memory.workspace)
