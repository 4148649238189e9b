"""Sweeps over all classes of hands: the value of every hand at every turn against an opponent modelled as a hazard.

A sweep is a named tuple of arrays, and a function that computes one entry. The same functions run on the cores and on a GPU.
With N classes of n-card hands and M of (n+1)-card hands: ``value`` [N] float32, V, before a draw; ``utility`` [N] float32, U, after a
discard; ``after`` [M] float32, A, with a card too many; ``left`` [N] uint8, the deadwood of each class; ``odds``, (hazard, knock, caught):
the probability that the opponent knocks next, and [100] float32, points by own deadwood of a knock and if the opponent knocks.
``keys`` and ``patterns`` are those of the numbering (cards.kernel) of the hands after a draw or discard.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_hand, number_in_frame, orbit_size, suit_cards, suit_frame, without_lowest
from meldlab.compiling import by_kind, device_function, kernel
from meldlab.melds.kernel import deadwood

LEAST = np.float32(-1e30)
STRETCH = 4096  # classes that are summed up together


class Draws(NamedTuple):
    """The cards that can be drawn, and the numbering of hands before and after a draw."""

    alive: Any  # [4] int64, the cards of the deck in each suit
    keys: Any  # of both numberings
    small: Any  # patterns of n-card hands
    large: Any  # of (n+1)-card hands


class ClassSweep(NamedTuple):
    """Set ``hands`` [classes] int64 to the hands that stand for the classes."""

    hands: Any
    numbering: Any


class DeadwoodSweep(NamedTuple):
    """Set ``left`` to the deadwood of each of ``hands``."""

    left: Any
    hands: Any
    leftovers: Any


class UtilitySweep(NamedTuple):
    """Set ``utility`` to U of a player who decides about knocks by ``guide``, V of the next turn, and by the odds ``assumed``.

    With ``value`` as the guide and ``odds`` as the belief it is the best U.
    """

    utility: Any
    value: Any  # V of the next turn
    guide: Any
    left: Any
    odds: Any
    assumed: Any
    limit: Any


class DiscardSweep(NamedTuple):
    """Set ``after`` to the U that the discards preferred by ``guide``, [N] another U, leave; with ``utility`` as the guide to A."""

    after: Any
    guide: Any
    utility: Any
    hands: Any
    deck: Any


class DrawSweep(NamedTuple):
    """Set ``value`` to V of every n-card hand; ``upcard``: the probability that the upcard is as good as a random card."""

    value: Any
    after: Any
    hands: Any
    upcard: Any
    deck: Any


class EncodeSweep(NamedTuple):
    """Set ``codes`` [N], of an unsigned type, to the nearest of ``low``, ``low + step``, ..."""

    codes: Any
    value: Any
    low: Any
    step: Any


class DecodeSweep(NamedTuple):
    """Set ``value`` to the decoded values."""

    value: Any
    codes: Any
    low: Any
    step: Any


class SummarySweep(NamedTuple):
    """Set each row of ``sums`` [stretches, 4] float64: the sum of V over all hands of a stretch, their number, least and largest V."""

    sums: Any
    value: Any
    hands: Any
    keys: Any
    renamings: Any


@device_function
def wait_utility(value, left, odds):
    """Return U of a hand that is not knocked with, from V of the next turn."""
    hazard, _, caught = odds
    return np.float32((np.float32(1.0) - hazard) * value + hazard * caught[left])


@device_function
def mean_after_draw(hand, after, alive, keys, patterns, floor):
    """Return the mean of max(A, ``floor``) over all cards that can be drawn."""
    total, draws = np.float32(0.0), np.uint32(0)
    for suit in range(4):
        cards = suit_cards(hand, suit)
        rest = np.uint32(np.uint32(alive[suit]) & np.uint32(~cards))
        if rest == 0:
            continue
        fewer = without_lowest(rest)
        frame = suit_frame(hand, suit, np.uint32(cards | np.uint32(rest ^ fewer)), keys, patterns)
        while rest:
            fewer = without_lowest(rest)
            key = keys[suit, np.uint32(cards | np.uint32(rest ^ fewer))]
            total = np.float32(total + max(after[number_in_frame(key, frame)], floor))
            draws = np.uint32(draws + np.uint32(1))
            rest = fewer
    return np.float32(total / np.float32(draws))


@device_function
def set_class(sweep, number):
    """Set one entry of a ClassSweep."""
    sweep.hands[number] = class_hand(np.int64(number), sweep.numbering)


@device_function
def set_deadwood(sweep, number):
    """Set one entry of a DeadwoodSweep."""
    sweep.left[number] = deadwood(sweep.hands[number], sweep.leftovers)


@device_function
def set_utility(sweep, number):
    """Set one entry of a UtilitySweep."""
    left, assumed = sweep.left[number], sweep.assumed
    if left <= sweep.limit and assumed[1][left] > wait_utility(sweep.guide[number], left, assumed):
        sweep.utility[number] = sweep.odds[1][left]
    else:
        sweep.utility[number] = wait_utility(sweep.value[number], left, sweep.odds)


@device_function
def set_after(sweep, number):
    """Set one entry of a DiscardSweep to U after the discard that the guide prefers."""
    hand, guide, keys, patterns = sweep.hands[number], sweep.guide, sweep.deck.keys, sweep.deck.small
    best, chosen = LEAST, np.int64(0)
    for suit in range(4):
        cards = suit_cards(hand, suit)
        if cards == 0:
            continue
        frame = suit_frame(hand, suit, without_lowest(cards), keys, patterns)
        rest = cards
        while rest:
            fewer = without_lowest(rest)
            index = np.int64(number_in_frame(keys[suit, np.uint32(cards ^ np.uint32(rest ^ fewer))], frame))
            if guide[index] > best:
                best, chosen = guide[index], index
            rest = fewer
    sweep.after[number] = sweep.utility[chosen]


@device_function
def set_value(sweep, number):
    """Set one entry of a DrawSweep: a draw from stock, or an upcard that with some probability is as good as a random card."""
    hand, after, deck, upcard = sweep.hands[number], sweep.after, sweep.deck, sweep.upcard
    drawn = mean_after_draw(hand, after, deck.alive, deck.keys, deck.large, LEAST)
    if upcard != 0.0:
        best = mean_after_draw(hand, after, deck.alive, deck.keys, deck.large, drawn)
        drawn = np.float32(upcard * best + (np.float32(1.0) - upcard) * drawn)
    sweep.value[number] = drawn


@device_function
def set_code(sweep, number):
    """Set one entry of an EncodeSweep."""
    sweep.codes[number] = np.uint32((sweep.value[number] - sweep.low) / sweep.step + np.float32(0.5))


@device_function
def set_decoded(sweep, number):
    """Set one entry of a DecodeSweep."""
    sweep.value[number] = np.float32(sweep.low + sweep.step * np.float32(sweep.codes[number]))


@device_function
def set_sums(sweep, number):
    """Set one row of a SummarySweep."""
    value, total, count, low, high = sweep.value, 0.0, 0.0, np.float32(1e30), np.float32(-1e30)
    for index in range(number * STRETCH, min(len(value), (number + 1) * STRETCH)):
        orbit = orbit_size(sweep.hands[index], sweep.keys, sweep.renamings)
        total += orbit * np.float64(value[index])
        count += orbit
        low, high = min(low, value[index]), max(high, value[index])
    sums = sweep.sums[number]
    sums[0], sums[1], sums[2], sums[3] = total, count, low, high


set_entry = by_kind(
    {
        ClassSweep: set_class,
        DeadwoodSweep: set_deadwood,
        UtilitySweep: set_utility,
        DiscardSweep: set_after,
        DrawSweep: set_value,
        EncodeSweep: set_code,
        DecodeSweep: set_decoded,
        SummarySweep: set_sums,
    }
)


@kernel
def run_sweep(sweep, first, count):
    """Set entries ``first`` to ``first + count - 1`` of a sweep, so that several cores can share it and Ctrl-C interrupts."""
    for number in range(first, first + count):
        set_entry(sweep, number)
