"""The best move as an integer program: one column per set, one row per tile, solved by CBC.

Den Hertog and Hulshof (2006), with three corrections: two-joker sets use two jokers (read as 0/1 the model uses jokers it does not have);
there are 1173 sets, not 1174; the second objective is made whole (M times the value plus the unchanged sets), so that no tolerance hides a
set. Runs longer than the paper's have a column where they can matter: on the table already, with jokers that may not go anywhere, and
where the fewest tiles are to be moved.

>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> format_table(IntegerProgram(position, Objective("value")).solve())
'K9 B9 O9 | R5 R6 R7 R8 J=R9'
"""

import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pulp

from meldlab.errors import NotLegalHere
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.joker_rules import allowed_readings, required_tiles, restricts
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns, long_columns, readings, take_equal
from meldlab.rummikub.solution import Objective, shared, tile_counts
from meldlab.rummikub.tiles import JOKER, Tile

CPU_SECONDS = re.compile(r"Total time \(CPU seconds\): +([0-9.]+)")
NEW = -1  # the old set of a new set that succeeds none


class JokerUse(NamedTuple):
    """The jokers of a set: table jokers that stay in it, how many were freed or come from the rack, and a rack tile for freed ones."""

    staying: tuple[int, ...] = ()
    freed: int = 0
    from_rack: int = 0
    rack_tile: Tile | None = None


class Placement(NamedTuple):
    """A set of the new table: its column, its jokers, and the old set that it succeeds."""

    column: Column
    jokers: JokerUse = JokerUse()
    old_set: int = NEW


class IntegerProgram:
    """The model of one position under one objective, with the joker rule as rows."""

    def __init__(
        self,
        position: Position,
        objective: Objective,
        *,
        value: int | None = None,
        max_moved: int | None = None,
        opening_points: int = 0,
    ) -> None:
        """Build the model; with ``max_moved`` it moves the fewest tiles, at most this number, for a ``value`` known to be reachable.

        With ``opening_points`` the rack alone must yield sets of this number of points: those of the new table if the old one is empty,
        else any that can be laid before the table is touched.
        """
        self.position, self.objective, self.max_moved = position, objective, max_moved
        rules = position.rules
        self.rack = Counter(position.rack)
        self.table = Counter(tile.piece for tile in position.table_tiles)
        self.held = self.table + self.rack
        self.jokers = [(i, tile) for i, tile_set in enumerate(position.table) for tile in tile_set.jokers]
        self.restricted = restricts(position)
        self.old_columns = dict.fromkeys(tile_set.column for tile_set in position.table)
        self.model = pulp.LpProblem("rummikub", pulp.LpMaximize)
        required = Counter(objective.required)
        self.y = {tile: self._integer(f"y_{tile}", required[tile], count) for tile, count in self.rack.items()}
        self.placements = list(self._placements())
        copies = [1 if place.jokers.staying or place.old_set != NEW else max_copies(place.column, self.held) for place in self.placements]
        self.x = [self._integer(f"x{n}_{_name(place)}", 0, copies[n]) for n, place in enumerate(self.placements)]
        self._add_tile_rows()
        if self.restricted:
            self._add_joker_rows()
        points = {variable: objective.weight(tile, rules) for tile, variable in self.y.items()}
        if value is not None:
            self._add(points, ">=", value, "value")
        if max_moved is None:
            second = self._unchanged_sets() if objective.keep == "sets" else {}
            scale = 1 if objective.keep == "none" else max(40, len(position.table_tiles) + 1)
            self.model.setObjective(pulp.LpAffineExpression({variable: scale * weight for variable, weight in points.items()} | second))
        else:
            self._add_successor_rows(max_moved)
        if opening_points:
            self._add_opening_rows(opening_points)

    def write(self, path: Path) -> None:
        """Write the model as an LP file."""
        self.model.writeLP(str(path))

    def solve_for_points(self, budget: Budget) -> tuple[TileSet, ...]:
        """Return the table whose sets show the most points, each at its best reading."""
        points = {x: best_reading(place.column, self.position.rules).points for place, x in zip(self.placements, self.x, strict=True)}
        self.model.setObjective(pulp.LpAffineExpression(points))
        return self.solve(budget) or ()

    def solve(self, budget: Budget | None = None) -> tuple[TileSet, ...] | None:
        """Return the table of the best move, or None if no move meets the constraints.

        Raise BudgetExceeded, with the best table found if there is one, when the time is over.
        """
        budget = budget or Budget()
        if budget.seconds <= 0:
            raise BudgetExceeded
        given = budget.seconds
        status, values = _run_cbc(self.model, budget)
        if status.startswith("Optimal"):
            return self._new_table(values)
        # CBC also calls infeasible what it could not finish to prepare in time; only one that stopped early has proven it.
        if "nfeasible" in status and budget.seconds > given / 2:
            return None
        # Other ways to stop, "Stopped on time (no integer solution - continuous used) ..." among them, leave fractions of sets behind.
        raise BudgetExceeded(self._new_table(values) if status.startswith("Stopped on time - objective") else None)

    def _new_table(self, values: Mapping[str, float]) -> tuple[TileSet, ...]:
        laid = Counter[Column]()
        for place, x in zip(self.placements, self.x, strict=True):
            laid[place.column] += round(values.get(x.name, 0))
        table = arranged(laid.elements(), self.position)
        allowed = allowed_readings(self.position, table)
        if allowed is None:
            raise AssertionError(f"the joker rows allow {format_table(table)} in {self.position!r}")
        return allowed

    def _integer(self, name: str, low: int, high: int) -> Any:
        return self.model.add_variable(name, low, high, cat=pulp.LpInteger)

    def _add(self, terms: Mapping[Any, int], relation: str, bound: int, name: str) -> None:
        left = pulp.LpAffineExpression(terms)
        self.model.addConstraint(left == bound if relation == "==" else left <= bound if relation == "<=" else left >= bound, name)

    # ---- sets

    def _placements(self) -> Iterator[Placement]:
        possible: Iterable[tuple[Column, int]] = ((column, NEW) for column in self._columns())
        if self.max_moved is not None:
            possible = successors(self.position, self._columns(), self.max_moved)
        for column, old_set in possible:
            for use in self._joker_uses(column):
                yield Placement(column, use, old_set)

    def _columns(self) -> list[Column]:
        """Return the columns that the tiles in play allow, and the long runs that can matter."""
        rules = self.position.rules
        possible = [column for column in columns(rules) if max_copies(column, self.held)]
        naturals = [tile for tile in self.held if not tile.joker]
        if self.max_moved is not None:
            # A long run may succeed a set of which it holds more than any part of it would.
            possible += long_columns(naturals, self.held[JOKER], rules)
        elif self.restricted:
            possible += [column for column in long_columns(naturals, self.held[JOKER], rules) if column.jokers]
        known = set(possible)
        return possible + [column for column in self.old_columns if column not in known]

    def _unchanged_sets(self) -> dict[Any, int]:
        """Add z <= x, z <= w: sets that are on the table before and after."""
        old = Counter(tile_set.column for tile_set in self.position.table)
        same: dict[Column, dict[Any, int]] = {column: {} for column in old}
        for place, x in zip(self.placements, self.x, strict=True):
            if place.column in same:
                same[place.column][x] = -1
        unchanged = {}
        for n, (column, terms) in enumerate(same.items()):
            z = self._integer(f"z_{n}", 0, old[column])
            self._add({z: 1} | terms, "<=", 0, f"kept_{n}")
            unchanged[z] = 1
        return unchanged

    def _add_tile_rows(self) -> None:
        rows: dict[Tile, dict[Any, int]] = {tile: {} for tile in self.held}
        for place, x in zip(self.placements, self.x, strict=True):
            for tile in place.column.naturals:
                rows[tile][x] = 1
            if place.column.jokers:
                rows[JOKER][x] = place.column.jokers
        for tile, terms in rows.items():
            self._add(terms | ({self.y[tile]: -1} if tile in self.y else {}), "==", self.table[tile], f"tile_{tile}")

    # ---- jokers

    def _joker_uses(self, column: Column) -> Iterator[JokerUse]:
        """Give what the jokers of a column may be; without a joker rule that matters, one use stands for all."""
        if not self.restricted or not column.jokers:
            yield JokerUse()
            return
        shown = [{tile for tile in reading if tile.joker} for reading in readings(column, self.position.rules)]
        rests = self._rests(column)
        for size in range(min(column.jokers, len(self.jokers)) + 1):
            for staying in combinations(range(len(self.jokers)), size):
                tiles = {self.jokers[k][1] for k in staying}
                own = self._own_tiles(staying)
                if len(tiles) < size or own is None or not own <= set(column.naturals) or not any(tiles <= jokers for jokers in shown):
                    continue
                for freed in range(min(column.jokers, len(self.jokers)) - size + 1):
                    from_rack = column.jokers - size - freed
                    if from_rack > self.rack[JOKER]:
                        continue
                    # A freed joker needs a rack tile in its set, a joker or one that is not of an old set that stays whole.
                    partners = [tile for tile in column.naturals if self.rack[tile] and not self._is_old(tile, staying)] if freed else []
                    for tile in partners if freed and not from_rack else [None]:
                        needed = tiles | own | ({tile} if tile else set())
                        if not any(needed <= rest for rest in rests):
                            yield JokerUse(staying, freed, from_rack, tile)

    def _own_tiles(self, staying: tuple[int, ...]) -> set[Tile] | None:
        """Return the numbered tiles that must be in the set of staying jokers; None if these jokers cannot stay in one set.

        Under the strict rule they are the old set's, and the very tiles of its other jokers.
        """
        if self.position.rules.joker_rule != "strict" or not staying:
            return set()
        (i, *others) = {self.jokers[k][0] for k in staying}
        return (
            None if others else {tile.stands_for for tile in self.position.table[i].tiles} - {self.jokers[k][1].stands_for for k in staying}
        )

    def _is_old(self, tile: Tile, staying: tuple[int, ...]) -> bool:
        strict = self.position.rules.joker_rule == "strict"
        return strict and bool(staying) and tile in self.position.table[self.jokers[staying[0]][0]].tiles

    def _rests(self, column: Column) -> list[set[Tile]]:
        """Return what is left of a long run without an end that is a set without jokers; a use that fits such a rest needs no long run."""
        rules = self.position.rules
        if len(column) <= rules.longest_run or rules.round_the_corner or self.max_moved is not None or column in self.old_columns:
            return []
        size, rests = rules.smallest, list[set[Tile]]()
        for tiles in readings(column, rules):
            for end, rest in ((tiles[:size], tiles[size:]), (tiles[-size:], tiles[:-size])):
                if not any(tile.joker for tile in end):
                    rests.append(set(rest))
        return rests

    def _add_joker_rows(self) -> None:
        """Add the joker rule: a joker stays or is freed, the rack pays for exchanges, and a freed joker is in a set with a rack tile."""
        freeing: dict[Any, tuple[tuple[int, ...], Counter[Tile]]] = {}
        for size in range(len(self.jokers) + 1):
            for chosen in combinations(range(len(self.jokers)), size):
                for needed in required_tiles(self.position, [self.jokers[k] for k in chosen]):
                    freeing[self._integer(f"d_{len(freeing)}", 0, 1)] = chosen, needed
        self._add(dict.fromkeys(freeing, 1), "==", 1, "one_way_to_free")
        stays: list[dict[Any, int]] = [{d: 1 for d, (chosen, _) in freeing.items() if k in chosen} for k in range(len(self.jokers))]
        freed = {d: -len(chosen) for d, (chosen, _) in freeing.items()}
        from_rack: dict[Any, int] = {}
        partners: dict[Tile, dict[Any, int]] = defaultdict(dict)
        holders: dict[int, dict[Any, int]] = defaultdict(dict)
        for place, x in zip(self.placements, self.x, strict=True):
            use = place.jokers
            for k in use.staying:
                stays[k][x] = 1
                holders[self.jokers[k][0]][x] = 1
            if use.freed:
                freed[x] = use.freed
            if use.from_rack:
                from_rack[x] = use.from_rack
            if use.rack_tile:
                partners[use.rack_tile][x] = 1
        for k, terms in enumerate(stays):
            self._add(terms, "==", 1, f"joker_{k}")
        self._add(freed, "==", 0, "freed")
        self._add(from_rack | ({self.y[JOKER]: -1} if JOKER in self.y else {}), "==", 0, "jokers_from_rack")
        for tile, terms in partners.items():
            self._add(terms | {self.y[tile]: -1}, "<=", 0, f"beside_{tile}")
        for tile, y in self.y.items():
            terms = {d: needed[tile] for d, (_, needed) in freeing.items() if needed[tile]}
            if terms:
                self._add(terms | {y: -1}, "<=", 0, f"exchange_{tile}")
        if self.position.rules.joker_rule == "strict":
            for i, terms in holders.items():
                self._add(terms, "<=", 1, f"whole_{i}")

    # ---- the fewest tiles moved, and the opening

    def _add_successor_rows(self, max_moved: int) -> None:
        """Ask for one successor of each old set at most, and for the fewest tiles moved."""
        rows: list[dict[Any, int]] = [{} for _ in self.position.table]
        stayed = {}
        for place, x in zip(self.placements, self.x, strict=True):
            if place.old_set != NEW:
                rows[place.old_set][x] = 1
                stayed[x] = shared(self.position.table[place.old_set].tiles, place.column.pieces)
        for i, terms in enumerate(rows):
            # More tiles than may move cannot be without a successor.
            self._add(terms, "==" if len(self.position.table[i]) > max_moved else "<=", 1, f"successor_{i}")
        self._add(stayed, ">=", len(self.position.table_tiles) - max_moved, "moved")
        self.model.setObjective(pulp.LpAffineExpression(stayed))

    def _add_opening_rows(self, points: int) -> None:
        """Ask for points in sets from the rack, each column at its best reading."""
        first = {place.column: x for place, x in zip(self.placements, self.x, strict=True)}
        if self.position.table:
            # The first sets may be rearranged before the turn ends, so they have columns of their own.
            possible = [column for column in columns(self.position.rules) if max_copies(column, self.rack)]
            first = {column: self._integer(f"o_{n}", 0, max_copies(column, self.rack)) for n, column in enumerate(possible)}
            for tile, played in self.y.items():
                used = {variable: count for column, variable in first.items() if (count := column.pieces.count(tile))}
                self._add(used | {played: -1}, "<=", 0, f"opened_{tile}")
        worth = {variable: best_reading(column, self.position.rules).points for column, variable in first.items()}
        self._add(worth, ">=", points, "opening")


def successors(position: Position, candidates: list[Column], max_moved: int) -> Iterator[tuple[Column, int]]:
    """Give the pairs of a column and an old set, or none, that move at most this number of tiles between them."""
    box = position.rules.colours, position.rules.numbers
    new, (rack,) = tile_counts((column.pieces for column in candidates), *box), tile_counts([position.rack], *box)
    for column in np.flatnonzero(np.maximum(new - rack, 0).sum(1) <= max_moved):
        yield candidates[column], NEW
    for i, old in enumerate(tile_counts((tile_set.tiles for tile_set in position.table), *box)):
        shared = np.minimum(new, old).sum(1)
        coming = np.maximum(new - old - rack, 0).sum(1)
        for column in np.flatnonzero((shared > 0) & (old.sum() - shared + coming <= max_moved)):
            yield candidates[column], i


def arranged(laid: Iterable[Column], position: Position) -> tuple[TileSet, ...]:
    """Return columns as sets, those of the old table first and in their old reading."""
    new = Counter(laid)
    return (*take_equal(position.table, new), *(best_reading(column, position.rules) for column in sorted(new.elements())))


def max_copies(column: Column, held: Counter[Tile]) -> int:
    """Return how often a column can be laid."""
    most = min((held[tile] for tile in column.naturals), default=held[JOKER])
    return min(most, held[JOKER] // column.jokers) if column.jokers else most


def _name(place: Placement) -> str:
    return "_".join(map(str, place.column.pieces)) + (f"_s{place.old_set}" if place.old_set != NEW else "")


def _run_cbc(model: Any, budget: Budget) -> tuple[str, dict[str, float]]:
    """Run CBC within the processor time that is left; return its status, and the variables that are not 0.

    An interrupt of this process ends CBC as well.
    """
    with TemporaryDirectory() as folder:
        problem, solution = Path(folder, "model.mps"), Path(folder, "solution.txt")
        _, names, *_ = model.writeMPS(str(problem), rename=1)
        seconds = max(0.1, budget.seconds)
        limits = ["-sec", f"{seconds:.2f}", "-timeMode", "cpu", "-ratio", "0", "-allow", "0"]
        try:
            ran = subprocess.run(
                [_cbc_path(), str(problem), "-max", *limits, "-solve", "-printingOptions", "normal", "-solution", str(solution)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
            )  # fmt: skip
            lines = solution.read_text().splitlines()
        except (OSError, subprocess.CalledProcessError):
            raise NotLegalHere("the integer program cannot be solved here: CBC does not run") from None
    spent = CPU_SECONDS.search(ran.stdout)
    budget.charge(float(spent[1]) if spent else seconds)
    ours = {short: name for name, short in names.items()}
    rows = (line.removeprefix("**").split() for line in lines[1:])
    return lines[0], {ours[row[1]]: float(row[2]) for row in rows if row and row[1] in ours}


def _cbc_path() -> str:
    # PuLP 3 carries a CBC that is five times as quick here as the one of its extra 'cbc'; PuLP 4 has only the extra.
    carried = getattr(pulp, "PULP_CBC_CMD", None)
    return str(carried.pulp_cbc_path if carried else import_module("cbcbox").cbc_bin_path())


def cpu_seconds() -> float:
    """Return the processor time of this process and of the solvers it has run."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
