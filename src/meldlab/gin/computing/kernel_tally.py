"""Kernels that count the actions of an opponent in the trajectories of many rounds.

A tally is a flat array of float64 in pairs (count, sum), in three parts: whether the opponent knocked after an own discard, by turn and
known cards; points of a knock, by turn, known cards and own deadwood; points when the opponent knocked, likewise.
"""

import numpy as np

from meldlab.compiling import device_function, kernel
from meldlab.gin import kernel_state as ks
from meldlab.gin.kernel_match import Trajectory, play_recorded_round
from meldlab.gin.kernel_players import new_memory

PLACES = ks.TURNS + 2  # turns, counted from 1
HAZARD_PART = 0
KNOCK_PART = HAZARD_PART + PLACES * ks.KNOWNS
CAUGHT_PART = KNOCK_PART + PLACES * ks.KNOWNS * ks.DEADWOODS
CELLS = CAUGHT_PART + PLACES * ks.KNOWNS * ks.DEADWOODS
HAZARD_ENTRY, KNOCK_ENTRY, CAUGHT_ENTRY = range(3)  # entries of a row
NUM_ENTRIES = 3


@device_function
def tally_entry(turns, row, num_rows, state, entry):
    """Return (index in the tally or -1, amount) of one entry of a row of the trajectory of seat 0, [turns, TURN_WIDTH]."""
    turn = min(row + 1, ks.TURNS)
    known = min(np.int64(turns[row, ks.NUM_KNOWN]), ks.KNOWNS - 1)
    left = min(np.int64(turns[row, ks.LEFT_OVER]), ks.DEADWOODS - 1)
    cell = turn * ks.KNOWNS + known
    caught = row == num_rows - 1 and state.knocker == 1
    if entry == KNOCK_ENTRY:
        if turns[row, ks.IF_KNOCK] > ks.CANNOT_KNOCK:
            return 2 * (KNOCK_PART + cell * ks.DEADWOODS + left), turns[row, ks.IF_KNOCK]
        return -1, 0.0
    if turns[row, ks.KNOCKED] != 0.0:
        return -1, 0.0
    if entry == HAZARD_ENTRY:
        return 2 * (HAZARD_PART + cell), 1.0 if caught else 0.0
    if caught:
        return 2 * (CAUGHT_PART + cell * ks.DEADWOODS + left), float(state.points if state.winner == 0 else -state.points)
    return -1, 0.0


@kernel
def tally_rounds(first, second, rules, states, rounds, tally):
    """Play single rounds on one core and add the decisions of seat 0 to ``tally``, [2 * CELLS] float64.

    ``states``: [1] STATE, with the seed and the number of the first game.
    """
    state, memories = states[0], (new_memory(first), new_memory(second))
    trajectory = Trajectory(np.zeros((1, ks.MAX_TURNS, ks.TURN_WIDTH), np.float64), np.zeros(2, np.int64))
    for _ in range(rounds):
        play_recorded_round(state, first, second, memories, rules, trajectory)
        num_rows = min(trajectory.num_turns[0], ks.MAX_TURNS)
        for row in range(num_rows):
            for entry in range(NUM_ENTRIES):
                index, amount = tally_entry(trajectory.turns[0], row, num_rows, state, entry)
                if index >= 0:
                    tally[index] += 1.0
                    tally[index + 1] += amount
        state.game += 1
