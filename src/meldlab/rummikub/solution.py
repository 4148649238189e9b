"""Objective and solution of a position.

>>> from meldlab.rummikub.position import parse_table
>>> objective = Objective("value")
>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> solution = Solution(position, parse_table("R5-8 J | K9 B9 O9"), objective, proven=True, method="search", seconds=0.0)
>>> solution.value, solution.count, solution.kept, solution.moved, solution.played
(38, 2, 1, 0, (Tile.parse('R8'), Tile.parse('J')))
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.rummikub.picture import draw
from meldlab.rummikub.position import Position
from meldlab.rummikub.rules import COLOURS, Rules
from meldlab.rummikub.sets import TileSet, take_equal
from meldlab.rummikub.tiles import Tile

OBJECTIVES = ("count", "value", "tiles")
KEEPS = ("sets", "tiles", "none")
HEAVIEST = 10_000
MAX_NUMBERS = 20


@dataclass(frozen=True)
class Objective:
    """The value to maximise, then the change of the table to minimise.

    ``count`` is the most tiles and among equally many the most points, ``value`` the most points, ``tiles`` the most tiles and nothing
    else; the paper has the last two. ``weights`` replaces the objective by a weight for each tile (0 where none is given); ``required`` are
    rack tiles that have to be played.
    """

    measure: str = "count"
    keep: str = "sets"
    weights: Mapping[Tile, int] | None = None
    required: tuple[Tile, ...] = ()

    def __post_init__(self) -> None:
        if self.measure not in OBJECTIVES:
            raise NoSuchThing("objective", self.measure, OBJECTIVES)
        if self.keep not in KEEPS:
            raise NoSuchThing("measure of change", self.keep, KEEPS)
        for tile, weight in (self.weights or {}).items():
            if not isinstance(weight, int) or not 0 <= weight <= HEAVIEST:
                raise NotLegalHere(f"a weight of {weight} for {tile} (0 to {HEAVIEST} can be used)")

    def weight(self, tile: Tile, rules: Rules) -> int:
        """Return what playing a tile is worth."""
        if self.weights is not None:
            return self.weights.get(tile, 0)
        points = rules.joker_value if tile.joker else tile.number
        # One tile more outweighs all the points there are.
        return {"count": rules.points + 1 + points, "value": points, "tiles": 1}[self.measure]

    def total(self, tiles: Iterable[Tile], rules: Rules) -> int:
        """Return what playing some tiles is worth."""
        return sum(self.weight(tile.piece, rules) for tile in tiles)


@dataclass(frozen=True)
class Solution:
    """A move: the whole new table and whether it is proven that no better one exists.

    ``method`` names the solver (``search``, ``ilp`` or ``search, then ilp``); ``seconds`` is the elapsed time of the call.
    """

    position: Position
    table: tuple[TileSet, ...]
    objective: Objective
    proven: bool
    method: str
    seconds: float = 0.0

    @cached_property
    def played(self) -> tuple[Tile, ...]:
        """Return the tiles of the new table that the old one does not have, sorted."""
        played = Counter(tile.piece for tile_set in self.table for tile in tile_set.tiles)
        played.subtract(tile.piece for tile in self.position.table_tiles)
        return tuple(sorted(played.elements()))

    @property
    def count(self) -> int:
        """Return how many tiles were played."""
        return len(self.played)

    @property
    def value(self) -> int:
        """Return the points of the tiles played, a joker counting what the rules say."""
        return Objective("value").total(self.played, self.position.rules)

    @property
    def objective_value(self) -> int:
        """Return the value that the objective maximises."""
        return self.objective.total(self.played, self.position.rules)

    @property
    def kept_sets(self) -> tuple[TileSet, ...]:
        """Return the table sets that are unchanged: the same tiles, whatever a joker stands for."""
        return take_equal(self.position.table, Counter(tile_set.column for tile_set in self.table))

    @property
    def kept(self) -> int:
        """Return how many table sets are unchanged."""
        return len(self.kept_sets)

    @property
    def moved(self) -> int:
        """Return how many table tiles changed their set, at the least."""
        pairs = match_sets(self.position.table, self.table)
        return len(self.position.table_tiles) - sum(
            shared(self.position.table[old].tiles, self.table[new].tiles) for old, new in pairs.items()
        )

    @property
    def leftover(self) -> tuple[Tile, ...]:
        """Return the tiles that stay on the rack."""
        return tuple(sorted((Counter(self.position.rack) - Counter(self.played)).elements()))

    def _repr_svg_(self) -> str:
        sources = {new: old for old, new in match_sets(self.position.table, self.table).items()}
        came, new, moved = Counter(self.played), list[tuple[int, int]](), list[tuple[int, int]]()
        for number, tile_set in enumerate(self.table):
            stayed = Counter(tile.piece for tile in self.position.table[sources[number]].tiles) if number in sources else Counter[Tile]()
            for index, tile in enumerate(tile_set.tiles):
                if stayed[tile.piece]:
                    stayed[tile.piece] -= 1
                elif came[tile.piece]:
                    came[tile.piece] -= 1
                    new.append((number, index))
                else:
                    moved.append((number, index))
        tiles, sure = "tile" if self.count == 1 else "tiles", "proven best" if self.proven else "not proven best"
        said = f"{self.count} {tiles}, {self.value} points, {self.moved} moved; {sure}" if self.played else "nothing to play: draw"
        return draw([tile_set.tiles for tile_set in self.table], self.leftover, new, moved, said)


def shared(old: Iterable[Tile], new: Iterable[Tile]) -> int:
    """Return how many tiles two sets have in common, jokers as jokers."""
    return (Counter(tile.piece for tile in old) & Counter(tile.piece for tile in new)).total()


def match_sets(before: Sequence[TileSet], after: Sequence[TileSet]) -> dict[int, int]:
    """Pair old sets with new ones, each at most once, so that as many tiles as possible stay where they are.

    >>> from meldlab.rummikub.position import parse_table
    >>> match_sets(parse_table("R1-6"), parse_table("R1-3 | R4-7"))
    {0: 0}
    """
    if not before or not after:
        return {}
    # Among equal pairings the first sets stay first; a set that stays whole beats two that stay in part.
    ours, theirs = (tile_counts(tile_set.tiles for tile_set in table) for table in (before, after))
    ours, theirs = ours[:, None], theirs[None]
    gain = 1000 * np.minimum(ours, theirs).sum(2) + (ours == theirs).all(2)
    rows, places = linear_sum_assignment(gain, maximize=True)
    return {int(old): int(new) for old, new in zip(rows, places, strict=True) if gain[old, new]}


def tile_counts(sets: Iterable[Iterable[Tile]], colours: int = len(COLOURS), numbers: int = MAX_NUMBERS) -> NDArray[np.int64]:
    """Return how many of each tile sets have, shape (sets, tiles); jokers are the last tile."""
    rows = [[-1 if tile.joker else numbers * tile.colour + tile.number - 1 for tile in tiles] for tiles in sets]
    counts = np.zeros((len(rows), colours * numbers + 1), np.int64)
    for row, places in zip(counts, rows, strict=True):
        for place in places:
            row[place] += 1
    return counts
