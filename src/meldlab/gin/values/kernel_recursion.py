"""Kernels of the computed player's recursion: what every hand is worth at every turn against an opponent who is a hazard.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``value`` [N] float32, V, before a draw; ``worth`` [N] float32,
U, after a discard; ``after`` [M] float32, A, with a card too many; ``left`` [N] uint8, the deadwood of each class; ``knock`` and
``caught`` [100] float32, points by own deadwood if one knocks now, and if the opponent knocks next; ``odds``, (hazard, knock, caught).
``keys`` and ``patterns`` are those of the numbering (cards.kernel) of the hands that are led to.

The sweeps do ``many`` classes from ``first`` on, so that several cores can share one and Ctrl-C is heard.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import LANE, class_hand, frame_of_suit, number_in_frame, orbit_size
from meldlab.compiling import kernel, scalar_kernel
from meldlab.melds.kernel import deadwood

LEAST = np.float32(-1e30)
STRETCH = 4096  # classes that are summed up together


class Draws(NamedTuple):
    """What can be drawn, and how hands before and after a draw are numbered."""

    alive: Any  # [4] int64, the lanes of the deck
    keys: Any  # of both numberings
    small: Any  # patterns of n-card hands
    large: Any  # of (n+1)-card hands


@scalar_kernel
def lane_of(hand, suit):
    """Return one suit of a hand in 32 bits."""
    return np.uint32((hand >> (13 * suit)) & LANE)


@scalar_kernel
def without_lowest(lane):
    """Return a lane without its lowest card."""
    return np.uint32(lane & np.uint32(lane - np.uint32(1)))


@scalar_kernel
def stay_or_knock(value, left, odds, limit):
    """Return U of a hand from V of the next turn: the better of knocking and waiting."""
    hazard, knock, caught = odds
    wait = np.float32((np.float32(1.0) - hazard) * value + hazard * caught[left])
    return max(wait, knock[left]) if left <= limit else wait


@scalar_kernel
def knocks_now(value, left, odds, limit):
    """Tell whether knocking is the better of the two."""
    hazard, knock, caught = odds
    return left <= limit and knock[left] > (np.float32(1.0) - hazard) * value + hazard * caught[left]


@scalar_kernel
def best_after_discard(hand, worth, keys, patterns):
    """Return A of an (n+1)-card hand, the best U over its discards."""
    best = LEAST
    for suit in range(4):
        lane = lane_of(hand, suit)
        if lane == 0:
            continue
        frame = frame_of_suit(hand, suit, without_lowest(lane), keys, patterns)
        rest = lane
        while rest:
            fewer = without_lowest(rest)
            key = keys[suit, np.uint32(lane ^ np.uint32(rest ^ fewer))]
            best = max(best, worth[number_in_frame(key, frame)])
            rest = fewer
    return best


@scalar_kernel
def guided_after_discard(hand, guide, worth, keys, patterns):
    """Return U of what is left after the discard that ``guide``, [N] another U, prefers."""
    best, found = LEAST, LEAST
    for suit in range(4):
        lane = lane_of(hand, suit)
        if lane == 0:
            continue
        frame = frame_of_suit(hand, suit, without_lowest(lane), keys, patterns)
        rest = lane
        while rest:
            fewer = without_lowest(rest)
            number = number_in_frame(keys[suit, np.uint32(lane ^ np.uint32(rest ^ fewer))], frame)
            if guide[number] > best:
                best, found = guide[number], worth[number]
            rest = fewer
    return found


@scalar_kernel
def mean_after_draw(hand, after, alive, keys, patterns, floor):
    """Return the mean of max(A, ``floor``) over all cards that can be drawn."""
    total, draws = np.float32(0.0), np.uint32(0)
    for suit in range(4):
        lane = lane_of(hand, suit)
        rest = np.uint32(np.uint32(alive[suit]) & np.uint32(~lane))
        if rest == 0:
            continue
        fewer = without_lowest(rest)
        frame = frame_of_suit(hand, suit, np.uint32(lane | np.uint32(rest ^ fewer)), keys, patterns)
        while rest:
            fewer = without_lowest(rest)
            key = keys[suit, np.uint32(lane | np.uint32(rest ^ fewer))]
            total = np.float32(total + max(after[number_in_frame(key, frame)], floor))
            draws = np.uint32(draws + np.uint32(1))
            rest = fewer
    return np.float32(total / np.float32(draws))


@scalar_kernel
def value_before_draw(hand, after, alive, upcard, keys, patterns):
    """Return V of an n-card hand: a draw from stock, or an upcard that with chance ``upcard`` is as good as a random card."""
    drawn = mean_after_draw(hand, after, alive, keys, patterns, LEAST)
    if upcard == 0.0:
        return drawn
    return np.float32(upcard * mean_after_draw(hand, after, alive, keys, patterns, drawn) + (np.float32(1.0) - upcard) * drawn)


@kernel
def list_classes(first, many, hands, numbering):
    """Set ``hands`` [classes] int64 to the hands that stand for the classes."""
    for number in range(first, first + many):
        hands[number] = class_hand(number, numbering)


@kernel
def list_deadwood(first, many, left, hands, leftovers):
    """Set ``left`` to the deadwood of each of ``hands``."""
    for number in range(first, first + many):
        left[number] = deadwood(hands[number], leftovers)


@kernel
def sweep_worth(first, many, worth, value, left, odds, limit):
    """Set ``worth`` to U from V of the next turn."""
    for number in range(first, first + many):
        worth[number] = stay_or_knock(value[number], left[number], odds, limit)


@kernel
def sweep_guided_worth(first, many, worth, value, guide, left, both, limit):
    """Set ``worth`` to what a player gets who knocks where the V of ``guide`` says so.

    ``both``: the odds that hold, and those that the guide believes in.
    """
    odds, believed = both
    for number in range(first, first + many):
        if knocks_now(guide[number], left[number], believed, limit):
            worth[number] = odds[1][left[number]]
        else:
            worth[number] = stay_or_knock(value[number], left[number], odds, -1)


@kernel
def sweep_discards(first, many, after, worth, hands, deck):
    """Set ``after`` to A of every (n+1)-card hand."""
    keys, patterns = deck.keys, deck.small
    for number in range(first, first + many):
        after[number] = best_after_discard(hands[number], worth, keys, patterns)


@kernel
def sweep_guided_discards(first, many, after, guide, worth, hands, deck):
    """Set ``after`` to what the discards of ``guide`` give."""
    keys, patterns = deck.keys, deck.small
    for number in range(first, first + many):
        after[number] = guided_after_discard(hands[number], guide, worth, keys, patterns)


@kernel
def sweep_draws(first, many, value, after, hands, upcard, deck):
    """Set ``value`` to V of every n-card hand."""
    alive, keys, patterns = deck.alive, deck.keys, deck.large
    for number in range(first, first + many):
        value[number] = value_before_draw(hands[number], after, alive, upcard, keys, patterns)


@kernel
def encode(first, many, codes, value, low, step):
    """Set ``codes`` [N], of any unsigned type, to the nearest of ``low``, ``low + step``, ..."""
    for number in range(first, first + many):
        codes[number] = np.uint32((value[number] - low) / step + np.float32(0.5))


@kernel
def decode(first, many, value, codes, low, step):
    """Set ``value`` to what the codes stand for."""
    for number in range(first, first + many):
        value[number] = np.float32(low + step * np.float32(codes[number]))


@kernel
def sum_values(first, many, sums, value, hands, keys, renamings):
    """Add to ``sums`` [stretches, 2] float64 V over all hands of ``many`` stretches of classes, and how many there are."""
    for stretch in range(first, first + many):
        for number in range(stretch * STRETCH, min(len(value), (stretch + 1) * STRETCH)):
            orbit = orbit_size(hands[number], keys, renamings)
            sums[stretch, 0] += orbit * np.float64(value[number])
            sums[stretch, 1] += orbit
