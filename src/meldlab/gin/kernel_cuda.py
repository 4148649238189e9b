"""Gin on a GPU: the sweeps of the computed player's recursion, and rounds and matches played one per thread.

The scalar functions are those of the CPU; so are the names of the sweeps and their arguments.
"""

import numba
import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_unrank, orbit_size
from meldlab.gin.kernel_batch import DIARY, LOG_WIDTH, TURN, play_match
from meldlab.gin.kernel_compute import (
    best_after_discard,
    guided_after_discard,
    knocks_now,
    stay_or_knock,
    value_before_draw,
)
from meldlab.gin.kernel_tally import tally_row, tally_shape
from meldlab.melds.kernel import deadwood

MOST_ROWS = 24  # turns in a diary
DIARY_SHAPE, LOG_SHAPE = (MOST_ROWS, DIARY), (1, LOG_WIDTH)


@cuda.jit
def list_classes(hands, lanes, seats, rows, patterns):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        hands[rank] = class_unrank(np.int64(rank), rows, patterns, lanes, seats)


@cuda.jit
def list_deadwood(left, hands, table):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(hands), cuda.gridsize(1)):
        left[rank] = deadwood(hands[rank], table)


@cuda.jit
def sweep_worth(worth, value, left, hazard, knock, caught, limit):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        worth[rank] = stay_or_knock(value[rank], left[rank], hazard, knock, caught, limit)


@cuda.jit
def sweep_guided_worth(worth, value, guide, left, odds, guiding, limit):
    """See kernel_compute."""
    hazard, knock, caught = odds
    for rank in range(cuda.grid(1), len(worth), cuda.gridsize(1)):
        if knocks_now(guide[rank], left[rank], guiding[0], guiding[1], guiding[2], limit):
            worth[rank] = knock[left[rank]]
        else:
            worth[rank] = stay_or_knock(value[rank], left[rank], hazard, knock, caught, -1)


@cuda.jit
def sweep_discards(after, worth, hands, keys, small):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[rank] = best_after_discard(hands[rank], worth, keys, small)


@cuda.jit
def sweep_guided_discards(after, guide, worth, hands, keys, small):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(after), cuda.gridsize(1)):
        after[rank] = guided_after_discard(hands[rank], guide, worth, keys, small)


@cuda.jit
def sweep_draws(value, after, hands, alive, upcard, keys, large):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        value[rank] = value_before_draw(hands[rank], after, alive, upcard, keys, large)


@cuda.jit
def encode(codes, value, low, step):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        codes[rank] = np.uint32((value[rank] - low) / step + np.float32(0.5))


@cuda.jit
def decode(value, codes, low, step):
    """See kernel_compute."""
    for rank in range(cuda.grid(1), len(codes), cuda.gridsize(1)):
        value[rank] = np.float32(low + step * np.float32(codes[rank]))


@cuda.jit
def extremes(ends, value):
    """Set ``ends`` [2] float32 to the least and the largest value."""
    low, high = np.float32(1e30), np.float32(-1e30)
    for rank in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        low, high = min(low, value[rank]), max(high, value[rank])
    cuda.atomic.min(ends, 0, low)
    cuda.atomic.max(ends, 1, high)


@cuda.jit
def sum_values(sums, value, hands, keys, renamings):
    """Add to ``sums`` [2] float64 V over all hands, and how many there are."""
    total, count = 0.0, 0.0
    for rank in range(cuda.grid(1), len(value), cuda.gridsize(1)):
        orbit = orbit_size(hands[rank], keys, renamings)
        total += orbit * np.float64(value[rank])
        count += orbit
    cuda.atomic.add(sums, 0, total)
    cuda.atomic.add(sums, 1, count)


@cuda.jit
def play_games(players, books, rules, seed, first, many, mirror, counts, tally):
    """Play ``many`` matches as kernel_batch.play_games does, a thread each; add the diaries of seat 0 to ``tally`` unless it is empty."""
    deck = cuda.local.array(52, numba.int64)
    notes = cuda.local.array(12, numba.int64)
    used = cuda.local.array((2, 52), numba.int64)
    order = cuda.local.array((2, 12), numba.int64)
    belief = cuda.local.array((2, 54), numba.float64)
    pile = cuda.local.array(64, numba.int64)
    ob = cuda.local.array(68, numba.float64)
    left = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    pages = cuda.local.array(DIARY_SHAPE, numba.float64)
    cell = cuda.local.array(2, numba.int64)
    diary = pages[: MOST_ROWS if len(tally) > 0 else 0]
    for i in range(cuda.grid(1), many, cuda.gridsize(1)):
        game, turned = np.int64(first + i), np.int64(0)
        if mirror:
            game, turned = np.int64((first + i) >> 1), np.int64((first + i) & 1)
        play_match(
            players,
            books,
            rules,
            seed,
            game,
            turned,
            deck,
            notes,
            used,
            order,
            belief,
            pile,
            ob,
            left,
            risks,
            values,
            melds,
            shown,
            log[:0],
            diary,
            outcome,
            counts[i],
        )
        rows = min(notes[TURN], len(diary))
        for row in range(rows):
            for entry in range(tally_shape()):
                amount = tally_row(diary, row, rows, outcome, entry, cell)
                if cell[0] >= 0:
                    cuda.atomic.add(tally, cell[0], 1.0)
                    cuda.atomic.add(tally, cell[0] + 1, amount)
