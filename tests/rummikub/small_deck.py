"""Small decks and brute force: every table that can be laid, with no idea in it that could be wrong."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from meldlab.play import Deal
from meldlab.rummikub.joker_rules import is_allowed
from meldlab.rummikub.position import Position
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import Column, TileSet, columns, long_columns, readings
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.tiles import JOKER, Tile


def all_columns(rules: Rules) -> list[Column]:
    every = [tile for tile in box(rules) if not tile.joker]
    return [*columns(rules), *long_columns(every, rules.jokers, rules)]


def tables(left: Counter[Tile], must: Counter[Tile], choice: list[Column], start: int = 0) -> Iterator[list[Column]]:
    """Give every multiset of columns within ``left`` that holds all of ``must``."""
    if not must:
        yield []
    for i in range(start, len(choice)):
        pieces = Counter(choice[i].pieces)
        if not pieces - left:
            for rest in tables(left - pieces, must - pieces, choice, i):
                yield [choice[i], *rest]


def allowed_tables(position: Position) -> Iterator[tuple[TileSet, ...]]:
    """Give one reading of every table that the joker rule allows."""
    rules = position.rules
    on_table = Counter(tile.piece for tile in position.table_tiles)
    held = on_table + Counter(position.rack)
    choice = [column for column in all_columns(rules) if not Counter(column.pieces) - held]
    for laid in tables(held, on_table, choice):
        ways = product(*([TileSet(reading) for reading in readings(column, rules)] for column in laid))
        allowed = next((sets for sets in ways if is_allowed(position, sets)), None)
        if allowed is not None:
            yield allowed


def least_cost(position: Position, goal: Objective) -> tuple[int, int]:
    """Return weight left on the rack and sets broken of the best move that obeys the joker rule."""
    total = goal.total(position.rack, position.rules)
    solutions = [Solution(position, table, goal, proven=True, method="") for table in allowed_tables(position)]
    return min([(total, 0), *((total - one.objective_value, len(position.table) - one.kept) for one in solutions if one.played)])


def most_value_fewest_moved(position: Position, goal: Objective) -> tuple[int, int]:
    """Return the value and the tiles moved of the best move that obeys the joker rule."""
    solutions = [Solution(position, table, goal, proven=True, method="") for table in allowed_tables(position)]
    value, moved = max([(0, 0), *((one.objective_value, -one.moved) for one in solutions if one.played)])
    return value, -moved


def small_position(seed: int, nth: int, rules: Rules, sets: int, rack: int) -> Position:
    """Return a position of a small deck, with a joker in every other set."""
    chance = Deal(seed, nth).chance(0, 0).stream()
    left, laid = Counter(box(rules)), list[TileSet]()
    choice = list(columns(rules))
    for _ in range(300):
        column = chance.choice(choice)
        if len(laid) < sets and not Counter(column.pieces) - left and bool(column.jokers) == (chance.random() < 0.5 and left[JOKER] > 0):
            left -= Counter(column.pieces)
            laid.append(TileSet(chance.choice(readings(column, rules))))
    rest = sorted(left.elements())
    chance.shuffle(rest)
    return Position(tuple(laid), tuple(sorted(rest[:rack])), rules)
