"""Puzzles: positions whose best move is the only one, and not the one that a person sees first.

>>> puzzle = make_puzzle(seed=1)
>>> puzzle.solution.count > puzzle.simple, puzzle.unique
(True, True)
"""

from dataclasses import dataclass
from random import Random

from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotLegalHere
from meldlab.rummikub.alternatives import find_alternatives
from meldlab.rummikub.players import simple_table
from meldlab.rummikub.position import Position
from meldlab.rummikub.random_positions import random_position
from meldlab.rummikub.rules import PRESETS, Rules
from meldlab.rummikub.search import covers
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.solver import solve

TRIES = 20_000
STATES = 5_000  # that a position may take: one whose jokers ask for more is left for another
OFFICIAL = PRESETS["official"]


@dataclass(frozen=True)
class Puzzle:
    """A position, its best move, how many tiles can be played without rearranging, and whether the best move is the only one."""

    position: Position
    solution: Solution
    simple: int
    unique: bool


def make_puzzle(seed: int, *, hard: bool = False, rules: Rules = OFFICIAL) -> Puzzle:
    """Return the first position by ``seed`` in which a small rack can be emptied only by moving table tiles, under the given rules.

    An ordinary puzzle asks for 2 table tiles to be moved at least, a hard one for 5 on a crowded table.
    """
    if not covers(rules):
        raise NotLegalHere("puzzles are made only under rules that the search knows: others cannot be shown to have one best move")
    objective, least, size = Objective("count", "sets"), (5 if hard else 2), (5 if hard else 4)
    for nth in range(TRIES):
        crowded = random_position("mid" if hard else "easy", seed, nth, rules)
        rack = Random(derive_seed(seed, Purpose.PUZZLE, nth)).sample(crowded.rack, size)
        position = Position(crowded.table, tuple(sorted(rack)), crowded.rules)
        solution = solve(position, objective, nodes=STATES)
        if solution.count < 2 or not solution.proven or solution.kept > len(position.table) - 2:
            continue
        simple = len(position.rack) - len(simple_table(position)[1])
        if simple < solution.count and solution.moved >= least and _only(solution):
            return Puzzle(position, solution, simple, True)
    raise NotLegalHere(f"no puzzle among {TRIES} positions of seed {seed}")


def _only(solution: Solution) -> bool:
    """Return whether no other move is as good."""
    alternatives = find_alternatives(solution, 1)
    return alternatives.complete and len(alternatives.tables) == 1
