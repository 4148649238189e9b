"""Human moves: the way from the old table to the new one, as few steps as a person needs.

>>> from meldlab.rummikub.position import Position
>>> from meldlab.rummikub.solver import solve
>>> print(*moves(solve(Position.parse("R3-5 | K5 B5 O5 | K6-8", "R5 B6 B7"))), sep=chr(10))
take B5 from the group K5 B5 O5, begin the run B5 B6 B7 with it
take B6 B7 from the rack, add them to make the run B5-B7
take R5 from the rack, add it to the group K5 B5 O5
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, permutations, product

from meldlab.rummikub.answer import Answer, heirs, shared
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.tiles import Tile, show

__all__ = ["Transfer", "carry_out", "homes", "moves", "name", "steps"]

WAYS = 2000  # assignments of equal tiles that are compared
RACK = -1


@dataclass(frozen=True)
class Transfer:
    """Tiles that go together from an old set (or the rack, -1) to a new set, both by their place in the tables."""

    tiles: tuple[Tile, ...]
    source: int
    target: int


def homes(answer: Answer) -> dict[int, int]:
    """Return, by new set, the old set that it grew from; where only one tile is left of a set, that tile has moved."""
    before, after = answer.position.table, answer.table
    return {new: old for old, new in heirs(before, after).items() if shared(before[old], after[new]) > 1}


def steps(answer: Answer) -> list[Transfer]:
    """Return the fewest steps found: new sets grow from old ones, equal tiles come from where a hand reaches anyway."""
    before, after = answer.position.table, answer.table
    home = homes(answer)
    leaving, wanting = _differences(before, after, home, answer.played)
    best: dict[tuple[int, int], list[Tile]] | None = None
    for way in islice(_ways(leaving, wanting), WAYS):
        loads: dict[tuple[int, int], list[Tile]] = {}
        for tile, source, target in way:
            loads.setdefault((source, target), []).append(tile)
        if best is None or len(loads) < len(best):
            best = loads
    moved = [Transfer(tuple(sorted(tiles)), source, target) for (source, target), tiles in (best or {}).items()]
    # What the table gives comes before what the rack adds, set by set.
    table_first = {step.target for step in moved if step.source != RACK}
    return sorted(moved, key=lambda step: (step.target not in table_first, step.target, step.source == RACK, step.source))


def moves(answer: Answer) -> list[str]:
    """Return the steps as sentences."""
    before, after = answer.position.table, answer.table
    home = homes(answer)
    said, begun = [], set[int]()
    for step in steps(answer):
        tiles = show(step.tiles)
        them = "it" if len(step.tiles) == 1 else "them"
        new = after[step.target]
        if step.target in home:
            where = f"add {them} to {name(before[home[step.target]])}"
        elif step.target in begun:
            where = f"add {them} to make {name(new)}"
        elif len(step.tiles) == len(new):
            where = f"lay {them} down as {'a group' if new.is_group else 'a run'}"
        else:
            where = f"begin the {'group' if new.is_group else 'run'} {show(new.tiles)} with {them}"
        begun.add(step.target)
        said.append(f"take {tiles} from {'the rack' if step.source == RACK else name(before[step.source])}, {where}")
    return said + [
        f"let {joker.piece} stand for {joker.stands_for} in {name(after[new])}"
        for new, old in sorted(home.items())
        for joker in (Counter(after[new].jokers) - Counter(before[old].jokers)).elements()
        if before[old].jokers
    ]


def name(tile_set: TileSet) -> str:
    """Return how a person calls a set.

    >>> name(TileSet.parse("R3 R4 R5 R6")), name(TileSet.parse("K9 B9 J"))
    ('the run R3-R6', 'the group K9 B9 J=R9')
    """
    if tile_set.is_group:
        return f"the group {tile_set}"
    return f"the run {tile_set}" if tile_set.jokers else f"the run {tile_set.tiles[0]}-{tile_set.tiles[-1]}"


def carry_out(answer: Answer, plan: Sequence[Transfer]) -> list[Counter[Tile]]:
    """Return the sets, as pieces, that carrying out the steps leaves on the table; what is empty is gone."""
    before = answer.position.table
    home = homes(answer)
    lying = [Counter(tile.piece for tile in tile_set.tiles) for tile_set in before]
    rack = Counter(answer.position.rack)
    fresh: dict[int, Counter[Tile]] = {}
    for step in plan:
        source = rack if step.source == RACK else lying[step.source]
        target = lying[home[step.target]] if step.target in home else fresh.setdefault(step.target, Counter())
        source.subtract(step.tiles)
        target.update(step.tiles)
    if any(many < 0 for some in (rack, *lying) for many in some.values()):
        raise AssertionError("a step takes a tile that is not there")
    return [+some for some in (*lying, *fresh.values()) if +some]


def _differences(
    before: Sequence[TileSet], after: Sequence[TileSet], home: dict[int, int], played: Sequence[Tile]
) -> tuple[dict[Tile, list[int]], dict[Tile, list[int]]]:
    """Return, for each kind of tile, the sets that give one and the sets that want one."""
    leaving: dict[Tile, list[int]] = {}
    wanting: dict[Tile, list[int]] = {}
    old = [Counter(tile.piece for tile in tile_set.tiles) for tile_set in before]
    new = [Counter(tile.piece for tile in tile_set.tiles) for tile_set in after]
    nothing = Counter[Tile]()
    for i, pieces in enumerate(old):
        stays = next((new[j] for j, parent in home.items() if parent == i), nothing)
        for tile in (pieces - stays).elements():
            leaving.setdefault(tile, []).append(i)
    for tile in played:
        leaving.setdefault(tile, []).append(RACK)
    for j, pieces in enumerate(new):
        for tile in (pieces - (old[home[j]] if j in home else nothing)).elements():
            wanting.setdefault(tile, []).append(j)
    return leaving, wanting


def _ways(leaving: dict[Tile, list[int]], wanting: dict[Tile, list[int]]) -> Iterator[list[tuple[Tile, int, int]]]:
    """Give every way to say which of several equal tiles goes where."""
    choices = []
    for tile, sources in sorted(leaving.items()):
        orders = dict.fromkeys(permutations(sources)) if len(set(sources)) > 1 and len(set(wanting[tile])) > 1 else [tuple(sources)]
        choices.append([[(tile, source, target) for source, target in zip(order, wanting[tile], strict=True)] for order in orders])
    for some in product(*choices):
        yield [load for loads in some for load in loads]
