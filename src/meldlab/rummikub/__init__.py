"""Rummikub: tiles, sets and rules, the best move by search and by integer program, and the game.

>>> from meldlab.rummikub import Position, solve
>>> solution = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> solution.count, solution.kept, solution.proven
(2, 1, True)
"""

from meldlab.rummikub.alternatives import Alternatives, WhyNot, find_alternatives, why_not
from meldlab.rummikub.building import Board
from meldlab.rummikub.checker import violations
from meldlab.rummikub.opening import max_points, opening_points
from meldlab.rummikub.position import Position, format_table, parse_table
from meldlab.rummikub.puzzle import Puzzle, make_puzzle
from meldlab.rummikub.random_positions import DIFFICULTIES, random_position
from meldlab.rummikub.rules import COLOURS, JOKER_RULES, PRESETS, Rules
from meldlab.rummikub.search import warm_up
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns
from meldlab.rummikub.solution import Objective, Solution, match_sets
from meldlab.rummikub.solver import integer_program_of, solve
from meldlab.rummikub.steps import describe_steps, find_steps, source_sets
from meldlab.rummikub.tiles import JOKER, Tile, parse_rack

__all__ = [
    "COLOURS",
    "DIFFICULTIES",
    "JOKER",
    "JOKER_RULES",
    "PRESETS",
    "Alternatives",
    "Board",
    "Column",
    "Objective",
    "Position",
    "Puzzle",
    "Rules",
    "Solution",
    "Tile",
    "TileSet",
    "WhyNot",
    "best_reading",
    "columns",
    "describe_steps",
    "find_alternatives",
    "find_steps",
    "format_table",
    "integer_program_of",
    "make_puzzle",
    "match_sets",
    "max_points",
    "opening_points",
    "parse_rack",
    "parse_table",
    "random_position",
    "solve",
    "source_sets",
    "violations",
    "warm_up",
    "why_not",
]
