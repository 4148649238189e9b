"""Den Hertog and Hulshof, "Solving Rummikub Problems by Integer Linear Programming" (The Computer Journal 49, 2006)."""

from collections import Counter

import pytest

from meldlab.reproduce.hertog import TABLE_1
from meldlab.rummikub import Column, Objective, Position, Solution, columns, solve, violations
from meldlab.rummikub.integer_program import IntegerProgram

# The paper prints 233 runs of five with two jokers and 1174 sets in all. Each colour has 9 windows of five numbers; counting the multisets
# of naturals left when two tiles of a window become jokers gives 58 per colour, as the paper's text itself says, and 4 x 58 = 232.
RIGHT = {**TABLE_1, "runs of 5": (36, 148, 232)}


def kind(column: Column) -> str:
    """One number and two jokers reads as a run of three before it reads as a group, as in the paper."""
    one_number = len({tile.number for tile in column.naturals}) == 1
    return "groups of " if one_number and len(column.naturals) > 1 else "runs of "


def test_table_1_counts_1173_sets() -> None:
    found = Counter((kind(column) + str(len(column)), column.jokers) for column in columns())
    assert {row: tuple(found[row, jokers] for jokers in range(3)) for row in RIGHT} == RIGHT
    assert [sum(row[jokers] for row in RIGHT.values()) for jokers in range(3)] == [185, 494, 494]
    assert len(columns()) == len(set(columns())) == 1173


def test_a_set_with_two_jokers_uses_two_jokers() -> None:
    # With a coefficient of 1 the model would lay R5 J J and K9 J J with two jokers in hand.
    table = IntegerProgram(Position.parse("", "R5 K9 J J"), Objective("tiles", "none")).solve()
    assert table is not None
    assert sum(map(len, table)) == 3


@pytest.mark.parametrize("method", ["search", "ilp"])
def test_number_and_value_want_different_moves(method: str) -> None:
    # Example 1 in small: the joker plays three low tiles, or one high one.
    position = Position.parse("K10 K11 K12", "O1 O3 R13 B13 J")
    by_count = solve(position, Objective("tiles", "none"), method)
    by_value = solve(position, Objective("value", "none"), method)
    assert by_count.count == 3
    assert by_value.value == 13 + 13 + 30
    assert {str(tile) for tile in by_value.played} == {"R13", "B13", "J"}


@pytest.mark.parametrize("method", ["search", "ilp"])
def test_the_second_model_keeps_what_it_can(method: str) -> None:
    # Example 2 in small: with the tile played, the group of ones could be broken up or not; the second model does not.
    position = Position.parse("B10 B11 B12 | R1 K1 B1 O1 | K2 K3 K4", "K1")
    answer = solve(position, Objective("value", "sets"), method)
    assert answer.count == 1
    assert answer.kept == 2
    assert not violations(answer)


def test_a_set_kept_is_not_lost_in_the_tolerance() -> None:
    # 35 sets can lie on the table; 1/40 each is far above a solver's tolerance only if the weights are whole.
    goal = Objective("value", "sets")
    position = Position.parse("R1-3 | R4-6 | K1-3", "R7")
    program = IntegerProgram(position, goal)
    assert all(float(weight).is_integer() for weight in program.model.objective.values())
    table = program.solve()
    assert table is not None
    answer = Solution(position, table, goal, proven=True, method="ilp", seconds=0.0)
    assert (answer.objective_value, answer.kept) == (7, 2)
