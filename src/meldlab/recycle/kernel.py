"""Games under the machine: set up, options found, decisions carried out, scores, and whole games played at random.

The loop in ``kernel_loop`` is called from one place only, in ``drive``: wherever it is called, it is compiled again. The other names here
are what Python calls; ``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_loop``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import verified
from meldlab.chance.kernel import address, below
from meldlab.compiling import kernel, scalar_kernel
from meldlab.recycle.kernel_cards import undo
from meldlab.recycle.kernel_layout import *
from meldlab.recycle.kernel_loop import run
from meldlab.recycle.kernel_search import H_LEVEL, H_OPTION, NOTHING, next_task

Words = NDArray[Any]

NONE = np.zeros(0, np.int64)
NO_SCORES = np.zeros((0, 0), np.int64)
NO_SUMS = np.zeros((0, 0))
NO_SEARCH = NONE, NONE, NO_SCORES, NO_SUMS, NO_SUMS, np.zeros(0), NO_SCORES, NO_SUMS


@scalar_kernel
def work_room(layout, state):
    """Empty the room to work in."""
    state[HEAP] = layout[L_LISTS]
    state[TRAIL] = layout[L_TRAIL]
    state[MODE] = RUN
    state[ACTED] = 0
    state[POINTS_OPEN] = 0
    state[PATH] = 0
    state[PATH_END] = 0
    state[FLOOR] = 0
    state[RETURN] = 0
    state[STATUS] = PLAYING


@scalar_kernel
def prepare(code, layout, state, task, option):
    """Make a state ready for a task; return the instruction to run from, 0 for none."""
    choice = state[PC]
    work_room(layout, state)
    if task == TO_BEGIN:
        return layout[L_START]
    if task == TO_EXPLORE:
        state[OPTIONS] = 0
        state[OPTION_WORDS] = 0
        state[MODE] = EXPLORE
        state[SAVED_EVENT] = state[EVENT]
        state[EVENT] = 0
        return choice + STRIDE
    if task == TO_GO_ON:
        state[LOG_SPLIT] = state[LOG]
        state[DECISION] += 1
        state[EVENT] = 0
        state[STEPS] = 0
        return code[choice + 1]
    if task == TO_SCORE:
        return layout[L_SCORE_AT]
    at = state[layout[L_OPTION] + option]
    length = state[at]
    if code[choice] == JOINT:
        # Chosen now, carried out when all have chosen. Operands: where to go on, the cell that counts the members.
        pending = layout[L_PENDING] + state[code[choice + 2]] * layout[L_PENDING_WIDTH]
        if length + 2 > layout[L_PENDING_WIDTH]:
            state[STATUS] = OUT_OF_PATH
            state[ERROR_AT] = choice
            return 0
        state[pending] = state[DECISION]
        state[pending + 1] = length
        for i in range(length):
            state[pending + 2 + i] = state[at + 1 + i]
        return 0
    for i in range(length):
        state[layout[L_PATH] + i] = state[at + 1 + i]
    state[PATH_END] = length
    state[MODE] = FOLLOW
    state[EVENT] = 0
    return choice + STRIDE


@scalar_kernel
def explored(layout, state):
    """Leave a state as it was before its options were found."""
    undo(state, layout[L_TRAIL])
    state[MODE] = RUN
    state[EVENT] = state[SAVED_EVENT]
    state[HEAP] = layout[L_LISTS]
    if state[STATUS] == PLAYING:
        state[STATUS] = DECIDING
        if state[OPTIONS] == 0:
            state[STATUS] = NO_OPTION
            state[ERROR_AT] = state[PC]


@scalar_kernel
def descend(layout, state, lower, option):
    """Copy a state, its constants and one of its options."""
    for i in range(state[TOP]):
        lower[i] = state[i]
    for i in range(layout[L_LISTS_FROM], layout[L_LISTS]):
        lower[i] = state[i]
    at = state[layout[L_OPTION] + option]
    lower[layout[L_OPTION]] = layout[L_OPTION_WORDS]
    for i in range(state[at] + 1):
        lower[layout[L_OPTION_WORDS] + i] = state[at + i]


@kernel
def drive(
    code, data, layout, stack, initial, goal, option, seed, first, games, limit, statuses, errors, decisions, options, scores, orders, hunt,
    table, sums, root, gauge, decided, judged,
):  # fmt: skip
    """Bring the state ``stack[0]`` to a goal: one task, or with ``TO_PLAY`` many random games, or with ``TO_COUNT`` all histories.

    ``initial``: [words] int64, what a state begins with. Playing fills ``statuses``, ``errors`` (instruction), ``decisions`` and
    ``options`` (summed), [games] int64, and ``scores``, [games, players] int64. Counting goes as deep as ``stack``, [depth + 1, words]
    int64, and adds to ``scores``, [depth + 1, 2] int64, the histories of each length and how many of them end the game; it returns the
    level of a state that failed, or -1. ``TO_SEARCH`` plays one game with players that look ahead, on ``stack``, [2, words] int64, and
    ``TO_ADVISE`` makes one decision for such a player; ``orders`` and what follows are as in ``kernel_search``.
    """
    level, game = 0, 0
    depth = len(stack) - 1
    chosen, found = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    status, error, player = 0, 0, 1
    cycle = layout[L_PLAYER_CYCLE]
    current, queued = 0, 0
    task = goal
    if goal == TO_PLAY or goal == TO_COUNT or goal == TO_SEARCH:
        task = TO_BEGIN
    elif goal == TO_ADVISE:
        task = TO_EXPLORE
    while True:
        state = stack[level]
        if task == TO_BEGIN:
            logging = state[LOGGING]
            for i in range(len(initial)):
                state[i] = initial[i]
            state[LOGGING] = logging
            state[KEY] = np.int64(address(seed, first + np.uint64(game), 0, 0, GAME_KEY))
        elif task == TO_SCORE:
            if player == 1:
                status, error, current, queued = state[STATUS], state[ERROR_AT], state[cycle + CURRENT], state[cycle + QUEUED]
                state[cycle + QUEUED] = 0
            state[cycle + CURRENT] = player
        pc = prepare(code, layout, state, task, option)
        if pc:
            run(code, data, layout, state, pc)
        if task == TO_EXPLORE:
            explored(layout, state)
        elif task == TO_DECIDE:
            if state[STATUS] == PLAYING:
                task = TO_GO_ON
                continue
        elif task == TO_SCORE and state[STATUS] == PLAYING:
            state[layout[L_SCORES] + player] = state[layout[L_SCORES]]
            player += 1
            if player <= layout[L_PLAYERS]:
                continue
            player = 1
            state[cycle + CURRENT], state[cycle + QUEUED], state[STATUS], state[ERROR_AT] = current, queued, status, error
        if goal == TO_PLAY:
            if task == TO_SCORE or state[STATUS] > CAPPED:
                statuses[game] = state[STATUS]
                errors[game] = state[ERROR_AT]
                decisions[game] = state[DECISION]
                for seat in range(layout[L_PLAYERS]):
                    scores[game, seat] = state[layout[L_SCORES] + 1 + seat]
                game += 1
                player = 1
                task = TO_BEGIN
                if game >= games:
                    return -1
            elif task == TO_EXPLORE:
                options[game] += state[OPTIONS]
                option = below(address(np.uint64(state[KEY]), 0, state[DECISION], 0, FOR_PLAYER), 0, state[OPTIONS])
                task = TO_DECIDE
            elif state[STATUS] == FINISHED:
                task = TO_SCORE
            elif state[DECISION] >= limit:
                state[STATUS] = CAPPED
                task = TO_SCORE
            else:
                task = TO_EXPLORE
        elif goal == TO_COUNT:
            if task == TO_EXPLORE:
                found[level] = state[OPTIONS]
                chosen[level] = 0
            else:
                scores[level, 0] += 1
                found[level] = 0
                if state[STATUS] == FINISHED or (state[STATUS] == DECIDING and state[DECISION] >= limit):
                    scores[level, 1] += 1
                elif level < depth and state[STATUS] == DECIDING:
                    task = TO_EXPLORE
                    continue
            if state[STATUS] > CAPPED:
                return level
            while level >= 0 and chosen[level] >= found[level]:
                level -= 1
            if level < 0:
                return -1
            descend(layout, stack[level], stack[level + 1], chosen[level])
            chosen[level] += 1
            level += 1
            chosen[level], found[level] = 0, 0
            option = 0
            task = TO_DECIDE
        elif goal == TO_SEARCH or goal == TO_ADVISE:
            player = 1
            task = next_task(code, layout, stack, goal, task, limit, orders, hunt, table, sums, root, gauge, decided, judged)
            if task == NOTHING:
                return -1
            level, option = hunt[H_LEVEL], hunt[H_OPTION]
        else:
            return -1


def begin(code: Words, data: Words, layout: Words, state: Words, initial: Words, seed: int, game: int) -> None:
    """Set up a game and run it to its first decision, or its end."""
    _one(code, data, layout, state, initial, TO_BEGIN, 0, seed, game)


def explore(code: Words, data: Words, layout: Words, state: Words) -> int:
    """Find the options of the decision that the game stands at; return how many."""
    _one(code, data, layout, state, NONE, TO_EXPLORE, 0, 0, 0)
    return int(state[OPTIONS])


def decide(code: Words, data: Words, layout: Words, state: Words, option: int) -> None:
    """Carry out an option found by ``explore`` and run to the next decision, or the end."""
    _one(code, data, layout, state, NONE, TO_DECIDE, option, 0, 0)


def score(code: Words, data: Words, layout: Words, state: Words) -> bool:
    """Evaluate the score of every player, also of an unfinished game; return whether all could be."""
    before = state[STATUS]
    _one(code, data, layout, state, NONE, TO_SCORE, 0, 0, 0)
    return bool(state[STATUS] == before)


def _one(code: Words, data: Words, layout: Words, state: Words, initial: Words, task: int, option: int, seed: int, game: int) -> None:
    stack = state.reshape(1, -1)
    nothing = NONE, NONE, NONE, NONE, NO_SCORES
    drive(code, data, layout, stack, initial, task, option, np.uint64(verified(seed)), np.uint64(game), 1, 0, *nothing, *NO_SEARCH)


def random_games(
    code: Words, data: Words, layout: Words, state: Words, initial: Words, seed: int, first: int, games: int, limit: int, *results: Words
) -> None:
    """Play games ``first`` and following with random players; results as in ``drive``."""
    stack = state.reshape(1, -1)
    if games:
        drive(
            code, data, layout, stack, initial, TO_PLAY, 0, np.uint64(verified(seed)), np.uint64(first), games, limit, *results, *NO_SEARCH
        )


def count_histories(code: Words, data: Words, layout: Words, stack: Words, initial: Words, seed: int, limit: int, counts: Words) -> int:
    """Count the histories of a game; see ``drive``."""
    game = np.uint64(0)
    nothing = NONE, NONE, NONE, NONE
    key = np.uint64(verified(seed))
    return int(drive(code, data, layout, stack, initial, TO_COUNT, 0, key, game, 1, limit, *nothing, counts, *NO_SEARCH))


def search(
    code: Words, data: Words, layout: Words, stack: Words, initial: Words, goal: int, seed: int, game: int, limit: int, *arrays: Words
) -> None:
    """Play one game with players that look ahead, or make one decision for such a player; see ``drive``."""
    nothing = NONE, NONE, NONE, NONE, NO_SCORES
    drive(code, data, layout, stack, initial, goal, 0, np.uint64(verified(seed)), np.uint64(game), 1, limit, *nothing, *arrays)
