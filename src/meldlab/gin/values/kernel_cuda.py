"""Gin on a GPU: the sweeps of the computed player's recursion, and rounds and matches played one per thread.

The scalar functions are those of the CPU; so are the names of the sweeps and their arguments.
"""

import numba
import numpy as np
from numba import cuda

from meldlab.cards.kernel import class_unrank, orbit_size
from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.gin.kernel import LEFT, bit, nth_card, popcount
from meldlab.gin.kernel_computed import TURNS, draw_worth, fill_risks
from meldlab.gin.kernel_desk import Desk
from meldlab.gin.kernel_light import NARROW, WIDE
from meldlab.gin.kernel_round import CANNOT_KNOCK, DIARY, LOG_WIDTH, NOTES, RESULT, TURN, play_match
from meldlab.gin.values.kernel_recursion import (
    best_after_discard,
    guided_after_discard,
    knocks_now,
    stay_or_knock,
    value_before_draw,
)
from meldlab.gin.values.kernel_tally import tally_row, tally_shape
from meldlab.melds.kernel import deadwood

MOST_ROWS = 24  # turns in a diary
LESSONS = int(Purpose.LESSONS)
DIARY_SHAPE, LOG_SHAPE, TOTAL_SHAPE = (MOST_ROWS, DIARY), (1, LOG_WIDTH), (2, WIDE)


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
def play_games(players, books, rules, seed, first, many, counts, tally, pages):
    """Play ``many`` matches as kernel_round.play_some does, a thread each; add the diaries of seat 0 to ``tally`` unless it is empty.

    ``pages``: [many, rows, DIARY] float64, to keep the diaries whole, or empty.
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
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    desk = Desk(deck, notes, used, order, belief, pile, ob, left, risks, values, total, inner, melds, shown, outcome)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    own_pages = cuda.local.array(DIARY_SHAPE, numba.float64)
    cell = cuda.local.array(2, numba.int64)
    diary = own_pages[: MOST_ROWS if len(tally) > 0 else 0]
    for i in range(cuda.grid(1), many, cuda.gridsize(1)):
        if len(pages) > 0:
            diary = pages[i]
        play_match(desk, players, books, rules, seed, np.int64(first + i), log[:0], diary, counts[i])
        rows = min(notes[TURN], len(diary))
        points = outcome[1] if outcome[0] == 0 else -outcome[1]
        for row in range(len(diary)):
            diary[row, RESULT] = points if row < rows else CANNOT_KNOCK
        for row in range(rows if len(tally) > 0 else 0):
            for entry in range(tally_shape()):
                amount = tally_row(diary, row, rows, outcome, entry, cell)
                if cell[0] >= 0:
                    cuda.atomic.add(tally, cell[0], 1.0)
                    cuda.atomic.add(tally, cell[0] + 1, amount)


@cuda.jit
def teach(planes, turns, seed, limit, book, worth, left):
    """Vary positions and value them: exchange an own card for one that is gone in half of them, then look one card ahead.

    ``planes``: [many, 2] int64, after a discard, changed in place; ``turns``: [many] int64, of that discard; ``worth``: [many] float32, set
    to what the next draw from stock is worth; ``left``: [many] float32, set to the deadwood.
    """
    lefts = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    for i in range(cuda.grid(1), len(planes), cuda.gridsize(1)):
        one, two = planes[i, 0], planes[i, 1]
        hand, known, pile = one & ~two, two & ~one, one & two
        key = address(seed, i, 0, 0, LESSONS)
        if below(key, 0, 2) == 0:
            out, into = nth_card(hand, below(key, 1, popcount(hand))), nth_card(pile, below(key, 2, popcount(pile)))
            hand, pile = hand ^ bit(out) ^ bit(into), pile ^ bit(out) ^ bit(into)
            planes[i, 0], planes[i, 1] = hand | pile, known | pile
        left[i] = deadwood(hand, LEFT)
        worth[i] = 0.0
        if turns[i] < TURNS:
            fill_risks(risks, book.deck[0] & ~(known | pile), hand, known, pile, book)
            worth[i] = draw_worth(hand, turns[i] + 1, known, pile, limit, book, lefts, risks, values)
