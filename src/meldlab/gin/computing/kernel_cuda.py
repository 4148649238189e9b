"""Gin on a GPU: the sweeps of the computed player, and rounds and matches played one per thread.

The device functions are those of the CPU.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import config, cuda

from meldlab.cards.kernel import popcount
from meldlab.compiling import by_kind
from meldlab.gin.computing.kernel_sweeps import set_entry
from meldlab.gin.computing.kernel_tally import NUM_ENTRIES, tally_entry
from meldlab.gin.kernel_computed import after_draw, risk_of, share_of, turn_odds
from meldlab.gin.kernel_hand import bit, lowest_card
from meldlab.gin.kernel_match import Trajectory, act_and_record, close_trajectory, count_round, next_action, start_round
from meldlab.gin.kernel_round import observe, start_match, upcard_of
from meldlab.gin.kernel_state import (
    DISCARDING,
    DRAW,
    FORCED,
    MAX_TURNS,
    NARROW,
    OFFERED,
    PASS,
    STATE,
    TAKE,
    TURN_WIDTH,
    TURNS,
    WIDE,
    Memory,
    ValueTable,
    Workspace,
)

TRAJECTORY_SHAPE, TOTAL_SHAPE, TERMS_SHAPE = (1, MAX_TURNS, TURN_WIDTH), (2, WIDE), (2, 52)
CARDS_SHAPE, BELIEF_SHAPE = (2, 52), (2, 54)
THREADS = 64  # in a block, when each plays a game of its own
RISKS_SHAPE = THREADS, 11
# Half of what the games would take: twice as many threads hide the latency of the values of hands. The simulator has no limit.
REGISTERS = {} if config.ENABLE_CUDASIM else {"max_registers": 128}
DEALS = 4  # turns after which threads whose round is over deal the next one, together


@cuda.jit
def run_sweep(sweep, count):
    """See kernel_sweeps."""
    for number in range(cuda.grid(1), count, cuda.gridsize(1)):
        set_entry(sweep, number)


class GameResults(NamedTuple):
    """Arrays that games on a GPU are written to."""

    matches: Any  # [games] MATCH
    tally: Any  # [2 * CELLS] float64, to add the decisions of seat 0 to, or empty
    trajectories: Any  # [games, seats, turns, TURN_WIDTH] float64, or empty
    values: Any  # [blocks, THREADS * 52] float64, of a DrawBoard: in shared memory they would allow fewer blocks


class DrawBoard(NamedTuple):
    """The draws of computed players that the threads of a block value together, with an entry for each thread."""

    hands: Any  # [THREADS] int64
    known: Any  # [THREADS] int64
    unseen: Any  # [THREADS] int64
    players: Any  # [THREADS] int64: which player, then from bit 8 on the turn, from bit 16 on the most deadwood to knock with
    risks: Any  # [THREADS, 11] float64, of the cards of the hand
    count: Any  # [1] int32, number of posted cards
    values: Any  # [THREADS * 52] float64, 64 * thread + a card that it may draw, then its value


@cuda.jit(device=True)
def post_draws(table, board, thread, state, which):
    """Write the cards to value before the thread's computed player draws, the upcard and all unseen cards; return the first index."""
    observation = observe(state, state.seat, np.int64(0))
    hand, known = observation.hand, observation.known
    unseen = table.deck[0] & ~(hand | known | observation.pile)
    share = share_of(known, unseen, table)
    board.hands[thread], board.known[thread], board.unseen[thread] = hand, known, unseen
    board.players[thread] = which | min(observation.turn + 1, TURNS) << 8 | observation.knock_limit << 16
    index, rest = 0, hand
    while rest:
        board.risks[thread, index] = risk_of(lowest_card(rest), known, unseen, share)
        rest &= rest - 1
        index += 1
    first = cuda.atomic.add(board.count, 0, np.int32(popcount(unseen) + 1))
    board.values[first] = 64 * thread + upcard_of(state)
    index, rest = first + 1, unseen
    while rest:
        board.values[index] = 64 * thread + lowest_card(rest)
        rest &= rest - 1
        index += 1
    return np.int64(first)


@cuda.jit(device=True)
def post_nothing(player, board, thread, state, which):
    """Return -1: the player decides without posted cards."""
    return np.int64(-1)


@cuda.jit(device=True)
def value_draw(table, board, index):
    """Replace a posted card by its value for the thread that may draw it."""
    posted = np.int64(board.values[index])
    thread, card = posted >> 6, posted & 63
    hand, known, unseen, player = board.hands[thread], board.known[thread], board.unseen[thread], board.players[thread]
    taken = unseen & bit(card) == 0
    risk = 0.0 if taken else risk_of(card, known, unseen, share_of(known, unseen, table))
    odds = turn_odds(player >> 8 & 255, known, player >> 16, table)
    board.values[index] = after_draw(hand, card, taken, risk, board.risks[thread], odds, table)


@cuda.jit(device=True)
def value_nothing(player, board, index):
    """Do nothing: the card belongs to another player."""


post = by_kind({ValueTable: post_draws}, post_nothing)
value_posted = by_kind({ValueTable: value_draw}, value_nothing)


@cuda.jit(device=True)
def is_upcard_better(board, thread, first):
    """Return whether the value of the upcard exceeds the mean of the others, as kernel_computed.computed_takes does."""
    count, total = popcount(board.unseen[thread]), 0.0
    for index in range(first + 1, first + 1 + count):
        total += board.values[index]
    return board.values[first] > total / max(count, 1)


@cuda.jit(device=True)
def add_to_tally(trajectory, state, tally):
    """Add the decisions of seat 0 to a tally."""
    num_rows = min(trajectory.num_turns[0], trajectory.turns.shape[1])
    for row in range(num_rows):
        for entry in range(NUM_ENTRIES):
            index, amount = tally_entry(trajectory.turns[0], row, num_rows, state, entry)
            if index >= 0:
                cuda.atomic.add(tally, index, 1.0)
                cuda.atomic.add(tally, index + 1, amount)


@cuda.jit(**REGISTERS)
def play_games(players, swapped, rules, seed, game, count, results):
    """Play ``count`` matches as kernel_match.play_matches does, a thread each, and write the ``results``, a GameResults.

    The draws of a computed player are valued by all threads of its block: one thread alone would look up some 340 hands while the
    others wait. A thread whose match is over starts another. ``players``: the first one and the second.
    """
    first, second = players
    matches, tally, trajectories = results.matches, results.tally, results.trajectories
    states = cuda.local.array(1, STATE)
    cards = cuda.local.array(CARDS_SHAPE, numba.int64)
    belief = cuda.local.array(BELIEF_SHAPE, numba.float64)
    num_turns = cuda.local.array(2, numba.int64)
    own_turns = cuda.local.array(TRAJECTORY_SHAPE, numba.float64)
    workspace = Workspace(
        obtainability=cuda.local.array(68, numba.float64),
        left=cuda.local.array(52, numba.int64),
        risks=cuda.local.array(52, numba.float64),
        values=cuda.local.array(52, numba.float64),
        terms=cuda.local.array(TERMS_SHAPE, numba.float64),
        total=cuda.local.array(TOTAL_SHAPE, numba.float32),
        inner=cuda.local.array(NARROW, numba.float32),
    )
    memories = (
        Memory(cards=cards[0], belief=belief[0], workspace=workspace),
        Memory(cards=cards[1], belief=belief[1], workspace=workspace),
    )
    state, turns = states[0], own_turns[: 1 if len(tally) > 0 else 0]
    board = DrawBoard(
        hands=cuda.shared.array(THREADS, numba.int64),
        known=cuda.shared.array(THREADS, numba.int64),
        unseen=cuda.shared.array(THREADS, numba.int64),
        players=cuda.shared.array(THREADS, numba.int64),
        risks=cuda.shared.array(RISKS_SHAPE, numba.float64),
        count=cuda.shared.array(1, numba.int32),
        values=results.values[cuda.blockIdx.x],
    )
    thread, i, round_is_over, match_is_over = cuda.threadIdx.x, np.int64(cuda.grid(1)), True, True
    if thread == 0:
        board.count[0] = 0
    turn = 0
    while cuda.syncthreads_or(np.int32(i < count)):
        turn += 1
        if i < count and round_is_over and turn % DEALS == 0:
            if match_is_over:
                if len(trajectories) > 0:
                    turns = trajectories[i]
                state.seed, state.game = seed, game + i
                start_match(state, rules)
                match_is_over = False
            start_round(state, first, second, memories, swapped, rules)
            num_turns[0], num_turns[1] = 0, 0
            round_is_over = False
        is_playing, posted = i < count and not round_is_over, np.int64(-1)
        if is_playing and state.phase != FORCED:
            if state.seat == swapped:
                posted = post(first, board, thread, state, 0)
            else:
                posted = post(second, board, thread, state, 1)
        cuda.syncthreads()
        for index in range(thread, board.count[0], cuda.blockDim.x):
            if board.players[np.int64(board.values[index]) >> 6] & 255 == 0:
                value_posted(first, board, index)
            else:
                value_posted(second, board, index)
        cuda.syncthreads()
        if thread == 0:
            board.count[0] = 0
        if is_playing:
            trajectory = Trajectory(turns, num_turns)
            if posted >= 0 and is_upcard_better(board, thread, posted):
                action = np.int64(TAKE)
            elif posted >= 0 and state.phase != OFFERED:
                action = np.int64(DRAW)
            elif posted >= 0:
                action = np.int64(PASS)
            else:
                action = next_action(state, first, second, memories, swapped, rules)
            round_is_over = act_and_record(state, action, first, second, memories, swapped, rules, trajectory)
            if not round_is_over and state.phase == DISCARDING:
                action = next_action(state, first, second, memories, swapped, rules)
                round_is_over = act_and_record(state, action, first, second, memories, swapped, rules, trajectory)
            if round_is_over and count_round(state, rules, matches[i]):
                match_is_over = True
                close_trajectory(trajectory, state)
                if len(tally) > 0:
                    add_to_tally(trajectory, state, tally)
                i += cuda.gridsize(1)
