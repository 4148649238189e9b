"""The paper's integer program: one column per set, one row per tile, solved by CBC.

Den Hertog and Hulshof (2006), with three corrections: two-joker sets count two jokers (read as 0/1 the model lays jokers it does not have);
there are 1173 sets, not 1174; the second objective is made whole (M times the value plus the sets kept), so that no tolerance hides a
set. Runs too long to have a column have one where they already lie on the table, so that they can be kept.

>>> position = Position.parse("R5 R6 R7 | K9 B9 O9", "R8 J")
>>> format_table(IntegerProgram(position, Objective("value")).solve())
'K9 B9 O9 | R5 R6 R7 R8 J=R9'
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pulp

from meldlab.errors import NotLegalHere
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.moving import arranged
from meldlab.rummikub.position import Position, format_table
from meldlab.rummikub.sets import Column, TileSet, best_reading, columns, long_columns
from meldlab.rummikub.solution import Objective
from meldlab.rummikub.tiles import JOKER, Tile

__all__ = ["IntegerProgram", "format_table"]

SPENT = re.compile(r"Total time \(CPU seconds\): +([0-9.]+)")


class IntegerProgram:
    """The model of one position under one objective."""

    def __init__(self, position: Position, objective: Objective, *, floor: int = 0, fixed: Sequence[TileSet] = (), points: int = 0) -> None:
        """Build the model; ``floor`` is a worth known to be reachable, ``fixed`` are sets that must be on the new table.

        With ``points``, the rack alone must yield sets of so many points: those of the new table if the table is empty, else any that
        can be laid before the table is touched.
        """
        self.position, self.objective = position, objective
        rules = position.rules
        on_table = Counter(tile.piece for tile in position.table_tiles)
        on_rack = Counter(position.rack)
        old = Counter(tile_set.column for tile_set in position.table)
        fixed_columns = Counter(tile_set.column for tile_set in fixed)
        self.columns = _laid(position, objective, on_table + on_rack, old + fixed_columns)
        self.model = pulp.LpProblem("rummikub", pulp.LpMaximize)
        must = Counter(objective.required)
        held = on_table + on_rack
        y = {tile: self._whole(f"y_{tile}", must[tile], many) for tile, many in on_rack.items()}
        self.x = [self._whole(_name(column), fixed_columns[column], _most(column, held)) for column in self.columns]
        rows: dict[Tile, dict[Any, int]] = {tile: {} for tile in held}
        for column, x in zip(self.columns, self.x, strict=True):
            for tile in column.naturals:
                rows[tile][x] = 1
            if column.jokers:
                rows[JOKER][x] = column.jokers
        for tile, terms in rows.items():
            if tile in y:
                terms[y[tile]] = -1
            self.model.addConstraint(pulp.LpAffineExpression(terms) == on_table[tile], f"tile_{tile}")
        worth = {variable: objective.weight(tile, rules) for tile, variable in y.items()}
        kept = self._kept(old) if objective.keep == "sets" else self._stayed(position) if objective.keep == "tiles" else {}
        scale = 1 if objective.keep == "none" else max(40, len(position.table_tiles) + 1)
        self.model.setObjective(pulp.LpAffineExpression({variable: scale * weight for variable, weight in worth.items()} | kept))
        if floor:
            self.model.addConstraint(pulp.LpAffineExpression(worth) >= floor, "floor")
        if points:
            self._opened(position, y, points)

    def _opened(self, position: Position, y: dict[Tile, Any], points: int) -> None:
        """Ask for ``points`` in sets from the rack, each column at its best reading."""
        rack = Counter(position.rack)
        first = dict(zip(self.columns, self.x, strict=True))
        if position.table:
            # The first sets may be rearranged before the turn ends, so they have columns of their own.
            possible = [column for column in self.columns if _most(column, rack)]
            first = {column: self._whole(f"o_{_name(column)}", 0, _most(column, rack)) for column in possible}
            for tile, played in y.items():
                used = {variable: Counter(column.pieces)[tile] for column, variable in first.items() if tile in column.pieces}
                self.model.addConstraint(pulp.LpAffineExpression(used) <= played, f"opened_{tile}")
        worth = {variable: best_reading(column, position.rules).points for column, variable in first.items()}
        self.model.addConstraint(pulp.LpAffineExpression(worth) >= points, "opening")

    def _whole(self, name: str, low: int, high: int) -> Any:
        return self.model.add_variable(name, low, high, cat=pulp.LpInteger)

    def _kept(self, old: Counter[Column]) -> dict[Any, int]:
        """Add z <= x, z <= w: sets that lie there before and after."""
        kept = {}
        for column, x in zip(self.columns, self.x, strict=True):
            if old[column]:
                z = self._whole(f"z_{x.name}", 0, old[column])
                self.model.addConstraint(z <= x, f"kept_{x.name}")
                kept[z] = 1
        return kept

    def _stayed(self, position: Position) -> dict[Any, int]:
        """Add one heir at most for each old set, one old set at most for each new one; the tiles they share have stayed."""
        stayed: dict[Any, int] = {}
        given: dict[Any, list[Any]] = {}
        for i, tile_set in enumerate(position.table):
            pieces, mine = Counter(tile_set.column.pieces), []
            for column, x in zip(self.columns, self.x, strict=True):
                common = sum((pieces & Counter(column.pieces)).values())
                if common:
                    heir = self._whole(f"h_{i}_{x.name}", 0, 1)
                    stayed[heir] = common
                    mine.append(heir)
                    given.setdefault(x, []).append(heir)
            self.model.addConstraint(pulp.lpSum(mine) <= 1, f"heir_of_{i}")
        for x, some in given.items():
            self.model.addConstraint(pulp.lpSum(some) <= x, f"heirs_{x.name}")
        return stayed

    def write(self, path: Path) -> None:
        """Write the model as an LP file."""
        self.model.writeLP(str(path))

    def richest(self, budget: Budget) -> tuple[TileSet, ...]:
        """Return the table whose sets show the most points, each at its best reading."""
        worth = {x: best_reading(column, self.position.rules).points for column, x in zip(self.columns, self.x, strict=True)}
        self.model.setObjective(pulp.LpAffineExpression(worth))
        return self.solve(budget) or ()

    def solve(self, budget: Budget | None = None) -> tuple[TileSet, ...] | None:
        """Return the table of the best move, nothing if no move meets the objective; past the budget raise BudgetExceeded with the best so far."""
        budget = budget or Budget()
        if budget.seconds <= 0:
            raise BudgetExceeded
        given = budget.seconds
        status, values = _by_cbc(self.model, budget)
        if status.startswith("Optimal"):
            return self._table(values)
        # CBC also calls infeasible what it could not finish to prepare in time; only one that stopped early has proven it.
        if "nfeasible" in status and budget.seconds > given / 2:
            return None
        # Other ways to stop, "Stopped on time (no integer solution - continuous used) ..." among them, leave fractions of sets behind.
        raise BudgetExceeded(self._table(values) if status.startswith("Stopped on time - objective") else None)

    def _table(self, values: dict[str, float]) -> tuple[TileSet, ...]:
        laid = Counter[Column]()
        for column, x in zip(self.columns, self.x, strict=True):
            laid[column] += round(values.get(x.name, 0))
        return arranged(laid.elements(), self.position)


def _laid(position: Position, objective: Objective, held: Counter[Tile], old: Counter[Column]) -> list[Column]:
    """Return the columns that the tiles in play allow, and the long runs that matter."""
    possible = [column for column in columns(position.rules) if _most(column, held)]
    if objective.keep == "tiles":
        # A long run may be the heir of a set of which it holds more than any part of it would.
        possible += long_columns((tile for tile in held if not tile.joker), held[JOKER], position.rules)
    known = set(possible)
    return possible + [column for column in old if column not in known]


def _most(column: Column, held: Counter[Tile]) -> int:
    """Return how often a column can be laid."""
    most = min((held[tile] for tile in column.naturals), default=held[JOKER])
    return min(most, held[JOKER] // column.jokers) if column.jokers else most


def _name(column: Column) -> str:
    return "x_" + "_".join(map(str, column.pieces))


def _by_cbc(model: Any, budget: Budget) -> tuple[str, dict[str, float]]:
    """Run CBC within the processor time that is left; return what it says, and the variables that are not 0.

    Whatever interrupts us, a key above all, ends CBC as well.
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
    spent = SPENT.search(ran.stdout)
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
