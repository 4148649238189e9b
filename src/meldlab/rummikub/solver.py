"""The best move in a position, proven or within a budget; before the opening, the best opening.

>>> answer = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> show_table(answer.table), answer.kept, answer.method, answer.proven
('K9 B9 O9 | R5 R6 R7 R8 J=R9', 1, 'search', True)
>>> solve(Position.parse("R5 R6 R7 | K9 B9 O9 + R8 J (not opened)")).played
()
"""

import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.answer import Answer, Objective
from meldlab.rummikub.budget import MOVED_SECONDS, NODES, SECONDS, Budget, OutOfBudget
from meldlab.rummikub.opening import best_opening, place_of
from meldlab.rummikub.position import Position, show_table
from meldlab.rummikub.tiles import show
from meldlab.rummikub.turn import NewTable, best_table

if TYPE_CHECKING:
    from meldlab.rummikub.program import IntegerProgram

__all__ = ["METHODS", "model_of", "show_table", "solve", "solve_if_possible"]

METHODS = ("search", "ilp")


def solve(
    position: Position, goal: Objective | None = None, method: str = "search", *, nodes: int = NODES, seconds: float | None = None
) -> Answer:
    """Return the best move, past the budget the best found, unproven.

    ``nodes`` are the states that the search may visit, ``seconds`` the processor time that the whole question may take: by default 20,
    and 5 for the fewest tiles moved where jokers that are not free lie on the table.
    """
    wanted = goal or Objective()
    answer = solve_if_possible(position, wanted, method, nodes=nodes, seconds=seconds)
    if answer is None:
        raise NotLegalHere(f"{show(wanted.must)} cannot be played here")
    return answer


def solve_if_possible(
    position: Position, goal: Objective, method: str = "search", *, nodes: int = NODES, seconds: float | None = None
) -> Answer | None:
    """Return the best move, or nothing if the tiles that must be played cannot be; OutOfBudget if that could not be found out."""
    if method not in METHODS:
        raise NoSuchThing("method", method, METHODS)
    if goal.must and Counter(goal.must) - Counter(position.rack):
        return None
    start, budget = time.perf_counter(), Budget(nodes, _default_seconds(position, goal) if seconds is None else seconds)
    find = best_table if position.opened else best_opening
    try:
        move = find(position, goal, method, budget)
    except OutOfBudget:
        if goal.must:
            raise
        move = NewTable(position.table, False, method if method == "ilp" else "search, then ilp")
    if move is None:
        return None
    # Who plays nothing must not touch the table either.
    idle = sum([len(one.tiles) for one in move.table]) == len(position.table_tiles)
    table = position.table if idle else move.table
    return Answer(position, table, goal, move.proven, move.method, time.perf_counter() - start, move.fixed, move.required)


def _default_seconds(position: Position, goal: Objective) -> float:
    guarded = position.rules.jokers_are != "free" and any(one.jokers for one in position.table)
    return MOVED_SECONDS if goal.keep == "tiles" and guarded else SECONDS


def model_of(answer: Answer) -> "IntegerProgram":
    """Return the integer program whose optimum the answer is: its goal, the opening, and what the joker rules fixed on the way to it."""
    from meldlab.rummikub.program import IntegerProgram

    position = answer.position
    goal = replace(answer.goal, must=answer.required) if answer.required else answer.goal
    points = 0 if position.opened else position.rules.opening
    return IntegerProgram(place_of(position), goal, fixed=answer.fixed, points=points)
