"""A position: the sets on the table, and the tiles on the rack of the player who is to move.

>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> print(position)
R5 R6 R7 | K9 B9 O9 + R8 J
>>> Position.parse("K9 B9 O9 + R8 J (not opened)").opened
False
>>> Position.parse("R5 R6 R8", "")
Traceback (most recent call last):
    ...
meldlab.errors.BadText: set 1, R5 R6 R8: the run lacks R7
  R5 R6 R8
  ^
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub.picture import draw
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import PAPER, TileSet, is_set
from meldlab.rummikub.tiles import Tile, check_supply, check_tile, parse_rack, show

NOT_OPENED = "(not opened)"


@dataclass(frozen=True, repr=False)
class Position:
    """What a player sees who is to move, under some rules; ``opened`` says whether that player has laid the opening in an earlier turn."""

    table: tuple[TileSet, ...]
    rack: tuple[Tile, ...]
    rules: Rules = PAPER
    opened: bool = True

    def __post_init__(self) -> None:
        for tile_set in self.table:
            if not is_set(tile_set.tiles, self.rules):
                raise NotLegalHere(f"{tile_set} is not a set")
        for tile in self.rack:
            check_tile(tile, self.rules)
        check_supply([*self.table_tiles, *self.rack], self.rules)

    @classmethod
    def parse(cls, table: str, rack: str | None = None, rules: Rules = PAPER, *, opened: bool = True) -> Self:
        """Read sets (:func:`parse_table`) and the tiles of the rack; or both in one text, as a position prints itself."""
        if rack is None:
            text = table
            table, plus, rack = text.partition("+")
            if not plus:
                raise BadText("a position is its table, a plus and the rack", text, len(text))
            opened = opened and not rack.rstrip().endswith(NOT_OPENED)
            rack = rack.rstrip().removesuffix(NOT_OPENED)
        return cls(parse_table(table, rules), parse_rack(rack, rules), rules, opened)

    @cached_property
    def table_tiles(self) -> tuple[Tile, ...]:
        """Return the tiles of all sets, jokers with what they stand for."""
        return tuple([tile for tile_set in self.table for tile in tile_set.tiles])

    def __str__(self) -> str:
        return f"{format_table(self.table)} + {show(self.rack)}{'' if self.opened else ' ' + NOT_OPENED}"

    def __repr__(self) -> str:
        return f"Position.parse('{self}'{'' if self.rules == PAPER else f', rules={self.rules!r}'})"

    def _repr_svg_(self) -> str:
        return draw([tile_set.tiles for tile_set in self.table], self.rack)


def parse_table(text: str, rules: Rules = PAPER) -> tuple[TileSet, ...]:
    """Read sets separated as :func:`split_table` says; an error names the set and points into the whole text.

    >>> parse_table("red 3-5; K5 B5 O5\\nK6-8") == parse_table("R3-5, K5 B5 O5 | K6 K7 K8")
    True
    """
    table = list[TileSet]()
    for part, start in split_table(text, rules):
        if not part.strip():
            raise BadText(f"set {len(table) + 1} is empty", text, start)
        try:
            table.append(TileSet.parse(part, rules))
        except BadText as error:
            raise BadText(f"set {len(table) + 1}, {error.problem}", text, start + error.offset) from None
    return tuple(table)


def split_table(text: str, rules: Rules = PAPER) -> Iterator[tuple[str, int]]:
    """Give the text of each set with its place: bars, semicolons and new lines separate sets.

    A comma separates tiles. It separates sets where the tiles on both sides are not a set together and each part is one.
    """
    start = 0
    for part in re.split(r"[|;]", text) if text.strip() else []:
        lines = part.split("\n") if part.strip() else [part]
        for line in lines:
            if line.strip() or len(lines) == 1:
                yield from _split_at_commas(line, start, rules)
            start += len(line) + 1


def _split_at_commas(line: str, start: int, rules: Rules) -> Iterator[tuple[str, int]]:
    parts = line.split(",")
    if len(parts) == 1 or _reads(line, rules) or not all(_reads(part, rules) for part in parts):
        yield line, start
        return
    for part in parts:
        yield part, start
        start += len(part) + 1


def _reads(text: str, rules: Rules) -> bool:
    """Return whether a text is one set."""
    try:
        TileSet.parse(text, rules)
    except BadText:
        return False
    return True


def played_tiles(before: Iterable[TileSet], after: Iterable[TileSet]) -> Counter[Tile]:
    """Return the tiles of a new table that the old one does not have, jokers as jokers."""
    old, new = (Counter(tile.piece for tile_set in table for tile in tile_set.tiles) for table in (before, after))
    return new - old


def format_table(table: Iterable[TileSet]) -> str:
    """Return sets as text, separated by bars."""
    return " | ".join(map(str, table))
