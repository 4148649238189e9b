"""The fewest table tiles moved: among the best moves the one that leaves most tiles in the match_sets of their sets.

>>> position = Position.parse("R1-6 | K9 B9 O9", "R3 R7 R9")
>>> problem = Problem.of(position, Objective("value"))
>>> found = search(problem)
>>> format_table(calmest(position, problem, found.weight_left, 106, Budget()))
'R1 R2 R3 | R3 R4 R5 R6 R7 | R9 K9 B9 O9'
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from meldlab.rummikub import kernel_colours, kernel_moving, kernel_prices
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.kernel import CHOICES, Question
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.search import JOKERS, NO_SETS, TILES, Problem, search
from meldlab.rummikub.sets import Column, TileSet, best_reading, readings
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.tiles import Tile

__all__ = ["Budget", "Objective", "Position", "Problem", "arranged", "calmest", "search", "format_table"]

TILE, WORTH = kernel_colours.TILE, kernel_colours.WORTH
LONG = 500  # states of a search that takes longer than what comes before it
PIECE = 10_000  # states of a piece, a few hundredths of a second; fixed, for where the cuts are decides how many states are visited


def _new_graphs() -> kernel_colours.Graphs:
    states, edges, leaves = kernel_colours.STATES, kernel_colours.EDGES, kernel_colours.LEAVES
    shapes: list[int | tuple[int, ...]] = [(4, 18), states, (states, 3), (states, 3), (states, 4), (edges, 4), (edges, 4)]
    shapes += [(3, kernel_colours.BOOK), 5, 37, (9, 7), (leaves + 1, 15), (16, 4), (16, 4, 3), (17, 4, 3, 16)]
    shapes += [(16, 4, 3, 16), (17, 4), (16, 4, 3), (16, 4, 3), 3, 3]
    return kernel_colours.Graphs._make(np.zeros(shape, np.int64) for shape in shapes)


def _new_desk() -> kernel_moving.MovingDesk:
    shapes: list[int | tuple[int, ...]] = [(kernel_moving.OPTIONS, 7), 17, (4, 7), 8, (3, 1 << kernel_moving.MEMO_BITS), (17, 6)]
    shapes += [(kernel_prices.KINDS, 3), 17, 1024, (3, 17), (3, 16), (16, 4, 3), (16, 4, 4), (16, 4, 3), 2, (16, 4, 3), (16, 5)]
    return kernel_moving.MovingDesk._make(np.zeros(shape, np.int64) for shape in shapes)._replace(way=np.zeros((16, 4, 4)))


@dataclass
class MovingWorkspace(threading.local):
    """The arrays of one thread; the system gives them room when they are written on."""

    graphs: kernel_colours.Graphs = field(default_factory=_new_graphs)
    desk: kernel_moving.MovingDesk = field(default_factory=_new_desk)
    best: NDArray[np.int64] = field(default_factory=lambda: np.zeros((16, 5), np.int64))


SPACE = MovingWorkspace()


def calmest(position: Position, problem: Problem, weight_left: int, moved: int, budget: Budget) -> tuple[TileSet, ...] | None:
    """Return a table that leaves ``weight_left``, the least there is, on the rack and moves the fewest tiles.

    Nothing if these are no fewer than ``moved``; past the budget, or where the question takes too much room, it raises BudgetExceeded.
    """
    if not moved:
        return None
    old, rules, jokers = _old_sets(position), problem.rules, problem.must_jokers + problem.may_jokers
    game = np.array((rules.numbers, problem.must_jokers, problem.may_jokers, problem.joker_weight), np.int64)
    question = Question(game, problem.must, problem.may, problem.weights, CHOICES[rules.colours - 1], NO_SETS)
    # A joker that is moved costs a tile, but for as many as come from the rack; what these save is shared by all.
    share = (jokers - int(old.jokers.sum())) * TILE // max(1, jokers)
    SPACE.graphs.charges[:2] = TILE - share, -share
    if not kernel_moving.begin(rules.colours, weight_left * WORTH + min(moved, 4) * TILE, old, question, SPACE.graphs, SPACE.desk):
        raise BudgetExceeded
    most, raised = 0, 1
    while most < moved:
        # Few states are within reach of few moves.
        if _is_found(weight_left * WORTH, most, old, question, budget):
            return arranged(_with_spare(_laid(problem), problem), position)
        known = -(-(int(SPACE.desk.counters[kernel_moving.FLOOR]) - weight_left * WORTH) // TILE)
        # A step that takes long to search had better be a long one.
        raised = raised + 1 if SPACE.desk.counters[kernel_moving.NODES] > LONG else 1
        most = min(max(most + raised, known), max(most + 1, moved - 1))
    return None


def _is_found(least: int, most: int, old: kernel_colours.OldSets, question: Question, budget: Budget) -> bool:
    """Tell whether a table moves at most so many tiles; the best one is then in the workspace."""
    sizes, counters = SPACE.graphs.sizes, SPACE.desk.counters
    sizes[kernel_colours.ROOM] = max(0, min(kernel_colours.STATES - 1, budget.nodes))
    ready = kernel_moving.set_up(least + most * TILE, old, question, SPACE.graphs, SPACE.desk)
    budget.nodes -= int(sizes[kernel_colours.MANY_STATES])
    if ready <= 0:
        if ready < 0:
            raise BudgetExceeded
        return False
    cost, pieces = -1, 0
    while cost < 0:
        if budget.nodes <= PIECE * pieces or budget.seconds <= 0:
            raise BudgetExceeded
        pieces += 1
        counters[kernel_moving.LIMIT] = min(budget.nodes, PIECE * pieces)
        cost = int(kernel_moving.fewest_moved(least, question, SPACE.graphs, SPACE.desk, SPACE.best))
    budget.nodes -= int(counters[kernel_moving.NODES])
    return cost <= least + most * TILE


def _old_sets(position: Position) -> kernel_colours.OldSets:
    """Return where the old sets lie: runs without jokers in two lanes of their colour, which suffice for two copies."""
    marks, groups, jokers = np.zeros((16, 4, 6), np.int64), np.zeros((16, 4), np.int64), np.zeros(2, np.int64)
    owed, prices = np.zeros(16, np.int64), np.zeros((16, 4, 3), np.int64)
    until = [[-1, -1] for _ in range(4)]
    with_jokers = 0
    many = [0] * 16
    shares: dict[tuple[int, int], list[int]] = {}
    for tile_set in sorted(position.table, key=lambda one: min(tile.number for tile in one.tiles)):
        naturals = sorted((tile for tile in tile_set.tiles if not tile.joker), key=lambda tile: tile.number)
        first, last, colour = naturals[0].number - 1, naturals[-1].number - 1, naturals[0].colour
        for tile in naturals:
            marks[tile.number - 1, tile.colour, kernel_colours.OLD] += 1
        if first == last:
            owed[first] += 1
            for i, tile in enumerate(naturals):
                marks[first, tile.colour, kernel_colours.GROUPED] += 1
                shares.setdefault((first, tile.colour), []).append((TILE + i) // len(naturals))
        else:
            marks[first, colour, kernel_colours.OLD] -= 1
        if len(naturals) < len(tile_set.tiles):
            jokers[with_jokers] = len(tile_set.tiles) - len(naturals)
            for tile in naturals:
                groups[tile.number - 1, 2 + with_jokers] |= 1 << tile.colour
                marks[tile.number - 1, tile.colour, kernel_colours.HERE] |= 1 << with_jokers
                marks[: tile.number - 1, tile.colour, kernel_colours.AHEAD] |= 1 << with_jokers
            with_jokers += 1
        elif first == last:
            groups[first, many[first]] = sum(1 << tile.colour for tile in naturals)
            many[first] += 1
        else:
            lane = 0 if until[colour][0] < first else 1
            until[colour][lane] = last
            marks[first:last, colour, lane] = 1
            marks[last, colour, lane] = 2
    for (n, colour), parts in shares.items():
        # Tiles that leave their group share what it saves then: one of them may lie in its heir.
        for grouped in range(3):
            prices[n, colour, grouped] = -TILE * min(grouped, len(parts)) - sum(sorted(parts)[: max(0, len(parts) - grouped)])
    return kernel_colours.OldSets(marks, groups, jokers, owed, prices)


def _laid(problem: Problem) -> Iterator[list[Tile]]:
    """Give the tiles of each set along the best way, spare jokers left out."""
    open_runs: list[list[list[Tile]]] = [[], [], [], []]
    for n in range(problem.rules.numbers):
        option, *edges = SPACE.best[n].tolist()
        laid = int(SPACE.desk.options[option, kernel_prices.LAID_GROUPS])
        while laid:
            missing = [JOKERS[c][n + 1] for c in range(problem.rules.colours) if not laid >> c & 1]
            yield [TILES[c][n + 1] for c in range(4) if laid >> c & 1] + missing[: laid >> 4 & 3]
            laid >>= 6
        for colour, edge in enumerate(edges):
            steps, ending, going = int(SPACE.graphs.better[edge, kernel_colours.STEPS]), dict(enumerate(open_runs[colour])), []
            while steps:
                origin, joker = divmod((steps & 15) - 2, 2)
                going.append([*ending.pop(origin, ()), (JOKERS if joker else TILES)[colour][n + 1]])
                steps >>= 4
            yield from ending.values()
            open_runs[colour] = going
    for runs in open_runs:
        yield from runs


def _with_spare(laid: Iterable[list[Tile]], problem: Problem) -> list[Column]:
    """Return sets with the spare jokers in the first ones that have room; BudgetExceeded if they find none."""
    columns = [Column.of(tiles) for tiles in laid]
    spare = problem.must_jokers + problem.may_jokers - sum(column.jokers for column in columns)
    for i, column in enumerate(columns):
        while spare and readings(Column(column.naturals, column.jokers + 1), problem.rules):
            column, spare = Column(column.naturals, column.jokers + 1), spare - 1
        columns[i] = column
    if spare:
        raise BudgetExceeded
    return columns


def arranged(laid: Iterable[Column], position: Position) -> tuple[TileSet, ...]:
    """Return columns as sets, those that lay there before in their old place and reading."""
    new = Counter(laid)
    table = []
    for tile_set in position.table:
        if new[tile_set.column]:
            new[tile_set.column] -= 1
            table.append(tile_set)
    return (*table, *(best_reading(column, position.rules) for column in sorted(new.elements())))
