"""The vector environment on a GPU: a thread steps a table, then threads write what is seen, four bytes each and side by side.

The scalar functions are those of the CPU, and so are the names of what runs over all tables.
"""

import numba
import numpy as np
from numba import cuda

from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_vector import (
    ACTIONS,
    MASK_WORDS,
    PLANES,
    WORDS,
    advance,
    advise,
    clear,
    desk_at,
    hidden_hand,
    is_legal,
    mask_word,
    plane_of,
    play_until_asked,
    random_action,
    show_both,
    tell_table,
    word_of,
)

LOG_SHAPE, TOTAL_SHAPE, TERMS_SHAPE = (1, LOG_WIDTH), (2, WIDE), (2, 52)
CARD_WORDS = WORDS * PLANES
MOST_TABLES = 1 << 24
FINE = (1 << 63) - 1  # no step, table and action
EACH = CARD_WORDS + MASK_WORDS  # words of a table


@cuda.jit
def find_illegal(notes, actions, step, wrong):
    """Lower ``wrong``, [1] int64, to the first step, table and action that is not legal, in one number; 255 is any other action."""
    for i in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
        action = np.int64(actions[i])
        if not is_legal(notes[i], action):
            cuda.atomic.min(wrong, 0, (step * MOST_TABLES + i) * 256 + (action if 0 <= action < ACTIONS else 255))


@cuda.jit
def step_some(tables, actions, players, rules, told, wrong):
    """See kernel_vector; nothing moves while something is ``wrong``."""
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    for i in range(cuda.grid(1), len(actions) if wrong[0] == FINE else 0, cuda.gridsize(1)):
        desk = desk_at(tables, i, melds, shown, outcome, log[:0], 0, 0)
        clear(i, told)
        advance(desk, tables.place[i], actions[i], i, players, rules, told)
        tell_table(desk.notes, i, rules, told)


@cuda.jit
def step_against(tables, actions, pair, rules, told, wrong):
    """See kernel_vector; nothing moves while something is ``wrong``."""
    ob = cuda.local.array(68, numba.float64)
    left = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    terms = cuda.local.array(TERMS_SHAPE, numba.float64)
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    layers = cuda.local.array((1, 1, 1), numba.float32)  # no policy plays here
    sheet, bench = Sheet(ob, left, risks, values, terms, total, inner), Bench(layers, values, left, total, inner, inner)
    melds = cuda.local.array(4, numba.int64)
    shown = cuda.local.array(4, numba.int64)
    outcome = cuda.local.array(5, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    for i in range(cuda.grid(1), len(actions) if wrong[0] == FINE else 0, cuda.gridsize(1)):
        desk = desk_at(tables, i, melds, shown, outcome, log[:0], sheet, bench)
        clear(i, told)
        play_until_asked(desk, tables.place[i], actions[i], i, pair, rules, told)
        tell_table(desk.notes, i, rules, told)


@cuda.jit
def tell_cards(tables, place_words, told):
    """Write the planes of cards and the mask of all tables; ``place_words``: [n, WORDS] uint32, the places as words."""
    notes, words, mask = tables.notes, told.feature_words, told.mask_words
    for at in range(cuda.grid(1), len(notes) * EACH, cuda.gridsize(1)):
        i, word = at // EACH, at % EACH
        if word < CARD_WORDS - WORDS:
            words[i, word] = word_of(plane_of(notes[i], tables.pile[i], word // WORDS) >> (4 * (word % WORDS)))
        elif word < CARD_WORDS:
            words[i, word] = place_words[i, word - (CARD_WORDS - WORDS)]
        else:
            mask[i, word - CARD_WORDS] = mask_word(notes[i], word - CARD_WORDS)


@cuda.jit
def choose_at_random(notes, actions):
    """See kernel_vector."""
    for i in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
        actions[i] = random_action(notes[i])


@cuda.jit
def tell_hidden(notes, cards):
    """See kernel_vector."""
    for at in range(cuda.grid(1), 52 * len(cards), cuda.gridsize(1)):
        cards[at // 52, at % 52] = hidden_hand(notes[at // 52]) >> (at % 52) & 1


@cuda.jit
def tell_both(tables, rules, rows):
    """See kernel_vector."""
    for i in range(cuda.grid(1), len(rows), cuda.gridsize(1)):
        show_both(tables.notes[i], tables.pile[i], tables.place[i], rules, rows[i])


@cuda.jit
def advise_all(tables, network, rules, advice):
    """See kernel_vector."""
    left = cuda.local.array(52, numba.int64)
    risks = cuda.local.array(52, numba.float64)
    values = cuda.local.array(53, numba.float64)
    total = cuda.local.array(TOTAL_SHAPE, numba.float32)
    inner = cuda.local.array(NARROW, numba.float32)
    sheet = Sheet(values, left, risks, values, total, total, inner)
    four = cuda.local.array(4, numba.int64)
    log = cuda.local.array(LOG_SHAPE, numba.int64)
    for i in range(cuda.grid(1), len(advice), cuda.gridsize(1)):
        advise(desk_at(tables, i, four, four, four, log[:0], sheet, 0), network, rules, advice[i])
