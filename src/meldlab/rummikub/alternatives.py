"""All best moves, and what it would cost to play a certain tile.

>>> position = Position.parse("R3 R4 R5 | K5 B5 O5", "R5 R6")
>>> for table in every_best(solve(position, Goal(keep="none"))):
...     print(show_table(table))
R3 R4 R5 R6 | R5 K5 B5 O5
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from meldlab.errors import NotLegalHere
from meldlab.rummikub.answer import Answer, Goal
from meldlab.rummikub.jokers import obeying_table
from meldlab.rummikub.position import Position, show_table
from meldlab.rummikub.search import Pool, covers, search
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns, long_columns
from meldlab.rummikub.solve import solve, solve_if_possible
from meldlab.rummikub.tiles import Tile

__all__ = ["WhyNot", "every_best", "show_table", "solve", "why_not"]


@dataclass(frozen=True)
class WhyNot:
    """What the best move is worth, and the best move that plays a certain tile, if there is any."""

    tile: Tile
    best: Answer
    with_tile: Answer | None

    @property
    def cost(self) -> int | None:
        """Return what insisting on the tile gives away."""
        return self.best.worth - self.with_tile.worth if self.with_tile else None


def why_not(position: Position, tile: Tile, goal: Goal | None = None, method: str = "search") -> WhyNot:
    """Compare the best move with the best one that plays ``tile``.

    >>> why_not(Position.parse("R3 R4 R5", "R6 K9"), Tile.parse("K9")).with_tile is None
    True
    """
    wanted = goal or Goal()
    if tile not in position.rack:
        raise NotLegalHere(f"{tile} is not on the rack")
    best = solve(position, wanted, method)
    return WhyNot(tile, best, solve_if_possible(position, replace(wanted, must=(tile,)), method))


def every_best(answer: Answer, limit: int = 20, seconds: float = 20.0) -> list[tuple[TileSet, ...]]:
    """Return the tables that are as good as ``answer``'s, each once, at most ``limit`` of them and within ``seconds``.

    The lowest tile that is left lies in one of the sets that begin with it, or stays on the rack; the search says which of these ways
    can still be best.
    """
    position, goal = answer.position, answer.goal
    if not covers(position.rules) or goal.keep == "tiles":
        raise NotLegalHere("all best moves are listed only for rules that the search knows, keeping sets or nothing")
    cost = goal.total(position.rack, position.rules) - answer.worth, len(position.table) - answer.kept if goal.keep == "sets" else 0
    pool = Pool.of(position, goal)
    naturals = {tile for tile in (*position.table_tiles, *position.rack) if not tile.joker}
    jokers = pool.must_jokers + pool.may_jokers
    by_lowest: dict[Tile, list[Column]] = {}
    for column in (*columns(position.rules), *long_columns(naturals, jokers, position.rules)):
        if column.jokers <= jokers and naturals.issuperset(column.naturals) and column.naturals:
            by_lowest.setdefault(column.naturals[0], []).append(column)
    ways = _ways(pool, sorted(naturals), by_lowest, cost, (), list(position.table), time.perf_counter() + seconds, keep=goal.keep == "sets")
    readable = (tuple(best_reading(column, position.rules) for column in way) for way in dict.fromkeys(ways))
    obeying = (obeying_table(position, table) for table in readable)
    return list(islice((table for table in obeying if table), limit))


def _ways(
    pool: Pool,
    tiles: list[Tile],
    by_lowest: dict[Tile, list[Column]],
    budget: tuple[int, int],
    chosen: tuple[Column, ...],
    old: list[TileSet],
    until: float,
    *,
    keep: bool,
) -> Iterator[tuple[Column, ...]]:
    if time.perf_counter() > until:
        return
    pool.sets = old if keep else ()
    found = search(pool, keep=keep)
    if found is None or (found.weight_left, found.broken) > budget:
        return
    lowest = next((tile for tile in tiles if pool.must[tile.number - 1, tile.colour] or pool.may[tile.number - 1, tile.colour]), None)
    if lowest is None:
        if not pool.must_jokers:
            yield tuple(sorted(chosen))
        return
    for column in by_lowest.get(lowest, []):
        rest = pool.copy()
        if rest.without(column.pieces):
            same = next((tile_set for tile_set in old if tile_set.column == column), None)
            left = [tile_set for tile_set in old if tile_set is not same]
            yield from _ways(rest, tiles, by_lowest, budget, (*chosen, column), left, until, keep=keep)
    if not pool.must[lowest.number - 1, lowest.colour]:
        rest = pool.copy()
        rest.may[lowest.number - 1, lowest.colour] -= 1
        weight = int(pool.weights[lowest.number - 1, lowest.colour])
        yield from _ways(rest, tiles, by_lowest, (budget[0] - weight, budget[1]), chosen, old, until, keep=keep)
