"""Rummikub: tiles, sets and rules, the best move by search and by integer program, and the game.

>>> from meldlab.rummikub import Position, solve
>>> answer = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J"))
>>> answer.count, answer.kept, answer.proven
(2, 1, True)
"""

from meldlab.rummikub.alternatives import Alternatives, WhyNot, every_best, why_not
from meldlab.rummikub.answer import Answer, Objective, heirs
from meldlab.rummikub.checker import faults
from meldlab.rummikub.guarded import load
from meldlab.rummikub.human_moves import homes, moves, steps
from meldlab.rummikub.opening import most_points, opening_points
from meldlab.rummikub.position import Position, read_table, show_table
from meldlab.rummikub.positions import CLASSES, random_position
from meldlab.rummikub.puzzle import Puzzle, make_puzzle
from meldlab.rummikub.rules import COLOURS, FAMILIES, PRESETS, Rules
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns
from meldlab.rummikub.solver import model_of, solve
from meldlab.rummikub.tiles import JOKER, Tile, read_rack

__all__ = [
    "CLASSES",
    "COLOURS",
    "FAMILIES",
    "JOKER",
    "PRESETS",
    "Alternatives",
    "Answer",
    "Column",
    "Objective",
    "Position",
    "Puzzle",
    "Rules",
    "Tile",
    "TileSet",
    "WhyNot",
    "best_reading",
    "columns",
    "every_best",
    "faults",
    "heirs",
    "homes",
    "load",
    "make_puzzle",
    "model_of",
    "most_points",
    "moves",
    "opening_points",
    "random_position",
    "read_rack",
    "read_table",
    "show_table",
    "solve",
    "steps",
    "why_not",
]
