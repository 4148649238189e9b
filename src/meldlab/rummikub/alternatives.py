"""All best moves, and what it would cost to play a certain tile.

>>> from meldlab.rummikub.position import format_table
>>> from meldlab.rummikub.solution import Objective
>>> from meldlab.rummikub.solver import solve
>>> position = Position.parse("R3 R4 R5 | K5 B5 O5", "R5 R6")
>>> alternatives = find_alternatives(solve(position, Objective(keep="none")))
>>> for table in alternatives.tables:
...     print(format_table(table))
R3 R4 R5 R6 | R5 K5 B5 O5
>>> alternatives.complete
True
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from meldlab.errors import NotLegalHere
from meldlab.rummikub.budget import NODES, SECONDS, Budget, BudgetExceeded
from meldlab.rummikub.joker_rules import allowed_readings
from meldlab.rummikub.opening import can_open, highest_reading, playable_part
from meldlab.rummikub.position import Position
from meldlab.rummikub.search import Problem, covers, search
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns, long_columns
from meldlab.rummikub.solution import Solution
from meldlab.rummikub.solver import solve_if_possible
from meldlab.rummikub.tiles import Tile

Laid = tuple[TileSet, ...]


@dataclass(frozen=True)
class WhyNot:
    """What the best move is worth, and the best move that plays a certain tile, if there is any; ``proven`` if that is certain."""

    tile: Tile
    best: Solution
    with_tile: Solution | None
    proven: bool

    @property
    def cost(self) -> int | None:
        """Return what insisting on the tile gives away: tiles if the objective counts those first, points, or weight."""
        if self.with_tile is None:
            return None
        by_tiles = self.best.objective.weights is None and self.best.objective.measure != "value"
        return self.best.count - self.with_tile.count if by_tiles else self.best.objective_value - self.with_tile.objective_value

    @property
    def points(self) -> int | None:
        """Return how many points insisting on the tile gives away."""
        return self.best.value - self.with_tile.value if self.with_tile else None


@dataclass(frozen=True)
class Alternatives:
    """Tables that are as good as the best, and whether these are all of them."""

    tables: tuple[Laid, ...]
    complete: bool


def why_not(best: Solution, tile: Tile, *, nodes: int = NODES, seconds: float = SECONDS) -> WhyNot:
    """Compare the best move with the best one that plays ``tile``.

    >>> from meldlab.rummikub.solver import solve
    >>> why_not(solve(Position.parse("R3 R4 R5", "R6 K9")), Tile.parse("K9")).with_tile is None
    True
    """
    if tile not in best.position.rack:
        raise NotLegalHere(f"{tile} is not on the rack")
    objective, method = replace(best.objective, required=(*best.objective.required, tile)), "ilp" if best.method == "ilp" else "search"
    try:
        with_tile = solve_if_possible(best.position, objective, method, nodes=nodes, seconds=seconds)
    except BudgetExceeded:
        return WhyNot(tile, best, None, proven=False)
    return WhyNot(tile, best, with_tile, best.proven and (with_tile is None or with_tile.proven))


def find_alternatives(solution: Solution, limit: int = 20, *, nodes: int = NODES, seconds: float = SECONDS) -> Alternatives:
    """Return the tables that are as good as ``solution``'s, each once, at most ``limit`` of them, and as far as the budget goes.

    The lowest tile that is left lies in one of the sets that begin with it, or stays on the rack; the search says which of these ways
    can still be best.
    """
    position, objective = solution.position, solution.objective
    if not covers(position.rules) or objective.keep == "tiles":
        raise NotLegalHere("all best moves are listed only for rules that the search knows, keeping sets or nothing")
    if not solution.played:
        return Alternatives((), solution.proven)
    budget, tables = Budget(nodes, seconds), list[Laid]()
    try:
        # One more than the limit says whether these are all.
        for table in islice(_as_good(solution, budget), limit + 1):
            tables.append(table)
    except BudgetExceeded:
        return Alternatives(tuple(tables[:limit]), complete=False)
    return Alternatives(tuple(tables[:limit]), solution.proven and len(tables) <= limit)


def _as_good(solution: Solution, budget: Budget) -> Iterator[Laid]:
    """Give the tables, each once, by which the rules of the opening and of the jokers are obeyed."""
    position, place, rules = solution.position, playable_part(solution.position), solution.position.rules
    seen = set[tuple[Column, ...]]()
    for way in _all_ways(solution, place, budget):
        if way in seen:
            continue
        seen.add(way)
        table = allowed_readings(place, tuple(best_reading(column, rules) for column in way))
        if table and (position.opened or can_open(place, table, budget)):
            yield table if position.opened or place.table else (*position.table, *highest_reading(table, rules))


def _all_ways(solution: Solution, place: Position, budget: Budget) -> Iterator[tuple[Column, ...]]:
    """Give the columns of tables that cost no more than the solution, were jokers free and nothing asked of an opening."""
    objective, rules, keep = solution.objective, place.rules, solution.objective.keep == "sets"
    cost = objective.total(place.rack, rules) - solution.objective_value, len(place.table) - solution.kept if keep and place.table else 0
    problem = Problem.of(place, objective)
    naturals = {tile for tile in (*place.table_tiles, *place.rack) if not tile.joker}
    jokers = problem.must_jokers + problem.may_jokers
    by_lowest: dict[Tile, list[Column]] = {}
    for column in (*columns(rules), *long_columns(naturals, jokers, rules)):
        if column.jokers <= jokers and naturals.issuperset(column.naturals) and column.naturals:
            by_lowest.setdefault(column.naturals[0], []).append(column)
    yield from _ways(problem, sorted(naturals), by_lowest, cost, (), list(place.table), budget, keep=keep)


def _ways(
    problem: Problem,
    tiles: list[Tile],
    by_lowest: dict[Tile, list[Column]],
    cost: tuple[int, int],
    chosen: tuple[Column, ...],
    old: list[TileSet],
    budget: Budget,
    *,
    keep: bool,
) -> Iterator[tuple[Column, ...]]:
    if budget.exhausted:
        raise BudgetExceeded
    problem.sets = old if keep else ()
    result = search(problem, keep=keep, budget=budget)
    if result is None or (result.weight_left, result.broken) > cost:
        return
    lowest = next((tile for tile in tiles if problem.must[tile.number - 1, tile.colour] or problem.may[tile.number - 1, tile.colour]), None)
    if lowest is None:
        if not problem.must_jokers:
            yield tuple(sorted(chosen))
        return
    for column in by_lowest.get(lowest, []):
        rest = problem.copy()
        if rest.without(column.pieces):
            same = next((tile_set for tile_set in old if tile_set.column == column), None)
            left = [tile_set for tile_set in old if tile_set is not same]
            yield from _ways(rest, tiles, by_lowest, cost, (*chosen, column), left, budget, keep=keep)
    if not problem.must[lowest.number - 1, lowest.colour]:
        rest = problem.copy()
        rest.may[lowest.number - 1, lowest.colour] -= 1
        weight = int(problem.weights[lowest.number - 1, lowest.colour])
        yield from _ways(rest, tiles, by_lowest, (cost[0] - weight, cost[1]), chosen, old, budget, keep=keep)
