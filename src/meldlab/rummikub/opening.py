"""The opening: sets from the rack alone, worth enough with the best reading of their jokers.

>>> position = Position.parse("K9 B9 O9 + R10 R11 R12 K1 (not opened)")
>>> max_points(position.rack, position.rules)
33
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.position import Position, played_tiles
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.search import Problem, covers, search
from meldlab.rummikub.sets import TileSet, best_reading
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.tiles import Tile

POINTS = Objective("value", "none")


def points_of(sets: Sequence[TileSet]) -> int:
    """Return the points of sets, jokers as they are read."""
    return sum(tile_set.points for tile_set in sets)


def highest_reading(sets: Sequence[TileSet], rules: Rules) -> tuple[TileSet, ...]:
    """Return sets with their jokers read so that they have the most points."""
    return tuple(best_reading(tile_set.column, rules) if tile_set.jokers else tile_set for tile_set in sets)


def playable_part(position: Position) -> Position:
    """Return the part of a position that the turn may use: everything, or the rack alone where the opening leaves the table as it is."""
    if position.opened:
        return position
    continues = position.rules.after_opening == "manipulate"
    return replace(position, table=position.table if continues else (), opened=True)


def richest_sets(rack: Sequence[Tile], rules: Rules, budget: Budget | None = None) -> tuple[TileSet, ...]:
    """Return the sets from these tiles alone that are worth most."""
    place, budget = Position((), tuple(rack), rules), budget or Budget()
    if covers(rules) and not any(tile.joker for tile in rack):
        result = search(Problem.of(place, POINTS), keep=False, budget=budget)
        return result.table if result else ()
    from meldlab.rummikub.integer_program import IntegerProgram

    return highest_reading(IntegerProgram(place, POINTS).solve_for_points(budget), rules)


def max_points(rack: Sequence[Tile], rules: Rules, budget: Budget | None = None) -> int:
    """Return the most points that sets from these tiles alone can be worth."""
    return points_of(richest_sets(rack, rules, budget))


def opening_points(solution: Solution) -> int:
    """Return what the opening of a solution is worth, a joker as its tile; where there is none, the most points that the rack has."""
    position = solution.position
    if not solution.played or playable_part(position).table:
        return points_of(_within_budget(solution.played or position.rack, position.rules))
    return points_of(list((Counter(solution.table) - Counter(position.table)).elements()))


def first_sets(solution: Solution) -> tuple[TileSet, ...]:
    """Return the sets that must lie before the rest of the table may be touched: an opening after which the turn continues.

    >>> from meldlab.rummikub.solver import solve
    >>> rules = Rules(after_opening="manipulate")
    >>> first_sets(solve(Position.parse("O11 O12 O13", "R10 R11 R12 O10", rules, opened=False)))
    (TileSet.parse('R10 R11 R12'),)
    """
    place = playable_part(solution.position)
    if solution.position.opened or not solution.played or not place.table:
        return ()
    alone = highest_reading(_from_rack(place, solution.table), place.rules)
    return alone if points_of(alone) >= place.rules.opening else _within_budget(solution.played, place.rules)


def _within_budget(tiles: Sequence[Tile], rules: Rules) -> tuple[TileSet, ...]:
    try:
        return richest_sets(tiles, rules)
    except BudgetExceeded as out:
        return highest_reading(out.table or (), rules)


def can_open(place: Position, table: Sequence[TileSet], budget: Budget) -> bool:
    """Return whether what was played to lay ``table`` can have started with an opening."""
    rules = place.rules
    if points_of(highest_reading(_from_rack(place, table), rules)) >= rules.opening:
        return True
    if not place.table:
        return False
    played = played_tiles(place.table, table)
    return max_points(sorted(played.elements()), rules, budget) >= rules.opening


def _from_rack(place: Position, table: Sequence[TileSet]) -> tuple[TileSet, ...]:
    """Return sets of the new table that the rack alone can have laid: no tile of them was needed from the old table."""
    old = Counter(tile_set.column for tile_set in place.table)
    played = played_tiles(place.table, table)
    fresh = []
    for tile_set in table:
        if old[tile_set.column]:
            old[tile_set.column] -= 1
        elif not Counter(tile_set.column.pieces) - played:
            played -= Counter(tile_set.column.pieces)
            fresh.append(tile_set)
    return tuple(fresh)


def points_bound(rack: Sequence[Tile], rules: Rules) -> int:
    """Return points that no opening from this rack exceeds."""
    return sum(rules.numbers if tile.joker else tile.number for tile in rack)
