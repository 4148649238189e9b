"""The fewest table tiles moved: against brute force on small decks, and on positions of all kinds."""

import pytest

from meldlab.rummikub import PRESETS, Objective, Position, Rules, random_position, solve, violations
from meldlab.rummikub.budget import Budget
from meldlab.rummikub.integer_program import IntegerProgram
from meldlab.rummikub.rules import JOKER_RULES
from meldlab.rummikub.solution import OBJECTIVES
from meldlab.rummikub.solver import fewest_moved
from tests.rummikub.small_deck import most_value_fewest_moved, small_position

OFFICIAL = PRESETS["official"]


@pytest.mark.parametrize("joker_rule", JOKER_RULES)
@pytest.mark.parametrize(("jokers", "copies", "colours"), [(2, 1, 3), (1, 2, 3), (2, 2, 2)])
def test_fewest_moved_equals_brute_force(joker_rule: str, jokers: int, copies: int, colours: int) -> None:
    rules = Rules(colours=colours, numbers=6, copies=copies, jokers=jokers, joker_rule=joker_rule)
    for nth in range(6):
        position = small_position(23, nth, rules, sets=2, rack=4)
        objective = Objective(OBJECTIVES[nth % 3], "tiles")
        solution = solve(position, objective)
        assert (solution.objective_value, solution.moved) == most_value_fewest_moved(position, objective), repr(position)
        assert solution.proven
        assert not violations(solution), repr(position)


@pytest.mark.parametrize(("joker_rule", "difficulty", "count"), [("free", "easy", 12), ("free", "mid", 4), ("modern", "easy", 12)])
def test_fewest_moved_keeps_the_value_and_moves_no_more_than_keeping_sets(joker_rule: str, difficulty: str, count: int) -> None:
    fewer = 0
    for nth in range(count):
        position = random_position(difficulty, 31, nth, Rules(joker_rule=joker_rule))
        fewest, kept = solve(position, Objective("value", "tiles")), solve(position, Objective("value", "sets"))
        assert (fewest.objective_value, fewest.proven) == (kept.objective_value, True)
        assert fewest.moved <= kept.moved
        assert kept.kept >= fewest.kept
        assert not violations(fewest), repr(position)
        fewer += fewest.moved < kept.moved
    assert fewer > 0, "to keep sets was as good: the test tested nothing"


@pytest.mark.parametrize(("nth", "moved"), [(0, 4), (3, 0), (7, 1)])
def test_fewest_moved_on_a_crowded_table_equals_the_search_that_found_it_once(nth: int, moved: int) -> None:
    solution = solve(random_position("hard", 5, nth), Objective(OBJECTIVES[nth % 3], "tiles"))
    assert (solution.proven, solution.moved) == (True, moved)
    assert not violations(solution)


# A search over the sets in which jokers end called 5, 4 and 1 the fewest here.
@pytest.mark.parametrize(("nth", "moved"), [(9, 3), (14, 3), (62, 0)])
def test_fewest_moved_with_modern_jokers_is_the_least(nth: int, moved: int) -> None:
    solution = solve(random_position("easy", 2026, nth, OFFICIAL), Objective("value", "tiles"))
    assert (solution.moved, solution.proven) == (moved, True)
    assert not violations(solution)


def test_fewest_moved_with_many_ways_to_free_two_jokers_takes_less_than_a_second() -> None:
    table = "R1 J=R2 R3 R4 | R8 K8 B8 J=O8 | K6 B6 O6 + R5 R6 R9 R10 K10 K13 K13 B7 B9 B10 O3 O11 O12"
    solution = solve(Position.parse(table, rules=OFFICIAL), Objective(keep="tiles"), seconds=1.0)
    assert (solution.moved, solution.proven) == (1, True)


def test_fewest_moved_needs_no_program_where_nothing_moves() -> None:
    solution = solve(Position.parse("R5 J=R6 R7 | K1-3 + R8 K4", rules=OFFICIAL), Objective(keep="tiles"))
    assert (solution.moved, solution.count, solution.proven, solution.method) == (0, 2, True, "search")


def test_fewest_moved_splits_a_run_for_a_joker_without_room() -> None:
    # The run has no end left: the joker can only be between two halves of it, and the smaller half is moved.
    solution = solve(Position.parse("R1-13", "J"), Objective(keep="tiles"))
    assert (solution.count, solution.moved, solution.proven, solution.method) == (1, 2, True, "search, then ilp")


def test_fewest_moved_plays_the_required_tiles() -> None:
    position = Position.parse("R3 R4 R5 | K5 B5 O5", "R5 R6")
    solution = solve(position, Objective("value", "tiles", required=(position.rack[0],)))
    assert position.rack[0] in solution.played
    assert solution.proven


def test_fewest_moved_out_of_time_keeps_the_solution_unproven() -> None:
    solution = solve(random_position("easy", 31, 3), Objective(keep="sets"))
    assert solution.moved > 0
    late = fewest_moved(solution, Budget(seconds=0.0))
    assert (late.table, late.proven) == (solution.table, False)


def test_fewest_moved_of_an_opening_that_continues_still_opens() -> None:
    rules = Rules(after_opening="manipulate")
    position = Position.parse("R5 R6 R7 R8 | K8 B8 O8", "K10 K11 K12 R9 O2", rules, opened=False)
    solution = solve(position, Objective("value", "tiles"))
    assert not violations(solution)
    assert solution.proven


def test_program_without_a_move_within_the_limit_has_no_table() -> None:
    position = random_position("easy", 31, 3)
    least = solve(position, Objective("value", "tiles"))
    assert least.moved > 0
    program = IntegerProgram(position, Objective("value"), value=least.objective_value, max_moved=least.moved - 1)
    assert program.solve() is None
