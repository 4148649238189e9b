"""The best move in a position, proven or within a budget; before the opening, the best opening.

The search of ``search.py`` answers where it knows the rules and the jokers of its table are where the joker rule allows them. Everything
else is the integer program's.

>>> from meldlab.rummikub.position import format_table
>>> solution = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> format_table(solution.table), solution.kept, solution.method, solution.proven
('K9 B9 O9 | R5 R6 R7 R8 J=R9', 1, 'search', True)
>>> solve(Position.parse("R5 R6 R7 | K9 B9 O9 + R8 J (not opened)")).played
()
"""

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.budget import NODES, SECONDS, Budget, BudgetExceeded
from meldlab.rummikub.joker_rules import allowed_readings, restricts
from meldlab.rummikub.opening import can_open, highest_reading, max_points, playable_part, points_bound
from meldlab.rummikub.position import Position
from meldlab.rummikub.search import Problem, covers, search
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.tiles import show

if TYPE_CHECKING:
    from meldlab.rummikub.integer_program import IntegerProgram

METHODS = ("search", "ilp")
THEN_ILP = "search, then ilp"
# States for the free move where the joker rule may reject it: about as long as the integer program takes then.
RESTRICTED_NODES = 50_000


def solve(
    position: Position, objective: Objective | None = None, method: str = "search", *, nodes: int = NODES, seconds: float = SECONDS
) -> Solution:
    """Return the best move; when the budget is exhausted, the best one found, unproven.

    ``nodes`` limits the states that the search visits, ``seconds`` the processor time of the call.
    """
    objective = objective or Objective()
    solution = solve_if_possible(position, objective, method, nodes=nodes, seconds=seconds)
    if solution is None:
        raise NotLegalHere(f"{show(objective.required)} cannot be played here")
    return solution


def solve_if_possible(
    position: Position, objective: Objective, method: str = "search", *, nodes: int = NODES, seconds: float = SECONDS
) -> Solution | None:
    """Return the best move, or None if the required tiles cannot be played; BudgetExceeded if that is not known."""
    if method not in METHODS:
        raise NoSuchThing("method", method, METHODS)
    if objective.required and Counter(objective.required) - Counter(position.rack):
        return None
    start, budget = time.perf_counter(), Budget(nodes, seconds)
    try:
        solution = (_best_move if position.opened else _best_opening)(position, objective, method, budget)
    except BudgetExceeded:
        if objective.required:
            raise
        solution = Solution(position, position.table, objective, proven=False, method=method if method == "ilp" else THEN_ILP)
    if solution is None:
        return None
    # A player who plays nothing must not touch the table either.
    idle = sum([len(tile_set.tiles) for tile_set in solution.table]) == len(position.table_tiles)
    table = position.table if idle else solution.table
    return Solution(position, table, objective, solution.proven, solution.method, time.perf_counter() - start)


def fewest_moved(solution: Solution, budget: Budget, *, opening_points: int = 0) -> Solution:
    """Return the solution of the same objective value that moves the fewest table tiles."""
    from meldlab.rummikub.integer_program import IntegerProgram

    if not solution.moved or not solution.proven:
        return solution
    value, max_moved = solution.objective_value, solution.moved - 1
    method = solution.method if solution.method == "ilp" else THEN_ILP
    program = IntegerProgram(solution.position, solution.objective, value=value, max_moved=max_moved, opening_points=opening_points)
    try:
        table = program.solve(budget)
    except BudgetExceeded as exceeded:
        return replace(solution, table=exceeded.table or solution.table, proven=False, method=method)
    return replace(solution, table=table or solution.table, method=method)


def integer_program_of(solution: Solution) -> "IntegerProgram":
    """Return the integer program of which a solution is the optimum; with ``keep="tiles"`` that of the fewest tiles moved for its value."""
    from meldlab.rummikub.integer_program import IntegerProgram

    objective, place = solution.objective, playable_part(solution.position)
    points = 0 if solution.position.opened else place.rules.opening
    if objective.keep == "tiles" and place.table:
        value, moved = solution.objective_value, solution.moved
        return IntegerProgram(place, objective, value=value, max_moved=moved, opening_points=points)
    return IntegerProgram(place, objective, opening_points=points)


def _best_move(position: Position, objective: Objective, method: str, budget: Budget, *, opening_points: int = 0) -> Solution | None:
    """Return the best move of a player who may use the table; with ``opening_points`` one that starts with an opening of these points."""
    if objective.keep != "tiles":
        return _best_table(position, objective, method, budget, opening_points)
    solution = _best_table(position, replace(objective, keep="sets"), method, budget, opening_points)
    return solution and fewest_moved(replace(solution, objective=objective), budget, opening_points=opening_points)


def _best_table(position: Position, objective: Objective, method: str, budget: Budget, opening_points: int) -> Solution | None:
    if method == "ilp" or not covers(position.rules):
        return _by_program(position, objective, "ilp", budget, opening_points)
    if opening_points:
        return _by_program(position, objective, THEN_ILP, budget, opening_points)
    restricted = restricts(position)
    part = Budget(min(RESTRICTED_NODES, budget.nodes), budget.seconds) if restricted else budget
    before, free = part.nodes, None
    try:
        result = search(Problem.of(position, objective), keep=objective.keep == "sets", budget=part)
        if result is None:
            return None
        table = allowed_readings(position, result.table) if restricted else result.table
        if table:
            return Solution(position, table, objective, proven=True, method="search")
    except BudgetExceeded as exceeded:
        free = exceeded.table and allowed_readings(position, exceeded.table)
    finally:
        if restricted:
            budget.nodes -= before - part.nodes
    return _by_program(position, objective, THEN_ILP, budget, free=free)


def _by_program(
    position: Position, objective: Objective, method: str, budget: Budget, opening_points: int = 0, free: tuple[TileSet, ...] | None = None
) -> Solution | None:
    """Return the integer program's solution; when the time is over, the best of its table, ``free`` and a simple one."""
    from meldlab.rummikub.integer_program import IntegerProgram

    try:
        table = IntegerProgram(position, objective, opening_points=opening_points).solve(budget)
        return None if table is None else Solution(position, table, objective, proven=True, method=method)
    except BudgetExceeded as exceeded:
        tables = [table for table in (exceeded.table, free) if table]
    if not tables and not opening_points and restricts(position):
        tables = _joker_sets_untouched(position, objective, budget)
    if not tables:
        raise BudgetExceeded
    solutions = [Solution(position, table, objective, proven=False, method=method) for table in tables]
    return max(solutions, key=lambda solution: (solution.objective_value, solution.kept if objective.keep == "sets" else 0))


def _joker_sets_untouched(position: Position, objective: Objective, budget: Budget) -> list[tuple[TileSet, ...]]:
    """Return the best table that leaves every set with a joker as it is, if the search knows the rules and finds one."""
    if not covers(position.rules):
        return []
    untouched = tuple(tile_set for tile_set in position.table if tile_set.jokers)
    rest = replace(position, table=tuple(tile_set for tile_set in position.table if not tile_set.jokers))
    try:
        result = search(Problem.of(rest, objective), keep=objective.keep == "sets", budget=budget)
        return [(*untouched, *result.table)] if result else []
    except BudgetExceeded as exceeded:
        return [(*untouched, *exceeded.table)] if exceeded.table else []


def _best_opening(position: Position, objective: Objective, method: str, budget: Budget) -> Solution | None:
    """Return the best turn of a player who has not opened: at least the opening, or the table as it is.

    Where the rules let the turn continue after the opening, the rest of it may use the table.
    """
    nothing = None if objective.required else Solution(position, position.table, objective, proven=True, method=method)
    rules, place = position.rules, playable_part(position)
    if points_bound(position.rack, rules) < rules.opening:
        return nothing
    solution = None
    if method == "search":
        if not any(tile.joker for tile in position.rack) and max_points(position.rack, rules, budget) < rules.opening:
            return nothing
        solution = _best_move(place, objective, method, budget)
        if solution is None:
            return None
    if solution is None or not can_open(place, solution.table, budget):
        solution = _best_move(place, objective, method, budget, opening_points=rules.opening)
    if solution is None:
        return nothing
    table = solution.table if place.table else (*position.table, *highest_reading(solution.table, rules))
    return replace(solution, position=position, table=table)
