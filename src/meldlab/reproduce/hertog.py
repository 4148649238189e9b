"""Den Hertog and Hulshof's integer program for Rummikub: its sets counted, its model built and solved, its errors shown."""

from collections import Counter
from importlib import import_module
from itertools import product
from typing import Any

from meldlab.chance import Purpose, derive_seed
from meldlab.reports.plot import BLUE, ORANGE, Plot, columns, new_figure
from meldlab.reproduce.claims import Outcome
from meldlab.reproduce.run import Context, Outcomes
from meldlab.rummikub import DIFFICULTIES, JOKER, Column, Objective, Position, Rules, random_position, solve, violations
from meldlab.rummikub import columns as set_columns
from meldlab.rummikub.integer_program import cpu_seconds

COLOURS, NUMBERS, TILES = Rules().colours, Rules().numbers, Rules().tiles
LENGTHS = (3, 4, 5)
M = 40  # the weight of a tile against an unchanged set, in the paper's second model
# Table 1: sets without, with one and with two jokers.
TABLE_1 = {
    "runs of 3": (44, 92, 52),
    "runs of 4": (40, 124, 132),
    "runs of 5": (36, 148, 233),
    "groups of 3": (52, 78, 0),
    "groups of 4": (13, 52, 78),
}


def counted_sets() -> dict[str, tuple[int, int, int]]:
    """Return table 1 as it should be: sets by kind, without, with one and with two jokers.

    >>> counted_sets()["runs of 5"]
    (36, 148, 232)
    """
    counts = Counter((_kind(column), column.jokers) for column in set_columns())
    return {row: (counts[row, 0], counts[row, 1], counts[row, 2]) for row in TABLE_1}


def _kind(column: Column) -> str:
    """Return the row of a set; one number and two jokers reads as a run of three before it reads as a group, as in the paper."""
    one_number = len({tile.number for tile in column.naturals}) == 1
    return f"{'groups' if one_number and len(column.naturals) > 1 else 'runs'} of {len(column)}"


def claims(context: Context) -> Outcomes:
    """Yield the outcome of each claim of the paper."""
    table = counted_sets()
    misprinted = ("runs of 5", 2)
    cells = [table[row][jokers] for row in table for jokers in range(3) if (row, jokers) != misprinted]
    yield "table-1", Outcome(f"{sum(cells)} sets in these cells, counted by enumeration (exact)", cells)
    two, whole = sum(row[2] for row in table.values()), len(set(set_columns()))
    yield "table-1-fives", Outcome(f"{table['runs of 5'][2]}, {two} and {whole} (exact)", [table["runs of 5"][2], two, whole])
    runs = [table[f"runs of {size}"][jokers] // COLOURS for jokers in range(3) for size in LENGTHS]
    groups = [table[f"groups of {size}"][jokers] // NUMBERS for jokers in range(3) for size in (3, 4)]
    yield "per-colour", Outcome("; ".join(map(str, runs + groups)), runs + groups)
    six = [jokers for jokers, count in enumerate(table["groups of 4"]) if count == 6 * NUMBERS]
    text = f"the six groups of a number have {' or '.join(map(str, six))} jokers each"
    yield "one-joker-or-two", Outcome(text, six[0] if len(six) == 1 else None)
    sums = {sum(parts) for count in range(2, 5) for parts in product(LENGTHS, repeat=count)}
    splits = [size in sums for size in range(6, NUMBERS + 1)]
    yield "split", Outcome(f"{sum(splits)} of {len(splits)} lengths", all(splits))
    rack = Position.parse("", "R5 K9 J J")
    right, literal = (_by_the_text(rack, coefficient) for coefficient in (2, 1))
    text = f"with 2: {right[0]} of 4 tiles played, {right[1]} on the table; with 1: {literal[0]} played, and {literal[1]} on the table"
    yield "joker-coefficient", Outcome(text, 2 if (right, literal) == ((3, 3), (4, 6)) else None)
    kinds = len({tile for column in set_columns() for tile in column.pieces})
    yield "size", Outcome(f"{whole} + {kinds} variables, 2 x {kinds} constraints", [whole + kinds, 2 * kinds])
    largest = _max_sets()
    text = f"{largest} sets of {TILES} tiles at most (integer program); {largest} < {M}"
    yield "most-sets", Outcome(text, [largest, M if largest < M else None])
    yield from _positions(context)
    yield from _examples(context)
    yield _public_solver()
    says = "Their table and ours, side by side; one cell differs."
    context.draw("hertog-table-1", "Table 1: theirs and ours", _draw_tables(table), says, "table-1")


def _integer_maximum(goal: list[int], uses: Any, low: Any, high: Any, most: list[int]) -> list[int]:
    """Return non-negative integers, each at most ``most``, with the largest sum of ``goal``, whose uses are from ``low`` to ``high``."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    rows = LinearConstraint(np.array(uses), low, high)
    result = milp(-np.array(goal), integrality=np.ones(len(goal)), bounds=Bounds(0, most), constraints=rows)
    return [round(value) for value in result.x]


def _max_sets() -> int:
    """Return the largest number of sets on a table: an integer program over all sets, with the tiles of the box."""
    sets = list(set_columns())
    supply = {tile: Rules().jokers if tile == JOKER else Rules().copies for column in sets for tile in column.pieces}
    uses = [[column.pieces.count(tile) for column in sets] for tile in supply]
    return sum(_integer_maximum([1] * len(sets), uses, 0, list(supply.values()), [TILES] * len(sets)))


def _by_the_text(position: Position, coefficient: int) -> tuple[int, int]:
    """Solve the first model for an empty table, with a largest coefficient of the joker; return tiles played, and tiles on the table."""
    rack = Counter(position.rack)
    sets = [column for column in set_columns() if not Counter(column.naturals) - rack]
    uses = []
    for tile in rack:
        laid = [min(coefficient, column.jokers) if tile == JOKER else Counter(column.naturals)[tile] for column in sets]
        uses.append([*laid, *(-int(other == tile) for other in rack)])
    goal, most = [0] * len(sets) + [1] * len(rack), [2] * len(sets) + list(rack.values())
    values = _integer_maximum(goal, uses, 0, 0, most)
    played, counts = sum(values[len(sets) :]), values[: len(sets)]
    return played, sum(count * len(column) for count, column in zip(counts, sets, strict=True))


def _positions(context: Context) -> Outcomes:
    count = context.pick(120, 30, 3)
    feasible = optimal = 0
    spent: dict[str, list[float]] = {kind: [] for kind in DIFFICULTIES}
    for nth in range(count):
        kind = list(DIFFICULTIES)[nth % len(DIFFICULTIES)]
        position = random_position(kind, derive_seed(context.seed, Purpose.AGREEMENT), nth)
        goal = Objective("tiles" if nth // len(DIFFICULTIES) % 2 else "value")
        searched, start = solve(position, goal), cpu_seconds()
        programmed = solve(position, goal, "ilp")
        spent[kind].append(cpu_seconds() - start)
        feasible += not violations(programmed)
        optimal += (
            (searched.objective_value, searched.kept) == (programmed.objective_value, programmed.kept)
            and searched.proven
            and programmed.proven
        )
        context.part(nth + 1, count, "")
    reduced = "" if context.full else f"{count} positions; full: 120"
    yield "feasible", Outcome(f"{feasible} of {count} positions have a legal answer", feasible == count, seed=context.seed, reduced=reduced)
    text = f"on {optimal} of {count} positions the program and an exact search that shares no code with it agree, unchanged sets included"
    yield "second-opinion", Outcome(text, optimal == count, seed=context.seed, reduced=reduced)
    slowest = {kind: max(times) for kind, times in spent.items()}
    median = sorted(seconds for times in spent.values() for seconds in times)[count // 2]
    worst = ", ".join(f"{seconds:.2f} s ({kind})" for kind, seconds in slowest.items())
    text = f"median {median:.2f} s; at most {worst}, processor time of CBC"
    # One slow position must not make a claim of 2006 fail: nine of ten decide.
    quick = sum(seconds < 1 for times in spent.values() for seconds in times)
    yield "a-second", Outcome(f"{text}; {quick} of {count} in less than a second", quick >= 0.9 * count, seed=context.seed, reduced=reduced)


def _examples(context: Context) -> Outcomes:
    position = Position.parse("K10 K11 K12", "O1 O3 O4 R13 B13 J")
    tiles, value = (solve(position, Objective(what, "none"), "ilp") for what in ("tiles", "value"))
    best = f"{value.value} with {value.count} ({', '.join(map(str, value.played))})"
    text = f"most tiles: {tiles.count} worth {tiles.value}; most value: {best}"
    note = "A small position of the same kind; the paper's own exists only as a picture."
    right = tiles.value < value.value and set(map(str, value.played)) == {"R13", "B13", "J"}
    yield "count-or-value", Outcome(text, right, note=note)
    count, more, fewer, same = context.pick(30, 9, 2), 0, 0, 0
    for nth in range(count):
        position = random_position("mid", derive_seed(context.seed, Purpose.AGREEMENT, 1), nth)
        first, second = (solve(position, Objective("value", keep), "ilp") for keep in ("none", "sets"))
        change = _unchanged_sets(position, second.table) - _unchanged_sets(position, first.table)
        more, fewer, same = more + (change > 0), fewer + (change < 0), same + (first.objective_value == second.objective_value)
    text = f"{count} positions: as much is played in {same}, more sets are unchanged in {more}, fewer in {fewer}"
    note = "Random positions; the paper's own exists only as a picture."
    reduced = "" if context.full else "9 positions; full: 30"
    yield "keeps", Outcome(text, same == count and not fewer and more > 0, note=note, seed=context.seed, reduced=reduced)
    yield "examples", Outcome("the text of both examples holds on small positions, above")
    long = Position.parse("R1-6 | K9 B9 O9", "K1 K2 K3")
    answer = solve(long, Objective("value", "sets"), "ilp")
    literal = sum(len(tile_set.tiles) <= max(LENGTHS) for tile_set in long.table)
    text = f"{answer.kept} sets are unchanged; {literal} of them has one of the paper's columns"
    yield "long-runs", Outcome(text, answer.kept if literal == 1 else None)


def _unchanged_sets(position: Position, table: Any) -> int:
    before, after = (Counter(tile_set.column for tile_set in sets) for sets in (position.table, table))
    return sum((before & after).values())


def _public_solver() -> tuple[str, Outcome]:
    """Return the answer of a public solver of the same model for the largest value: a run of three, or the group of its lowest tile."""
    try:
        solver = import_module("rummikub_solver")
    except ImportError:
        return "rival-value", Outcome("not asked", missing_package="rummikub-solver")
    rules, wrong, racks = solver.RuleSet(), 0, list(product(range(COLOURS), range(1, NUMBERS - 1)))
    for colour, number in racks:
        # Its tiles are numbers: 13 a colour from 1.
        run = [NUMBERS * colour + number + step for step in range(3)]
        state = rules.new_game()
        state.add_rack(*run, *(NUMBERS * ((colour + other) % COLOURS) + number for other in (1, 2)))
        answer = rules.solve(state, solver.SolverMode.TOTAL_VALUE)
        wrong += sum((int(tile) - 1) % NUMBERS + 1 for tile in answer.tiles) < 3 * number + 3
    return "rival-value", Outcome(f"less than the most on {wrong} of {len(racks)} racks of five tiles", wrong)


def _draw_tables(table: dict[str, tuple[int, int, int]]) -> Plot:
    """Draw both tables as bars; numbers that differ are bold."""
    figure, panels = new_figure(panels=2, size=(5.6, 4.2))
    sides = ((TABLE_1, "theirs: 1174 sets", ORANGE), (table, "ours: 1173 sets", BLUE))
    for axes, (numbers, title, colour) in zip(panels, sides, strict=True):
        for jokers in range(3):
            rows = [row + 0.27 * (jokers - 1) for row in range(len(numbers))]
            widths = [counts[jokers] for counts in numbers.values()]
            axes.barh(rows, widths, 0.25, color=colour, alpha=1 - 0.3 * jokers, label=f"{jokers} jokers")
            for y, width, kind in zip(rows, widths, numbers, strict=True):
                differs = TABLE_1[kind][jokers] != table[kind][jokers]
                axes.text(width + 2, y, str(width), va="center", fontsize=8, fontweight="bold" if differs else "normal")
        axes.set_yticks(range(len(numbers)), list(numbers))
        axes.invert_yaxis()
        axes.set_xlim(0, 265)
        axes.set_title(title, fontsize=11)
        axes.legend(loc="lower right")
    return figure, columns(
        ("kind", "jokers", "theirs", "ours"),
        [(kind, jokers, TABLE_1[kind][jokers], table[kind][jokers]) for kind in table for jokers in range(3)],
    )
