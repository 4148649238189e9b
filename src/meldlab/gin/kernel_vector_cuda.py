"""The vector environment on a GPU: a thread steps a table, then threads write the observations, four adjacent bytes each.

The device functions are those of the CPU, and the kernels have the same names. Rules and settings are arguments of a kernel, in constant
memory: read from an array, ``step_tables`` takes 224 instead of 108 registers of a thread (ptxas for sm_90).
"""

import numba
import numpy as np
from numba import cuda

from meldlab.gin.kernel_round import card_plane, forbidden_card
from meldlab.gin.kernel_state import CARD_BITS, NARROW, NUM_ACTIONS, WIDE, Memory, Workspace
from meldlab.gin.kernel_value_network import write_prior
from meldlab.gin.kernel_vector import (
    MASK_WORDS,
    NUM_PLANES,
    WORDS,
    advance,
    clear,
    hidden_hand,
    is_legal,
    mask_word,
    random_action,
    word_of,
    write_features,
    write_table,
)

TOTAL_SHAPE, TERMS_SHAPE = (2, WIDE), (2, 52)
CARD_WORDS = WORDS * NUM_PLANES
MAX_TABLES = 1 << 24
NONE_ILLEGAL = (1 << 63) - 1  # not a step, table and action
TABLE_WORDS = CARD_WORDS + MASK_WORDS


@cuda.jit
def find_illegal(states, actions, step, illegal):
    """Lower ``illegal``, [1] int64, to the first step, table and action that is not legal, in one number; 255 is any other action."""
    for i in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
        action = np.int64(actions[i])
        if not is_legal(states[i], action):
            cuda.atomic.min(illegal, 0, (step * MAX_TABLES + i) * 256 + (action if 0 <= action < NUM_ACTIONS else 255))


@cuda.jit
def step_tables(player, tables, actions, rules, settings, outputs, illegal):
    """Step tables, unless ``illegal`` holds an action."""
    workspace = Workspace(
        obtainability=cuda.local.array(68, numba.float64),
        left=cuda.local.array(52, numba.int64),
        risks=cuda.local.array(52, numba.float64),
        values=cuda.local.array(52, numba.float64),
        terms=cuda.local.array(TERMS_SHAPE, numba.float64),
        total=cuda.local.array(TOTAL_SHAPE, numba.float32),
        inner=cuda.local.array(NARROW, numba.float32),
    )
    for i in range(cuda.grid(1), len(actions) if illegal[0] == NONE_ILLEGAL else 0, cuda.gridsize(1)):
        state, cards, belief = tables.states[i], tables.cards[i], tables.belief[i]
        memories = (
            Memory(cards=cards[0], belief=belief[0], workspace=workspace),
            Memory(cards=cards[1], belief=belief[1], workspace=workspace),
        )
        clear(i, outputs)
        advance(player, state, np.int64(actions[i]), i, memories, rules, settings, outputs)
        write_table(state, i, rules, outputs)


@cuda.jit
def write_words(states, outputs):
    """Write the planes of cards and the mask of all tables."""
    words, mask = outputs.feature_words, outputs.mask_words
    for index in range(cuda.grid(1), len(states) * TABLE_WORDS, cuda.gridsize(1)):
        i, word = index // TABLE_WORDS, index % TABLE_WORDS
        state = states[i]
        if word < CARD_WORDS - WORDS:
            words[i, word] = word_of(card_plane(state, state.seat, word // WORDS) >> (4 * (word % WORDS)))
        elif word < CARD_WORDS:
            first, bytes_of_word = 4 * (word - (CARD_WORDS - WORDS)), np.uint32(0)
            for index in range(state.pile_size):
                offset = (np.int64(state.pile[index]) & CARD_BITS) - first
                if 0 <= offset < 4:
                    bytes_of_word |= np.uint32(index + 1) << np.uint32(8 * offset)
            words[i, word] = bytes_of_word
        else:
            mask[i, word - CARD_WORDS] = mask_word(state, word - CARD_WORDS)


@cuda.jit
def choose_at_random(states, actions):
    """See kernel_vector."""
    for i in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
        actions[i] = random_action(states[i])


@cuda.jit
def write_hidden(states, cards):
    """See kernel_vector."""
    for index in range(cuda.grid(1), 52 * len(cards), cuda.gridsize(1)):
        cards[index // 52, index % 52] = hidden_hand(states[index // 52]) >> (index % 52) & 1


@cuda.jit
def write_both(states, rules, rows):
    """See kernel_vector."""
    for i in range(cuda.grid(1), len(rows), cuda.gridsize(1)):
        for seat in range(2):
            write_features(states[i], seat, rules, rows[i, seat])


@cuda.jit
def write_priors(states, weights, rules, priors):
    """See kernel_vector."""
    values, total = cuda.local.array(52, numba.float64), cuda.local.array(TOTAL_SHAPE, numba.float32)
    workspace = Workspace(
        obtainability=values,  # not used, as are the terms
        left=cuda.local.array(52, numba.int64),
        risks=cuda.local.array(52, numba.float64),
        values=values,
        terms=total,
        total=total,
        inner=cuda.local.array(NARROW, numba.float32),
    )
    for i in range(cuda.grid(1), len(priors), cuda.gridsize(1)):
        state = states[i]
        write_prior(state, state.seat, forbidden_card(state, rules), weights, workspace, priors[i])
