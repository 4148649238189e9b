"""The joker families once more, by moving single tiles with the hands: slow, and with no code of the solvers in it.

Every tile is a thing with a place of its own. A turn goes like this: jokers are exchanged first, set by set and in any order; then all
tiles that are not held fast are picked up and the new table is laid. What an exchange needs:

* It happens in the set in which the joker lies when the turn begins, with all its tiles there: jokers out, as many numbered tiles in,
  and what lies there then is a set (*strict*: each tile is the very one that its joker stood for).
* A tile put in comes from the rack (and is then played), or from anywhere on the table. *Strict*: not out of a set that holds a joker
  at that moment, for such a set is not broken.

At the end a joker that was exchanged lies in a set with a tile from the rack. One that was not stands for its tile (*modern*), or its
set lies within one set of the new table, tile by tile, in which no other such set lies (*strict*).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

from meldlab.rummikub import Position, Rules, TileSet
from meldlab.rummikub.tiles import Tile

Face = tuple[int, int]  # colour, number
Possible = tuple[tuple[Tile, ...], Counter[Tile]]  # a set that can be laid, and what it takes
RACK = -1


@dataclass(frozen=True)
class Thing:
    """One tile of wood: what is printed on it, where it lay before the turn, and its number among its equals."""

    printed: Face | None  # None: a joker
    origin: int
    nth: int
    stood_for: Face | None = None


@dataclass(frozen=True)
class Laid:
    """A thing in a set of the new table, and what it shows there."""

    thing: Thing
    shows: Face


def legal(faces: Sequence[Face], rules: Rules) -> bool:
    """Tell whether faces, in any order, are a group or a run."""
    numbers, colours = sorted(number for _, number in faces), {colour for colour, _ in faces}
    if len(faces) < rules.smallest or len(set(faces)) < len(faces):
        return False
    group = len(set(numbers)) == 1
    run = len(colours) == 1 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return group or run


@cache
def every_set(rules: Rules) -> tuple[tuple[Face, ...], ...]:
    """Return all groups and runs as faces, found by trying every handful of them."""
    faces = [(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)]
    sizes = range(rules.smallest, max(rules.colours, rules.numbers) + 1)
    return tuple(some for size in sizes for some in combinations(faces, size) if legal(some, rules))


def every_table(position: Position) -> Iterator[tuple[TileSet, ...]]:
    """Give every table that holds all table tiles and any from the rack, each reading of its jokers apart."""
    rules = position.rules
    held = Counter(tile.piece for tile in (*position.table_tiles, *position.rack))
    on_table = Counter(tile.piece for tile in position.table_tiles)
    laid = [
        tuple(Tile(c, n, joker=(c, n) in jokers) for c, n in faces)
        for faces in every_set(rules)
        for many in range(min(rules.jokers, len(faces)) + 1)
        for jokers in combinations(faces, many)
    ]
    possible = [(one, Counter(tile.piece for tile in one)) for one in laid]
    possible = [(one, pieces) for one, pieces in possible if pieces <= held]

    def rest(left: Counter[Tile], lacking: Counter[Tile], fitting: list[Possible]) -> Iterator[tuple[TileSet, ...]]:
        if not lacking:
            yield ()
        for i, (one, pieces) in enumerate(fitting):
            after = left - pieces
            for others in rest(after, lacking - pieces, [some for some in fitting[i:] if some[1] <= after]):
                yield (TileSet(one), *others)

    return rest(held, on_table, possible)


def things(position: Position) -> list[Thing]:
    """Return the tiles of table and rack as things."""
    everything = [(i, tile) for i, one in enumerate(position.table) for tile in one.tiles] + [(RACK, tile) for tile in position.rack]
    return [
        Thing(None if tile.joker else (tile.colour, tile.number), i, nth, (tile.colour, tile.number) if tile.joker and i != RACK else None)
        for nth, (i, tile) in enumerate(everything)
    ]


def can_be_laid(position: Position, table: Sequence[TileSet]) -> bool:
    """Tell whether a new table can be reached by hand."""
    return any(_by_exchange(position, sets, {}) for sets in _assignments(position, table))


def _assignments(position: Position, table: Sequence[TileSet]) -> Iterator[list[list[Laid]]]:
    """Give every way to say which thing lies where on the new table."""
    slots = [(i, tile) for i, one in enumerate(table) for tile in one.tiles]
    by_print: dict[Face | None, list[int]] = {}
    for at, (_, tile) in enumerate(slots):
        by_print.setdefault(None if tile.joker else (tile.colour, tile.number), []).append(at)
    mine = things(position)
    ways = []
    for printed, places in by_print.items():
        equal = [thing for thing in mine if thing.printed == printed]
        must = {thing for thing in equal if thing.origin != RACK}
        ways.append([list(zip(places, some, strict=True)) for some in permutations(equal, len(places)) if must <= set(some)])
    for way in product(*ways):
        sets: list[list[Laid]] = [[] for _ in table]
        for at, thing in (pair for pairs in way for pair in pairs):
            i, tile = slots[at]
            sets[i].append(Laid(thing, (tile.colour, tile.number)))
        yield sets


def _by_exchange(position: Position, sets: list[list[Laid]], instead: dict[Thing, Thing]) -> bool:
    """Try every exchange after those in ``instead`` (joker to the tile put in for it), and whether the table can be laid then."""
    if _can_lay(position, sets, instead):
        return True
    lying = [laid.thing for one in sets for laid in one]
    strict = position.rules.joker_rule == "strict"
    for i in range(len(position.table)):
        here = [thing for thing in things(position) if thing.origin == i]
        holding = [thing for thing in here if thing.printed is None and thing not in instead]
        inside = _contents(here, instead)
        for many in range(1, len(holding) + 1):
            for out in combinations(holding, many):
                fit = [thing for thing in lying if thing.printed and thing not in inside and _may_be_taken(position, thing, instead)]
                for put in permutations(fit, many):
                    if strict and any(thing.printed != joker.stood_for for joker, thing in zip(out, put, strict=True)):
                        continue
                    shown = [thing.printed or thing.stood_for for thing in inside if thing not in out] + [thing.printed for thing in put]
                    if legal([face for face in shown if face], position.rules) and _by_exchange(
                        position, sets, instead | dict(zip(out, put, strict=True))
                    ):
                        return True
    return False


def _contents(here: Sequence[Thing], instead: dict[Thing, Thing]) -> list[Thing]:
    """Return what lies in an old set after exchanges."""
    return [instead.get(thing, thing) for thing in here]


def _may_be_taken(position: Position, thing: Thing, instead: dict[Thing, Thing]) -> bool:
    """Tell whether a tile can be picked up now: in strict play not out of a set that holds a joker."""
    if position.rules.joker_rule != "strict":
        return True
    for i in range(len(position.table)):
        inside = _contents([one for one in things(position) if one.origin == i], instead)
        if thing in inside and any(one.printed is None for one in inside):
            return False
    return True


def _can_lay(position: Position, sets: list[list[Laid]], instead: dict[Thing, Thing]) -> bool:
    """Tell whether, with some jokers exchanged, the rest of the turn is only picking up and laying down."""
    where = {laid.thing: (i, laid.shows) for i, one in enumerate(sets) for laid in one}
    held_fast = []
    for thing, (i, shows) in where.items():
        if thing.printed is not None or thing.origin == RACK:
            continue
        if thing in instead:
            if not any(laid.thing.origin == RACK for laid in sets[i]):
                return False
        elif shows != thing.stood_for:
            return False
        elif position.rules.joker_rule == "strict":
            inside = _contents([one for one in things(position) if one.origin == thing.origin], instead)
            if any(where[one][0] != i for one in inside):
                return False
            held_fast.append((thing.origin, i))
    return len({i for _, i in held_fast}) == len(set(held_fast))


def opens(position: Position, table: Sequence[TileSet]) -> bool:
    """Tell whether the tiles played can have been laid, from the rack alone, as sets worth the opening."""
    played = Counter(tile.piece for one in table for tile in one.tiles) - Counter(tile.piece for tile in position.table_tiles)
    points = _points_alone(tuple(sorted(played.elements())), position.rules)
    if position.rules.after_opening == "manipulate":
        return points >= position.rules.opening
    old, new = (Counter(frozenset(one.tiles) for one in sets) for sets in (position.table, table))
    return old <= new and sum(tile.number for one in (new - old).elements() for tile in one) >= position.rules.opening


@cache
def _points_alone(tiles: tuple[Tile, ...], rules: Rules) -> int:
    """Return the most that sets of these tiles alone are worth."""
    return max(sum(tile.number for one in sets for tile in one.tiles) for sets in every_table(Position((), tiles, rules)))
