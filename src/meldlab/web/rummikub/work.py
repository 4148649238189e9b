"""What a worker does for the helper: each function takes plain values and returns what JSON can hold."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from meldlab.errors import NotLegalHere
from meldlab.rummikub import (
    Answer,
    Objective,
    Puzzle,
    Tile,
    every_best,
    make_puzzle,
    moves,
    read_table,
    show_table,
    solve,
    steps,
    why_not,
)
from meldlab.rummikub.checker import table_faults
from meldlab.schemas.rummikub import AlternativesAnswer, SolutionAnswer, WhyNotAnswer
from meldlab.web.rummikub.desk import HelperDesk, house
from meldlab.web.rummikub.laying import frames

__all__ = ["best", "judge", "others", "puzzle", "without"]

NODES = 400_000
MOST_MOVES = 20


@lru_cache(maxsize=200)
def _solved(rack: str, table: str, objective: str, keep: str, opened: bool, rules: str, jokers: str, seconds: float) -> Answer:
    position = HelperDesk.read(rack, table, house(rules, jokers)).position(opened=opened)
    return solve(position, Objective(objective, keep), nodes=NODES, seconds=seconds)


@lru_cache(maxsize=50)
def _every(answer_to: tuple[Any, ...]) -> tuple[tuple[Answer, ...], bool]:
    """Return the moves that are as good, the answer itself first, and whether these are all."""
    answer = _solved(*answer_to)
    found = every_best(answer, MOST_MOVES, nodes=NODES, seconds=answer_to[-1])
    same = [sorted(map(str, answer.table))]
    more = [replace(answer, table=table) for table in found.tables if sorted(map(str, table)) not in same]
    return (answer, *more), found.complete


def best(ask: tuple[Any, ...], move: int = 1) -> dict[str, Any]:
    """Return the best move with its steps; ``move`` picks another that is as good, by its place in the list of all."""
    if move == 1:
        return told(_solved(*ask))
    every, _ = _every(ask)
    if move > len(every):
        raise NotLegalHere(f"{len(every)} best moves are known, not {move}")
    return told(every[move - 1])


def others(ask: tuple[Any, ...]) -> dict[str, Any]:
    """Return every best move that the budget allows, as tables."""
    every, complete = _every(ask)
    return AlternativesAnswer.from_answers([answer for answer in every if answer.played], complete).model_dump()


def without(ask: tuple[Any, ...], tile: str) -> dict[str, Any]:
    """Return what it would cost to play a tile that the best move leaves on the rack, and the best move that plays it."""
    return WhyNotAnswer.from_why_not(why_not(_solved(*ask), Tile.parse(tile), nodes=NODES, seconds=ask[-1])).model_dump()


def told(answer: Answer) -> dict[str, Any]:
    """Return an answer with the table after each step."""
    plan = steps(answer)
    fields = SolutionAnswer.fields_of(answer, moves(answer, plan))
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
        "table": show_table(position.table),
        "rack": " ".join(_texts(position.rack)),
        "count": made.answer.count,
        "simple": made.simple,
        "jokers": position.rules.jokers_are,
        "solution": told(made.answer),
    }


def judge(seed: int, hard: bool, table: str) -> dict[str, Any]:
    """Say what is wrong with a table laid in a puzzle, how many tiles it plays, and whether that is the most."""
    made = _made(seed, hard)
    laid = read_table(table, made.position.rules)
    faults = table_faults(made.position, laid)
    count = sum(map(len, laid)) - len(made.position.table_tiles)
    return {"faults": faults, "count": max(0, count), "right": not faults and count == made.answer.count}
