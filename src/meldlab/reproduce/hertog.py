"""Den Hertog and Hulshof's integer program for Rummikub: its sets counted, its model built and solved, its slips shown."""

from collections import Counter
from importlib import import_module
from itertools import product
from typing import Any

from meldlab.chance import Purpose, derive_seed
from meldlab.reports.plot import BLUE, ORANGE, Sheet, blank
from meldlab.reproduce.bench import Findings, Reproducer
from meldlab.reproduce.judging import Obtained
from meldlab.reproduce.printed import TABLE_1
from meldlab.rummikub import DIFFICULTIES, JOKER, Column, Objective, Position, Rules, columns, random_position, solve, violations
from meldlab.rummikub.integer_program import cpu_seconds

__all__ = ["claims", "counted_sets"]

COLOURS, NUMBERS, TILES = Rules().colours, Rules().numbers, Rules().tiles
LENGTHS = (3, 4, 5)
M = 40  # the weight of a tile against a kept set, in the paper's second model


def counted_sets() -> dict[str, tuple[int, int, int]]:
    """Return table 1 as it should be: sets by kind, without, with one and with two jokers.

    >>> counted_sets()["runs of 5"]
    (36, 148, 232)
    """
    found = Counter((_kind(column), column.jokers) for column in columns())
    return {row: (found[row, 0], found[row, 1], found[row, 2]) for row in TABLE_1}


def _kind(column: Column) -> str:
    """Return the row of a set; one number and two jokers reads as a run of three before it reads as a group, as in the paper."""
    one_number = len({tile.number for tile in column.naturals}) == 1
    return f"{'groups' if one_number and len(column.naturals) > 1 else 'runs'} of {len(column)}"


def claims(bench: Reproducer) -> Findings:
    """Give what comes out for each claim of the paper."""
    table = counted_sets()
    misprinted = ("runs of 5", 2)
    cells = [table[row][jokers] for row in table for jokers in range(3) if (row, jokers) != misprinted]
    yield "table-1", Obtained(f"{sum(cells)} sets in these cells, counted by enumeration (exact)", cells)
    two, whole = sum(row[2] for row in table.values()), len(set(columns()))
    yield "table-1-fives", Obtained(f"{table['runs of 5'][2]}, {two} and {whole} (exact)", [table["runs of 5"][2], two, whole])
    runs = [table[f"runs of {size}"][jokers] // COLOURS for jokers in range(3) for size in LENGTHS]
    groups = [table[f"groups of {size}"][jokers] // NUMBERS for jokers in range(3) for size in (3, 4)]
    yield "per-colour", Obtained("; ".join(map(str, runs + groups)), runs + groups)
    six = [jokers for jokers, count in enumerate(table["groups of 4"]) if count == 6 * NUMBERS]
    yield (
        "one-joker-or-two",
        Obtained(f"the six groups of a number have {' or '.join(map(str, six))} jokers each", six[0] if len(six) == 1 else None),
    )
    splits = [any(sum(parts) == size for many in range(2, 5) for parts in product(LENGTHS, repeat=many)) for size in range(6, NUMBERS + 1)]
    yield "split", Obtained(f"{sum(splits)} of {len(splits)} lengths", all(splits))
    rack = Position.parse("", "R5 K9 J J")
    right, literal = (_by_the_text(rack, most) for most in (2, 1))
    told = f"with 2: {right[0]} of 4 tiles played, {right[1]} lie; with 1: {literal[0]} played, and {literal[1]} lie"
    yield "joker-coefficient", Obtained(told, 2 if (right, literal) == ((3, 3), (4, 6)) else None)
    kinds = len({piece for column in columns() for piece in column.pieces})
    yield "size", Obtained(f"{whole} + {kinds} variables, 2 x {kinds} constraints", [whole + kinds, 2 * kinds])
    most = _most_sets()
    yield "most-sets", Obtained(f"{most} sets of {TILES} tiles at most (integer program); {most} < {M}", [most, M if most < M else None])
    yield from _positions(bench)
    yield from _examples(bench)
    yield _rival()
    bench.draw(
        "hertog-table-1", "Table 1: theirs and ours", _drawn(table), "Their table and ours, side by side; one cell differs.", "table-1"
    )


def _most_sets() -> int:
    """Return the most sets that lie on a table at once: an integer program over all sets, with the tiles of the box."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    every = list(columns())
    supply = {tile: Rules().jokers if tile == JOKER else Rules().copies for column in every for tile in column.pieces}
    uses = np.array([[column.pieces.count(tile) for column in every] for tile in supply])
    enough = LinearConstraint(uses, ub=list(supply.values()))
    found = milp([-1] * len(every), integrality=np.ones(len(every)), bounds=Bounds(0, TILES), constraints=enough)
    most: float = -found.fun
    return round(most)


def _by_the_text(position: Position, most: int) -> tuple[int, int]:
    """Solve the first model for an empty table, the joker's coefficient being ``most`` at most; return tiles played, and tiles that lie."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp

    rack = Counter(position.rack)
    some = [column for column in columns() if not Counter(column.naturals) - rack]
    kinds = list(rack)
    uses = np.array([[min(most, column.jokers) if tile == JOKER else Counter(column.naturals)[tile] for column in some] for tile in kinds])
    rows = LinearConstraint(np.hstack((uses, -np.eye(len(kinds)))), 0, 0)
    bounds = Bounds(0, [2] * len(some) + [rack[tile] for tile in kinds])
    goal = [0] * len(some) + [-1] * len(kinds)
    found = milp(goal, integrality=np.ones(len(goal)), bounds=bounds, constraints=rows)
    laid = sum(round(many) * len(column) for many, column in zip(found.x, some, strict=False))
    return round(-found.fun), laid


def _positions(bench: Reproducer) -> Findings:
    many = bench.pick(120, 30, 3)
    feasible = optimal = 0
    spent: dict[str, list[float]] = {kind: [] for kind in DIFFICULTIES}
    for nth in range(many):
        kind = list(DIFFICULTIES)[nth % len(DIFFICULTIES)]
        position = random_position(kind, derive_seed(bench.seed, Purpose.AGREEMENT), nth)
        goal = Objective("tiles" if nth // len(DIFFICULTIES) % 2 else "value")
        one, start = solve(position, goal), cpu_seconds()
        other = solve(position, goal, "ilp")
        spent[kind].append(cpu_seconds() - start)
        feasible += not violations(other)
        optimal += (one.objective_value, one.kept) == (other.objective_value, other.kept) and one.proven and other.proven
        bench.progress((nth + 1) / many)
    reduced = "" if bench.full else f"{many} positions; full: 120"
    yield "feasible", Obtained(f"{feasible} of {many} positions have a legal answer", feasible == many, seed=bench.seed, reduced=reduced)
    told = f"on {optimal} of {many} positions the program and an exact search that shares no code with it agree, kept sets included"
    yield "second-opinion", Obtained(told, optimal == many, seed=bench.seed, reduced=reduced)
    slowest = {kind: max(times) for kind, times in spent.items()}
    middle = sorted(each for times in spent.values() for each in times)[many // 2]
    told = f"median {middle:.2f} s; at most {', '.join(f'{most:.2f} s ({kind})' for kind, most in slowest.items())}, processor time of CBC"
    # One slow position must not make a claim of 2006 fail: nine of ten decide.
    quick = sum(each < 1 for times in spent.values() for each in times)
    yield "a-second", Obtained(f"{told}; {quick} of {many} in less than a second", quick >= 0.9 * many, seed=bench.seed, reduced=reduced)


def _examples(bench: Reproducer) -> Findings:
    position = Position.parse("K10 K11 K12", "O1 O3 R13 B13 J")
    count, value = (solve(position, Objective(what, "none"), "ilp") for what in ("tiles", "value"))
    told = (
        f"most tiles: {count.count} worth {count.value}; most value: {value.value} with {value.count} ({', '.join(map(str, value.played))})"
    )
    note = "A small position of the same kind; the paper's own exists only as a picture."
    yield (
        "count-or-value",
        Obtained(told, count.value < value.value and {str(tile) for tile in value.played} == {"R13", "B13", "J"}, note=note),
    )
    many, more, fewer, same = bench.pick(30, 9, 2), 0, 0, 0
    for nth in range(many):
        position = random_position("mid", derive_seed(bench.seed, Purpose.AGREEMENT, 1), nth)
        first, second = (solve(position, Objective("value", keep), "ilp") for keep in ("none", "sets"))
        kept = _kept(position, first.table), _kept(position, second.table)
        more, fewer, same = (
            more + (kept[1] > kept[0]),
            fewer + (kept[1] < kept[0]),
            same + (first.objective_value == second.objective_value),
        )
    told = f"{many} positions: as much is played in {same}, more sets are kept in {more}, fewer in {fewer}"
    note = "Positions by chance; the paper's own exists only as a picture."
    yield (
        "keeps",
        Obtained(
            told, same == many and not fewer and more > 0, note=note, seed=bench.seed, reduced="" if bench.full else "9 positions; full: 30"
        ),
    )
    yield "examples", Obtained("the text of both examples holds on small positions, above")
    long = Position.parse("R1-6 | K9 B9 O9", "K1 K2 K3")
    answer = solve(long, Objective("value", "sets"), "ilp")
    literal = sum(1 for one in long.table if len(one.tiles) <= max(LENGTHS))
    told = f"{answer.kept} sets are kept; {literal} of them has one of the paper's columns"
    yield "long-runs", Obtained(told, answer.kept if literal == 1 else None)


def _kept(position: Position, table: Any) -> int:
    before, after = (Counter(one.column for one in some) for some in (position.table, table))
    return sum((before & after).values())


def _rival() -> tuple[str, Obtained]:
    """Ask a public solver of the same model for the most value: a run of three, or the group of its lowest tile."""
    try:
        rival = import_module("rummikub_solver")
    except ImportError:
        return "rival-value", Obtained("not asked", absent="rummikub-solver")
    rules, wrong, racks = rival.RuleSet(), 0, list(product(range(COLOURS), range(1, NUMBERS - 1)))
    for colour, number in racks:
        # Its tiles are numbers: 13 a colour from 1.
        run = [NUMBERS * colour + number + step for step in range(3)]
        state = rules.new_game()
        state.add_rack(*run, *(NUMBERS * ((colour + other) % COLOURS) + number for other in (1, 2)))
        answer = rules.solve(state, rival.SolverMode.TOTAL_VALUE)
        wrong += sum((int(tile) - 1) % NUMBERS + 1 for tile in answer.tiles) < 3 * number + 3
    return "rival-value", Obtained(f"less than the most on {wrong} of {len(racks)} racks of five tiles", wrong)


def _drawn(table: dict[str, tuple[int, int, int]]) -> Sheet:
    """Draw both tables as bars; where they differ the numbers stand in bold."""
    figure, panels = blank(panels=2, size=(5.6, 4.2))
    for axes, numbers, title, colour in zip(
        panels, (TABLE_1, table), ("theirs: 1174 sets", "ours: 1173 sets"), (ORANGE, BLUE), strict=True
    ):
        for jokers in range(3):
            places = [row + 0.27 * (jokers - 1) for row in range(len(numbers))]
            widths = [each[jokers] for each in numbers.values()]
            axes.barh(places, widths, 0.25, color=colour, alpha=1 - 0.3 * jokers, label=f"{jokers} jokers")
            for place, width, row in zip(places, widths, numbers, strict=True):
                differs = TABLE_1[row][jokers] != table[row][jokers]
                axes.text(width + 2, place, str(width), va="center", fontsize=8, fontweight="bold" if differs else "normal")
        axes.set_yticks(range(len(numbers)), list(numbers))
        axes.invert_yaxis()
        axes.set_xlim(0, 265)
        axes.set_title(title, fontsize=11)
        axes.legend(loc="lower right")
    rows = [(row, jokers, TABLE_1[row][jokers], table[row][jokers]) for row in table for jokers in range(3)]
    return figure, dict(zip(("kind", "jokers", "theirs", "ours"), map(list, zip(*rows, strict=True)), strict=True))
