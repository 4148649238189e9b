"""Players: one that plays anything simple, one that never rearranges, one that is best for the turn, one that holds jokers back.

>>> sorted(PLAYERS)
['greedy', 'optimal', 'patient', 'random']
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from meldlab.errors import NoSuchThing
from meldlab.play import Chance, Player, RandomPlayer
from meldlab.rummikub.game import Play, Turn, View
from meldlab.rummikub.position import Position
from meldlab.rummikub.sets import TileSet, grow
from meldlab.rummikub.solution import Objective, Solution
from meldlab.rummikub.solver import solve
from meldlab.rummikub.tiles import JOKER, Tile

POINTS = Objective("value", "none")


def simple_table(position: Position) -> tuple[tuple[TileSet, ...], tuple[Tile, ...]]:
    """Return the table and the rack after the best sets from the rack alone, then single tiles added wherever they fit."""
    own = solve(replace(position, table=()), POINTS)
    table, rack = [*position.table, *own.table], Counter(own.leftover)
    added = True
    while added:
        added = False
        for tile in sorted(rack, reverse=True):
            for i, tile_set in enumerate(table):
                grown = grow(tile_set, tile, position.rules)
                if grown and rack[tile]:
                    table[i], added = grown, True
                    rack -= Counter([tile])
    return tuple(table), tuple(sorted(rack.elements()))


@dataclass(frozen=True)
class Greedy:
    """Lays the best sets its rack has, then adds tiles to sets one by one, and never moves a tile that lies."""

    name: str = "greedy"

    def choose(self, view: View, chance: Chance) -> Turn:
        """Return the play, or do nothing."""
        if not view.opened[view.seat]:
            return _played(view, solve(replace(view.position, rules=replace(view.rules, after_opening="wait")), POINTS))
        table, left = simple_table(view.position)
        return Play(table) if len(left) < len(view.rack) else view.idle


@dataclass(frozen=True)
class Optimal:
    """Plays as many points as the turn allows."""

    name: str = "optimal"

    def choose(self, view: View, chance: Chance) -> Turn:
        """Return the best play, or do nothing."""
        return _played(view, best_turn(view))


@dataclass(frozen=True)
class Patient:
    """Best for the turn without its jokers; plays them to go out, or when another rack or the pool runs low."""

    name: str = "patient"
    few: int = 4

    def choose(self, view: View, chance: Chance) -> Turn:
        """Return the play, or do nothing."""
        near = min(size for seat, size in enumerate(view.sizes) if seat != view.seat)
        if JOKER not in view.rack or not view.opened[view.seat] or near <= self.few or not view.pool:
            return _played(view, best_turn(view))
        everything = best_turn(view)
        if not everything.leftover:
            return Play(everything.table)
        saved = solve(replace(view.position, rack=tuple(tile for tile in view.rack if not tile.joker)), POINTS)
        return _played(view, saved)


PLAYERS: Mapping[str, Player[View, Turn]] = {player.name: player for player in (RandomPlayer(), Greedy(), Optimal(), Patient())}


def find_player(name: str) -> Player[View, Turn]:
    """Return the player of that name."""
    if name not in PLAYERS:
        raise NoSuchThing("player", name, PLAYERS)
    return PLAYERS[name]


def best_turn(view: View) -> Solution:
    """Return the play of most points."""
    return solve(view.position, POINTS)


def _played(view: View, solution: Solution) -> Turn:
    return Play(solution.table) if solution.played else view.idle
