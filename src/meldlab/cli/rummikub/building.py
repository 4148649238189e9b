"""A turn of Rummikub in the making: tiles go from the rack and between numbered sets, and nothing is judged before it is done.

>>> from meldlab.rummikub import Rules, parse_rack, parse_table
>>> turn = Building(Rules(), {1: parse_table("R5-7")[0], 2: parse_table("K9 B9 O9 J=R9")[0]}, parse_rack("R8 R9"))
>>> for line in ("R8 to 1", "R9 to 2", "J from 2", "J to 1"):
...     turn = turn.after(line)
>>> print(turn.table())
(TileSet.parse('R5 R6 R7 R8 J=R9'), TileSet.parse('R9 K9 B9 O9'))
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub import Rules, Solution, Tile, TileSet, find_steps, match_sets
from meldlab.rummikub.sets import readings
from meldlab.rummikub.tiles import read_tiles, show

__all__ = ["Building", "commands", "renumbered"]

NEW = re.compile(r"new\s+(?P<tiles>.+?)(?:\s+from\s+(?P<source>\d+))?", re.IGNORECASE)
SPLIT = re.compile(r"split\s+(?P<source>\d+)\s+after\s+(?P<tiles>\S+)", re.IGNORECASE)
JOIN = re.compile(r"(?P<source>\d+)\s+to\s+(?P<target>\d+)", re.IGNORECASE)
MOVE = re.compile(r"(?P<tiles>.+?)(?:\s+from\s+(?P<source>\d+))?(?:\s+to\s+(?P<target>\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Building:
    """Sets by their numbers, the tiles of the rack that are left, and those taken from the table that must go back."""

    rules: Rules
    sets: Mapping[int, TileSet]
    rack: tuple[Tile, ...]
    loose: tuple[Tile, ...] = ()

    def after(self, text: str) -> "Building":
        """Return what is built after one more line.

        That is ``R8 to 3``, ``J from 4``, ``R8 from 2 to 3``, ``new R1-3``, ``new R4 from 2``, ``split 2 after R6`` or ``2 to 3``.
        """
        if found := SPLIT.fullmatch(text):
            return self._split(int(found["source"]), self._tiles(found["tiles"]))
        if found := JOIN.fullmatch(text):
            return self._joined(int(found["source"]), int(found["target"]))
        if found := NEW.fullmatch(text):
            source = int(found["source"]) if found["source"] else 0
            tiles = self._tiles(found["tiles"])
            return self._without(tiles, source)._with(tiles, self.next_number)
        found = MOVE.fullmatch(text)
        if not found or not (found["source"] or found["target"]):
            raise NotLegalHere(f"{text!r} is nothing that can be done (R8 to 3, R8 from 2 to 3, J from 4, new R1-3, split 2 after R6)")
        tiles = self._tiles(found["tiles"])
        taken = self._without(tiles, int(found["source"] or 0))
        if not found["target"]:
            return replace(taken, loose=(*taken.loose, *(tile.piece for tile in tiles)))
        self._set(int(found["target"]))
        return taken._with(tiles, int(found["target"]))

    @property
    def next_number(self) -> int:
        """Return the number of the next new set: the lowest that is free."""
        return next(number for number in range(1, len(self.sets) + 2) if number not in self.sets)

    def table(self) -> tuple[TileSet, ...]:
        """Return the table that was built; what cannot lie like that is named."""
        if self.loose:
            raise NotLegalHere(f"{show(self.loose)} came from the table and must lie on it again")
        table = []
        for number, tile_set in sorted(self.sets.items()):
            try:
                table.append(_read(tile_set, self.rules))
            except BadText as problem:
                raise NotLegalHere(f"set {number}, {problem.problem}") from None
        return tuple(table)

    def _tiles(self, text: str) -> tuple[Tile, ...]:
        return tuple(tile for tile, _ in read_tiles(text, self.rules))

    def _set(self, number: int) -> TileSet:
        if number not in self.sets:
            raise NotLegalHere(f"no set {number} on the table ({', '.join(map(str, sorted(self.sets))) or 'there are none'})")
        return self.sets[number]

    def _without(self, tiles: tuple[Tile, ...], source: int) -> "Building":
        """Return it without tiles of a set; of the hand if the source is 0: what is loose goes first."""
        if source:
            lying = list(self._set(source).tiles)
            for tile in tiles:
                # Of two jokers the one that stands for the tile named.
                found = tile if tile in lying else next((one for one in lying if one.piece == tile.piece), None)
                if found is None:
                    raise NotLegalHere(f"{tile.piece} is not in set {source}, {self.sets[source]}")
                lying.remove(found)
            return self._put(source, lying)
        loose, rack = list(self.loose), list(self.rack)
        for piece in (tile.piece for tile in tiles):
            holder = loose if piece in loose else rack
            if piece not in holder:
                where = [number for number, one in sorted(self.sets.items()) if any(tile.piece == piece for tile in one.tiles)]
                raise NotLegalHere(
                    f"{piece} is not on your rack" + (f" (set {where[0]} has one: {piece} from {where[0]})" if where else "")
                )
            holder.remove(piece)
        return replace(self, loose=tuple(loose), rack=tuple(rack))

    def _with(self, tiles: tuple[Tile, ...], target: int) -> "Building":
        old = self.sets[target].tiles if target in self.sets else ()
        return self._put(target, [*old, *tiles])

    def _put(self, number: int, tiles: list[Tile]) -> "Building":
        sets = {other: one for other, one in self.sets.items() if other != number}
        if tiles:
            sets[number] = _ordered(tiles, self.rules)
        return replace(self, sets=sets)

    def _split(self, number: int, after: tuple[Tile, ...]) -> "Building":
        tiles = self._set(number).tiles
        at = next((at for at, tile in enumerate(tiles, 1) if after and tile.stands_for == after[-1].stands_for), 0)
        if not 0 < at < len(tiles):
            raise NotLegalHere(f"set {number}, {show(tiles)}, cannot be split after {show(after)}")
        return self._put(number, list(tiles[:at]))._put(self.next_number, list(tiles[at:]))

    def _joined(self, source: int, target: int) -> "Building":
        tiles = self._set(source).tiles
        self._set(target)
        if source == target:
            raise NotLegalHere(f"set {source} is set {target}")
        return self._put(source, [])._with(tiles, target)


def _read(tile_set: TileSet, rules: Rules) -> TileSet:
    """Return a set with what its jokers stand for; where a joker cannot stand for what it did, it stands for what it can."""
    try:
        return TileSet.parse(show(tile_set.tiles), rules)
    except BadText:
        return TileSet.parse(show(tile.piece for tile in tile_set.tiles), rules)


def _ordered(tiles: list[Tile], rules: Rules) -> TileSet:
    """Return tiles as they would lie: as a set where they are one, otherwise by number."""
    for some in (tiles, [tile.piece for tile in tiles]):
        if readings(TileSet(tuple(some)).column, rules):
            try:
                return TileSet.parse(show(some), rules)
            except BadText:
                continue
    return TileSet(tuple(sorted(tiles, key=lambda tile: (tile.number or rules.numbers + 1, tile.colour))))


def renumbered(numbers: Mapping[int, TileSet], table: tuple[TileSet, ...]) -> dict[int, TileSet]:
    """Return a table with the numbers that its sets had before; what is new gets the lowest free ones.

    >>> from meldlab.rummikub import parse_table
    >>> renumbered({1: parse_table("R1-3")[0], 2: parse_table("K5 B5 O5")[0]}, parse_table("O1-3 | R5 K5 B5 O5"))
    {1: TileSet.parse('O1 O2 O3'), 2: TileSet.parse('R5 K5 B5 O5')}
    """
    old = sorted(numbers)
    found = {old[before]: table[after] for before, after in match_sets([numbers[each] for each in old], table).items()}
    taken = Counter(found.values())
    for tile_set in table:
        if taken[tile_set]:
            taken[tile_set] -= 1
        else:
            found[next(number for number in range(1, len(table) + len(old) + 1) if number not in found)] = tile_set
    return dict(sorted(found.items()))


def commands(answer: Solution, numbers: Mapping[int, TileSet]) -> Iterator[str]:
    """Give the lines that carry an answer out, by the numbers that sets have."""
    left, number_of = dict(numbers), dict[int, int]()
    for at, tile_set in enumerate(answer.position.table):
        number_of[at] = next(number for number, one in left.items() if one == tile_set)
        del left[number_of[at]]
    # A set that is emptied on the way gives its number back; so new ones are numbered as the lines come.
    turn = Building(answer.position.rules, numbers, answer.position.rack)
    for step in find_steps(answer):
        if step.target not in number_of:
            number_of[step.target] = turn.next_number
            first = f"new {show(step.tiles)}"
        else:
            first = f"{show(step.tiles)} to {number_of[step.target]}"
        if step.source == step.target:
            lines = [f"{show(step.lifted)} from {number_of[step.source]}", first]
        elif step.source >= 0 and first.startswith("new"):
            lines = [f"{first} from {number_of[step.source]}"]
        elif step.source >= 0:
            lines = [f"{show(step.tiles)} from {number_of[step.source]} to {number_of[step.target]}"]
        else:
            lines = [first]
        for line in (*lines, *(f"{joker} from {number_of[step.target]}" for joker in step.freed)):
            turn = turn.after(line)
            yield line
    # Where nothing told a joker what it stands for, it stands for what it can; if that is not what is meant, it is told now.
    meant = Counter(tile for one in answer.table for tile in one.jokers)
    for number, built in sorted(turn.sets.items()):
        wanted = next(one for one in answer.table if one.column == built.column and not Counter(one.jokers) - meant)
        meant -= Counter(wanted.jokers)
        for was, joker in zip(
            (Counter(built.jokers) - Counter(wanted.jokers)).elements(),
            (Counter(wanted.jokers) - Counter(built.jokers)).elements(),
            strict=True,
        ):
            yield from (f"{was} from {number}", f"{joker} to {number}")
