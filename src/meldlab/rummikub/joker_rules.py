"""Joker rules: the moves of table jokers that a turn may make, from the table before and after it.

The tests have a second, naive implementation that moves tiles by hand.

>>> from meldlab.rummikub.position import Position, parse_table
>>> position = Position.parse("R5 J=R6 R7", "R6 O1 O2", Rules(joker_rule="strict"))
>>> is_allowed(position, parse_table("R5 R6 R7 | O1 O2 J=O3")), is_allowed(position, parse_table("R5 R6 R7 J=R8"))
(True, True)
>>> required_tiles(position, [(0, Tile.parse("J=R6"))])
[Counter({Tile.parse('R6'): 1})]
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, permutations, product
from typing import NamedTuple

from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import Column, TileSet, readings
from meldlab.rummikub.tiles import Tile

PlacedJoker = tuple[int, Tile]  # the index of its set, and the tile that it stands for


class Exchange(NamedTuple):
    """The tiles that are put in the place of some jokers of an old set."""

    old_set: int
    jokers: tuple[Tile, ...]
    tiles: tuple[Tile, ...]


class JokerAssignment(NamedTuple):
    """Where each joker of the old table is now, as pairs of its place before and after: those freed, and those that stayed."""

    freed: tuple[tuple[PlacedJoker, PlacedJoker], ...]
    staying: tuple[tuple[PlacedJoker, PlacedJoker], ...]


def restricts(position: Position) -> bool:
    """Return whether jokers are on the table that may not go anywhere."""
    return position.rules.joker_rule != "free" and any(tile_set.jokers for tile_set in position.table)


def is_allowed(position: Position, table: Sequence[TileSet]) -> bool:
    """Return whether the jokers that were on the table may be where jokers are in ``table``.

    Jokers cannot be distinguished, so any assignment will do. A joker that still stands for its tile has stayed. Modern: any other was
    freed: tiles of the new table complete its old set without it, and its new set holds a rack tile. Strict: only the very tile
    replaces a joker, not one from a set that holds a joker at that moment, and a set that still holds a joker is within one new set.
    """
    return position.rules.joker_rule == "free" or next(assignments(position, table), None) is not None


def allowed_readings(position: Position, table: tuple[TileSet, ...]) -> tuple[TileSet, ...] | None:
    """Return the table with its jokers read so that the joker rule allows them, or None if no reading does."""
    if is_allowed(position, table):
        return table
    rules = position.rules
    choices = [[TileSet(tiles) for tiles in readings(tile_set.column, rules)] if tile_set.jokers else [tile_set] for tile_set in table]
    return next((sets for sets in product(*choices) if is_allowed(position, sets)), None)


def assignments(position: Position, table: Sequence[TileSet]) -> Iterator[JokerAssignment]:
    """Give the ways in which the jokers may have moved: the tiles played pay for the exchanges, and freed jokers are with a rack tile."""
    old = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.jokers]
    new = [(i, tile) for i, tile_set in enumerate(table) for tile in tile_set.jokers]
    if not old:
        yield JokerAssignment((), ())
        return
    strict = position.rules.joker_rule == "strict"
    for chosen in permutations(new, len(old)):
        pairs = list(zip(old, chosen, strict=True))
        same = [before[1] == after[1] for before, after in pairs]
        # In strict play a joker may also be replaced while it happens to stand for the same tile elsewhere, so try both.
        for freed in product(*([False, True] if strict and stays else [not stays] for stays in same)):
            assignment = JokerAssignment(
                tuple(pair for pair, is_freed in zip(pairs, freed, strict=True) if is_freed),
                tuple(pair for pair, is_freed in zip(pairs, freed, strict=True) if not is_freed),
            )
            if strict and not _sets_stay_whole(position, table, assignment):
                continue
            paid = next(paid_exchanges(position, table, [before for before, _ in assignment.freed]), None)
            if paid is not None and next(rack_partners(position, table, assignment), None) is not None:
                yield assignment


def exchanges(position: Position, freed: Sequence[PlacedJoker]) -> Iterator[tuple[tuple[Exchange, ...], Counter[Tile]]]:
    """Give the ways to free jokers of the table, in order, each with the tiles that it needs from the rack."""
    jokers: dict[int, list[Tile]] = {}
    for i, tile in freed:
        jokers.setdefault(i, []).append(tile)
    if position.rules.joker_rule == "strict":
        yield from _in_every_order(position, jokers)
        return
    on_table = _naturals(position.table_tiles)
    choices = []
    for i, gone in jokers.items():
        rest = list(position.table[i].tiles)
        for joker in gone:
            rest.remove(joker)
        # The tiles of the other sets can be used too: the table may be rearranged between two exchanges.
        spare = on_table - _naturals(rest)
        fills = _fills(tuple(rest), len(gone), position.rules)
        choices.append([(Exchange(i, tuple(gone), fill), Counter(fill) - spare) for fill in fills])
    for chosen in product(*choices):
        needed = Counter[Tile]()
        for _, tiles in chosen:
            needed |= tiles
        yield tuple(exchange for exchange, _ in chosen), needed


def paid_exchanges(position: Position, table: Sequence[TileSet], freed: Sequence[PlacedJoker]) -> Iterator[tuple[Exchange, ...]]:
    """Give the exchanges for which the tiles played suffice; under the strict rule, where only their order differs, the first."""
    played = _played(position, table)
    paid = (chosen for chosen, needed in exchanges(position, freed) if needed <= played)
    yield from islice(paid, 1 if position.rules.joker_rule == "strict" else None)


def required_tiles(position: Position, freed: Sequence[PlacedJoker]) -> list[Counter[Tile]]:
    """Return the rack tiles that freeing jokers takes: every smallest choice that the rack allows."""
    rack = Counter(position.rack)
    choices = {tuple(sorted(needed.elements())): needed for _, needed in exchanges(position, freed) if needed <= rack}
    return [needed for needed in choices.values() if not any(other < needed for other in choices.values())]


def _in_every_order(position: Position, jokers: dict[int, list[Tile]]) -> Iterator[tuple[tuple[Exchange, ...], Counter[Tile]]]:
    """Give strict exchanges, each joker by its very tile, in every order of their sets.

    Until its own turn a set holds its jokers and gives no tile away; one that keeps a joker never does.
    """
    inside = [_naturals(tile_set.tiles) for tile_set in position.table]
    on_table = _naturals(position.table_tiles)
    locked = {i for i, tiles in jokers.items() if len(tiles) < len(position.table[i].jokers)}
    locked |= {i for i, tile_set in enumerate(position.table) if tile_set.jokers and i not in jokers}
    # Sets that lose their last joker give their tiles away and come first.
    for order in permutations(sorted(jokers, key=lambda i: i in locked)):
        needed, put_in = Counter[Tile](), Counter[Tile]()
        for nth, i in enumerate(order):
            tiles = Counter(joker.stands_for for joker in jokers[i])
            spare = on_table + needed - put_in - inside[i]
            for other in {*locked, *order[nth + 1 :]} - {i}:
                spare -= inside[other]
            needed += tiles - spare
            put_in += tiles if i in locked else Counter()
        yield tuple(Exchange(i, tuple(jokers[i]), tuple(joker.stands_for for joker in jokers[i])) for i in order), needed


def rack_partners(position: Position, table: Sequence[TileSet], assignment: JokerAssignment) -> Iterator[dict[int, Tile]]:
    """Give, for each set in which a freed joker ends, a rack tile of its own among those played."""
    # A set that stays as it was has none of the rack's tiles in the place of its own.
    strict = position.rules.joker_rule == "strict"
    own = {after[0]: _naturals(position.table[before[0]].tiles) for before, after in assignment.staying} if strict else {}
    from_rack = Counter((i, tile) for i, tile_set in enumerate(table) for tile in tile_set.jokers)
    from_rack.subtract(after for _, after in (*assignment.freed, *assignment.staying))
    # A joker from the rack is a rack tile too.
    targets = sorted({after[0] for _, after in assignment.freed} - {i for i, _ in from_rack.elements()})
    played = _played(position, table)
    candidates = [_naturals(table[i].tiles) - own.get(i, Counter()) for i in targets]
    for tiles in product(*([tile for tile in counts if played[tile]] for counts in candidates)):
        if Counter(tiles) <= played:
            yield dict(zip(targets, tiles, strict=True))


def _sets_stay_whole(position: Position, table: Sequence[TileSet], assignment: JokerAssignment) -> bool:
    """Return whether every set that still holds a joker is within a new set of its own, its jokers as they were."""
    targets: dict[int, set[int]] = {}
    for before, after in assignment.staying:
        if before[1] != after[1]:
            return False
        targets.setdefault(before[0], set()).add(after[0])
    new_sets = [new for sets in targets.values() for new in sets]
    if len(new_sets) > len(targets) or len(set(new_sets)) < len(new_sets):
        return False
    for i, (new,) in ((i, tuple(sets)) for i, sets in targets.items()):
        required = Counter(position.table[i].tiles)
        for before, _ in assignment.freed:
            if before[0] == i:
                required -= Counter([before[1]])
                required[before[1].stands_for] += 1
        if not required <= Counter(table[new].tiles):
            return False
    return True


@lru_cache(maxsize=1 << 12)
def _fills(rest: tuple[Tile, ...], count: int, rules: Rules) -> tuple[tuple[Tile, ...], ...]:
    """Return the tiles, ``count`` each time, that make a set of the rest of an old set."""
    colours, numbers = {tile.colour for tile in rest}, {tile.number for tile in rest}
    box = [Tile(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)]
    near = [tile for tile in box if {tile.colour} == colours or {tile.number} == numbers]
    return tuple(fill for fill in combinations(near, count) if readings(Column.of(tile.stands_for for tile in (*rest, *fill)), rules))


def _naturals(tiles: Sequence[Tile]) -> Counter[Tile]:
    return Counter(tile for tile in tiles if not tile.joker)


def _played(position: Position, table: Sequence[TileSet]) -> Counter[Tile]:
    """Return the numbered tiles that a new table has beyond the old one."""
    return _naturals([tile for tile_set in table for tile in tile_set.tiles]) - _naturals(position.table_tiles)
