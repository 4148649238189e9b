"""Tables, records and small steps of the search: run codes, choices of groups, final costs, and runs built along a path.

Going up through the numbers, a colour needs to remember only how long its open runs are, up to three: a *code* is two lengths of two bits
each, the longer first. ``NEXT`` has the code after laying some tiles and jokers at one number.
"""

from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function

SCALE = 64  # of the weight left in a cost; more than there can be sets on a table
INFINITE_COST = 1 << 40
MAX_SETS = 35
MEMO = 1 << 16
MAX_STEPS = 640  # with one choice of groups: 3 ** 4 without a joker, 540 with one or two
LISTS = 16 * 16 * 4 * 16 * 3 * 3

# Columns of the memo.
KEY, LOW, STAMP = range(3)
# Columns of the path, one row per number: choice of groups, locked sets, then tiles and jokers in the runs of the four colours.
GROUP, LOCKED, RUN, BRIDGE = 0, 1, 2, 6
# Fields of a choice of groups as a word, above its number.
CHOICE_JOKERS, CHOICE_ROOM, CHOICE_TILES = 8, 10, 16
# Fields of a move of one colour as a word, above its jokers and tiles: the next code, its cost (two tiles of the largest weight at most),
# and its cost with the least that follows (a box of them at most).
CODE_SHIFT, COST_SHIFT, LOW_SHIFT, COST_BITS = 4, 8, 29, (1 << 21) - 1
# One bit per colour, and the highest bit of each colour's four.
EACH, HIGHEST = 0x1111, 0x8888

COUNTERS = np.dtype([(name, np.int64) for name in (
    "nodes",  # states visited
    "limit",  # states at which the search stops
    "generation",  # of this search, so that memo and lists need not be cleared
    "stopped",  # whether it stopped at the limit
    "runs",  # of the best path
    "depth",  # the number whose frame is at work; NOT_STARTED, or -1 when nothing is left to try
    "lower_bound",  # nothing costs less
    "best",  # the cost of the best path
    "budget",  # paths that cost more are not looked for
    "listed",  # lists of moves in use
)])  # fmt: skip
NOT_STARTED = -2

FRAME = np.dtype([(name, np.int64) for name in (
    "codes", "used", "room",  # open runs, jokers used, jokers for which there is room
    "locked_runs", "key", "cost",  # locked runs that reach here, the key in the memo, the cost of the path to here
    "least",  # the least cost found beyond the budget
    "tiles", "unfinished",  # tiles and unfinished runs, four bits a colour
    "broken", "choice", "first_step", "step", "end_step",  # where the loops stand
    "free", "locked_onward", "used_locked", "locked_sets", "cost_locked",  # what the sets leave that are locked at present
)])  # fmt: skip
NONE_LEFT = -1  # ``choice`` when all are tried


def _next_codes():
    """Return [2, 16, 3, 3] int64: the code after tiles and jokers, by whether a joker may start a run here; -1 if impossible."""
    table = np.full((2, 16, 3, 3), -1, np.int64)
    for late, code, tiles, jokers in product(range(2), range(16), range(3), range(3)):
        lengths = sorted((code & 3, code >> 2), reverse=True)
        unfinished, finished = [n for n in lengths if n in (1, 2)], [n for n in lengths if n == 3]
        laid = tiles + jokers
        if code & 3 < code >> 2 or not len(unfinished) <= laid <= 2 or (jokers and laid > len(unfinished) + len(finished) and not late):
            continue
        after = [n + 1 for n in unfinished] + finished[: laid - len(unfinished)]
        after += [1] * (laid - len(after)) + [0] * (2 - laid)
        after.sort(reverse=True)
        table[late, code, tiles, jokers] = after[0] | after[1] << 2
    return table


def _groups(colours):
    """Return every group at one number: tiles of each of four colours, then jokers; large groups first."""
    shapes = [shape for size in range(3, colours + 1) for shape in combinations(range(colours), size)]
    groups = {(held, len(shape) - len(held)) for shape in shapes for left in range(3) for held in combinations(shape, len(shape) - left)}
    return sorted(((*(int(c in held) for c in range(4)), jokers) for held, jokers in groups), reverse=True)


def _group_choices(groups):
    """Return [choices, 6] int64: tiles of each of four colours in groups at one number, jokers in them, room for more jokers."""
    reached, before = {(0,) * 5}, set()
    while reached != before:
        before = reached
        sums = {tuple(map(sum, zip(tiles, group, strict=True))) for tiles in reached for group in groups}
        reached = before | {tiles for tiles in sums if max(tiles) <= 2}
    rows = []
    for *tiles, jokers in reached:
        if (*tiles, jokers - 1) not in reached:
            room = 0
            while (*tiles, jokers + room + 1) in reached:
                room += 1
            rows.append((*tiles, jokers, room))
    # Few jokers, then many tiles first: a choice that takes everything ends more searches than one that takes nothing.
    return np.array(sorted(rows, key=lambda row: (row[4], -sum(row[:4]), row)), np.int64)


def _open_codes():
    """Return [3, 16] int64: what is left of a code where at most this number of runs can continue, finished ones ending first."""
    table = np.zeros((3, 16), np.int64)
    for most, code in product(range(3), range(16)):
        lengths = sorted((code & 3, code >> 2))
        unfinished = [n for n in lengths if n in (1, 2)]
        lengths = unfinished + [3] * min(lengths.count(3), max(0, most - len(unfinished)))
        table[most, code] = sum(n << 2 * place for place, n in enumerate(sorted(lengths, reverse=True)))
    return table


NEXT = _next_codes()
OPEN = _open_codes()
UNFINISHED = np.array([(code & 3 in (1, 2)) + (code >> 2 in (1, 2)) for code in range(16)], np.int64)
BIT_COUNT = np.array([bits.bit_count() for bits in range(16)], np.int64)
GROUPS = tuple(_groups(colours) for colours in range(1, 5))
CHOICES = tuple(_group_choices(groups) for groups in GROUPS)


class LockedSets(NamedTuple):
    """Sets that should stay as they are: where they start, and which numbers they cover."""

    starts: Any  # [numbers, MAX_SETS] int64, sets whose first tile is here
    counts: Any  # [numbers] int64, how many they are
    shapes: Any  # [sets, 3] int64, of a run its colour, its bit and its jokers, of a group -1, its colours as bits and its jokers
    covers: (
        Any  # [numbers, 3] int64, bits of runs with a later tile here, with their last one, and of all that started before and reach here
    )


class SearchProblem(NamedTuple):
    """What is to be laid."""

    game: Any  # [4] int64: numbers, table jokers, rack jokers, joker weight
    table: Any  # [numbers, 4] int64, tiles that must be laid
    rack: Any  # [numbers, 4] int64, tiles that may
    weights: Any  # [numbers, 4] int64
    choices: Any  # [choices, 6] int64, as in CHOICES
    locked: LockedSets


class SearchWorkspace(NamedTuple):
    """Arrays of the search, for up to 15 numbers."""

    fitting: Any  # [numbers, choices + 1] int64, choices of groups that the tiles allow as words, -1 behind
    bounds: Any  # [16, numbers + 1, 4, 3, 16] int64, the least cost from a number on, by locked runs, number, colour, jokers left and code
    counters: Any  # [1] COUNTERS
    memo: Any  # [MEMO, 4] int64: key, least cost, generation; what is read together is stored together
    frames: Any  # [numbers] FRAME, where the search stands
    lists: Any  # [LISTS] int64, generation and row in ``moves``, by locked runs, number, colour, code, tiles and jokers left
    moves: Any  # [LISTS, 8] int64, their number, the least cost, then each move of a colour as a word
    steps: Any  # [numbers * MAX_STEPS, 3] int64: least cost with what follows, cost, then codes, jokers used, tiles and jokers laid


SHAPES = {
    "fitting": (16, 72),
    "bounds": (16, 17, 4, 3, 16),
    "counters": (1,),
    "memo": (MEMO, 4),
    "frames": (16,),
    "lists": (LISTS,),
    "moves": (LISTS, 8),
    "steps": (16 * MAX_STEPS, 3),
}


@device_function
def final_cost(codes, used, room, game):
    """Return the cost after the last number: spare jokers are laid where there is room; open runs or a lost table joker are impossible."""
    for c in range(4):
        code = codes >> (4 * c) & 15
        low, high = code & 3, code >> 2
        if low == 1 or low == 2 or high == 1 or high == 2:
            return INFINITE_COST
    left = game[1] + game[2] - used
    laid = min(left, room)
    if used + laid < game[1]:
        return INFINITE_COST
    return (left - laid) * game[3] * SCALE


@device_function
def list_group_choices(n, jokers, problem, fitting):
    """List the choices of groups that the tiles allow at number ``n``; return the most tiles of each colour in them, two bits a colour."""
    choices = problem.choices
    count, grouped = 0, 0
    for e in range(len(choices)):
        fits = choices[e, 4] <= jokers
        for c in range(4):
            fits &= choices[e, c] <= problem.table[n, c] + problem.rack[n, c]
        if fits:
            tiles = choices[e, 0] | choices[e, 1] << 4 | choices[e, 2] << 8 | choices[e, 3] << 12
            fitting[n, count] = e | choices[e, 4] << CHOICE_JOKERS | choices[e, 5] << CHOICE_ROOM | tiles << CHOICE_TILES
            count += 1
            for c in range(4):
                grouped |= choices[e, c] << (2 * c)
    fitting[n, count] = -1
    return grouped


@device_function
def build_runs(numbers, path, runs):
    """Fill ``runs``, [runs, 4], with the runs along a path - colour, first number, length, jokers as bits - and return their number.

    Where a run must stop the longest does: unfinished ones continue.
    """
    count = 0
    for c in range(4):
        first, second = -1, -1
        for n in range(numbers):
            tiles = path[n, RUN + c]
            laid = tiles + path[n, BRIDGE + c]
            if first >= 0 and second >= 0 and laid < 2:
                longer = first if runs[first, 2] >= runs[second, 2] else second
                first, second = first + second - longer, -1
            if laid == 0:
                first, second = -1, -1
            for i in range(laid):
                r = first if i == 0 else second
                if r < 0:
                    r = count
                    count += 1
                    runs[r, 0] = c
                    runs[r, 1] = n + 1
                    runs[r, 2] = 0
                    runs[r, 3] = 0
                    if i == 0:
                        first = r
                    else:
                        second = r
                if i >= tiles:
                    runs[r, 3] |= 1 << runs[r, 2]
                runs[r, 2] += 1
    return count
