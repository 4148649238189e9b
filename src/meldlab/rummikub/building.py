"""A board for building a turn or a position: tiles move between the rack and numbered piles, and nothing is judged before the end.

>>> board = Board.parse("R8 R9", "R5-7 | K9 B9 O9 J=R9", Rules())
>>> for command in ("R8 to 1", "R9 to 2", "J from 2", "J to 1"):
...     board = board.run(command)
>>> print(board.table())
(TileSet.parse('R5 R6 R7 R8 J=R9'), TileSet.parse('R9 K9 B9 O9'))
>>> [pile.problem for pile in Board.parse("", "B1 B2", Rules()).piles.values()]
['a set has at least 3 tiles']
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub.position import Position, split_table
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.rules import Rules
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Solution, match_sets
from meldlab.rummikub.steps import find_steps
from meldlab.rummikub.tiles import Tile, check_supply, parse_rack, read_tiles, show

Place = int | Literal["rack", "hand", "new", "box"]  # a pile by its number, or one of four

NEW = re.compile(r"new\s+(?P<tiles>.+?)(?:\s+from\s+(?P<source>\d+))?", re.IGNORECASE)
SPLIT = re.compile(r"split\s+(?P<source>\d+)\s+after\s+(?P<tiles>\S+)", re.IGNORECASE)
JOIN = re.compile(r"(?P<source>\d+)\s+to\s+(?P<target>\d+)", re.IGNORECASE)
MOVE = re.compile(r"(?P<tiles>.+?)(?:\s+from\s+(?P<source>\d+))?(?:\s+to\s+(?P<target>\d+))?", re.IGNORECASE)


@dataclass(frozen=True)
class Pile:
    """Tiles that are together, in order, jokers with their tile as far as known; ``problem``: why they are not a set, empty for a set."""

    tiles: tuple[Tile, ...]
    problem: str = ""

    @classmethod
    def of(cls, tiles: Sequence[Tile], rules: Rules) -> Self:
        """Return a pile: a set in its order where it is one, its jokers unchanged as far as they can be."""
        problem = ""
        for attempt in (tuple(tiles), tuple(tile.piece for tile in tiles)):
            try:
                return cls(TileSet.parse(show(attempt), rules).tiles)
            except BadText as error:
                problem = error.problem
        return cls(tuple(tiles), problem.partition(": ")[2] or problem)

    @property
    def pieces(self) -> tuple[Tile, ...]:
        """Return the tiles, jokers without a meaning."""
        return tuple(tile.piece for tile in self.tiles)


@dataclass(frozen=True)
class Board:
    """A rack and numbered piles; ``hand``: tiles taken from the table that must be laid again."""

    rules: Rules
    rack: tuple[Tile, ...]
    piles: Mapping[int, Pile]
    hand: tuple[Tile, ...] = ()

    @classmethod
    def of(cls, position: Position) -> Self:
        """Return the board of a position, its sets numbered from 1."""
        piles = {number: Pile(tile_set.tiles) for number, tile_set in enumerate(position.table, 1)}
        return cls(position.rules, position.rack, piles)

    @classmethod
    def parse(cls, rack: str, table: str, rules: Rules) -> Self:
        """Read a rack in its order and piles that need not be sets; more tiles than the box holds are an error."""
        parse_rack(rack, rules)  # rejects a joker that stands for something
        held = tuple(tile for tile, _ in read_tiles(rack, rules))
        # The whole line is given, so that a caret points at the right word.
        piles = [tuple(tile for tile, _ in read_tiles(" " * start + part, rules)) for part, start in split_table(table, rules)]
        if len(held) + sum(map(len, piles)) > rules.tiles:
            raise NotLegalHere(f"more tiles than the box holds ({rules.tiles})")
        return cls(rules, held, {number: Pile.of(tiles, rules) for number, tiles in enumerate(filter(None, piles), 1)})

    @property
    def next_number(self) -> int:
        """Return the number of the next new pile: the lowest that is free."""
        return next(number for number in range(1, len(self.piles) + 2) if number not in self.piles)

    @property
    def rack_text(self) -> str:
        """Return the rack as text."""
        return show(self.rack)

    @property
    def table_text(self) -> str:
        """Return the piles as text."""
        return " | ".join(show(pile.tiles) for _, pile in sorted(self.piles.items()))

    def run(self, command: str) -> Self:
        """Return the board after a command.

        That is ``R8 to 3``, ``J from 4``, ``R8 from 2 to 3``, ``new R1-3``, ``new R4 from 2``, ``split 2 after R6`` or ``2 to 3``.
        """
        if match := SPLIT.fullmatch(command):
            return self.split(int(match["source"]), self._tiles(match["tiles"])[-1:])
        if match := JOIN.fullmatch(command):
            return self.join(int(match["source"]), int(match["target"]))
        match = NEW.fullmatch(command) or MOVE.fullmatch(command)
        is_new = match is not None and match.re is NEW
        if match is None or not (is_new or match["source"] or match["target"]):
            raise NotLegalHere(f"{command!r} is not a command (R8 to 3, R8 from 2 to 3, J from 4, new R1-3, split 2 after R6)")
        source: Place = int(match["source"]) if match["source"] else "rack"
        target: Place = "new" if is_new else int(match["target"]) if match["target"] else "hand"
        return self.move(self._tiles(match["tiles"]), source, target)

    def move(self, tiles: Sequence[Tile], source: Place, target: Place) -> Self:
        """Move tiles; of the rack's and the hand's those of the hand go first."""
        board = self
        for tile in tiles:
            place, index = board._find(tile, source)
            board = board._without(place, index)
        return self._into(board, tiles, target)

    def move_at(self, source: Place, index: int, target: Place) -> Self:
        """Move the tile with this index."""
        if source == target:
            return self
        return self._into(self._without(source, index), [self.tile_at(source, index).piece], target)

    def split(self, number: int, after: Sequence[Tile]) -> Self:
        """Make two piles of one, behind a tile."""
        tiles = self._pile(number).tiles
        end = next((n for n, tile in enumerate(tiles, 1) if after and tile.stands_for == after[-1].stands_for), 0)
        if not 0 < end < len(tiles):
            raise NotLegalHere(f"set {number}, {show(tiles)}, cannot be split after {show(after)}")
        return self._put(number, tiles[:end])._put(self.next_number, tiles[end:])

    def join(self, source: int, target: int) -> Self:
        """Lay all tiles of a pile on another."""
        tiles, onto = self._pile(source).tiles, self._pile(target).tiles
        if source == target:
            raise NotLegalHere(f"set {source} is set {target}")
        return self._put(source, ())._put(target, (*onto, *tiles))

    def sort_rack(self) -> Self:
        """Return the board with its rack sorted."""
        return replace(self, rack=tuple(sorted(self.rack)))

    def renumber(self, table: Sequence[TileSet]) -> Self:
        """Return a board of new sets, each with the number of the pile that it grew from, the others with the lowest free ones.

        >>> before = Board.parse("", "R1-3 | K5 B5 O5", Rules())
        >>> [*before.renumber(Board.parse("", "O1-3 | R5 K5 B5 O5", Rules()).table()).piles]
        [1, 2]
        """
        old = sorted(self.piles)
        matched = match_sets([TileSet(self.piles[number].tiles) for number in old], table)
        numbered = {old[before]: table[after] for before, after in matched.items()}
        left = list(table)
        for tile_set in numbered.values():
            left.remove(tile_set)
        free = (number for number in range(1, len(table) + len(old) + 1) if number not in numbered)
        piles = {number: Pile(tile_set.tiles) for number, tile_set in [*numbered.items(), *zip(free, left, strict=False)]}
        return replace(self, piles=dict(sorted(piles.items())))

    def with_rack_from(self, whole: "Board") -> Self:
        """Return this board with a rack of what another one has beyond its piles."""
        every = Counter(tile.piece for tile in (*whole.rack, *whole._table_tiles())) - Counter(tile.piece for tile in self._table_tiles())
        return replace(self, rack=tuple(sorted(every.elements())))

    def tile_at(self, place: Place, index: int) -> Tile:
        """Return the tile of the rack, the hand or a pile with this index."""
        tiles = self._tiles_at(place)
        if not 0 <= index < len(tiles):
            raise NotLegalHere(f"there is no tile {index + 1} in {'set ' if isinstance(place, int) else 'the '}{place}")
        return tiles[index]

    def left_in_box(self) -> dict[Tile, int]:
        """Return how many of each tile are still in the box; fewer than 0 if too many are on the board."""
        used = Counter(tile.piece for tile in (*self.rack, *self.hand, *self._table_tiles()))
        return {tile: count - used[tile] for tile, count in Counter(box(self.rules)).items()}

    def table(self) -> tuple[TileSet, ...]:
        """Return the piles as sets; an error names the pile that is not one."""
        if self.hand:
            raise NotLegalHere(f"{show(self.hand)} came from the table and must be laid on it again")
        for number, pile in sorted(self.piles.items()):
            if pile.problem:
                raise NotLegalHere(f"set {number}, {show(pile.pieces)}: {pile.problem}")
        return tuple(TileSet(pile.tiles) for _, pile in sorted(self.piles.items()))

    def position(self, *, opened: bool = True) -> Position:
        """Return the position on the board, or say what it lacks."""
        if not self.rack and not self.piles:
            raise NotLegalHere("pick the tiles of your rack, or type them")
        check_supply([*self.rack, *self._table_tiles()], self.rules)
        table = self.table()
        if not self.rack:
            raise NotLegalHere("no tiles on the rack")
        return Position(table, self.rack, self.rules, opened)

    def commands(self, solution: Solution) -> Iterator[str]:
        """Give the commands that carry a solution out on the board of its position."""
        left, number_of = dict(self.piles), dict[int, int]()
        for i, tile_set in enumerate(solution.position.table):
            number_of[i] = next(number for number, pile in left.items() if pile.tiles == tile_set.tiles)
            del left[number_of[i]]
        # A pile that is emptied meanwhile gives its number back; so new ones are numbered as the commands come.
        board = self
        for step in find_steps(solution):
            if step.target not in number_of:
                number_of[step.target] = board.next_number
                first = f"new {show(step.tiles)}"
            else:
                first = f"{show(step.tiles)} to {number_of[step.target]}"
            if step.source == step.target:
                commands = [f"{show(step.lifted)} from {number_of[step.source]}", first]
            elif step.source >= 0 and first.startswith("new"):
                commands = [f"{first} from {number_of[step.source]}"]
            elif step.source >= 0:
                commands = [f"{show(step.tiles)} from {number_of[step.source]} to {number_of[step.target]}"]
            else:
                commands = [first]
            for command in (*commands, *(f"{joker} from {number_of[step.target]}" for joker in step.freed)):
                board = board.run(command)
                yield command
        yield from board._joker_commands(solution.table)

    def _joker_commands(self, table: Sequence[TileSet]) -> Iterator[str]:
        """Give the commands after which jokers stand for what they do in ``table``, where nothing said so before."""
        meant = Counter(joker for tile_set in table for joker in tile_set.jokers)
        for number, pile in sorted(self.piles.items()):
            built = TileSet(pile.tiles)
            target = next(tile_set for tile_set in table if tile_set.column == built.column and Counter(tile_set.jokers) <= meant)
            meant -= Counter(target.jokers)
            before, after = Counter(built.jokers), Counter(target.jokers)
            for old, new in zip((before - after).elements(), (after - before).elements(), strict=True):
                yield from (f"{old} from {number}", f"{new} to {number}")

    def _tiles(self, text: str) -> tuple[Tile, ...]:
        return tuple(tile for tile, _ in read_tiles(text, self.rules))

    def _table_tiles(self) -> list[Tile]:
        return [tile for pile in self.piles.values() for tile in pile.tiles]

    def _pile(self, number: int) -> Pile:
        if number not in self.piles:
            raise NotLegalHere(f"no set {number} on the table ({', '.join(map(str, sorted(self.piles))) or 'there are none'})")
        return self.piles[number]

    def _tiles_at(self, place: Place) -> tuple[Tile, ...]:
        if isinstance(place, int):
            return self._pile(place).tiles
        return {"rack": self.rack, "hand": self.hand}.get(place, ())

    def _find(self, tile: Tile, source: Place) -> tuple[Place, int]:
        """Return the place and index of a tile; of two jokers that of the one that stands for the tile named."""
        if source == "box":
            if self.left_in_box().get(tile.piece, 0) < 1:
                raise NotLegalHere(f"the box has no {tile.long_name} any more")
            return "box", 0
        if isinstance(source, int):
            tiles = self._pile(source).tiles
            index = next((i for face in (tile, tile.piece) for i, other in enumerate(tiles) if face in (other, other.piece)), None)
            if index is None:
                raise NotLegalHere(f"{tile.piece} is not in set {source}, {show(tiles)}")
            return source, index
        for place in ("hand", "rack"):
            if tile.piece in self._tiles_at(place):
                return place, self._tiles_at(place).index(tile.piece)
        where = [number for number, pile in sorted(self.piles.items()) if tile.piece in pile.pieces]
        hint = f" (set {where[0]} has one: {tile.piece} from {where[0]})" if where else ""
        raise NotLegalHere(f"{tile.piece} is not on your rack{hint}")

    def _without(self, place: Place, index: int) -> Self:
        if place == "box":
            return self
        self.tile_at(place, index)
        tiles = self._tiles_at(place)
        return self._put(place, (*tiles[:index], *tiles[index + 1 :]))

    def _into(self, board: Self, tiles: Sequence[Tile], target: Place) -> Self:
        """Return a board from which tiles of this one were taken with the tiles in their target."""
        if target == "new":
            return board._put(self.next_number, tiles)
        self._tiles_at(target)
        # The tiles may have been the last of their pile.
        before = board._tiles_at(target) if target in ("rack", "hand", *board.piles) else ()
        return board._put(target, (*before, *tiles))

    def _put(self, number: Place, tiles: Sequence[Tile]) -> Self:
        """Return the board with other tiles in a place; in a pile in order of a set or by number, without the pile if there are none."""
        if not isinstance(number, int):
            pieces = tuple(tile.piece for tile in tiles)
            return self if number == "box" else replace(self, rack=pieces) if number == "rack" else replace(self, hand=pieces)
        piles = {other: pile for other, pile in self.piles.items() if other != number}
        if tiles:
            pile = Pile.of(tiles, self.rules)
            by_number = sorted(tiles, key=lambda tile: (tile.number or self.rules.numbers + 1, tile.colour))
            piles[number] = replace(pile, tiles=tuple(by_number)) if pile.problem else pile
        return replace(self, piles=piles)
