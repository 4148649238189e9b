"""Kernels that tell what a network would do at each table of the vector environment, for those who learn from it."""

import numpy as np

from meldlab.compiling import inlined_kernel, kernel
from meldlab.gin.kernel import bit
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import new_sheet, sight_of
from meldlab.gin.kernel_vector import (
    AT_WALL,
    DO_BIG,
    DO_DRAW,
    DO_DROP,
    DO_KNOCK,
    DO_PASS,
    DO_TAKE,
    DROPPING,
    FORCED,
    LAST,
    OFFERED,
    PHASE,
    TO_MOVE,
    TOOK,
    desk_at,
    is_legal,
    knocking_discard,
)
from meldlab.gin.players.kernel_light import light_discard, light_takes


@inlined_kernel
def network_answer(desk, network):
    """Return the action of a light player with this network in the seat to move."""
    notes = desk.notes
    seat, phase = notes[TO_MOVE], notes[PHASE]
    if phase == DROPPING or phase == LAST:
        if is_legal(notes, DO_BIG):
            return DO_BIG
        barred = bit(notes[TOOK]) if notes[TOOK] >= 0 else np.int64(0)
        chosen = light_discard(sight_of(desk, seat, barred), 0.0, np.uint64(0), network, desk.sheet)
        card, wanted = chosen & 63, chosen >= 64
        if phase == LAST and not is_legal(notes, DO_KNOCK + card):
            card = knocking_discard(notes)
        return (DO_KNOCK if wanted or phase == LAST else DO_DROP) + card
    if phase == AT_WALL:
        return DO_TAKE if is_legal(notes, DO_TAKE) else DO_PASS
    top = np.int64(desk.pile[notes[PILED] - 1]) & 63
    if phase == FORCED or not light_takes(sight_of(desk, seat, np.int64(0)), top, network, desk.sheet):
        return DO_PASS if phase == OFFERED else DO_DRAW
    return DO_TAKE


@kernel
def answer_by_network(tables, network, actions):
    """Set ``actions``, [n] int64, to what the network would do."""
    melds, shown, outcome = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(5, np.int64)
    log, sheet = np.zeros((0, LOG_WIDTH), np.int64), new_sheet()
    for i in range(len(actions)):
        actions[i] = network_answer(desk_at(tables, i, melds, shown, outcome, log, sheet), network)
