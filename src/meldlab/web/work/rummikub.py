"""What a worker does for the helper: each function takes plain values and returns what JSON can hold."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.rummikub import (
    Board,
    Objective,
    Puzzle,
    Solution,
    Tile,
    describe_steps,
    find_alternatives,
    find_steps,
    format_table,
    make_puzzle,
    parse_table,
    solve,
    why_not,
)
from meldlab.rummikub.checker import table_violations
from meldlab.schemas.rummikub import AlternativesAnswer, SolutionAnswer, WhyNotAnswer
from meldlab.web.taps import house
from meldlab.web.work.rummikub_frames import frames

NODES = 400_000
MAX_MOVES = 20


@lru_cache(maxsize=200)
def _solved(rack: str, table: str, objective: str, keep: str, opened: bool, rules: str, jokers: str, seconds: float) -> Solution:
    position = Board.parse(rack, table, house(rules, jokers)).position(opened=opened)
    return solve(position, Objective(objective, keep), nodes=NODES, seconds=seconds)


@lru_cache(maxsize=50)
def _every(answer_to: tuple[Any, ...]) -> tuple[tuple[Solution, ...], bool]:
    """Return the moves that are as good, the answer itself first, and whether these are all."""
    answer = _solved(*answer_to)
    result = find_alternatives(answer, MAX_MOVES, nodes=NODES, seconds=answer_to[-1])
    same = [sorted(map(str, answer.table))]
    more = [replace(answer, table=table) for table in result.tables if sorted(map(str, table)) not in same]
    return (answer, *more), result.complete


def best(ask: tuple[Any, ...], move: int = 1) -> dict[str, Any]:
    """Return the best move with its steps; ``move`` picks another that is as good, by its place in the list of all."""
    if move == 1:
        return response(_solved(*ask))
    every, _ = _every(ask)
    if move > len(every):
        raise NotLegalHere(f"{len(every)} best moves are known, not {move}")
    return response(every[move - 1])


def others(ask: tuple[Any, ...]) -> dict[str, Any]:
    """Return every best move that the budget allows, as tables."""
    every, complete = _every(ask)
    return AlternativesAnswer.from_solutions([solution for solution in every if solution.played], complete).model_dump()


def without(ask: tuple[Any, ...], tile: str) -> dict[str, Any]:
    """Return what it would cost to play a tile that the best move leaves on the rack, and the best move that plays it."""
    return WhyNotAnswer.from_why_not(why_not(_solved(*ask), Tile.parse(tile), nodes=NODES, seconds=ask[-1])).model_dump()


def response(answer: Solution) -> dict[str, Any]:
    """Return a solution with the table after each step."""
    plan = find_steps(answer)
    fields = SolutionAnswer.fields_from(answer, describe_steps(answer, plan))
    return SolutionAnswer.model_validate(fields).model_dump() | {"frames": list(frames(answer, plan))}


def _texts(tiles: tuple[Tile, ...]) -> list[str]:
    return [str(tile) for tile in tiles]


@lru_cache(maxsize=50)
def _made(seed: int, hard: bool) -> Puzzle:
    return make_puzzle(seed, hard=hard)


def puzzle(seed: int, hard: bool) -> dict[str, Any]:
    """Return a puzzle and its solution."""
    made = _made(seed, hard)
    position = made.position
    return {
        "table": format_table(position.table),
        "rack": " ".join(_texts(position.rack)),
        "count": made.solution.count,
        "simple": made.simple,
        "jokers": position.rules.joker_rule,
        "solution": response(made.solution),
    }


def judge(seed: int, hard: bool, table: str) -> dict[str, Any]:
    """Say what is wrong with a table laid in a puzzle, how many tiles it plays, and whether that is the most."""
    made = _made(seed, hard)
    laid = parse_table(table, made.position.rules)
    violations = table_violations(made.position, laid)
    count = sum(map(len, laid)) - len(made.position.table_tiles)
    return {"faults": violations, "count": max(0, count), "right": not violations and count == made.solution.count}
