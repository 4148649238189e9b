"""Jokers that are not free, by the integer program: a loop around any way to solve a problem with free jokers.

With free jokers solved, the rest is branch and bound. If the best free table obeys the family, it is the solution. Otherwise the set in
which a table joker lies at the end is fixed, one joker after the other, and then the rack tiles that the rules require for it; each
choice leaves a smaller problem with free jokers whose cost is a bound, and the cheapest one is looked into first. The best move that
leaves every joker where it lies is at hand from the start.

>>> from meldlab.rummikub.rules import Rules
>>> position = Position.parse("R5 J=R6 R7 | K1 K2 K3", "R6 O1 O2", Rules(joker_rule="strict"))
>>> [*replacements(position, [(0, Tile.parse("J=R6"))], [True])]
[Counter({Tile.parse('R6'): 1})]
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count, permutations, product

from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.families import is_legal, jokers_obey
from meldlab.rummikub.position import Position
from meldlab.rummikub.sets import Column, TileSet, columns, long_columns, readings
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.tiles import JOKER, Tile

__all__ = ["Obedient", "best_obedient", "obeying_table", "replacements"]

# Cost (weight left, sets broken or tiles moved) and table of the best free move that contains some sets and plays some tiles.
Cost = tuple[int, int]
Relaxed = tuple[Cost, tuple[TileSet, ...]]
Relax = Callable[[Position, Objective, Sequence[TileSet], Budget], Relaxed | None]


@dataclass(frozen=True)
class Obedient:
    """The best table that obeys the joker family, whether the budget sufficed to be sure, and what was insisted on to find it."""

    table: tuple[TileSet, ...]
    proven: bool
    fixed: tuple[TileSet, ...]
    required: tuple[Tile, ...]


@dataclass(frozen=True)
class Subproblem:
    """Sets that are fixed, in which of them the first table jokers lie, what must be played, and the best free table of that kind."""

    fixed: tuple[TileSet, ...]
    homes: tuple[int, ...]
    objective: Objective
    ready: bool = False
    table: tuple[TileSet, ...] = ()


def best_obedient(position: Position, objective: Objective, relax: Relax, budget: Budget) -> Obedient | None:
    """Return the best move under ``modern`` or ``strict``, past the budget the best found so far; nothing if the objective cannot be met."""
    order, queue = count(), list[tuple[Cost, int, Subproblem]]()
    jokers = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.tiles if tile.joker]
    at_hand: tuple[Cost, Subproblem] | None = None
    proven = True
    try:
        _look(queue, order, position, relax, Subproblem((), (), objective), budget)
        while queue:
            cost, _, branch = heapq.heappop(queue)
            if at_hand and at_hand[0] <= cost:
                break
            obeying = obeying_table(position, branch.table)
            if obeying:
                at_hand = cost, replace(branch, table=obeying)
                break
            for smaller in _branches(position, jokers, branch, objective):
                found = _look(queue, order, position, relax, smaller, budget)
                if found and smaller.ready and (at_hand is None or found[0] < at_hand[0]):
                    obeying = obeying_table(position, found[1])
                    at_hand = (found[0], replace(smaller, table=obeying)) if obeying else at_hand
    except BudgetExceeded:
        if at_hand is None:
            raise BudgetExceeded from None
        proven = False
    best = at_hand and at_hand[1]
    return Obedient(best.table, proven, best.fixed, best.objective.required) if best else None


def _branches(position: Position, jokers: list[tuple[int, Tile]], branch: Subproblem, objective: Objective) -> Iterator[Subproblem]:
    """Give the next decisions: where the next table joker lies, or, with all of them placed, what must be played for that."""
    if not branch.homes:
        yield Subproblem(tuple(one for one in position.table if one.jokers), (), objective, ready=True)
    if len(branch.homes) < len(jokers):
        for fixed, home in _homes(position, jokers[len(branch.homes)][1], branch):
            yield Subproblem(fixed, (*branch.homes, home), objective)
    elif not branch.ready:
        for must in _required(position, jokers, branch, objective.required):
            yield replace(branch, objective=replace(objective, required=must), ready=True)


def _look(
    queue: list[tuple[Cost, int, Subproblem]], order: Iterator[int], position: Position, relax: Relax, branch: Subproblem, budget: Budget
) -> Relaxed | None:
    if budget.exhausted:
        raise BudgetExceeded
    found = relax(position, branch.objective, branch.fixed, budget)
    if found:
        heapq.heappush(queue, (found[0], next(order), replace(branch, table=found[1])))
    return found


def obeying_table(position: Position, table: tuple[TileSet, ...]) -> tuple[TileSet, ...] | None:
    """Return the table with jokers read so that the family is obeyed, if they can be."""
    if jokers_obey(position, table):
        return table
    ways = [[TileSet(one) for one in readings(tile_set.column, position.rules)] if tile_set.jokers else [tile_set] for tile_set in table]
    return next((some for some in product(*ways) if jokers_obey(position, some)), None)


def _homes(position: Position, joker: Tile, branch: Subproblem) -> Iterator[tuple[tuple[TileSet, ...], int]]:
    """Give every set in which a table joker may lie at the end: one that is fixed already and has a joker over, or a new one."""
    fixed = branch.fixed
    for at, tile_set in enumerate(fixed):
        if branch.homes.count(at) < len(tile_set.jokers):
            yield fixed, at
    on_table = Counter(tile.piece for tile in position.table_tiles)
    held, rack = on_table + Counter(position.rack), Counter(position.rack)
    for tile_set in fixed:
        held.subtract(tile.piece for tile in tile_set.tiles)
    naturals = [tile for tile, many in held.items() if many > 0 and not tile.joker]
    old = {tile_set.column for tile_set in position.table}
    for column in {*columns(position.rules), *long_columns(naturals, held[JOKER], position.rules), *old}:
        # A set has no tile twice, so one of each is enough.
        if 0 < column.jokers <= held[JOKER] and all(held[tile] > 0 for tile in column.naturals):
            new = any(rack[tile] for tile in column.pieces)
            if len(column) > position.rules.longest_run and column not in old and _falls_apart(column, position):
                continue
            every = readings(column, position.rules)
            for reading in every:
                if joker in reading or (new and reading == every[0]):
                    yield (*fixed, TileSet(reading)), len(fixed)


def _falls_apart(column: Column, position: Position) -> bool:
    """Tell whether a long run has an end that is a run of its own, while the rest still holds its jokers and a rack tile beside them."""
    if position.rules.joker_rule == "strict" or position.rules.round_the_corner:
        return False
    size = position.rules.smallest
    for reading in readings(column, position.rules):
        ends = ((reading[:size], reading[size:]), (reading[-size:], reading[:-size]))
        if not any(not any(t.joker for t in end) and any(t in position.rack for t in rest) for end, rest in ends):
            return False
    return True


def _required(position: Position, jokers: list[tuple[int, Tile]], branch: Subproblem, must: tuple[Tile, ...]) -> Iterator[tuple[Tile, ...]]:
    """Give the rack tiles that must be played so that every joker may lie where it does, each way once."""
    rack, seen = Counter(position.rack), set()
    fixed, homes = branch.fixed, branch.homes
    stays = [tile in fixed[home].tiles for (_, tile), home in zip(jokers, homes, strict=True)]
    for freed in product(*([True, False] if stay else [True] for stay in stays)):
        new_homes = sorted({home for home, free in zip(homes, freed, strict=True) if free})
        beside = [sorted({tile.piece for tile in fixed[home].tiles if rack[tile.piece]}) for home in new_homes]
        for replaced, company in product(replacements(position, jokers, freed), product(*beside)):
            wanted = Counter(company) | Counter(must) | replaced
            if not wanted - rack and tuple(sorted(wanted.elements())) not in seen:
                seen.add(tuple(sorted(wanted.elements())))
                yield tuple(sorted(wanted.elements()))


def replacements(position: Position, jokers: Sequence[tuple[int, Tile]], freed: Sequence[bool]) -> Iterator[Counter[Tile]]:
    """Give the rack tiles needed to put something in the place of every table joker that is ``freed``."""
    gone: dict[int, list[Tile]] = {}
    for (i, tile), free in zip(jokers, freed, strict=True):
        if free:
            gone.setdefault(i, []).append(tile)
    if position.rules.joker_rule == "strict":
        yield from _in_turn(position, gone, {i for (i, _), free in zip(jokers, freed, strict=True) if not free})
        return
    for some in product(*(list(_fills(position, i, tiles)) for i, tiles in gone.items())):
        wanted = Counter[Tile]()
        for one in some:
            wanted |= one
        yield wanted


def _in_turn(position: Position, gone: dict[int, list[Tile]], locked: set[int]) -> Iterator[Counter[Tile]]:
    """Give, for each order of the sets, the rack tiles needed to put the very tile in the place of each joker taken.

    Until its own turn a set holds its jokers and gives no tile away; those in ``locked`` keep one and never do.
    """
    inside = [Counter(tile for tile in tile_set.tiles if not tile.joker) for tile_set in position.table]
    on_table = sum(inside, Counter[Tile]())
    for order in permutations(gone):
        needed, put_in = Counter[Tile](), Counter[Tile]()
        for nth, i in enumerate(order):
            wanted = Counter(joker.stands_for for joker in gone[i])
            held = on_table + needed - put_in - inside[i]
            for other in {*locked, *order[nth + 1 :]} - {i}:
                held -= inside[other]
            needed += wanted - held
            put_in += wanted if i in locked else Counter()
        yield needed


def _fills(position: Position, i: int, gone: list[Tile]) -> Iterator[Counter[Tile]]:
    """Give the rack tiles needed to put some tile in the place of each joker taken from set ``i``, so that a set remains."""
    rules = position.rules
    rest = list(position.table[i].tiles)
    for joker in gone:
        rest.remove(joker)
    held = Counter(tile for tile in position.table_tiles if not tile.joker)
    held.subtract(tile for tile in rest if not tile.joker)
    every = [Tile(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)]
    colours, numbers = {tile.colour for tile in rest}, {tile.number for tile in rest}
    near = [tile for tile in every if {tile.colour} == colours or {tile.number} == numbers]
    for fill in combinations(near, len(gone)):
        faces = sorted((tile.stands_for for tile in [*rest, *fill]), key=lambda tile: tile.number)
        turns = [faces[cut:] + faces[:cut] for cut in range(len(faces) if rules.round_the_corner else 1)]
        if any(is_legal(one, rules) for one in turns):
            yield Counter(fill) - +held
