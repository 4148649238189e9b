"""A checker: it says what is wrong with an answer, by the tiles before and after, and not by how the answer was found.

>>> from meldlab.rummikub.answer import Answer, Objective
>>> from meldlab.rummikub.position import Position, read_table
>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8")
>>> faults(Answer(position, read_table("R5-8"), Objective(), proven=True, method="by hand", seconds=0))
['B9 has left the table', 'K9 has left the table', 'O9 has left the table']
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from meldlab.rummikub.answer import Answer
from meldlab.rummikub.families import is_legal, jokers_obey
from meldlab.rummikub.opening import most_points, points_of
from meldlab.rummikub.position import Position
from meldlab.rummikub.sets import TileSet

__all__ = ["faults", "table_faults"]


def faults(answer: Answer) -> list[str]:
    """Return what is wrong with a move, nothing if it is legal and counts what it says."""
    return [*table_faults(answer.position, answer.table), *_claim_faults(answer)]


def table_faults(position: Position, table: Sequence[TileSet]) -> list[str]:
    """Return what is wrong with laying ``table`` in a position."""
    return list(_table_faults(position, table))


def _table_faults(position: Position, table: Sequence[TileSet]) -> Iterator[str]:
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
            yield f"{tile_set} is no set"
    if not jokers_obey(position, table):
        yield f"a joker was moved against the rules ({rules.jokers_are})"
    if not position.opened and after != before:
        yield from _opening_faults(position, table)


def _opening_faults(position: Position, table: Sequence[TileSet]) -> Iterator[str]:
    rules, before, after = position.rules, Counter(position.table), Counter(table)
    if rules.after_opening == "manipulate":
        played = Counter(tile.piece for tile_set in table for tile in tile_set.tiles) - Counter(t.piece for t in position.table_tiles)
        # What was laid first may have been moved since; so any sets of the tiles played will do.
        if played <= Counter(position.rack) and most_points(sorted(played.elements()), rules) < rules.opening:
            yield f"an opening needs {rules.opening} points from the rack alone"
    elif before - after:
        yield "the table may not be touched before the opening"
    elif points_of(tuple((after - before).elements())) < rules.opening:
        yield f"an opening needs {rules.opening} points, not {points_of(tuple((after - before).elements()))}"


def _claim_faults(answer: Answer) -> Iterator[str]:
    rules, goal = answer.position.rules, answer.goal
    before = Counter("J" if tile.joker else str(tile) for tile in answer.position.table_tiles)
    after = Counter("J" if tile.joker else str(tile) for tile_set in answer.table for tile in tile_set.tiles)
    if Counter(map(str, answer.played)) != after - before:
        yield "the tiles played are not those that appeared"
    if answer.count != (after - before).total():
        yield "the count is wrong"
    if answer.value != sum(rules.joker_value if tile.joker else tile.number for tile in answer.played):
        yield "the value is wrong"
    unchanged = Counter(" ".join(sorted("J" if t.joker else str(t) for t in one.tiles)) for one in answer.position.table)
    unchanged &= Counter(" ".join(sorted("J" if t.joker else str(t) for t in one.tiles)) for one in answer.table)
    if answer.kept != sum(unchanged.values()):
        yield "the number of sets kept is wrong"
    if not answer.played and Counter(answer.table) != Counter(answer.position.table):
        yield "table tiles were moved, though none was played"
    if Counter(goal.must) - Counter(answer.played):
        yield "a tile that must be played was not"
