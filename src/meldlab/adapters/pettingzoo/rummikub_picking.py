"""A turn put together tile by tile: one picks what to play from the rack, and the table is arranged by search.

>>> turn = Picking(Position.parse("R5 R6 R7 | K3 B3 O3", "R8 R9 K1"))
>>> turn.open, turn.table
((Tile.parse('R8'), Tile.parse('R9')), None)
>>> turn = turn.pick(Tile.parse("R9"))
>>> turn.open, turn.table
((Tile.parse('R8'),), None)
>>> format_table(turn.pick(Tile.parse("R8")).table)
'K3 B3 O3 | R5 R6 R7 R8 R9'
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from meldlab.errors import NotLegalHere
from meldlab.rummikub.budget import NODES, SECONDS, BudgetExceeded
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.sets import TileSet
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.solver import solve_if_possible
from meldlab.rummikub.tiles import Tile

__all__ = ["Picking", "format_table"]


@dataclass(frozen=True)
class Picking:
    """The tiles picked so far for a turn; nothing can be picked that leads to no play.

    So every set of rack tiles that can be played at once is reached, in any order of its tiles, and no player is ever stuck. Where the
    search comes to no end within ``nodes`` (which jokers under a joker rule can cause), a tile counts as unplayable.
    """

    position: Position
    picked: tuple[Tile, ...] = ()
    unplayable: frozenset[Tile] = frozenset()
    """Tiles that could not join what was picked before; then they cannot join more either."""
    plays: tuple[Solution, ...] = ()
    """Turns found before that use all that is picked."""
    nodes: int = NODES
    seconds: float = SECONDS

    @cached_property
    def _looked(self) -> tuple[tuple[Tile, ...], frozenset[Tile], tuple[Solution, ...]]:
        left, unplayable, plays = Counter(self.position.rack) - Counter(self.picked), set(self.unplayable), list(self.plays)
        # A turn that was found vouches for all its tiles.
        fits = {tile for play in plays for tile in Counter(play.played) - Counter(self.picked)}
        for tile in sorted(left):
            if tile not in unplayable and tile not in fits:
                play = self._play(self.position, (*self.picked, tile))
                if play is None:
                    unplayable.add(tile)
                else:
                    plays.append(play)
                    fits |= set(Counter(play.played) - Counter(self.picked))
        return tuple(sorted(fits)), frozenset(unplayable), tuple(plays)

    @property
    def open(self) -> tuple[Tile, ...]:
        """Return the kinds of tiles that can be picked next, sorted."""
        return self._looked[0]

    @cached_property
    def table(self) -> tuple[TileSet, ...] | None:
        """Return the table with exactly the tiles picked, as few sets changed as possible; None where they do not make a play."""
        if not self.picked:
            return None
        play = self._play(replace(self.position, rack=self.picked), self.picked, keep="sets")
        if play is None:
            play = next((play for play in self.plays if Counter(play.played) == Counter(self.picked)), None)
        return None if play is None else play.table

    def pick(self, tile: Tile) -> "Picking":
        """Return the turn with one tile more."""
        fits, unplayable, plays = self._looked
        if tile not in fits:
            raise NotLegalHere(f"{tile} cannot be played with {' '.join(map(str, self.picked)) or 'this table'}")
        picked = tuple(sorted((*self.picked, tile)))
        vouching = tuple(play for play in plays if not Counter(picked) - Counter(play.played))
        return replace(self, picked=picked, unplayable=unplayable, plays=vouching)

    def _play(self, position: Position, must: tuple[Tile, ...], keep: str = "none") -> Solution | None:
        try:
            return solve_if_possible(
                position, Objective("tiles", keep, required=tuple(sorted(must))), nodes=self.nodes, seconds=self.seconds
            )
        except BudgetExceeded:
            return None
