"""The best move in a position: the search where it knows the rules, the integer program elsewhere or when the search takes too long.

>>> answer = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> show_table(answer.table), answer.kept, answer.method, answer.proven
('K9 B9 O9 | R5 R6 R7 R8 J=R9', 1, 'search', True)
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.answer import Answer, Goal
from meldlab.rummikub.jokers import Relaxed, best_obedient, relaxed_by_search
from meldlab.rummikub.position import Position, show_table
from meldlab.rummikub.search import NODES, OutOfNodes, Pool, covers, search
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.tiles import show

__all__ = ["METHODS", "SECONDS", "show_table", "solve", "solve_if_possible"]

METHODS = ("search", "ilp")
SECONDS = 20.0  # after which the best found is returned, unproven


def solve(position: Position, goal: Goal | None = None, method: str = "search", *, nodes: int = NODES, seconds: float = SECONDS) -> Answer:
    """Return the best move; ``nodes`` and ``seconds`` bound the work of the search and of the integer program."""
    wanted = goal or Goal()
    answer = solve_if_possible(position, wanted, method, nodes=nodes, seconds=seconds)
    if answer is None:
        raise NotLegalHere(f"{show(wanted.must)} cannot be played here")
    return answer


def solve_if_possible(
    position: Position, goal: Goal, method: str = "search", *, nodes: int = NODES, seconds: float = SECONDS
) -> Answer | None:
    """Return the best move, or nothing if the tiles that must be played cannot be."""
    if method not in METHODS:
        raise NoSuchThing("method", method, METHODS)
    start = time.perf_counter()
    obedient = position.rules.jokers_are != "free" and any(tile_set.jokers for tile_set in position.table)
    if method == "search" and covers(position.rules):
        try:
            answer = _by_search(position, goal, nodes, seconds, obedient=obedient)
            method = answer.method if answer else method
        except OutOfNodes:
            answer = _by_program(position, goal, seconds, obedient=obedient)
            method = "search, then ilp"
    else:
        answer = _by_program(position, goal, seconds, obedient=obedient)
        method = "ilp"
    return answer and replace(answer, method=method, seconds=time.perf_counter() - start)


def _by_search(position: Position, goal: Goal, nodes: int, seconds: float, *, obedient: bool) -> Answer | None:
    if obedient and goal.keep == "tiles":
        return _obedient(position, goal, seconds, "search, then ilp")
    if obedient:
        found = best_obedient(position, goal, relaxed_by_search, seconds)
        return Answer(position, found.table, goal, found.proven, "search", 0.0) if found else None
    # Few sets broken is a good start for few tiles moved, and often nothing need move at all.
    best = search(Pool.of(position, goal), keep=goal.keep != "none", nodes=nodes)
    if best is None:
        return None
    answer = Answer(position, best.table, goal, True, "search", 0.0)
    if goal.keep != "tiles" or not answer.moved:
        return answer
    # The program need only say how little has to move for a worth that is known.
    calmest = _free_program(position, goal, (), seconds, floor=answer.worth)
    if calmest is None or calmest.worth < answer.worth:
        return replace(answer, proven=False)
    return replace(calmest, method="search, then ilp")


def _by_program(position: Position, goal: Goal, seconds: float, *, obedient: bool) -> Answer | None:
    return _obedient(position, goal, seconds, "ilp") if obedient else _free_program(position, goal, (), seconds)


def _obedient(position: Position, goal: Goal, seconds: float, method: str) -> Answer | None:
    until = time.perf_counter() + seconds

    def relax(place: Position, wanted: Goal, fixed: Sequence[TileSet]) -> Relaxed | None:
        found = _free_program(place, wanted, fixed, until - time.perf_counter())
        if found is None:
            return None
        change = {"sets": len(place.table) - found.kept, "tiles": found.moved, "none": 0}[wanted.keep]
        return (wanted.total(place.rack, place.rules) - found.worth, change), found.table

    best = best_obedient(position, goal, relax, seconds)
    return Answer(position, best.table, goal, best.proven, method, 0.0) if best else None


def _free_program(position: Position, goal: Goal, fixed: Sequence[TileSet], seconds: float, floor: int = 0) -> Answer | None:
    from meldlab.rummikub.program import Program

    return Program(position, goal, fixed=fixed, floor=floor).solve(seconds)
