"""Sets: groups of one number in different colours, runs of neighbouring numbers in one colour, jokers anywhere.

>>> TileSet.parse("R5 J R7"), TileSet.parse("J K9 B9").points
(TileSet.parse('R5 J=R6 R7'), 27)
>>> print(best_reading(Column.of(TileSet.parse("J=R1 R2 R3").tiles), Rules()))
R2 R3 J=R4
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub.picture import draw
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.tiles import JOKER, Tile, read_tiles, show

PAPER = Rules()


@dataclass(frozen=True, slots=True, order=True)
class Column:
    """The tiles of a set without an order, as the integer program sees them: numbered tiles, and the number of jokers."""

    naturals: tuple[Tile, ...]
    jokers: int

    @classmethod
    def of(cls, tiles: Iterable[Tile]) -> Self:
        """Return the column of some tiles."""
        pieces = list(tiles)
        naturals = tuple(sorted(tile for tile in pieces if not tile.joker))
        return cls(naturals, len(pieces) - len(naturals))

    @property
    def pieces(self) -> tuple[Tile, ...]:
        """Return the tiles with jokers behind."""
        return self.naturals + (JOKER,) * self.jokers

    def __len__(self) -> int:
        return len(self.naturals) + self.jokers


@dataclass(frozen=True, slots=True, repr=False)
class TileSet:
    """A set as it lies on the table, in order, each joker with the tile it stands for."""

    tiles: tuple[Tile, ...]

    @classmethod
    def parse(cls, text: str, rules: Rules = PAPER) -> Self:
        """Read one set; jokers without a meaning get it from their place, or else the one worth most."""
        placed = list(read_tiles(text, rules))
        tiles = [tile for tile, _ in placed]
        column = Column.of(tiles)
        start = placed[0][1] if placed else 0
        fitting = [reading for reading in readings(column, rules) if _says(tiles, reading)]
        if not fitting:
            legal = bool(readings(column, rules))
            raise BadText(f"no set reads {show(tiles)}" if legal else f"{show(tiles)}: {why_not(column, rules)}", text, start)
        in_order = [reading for reading in fitting if all(_same(*pair) for pair in zip(tiles, reading, strict=True))]
        return cls(max(in_order or fitting, key=_points))

    @property
    def column(self) -> Column:
        """Return the tiles without their order."""
        return Column.of(self.tiles)

    @property
    def points(self) -> int:
        """Return the sum of the numbers, a joker counting as the tile it stands for."""
        return _points(self.tiles)

    @property
    def is_group(self) -> bool:
        """Return whether all tiles show one number."""
        return len({tile.number for tile in self.tiles}) == 1

    @property
    def jokers(self) -> tuple[Tile, ...]:
        """Return the jokers with what they stand for."""
        return tuple(tile for tile in self.tiles if tile.joker)

    def __len__(self) -> int:
        return len(self.tiles)

    def __str__(self) -> str:
        return show(self.tiles)

    def __repr__(self) -> str:
        return f"TileSet.parse('{self}')"

    def _repr_svg_(self) -> str:
        return draw([self.tiles])


def grow(tile_set: TileSet, tile: Tile, rules: Rules = PAPER) -> TileSet | None:
    """Return the set with one tile more, its jokers as they were, if that is a set.

    >>> grow(TileSet.parse("R3 J R5"), Tile.parse("R6")), grow(TileSet.parse("R3 J R5"), Tile.parse("R4"))
    (TileSet.parse('R3 J=R4 R5 R6'), None)
    """
    tiles = tile_set.tiles
    if tile_set.is_group:
        missing = [Tile(c, tiles[0].number) for c in range(rules.colours) if c not in {other.colour for other in tiles}]
        ends = [(end, len(tiles)) for end in missing]
    elif len(tiles) == rules.numbers:
        return None
    else:
        first, last = tiles[0], tiles[-1]
        ends = (
            [(Tile(last.colour, last.number % rules.numbers + 1), len(tiles))]
            if last.number < rules.numbers or rules.round_the_corner
            else []
        )
        below = (first.number - 2) % rules.numbers + 1
        ends += [(Tile(first.colour, below), 0)] if first.number > 1 or rules.round_the_corner else []
    for end, place in ends:
        if tile in (end, JOKER):
            more = Tile(end.colour, end.number, joker=True) if tile.joker else tile
            grown = (*tiles[:place], more, *tiles[place:])
            # A group lies by colour, jokers last, so that its text reads back as itself.
            return TileSet(tuple(sorted(grown, key=lambda other: (other.joker, other))) if tile_set.is_group else grown)
    return None


def take_equal(sets: Iterable[TileSet], columns: Counter[Column]) -> tuple[TileSet, ...]:
    """Take the columns of sets out of ``columns``; return the sets that were there."""
    taken = list[TileSet]()
    for tile_set in sets:
        if columns[tile_set.column]:
            columns[tile_set.column] -= 1
            taken.append(tile_set)
    return tuple(taken)


@lru_cache(maxsize=1 << 15)
def readings(column: Column, rules: Rules = PAPER) -> tuple[tuple[Tile, ...], ...]:
    """Return every way to read a column as a set, each in the order it is laid; none when it is not a set."""
    return (*_groups(column, rules), *_runs(column, rules))


@lru_cache(maxsize=1 << 15)
def is_set(tiles: tuple[Tile, ...], rules: Rules = PAPER) -> bool:
    """Return whether tiles, jokers with what they stand for, are a group or a run.

    >>> is_set(TileSet.parse("R5 J R7").tiles), is_set((Tile(0, 12), Tile(0, 13), Tile(0, 14)))
    (True, False)
    """
    return any(set(tiles) == set(reading) and len(tiles) == len(reading) for reading in readings(Column.of(tiles), rules))


def best_reading(column: Column, rules: Rules = PAPER) -> TileSet:
    """Return the reading worth most; a group before a run among equals."""
    possible = readings(column, rules)
    if not possible:
        raise NotLegalHere(f"{show(column.pieces)}: {why_not(column, rules)}")
    return TileSet(max(possible, key=_points))


def why_not(column: Column, rules: Rules = PAPER) -> str:
    """Return the reason why a column is not a set."""
    size, naturals = len(column), column.naturals
    if size < rules.smallest:
        return f"a set has at least {rules.smallest} tiles"
    numbers, colours = sorted({tile.number for tile in naturals}), {tile.colour for tile in naturals}
    twice = [tile for tile, count in Counter(naturals).items() if count > 1]
    if twice:
        return f"{twice[0]} twice in one set"
    if len(numbers) == 1:
        return f"a group has at most {rules.colours} tiles"
    if len(colours) > 1:
        return "neither one number nor one colour"
    if size > rules.numbers:
        return f"a run has at most {rules.numbers} tiles"
    gap = next(number for number in range(numbers[0] + 1, numbers[-1]) if number not in numbers)
    return f"the run lacks {Tile(naturals[0].colour, gap)}"


@cache
def columns(rules: Rules = PAPER) -> tuple[Column, ...]:
    """Return the columns of the integer program: every set up to the length from which runs fall apart, each multiset once.

    >>> len(columns())
    1173
    """
    shapes = [[Tile(colour, number) for colour in colours] for number in range(1, rules.numbers + 1) for colours in _colour_choices(rules)]
    shapes += [run for length in range(rules.smallest, rules.longest_run + 1) for run in _windows(length, rules)]
    return tuple(sorted({column for shape in shapes for column in _with_jokers(shape, rules)}))


def long_columns(tiles: Iterable[Tile], jokers: int, rules: Rules) -> Iterator[Column]:
    """Give the runs longer than any column that can be laid with ``tiles`` and ``jokers``."""
    if jokers > 2 and rules.numbers > 13:
        raise NotLegalHere(f"{jokers} jokers in runs of up to {rules.numbers} are too many ways to weigh (keep sets, or free the jokers)")
    held = set(tiles)
    for length in range(rules.longest_run + 1, rules.numbers + 1):
        seen = set()
        for run in _windows(length, rules):
            if sum(tile not in held for tile in run) <= jokers:
                seen |= {column for column in _with_jokers(run, rules) if column.jokers <= jokers and held.issuperset(column.naturals)}
        yield from sorted(seen)


def _with_jokers(shape: list[Tile], rules: Rules) -> Iterator[Column]:
    for jokers in range(min(rules.jokers, len(shape)) + 1):
        for naturals in combinations(sorted(shape), len(shape) - jokers):
            yield Column(naturals, jokers)


def _colour_choices(rules: Rules) -> Iterator[tuple[int, ...]]:
    for size in range(rules.smallest, rules.colours + 1):
        yield from combinations(range(rules.colours), size)


@cache
def _windows(length: int, rules: Rules) -> list[list[Tile]]:
    """Return every run of one length, in order."""
    starts = rules.numbers if rules.round_the_corner else rules.numbers - length + 1
    return [
        [Tile(colour, (start + step) % rules.numbers + 1) for step in range(length)]
        for colour in range(rules.colours)
        for start in range(starts if length <= rules.numbers else 0)
    ]


def _groups(column: Column, rules: Rules) -> Iterator[tuple[Tile, ...]]:
    numbers = {tile.number for tile in column.naturals} or {rules.numbers}
    colours = {tile.colour for tile in column.naturals}
    if len(numbers) > 1 or len(colours) < len(column.naturals) or not rules.smallest <= len(column) <= rules.colours:
        return
    (number,) = numbers
    for jokers in combinations([colour for colour in range(rules.colours) if colour not in colours], column.jokers):
        yield column.naturals + tuple(Tile(colour, number, joker=True) for colour in jokers)


def _runs(column: Column, rules: Rules) -> Iterator[tuple[Tile, ...]]:
    colours = {tile.colour for tile in column.naturals} or {0}
    held, length = set(column.naturals), len(column)
    if len(colours) > 1 or len(held) < len(column.naturals) or length < rules.smallest:
        return
    (colour,) = colours
    for run in _windows(length, rules):
        if run[0].colour == colour and all(tile in run for tile in held):
            yield tuple(tile if tile in held else Tile(tile.colour, tile.number, joker=True) for tile in run)


def _says(written: list[Tile], reading: tuple[Tile, ...]) -> bool:
    """Return whether a reading gives each joker the meaning that was written with it."""
    given = Counter(tile for tile in written if tile.joker and tile.number)
    return given <= Counter(tile for tile in reading if tile.joker)


def _same(written: Tile, read: Tile) -> bool:
    return written == read or (written == JOKER and read.joker)


def _points(tiles: Iterable[Tile]) -> int:
    return sum(tile.number for tile in tiles)
