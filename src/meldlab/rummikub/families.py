"""The joker families: what may have happened to a joker that lay on the table, judged by the table before and after a turn.

The solvers, the checker and the game ask here; the tests have a second, naive solution that moves tiles by hand.

>>> from meldlab.rummikub.position import Position, parse_table
>>> position = Position.parse("R5 J=R6 R7", "R6 O1 O2", Rules(joker_rule="strict"))
>>> jokers_obey(position, parse_table("R5 R6 R7 | O1 O2 J=O3")), jokers_obey(position, parse_table("R5 R6 R7 J=R8"))
(True, True)
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations, product
from typing import NamedTuple

from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.tiles import Tile

__all__ = ["Exchange", "Way", "company", "exchanges", "is_legal", "jokers_obey", "ways"]

Place = tuple[int, Tile]  # a joker on the table: which set, and what it stands for
Exchange = tuple[int, tuple[Tile, ...], tuple[Tile, ...]]  # an old set, jokers of it, and the tiles that are put in their place


class Way(NamedTuple):
    """Where each joker of the old table lies now: those that were freed and taken, and those that were left what they are."""

    taken: tuple[tuple[Place, Place], ...]
    left: tuple[tuple[Place, Place], ...]


def is_legal(faces: Sequence[Tile], rules: Rules) -> bool:
    """Tell whether tiles, jokers replaced by what they stand for and in the order they lie, are a group or a run."""
    numbers, colours = [tile.number for tile in faces], [tile.colour for tile in faces]
    if len(faces) < rules.smallest or not all(1 <= number <= rules.numbers for number in numbers):
        return False
    if len(set(numbers)) == 1:
        return len(set(colours)) == len(colours)
    steps = {later - sooner for sooner, later in pairwise(numbers)}
    around = {1, 1 - rules.numbers} if rules.round_the_corner else {1}
    return len(set(colours)) == 1 and steps <= around and len(set(numbers)) == len(numbers)


def jokers_obey(position: Position, table: Sequence[TileSet]) -> bool:
    """Tell whether the jokers that lay on the table may have gone where jokers lie now.

    Which joker is which cannot be seen, so any assignment will do. A joker that still stands for its tile has stayed. Modern: one that
    has not was freed, so for each joker taken from a set one tile must have been there to put in, leaving a set; and its new set holds
    a rack tile. Strict: only the very tile replaces it, not out of another set that holds a joker at that moment, and a set that
    still holds a joker lies within one set of the new table.
    """
    return position.rules.joker_rule == "free" or next(ways(position, table), None) is not None


def ways(position: Position, table: Sequence[TileSet]) -> Iterator[Way]:
    """Give every way in which the jokers that lay on the table may have gone to where jokers lie now; none where they may not."""
    old = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.tiles if tile.joker]
    new = [(i, tile) for i, tile_set in enumerate(table) for tile in tile_set.tiles if tile.joker]
    if not old:
        yield Way((), ())
        return
    for chosen in permutations(new, len(old)):
        yield from _obeying(position, table, list(zip(old, chosen, strict=True)))


def _obeying(position: Position, table: Sequence[TileSet], pairs: list[tuple[Place, Place]]) -> Iterator[Way]:
    strict = position.rules.joker_rule == "strict"
    stays = [was[1] == now[1] for was, now in pairs]
    # In strict play a joker may also be replaced while it happens to stand for the same tile elsewhere, so try both.
    for freed in product(*([False, True] if strict and stay else [not stay] for stay in stays)):
        way = Way(
            tuple(pair for pair, free in zip(pairs, freed, strict=True) if free),
            tuple(pair for pair, free in zip(pairs, freed, strict=True) if not free),
        )
        if strict and not _unbroken(position, table, way):
            continue
        if next(exchanges(position, table, way), None) is not None and next(company(position, table, way), None) is not None:
            yield way


def _naturals(tiles: Sequence[Tile]) -> Counter[Tile]:
    return Counter(tile for tile in tiles if not tile.joker)


def exchanges(position: Position, table: Sequence[TileSet], way: Way) -> Iterator[tuple[Exchange, ...]]:
    """Give the ways to free the jokers that were taken: in order, the old set, its jokers, and as many tiles to put in their place."""
    lying = _naturals([tile for tile_set in table for tile in tile_set.tiles])
    gone: dict[int, list[Tile]] = {}
    for was, _ in way.taken:
        gone.setdefault(was[0], []).append(was[1])
    if position.rules.joker_rule == "strict":
        yield from _in_turn(position, lying, gone, {was[0] for was, _ in way.left})
        return
    # Most questions are only whether there is one, so the first of each set comes before all are listed.
    if all(next(_fills(position, lying, i, jokers), None) for i, jokers in gone.items()):
        for fills in product(*(_fills(position, lying, i, jokers) for i, jokers in gone.items())):
            yield tuple((i, tuple(jokers), fill) for (i, jokers), fill in zip(gone.items(), fills, strict=True))


def _fills(position: Position, lying: Counter[Tile], i: int, jokers: list[Tile]) -> Iterator[tuple[Tile, ...]]:
    """Give the tiles of the new table that make a set of old set ``i`` in the place of its ``jokers``."""
    rest = list(position.table[i].tiles)
    for joker in jokers:
        rest.remove(joker)
    spare = lying.copy()
    spare.subtract(_naturals(rest))
    colours, numbers = {tile.colour for tile in rest}, {tile.number for tile in rest}
    near = [tile for tile, many in spare.items() if many > 0 and ({tile.colour} == colours or {tile.number} == numbers)]
    for fill in combinations(sorted(near), len(jokers)):
        if _forms_set([*rest, *fill], position.rules):
            yield fill


def _in_turn(position: Position, lying: Counter[Tile], gone: dict[int, list[Tile]], held: set[int]) -> Iterator[tuple[Exchange, ...]]:
    """Give an order in which the very tiles were there, none of them out of a set that holds a joker at that moment, if there is one.

    ``held`` are sets that hold a joker to the end. A set that has lost its last one gives its tiles free, so such sets come first, and
    any that can be next may be.
    """
    inside = {i: _naturals(position.table[i].tiles) for i in {*gone, *held}}
    waiting, done = sorted(gone, key=lambda i: i in held), list[Exchange]()
    while waiting:
        shut = held | set(waiting)
        for i in waiting:
            spare = lying - sum((inside[other] for other in shut | {i}), Counter[Tile]())
            wanted = Counter(joker.stands_for for joker in gone[i])
            if wanted <= spare:
                inside[i] += wanted
                waiting.remove(i)
                done.append((i, tuple(gone[i]), tuple(joker.stands_for for joker in gone[i])))
                break
        else:
            return
    yield tuple(done)


def _forms_set(tiles: Sequence[Tile], rules: Rules) -> bool:
    faces = sorted((tile.stands_for for tile in tiles), key=lambda tile: tile.number)
    if is_legal(faces, rules):
        return True
    turned = (faces[cut:] + faces[:cut] for cut in range(1, len(faces)))
    return rules.round_the_corner and any(is_legal(faces, rules) for faces in turned)


def company(position: Position, table: Sequence[TileSet], way: Way) -> Iterator[dict[int, Tile]]:
    """Give, for each set in which a freed joker ends, a rack tile of its own, beside the tiles that lay there before."""
    # A set that lies there as before has none of the rack's tiles in the place of its own.
    strict = position.rules.joker_rule == "strict"
    own = {now[0]: _naturals(position.table[was[0]].tiles) for was, now in way.left} if strict else {}
    from_rack = Counter((i, tile) for i, one in enumerate(table) for tile in one.jokers)
    from_rack.subtract(now for _, now in (*way.taken, *way.left))
    # A joker from the rack is a rack tile too.
    homes = sorted({now[0] for _, now in way.taken} - {i for i, _ in from_rack.elements()})
    before = _naturals(position.table_tiles)
    played = _naturals([tile for tile_set in table for tile in tile_set.tiles]) - before
    beside = [_naturals(table[home].tiles) - own.get(home, Counter()) for home in homes]
    for some in product(*([tile for tile in one if played[tile]] for one in beside)):
        if not Counter(some) - played:
            yield dict(zip(homes, some, strict=True))


def _unbroken(position: Position, table: Sequence[TileSet], way: Way) -> bool:
    """Tell whether every set that still holds a joker lies within a new set of its own, its jokers as they were."""
    holding: dict[int, set[int]] = {}
    for was, now in way.left:
        if was[1] != now[1]:
            return False
        holding.setdefault(was[0], set()).add(now[0])
    homes = [home for some in holding.values() for home in some]
    if any(len(some) > 1 for some in holding.values()) or len(set(homes)) < len(homes):
        return False
    for i, (home,) in ((i, tuple(some)) for i, some in holding.items()):
        wanted = Counter(position.table[i].tiles)
        for was, _ in way.taken:
            if was[0] == i:
                wanted -= Counter([was[1]])
                wanted[was[1].stands_for] += 1
        if wanted - Counter(table[home].tiles):
            return False
    return True
