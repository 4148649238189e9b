"""What is built on the solvers: checker, moves, opening, alternatives, puzzles."""

from collections import Counter
from dataclasses import replace

import pytest

from meldlab.errors import NotLegalHere
from meldlab.rummikub import (
    Alternatives,
    Objective,
    Position,
    Rules,
    Solution,
    Tile,
    find_alternatives,
    make_puzzle,
    opening_points,
    parse_table,
    solve,
    violations,
    why_not,
)
from meldlab.rummikub.joker_rules import is_allowed
from meldlab.rummikub.random_positions import box
from tests.rummikub.small_deck import all_columns, small_position, tables


def laid(position: Position, table: str) -> Solution:
    return Solution(position, parse_table(table, position.rules), Objective(), proven=True, method="by hand", seconds=0.0)


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("R5 R6 R7 R8", "K9 has left the table"),
        ("R5 R6 R7 R8 R9 | K9 B9 O9", "R9 came from nowhere"),
        ("R5 R6 R7 | R8 R9 R10 | K9 B9 O9", "R10 came from nowhere"),
    ],
)
def test_the_checker_sees_tiles_come_and_go(table: str, fault: str) -> None:
    assert fault in violations(laid(Position.parse("R5 R6 R7 | K9 B9 O9", "R8"), table))


def test_the_checker_sees_sets_that_are_none() -> None:
    answer = solve(Position.parse("R5 R6 R7 | K9 B9 O9", "R8"))
    assert not violations(answer)
    first, second = answer.table
    crooked = replace(first, tiles=first.tiles[::-1] if not first.is_group else first.tiles)
    twisted = replace(second, tiles=second.tiles[::-1] if not second.is_group else second.tiles)
    assert [fault for fault in violations(replace(answer, table=(crooked, twisted))) if fault.endswith("is not a set")]


@pytest.mark.parametrize(
    ("family", "before", "rack", "after", "obeys"),
    [
        # Nobody replaced the joker, and it stands alone: free only.
        ("free", "R5 R6 R7 J=R8", "O1 O2", "R5 R6 R7 | O1 O2 J=O3", True),
        # The very tile frees the joker; it joins a set with a rack tile.
        ("modern", "R5 J=R6 R7", "R6 O1 O2", "R5 R6 R7 | O1 O2 J=O3", True),
        ("strict", "R5 J=R6 R7", "R6 O1 O2", "R5 R6 R7 | O1 O2 J=O3", True),
        # Another tile that keeps the set legal: modern only.
        ("modern", "J=R6 R7 R8", "R9 O1 O2", "R7 R8 R9 | O1 O2 J=O3", True),
        ("strict", "J=R6 R7 R8", "R9 O1 O2", "R7 R8 R9 | O1 O2 J=O3", False),
        # A joker cannot go where no rack tile is.
        ("modern", "R5 J=R6 R7 | O1 O2 O3", "R6", "R5 R6 R7 | O1 O2 O3 J=O4", False),
        # A set with a joker loses a tile: modern counts the joker as its tile, strict forbids it.
        ("modern", "R5 J=R6 R7 R8", "K8 B8", "R5 J=R6 R7 | R8 K8 B8", True),
        ("strict", "R5 J=R6 R7 R8", "K8 B8", "R5 J=R6 R7 | R8 K8 B8", False),
        # It may grow in both.
        ("strict", "R5 J=R6 R7", "R8", "R5 J=R6 R7 R8", True),
        # Nobody replaced the joker.
        ("modern", "R5 R6 R7 J=R8", "O1 O2", "R5 R6 R7 | O1 O2 J=O3", False),
        ("strict", "R5 R6 R7 J=R8", "O1 O2", "R5 R6 R7 | O1 O2 J=O3", False),
    ],
)
def test_joker_families_by_example(family: str, before: str, rack: str, after: str, obeys: bool) -> None:
    position = Position.parse(before, rack, Rules(joker_rule=family))
    assert is_allowed(position, parse_table(after)) == obeys


@pytest.mark.parametrize("method", ["search", "ilp"])
@pytest.mark.parametrize(
    ("rack", "played"),
    [
        ("R10 R11 R12 K1", "R10 R11 R12"),
        ("R9 R10 R11", "R9 R10 R11"),
        ("R9 R10 J", "R9 R10 J"),  # the joker is an 11: 30
        ("R8 R9 J", ""),  # at best 8 + 9 + 10
        ("R13 K13 J", "R13 K13 J"),
        ("R1 R2 R3 K2 K3 K4 B2 B3 B4 O1 O2 O3", "R1 R2 R3 K2 K3 K4 B2 B3 B4 O1 O2 O3"),  # 6 + 9 + 9 + 6, each tile needed
        ("R1 R2 R3 K2 K3 K4 B1 B2 B3 O1 O2 O3", ""),  # all of them: 27
        ("R5 J J K1 K2", ""),
        ("R11 J J K1 K2", "R11 J J"),
    ],
)
def test_openings(method: str, rack: str, played: str) -> None:
    position = Position.parse("R1 K1 B1", rack, opened=False)
    answer = solve(position, Objective("count"), method)
    assert answer.proven
    assert not violations(answer)
    assert set(played.split()) <= {str(tile) for tile in answer.played}
    assert bool(played) == bool(answer.played)
    assert answer.kept == 1
    assert (opening_points(answer) >= 30) == bool(played)


def test_an_opening_need_not_be_the_longest_move() -> None:
    # Four low tiles and K2 make more tiles than points; the opening takes the group of kings' worth first.
    answer = solve(Position.parse("", "R10 K10 B10 B8 B9", opened=False), Objective("count"))
    assert sum(one.points for one in answer.table) >= 30
    assert answer.count == 3


def test_after_the_opening_the_turn_may_go_on() -> None:
    rack, table = "R10 R11 R12 O10", "K9 B9 O9 | O11 O12 O13"
    waits = solve(Position.parse(table, rack, opened=False))
    goes_on = solve(Position.parse(table, rack, Rules(after_opening="manipulate"), opened=False))
    assert waits.count == 3
    assert goes_on.count == 4
    assert not violations(goes_on)
    assert not solve(Position.parse(table, "O10", Rules(after_opening="manipulate"), opened=False)).played


def test_a_third_of_random_racks_can_open() -> None:
    # 35.0 +- 0.3 % without jokers; 1500 racks give a standard error of 1.2 %.
    from meldlab.play import Deal

    tiles = [tile for tile in box() if not tile.joker]
    racks = [Deal(8, nth).chance(0, 0).stream().sample(tiles, 14) for nth in range(1500)]
    opened = sum(bool(solve(Position((), tuple(sorted(rack)), opened=False)).played) for rack in racks)
    assert 0.35 - 0.05 < opened / len(racks) < 0.35 + 0.05


def test_all_best_moves() -> None:
    position = Position.parse("R3 R4 R5 R6 R7", "K3 B3 K7 B7")
    best = solve(position, Objective(keep="none"))
    every = find_alternatives(best).tables
    assert len(every) == len(set(every)) > 0
    for table in every:
        assert not violations(replace(best, table=table))
        assert replace(best, table=table).objective_value == best.objective_value


def test_all_best_moves_by_brute_force() -> None:
    rules = Rules(colours=3, numbers=6, copies=1, jokers=1)
    for nth in range(6):
        position = small_position(2, nth, rules, sets=2, rack=5)
        best = solve(position, Objective(keep="none"))
        must = Counter(tile.piece for tile in position.table_tiles)
        held = must + Counter(position.rack)
        choice = [column for column in all_columns(rules) if not Counter(column.pieces) - held]
        count = sum(sum(map(len, some)) - must.total() == best.count for some in tables(held, must, choice))
        every = find_alternatives(best, limit=10_000)
        assert every.complete
        assert len(every.tables) == (count if best.played else 0), repr(position)


def test_why_not() -> None:
    position = Position.parse("R3 R4 R5", "R6 R7 R8 K6 B6")
    doubt = why_not(solve(position), Tile.parse("K6"))
    assert doubt.with_tile is not None
    assert Tile.parse("K6") in doubt.with_tile.played
    assert doubt.cost == doubt.best.count - doubt.with_tile.count
    with pytest.raises(NotLegalHere, match="O1 is not on the rack"):
        why_not(solve(position), Tile.parse("O1"))


@pytest.mark.parametrize("hard", [False, True])
def test_puzzles_are_unique_and_not_simple(hard: bool) -> None:
    puzzle = make_puzzle(2, hard=hard)
    again = make_puzzle(2, hard=hard)
    assert (again.position, again.solution.table) == (puzzle.position, puzzle.solution.table)
    assert puzzle.simple < puzzle.solution.count
    assert puzzle.solution.moved >= (5 if hard else 2)
    assert find_alternatives(puzzle.solution, limit=5) == Alternatives((find_alternatives(puzzle.solution).tables[0],), complete=True)
    assert not violations(puzzle.solution)
