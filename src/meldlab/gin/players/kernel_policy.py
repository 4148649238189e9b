"""Kernels of the player by policy: a network that gives every legal action a chance, whatever the suits are called.

What a seat knows is eight planes of cards and a few numbers. Every suit goes through the same layers, which see that suit and the mean of
all four; so a hand with its suits renamed is played the same way, with the suits renamed. ``policy`` is a PolicyLayers, ``known`` a Known
and ``bench`` a Bench of gin.kernel_layout.
"""

import numpy as np

from meldlab.chance.kernel import unit
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import lowest_card, nth_card
from meldlab.gin.kernel_layout import PLANES, SCALARS

SUITS, LANE_CARDS = 4, 13
MEAN = 4  # place of the mean of the suits in a workspace
KNOCKS_PLANE = 7


@scalar_kernel
def enter(planes, scalars, policy, out):
    """Put what a seat knows through the first layer; ``planes``: [PLANES] int64, ``scalars``: [SCALARS] float32, ``out``: [5, wide]."""
    wide = out.shape[1]
    for j in range(wide):
        out[MEAN, j] = policy.scalars[SCALARS, j]
    for i in range(SCALARS):
        x = scalars[i]
        if x != 0.0:
            for j in range(wide):
                out[MEAN, j] += x * policy.scalars[i, j]
    for plane in range(PLANES):
        rest = planes[plane]
        while rest:
            row = plane * LANE_CARDS + lowest_card(rest) % LANE_CARDS
            rest &= rest - 1
            for j in range(wide):
                out[MEAN, j] += np.float32(0.25) * policy.every[row, j]
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = out[MEAN, j]
    for plane in range(PLANES):
        rest = planes[plane]
        while rest:
            card = lowest_card(rest)
            rest &= rest - 1
            row, suit = plane * LANE_CARDS + card % LANE_CARDS, card // LANE_CARDS
            for j in range(wide):
                out[suit, j] += policy.own[row, j]
    bend(out)


@scalar_kernel
def bend(out):
    """Cut off what is negative, and take the mean of the suits."""
    wide = out.shape[1]
    for j in range(wide):
        out[MEAN, j] = np.float32(0.0)
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = max(out[suit, j], np.float32(0.0))
            out[MEAN, j] += np.float32(0.25) * out[suit, j]


@scalar_kernel
def deepen(before, layer, policy, out):
    """Put the suits through a further layer."""
    wide = out.shape[1]
    for j in range(wide):
        out[MEAN, j] = policy.deep_bias[layer, j]
    for i in range(wide):
        x = before[MEAN, i]
        if x != 0.0:
            for j in range(wide):
                out[MEAN, j] += x * policy.deep_every[layer, i, j]
    for suit in range(SUITS):
        for j in range(wide):
            out[suit, j] = out[MEAN, j]
        for i in range(wide):
            x = before[suit, i]
            if x != 0.0:
                for j in range(wide):
                    out[suit, j] += x * policy.deep_own[layer, i, j]
    bend(out)


@scalar_kernel
def thought(planes, scalars, policy, work):
    """Return which half of the workspace, [2, 5, wide] float32, holds what the layers make of a position."""
    enter(planes, scalars, policy, work[0])
    at = 0
    for layer in range(len(policy.deep_bias)):
        deepen(work[at], layer, policy, work[1 - at])
        at = 1 - at
    return at


@scalar_kernel
def plain_answer(work, which, policy):
    """Return the answer about no card: 0 pass, 1 draw, 2 take, 3 big gin, 4 what the position is worth."""
    wide = work.shape[1]
    found = np.float64(policy.plain[wide, which])
    for i in range(wide):
        found += np.float64(work[MEAN, i]) * np.float64(policy.plain[i, which])
    return found


@scalar_kernel
def card_answer(work, card, knock, policy):
    """Return the answer about a card: to drop it, or to knock with it."""
    wide, which = work.shape[1], card % LANE_CARDS + LANE_CARDS * knock
    found = np.float64(policy.cards[wide, which])
    for i in range(wide):
        found += np.float64(work[card // LANE_CARDS, i]) * np.float64(policy.cards[i, which])
    return found


@scalar_kernel
def chosen(values, many, temperature, key):
    """Return which of the first ``many`` values is drawn, likelier the larger it is; the largest at temperature 0."""
    best = 0
    for i in range(1, many):
        if values[i] > values[best]:
            best = i
    if temperature <= 0.0:
        return best
    top, total = values[best], 0.0
    for i in range(many):
        values[i] = np.exp((values[i] - top) / temperature)
        total += values[i]
    left = unit(key, 0) * total
    for i in range(many):
        left -= values[i]
        if left < 0.0:
            return i
    return best


@scalar_kernel
def policy_takes(known, temperature, key, policy, bench):
    """Tell whether the upcard is taken; where it is offered it may be passed, else a card is drawn instead."""
    at, values = thought(known.planes, known.scalars, policy, bench.layers), bench.values
    values[0] = plain_answer(bench.layers[at], 0 if known.scalars[0] > 0 else 1, policy)
    values[1] = plain_answer(bench.layers[at], 2, policy)
    return chosen(values, 2, temperature, key) == 1


@scalar_kernel
def policy_discard(known, temperature, key, policy, bench):
    """Choose among the discards and the knocks that are allowed; return card + 64 if it is a knock."""
    at, values, many = thought(known.planes, known.scalars, policy, bench.layers), bench.values, 0
    rest = known.allowed
    while rest:
        values[many] = card_answer(bench.layers[at], lowest_card(rest), 0, policy)
        rest &= rest - 1
        many += 1
    drops = many
    rest = known.planes[KNOCKS_PLANE]
    while rest:
        values[many] = card_answer(bench.layers[at], lowest_card(rest), 1, policy)
        rest &= rest - 1
        many += 1
    which = chosen(values, many, temperature, key)
    if which < drops:
        return nth_card(known.allowed, which)
    return nth_card(known.planes[KNOCKS_PLANE], which - drops) + 64


@scalar_kernel
def policy_worth(known, policy, bench):
    """Return what a position is worth."""
    at = thought(known.planes, known.scalars, policy, bench.layers)
    return plain_answer(bench.layers[at], 4, policy)
