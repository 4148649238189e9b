"""Games under the machine: set up, options found, decisions carried out, scores, and whole games played at random.

The loop in ``kernel_loop`` is called from one place only, in ``drive``, since it becomes a part of whatever calls it and takes some ten
seconds to compile. The other names here are what Python calls; ``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_loop``.
"""

from concurrent.futures import CancelledError
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.chance.kernel import address, player_root
from meldlab.compiling import device_function
from meldlab.parallel import chunks
from meldlab.recycle.machine.kernel_cards import undo
from meldlab.recycle.machine.kernel_choices import redo
from meldlab.recycle.machine.kernel_layout import *
from meldlab.recycle.machine.kernel_loop import run
from meldlab.recycle.machine.kernel_search import NOTHING, S_LEVEL, S_OPTION, S_WORK, Search, late_option, next_task, random_option
from meldlab.recycle.machine.kernel_vector import (
    TOO_NARROW,
    V_END,
    V_NEEDED,
    V_STRIDE,
    V_STUCK,
    V_TABLE,
    V_WORK,
    Hall,
    next_in_hall,
)

Words = NDArray[Any]


class Bytecode(NamedTuple):
    """A compiled program: instructions, tables, and where everything lies."""

    code: Words
    data: Words
    layout: Words


class Results(NamedTuple):
    """What comes of games, [games] int64 each."""

    statuses: Words
    errors: Words  # the instruction at which a game failed
    decisions: Words
    options: Words  # summed over the decisions
    scores: Words  # [games, players], or of histories [depth + 1, 2]: how many there are, how many of them end the game


MORE = -2  # drive has paused
FUEL = 1_000_000  # work of the first piece: a few thousandths of a second
FIRST_TASK = {TO_PLAY: TO_BEGIN, TO_COUNT: TO_BEGIN, TO_SEARCH: TO_BEGIN}

NONE, NO_ROWS = np.zeros(0, np.int64), np.zeros((0, 0), np.int64)
NO_RESULTS = Results(NONE, NONE, NONE, NONE, NO_ROWS)


@device_function
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
    state[FOLLOWED] = 0
    state[LAST_CARD] = 0
    state[STATUS] = PLAYING


@device_function
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
    if code[choice] == JOINT and task != TO_PREVIEW:
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


@device_function
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


@device_function
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


@device_function
def keep(course, task, level, option, paused):
    """Note how far a course is; ``paused`` if a task is in the middle."""
    course[C_TASK], course[C_LEVEL], course[C_OPTION], course[C_PAUSED] = task, level, option, paused


@device_function
def drive(program, stack, initial, course, fuel, results, search, hall):
    """Bring the state ``stack[0]`` to a goal: one task, or with ``TO_PLAY`` many random games, or with ``TO_COUNT`` all histories.

    ``initial``: [words] int64, what a state begins with; ``course``: [COURSE + 2 levels] int64, the goal and how far it is. After ``fuel``
    work drive pauses and returns ``MORE``; called again with the same arrays it goes on, and nothing it finds depends on the pauses.
    Counting goes as deep as ``stack``, [depth + 1, words] int64; it returns the level of a state that failed, or -1. ``TO_SEARCH`` plays
    one game with players that look ahead, on ``stack``, [2, words] int64, and ``TO_ADVISE`` makes one decision for such a player, whose
    options the state holds. ``TO_STEP`` takes tables a step further; it returns ``TOO_NARROW`` where their rows must grow first. Without
    ``search`` or ``hall``, None, drive is compiled without what they are for.
    """
    code, data, layout = program
    goal, task, level, option, paused = course[C_GOAL], course[C_TASK], course[C_LEVEL], course[C_OPTION], course[C_PAUSED]
    limit, first = course[C_LIMIT], np.uint64(course[C_FIRST])
    depth = len(stack) - 1
    chosen, found = course[COURSE : COURSE + depth + 1], course[COURSE + depth + 1 :]
    cycle = layout[L_PLAYER_CYCLE]
    spent = 0
    fresh = False  # whether the options of the state have just been found
    while True:
        state = stack[level]
        pc = 0
        if paused:
            pc = state[PAUSED_AT]
            state[STATUS] = PLAYING
            paused = 0
        else:
            if spent > fuel:
                keep(course, task, level, option, 0)
                return MORE
            if task == TO_BEGIN:
                logging, seed = state[LOGGING], np.uint64(course[C_SEED])
                for i in range(len(initial)):
                    state[i] = initial[i]
                state[LOGGING] = logging
                state[KEY] = np.int64(address(seed, first + np.uint64(course[C_GAME]), 0, 0, GAME_KEY))
                course[C_ROOT] = np.int64(player_root(seed, first + np.uint64(course[C_GAME])))
                spent += len(initial) >> 2
            elif task == TO_SCORE:
                if course[C_PLAYER] == 1:
                    course[C_STATUS], course[C_ERROR] = state[STATUS], state[ERROR_AT]
                    course[C_CURRENT], course[C_QUEUED] = state[cycle + CURRENT], state[cycle + QUEUED]
                    state[cycle + QUEUED] = 0
                state[cycle + CURRENT] = course[C_PLAYER]
            if task == TO_DECIDE and fresh and code[state[PC]] == CHOICE and redo(state, layout, option):
                task = TO_GO_ON
            if task == TO_ADVISE:
                task = TO_EXPLORE  # which is done: the options are there
            elif task != TO_STEP:
                pc = prepare(code, layout, state, task, option)
        spent += 10
        fresh = False
        if pc:
            # A game that is over is scored, however long it took.
            allowed = layout[L_WORK_LIMIT]
            if task != TO_SCORE:
                allowed = min(allowed, layout[L_GAME_WORK_LIMIT] - state[GAME_WORK])
            before = state[WORK]
            run(code, data, layout, state, pc, allowed, max(0, fuel - spent))
            spent += state[WORK] - before
            if state[STATUS] == PAUSED:
                keep(course, task, level, option, 1)
                return MORE
            # To follow an option again is not counted, since often there is no need to.
            if task != TO_SCORE and task != TO_DECIDE:
                state[GAME_WORK] += state[WORK]
            if task == TO_EXPLORE:
                explored(layout, state)
        if task == TO_DECIDE:
            if state[STATUS] == PLAYING:
                task = TO_GO_ON
                continue
        elif task == TO_SCORE and state[STATUS] == PLAYING:
            state[layout[L_SCORES] + course[C_PLAYER]] = state[layout[L_SCORES]]
            course[C_PLAYER] += 1
            if course[C_PLAYER] <= layout[L_PLAYERS]:
                continue
            course[C_PLAYER] = 1
            state[cycle + CURRENT], state[cycle + QUEUED] = course[C_CURRENT], course[C_QUEUED]
            state[STATUS], state[ERROR_AT] = course[C_STATUS], course[C_ERROR]
        if goal == TO_PLAY:
            game = course[C_GAME]
            if task == TO_SCORE or state[STATUS] > CAPPED:
                results.statuses[game] = state[STATUS]
                results.errors[game] = state[ERROR_AT]
                results.decisions[game] = state[DECISION]
                for seat in range(layout[L_PLAYERS]):
                    results.scores[game, seat] = state[layout[L_SCORES] + 1 + seat]
                course[C_GAME] = game + 1
                course[C_PLAYER] = 1
                task = TO_BEGIN
                if game + 1 >= course[C_GAMES]:
                    course[C_SPENT] = spent
                    return -1
            elif task == TO_EXPLORE:
                results.options[game] += state[OPTIONS]
                root = np.uint64(course[C_ROOT])
                option = late_option(root, code, state) if course[C_LATE] else random_option(root, code, state)
                task = TO_DECIDE
                fresh = True
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
                results.scores[level, 0] += 1
                found[level] = 0
                if state[STATUS] == FINISHED or (state[STATUS] == DECIDING and state[DECISION] >= limit):
                    results.scores[level, 1] += 1
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
        elif search is not None and (goal == TO_SEARCH or goal == TO_ADVISE):
            course[C_PLAYER] = 1
            before = level if task == TO_EXPLORE else -1
            task = next_task(code, layout, stack, goal, task, limit, search)
            if task == NOTHING:
                return -1
            spent += search.now[S_WORK]
            search.now[S_WORK] = 0
            level, option = search.now[S_LEVEL], search.now[S_OPTION]
            fresh = level == before
        elif hall is not None and goal == TO_STEP:
            course[C_PLAYER] = 1
            task = next_in_hall(code, layout, state, course, task, limit, hall)
            if task == NOTHING:
                return -1
            if task == TOO_NARROW:
                # Called again it finds the options where they are.
                keep(course, TO_ADVISE, level, option, 0)
                return TOO_NARROW
            spent += hall.now[V_WORK]
            hall.now[V_WORK] = 0
        else:
            return -1


def begin(program: Bytecode, state: Words, initial: Words, seed: int, game: int) -> None:
    """Set up a game and run it to its first decision, or its end."""
    _one(program, state, TO_BEGIN, initial, seed=seed, first=game)


def explore(program: Bytecode, state: Words) -> int:
    """Find the options of the decision that the game stands at; return how many."""
    _one(program, state, TO_EXPLORE)
    return int(state[OPTIONS])


def decide(program: Bytecode, state: Words, option: int) -> None:
    """Carry out an option found by ``explore`` and run to the next decision, or the end."""
    _one(program, state, TO_DECIDE, option=option)


def preview(program: Bytecode, state: Words, option: int) -> None:
    """Carry out an option as if nobody had to wait for others, and nothing after it."""
    _one(program, state, TO_PREVIEW, option=option)


def score(program: Bytecode, state: Words) -> bool:
    """Evaluate the score of every player, also of an unfinished game; return whether all could be."""
    before = state[STATUS]
    _one(program, state, TO_SCORE)
    return bool(state[STATUS] == before)


def _one(program: Bytecode, state: Words, goal: int, initial: Words = NONE, **given: Any) -> None:
    _all(program, state.reshape(1, -1), goal, initial, **given)


def random_games(program: Bytecode, state: Words, initial: Words, results: Results, stopped: Event, **given: Any) -> None:
    """Play ``games`` games from number ``first`` of a seed with random players."""
    if given["games"]:
        _all(program, state.reshape(1, -1), TO_PLAY, initial, results, stopped=stopped, **given)


def random_game(program: Bytecode, state: Words, initial: Words, results: Results, work: int, *, seed: int, limit: int, late: bool) -> int:
    """Play game 0 of a seed with random players, or with players who are ``late`` and mostly take the last option.

    Return the work left, or -1 if the game has not ended within ``work``.
    """
    stack = state.reshape(1, -1)
    course = _course(len(stack), TO_PLAY, seed=seed, limit=limit)
    course[C_LATE] = late
    while work > 0:
        fuel = min(work, FUEL)
        if drive(program, stack, initial, course, fuel, results, None, None) != MORE:
            return max(0, work - int(course[C_SPENT]))
        work -= fuel
    return -1


def count_histories(program: Bytecode, stack: Words, initial: Words, counts: Words, **given: Any) -> int:
    """Count the histories of a game; see ``drive``."""
    return _all(program, stack, TO_COUNT, initial, NO_RESULTS._replace(scores=counts), **given)


def play_searching(program: Bytecode, stack: Words, initial: Words, search: Search, stopped: Event | None, **given: Any) -> None:
    """Play one game with players that look ahead."""
    _all(program, stack, TO_SEARCH, initial, search=search, stopped=stopped, **given)


def advise(program: Bytecode, stack: Words, search: Search, limit: int) -> None:
    """Make one decision for a player that looks ahead."""
    _all(program, stack, TO_ADVISE, search=search, limit=limit)


class StepUnderway(NamedTuple):
    """Some tables on their way through one step, and the room of the machine that they are played in."""

    stack: Words  # [1, words]
    course: Words
    hall: Hall

    @classmethod
    def of(cls, state: Words, hall: Hall, limit: int) -> "StepUnderway":
        """Return tables that can be stepped in a room; games end after ``limit`` decisions."""
        course = np.zeros(COURSE + 2, np.int64)
        course[C_GOAL], course[C_LIMIT] = TO_STEP, limit
        return cls(state.reshape(1, -1), course, hall)

    def begin(self, first: int, end: int, stride: int) -> None:
        """Begin a step of the tables ``first`` .. ``end`` - 1; the next game of each has a number that is higher by ``stride``."""
        self.course[C_TASK], self.course[C_PLAYER], self.course[C_PAUSED] = TO_STEP, 1, 0
        now = self.hall.now
        now[V_TABLE], now[V_END], now[V_STRIDE], now[V_STUCK] = first, end, stride, 0

    def go(self, program: Bytecode, initial: Words, stopped: Event | None = None) -> int:
        """Go on to the end of the step; return how wide the rows must be before it can, or 0."""
        answer = _on(program, self.stack, initial, self.course, NO_RESULTS, None, self.hall, stopped)
        return int(self.hall.now[V_NEEDED]) if answer == TOO_NARROW else 0

    def with_rows(self, rows: Words) -> "StepUnderway":
        """Return the same, with rows that have become wider."""
        return self._replace(hall=self.hall._replace(rows=rows))


def _all(
    program: Bytecode,
    stack: Words,
    goal: int,
    initial: Words = NONE,
    results: Results = NO_RESULTS,
    *,
    search: Search | None = None,
    stopped: Event | None = None,
    **given: int,
) -> int:
    """Call ``drive`` until the goal is reached, or somebody has ``stopped`` it; in between Python hears a key."""
    return _on(program, stack, initial, _course(len(stack), goal, **given), results, search, None, stopped)


def _course(levels: int, goal: int, *, option: int = 0, seed: int = 0, first: int = 0, games: int = 1, limit: int = 0) -> Words:
    """Return the start of a course; see ``drive``."""
    course = np.zeros(COURSE + 2 * levels, np.int64)
    course[C_GOAL], course[C_TASK], course[C_PLAYER] = goal, FIRST_TASK.get(goal, goal), 1
    course[C_OPTION], course[C_GAMES], course[C_LIMIT] = option, games, limit
    course.view(np.uint64)[C_SEED], course.view(np.uint64)[C_FIRST] = check_seed(seed), first
    return course


def _on(program: Bytecode, stack: Words, initial: Words, course: Words, *rest: Any) -> int:
    *given, stopped = rest
    answer = MORE
    for _, fuel in chunks(2**62, FUEL):
        if stopped is not None and stopped.is_set():
            raise CancelledError
        answer = int(drive(program, stack, initial, course, fuel, *given))
        if answer != MORE:
            break
    return answer
