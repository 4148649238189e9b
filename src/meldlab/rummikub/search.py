"""The exact search as seen from Python: tiles and sets in, the best new table out.

>>> from meldlab.rummikub.position import format_table
>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> result = search(Problem.of(position, Objective("value")))
>>> result.weight_left, result.broken, format_table(result.table)
(0, 1, 'K9 B9 O9 | R5 R6 R7 R8 J=R9')
"""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from meldlab.parallel import chunks
from meldlab.rummikub import kernel_search
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.kernel_tables import (
    CHOICES,
    COUNTERS,
    FRAME,
    GROUP,
    GROUPS,
    INFINITE_COST,
    LOCKED,
    MAX_SETS,
    NOT_STARTED,
    SCALE,
    SHAPES,
    LockedSets,
    SearchProblem,
    SearchWorkspace,
)
from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.tiles import JOKER, Tile

FIRST = 1000  # states of the first piece: most searches end within it
UNKNOWN = -1  # a least cost of which nothing is known
CALL = 100  # states that a call of the search is charged in addition to those it visits: the time of the Python around it
Grid = NDArray[np.int64]  # [numbers, 4]


def covers(rules: Rules) -> bool:
    """Return whether the search knows these rules; others are the integer program's."""
    small = rules.colours <= 4 and 6 <= rules.numbers <= 15 and rules.copies <= 2 and rules.jokers <= 2
    return small and rules.smallest == 3 and not rules.round_the_corner


@dataclass
class Problem:
    """Tiles that must lie on the table, tiles that may, what each is worth, and sets that would better stay as they are."""

    rules: Rules
    must: Grid
    may: Grid
    weights: Grid
    must_jokers: int
    may_jokers: int
    joker_weight: int
    sets: Sequence[TileSet] = ()

    @classmethod
    def of(cls, position: Position, objective: Objective) -> Self:
        """Return the problem of a position whose jokers are free."""
        rules = position.rules
        size = 4 * rules.numbers
        # What must lie, what may, then the jokers of both; bytes become an array in a third of the time that a list takes.
        counts = bytearray(2 * size + 2)
        for tile in position.table_tiles:
            counts[-2 if tile.joker else 4 * tile.number + tile.colour - 4] += 1
        for tile in position.rack:
            counts[-1 if tile.joker else size + 4 * tile.number + tile.colour - 4] += 1
        for tile in objective.required:
            place = -2 if tile.joker else 4 * tile.number + tile.colour - 4
            counts[place] += 1
            counts[-1 if tile.joker else size + place] -= 1
        must, may = np.frombuffer(counts, np.int8, 2 * size).astype(np.int64).reshape(2, rules.numbers, 4)
        weights = _weights(objective.measure, rules) if objective.weights is None else _grid_of_weights(objective, rules)
        return cls(rules, must, may, weights, counts[-2], counts[-1], objective.weight(JOKER, rules), position.table)

    def without(self, tiles: Iterable[Tile]) -> bool:
        """Take tiles out, those that must be on the table first; return whether all of them were there."""
        for tile in tiles:
            if tile.joker:
                if self.must_jokers:
                    self.must_jokers -= 1
                else:
                    self.may_jokers -= 1
            else:
                grid = self.must if self.must[tile.number - 1, tile.colour] else self.may
                grid[tile.number - 1, tile.colour] -= 1
        return self.may_jokers >= 0 and bool((self.may >= 0).all())

    def copy(self) -> Self:
        """Return a problem from which tiles can be taken without touching this one."""
        grids = self.must.copy(), self.may.copy(), self.weights
        return type(self)(self.rules, *grids, self.must_jokers, self.may_jokers, self.joker_weight, self.sets)


class SearchResult(NamedTuple):
    """The new table, the weight that stays on the rack, how counts of the problem's sets were broken, and the states visited."""

    table: tuple[TileSet, ...]
    weight_left: int
    broken: int
    nodes: int


def _new_workspace() -> SearchWorkspace:
    kinds = {"counters": COUNTERS, "frames": FRAME}
    return SearchWorkspace(**{name: np.zeros(shape, kinds.get(name, np.int64)) for name, shape in SHAPES.items()})


@dataclass
class Workspace(threading.local):
    """The arrays of one thread, allocated once; the best path and its runs are where the search leaves them."""

    arrays: SearchWorkspace = field(default_factory=_new_workspace)
    best: NDArray[np.int64] = field(default_factory=lambda: np.zeros((16, 10), np.int64))
    runs: NDArray[np.int64] = field(default_factory=lambda: np.zeros((64, 4), np.int64))

    def __post_init__(self) -> None:
        self.counters = {name: self.arrays.counters[name] for name in COUNTERS.names or ()}
        """Views of the one record, by name."""


WORK = Workspace()
TILES = [[Tile(colour, number) for number in range(16)] for colour in range(4)]
JOKERS = [[Tile(colour, number, joker=True) for number in range(16)] for colour in range(4)]
NO_SETS = LockedSets(*(np.zeros(shape, np.int64) for shape in ((16, MAX_SETS), 16, (1, 3), (16, 3))))


def search(problem: Problem, *, keep: bool = True, budget: Budget | None = None) -> SearchResult | None:
    """Return a table with the least weight left on the rack and, if asked to ``keep``, the fewest sets broken; nothing if there is none.

    Past the budget it raises BudgetExceeded with the best table so far.

    >>> search(Problem.of(Position.parse("", "R5 R6"), Objective())).table
    ()
    """
    budget = budget or Budget()
    before = budget.nodes
    cost, complete = _run(problem, NO_SETS, UNKNOWN, budget)
    if cost >= INFINITE_COST:
        if complete:
            return None
        raise BudgetExceeded
    left, broken = cost // SCALE, 0
    sets: Sequence[TileSet] = ()
    if keep and problem.sets:
        if complete:
            cost_locked, complete = _run(problem, lock_sets(problem), cost, budget)
            if cost_locked < INFINITE_COST:
                cost, sets = cost_locked, problem.sets
        broken = cost % SCALE if sets else len(problem.sets)
    runs = WORK.runs[: WORK.counters["runs"][0]].tolist()
    result = SearchResult(tuple(table_of(problem, sets, WORK.best, runs)), left, broken, before - budget.nodes)
    budget.nodes -= CALL
    if not complete:
        raise BudgetExceeded(result.table)
    return result


def warm_up() -> None:
    """Load the compiled search, so that the time of the first solution is its own."""
    search(Problem.of(Position.parse("K6 B6 O6", "O1 O2"), Objective()))


def _run(problem: Problem, locked: LockedSets, least: int, budget: Budget) -> tuple[int, bool]:
    """Return the cost of the best path, which the workspace now holds, and whether the budget sufficed to prove it the best."""
    counters, most = WORK.counters, max(0, budget.nodes)
    game = np.array((problem.rules.numbers, problem.must_jokers, problem.may_jokers, problem.joker_weight), np.int64)
    laid = SearchProblem(game, problem.must, problem.may, problem.weights, CHOICES[problem.rules.colours - 1], locked)
    arguments = laid, least, WORK.arrays, WORK.best, WORK.runs
    counters["depth"][0], counters["limit"][0] = NOT_STARTED, min(FIRST, most)
    cost = int(kernel_search.search(*arguments))
    if cost < 0:
        for _, nodes in chunks(most - FIRST, FIRST):
            counters["limit"][0] += nodes
            cost = int(kernel_search.search(*arguments))
            if cost >= 0 or budget.seconds <= 0:
                break
    budget.nodes -= int(counters["nodes"][0])
    return (cost, True) if cost >= 0 else (int(counters["best"][0]), False)


def lock_sets(problem: Problem) -> LockedSets:
    """Return where the sets of a problem start, their shapes, and what locked runs cover; each run gets one of four bits of its colour.

    Four suffice: at one number there are at most two tiles and two jokers of a colour.
    """
    # Lists become arrays at the end: to write single words into arrays takes several times as long.
    starts, counts, shapes, covers = np.zeros((16, MAX_SETS), np.int64), [0] * 16, [0] * (3 * len(problem.sets)), [0] * 48
    until = [[-1] * 4 for _ in range(4)]
    for s, (first, naturals, jokers) in sorted(enumerate(map(_by_number, problem.sets)), key=lambda item: item[1][0]):
        colour, last = naturals[0].colour, naturals[-1].number - 1
        if first == last:
            shapes[3 * s : 3 * s + 3] = -1, sum([1 << tile.colour for tile in naturals]), jokers
        else:
            local = next(i for i in range(4) if until[colour][i] < first)
            until[colour][local] = last
            bit = 1 << 4 * colour + local
            shapes[3 * s : 3 * s + 3] = colour, 4 * colour + local, jokers
            for tile in naturals[1:]:
                covers[3 * tile.number - 3] |= bit
            covers[3 * last + 1] |= bit
            for number in range(first + 1, last + 1):
                covers[3 * number + 2] |= bit
        starts[first, counts[first]] = s
        counts[first] += 1
    return LockedSets(starts, np.array(counts), np.array(shapes).reshape(-1, 3), np.array(covers).reshape(-1, 3))


def _by_number(tile_set: TileSet) -> tuple[int, list[Tile], int]:
    naturals = sorted((tile for tile in tile_set.tiles if not tile.joker), key=lambda tile: tile.number)
    return naturals[0].number - 1, naturals, len(tile_set.tiles) - len(naturals)


def table_of(problem: Problem, sets: Sequence[TileSet], trail: Grid, runs: list[list[int]]) -> list[TileSet]:
    """Return the sets along a trail: locked ones, groups and runs; spare jokers go to the first set with room."""
    numbers, colours = problem.rules.numbers, problem.rules.colours
    choices, laid = _choice_rows(colours), trail[:numbers, GROUP].tolist()
    groups = [(number, choices[group]) for number, group in enumerate(laid, 1) if group in choices]
    locked = int(np.bitwise_or.reduce(trail[:numbers, LOCKED])) if sets else 0
    table = [tile_set for s, tile_set in enumerate(sets) if locked >> s & 1]
    spare = problem.must_jokers + problem.may_jokers
    if spare:
        spare -= sum([run[3].bit_count() for run in runs]) + sum([choice[4] for _, choice in groups])
        spare -= sum(tile.joker for tile_set in table for tile in tile_set.tiles)
    while spare and runs:
        _attach(runs, numbers)
        spare -= 1
    for number, (*tiles, jokers, room) in groups:
        more = min(room, spare)
        spare -= more
        table += _groups_of(number, (*tiles, jokers + more), colours)
    return table + [_run_of(*run) for run in runs]


def _attach(runs: list[list[int]], numbers: int) -> None:
    """Lay a spare joker at an end of a run, or between the halves of a run that has no end left."""
    for run in runs:
        _, first, length, jokers = run
        if first + length <= numbers:
            run[2:] = length + 1, jokers | 1 << length
            return
        if first > 1:
            run[1:] = first - 1, length + 1, jokers << 1 | 1
            return
    colour, first, length, jokers = runs[0]
    runs.append([colour, first + 3, length - 3, jokers >> 3])
    runs[0] = [colour, first, 4, jokers & 7 | 8]


@lru_cache(maxsize=1 << 14)
def _run_of(colour: int, first: int, length: int, jokers: int) -> TileSet:
    return TileSet(tuple((JOKERS if jokers >> i & 1 else TILES)[colour][first + i] for i in range(length)))


@cache
def _groups_of(number: int, tiles: tuple[int, ...], colours: int) -> tuple[TileSet, ...]:
    return tuple(_group(number, part, colours) for part in _parts(tiles, colours))


def _group(number: int, part: tuple[int, ...], colours: int) -> TileSet:
    missing = [colour for colour in range(colours) if not part[colour]]
    return TileSet(
        tuple(TILES[colour][number] for colour in range(4) if part[colour]) + tuple(JOKERS[c][number] for c in missing[: part[4]])
    )


@cache
def _parts(tiles: tuple[int, ...], colours: int) -> tuple[tuple[int, ...], ...]:
    """Split tiles of one number (four colours, then jokers) into groups."""
    if not any(tiles):
        return ()
    for part in GROUPS[colours - 1]:
        rest = tuple(w - p for w, p in zip(tiles, part, strict=True))
        if min(rest) >= 0:
            try:
                return (part, *_parts(rest, colours))
            except LookupError:
                continue
    raise LookupError(f"no groups of {tiles}")


@cache
def _choice_rows(colours: int) -> dict[int, list[int]]:
    """Return the choices that lay groups, by number."""
    return {i: row for i, row in enumerate(CHOICES[colours - 1].tolist()) if any(row)}


@cache
def _weights(objective: str, rules: Rules) -> Grid:
    return _grid_of_weights(Objective(objective), rules)


def _grid_of_weights(objective: Objective, rules: Rules) -> Grid:
    return np.array(
        [[objective.weight(Tile(colour, number), rules) for colour in range(4)] for number in range(1, rules.numbers + 1)], np.int64
    )
