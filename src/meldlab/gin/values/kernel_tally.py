"""Kernels that add up what the diaries of many rounds say about an opponent, or keep them.

A tally is a flat array of float64 in pairs (how many, their sum), in four parts: whether the opponent knocked after an own discard, by turn
and known cards; points of a knock, by turn, known cards and own deadwood; points when the opponent knocked, likewise; points of the round
less what the player expected, by turn, known cards and whether the opponent took the discard.
"""

import numpy as np

from meldlab.compiling import kernel, scalar_kernel
from meldlab.gin.kernel_layout import *
from meldlab.gin.kernel_round import close_diary, new_desk, play_match

PLACES = TURNS + 2  # turns, counted from 1
RISKS = 20
HAZARD_PART = 0
KNOCK_PART = HAZARD_PART + PLACES * KNOWNS
CAUGHT_PART = KNOCK_PART + PLACES * KNOWNS * DEADWOODS
SURPRISE_PART = CAUGHT_PART + PLACES * KNOWNS * DEADWOODS
FEED_PART = SURPRISE_PART + PLACES * KNOWNS * 2
CELLS = FEED_PART + RISKS
HAZARD_ENTRY, KNOCK_ENTRY, CAUGHT_ENTRY, SURPRISE_ENTRY, FEED_ENTRY = range(5)  # what a row of a diary can add
ENTRIES = 5


@scalar_kernel
def tally_row(diary, row, rows, outcome, entry, cell):
    """Return the amount that one entry of a row adds, and set cell[0] to its place in the tally, -1 for none."""
    cell[0] = -1
    turn = min(row + 1, TURNS)
    seen = min(np.int64(diary[row, SEEN]), KNOWNS - 1)
    left = min(np.int64(diary[row, LEFT_OVER]), DEADWOODS - 1)
    place = turn * KNOWNS + seen
    points = float(outcome[1] if outcome[0] == 0 else -outcome[1])
    last = row == rows - 1
    caught = last and outcome[4] == 1
    if entry == KNOCK_ENTRY:
        if diary[row, IF_KNOCK] > CANNOT_KNOCK:
            cell[0] = 2 * (KNOCK_PART + place * DEADWOODS + left)
            return diary[row, IF_KNOCK]
        return 0.0
    if diary[row, KNOCKED] != 0.0:
        return 0.0
    if entry == HAZARD_ENTRY:
        cell[0] = 2 * (HAZARD_PART + place)
        return 1.0 if caught else 0.0
    if entry == CAUGHT_ENTRY:
        if caught:
            cell[0] = 2 * (CAUGHT_PART + place * DEADWOODS + left)
            return points
        return 0.0
    if entry == SURPRISE_ENTRY:
        cell[0] = 2 * (SURPRISE_PART + 2 * place + np.int64(diary[row, TAKEN]))
        return points - diary[row, EXPECTED]
    cell[0] = 2 * (FEED_PART + min(np.int64(diary[row, RISK] * RISKS), RISKS - 1))
    return diary[row, TAKEN]


@kernel
def tally_rounds(pair, rules, seed, first, many, tally):
    """Play ``many`` single rounds on one core and add the diaries of seat 0 to ``tally``, [2 * CELLS] float64."""
    desk, diary = new_desk(np.empty((0, LOG_WIDTH), np.int64), pair), np.zeros((1, DIARY_ROWS, DIARY), np.float64)
    counts = np.zeros(COUNTS, np.int32)
    cell = np.zeros(2, np.int64)
    for i in range(many):
        play_match(desk, diary, pair, rules, seed, first + i, counts)
        rows = min(desk.notes[TURN], DIARY_ROWS)
        for row in range(rows):
            for entry in range(ENTRIES):
                amount = tally_row(diary[0], row, rows, desk.outcome, entry, cell)
                if cell[0] >= 0:
                    tally[cell[0]] += 1.0
                    tally[cell[0] + 1] += amount


@kernel
def record_rounds(pair, rules, seed, first, many, pages):
    """Play ``many`` single rounds on one core and keep their diaries; ``pages``: [many, seats, turns, DIARY] float64."""
    desk, counts = new_desk(np.empty((0, LOG_WIDTH), np.int64), pair), np.zeros(COUNTS, np.int32)
    for i in range(many):
        play_match(desk, pages[i], pair, rules, seed, first + i, counts)
        close_diary(pages[i], desk.notes, desk.outcome)
