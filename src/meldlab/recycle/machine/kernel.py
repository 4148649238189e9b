"""Games under the machine: set up, options found, decisions carried out, scores, and whole games played at random.

The loop in ``kernel_loop`` is called from one place only, in ``drive``: wherever it is called, it is compiled again. The other names here
are what Python calls; ``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_loop``.
"""

from concurrent.futures import CancelledError
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import verified
from meldlab.chance.kernel import address, below
from meldlab.compiling import kernel, scalar_kernel
from meldlab.pieces import pieces
from meldlab.recycle.machine.kernel_cards import undo
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_loop import run
from meldlab.recycle.machine.kernel_search import H_LEVEL, H_OPTION, H_WORK, NOTHING, next_task

Words = NDArray[Any]
Tables = tuple[Words, Words, Words]  # code, data, layout

MORE = -2  # drive has paused
FUEL = 1_000_000  # work of the first piece: a few thousandths of a second
FIRST_TASK = {TO_PLAY: TO_BEGIN, TO_COUNT: TO_BEGIN, TO_SEARCH: TO_BEGIN, TO_ADVISE: TO_EXPLORE}

NONE = np.zeros(0, np.int64)
NO_SCORES = np.zeros((0, 0), np.int64)
NO_SUMS = np.zeros((0, 0))
NO_RESULTS = NONE, NONE, NONE, NONE
NO_SEARCH = NONE, NONE, NO_SCORES, NO_SUMS, NO_SUMS, np.zeros(0), NO_SCORES, NO_SUMS


@scalar_kernel
def work_room(layout, state):
    """Empty the room to work in."""
    state[HEAP] = layout[L_LISTS]
    state[TRAIL] = 0
    state[WORK] = 0
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
        state[TRAIL] = layout[L_TRAIL]
        state[TRAIL_END] = layout[L_TRAIL_END]
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
    state[TRAIL] = 0
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


@scalar_kernel
def keep(course, task, level, game, option, player, status, error, current, queued, paused):
    """Note how far a course is; ``paused`` if a task is in the middle."""
    course[C_TASK], course[C_LEVEL], course[C_GAME], course[C_OPTION], course[C_PLAYER] = task, level, game, option, player
    course[C_STATUS], course[C_ERROR], course[C_CURRENT], course[C_QUEUED], course[C_PAUSED] = status, error, current, queued, paused


@kernel
def drive(
    code, data, layout, stack, initial, course, fuel, statuses, errors, decisions, options, scores, orders, hunt, table, sums, root, gauge,
    decided, judged,
):  # fmt: skip
    """Bring the state ``stack[0]`` to a goal: one task, or with ``TO_PLAY`` many random games, or with ``TO_COUNT`` all histories.

    ``initial``: [words] int64, what a state begins with; ``course``: [COURSE + 2 levels] int64, the goal and how far it is. After ``fuel``
    work drive pauses and returns ``MORE``; called again with the same arrays it goes on, and nothing it finds depends on the pauses.
    Playing fills ``statuses``, ``errors`` (instruction), ``decisions`` and ``options`` (summed), [games] int64, and ``scores``, [games,
    players] int64. Counting goes as deep as ``stack``, [depth + 1, words] int64, and adds to ``scores``, [depth + 1, 2] int64, the
    histories of each length and how many of them end the game; it returns the level of a state that failed, or -1. ``TO_SEARCH`` plays
    one game with players that look ahead, on ``stack``, [2, words] int64, and ``TO_ADVISE`` makes one decision for such a player;
    ``orders`` and what follows are as in ``kernel_search``.
    """
    goal, task, level, game, games = course[C_GOAL], course[C_TASK], course[C_LEVEL], course[C_GAME], course[C_GAMES]
    option, limit, player, paused = course[C_OPTION], course[C_LIMIT], course[C_PLAYER], course[C_PAUSED]
    status, error, current, queued = course[C_STATUS], course[C_ERROR], course[C_CURRENT], course[C_QUEUED]
    seed, first = np.uint64(course[C_SEED]), np.uint64(course[C_FIRST])
    depth = len(stack) - 1
    chosen, found = course[COURSE : COURSE + depth + 1], course[COURSE + depth + 1 :]
    cycle = layout[L_PLAYER_CYCLE]
    spent = 0
    while True:
        state = stack[level]
        if paused:
            pc = state[PAUSED_AT]
            state[STATUS] = PLAYING
            paused = 0
        else:
            if spent > fuel:
                keep(course, task, level, game, option, player, status, error, current, queued, 0)
                return MORE
            if task == TO_BEGIN:
                logging = state[LOGGING]
                for i in range(len(initial)):
                    state[i] = initial[i]
                state[LOGGING] = logging
                state[KEY] = np.int64(address(seed, first + np.uint64(game), 0, 0, GAME_KEY))
                spent += len(initial) >> 2
            elif task == TO_SCORE:
                if player == 1:
                    status, error, current, queued = state[STATUS], state[ERROR_AT], state[cycle + CURRENT], state[cycle + QUEUED]
                    state[cycle + QUEUED] = 0
                state[cycle + CURRENT] = player
            pc = prepare(code, layout, state, task, option)
        spent += 10
        if pc:
            # A game that is over is scored, however long it took.
            allowed = layout[L_WORK_LIMIT]
            if task != TO_SCORE:
                allowed = min(allowed, layout[L_GAME_WORK_LIMIT] - state[GAME_WORK])
            before = state[WORK]
            run(code, data, layout, state, pc, allowed, max(0, fuel - spent))
            spent += state[WORK] - before
            if state[STATUS] == PAUSED:
                keep(course, task, level, game, option, player, status, error, current, queued, 1)
                return MORE
            if task != TO_SCORE:
                state[GAME_WORK] += state[WORK]
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
            spent += stack[level][TOP] >> 2
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
            spent += hunt[H_WORK]
            hunt[H_WORK] = 0
            level, option = hunt[H_LEVEL], hunt[H_OPTION]
        else:
            return -1


def begin(tables: Tables, state: Words, initial: Words, seed: int, game: int) -> None:
    """Set up a game and run it to its first decision, or its end."""
    _one(tables, state, initial, TO_BEGIN, seed=seed, first=game)


def explore(tables: Tables, state: Words) -> int:
    """Find the options of the decision that the game stands at; return how many."""
    _one(tables, state, NONE, TO_EXPLORE)
    return int(state[OPTIONS])


def decide(tables: Tables, state: Words, option: int) -> None:
    """Carry out an option found by ``explore`` and run to the next decision, or the end."""
    _one(tables, state, NONE, TO_DECIDE, option=option)


def score(tables: Tables, state: Words) -> bool:
    """Evaluate the score of every player, also of an unfinished game; return whether all could be."""
    before = state[STATUS]
    _one(tables, state, NONE, TO_SCORE)
    return bool(state[STATUS] == before)


def _one(tables: Tables, state: Words, initial: Words, goal: int, **given: int) -> None:
    _all(tables, state.reshape(1, -1), initial, (*NO_RESULTS, NO_SCORES), NO_SEARCH, None, goal, **given)


def random_games(
    tables: Tables, state: Words, initial: Words, results: tuple[Words, ...], stopped: Event | None = None, **given: int
) -> None:
    """Play ``games`` games from number ``first`` of a seed with random players; results as in ``drive``."""
    if given["games"]:
        _all(tables, state.reshape(1, -1), initial, results, NO_SEARCH, stopped, TO_PLAY, **given)


def count_histories(tables: Tables, stack: Words, initial: Words, counts: Words, **given: int) -> int:
    """Count the histories of a game; see ``drive``."""
    return _all(tables, stack, initial, (*NO_RESULTS, counts), NO_SEARCH, None, TO_COUNT, **given)


def search(tables: Tables, stack: Words, initial: Words, arrays: tuple[Words, ...], stopped: Event | None, goal: int, **given: int) -> None:
    """Play one game with players that look ahead, or make one decision for such a player; see ``drive``."""
    _all(tables, stack, initial, (*NO_RESULTS, NO_SCORES), arrays, stopped, goal, **given)


def _all(
    tables: Tables,
    stack: Words,
    initial: Words,
    results: tuple[Words, ...],
    arrays: tuple[Words, ...],
    stopped: Event | None,
    goal: int,
    *,
    option: int = 0,
    seed: int = 0,
    first: int = 0,
    games: int = 1,
    limit: int = 0,
) -> int:
    """Call ``drive`` until the goal is reached, or somebody has ``stopped`` it; in between Python hears a key."""
    course = np.zeros(COURSE + 2 * len(stack), np.int64)
    course[C_GOAL], course[C_TASK], course[C_PLAYER] = goal, FIRST_TASK.get(goal, goal), 1
    course[C_OPTION], course[C_GAMES], course[C_LIMIT] = option, games, limit
    course.view(np.uint64)[C_SEED], course.view(np.uint64)[C_FIRST] = verified(seed), first
    answer = MORE
    for _, fuel in pieces(2**62, FUEL):
        if stopped is not None and stopped.is_set():
            raise CancelledError
        answer = int(drive(*tables, stack, initial, course, fuel, *results, *arrays))
        if answer != MORE:
            break
    return answer
