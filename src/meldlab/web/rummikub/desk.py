"""What lies before a person while a position is put together: a rack in the order they like, and piles that need not be sets yet.

>>> desk = HelperDesk.read("r5-7 k10 j", "B1 B2", Rules())
>>> desk.rack_text, desk.table_text, [pile.why for pile in desk.piles]
('R5 R6 R7 K10 J', 'B1 B2', ['a set has at least 3 tiles'])
>>> desk.after("add B3", to="1").table_text, desk.after("move rack.5 1").table_text
('B1 B2 B3', 'B1 B2 J=B3')
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from meldlab.errors import BadText, NotLegalHere
from meldlab.rummikub import JOKER, PRESETS, Position, Rules, Tile, TileSet, parse_rack
from meldlab.rummikub.position import split_table
from meldlab.rummikub.tiles import NAMES, check_supply, read_tiles, show

__all__ = ["ACTION", "HELD", "PLACE", "HelperDesk", "Pile", "house", "tile_name"]

# What one tap may say; places are the rack, a pile by its number, a pile to begin, the box.
HELD = r"(rack|[1-9]\d?)\.[1-9]\d?\d?"
PLACE = r"(rack|new|[1-9]\d?)"
ACTION = rf"^(add [RKBOJrkboj]\d?\d?|hold {HELD}|put {PLACE[:-1]}|box)|move {HELD} {PLACE[:-1]}|box)|to {PLACE}|sort)$"


def house(rules: str, jokers: str) -> Rules:
    """Return the rules of a preset, with another joker family if one is given.

    >>> house("official", "").joker_rule, house("official", "strict").joker_rule
    ('modern', 'strict')
    """
    return replace(PRESETS[rules], joker_rule=jokers) if jokers else PRESETS[rules]


def tile_name(text: str) -> str:
    """Return the full name of a tile, as a reader of screens says it.

    >>> tile_name("K10"), tile_name("J"), tile_name("J=R6")
    ('black 10', 'joker', 'joker as red 6')
    """
    if text == "J":
        return "joker"
    return f"joker as {tile_name(text[2:])}" if text.startswith("J=") else f"{NAMES[text[0]]} {text[1:]}"


@dataclass(frozen=True)
class Pile:
    """Tiles that lie together, and why they are no set; nothing if they are one."""

    tiles: tuple[Tile, ...]
    why: str

    @classmethod
    def of(cls, tiles: tuple[Tile, ...], rules: Rules) -> Self:
        """Return a pile as it would lie: as a set where it is one, its jokers as they were as far as they can be."""
        for some in (tiles, tuple(tile.piece for tile in tiles)):
            try:
                return cls(TileSet.parse(show(some), rules).tiles, "")
            except BadText as problem:
                why = problem.problem
        return cls(tiles, why.partition(": ")[2] or why)


@dataclass(frozen=True)
class HelperDesk:
    """A rack and piles; tiles by their place from 1, as ``rack.3`` or ``2.1``."""

    rack: tuple[Tile, ...]
    table: tuple[tuple[Tile, ...], ...]
    rules: Rules

    @classmethod
    def read(cls, rack: str, table: str, rules: Rules) -> Self:
        """Read both lines; more tiles than the box holds at all are refused."""
        parse_rack(rack, rules)  # refuses a joker that stands for something
        held = tuple(tile for tile, _ in read_tiles(rack, rules))
        # The whole line is given, so that a caret stands under the right word.
        piles = [tuple(tile for tile, _ in read_tiles(" " * start + part, rules)) for part, start in split_table(table, rules)]
        if len(held) + sum(map(len, piles)) > rules.tiles:
            raise NotLegalHere(f"more tiles than the box holds ({rules.tiles})")
        return cls(held, tuple(pile for pile in piles if pile), rules)

    @cached_property
    def piles(self) -> tuple[Pile, ...]:
        """Return the piles as they lie."""
        return tuple(Pile.of(tiles, self.rules) for tiles in self.table)

    @cached_property
    def rack_text(self) -> str:
        """Return the rack as one line."""
        return show(self.rack)

    @cached_property
    def table_text(self) -> str:
        """Return the table as one line."""
        return " | ".join(show(pile.tiles) for pile in self.piles)

    @cached_property
    def left(self) -> dict[str, int]:
        """Return how many of each tile are in the box still; fewer than none if too many lie here."""
        lying = Counter(tile.piece for tile in (*self.rack, *(tile for pile in self.table for tile in pile)))
        every = [Tile(colour, number) for colour in range(self.rules.colours) for number in range(1, self.rules.numbers + 1)]
        return {str(tile): self.rules.copies - lying[tile] for tile in every} | {"J": self.rules.jokers - lying[JOKER]}

    def position(self, *, opened: bool = True) -> Position:
        """Return the position, or say what is missing from it."""
        if not self.rack and not self.table:
            raise NotLegalHere("pick the tiles of your rack, or type them")
        check_supply([*self.rack, *(tile for pile in self.table for tile in pile)], self.rules)
        for number, pile in enumerate(self.piles, 1):
            if pile.why:
                raise NotLegalHere(f"set {number} is none yet: {pile.why}")
        if not self.rack:
            raise NotLegalHere("no tiles on the rack")
        return Position(tuple(TileSet(pile.tiles) for pile in self.piles), self.rack, self.rules, opened)

    def with_rack_of(self, whole: "HelperDesk") -> "HelperDesk":
        """Return this table with a rack of what another desk has beyond it."""
        every = Counter(tile.piece for tile in (*whole.rack, *(tile for pile in whole.table for tile in pile)))
        every -= Counter(tile.piece for pile in self.table for tile in pile)
        return replace(self, rack=tuple(sorted(every.elements())))

    def after(self, do: str, *, held: str = "", to: str = "rack") -> "HelperDesk":
        """Return the desk after a tap: ``add R5``, ``put 2`` (what is held), ``move 2.1 3``, ``sort``."""
        word, _, rest = do.partition(" ")
        if word == "add":
            tile = Tile.parse(rest)
            if self.left.get(str(tile), 0) < 1:
                raise NotLegalHere(f"the box has no {tile_name(str(tile))} any more")
            return self._with(tile, to)
        if word == "put" and held:
            return self._moved(held, rest)
        if word == "move":
            return self._moved(*rest.split())
        return replace(self, rack=tuple(sorted(self.rack))) if word == "sort" else self

    def tile_at(self, held: str) -> Tile:
        """Return the tile at a place."""
        where, _, nth = held.partition(".")
        holder = self.rack if where == "rack" else self._pile(where)
        if not 1 <= int(nth) <= len(holder):
            raise NotLegalHere(f"there is no tile {held}")
        return holder[int(nth) - 1]

    def _moved(self, held: str, place: str) -> "HelperDesk":
        where, _, nth = held.partition(".")
        if where == place:
            return self
        tile = self.tile_at(held).piece
        holder = self.rack if where == "rack" else self._pile(where)
        rest = holder[: int(nth) - 1] + holder[int(nth) :]
        if where == "rack":
            without = replace(self, rack=rest)
        else:
            # An empty pile keeps its number until the tile lies in its new place.
            without = replace(self, table=(*self.table[: int(where) - 1], rest, *self.table[int(where) :]))
        after = without if place == "box" else without._with(tile, place)
        return replace(after, table=tuple(pile for pile in after.table if pile))

    def _with(self, tile: Tile, place: str) -> "HelperDesk":
        if place == "rack":
            return replace(self, rack=(*self.rack, tile))
        if place == "new":
            return replace(self, table=(*self.table, (tile,)))
        pile = (*self._pile(place), tile)
        return replace(self, table=(*self.table[: int(place) - 1], _sorted(pile), *self.table[int(place) :]))

    def _pile(self, number: str) -> tuple[Tile, ...]:
        if not 1 <= int(number) <= len(self.table):
            raise NotLegalHere(f"no set {number} on the table")
        return self.piles[int(number) - 1].tiles


def _sorted(pile: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return a pile by number, jokers that stand for nothing behind."""
    return tuple(sorted(pile, key=lambda tile: (tile.number or 99, tile.colour)))
