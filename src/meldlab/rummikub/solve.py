"""The best move in a position: the search where it knows the rules, the integer program elsewhere or when the search takes too long.

>>> answer = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> show_table(answer.table), answer.kept, answer.method, answer.proven
('K9 B9 O9 | R5 R6 R7 R8 J=R9', 1, 'search', True)
"""

import time
from dataclasses import replace

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.answer import Answer, Goal
from meldlab.rummikub.position import Position, show_table
from meldlab.rummikub.search import NODES, Pool, covers, search

__all__ = ["METHODS", "SECONDS", "show_table", "solve"]

METHODS = ("search", "ilp")
SECONDS = 20.0  # after which the best found is returned, unproven


def solve(position: Position, goal: Goal | None = None, method: str = "search", nodes: int = NODES, seconds: float = SECONDS) -> Answer:
    """Return the best move; ``nodes`` and ``seconds`` bound the work of the search and of the integer program."""
    wanted = goal or Goal()
    if method not in METHODS:
        raise NoSuchThing("method", method, METHODS)
    start = time.perf_counter()
    if method == "ilp" or not covers(position.rules):
        return _by_program(position, wanted, "ilp", start, seconds)
    found = search(Pool.of(position, wanted), keep=wanted.keep == "sets", nodes=nodes)
    if found is None:
        return _by_program(position, wanted, "search, then ilp", start, seconds)
    answer = Answer(position, found.table, wanted, True, "search", time.perf_counter() - start)
    if wanted.keep == "tiles":
        return _by_program(position, wanted, "search, then ilp", start, seconds, floor=answer)
    return answer


def _by_program(position: Position, goal: Goal, method: str, start: float, seconds: float, floor: Answer | None = None) -> Answer:
    from meldlab.rummikub.program import Program

    answer = Program(position, goal, floor.worth if floor else None).solve(seconds)
    if floor and answer.worth < floor.worth:
        # The time was up before the program had any table as good as the one at hand.
        answer = replace(floor, proven=False)
    return replace(answer, method=method, seconds=time.perf_counter() - start)
