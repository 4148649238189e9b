"""Small decks and brute force: every table that can be laid, with no idea in it that could be wrong."""

from collections import Counter
from collections.abc import Iterator
from itertools import product

from meldlab.play import Deal
from meldlab.rummikub.families import jokers_obey
from meldlab.rummikub.position import Position
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import Column, TileSet, columns, long_columns, readings
from meldlab.rummikub.solution import Objective
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


def least_cost(position: Position, goal: Objective) -> tuple[int, int]:
    """Return weight left on the rack and sets broken of the best move that obeys the joker family."""
    rules = position.rules
    must = Counter(tile.piece for tile in position.table_tiles)
    held, old = must + Counter(position.rack), Counter(tile_set.column for tile_set in position.table)
    choice = [column for column in all_columns(rules) if not Counter(column.pieces) - held]
    total = goal.total(position.rack, rules)
    best = (total, 0)
    for laid in tables(held, must, choice):
        played = Counter(tile for column in laid for tile in column.pieces) - must
        cost = total - goal.total(played.elements(), rules), len(position.table) - (Counter(laid) & old).total()
        if cost < best:
            ways = product(*([TileSet(reading) for reading in readings(column, rules)] for column in laid))
            if any(jokers_obey(position, some) for some in ways):
                best = cost
    return best


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
