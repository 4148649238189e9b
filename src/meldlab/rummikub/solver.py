"""The best move in a position, proven or within a budget; before the opening, the best opening.

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
from meldlab.rummikub.budget import MOVED_SECONDS, NODES, SECONDS, Budget, BudgetExceeded
from meldlab.rummikub.opening import best_opening, place_of
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.tiles import show
from meldlab.rummikub.turn import NewTable, best_table

if TYPE_CHECKING:
    from meldlab.rummikub.program import IntegerProgram

__all__ = ["METHODS", "integer_program_of", "format_table", "solve", "solve_if_possible"]

METHODS = ("search", "ilp")


def solve(
    position: Position, objective: Objective | None = None, method: str = "search", *, nodes: int = NODES, seconds: float | None = None
) -> Solution:
    """Return the best move, past the budget the best found, unproven.

    ``nodes`` are the states that the search may visit, ``seconds`` the processor time that the whole question may take: by default 20,
    and 5 for the fewest tiles moved where jokers that are not free lie on the table.
    """
    wanted = objective or Objective()
    solution = solve_if_possible(position, wanted, method, nodes=nodes, seconds=seconds)
    if solution is None:
        raise NotLegalHere(f"{show(wanted.required)} cannot be played here")
    return solution


def solve_if_possible(
    position: Position, objective: Objective, method: str = "search", *, nodes: int = NODES, seconds: float | None = None
) -> Solution | None:
    """Return the best move, or nothing if the tiles that must be played cannot be; BudgetExceeded if that could not be found out."""
    if method not in METHODS:
        raise NoSuchThing("method", method, METHODS)
    if objective.required and Counter(objective.required) - Counter(position.rack):
        return None
    start, budget = time.perf_counter(), Budget(nodes, _default_seconds(position, objective) if seconds is None else seconds)
    find = best_table if position.opened else best_opening
    try:
        move = find(position, objective, method, budget)
    except BudgetExceeded:
        if objective.required:
            raise
        move = NewTable(position.table, False, method if method == "ilp" else "search, then ilp")
    if move is None:
        return None
    # Who plays nothing must not touch the table either.
    idle = sum([len(one.tiles) for one in move.table]) == len(position.table_tiles)
    table = position.table if idle else move.table
    return Solution(position, table, objective, move.proven, move.method, time.perf_counter() - start, move.fixed, move.required)


def _default_seconds(position: Position, objective: Objective) -> float:
    guarded = position.rules.joker_rule != "free" and any(one.jokers for one in position.table)
    return MOVED_SECONDS if objective.keep == "tiles" and guarded else SECONDS


def integer_program_of(solution: Solution) -> "IntegerProgram":
    """Return the integer program whose optimum the solution is: its objective, the opening, and what the joker rules fixed on the way to it."""
    from meldlab.rummikub.program import IntegerProgram

    position = solution.position
    objective = replace(solution.objective, required=solution.must_play) if solution.must_play else solution.objective
    points = 0 if position.opened else position.rules.opening
    return IntegerProgram(place_of(position), objective, fixed=solution.fixed, points=points)
