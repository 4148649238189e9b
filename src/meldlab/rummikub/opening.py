"""The opening: sets from the rack alone, worth enough with the best reading of their jokers.

>>> position = Position.parse("K9 B9 O9", "R10 R11 R12 K1")
>>> answer = open_table(position)
>>> show(answer.played), show_table(answer.table), answer.proven
('R10 R11 R12', 'K9 B9 O9 | R10 R11 R12', True)
>>> open_table(Position.parse("", "R1 R2 R3 R4")).played
()
"""

import time
from collections import Counter
from dataclasses import replace

from meldlab.rummikub.answer import Answer, Goal
from meldlab.rummikub.position import Position, show_table
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet, best_reading
from meldlab.rummikub.solve import SECONDS, solve
from meldlab.rummikub.tiles import show

__all__ = ["open_table", "points_of", "show", "show_table"]


def points_of(sets: tuple[TileSet, ...]) -> int:
    """Return what sets are worth as they are read."""
    return sum(tile_set.points for tile_set in sets)


def open_table(position: Position, goal: Goal | None = None, method: str = "search", *, seconds: float = SECONDS) -> Answer:
    """Return the best turn of a player who has not opened: at least the opening, or nothing at all.

    Where the rules let the turn go on after the opening, the rest of it may use the table.
    """
    wanted, start, rules = goal or Goal(), time.perf_counter(), position.rules
    nothing = Answer(position, position.table, wanted, True, method, 0.0)
    if _most_points(position) < rules.opening or (method == "search" and _cannot(position)):
        return replace(nothing, seconds=time.perf_counter() - start)
    goes_on = rules.after_opening == "manipulate" and position.table
    place = position if goes_on else replace(position, table=())
    answer = solve(place, wanted, method, seconds=seconds)
    if points_of(_best_read(_from_rack(answer), rules)) < rules.opening or method == "ilp":
        from meldlab.rummikub.program import Program

        found = Program(place, wanted, points=rules.opening).solve(seconds)
        answer = replace(found, method="ilp" if method == "ilp" else "search, then ilp") if found else replace(nothing, method=method)
        if not answer.played:
            return replace(nothing, proven=answer.proven, method=answer.method, seconds=time.perf_counter() - start)
    if not goes_on:
        answer = replace(answer, position=position, table=(*position.table, *_best_read(answer.table, rules)))
    return replace(answer, seconds=time.perf_counter() - start)


def _best_read(sets: tuple[TileSet, ...], rules: Rules) -> tuple[TileSet, ...]:
    return tuple(best_reading(one.column, rules) if one.jokers else one for one in sets)


def _from_rack(answer: Answer) -> tuple[TileSet, ...]:
    """Return sets of the new table that the rack alone can have laid: no tile of them was needed from the old table."""
    old = Counter(tile_set.column for tile_set in answer.position.table)
    fresh, left = [], Counter(answer.played)
    for tile_set in answer.table:
        if old[tile_set.column]:
            old[tile_set.column] -= 1
        elif not Counter(tile_set.column.pieces) - left:
            left -= Counter(tile_set.column.pieces)
            fresh.append(tile_set)
    return tuple(fresh)


def _most_points(position: Position) -> int:
    """Return points that no opening from this rack exceeds."""
    return sum(position.rules.numbers if tile.joker else tile.number for tile in position.rack)


def _cannot(position: Position) -> bool:
    """Tell whether, without a joker on the rack, the sets of most points fall short: then there is no opening."""
    if any(tile.joker for tile in position.rack):
        return False
    best = solve(replace(position, table=()), Goal("value", "none"))
    return best.proven and points_of(best.table) < position.rules.opening
