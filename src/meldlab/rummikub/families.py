"""The joker families: what may have happened to a joker that lay on the table, judged by the table before and after a turn.

The solvers, the checker and the game ask here; the tests have a second, naive answer that moves tiles by hand.

>>> from meldlab.rummikub.position import Position, read_table
>>> position = Position.parse("R5 J=R6 R7", "R6 O1 O2", Rules(jokers_are="strict"))
>>> jokers_obey(position, read_table("R5 R6 R7 | O1 O2 J=O3")), jokers_obey(position, read_table("R5 R6 R7 J=R8"))
(True, True)
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations, product

from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.tiles import Tile

__all__ = ["is_legal", "jokers_obey"]

Place = tuple[int, Tile]  # a joker on the table: which set, and what it stands for


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
    family = position.rules.jokers_are
    old = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.tiles if tile.joker]
    new = [(i, tile) for i, tile_set in enumerate(table) for tile in tile_set.tiles if tile.joker]
    if family == "free" or not old:
        return True
    return any(_obeys(position, table, old, list(chosen), new) for chosen in permutations(new, len(old)))


def _obeys(position: Position, table: Sequence[TileSet], old: list[Place], chosen: list[Place], new: list[Place]) -> bool:
    strict = position.rules.jokers_are == "strict"
    pairs = list(zip(old, chosen, strict=True))
    stays = [was[1] == now[1] for was, now in pairs]
    from_rack = list(new)
    for place in chosen:
        from_rack.remove(place)
    # In strict play a joker may also be replaced while it happens to stand for the same tile elsewhere, so try both.
    for freed in product(*([False, True] if strict and stay else [not stay] for stay in stays)):
        taken = [place for place, free in zip(pairs, freed, strict=True) if free]
        left = [place for place, free in zip(pairs, freed, strict=True) if not free]
        if strict and not _unbroken(position, table, taken, left):
            continue
        # A set that lies there as before has none of the rack's tiles in the place of its own.
        own = {now[0]: _naturals(position.table[was[0]].tiles) for was, now in left} if strict else {}
        homes = {now[0] for _, now in taken} - {i for i, _ in from_rack}
        if _replaced(position, table, taken, left) and _with_rack_tiles(position, table, homes, own):
            return True
    return False


def _naturals(tiles: Sequence[Tile]) -> Counter[Tile]:
    return Counter(tile for tile in tiles if not tile.joker)


def _replaced(position: Position, table: Sequence[TileSet], taken: list[tuple[Place, Place]], left: list[tuple[Place, Place]]) -> bool:
    """Tell whether, for each old set, there were tiles to put in the place of the jokers taken from it."""
    rules = position.rules
    lying = sum((_naturals(tile_set.tiles) for tile_set in table), Counter[Tile]())
    gone: dict[int, list[Tile]] = {}
    for was, _ in taken:
        gone.setdefault(was[0], []).append(was[1])
    if rules.jokers_are == "strict":
        return _replaced_in_turn(position, lying, gone, {was[0] for was, _ in left})
    for i, jokers in gone.items():
        rest = list(position.table[i].tiles)
        for joker in jokers:
            rest.remove(joker)
        spare = lying - _naturals(rest)
        if not any(_forms_set([*rest, *fill], rules) for fill in combinations(sorted(spare.elements()), len(jokers))):
            return False
    return True


def _replaced_in_turn(position: Position, lying: Counter[Tile], gone: dict[int, list[Tile]], held: set[int]) -> bool:
    """Tell whether the very tiles were there in some order, none of them out of a set that holds a joker at that moment.

    ``held`` are sets that hold a joker to the end. A set that has lost its last one gives its tiles free, so such sets come first, and
    any that can be next may be.
    """
    inside = {i: _naturals(position.table[i].tiles) for i in {*gone, *held}}
    waiting = sorted(gone, key=lambda i: i in held)
    while waiting:
        shut = held | set(waiting)
        for i in waiting:
            spare = lying - sum((inside[other] for other in shut | {i}), Counter[Tile]())
            wanted = Counter(joker.stands_for for joker in gone[i])
            if wanted <= spare:
                inside[i] += wanted
                waiting.remove(i)
                break
        else:
            return False
    return True


def _forms_set(tiles: Sequence[Tile], rules: Rules) -> bool:
    faces = sorted((tile.stands_for for tile in tiles), key=lambda tile: tile.number)
    if is_legal(faces, rules):
        return True
    turned = (faces[cut:] + faces[:cut] for cut in range(1, len(faces)))
    return rules.round_the_corner and any(is_legal(faces, rules) for faces in turned)


def _with_rack_tiles(position: Position, table: Sequence[TileSet], homes: set[int], own: dict[int, Counter[Tile]]) -> bool:
    """Tell whether each new home of a freed joker can hold a rack tile of its own, beside the tiles that lay there before."""
    before = _naturals(position.table_tiles)
    played = sum((_naturals(tile_set.tiles) for tile_set in table), Counter[Tile]()) - before
    beside = [_naturals(table[home].tiles) - own.get(home, Counter()) for home in homes]
    choices = [[tile for tile in some if played[tile]] for some in beside]
    return any(not Counter(some) - played for some in product(*choices))


def _unbroken(position: Position, table: Sequence[TileSet], taken: list[tuple[Place, Place]], left: list[tuple[Place, Place]]) -> bool:
    """Tell whether every set that still holds a joker lies within a new set of its own, its jokers as they were."""
    holding: dict[int, set[int]] = {}
    for was, now in left:
        if was[1] != now[1]:
            return False
        holding.setdefault(was[0], set()).add(now[0])
    homes = [home for some in holding.values() for home in some]
    if any(len(some) > 1 for some in holding.values()) or len(set(homes)) < len(homes):
        return False
    for i, (home,) in ((i, tuple(some)) for i, some in holding.items()):
        wanted = Counter(position.table[i].tiles)
        for was, _ in taken:
            if was[0] == i:
                wanted -= Counter([was[1]])
                wanted[was[1].stands_for] += 1
        if wanted - Counter(table[home].tiles):
            return False
    return True
