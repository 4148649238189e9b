"""Kernels of the player by policy: a network that gives every legal action a chance, whatever the suits are called.

What a seat knows is eight planes of cards, three of numbers and a few numbers more; among them is what a light network thinks of every
action, which also counts by itself: the layers say where to think otherwise. Every suit goes through the same layers, which see that suit
and the mean of all four; so a hand with its suits renamed is played the same way, with the suits renamed, as far as the adviser does so.
``policy`` is a PolicyLayers, ``known`` a Known and ``bench`` a Bench of gin.kernel_layout.
"""

import math

import numpy as np

from meldlab.chance.kernel import unit
from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel import LEFT, bit, knocks, lowest_card, nth_card
from meldlab.gin.kernel_layout import *
from meldlab.melds.kernel import deadwood

LANES, LANE_CARDS = 4, 13
MEAN = 4  # place of the mean of the suits in a workspace
KNOCKS_PLANE = 7
TO_OFFER, TO_DRAW, TO_DROP = 0, 2, 3  # phases, as gin.view.Phase numbers them
ORDER_SHADE, DROP_SHADE, KNOCK_SHADE = range(SHADES)
PLACES = 32.0  # what places in the pile are divided by
DRAW_SCALAR, TAKE_SCALAR, WORTH_SCALAR = SCALARS - 3, SCALARS - 2, SCALARS - 1
BELIEF = 2  # which of the answers about a card says whether the other holds it


@scalar_kernel
def write_known(notes, pile, seat, phase, barred, bench):
    """Write what a seat of a round knows on a bench, without advice, and return the cards that it may drop.

    ``barred``: a card that it may not drop, as a hand.
    """
    planes, scalars, other, hand = bench.planes, bench.scalars, 1 - seat, notes[HAND + seat]
    planes[0], planes[1] = hand, notes[KNOWN + seat]
    planes[2], planes[3], planes[4] = notes[DROPPED + other], notes[DECLINED + other], notes[DROPPED + seat]
    planes[5], planes[6] = notes[PILE], bit(np.int64(pile[notes[PILED] - 1]) & 63) if notes[PILED] > 0 else np.int64(0)
    planes[KNOCKS_PLANE] = knocks(hand, notes[KNOCK_LIMIT]) & ~barred if phase == TO_DROP else np.int64(0)
    for i in range(4):
        scalars[i] = np.float32(i == phase)
    scalars[4], scalars[5] = np.float32(min(notes[TURN + seat], 255) / 16), np.float32(min(notes[TURN + other], 255) / 16)
    scalars[6] = np.float32(notes[STOCK_LEFT] / 32)
    scalars[7], scalars[8] = np.float32(min(notes[SCORED + seat], 255) / 100), np.float32(min(notes[SCORED + other], 255) / 100)
    scalars[9], scalars[10] = np.float32(min(notes[KNOCK_LIMIT], 255) / 10), np.float32(deadwood(hand, LEFT) / 50)
    for card in range(52):
        bench.shades[ORDER_SHADE, card] = np.float32(0.0)
    for place in range(notes[PILED]):
        bench.shades[ORDER_SHADE, np.int64(pile[place]) & 63] = np.float32((place + 1) / PLACES)
    for i in range(ADVICE):
        bench.advice[i] = np.float32(0.0)
    return hand & ~barred


@scalar_kernel
def heed(advice, known):
    """Put advice where the network reads it."""
    for card in range(52):
        known.shades[DROP_SHADE, card] = advice[ADVISED_DROP + card]
        known.shades[KNOCK_SHADE, card] = advice[ADVISED_KNOCK + card]
    known.scalars[DRAW_SCALAR], known.scalars[TAKE_SCALAR] = advice[ADVISED_DRAW], advice[ADVISED_TAKE]
    known.scalars[WORTH_SCALAR] = advice[ADVISED_WORTH]


@scalar_kernel
def enter(known, policy, out):
    """Put what a seat knows through the first layer; ``out``: [5, wide]."""
    planes, shades, scalars, wide = known.planes, known.shades, known.scalars, policy.own.shape[1]
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
    for shade in range(SHADES):
        for card in range(52):
            x = shades[shade, card]
            if x != 0.0:
                row = (PLANES + shade) * LANE_CARDS + card % LANE_CARDS
                for j in range(wide):
                    out[MEAN, j] += np.float32(0.25) * x * policy.every[row, j]
    for suit in range(LANES):
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
    for shade in range(SHADES):
        for card in range(52):
            x = shades[shade, card]
            if x != 0.0:
                row, suit = (PLANES + shade) * LANE_CARDS + card % LANE_CARDS, card // LANE_CARDS
                for j in range(wide):
                    out[suit, j] += x * policy.own[row, j]
    bend(out, wide)


@scalar_kernel
def bend(out, wide):
    """Cut off what is negative, and take the mean of the suits."""
    for j in range(wide):
        out[MEAN, j] = np.float32(0.0)
    for suit in range(LANES):
        for j in range(wide):
            out[suit, j] = max(out[suit, j], np.float32(0.0))
            out[MEAN, j] += np.float32(0.25) * out[suit, j]


@scalar_kernel
def deepen(before, layer, policy, out):
    """Put the suits through a further layer."""
    wide = policy.own.shape[1]
    for j in range(wide):
        out[MEAN, j] = policy.deep_bias[layer, j]
    for i in range(wide):
        x = before[MEAN, i]
        if x != 0.0:
            for j in range(wide):
                out[MEAN, j] += x * policy.deep_every[layer, i, j]
    for suit in range(LANES):
        for j in range(wide):
            out[suit, j] = out[MEAN, j]
    # All suits at once: each weight is fetched once, which takes longer than to multiply by nothing.
    for i in range(wide):
        a, b, c, d = before[0, i], before[1, i], before[2, i], before[3, i]
        for j in range(wide):
            weight = policy.deep_own[layer, i, j]
            out[0, j] += a * weight
            out[1, j] += b * weight
            out[2, j] += c * weight
            out[3, j] += d * weight
    bend(out, wide)


@scalar_kernel
def thought(known, policy, work):
    """Return which half of the workspace, [2, 5, wide] float32, holds what the layers make of a position."""
    enter(known, policy, work[0])
    at = 0
    for layer in range(len(policy.deep_bias)):
        deepen(work[at], layer, policy, work[1 - at])
        at = 1 - at
    return at


@scalar_kernel
def plain_answer(work, which, policy):
    """Return the answer about no card: 0 pass, 1 draw, 2 take, 3 big gin, 4 what the position is worth."""
    wide = policy.own.shape[1]
    found = np.float64(policy.plain[wide, which])
    for i in range(wide):
        found += np.float64(work[MEAN, i]) * np.float64(policy.plain[i, which])
    return found


@scalar_kernel
def card_answer(work, card, about, policy):
    """Return the answer about a card: 0 to drop it, 1 to knock with it, BELIEF how likely the other holds it; advice is not in it."""
    wide, which = policy.own.shape[1], card % LANE_CARDS + LANE_CARDS * about
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
        values[i] = math.exp((values[i] - top) / temperature)
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
    at, values, trust = thought(known, policy, bench.layers), bench.values, policy.trust[0]
    values[0] = plain_answer(bench.layers[at], 0 if known.scalars[0] > 0 else 1, policy) + trust * known.scalars[DRAW_SCALAR]
    values[1] = plain_answer(bench.layers[at], 2, policy) + trust * known.scalars[TAKE_SCALAR]
    return chosen(values, 2, temperature, key) == 1


@scalar_kernel
def policy_discard(known, temperature, key, policy, bench):
    """Choose among the discards and the knocks that are allowed; return card + 64 if it is a knock."""
    at, values, many = thought(known, policy, bench.layers), bench.values, 0
    rest = known.allowed
    while rest:
        card = lowest_card(rest)
        values[many] = card_answer(bench.layers[at], card, 0, policy) + policy.trust[1] * known.shades[DROP_SHADE, card]
        rest &= rest - 1
        many += 1
    drops = many
    rest = known.planes[KNOCKS_PLANE]
    while rest:
        card = lowest_card(rest)
        values[many] = card_answer(bench.layers[at], card, 1, policy) + policy.trust[2] * known.shades[KNOCK_SHADE, card]
        rest &= rest - 1
        many += 1
    which = chosen(values, many, temperature, key)
    if which < drops:
        return nth_card(known.allowed, which)
    return nth_card(known.planes[KNOCKS_PLANE], which - drops) + 64


@scalar_kernel
def policy_worth(known, policy, bench):
    """Return what a position is worth."""
    at = thought(known, policy, bench.layers)
    return plain_answer(bench.layers[at], 4, policy)


@kernel
def new_bench(wide):
    """Return a bench for policies that are at most so wide."""
    return Bench(
        np.zeros((2, LANES + 1, wide), np.float32),
        np.zeros(64, np.float64),
        np.zeros(PLANES, np.int64),
        np.zeros((SHADES, 52), np.float32),
        np.zeros(SCALARS, np.float32),
        np.zeros(ADVICE, np.float32),
    )
