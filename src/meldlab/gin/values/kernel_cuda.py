"""Gin on a GPU: the sweeps of the computed player's recursion, and rounds and matches played one per thread.

The scalar functions are those of the CPU; so are the names of the sweeps and their arguments.
"""

import numba
import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_hand, orbit_size
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import close_diary, play_match
from meldlab.gin.values.kernel_recursion import (
    best_after_discard,
    guided_after_discard,
    knocks_now,
    stay_or_knock,
    value_before_draw,
)
from meldlab.gin.values.kernel_tally import ENTRIES, tally_row
from meldlab.melds.kernel import deadwood

DIARY_SHAPE, LOG_SHAPE, TOTAL_SHAPE, TERMS_SHAPE = (1, DIARY_ROWS, DIARY), (1, LOG_WIDTH), (2, WIDE), (2, 52)


@cuda.jit
def list_classes(hands, numbering):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[number] = class_hand(np.int64(number), numbering)


@cuda.jit
def list_deadwood(left, hands, leftovers):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        left[number] = deadwood(hands[number], leftovers)


@cuda.jit
def sweep_worth(worth, value, left, odds, limit):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        worth[number] = stay_or_knock(value[number], left[number], odds, limit)


@cuda.jit
def sweep_guided_worth(worth, value, guide, left, both, limit):
    """See kernel_recursion."""
    odds, believed = both
    for number in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        if knocks_now(guide[number], left[number], believed, limit):
            worth[number] = odds[1][left[number]]
        else:
            worth[number] = stay_or_knock(value[number], left[number], odds, -1)


@cuda.jit
def sweep_discards(after, worth, hands, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number] = best_after_discard(hands[number], worth, deck.keys, deck.small)


@cuda.jit
def sweep_guided_discards(after, guide, worth, hands, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[number] = guided_after_discard(hands[number], guide, worth, deck.keys, deck.small)


@cuda.jit
def sweep_draws(value, after, hands, upcard, deck):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        value[number] = value_before_draw(hands[number], after, deck.alive, upcard, deck.keys, deck.large)


@cuda.jit
def encode(codes, value, low, step):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        codes[number] = np.uint32((value[number] - low) / step + np.float32(0.5))


@cuda.jit
def decode(value, codes, low, step):
    """See kernel_recursion."""
    for number in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        value[number] = np.float32(low + step * np.float32(codes[number]))


@cuda.jit
def extremes(ends, value):
    """Set ``ends`` [2] float32 to the least and the largest value."""
    low, high = np.float32(1e30), np.float32(-1e30)
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        low, high = min(low, value[number]), max(high, value[number])
    cuda.atomic.min(ends, 0, low)
    cuda.atomic.max(ends, 1, high)


@cuda.jit
def sum_values(sums, value, hands, keys, renamings):
    """Add to ``sums`` [2] float64 V over all hands, and how many there are; the order of adding is the device's."""
    total, count = 0.0, 0.0
    for number in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        orbit = orbit_size(hands[number], keys, renamings)
        total += orbit * np.float64(value[number])
        count += orbit
    cuda.atomic.add(sums, 0, total)
    cuda.atomic.add(sums, 1, count)


@cuda.jit
def play_games(pair, rules, seed, first, many, counts, tally, pages):
    """Play ``many`` matches as kernel_round.play_some does, a thread each; add the diaries of seat 0 to ``tally`` unless it is empty.

    ``pages``: [many, seats, rows, DIARY] float64, to keep the diaries whole, or empty.
    """
    deck = cuda.local.array(52, numba.int64)
    notes = cuda.local.array(NOTES, numba.int64)
    used = cuda.local.array((2, 52), numba.int64)
    order = cuda.local.array((2, 12), numba.int64)
    belief = cuda.local.array((2, 54), numba.float64)
    pile = cuda.local.array(64, numba.int64)
    ob = cuda.local.array(68, numba.float64)
    left = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    terms = cuda.local.array(TERMS_SHAPE, numba.float64)
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    layers = cuda.local.array((1, 1, 1), numba.float32)  # no policy plays here
    sheet, bench = Sheet(ob, left, risks, values, terms, total, inner), Bench(layers, values, left, total, inner, inner)
    desk = Desk(deck, notes, used, order, belief, pile, melds, shown, outcome, log[:0], sheet, bench)
    own_pages = cuda.local.array(DIARY_SHAPE, numba.float64)
    cell = cuda.local.array(2, numba.int64)
    diary = own_pages[: 1 if len(tally) > 0 else 0]
    for i in range(cuda.grid(1), many, cuda.gridsize(1)):
        if len(pages) > 0:
            diary = pages[i]
        play_match(desk, diary, pair, rules, seed, np.int64(first + i), counts[i])
        close_diary(diary, notes, outcome)
        rows = min(notes[TURN], diary.shape[1])
        for row in range(rows if len(tally) > 0 else 0):
            for entry in range(ENTRIES):
                amount = tally_row(diary[0], row, rows, outcome, entry, cell)
                if cell[0] >= 0:
                    cuda.atomic.add(tally, cell[0], 1.0)
                    cuda.atomic.add(tally, cell[0] + 1, amount)
