"""Kernels of the computed player's recursion: what every hand is worth at every turn against an opponent who is a hazard.

Arrays, with N the classes of n-card hands and M those of (n+1)-card hands: ``value`` [N] float32, V, before a draw; ``worth`` [N] float32,
U, after a discard; ``after`` [M] float32, A, with a card too many; ``left`` [N] uint8, the deadwood of each class; ``knock`` and
``caught`` [100] float32, points by own deadwood if one knocks now, and if the opponent knocks next. ``small`` and ``large`` are the
pattern tables of n- and (n+1)-card hands; ``keys`` [4, 8192] int32 and ``alive`` [4] int64, the lanes of the deck, as in cards.kernel.
"""

import numpy as np
from numba import prange

from meldlab.cards.kernel import LANE, class_unrank, frame_of_suit, orbit_size, rank_in_frame
from meldlab.compiling import parallel_kernel, scalar_kernel
from meldlab.melds.kernel import deadwood

LEAST = np.float32(-1e30)


@scalar_kernel
def lane_of(hand, suit):
    """Return one suit of a hand in 32 bits."""
    return np.uint32((hand >> (13 * suit)) & LANE)


@scalar_kernel
def without_lowest(lane):
    """Return a lane without its lowest card."""
    return np.uint32(lane & np.uint32(lane - np.uint32(1)))


@scalar_kernel
def stay_or_knock(value, left, hazard, knock, caught, limit):
    """Return U of a hand from V of the next turn: the better of knocking and waiting."""
    wait = np.float32((np.float32(1.0) - hazard) * value + hazard * caught[left])
    return max(wait, knock[left]) if left <= limit else wait


@scalar_kernel
def knocks_now(value, left, hazard, knock, caught, limit):
    """Tell whether knocking is the better of the two."""
    return left <= limit and knock[left] > (np.float32(1.0) - hazard) * value + hazard * caught[left]


@scalar_kernel
def best_after_discard(hand, worth, keys, small):
    """Return A of an (n+1)-card hand, the best U over its discards."""
    best = LEAST
    for suit in range(4):
        lane = lane_of(hand, suit)
        if lane == 0:
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, without_lowest(lane), keys, small)
        rest = lane
        while rest:
            fewer = without_lowest(rest)
            key = keys[suit, np.uint32(lane ^ np.uint32(rest ^ fewer))]
            best = max(best, worth[rank_in_frame(key, base, weight, m, r1, r2, r3)])
            rest = fewer
    return best


@scalar_kernel
def guided_after_discard(hand, guide, worth, keys, small):
    """Return U of what is left after the discard that ``guide``, [N] another U, prefers."""
    best, found = LEAST, LEAST
    for suit in range(4):
        lane = lane_of(hand, suit)
        if lane == 0:
            continue
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, without_lowest(lane), keys, small)
        rest = lane
        while rest:
            fewer = without_lowest(rest)
            rank = rank_in_frame(keys[suit, np.uint32(lane ^ np.uint32(rest ^ fewer))], base, weight, m, r1, r2, r3)
            if guide[rank] > best:
                best, found = guide[rank], worth[rank]
            rest = fewer
    return found


@scalar_kernel
def mean_after_draw(hand, after, alive, keys, large, floor):
    """Return the mean of max(A, ``floor``) over all cards that can be drawn."""
    total, draws = np.float32(0.0), np.uint32(0)
    for suit in range(4):
        lane = lane_of(hand, suit)
        rest = np.uint32(np.uint32(alive[suit]) & np.uint32(~lane))
        if rest == 0:
            continue
        fewer = without_lowest(rest)
        base, weight, m, r1, r2, r3 = frame_of_suit(hand, suit, np.uint32(lane | np.uint32(rest ^ fewer)), keys, large)
        while rest:
            fewer = without_lowest(rest)
            key = keys[suit, np.uint32(lane | np.uint32(rest ^ fewer))]
            total = np.float32(total + max(after[rank_in_frame(key, base, weight, m, r1, r2, r3)], floor))
            draws = np.uint32(draws + np.uint32(1))
            rest = fewer
    return np.float32(total / np.float32(draws))


@scalar_kernel
def value_before_draw(hand, after, alive, upcard, keys, large):
    """Return V of an n-card hand: a draw from stock, or an upcard that with chance ``upcard`` is as good as a random card."""
    drawn = mean_after_draw(hand, after, alive, keys, large, LEAST)
    if upcard == 0.0:
        return drawn
    return np.float32(upcard * mean_after_draw(hand, after, alive, keys, large, drawn) + (np.float32(1.0) - upcard) * drawn)


@parallel_kernel
def list_classes(hands, lanes, seats, rows, patterns):
    """Set ``hands`` [classes] int64 to the hands that stand for the classes."""
    for rank in prange(len(hands)):
        hands[rank] = class_unrank(rank, rows, patterns, lanes, seats)


@parallel_kernel
def list_deadwood(left, hands, table):
    """Set ``left`` to the deadwood of each of ``hands``."""
    for rank in prange(len(hands)):
        left[rank] = deadwood(hands[rank], table)


@parallel_kernel
def sweep_worth(worth, value, left, hazard, knock, caught, limit):
    """Set ``worth`` to U from V of the next turn."""
    for rank in prange(len(worth)):
        worth[rank] = stay_or_knock(value[rank], left[rank], hazard, knock, caught, limit)


@parallel_kernel
def sweep_guided_worth(worth, value, guide, left, odds, guiding, limit):
    """Set ``worth`` to what a player gets who knocks where the V of ``guide`` says so.

    ``odds`` and ``guiding``: (hazard, knock, caught), what holds and what the guide believes.
    """
    hazard, knock, caught = odds
    for rank in prange(len(worth)):
        if knocks_now(guide[rank], left[rank], guiding[0], guiding[1], guiding[2], limit):
            worth[rank] = knock[left[rank]]
        else:
            worth[rank] = stay_or_knock(value[rank], left[rank], hazard, knock, caught, -1)


@parallel_kernel
def sweep_discards(after, worth, hands, keys, small):
    """Set ``after`` to A of every (n+1)-card hand."""
    for rank in prange(len(after)):
        after[rank] = best_after_discard(hands[rank], worth, keys, small)


@parallel_kernel
def sweep_guided_discards(after, guide, worth, hands, keys, small):
    """Set ``after`` to what the discards of ``guide`` give."""
    for rank in prange(len(after)):
        after[rank] = guided_after_discard(hands[rank], guide, worth, keys, small)


@parallel_kernel
def sweep_draws(value, after, hands, alive, upcard, keys, large):
    """Set ``value`` to V of every n-card hand."""
    for rank in prange(len(value)):
        value[rank] = value_before_draw(hands[rank], after, alive, upcard, keys, large)


@parallel_kernel
def encode(codes, value, low, step):
    """Set ``codes`` [N], of any unsigned type, to the nearest of ``low``, ``low + step``, ..."""
    for rank in prange(len(codes)):
        codes[rank] = np.uint32((value[rank] - low) / step + np.float32(0.5))


@parallel_kernel
def decode(value, codes, low, step):
    """Set ``value`` to what the codes stand for."""
    for rank in prange(len(codes)):
        value[rank] = np.float32(low + step * np.float32(codes[rank]))


@parallel_kernel
def mean_value(value, hands, keys, renamings):
    """Return the sum of V over all hands, and how many there are."""
    total, count = 0.0, 0
    for rank in prange(len(value)):
        orbit = orbit_size(hands[rank], keys, renamings)
        total += orbit * np.float64(value[rank])
        count += orbit
    return total, count
