"""The best new table for a player who has opened: the search where it knows the rules, the integer program elsewhere, or when the search
has visited all the states it may.

>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> move = best_table(position, Objective(), "search", Budget())
>>> format_table(move.table), move.method, move.proven
('K9 B9 O9 | R5 R6 R7 R8 J=R9', 'search', True)
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.guarded import best_by_cases
from meldlab.rummikub.jokers import Relaxed, best_obedient
from meldlab.rummikub.moving import calmest
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.search import Problem, covers, search
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.tiles import Tile

__all__ = ["Budget", "NewTable", "Objective", "Position", "best_table", "format_table"]


class NewTable(NamedTuple):
    """A new table, whether it is proven best, and by which method; ``fixed`` and ``required`` as in Solution."""

    table: tuple[TileSet, ...]
    proven: bool
    method: str
    fixed: tuple[TileSet, ...] = ()
    required: tuple[Tile, ...] = ()


def best_table(position: Position, objective: Objective, method: str, budget: Budget, *, points: int = 0) -> NewTable | None:
    """Return the best move, unproven past the budget, or nothing if the objective cannot be met; BudgetExceeded if even that is not known.

    With ``points``, which only the integer program understands, the rack alone must yield sets of so many.
    """
    guarded = position.rules.joker_rule != "free" and any(tile_set.jokers for tile_set in position.table)
    if method == "ilp" or not covers(position.rules):
        return _by_program(position, objective, budget, "ilp", points, guarded=guarded)
    if points:
        return _by_program(position, objective, budget, "search, then ilp", points, guarded=guarded)
    if guarded:
        return _guarded(position, objective, budget)
    problem = Problem.of(position, objective)
    try:
        found = search(problem, keep=objective.keep == "sets", budget=budget)
    except BudgetExceeded as out:
        return _better(position, objective, out.table, budget)
    if found is None:
        return None
    if objective.keep != "tiles":
        return NewTable(found.table, True, "search")
    solution = Solution(position, found.table, objective, proven=True, method="search", seconds=0.0)
    try:
        calm = calmest(position, problem, found.weight_left, solution.moved, budget)
    except BudgetExceeded:
        # The program need only say how little has to move for a worth that is known.
        return _better(position, objective, found.table, budget, floor=solution.objective_value)
    return NewTable(calm or found.table, True, "search")


def _better(position: Position, objective: Objective, table: tuple[TileSet, ...] | None, budget: Budget, floor: int = 0) -> NewTable | None:
    """Let the program solution; where it comes to no end, return the better of its table and the one that the search has come across."""
    try:
        move = _by_program(position, objective, budget, "search, then ilp", 0, guarded=False, floor=floor)
    except BudgetExceeded:
        if table is None:
            raise
        return NewTable(table, False, "search, then ilp")
    if move is None or move.proven or table is None:
        return move
    return max(move, move._replace(table=table), key=lambda one: _merit(position, objective, one.table))


def _merit(position: Position, objective: Objective, table: tuple[TileSet, ...]) -> tuple[int, int]:
    """Return the worth of a table, and how little it changes, as the objective counts it."""
    solution = Solution(position, table, objective, proven=False, method="", seconds=0.0)
    return solution.objective_value, {"sets": solution.kept, "tiles": -solution.moved, "none": 0}[objective.keep]


def _guarded(position: Position, objective: Objective, budget: Budget) -> NewTable | None:
    """Return the best move with jokers that are not free, by the search as far as it goes."""
    try:
        found = best_by_cases(position, replace(objective, keep="sets") if objective.keep == "tiles" else objective, budget)
    except BudgetExceeded:
        return _by_program(position, objective, budget, "search, then ilp", 0, guarded=True)
    if found is None:
        return None
    move = NewTable(found.table, found.proven, "search", found.fixed, found.required)
    return _fewest_moved(position, objective, move, budget) if objective.keep == "tiles" else move


def _fewest_moved(position: Position, objective: Objective, move: NewTable, budget: Budget) -> NewTable:
    """Return the better of a move and the one that the integer program finds; proven only if no tile is moved."""
    if _merit(position, objective, move.table)[1] == 0:
        return move
    found: NewTable | None = None
    with suppress(BudgetExceeded):
        found = _by_program(position, objective, budget, "search, then ilp", 0, guarded=True)
    best = max([move, *([found] if found else [])], key=lambda one: _merit(position, objective, one.table))
    moved = -_merit(position, objective, best.table)[1]
    return best._replace(proven=move.proven and not moved, method="search, then ilp")


def _by_program(
    position: Position, objective: Objective, budget: Budget, method: str, points: int, *, guarded: bool, floor: int = 0
) -> NewTable | None:
    from meldlab.rummikub.program import IntegerProgram

    def relax(place: Position, wanted: Objective, fixed: Sequence[TileSet], budget: Budget) -> Relaxed | None:
        table = IntegerProgram(place, wanted, fixed=fixed, points=points).solve(budget)
        if table is None:
            return None
        worth, change = _merit(place, wanted, table)
        return (wanted.total(place.rack, place.rules) - worth, -change), table

    if guarded:
        found = best_obedient(position, objective, relax, budget)
        if found is None:
            return None
        # The branches leave out some tables that move fewer tiles, so that only a move of none is certain.
        proven = found.proven and (objective.keep != "tiles" or _merit(position, objective, found.table)[1] == 0)
        return NewTable(found.table, proven, method, found.fixed, found.required)
    try:
        table = IntegerProgram(position, objective, floor=floor, points=points).solve(budget)
    except BudgetExceeded as out:
        if out.table is None:
            raise
        return NewTable(out.table, False, method)
    return NewTable(table, True, method) if table is not None else None
