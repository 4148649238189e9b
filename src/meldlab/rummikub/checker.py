"""A checker: it says what is wrong with a solution, by the tiles before and after, and not by how the solution was found.

>>> from meldlab.rummikub.solution import Solution, Objective
>>> from meldlab.rummikub.position import Position, parse_table
>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8")
>>> violations(Solution(position, parse_table("R5-8"), Objective(), proven=True, method="by hand"))
['B9 has left the table', 'K9 has left the table', 'O9 has left the table']
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from meldlab.rummikub.joker_rules import is_allowed
from meldlab.rummikub.opening import max_points, points_of
from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Solution
from meldlab.rummikub.tiles import Tile


def violations(solution: Solution) -> list[str]:
    """Return what is wrong with a move, nothing if it is legal and counts what it says."""
    return [*table_violations(solution.position, solution.table), *_claim_violations(solution)]


def table_violations(position: Position, table: Sequence[TileSet]) -> list[str]:
    """Return what is wrong with laying ``table`` in a position."""
    return list(_table_violations(position, table))


def _table_violations(position: Position, table: Sequence[TileSet]) -> Iterator[str]:
    rules = position.rules
    before = Counter("J" if tile.joker else str(tile) for tile in position.table_tiles)
    after = Counter("J" if tile.joker else str(tile) for tile_set in table for tile in tile_set.tiles)
    rack = Counter(map(str, position.rack))
    for name in sorted((before - after).keys()):
        yield f"{name} has left the table"
    for name in sorted((after - before - rack).keys()):
        yield f"{name} came from nowhere"
    for tile_set in table:
        if not is_legal([tile.stands_for for tile in tile_set.tiles], rules):
            yield f"{tile_set} is not a set"
    if not is_allowed(position, table):
        yield f"a joker was moved against the rules ({rules.joker_rule})"
    if not position.opened and after != before:
        yield from _opening_violations(position, table)


def is_legal(tiles: Sequence[Tile], rules: Rules) -> bool:
    """Return whether tiles in this order, jokers replaced by what they stand for, are a group or a run."""
    numbers, colours = [tile.number for tile in tiles], [tile.colour for tile in tiles]
    if len(tiles) < rules.smallest or not all(1 <= number <= rules.numbers for number in numbers):
        return False
    if len(set(numbers)) == 1:
        return len(set(colours)) == len(colours)
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    around = {1, 1 - rules.numbers} if rules.round_the_corner else {1}
    return len(set(colours)) == 1 and steps <= around and len(set(numbers)) == len(numbers)


def _opening_violations(position: Position, table: Sequence[TileSet]) -> Iterator[str]:
    rules, before, after = position.rules, Counter(position.table), Counter(table)
    if rules.after_opening == "manipulate":
        played = Counter(tile.piece for tile_set in table for tile in tile_set.tiles) - Counter(t.piece for t in position.table_tiles)
        # What was laid first may have been moved since; so any sets of the tiles played will do.
        if played <= Counter(position.rack) and max_points(sorted(played.elements()), rules) < rules.opening:
            yield f"an opening needs {rules.opening} points from the rack alone"
    elif before - after:
        yield "the table may not be touched before the opening"
    elif points_of(tuple((after - before).elements())) < rules.opening:
        yield f"an opening needs {rules.opening} points, not {points_of(tuple((after - before).elements()))}"


def _claim_violations(solution: Solution) -> Iterator[str]:
    rules, objective = solution.position.rules, solution.objective
    before = Counter("J" if tile.joker else str(tile) for tile in solution.position.table_tiles)
    after = Counter("J" if tile.joker else str(tile) for tile_set in solution.table for tile in tile_set.tiles)
    if Counter(map(str, solution.played)) != after - before:
        yield "the tiles played are not those that appeared"
    if solution.count != (after - before).total():
        yield "the count is wrong"
    if solution.value != sum(rules.joker_value if tile.joker else tile.number for tile in solution.played):
        yield "the value is wrong"
    unchanged = Counter(" ".join(sorted("J" if t.joker else str(t) for t in tile_set.tiles)) for tile_set in solution.position.table)
    unchanged &= Counter(" ".join(sorted("J" if t.joker else str(t) for t in tile_set.tiles)) for tile_set in solution.table)
    if solution.kept != sum(unchanged.values()):
        yield "the number of sets kept is wrong"
    if not solution.played and Counter(solution.table) != Counter(solution.position.table):
        yield "table tiles were moved, though none was played"
    if Counter(objective.required) - Counter(solution.played):
        yield "a tile that must be played was not"
