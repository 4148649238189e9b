"""Jobs: tasks of the machine carried out one after the other until a goal is reached.

The interpreter loop of ``kernel_run`` is called from one place only, in ``drive``: it is inlined there, and takes some ten seconds to
compile. ``code``, ``data``, ``layout`` and ``state`` are as in ``kernel_run``.
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
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_cards import undo
from meldlab.recycle.machine.kernel_options import replay_effects
from meldlab.recycle.machine.kernel_run import run
from meldlab.recycle.machine.kernel_search import Results, Search, late_option, next_in_game, next_in_search, random_option
from meldlab.recycle.machine.kernel_tables import Tables, next_in_step

IntArray = NDArray[Any]


class Bytecode(NamedTuple):
    """A compiled program: instructions, tables, addresses, and the words that a state starts with."""

    code: IntArray
    data: IntArray
    layout: IntArray
    initial: IntArray


FUEL = 1_000_000  # work of the first call of ``drive``: a few thousandths of a second
FIRST_TASK = {k.PLAY: k.START, k.PERFT: k.START, k.DECIDE_ONCE: k.OPTIONS_LISTED, k.STEP_TABLES: k.LOAD_TABLE}
NONE = np.zeros(0, np.int64)
NO_RESULTS = Results(NONE, NONE, NONE, NONE, np.zeros((0, 0), np.int64))


# --- tasks


@device_function
def clear_workspace(layout, state):
    """Empty the workspace of a state."""
    state[k.HEAP] = layout[k.L_LISTS]
    state[k.TRAIL] = 0
    state[k.WORK] = 0
    state[k.MODE] = k.RUN
    state[k.ACTED] = 0
    state[k.POINTS_OPEN] = 0
    state[k.PATH] = 0
    state[k.PATH_END] = 0
    state[k.FLOOR] = 0
    state[k.RETURN] = 0
    state[k.FOLLOWED] = 0
    state[k.LAST_CARD] = 0
    state[k.STATUS] = k.PLAYING


@device_function
def start_game(state, job, initial):
    """Make a state the start of the game of a job."""
    logging, game = state[k.LOGGING], job.first + np.uint64(job.game)
    for i in range(len(initial)):
        state[i] = initial[i]
    state[k.LOGGING] = logging
    state[k.KEY] = np.int64(address(job.seed, game, 0, 0, k.GAME_KEY))
    job.root = player_root(job.seed, game)


@device_function
def start_score(layout, state, job):
    """Make the next player current for its score; before the first one, save what must be restored."""
    cycle = layout[k.L_PLAYER_CYCLE]
    if job.player == 1:
        job.status, job.error = state[k.STATUS], state[k.ERROR_AT]
        job.current, job.queued = state[cycle + k.CURRENT], state[cycle + k.QUEUED]
        state[cycle + k.QUEUED] = 0
    state[cycle + k.CURRENT] = job.player


@device_function
def next_score(layout, state, job):
    """Store the score of a player; return whether another one is to be scored. After the last the state is as before."""
    if state[k.STATUS] == k.PLAYING:
        state[layout[k.L_SCORES] + job.player] = state[layout[k.L_SCORES]]
        job.player += 1
        if job.player <= layout[k.L_PLAYERS]:
            return True
        cycle = layout[k.L_PLAYER_CYCLE]
        state[cycle + k.CURRENT], state[cycle + k.QUEUED] = job.current, job.queued
        state[k.STATUS], state[k.ERROR_AT] = job.status, job.error
    job.player = 1
    return False


@device_function
def prepare(code, layout, state, task, option):
    """Make a state ready for a task; return the instruction to run from, 0 for none."""
    choice = state[k.PC]
    clear_workspace(layout, state)
    if task == k.START:
        return layout[k.L_START]
    if task == k.LIST_OPTIONS:
        state[k.OPTIONS] = 0
        state[k.OPTION_WORDS] = 0
        state[k.MODE] = k.EXPLORE
        state[k.TRAIL] = layout[k.L_TRAIL]
        state[k.TRAIL_END] = layout[k.L_TRAIL_END]
        state[k.SAVED_EVENT] = state[k.EVENT]
        state[k.EVENT] = 0
        return choice + k.STRIDE
    if task == k.CONTINUE:
        state[k.LOG_SPLIT] = state[k.LOG]
        state[k.DECISION] += 1
        state[k.EVENT] = 0
        state[k.STEPS] = 0
        return code[choice + 1]
    if task == k.SCORE_PLAYERS:
        return layout[k.L_SCORE_AT]
    offset = state[layout[k.L_OPTION] + option]
    length = state[offset]
    if code[choice] == k.JOINT and task != k.PREVIEW:
        # Chosen now, carried out when all have chosen. Operands: the instruction after the choice, the cell that counts the members.
        pending = layout[k.L_PENDING] + state[code[choice + 2]] * layout[k.L_PENDING_WIDTH]
        if length + 2 > layout[k.L_PENDING_WIDTH]:
            state[k.STATUS] = k.OUT_OF_PATH
            state[k.ERROR_AT] = choice
            return 0
        state[pending] = state[k.DECISION]
        state[pending + 1] = length
        for i in range(length):
            state[pending + 2 + i] = state[offset + 1 + i]
        return 0
    for i in range(length):
        state[layout[k.L_PATH] + i] = state[offset + 1 + i]
    state[k.PATH_END] = length
    state[k.MODE] = k.FOLLOW
    state[k.EVENT] = 0
    return choice + k.STRIDE


@device_function
def end_listing(layout, state):
    """Restore a state after its options were listed."""
    undo(state, layout[k.L_TRAIL])
    state[k.TRAIL] = 0
    state[k.MODE] = k.RUN
    state[k.EVENT] = state[k.SAVED_EVENT]
    state[k.HEAP] = layout[k.L_LISTS]
    if state[k.STATUS] == k.PLAYING:
        state[k.STATUS] = k.DECIDING
        if state[k.OPTIONS] == 0:
            state[k.STATUS] = k.NO_OPTION
            state[k.ERROR_AT] = state[k.PC]


# --- histories


@device_function
def copy_for_option(layout, state, lower, option):
    """Copy a state, its constants and one of its options to the next level."""
    for i in range(state[k.TOP]):
        lower[i] = state[i]
    for i in range(layout[k.L_LISTS_FROM], layout[k.L_LISTS]):
        lower[i] = state[i]
    offset = state[layout[k.L_OPTION] + option]
    lower[layout[k.L_OPTION]] = layout[k.L_OPTION_WORDS]
    for i in range(state[offset] + 1):
        lower[layout[k.L_OPTION_WORDS] + i] = state[offset + i]


@device_function
def next_in_perft(layout, stack, job, task, level, results):
    """Return the next task of a count of histories; its level is left in the job: that of a state that failed, or -1 at the end."""
    state, tried, counts = stack[level], results.decisions, results.options
    if task == k.LIST_OPTIONS:
        counts[level] = state[k.OPTIONS]
        tried[level] = 0
    else:
        results.scores[level, 0] += 1
        counts[level] = 0
        if state[k.STATUS] == k.FINISHED or (state[k.STATUS] == k.DECIDING and state[k.DECISION] >= job.limit):
            results.scores[level, 1] += 1
        elif level < len(stack) - 1 and state[k.STATUS] == k.DECIDING:
            job.level = level
            return k.LIST_OPTIONS
    if state[k.STATUS] <= k.CAPPED:
        while level >= 0 and tried[level] >= counts[level]:
            level -= 1
    job.level = level
    if level < 0 or state[k.STATUS] > k.CAPPED:
        return k.DONE
    copy_for_option(layout, stack[level], stack[level + 1], tried[level])
    tried[level] += 1
    job.level = level + 1
    tried[level + 1], counts[level + 1] = 0, 0
    return k.TAKE_OPTION


# --- jobs


@device_function
def drive(program, stack, jobs, fuel, results, search, tables):
    """Carry out tasks until the goal of a job is reached; return DONE, MORE or ROWS_TOO_NARROW.

    ``stack``: [states, words] int64, one state; two for searching players; depth + 1 for histories. ``jobs``: [1] JOB. After ``fuel`` work
    drive pauses and returns ``MORE``; called again with the same arrays it continues, and no result depends on the pauses. Without
    ``search`` or ``tables``, None, drive is compiled without what they are for.
    """
    code, data, layout, initial = program
    job = jobs[0]
    goal, task, level, option, paused = job.goal, job.task, job.level, job.option, job.paused
    spent = 0
    fresh = False  # whether the options of the state have just been listed
    while True:
        state = stack[level]
        pc = 0
        if paused:
            pc = state[k.PAUSED_AT]
            state[k.STATUS] = k.PLAYING
            paused = 0
        else:
            if spent > fuel:
                job.task, job.level, job.option, job.paused = task, level, option, 0
                return k.MORE
            if task == k.START:
                start_game(state, job, initial)
                spent += len(initial) >> 2
            elif task == k.SCORE_PLAYERS:
                start_score(layout, state, job)
            if task == k.TAKE_OPTION and fresh and code[state[k.PC]] == k.CHOICE and replay_effects(state, layout, option):
                task = k.CONTINUE
            if task == k.OPTIONS_LISTED:
                task = k.LIST_OPTIONS
            elif task != k.LOAD_TABLE:
                pc = prepare(code, layout, state, task, option)
        spent += 10
        fresh = False
        if pc:
            # A game that is over is scored, however long it took.
            allowed = layout[k.L_WORK_LIMIT]
            if task != k.SCORE_PLAYERS:
                allowed = min(allowed, layout[k.L_GAME_WORK_LIMIT] - state[k.GAME_WORK])
            before = state[k.WORK]
            run(code, data, layout, state, pc, allowed, max(0, fuel - spent))
            spent += state[k.WORK] - before
            if state[k.STATUS] == k.PAUSED:
                job.task, job.level, job.option, job.paused = task, level, option, 1
                return k.MORE
            # Following an option again is not counted, since often there is no need to.
            if task != k.SCORE_PLAYERS and task != k.TAKE_OPTION:
                state[k.GAME_WORK] += state[k.WORK]
            if task == k.LIST_OPTIONS:
                end_listing(layout, state)
        if task == k.TAKE_OPTION:
            if state[k.STATUS] == k.PLAYING:
                task = k.CONTINUE
                continue
        elif task == k.SCORE_PLAYERS and next_score(layout, state, job):
            continue
        if search is not None and (goal == k.PLAY or goal == k.DECIDE_ONCE):
            listed = level if task == k.LIST_OPTIONS else -1
            task = next_in_search(code, layout, stack, job, task, results, search)
            now = search.now[0]
            level, option = now.level, now.option
            spent += now.work
            now.work = 0
            fresh = level == listed
        elif goal == k.PLAY:
            task = next_in_game(layout, state, job, task, results)
            if task == k.TAKE_OPTION:
                option = late_option(job.root, code, state) if job.prefer_last else random_option(job.root, code, state)
                fresh = True
        elif goal == k.PERFT:
            task = next_in_perft(layout, stack, job, task, level, results)
            level, option = job.level, 0
            if task == k.TAKE_OPTION:
                spent += stack[level][k.TOP] >> 2
        elif tables is not None and goal == k.STEP_TABLES:
            task = next_in_step(code, layout, state, job, task, tables)
            step = tables.step[0]
            spent += step.work
            step.work = 0
            if task == k.ROWS_TOO_NARROW:
                # Called again it finds the options listed.
                job.task, job.level, job.option, job.paused = k.OPTIONS_LISTED, level, option, 0
                return k.ROWS_TOO_NARROW
        else:
            task = k.DONE
        if task == k.DONE:
            job.spent = spent
            return k.DONE


def new_job(goal: int, task: int | None = None, **fields: int) -> IntArray:
    """Return the start of a job, [1] JOB; ``task`` is its first one, ``fields`` are those of JOB."""
    job = np.zeros(1, k.JOB)
    job["goal"], job["task"], job["player"], job["games"] = goal, FIRST_TASK[goal] if task is None else task, 1, 1
    fields["seed"] = check_seed(fields.get("seed", 0))
    for name, value in fields.items():
        job[name] = value
    return job


def run_job(
    program: Bytecode,
    stack: IntArray,
    job: IntArray,
    results: Results = NO_RESULTS,
    search: Search | None = None,
    tables: Tables | None = None,
    stopped: Event | None = None,
) -> int:
    """Call ``drive`` until the goal is reached, or a thread sets ``stopped``; in between Python handles Ctrl-C."""
    answer: int = k.MORE
    for _, fuel in chunks(2**62, FUEL):
        if stopped is not None and stopped.is_set():
            raise CancelledError
        answer = int(drive(program, stack, job, fuel, results, search, tables))
        if answer != k.MORE:
            break
    return answer
