"""The exact search for the best move: number by number, with what is open in each colour as its state.

Going up through the numbers, a colour needs to remember only how long its open runs are, up to three: a *code* is two lengths of two
bits each, the longer first. At each number the search decides which table sets that begin here are kept as they are, which groups
are laid, and how many of the remaining tiles and jokers go on in runs; what the runs look like afterwards follows by dominance. Depth
first, with a budget that falls below the cost of each way found (branch and bound); states are remembered with the smallest cost they
need, and what a colour can do with so many tiles and jokers is listed once for all states. The cost is ``SCALE`` times the weight left on
the rack plus the table sets broken.

Jokers go on in a run or end it; only ``numbers - 2`` is a place where one begins a run, since elsewhere it can as well lie at the other
end. A joker that no set needs is *spare* and joins any run or a group with room for it: ``room`` says how many fit.

A search can be cut into pieces: where it stands is written in *frames*, one a number, so that past ``LIMIT`` states it stops and the next
call goes on from there, with the memo as it was. So the states visited, and the solution, do not depend on where the cuts are.
"""

from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from meldlab.compiling import device_function, kernel

SCALE = 64  # more than there can be sets on a table
NEVER = 1 << 40
MOST_SETS = 35
MEMO = 1 << 16
PROBES = 4
SHORT = 1000  # states of a search that needs little of the memo
KEY, LOW, STAMP = range(3)  # columns of the memo
GROW = 64  # how many times the last raise the budget is raised beyond what is needed: proving is cheaper than deepening

# Columns of the trail, one row per number: group choice, kept sets, then runs and jokers of the four colours.
GROUP, KEPT, RUN, BRIDGE = 0, 1, 2, 6
# Cells of the counters; nothing costs less than FLOOR, and something costs BEST; DEPTH is the number whose frame is at work.
NODES, LIMIT, GENERATION, PAUSED, RUNS, DEPTH, FLOOR, BEST, BUDGET, LISTED = range(10)
FRESH = -2  # DEPTH of a search that has not begun; -1 when nothing is left to try
# Columns of the frames, one row per number: the state and its key, the cost on the way to it and the least beyond the budget, its tiles and
# unfinished runs four bits a colour, where its loops stand; then what the sets leave that are kept at present.
CODES, USED, ROOM, LOCKED, STATE, SPENT, LEAST, TILES, UNFINISHED, BROKEN, CHOICE, FIRST, STEP, STEPS = range(14)
FREE, GOING, USED_KEPT, KEPT_SETS, COST_KEPT = range(14, 19)
NONE_LEFT = -1  # CHOICE when all are tried
EACH, HIGHEST = 0x1111, 0x8888  # one a colour, and the highest bit of each
CHOICE_JOKERS, CHOICE_ROOM, CHOICE_TILES = 8, 10, 16  # fields of a choice of groups, above its number
# Fields of a way of a colour, above its jokers and tiles: the next code, its cost (two tiles of the largest weight at most), and its cost
# with the least that follows (a box of them at most).
CODE_AT, COST_AT, LOW_AT, COST_BITS = 4, 8, 29, (1 << 21) - 1
LISTS = 16 * 16 * 4 * 16 * 3 * 3
MOST_STEPS = 640  # beside one choice of groups: 3 ** 4 without a joker, 540 with one or two


def _next_codes():
    """Return [2, 16, 3, 3] int64: the code after so many tiles and jokers, by whether a joker may begin a run here; -1 if impossible."""
    table = np.full((2, 16, 3, 3), -1, np.int64)
    for late, code, tiles, jokers in product(range(2), range(16), range(3), range(3)):
        tracks = sorted((code & 3, code >> 2), reverse=True)
        must, may = [t for t in tracks if t in (1, 2)], [t for t in tracks if t == 3]
        ways = tiles + jokers
        if code & 3 < code >> 2 or not len(must) <= ways <= 2 or (jokers and ways > len(must) + len(may) and not late):
            continue
        after = [t + 1 for t in must] + may[: ways - len(must)]
        after += [1] * (ways - len(after)) + [0] * (2 - ways)
        after.sort(reverse=True)
        table[late, code, tiles, jokers] = after[0] | after[1] << 2
    return table


def _groups(colours):
    """Return every group at one number: tiles of each of four colours, then jokers; large groups first."""
    shapes = [shape for size in range(3, colours + 1) for shape in combinations(range(colours), size)]
    naturals = {(some, len(shape) - len(some)) for shape in shapes for left in range(3) for some in combinations(shape, len(shape) - left)}
    return sorted(((*(int(c in some) for c in range(4)), jokers) for some, jokers in naturals), reverse=True)


def _group_choices(groups):
    """Return [choices, 6] int64: tiles of each of four colours that lie in groups at one number, jokers in them, room for more jokers."""
    reached, before = {(0,) * 5}, set()
    while reached != before:
        before = reached
        more = {tuple(map(sum, zip(one, group, strict=True))) for one in reached for group in groups}
        reached = before | {one for one in more if max(one) <= 2}
    rows = []
    for *tiles, jokers in reached:
        if (*tiles, jokers - 1) not in reached:
            room = 0
            while (*tiles, jokers + room + 1) in reached:
                room += 1
            rows.append((*tiles, jokers, room))
    # Few jokers, then many tiles first: a choice that takes everything ends more questions than one that takes nothing.
    return np.array(sorted(rows, key=lambda row: (row[4], -sum(row[:4]), row)), np.int64)


def _open_codes():
    """Return [3, 16] int64: what is left of a code where at most so many runs can go on, finished ones ending first."""
    table = np.zeros((3, 16), np.int64)
    for most, code in product(range(3), range(16)):
        tracks = sorted((code & 3, code >> 2))
        unfinished = [track for track in tracks if track in (1, 2)]
        tracks = unfinished + [3] * min(tracks.count(3), max(0, most - len(unfinished)))
        table[most, code] = sum(track << 2 * place for place, track in enumerate(sorted(tracks, reverse=True)))
    return table


NEXT = _next_codes()
OPEN = _open_codes()
UNFINISHED_IN = np.array([(code & 3 in (1, 2)) + (code >> 2 in (1, 2)) for code in range(16)], np.int64)
FEW = np.array([bits.bit_count() for bits in range(16)], np.int64)
GROUPS = tuple(_groups(colours) for colours in range(1, 5))
CHOICES = tuple(_group_choices(groups) for groups in GROUPS)


class Locks(NamedTuple):
    """Sets that would better stay as they are: where they begin, and where they lie."""

    begins: Any  # [numbers, MOST_SETS + 1] int64, sets whose first tile is here, -1 behind
    lanes: Any  # [sets, 3] int64, of a run its colour, its bit and its jokers, of a group -1, its colours as bits and its jokers
    lies: Any  # [numbers, 2] int64, bits of runs with a later tile here, and with their last one


class Question(NamedTuple):
    """What is to be laid."""

    game: Any  # [4] int64: numbers, table jokers, rack jokers, joker weight
    table: Any  # [numbers, 4] int64, tiles that must lie
    rack: Any  # [numbers, 4] int64, tiles that may
    weights: Any  # [numbers, 4] int64
    choices: Any  # [choices, 6] int64, as in CHOICES
    locks: Locks


class Scratchpad(NamedTuple):
    """What the search writes on, for up to 15 numbers."""

    fitting: Any  # [numbers, choices + 1] int64, choices that the tiles allow as words, -1 behind
    floor: Any  # [16, numbers + 1, 4, 3, 16] int64, the least cost from a number on, by kept runs, number, colour, jokers left and code
    counters: Any  # [10] int64
    memo: Any  # [MEMO, 4] int64: key, least cost, generation; what is looked at together lies together
    frames: Any  # [numbers, 19] int64, where the search stands
    lists: Any  # [LISTS] int64, generation and place of the ways of a colour, by kept runs, number, colour, code, tiles and jokers left
    ways: Any  # [LISTS, 8] int64, how many, the cheapest, then each as a word
    steps: Any  # [numbers * MOST_STEPS, 3] int64: least cost with what follows, cost, then codes, jokers used, tiles and jokers laid


@device_function
def slot(key, memo, counters):
    """Return where a state is in the memo, or where it may be put; a short search keeps to a part of it that stays in the cache."""
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    home = np.int64(x >> np.uint64(48 if counters[NODES] > SHORT else 53))
    for step in range(PROBES):
        at = (home + step) & (MEMO - 1)
        if memo[at, STAMP] != counters[GENERATION] or memo[at, KEY] == key:
            return at
    return home


@device_function
def finish(codes, used, room, game):
    """Return the cost after the last number: spare jokers are laid where there is room; open runs or a lost table joker are impossible."""
    for c in range(4):
        code = codes >> (4 * c) & 15
        low, high = code & 3, code >> 2
        if low == 1 or low == 2 or high == 1 or high == 2:
            return NEVER
    left = game[1] + game[2] - used
    laid = min(left, room)
    if used + laid < game[1]:
        return NEVER
    return (left - laid) * game[3] * SCALE


@device_function
def bound(n, codes, left, locked, floor):
    """Return a cost that no way from number ``n`` on avoids: each colour for itself, as if all jokers left were its own."""
    total = 0
    for c in range(4):
        total += floor[locked >> (4 * c) & 15, n, c, left, codes >> (4 * c) & 15]
    return total


@device_function
def keep_sets(n, question, work):
    """Decide which sets that begin at number ``n`` are broken, the next of all possibilities; tell whether there was one left."""
    begins, lanes, lies = question.locks
    frame = work.frames[n]
    frame[BROKEN] += 1
    starting = 0
    while begins[n, starting] >= 0:
        starting += 1
    if frame[BROKEN] == 1 << starting:
        return False
    locked = frame[LOCKED]
    free, going, used, kept, cost = frame[TILES] | HIGHEST, locked & ~lies[n, 1], frame[USED], 0, frame[SPENT]
    for c in range(4):
        free -= FEW[(locked & lies[n, 0]) >> (4 * c) & 15] << (4 * c)
    for i in range(starting):
        if frame[BROKEN] >> i & 1:
            cost += 1
        else:
            s = begins[n, i]
            kept |= 1 << s
            used += lanes[s, 2]
            if lanes[s, 0] < 0:
                for c in range(4):
                    free -= (lanes[s, 1] >> c & 1) << (4 * c)
            else:
                free -= 1 << (4 * lanes[s, 0])
                going |= 1 << lanes[s, 1]
    frame[FREE], frame[GOING], frame[USED_KEPT], frame[KEPT_SETS], frame[COST_KEPT] = free, going, used, kept, cost
    frame[CHOICE] = 0
    if cost > work.counters[BUDGET]:
        frame[LEAST] = min(frame[LEAST], cost)
        frame[CHOICE] = NONE_LEFT
    return True


@device_function(inline="never")
def list_ways(n, c, code, free, left, runs, question, work):
    """List the ways in which one colour, with so many tiles beside groups and kept sets, goes on in runs; return where they are."""
    at = work.counters[LISTED]
    work.counters[LISTED] += 1
    ways = work.ways[at]
    need = max(0, free - question.rack[n, c])
    late = 1 if n == question.game[0] - 3 else 0
    many, cheapest = 0, NEVER
    # Most often a colour has nothing here and nothing open, and no joker can begin a run: then there is nothing to try.
    most_jokers = 0 if free == 0 and code == 0 and late == 0 else left
    for j in range(most_jokers + 1):
        for k in range(min(free, 2 - j), need - 1, -1):
            after = NEXT[late, code, k, j]
            if after >= 0:
                cost = (free - k) * question.weights[n, c] * SCALE
                low = cost + work.floor[runs, n + 1, c, left - j, after]
                if low < NEVER:
                    cheapest = min(cheapest, low)
                    ways[2 + many] = low << LOW_AT | cost << COST_AT | after << CODE_AT | j << 2 | k
                    many += 1
    ways[0] = many
    ways[1] = cheapest
    return at


@device_function
def ways_of(n, c, rest, left, question, work):
    """Return where the ways of a colour are listed: most states ask for what another one has asked for."""
    frame, generation = work.frames[n], work.counters[GENERATION]
    code, free, runs = frame[CODES] >> (4 * c) & 15, rest >> (4 * c) & 7, frame[GOING] >> (4 * c) & 15
    at = (((runs * 16 + n) * 4 + c) * 16 + code) * 9 + 3 * free + left
    if work.lists[at] >> 20 != generation:
        work.lists[at] = generation << 20 | list_ways(n, c, code, free, left, runs, question, work)
    return work.lists[at] & 0xFFFFF


@device_function
def list_steps(n, question, work):
    """List the steps from number ``n`` to the next beside the next choice of groups that allows any; tell whether there was one."""
    frame, budget, ways, steps = work.frames[n], work.counters[BUDGET], work.ways, work.steps
    jokers = question.game[1] + question.game[2]
    cost_kept, least, many = frame[COST_KEPT], frame[LEAST], frame[FIRST]
    while frame[CHOICE] >= 0 and many == frame[FIRST]:
        choice = work.fitting[n, frame[CHOICE]]
        frame[CHOICE] += 1
        used = frame[USED_KEPT] + (choice >> CHOICE_JOKERS & 3)
        left = jokers - used
        # Choices that need fewer jokers come first.
        if choice < 0 or left < 0:
            frame[CHOICE] = NONE_LEFT
            break
        # What is left for runs, four bits a colour with the highest set: no colour may lack tiles, nor any for its unfinished runs.
        rest = frame[FREE] - (choice >> CHOICE_TILES)
        if rest & HIGHEST & (rest + left * EACH - frame[UNFINISHED]) != HIGHEST:
            continue
        one, two = ways[ways_of(n, 0, rest, left, question, work)], ways[ways_of(n, 1, rest, left, question, work)]
        three, four = ways[ways_of(n, 2, rest, left, question, work)], ways[ways_of(n, 3, rest, left, question, work)]
        low_e = cost_kept + one[1] + two[1] + three[1] + four[1]
        if low_e > budget:
            least = min(least, low_e)
            continue
        for a in range(2, 2 + one[0]):
            low_a = low_e - one[1] + (one[a] >> LOW_AT)
            if low_a > budget:
                least = min(least, low_a)
                continue
            for b in range(2, 2 + two[0]):
                low_b = low_a - two[1] + (two[b] >> LOW_AT)
                if low_b > budget:
                    least = min(least, low_b)
                    continue
                for d in range(2, 2 + three[0]):
                    low_d = low_b - three[1] + (three[d] >> LOW_AT)
                    if low_d > budget:
                        least = min(least, low_d)
                        continue
                    for g in range(2, 2 + four[0]):
                        low = low_d - four[1] + (four[g] >> LOW_AT)
                        laid = one[a] & 15 | (two[b] & 15) << 4 | (three[d] & 15) << 8 | (four[g] & 15) << 12
                        more = (laid >> 2 & 3) + (laid >> 6 & 3) + (laid >> 10 & 3) + (laid >> 14 & 3)
                        if more > left:
                            continue
                        cost = cost_kept + (one[a] >> COST_AT & COST_BITS) + (two[b] >> COST_AT & COST_BITS)
                        cost += (three[d] >> COST_AT & COST_BITS) + (four[g] >> COST_AT & COST_BITS)
                        codes = (one[a] & 0xF0) >> 4 | two[b] & 0xF0 | (three[d] & 0xF0) << 4 | (four[g] & 0xF0) << 8
                        if more:
                            low = cost + bound(n + 1, codes, left - more, frame[GOING], work.floor)
                        if low > budget:
                            least = min(least, low)
                            continue
                        steps[many, 0] = low
                        steps[many, 1] = cost
                        steps[many, 2] = codes << 20 | (used + more) << 16 | laid
                        many += 1
    frame[STEP], frame[STEPS] = frame[FIRST], many
    frame[LEAST] = least
    return many > frame[FIRST] or keep_sets(n, question, work)


@device_function
def enter(n, codes, used, room, spent, question, work):
    """Begin with a state at number ``n`` and return 0, or the least cost that the memo knows if it is too much; PAUSED past the limit."""
    game, counters, memo, frame = question.game, work.counters, work.memo, work.frames[n]
    left = game[1] + game[2] - used
    state, tiles, unfinished = 0, 0, 0
    for c in range(4):
        many = question.table[n, c] + question.rack[n, c]
        # Finished runs that cannot go on here are as good as none.
        code = OPEN[min(2, many + left), codes >> (4 * c) & 15]
        state |= code << (4 * c)
        tiles |= many << (4 * c)
        unfinished |= UNFINISHED_IN[code] << (4 * c)
    locked = work.frames[n - 1, GOING] if n else 0
    key = ((((locked << 16 | state) << 2 | used) << 2 | min(room, left)) << 4) | n
    at = slot(key, memo, counters)
    if memo[at, KEY] == key and memo[at, STAMP] == counters[GENERATION] and spent + memo[at, LOW] > counters[BUDGET]:
        return spent + memo[at, LOW]
    if counters[NODES] >= counters[LIMIT]:
        counters[PAUSED] = 1
        return 0
    counters[NODES] += 1
    frame[CODES], frame[USED], frame[ROOM], frame[LOCKED], frame[STATE], frame[SPENT] = state, used, room, locked, key, spent
    frame[LEAST], frame[TILES], frame[UNFINISHED], frame[BROKEN], frame[CHOICE] = NEVER, tiles, unfinished, -1, NONE_LEFT
    frame[FIRST] = frame[STEP] = frame[STEPS] = work.frames[n - 1, STEPS] if n else 0
    return 0


@device_function
def write_down(numbers, work, best):
    """Put the way that the frames are on into ``best``."""
    for n in range(numbers):
        frame = work.frames[n]
        best[n, GROUP] = work.fitting[n, frame[CHOICE] - 1] & 255
        best[n, KEPT] = frame[KEPT_SETS]
        laid = work.steps[frame[STEP] - 1, 2]
        for c in range(4):
            best[n, RUN + c] = laid >> (4 * c) & 3
            best[n, BRIDGE + c] = laid >> (4 * c + 2) & 3


@device_function
def explore(question, work, best):
    """Go on from where the frames stand until no way within the budget is left; past the limit of states PAUSED is set."""
    game, counters, frames, memo = question.game, work.counters, work.frames, work.memo
    n = counters[DEPTH]
    while n >= 0:
        frame = frames[n]
        if frame[STEP] == frame[STEPS]:
            if not list_steps(n, question, work):
                at = slot(frame[STATE], memo, counters)
                memo[at, KEY] = frame[STATE]
                memo[at, LOW] = frame[LEAST] - frame[SPENT] if frame[LEAST] < NEVER else NEVER
                memo[at, STAMP] = counters[GENERATION]
                n -= 1
                if n >= 0:
                    frames[n, LEAST] = min(frames[n, LEAST], frame[LEAST])
            continue
        low, cost, step = work.steps[frame[STEP]]
        frame[STEP] += 1
        if low <= counters[BUDGET]:
            codes, used = step >> 20, step >> 16 & 3
            room = 2 if step & 0xFFFF else min(2, frame[ROOM] + (work.fitting[n, frame[CHOICE] - 1] >> CHOICE_ROOM & 3))
            if n + 1 < game[0]:
                low = enter(n + 1, codes, used, room, cost, question, work)
                if counters[PAUSED]:
                    frame[STEP] -= 1
                    break
                if low == 0:
                    n += 1
                    continue
            else:
                low = cost + finish(codes, used, room, game)
                if low <= counters[BUDGET]:
                    write_down(game[0], work, best)
                    counters[BEST] = low
                    counters[BUDGET] = low - 1
                    if low <= counters[FLOOR]:
                        frames[0, LEAST] = low
                        n = -1
                        break
        frame[LEAST] = min(frame[LEAST], low)
    counters[DEPTH] = n


@device_function
def fit_groups(n, jokers, table, rack, choices, fitting):
    """List the group choices that the tiles allow at number ``n``, and return the most tiles of each colour in them, two bits a colour."""
    many, grouped = 0, 0
    for e in range(len(choices)):
        fits = choices[e, 4] <= jokers
        for c in range(4):
            fits &= choices[e, c] <= table[n, c] + rack[n, c]
        if fits:
            tiles = choices[e, 0] | choices[e, 1] << 4 | choices[e, 2] << 8 | choices[e, 3] << 12
            fitting[n, many] = e | choices[e, 4] << CHOICE_JOKERS | choices[e, 5] << CHOICE_ROOM | tiles << CHOICE_TILES
            many += 1
            for c in range(4):
                grouped |= choices[e, c] << (2 * c)
    fitting[n, many] = -1
    return grouped


@device_function
def colour_floor(n, c, most, active, question, floor):
    """Fill ``floor`` for one number and colour from the number above: the colour's own runs are exact, its groups take what they may.

    A table run is decided where it begins; a table group in its first colour only, so that no broken set is counted twice.
    """
    game, table, rack, weights, _, locks = question
    begins, lanes, lies = locks
    jokers = game[1] + game[2]
    late = 1 if n == game[0] - 3 else 0
    mine, i = 0, 0
    while begins[n, i] >= 0:
        s = begins[n, i]
        own = lanes[s, 0] == c if lanes[s, 0] >= 0 else lanes[s, 1] & ((2 << c) - 1) == 1 << c
        mine |= own << i
        i += 1
    runs = active
    while True:
        for left in range(jokers + 1):
            for code in range(16):
                floor[runs, n, c, left, code] = NEVER
        broken = mine
        while True:
            # Decide the colour's own sets that begin here: bits of ``broken`` are broken, the others of ``mine`` kept.
            cost_broken, held, jokers_kept, going = 0, FEW[runs & (lies[n, 0] >> (4 * c)) & 15], 0, runs & ~(lies[n, 1] >> (4 * c)) & 15
            rest, i = mine, 0
            while rest:
                if rest & 1:
                    s = begins[n, i]
                    if broken >> i & 1:
                        cost_broken += 1
                    else:
                        held += 1
                        jokers_kept += lanes[s, 2]
                        if lanes[s, 0] >= 0:
                            going |= 1 << (lanes[s, 1] & 3)
                rest >>= 1
                i += 1
            free = table[n, c] + rack[n, c] - held
            if free >= 0:
                for left in range(jokers_kept, jokers + 1):
                    for code in range(16):
                        if code & 3 < code >> 2:
                            continue
                        least = floor[runs, n, c, left, code]
                        for j in range(left - jokers_kept + 1):
                            for k in range(min(free, 2 - j) + 1):
                                after = NEXT[late, code, k, j]
                                if after >= 0:
                                    # What is not in runs lies in groups as far as they go; the rest stays on the rack.
                                    lost = max(0, free - k - most)
                                    if lost <= rack[n, c]:
                                        cost = cost_broken + lost * weights[n, c] * SCALE
                                        least = min(least, cost + floor[going, n + 1, c, left - jokers_kept - j, after])
                        floor[runs, n, c, left, code] = least
            if broken == 0:
                break
            broken = (broken - 1) & mine
        if runs == 0:
            break
        runs = (runs - 1) & active


@device_function
def prepare(question, fitting, floor):
    """Fill ``fitting`` with the group choices that the tiles allow, and ``floor`` with the least cost of each colour for itself."""
    game, table, rack, _, choices, locks = question
    begins, lanes, lies = locks
    numbers, jokers = game[0], game[1] + game[2]
    for c in range(4):
        for left in range(jokers + 1):
            for code in range(16):
                low, high = code & 3, code >> 2
                floor[0, numbers, c, left, code] = 0 if (low == 0 or low == 3) and (high == 0 or high == 3) else NEVER
    active = 0
    for n in range(numbers - 1, -1, -1):
        grouped = fit_groups(n, jokers, table, rack, choices, fitting)
        # Runs that may have begun before this number and still lie here.
        active |= lies[n, 1]
        i = 0
        while begins[n, i] >= 0:
            s = begins[n, i]
            if lanes[s, 0] >= 0:
                active &= ~(1 << lanes[s, 1])
            i += 1
        for c in range(4):
            most = grouped >> (2 * c) & 3
            colour_floor(n, c, 2 if most == 3 else most, active >> (4 * c) & 15, question, floor)


@device_function
def lay_runs(numbers, trail, runs):
    """Fill ``runs``, [runs, 4], with the runs along a trail - colour, first number, length, jokers as bits - and return how many there are.

    Where a run must stop the longest does: unfinished ones go on.
    """
    many = 0
    for c in range(4):
        first, second = -1, -1
        for n in range(numbers):
            tiles = trail[n, RUN + c]
            ways = tiles + trail[n, BRIDGE + c]
            if first >= 0 and second >= 0 and ways < 2:
                longer = first if runs[first, 2] >= runs[second, 2] else second
                first, second = first + second - longer, -1
            if ways == 0:
                first, second = -1, -1
            for way in range(ways):
                r = first if way == 0 else second
                if r < 0:
                    r = many
                    many += 1
                    runs[r, 0] = c
                    runs[r, 1] = n + 1
                    runs[r, 2] = 0
                    runs[r, 3] = 0
                    if way == 0:
                        first = r
                    else:
                        second = r
                if way >= tiles:
                    runs[r, 3] |= 1 << runs[r, 2]
                runs[r, 2] += 1
    return many


@kernel
def search(question, budget, work, best, runs):
    """Return the least cost of a move that keeps every table tile on the table; -1 past the limit of states, and then it can be called on.

    ``budget`` is a cost below which there is nothing, -1 if nothing is known. The best way so far is left in ``best``, [numbers, 10] int64
    like a trail, its runs in ``runs``, [runs, 4] int64, its cost and how many runs they are in the counters, where DEPTH is FRESH in the
    first call.
    """
    game, counters = question.game, work.counters
    if counters[DEPTH] == FRESH:
        prepare(question, work.fitting, work.floor)
        counters[GENERATION] += 1
        counters[NODES] = counters[LISTED] = 0
        counters[DEPTH] = -1
        counters[FLOOR] = max(budget, bound(0, 0, game[1] + game[2], 0, work.floor))
        counters[BEST] = NEVER
        # If something is known, the bound is all but reached; if not, the first way at hand is the better budget.
        counters[BUDGET] = counters[FLOOR] if budget >= 0 else NEVER - 1
    counters[PAUSED] = 0
    while counters[FLOOR] < counters[BEST]:
        if counters[DEPTH] < 0:
            enter(0, 0, 0, 0, 0, question, work)
            counters[DEPTH] = -1 if counters[PAUSED] else 0
        explore(question, work, best)
        if counters[PAUSED]:
            break
        least = work.frames[0, LEAST]
        if counters[BEST] == NEVER:
            counters[BUDGET] = min(NEVER - 1, least + (least - counters[FLOOR]) * GROW)
        counters[FLOOR] = least
    if counters[BEST] < NEVER:
        counters[RUNS] = lay_runs(game[0], best, runs)
    return -1 if counters[PAUSED] else counters[BEST]
