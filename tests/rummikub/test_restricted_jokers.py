"""Jokers that may not go anywhere: crowded tables proven, the program against the search, and sets that count as kept."""

from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

import pytest

from meldlab.rummikub import JOKER, Objective, Position, Rules, Tile, integer_program_of, random_position, solve, violations
from meldlab.rummikub.joker_rules import allowed_readings
from meldlab.rummikub.search import Problem, search
from meldlab.rummikub.solution import OBJECTIVES
from tests.rummikub.small_deck import least_cost, small_position

JOKER_RULES = ["modern", "strict"]


def both_lying(seed: int, family: str) -> Iterator[Position]:
    """Give late positions with both jokers on the table."""
    made = (random_position("hard", seed, nth, Rules(joker_rule=family)) for nth in count())
    return (position for position in made if JOKER not in position.rack)


def crowded(family: str, many: int) -> list[Position]:
    """Return late positions with both jokers on the table, of which the best free move is against the rules."""
    return list(islice((position for position in both_lying(7, family) if against_the_rules(position)), many))


def against_the_rules(position: Position) -> bool:
    found = search(Problem.of(position, Objective("value")))
    return found is not None and allowed_readings(position, found.table) is None


@pytest.mark.parametrize("family", JOKER_RULES)
def test_crowded_tables_are_proven(family: str) -> None:
    for position in crowded(family, 4):
        answer = solve(position, Objective("value"))
        assert answer.proven, repr(position)
        assert answer.method == "search, then ilp"
        assert not violations(answer), repr(position)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_no_free_answer_is_better_and_no_anchored_one(family: str) -> None:
    for position in crowded(family, 4):
        goal = Objective("value")
        answer, free = solve(position, goal), search(Problem.of(position, goal))
        assert free is not None
        left = goal.total(position.rack, position.rules) - answer.objective_value
        assert (left, len(position.table) - answer.kept) >= (free.weight_left, free.broken)
        # To leave the sets with jokers as they are is always allowed.
        calm = solve(Position(tuple(one for one in position.table if not one.jokers), position.rack), goal)
        stays = sum(bool(one.jokers) for one in position.table)
        assert (answer.objective_value, answer.kept) >= (calm.objective_value, calm.kept + stays)


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize(("seed", "nth"), [(1, 146), (102, 384)])
def test_a_tile_that_must_be_left_is_proven(family: str, seed: int, nth: int) -> None:
    # The search alone took 900,000 states for the first, and 700,000 for the free move of the second.
    answer = solve(random_position("hard", seed, nth, Rules(joker_rule=family)), Objective("value"))
    assert answer.proven
    assert not violations(answer)


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize(("difficulty", "count"), [("easy", 8), ("mid", 4)])
def test_program_and_search_agree(family: str, difficulty: str, count: int) -> None:
    for nth in range(count):
        position = random_position(difficulty, 41, nth, Rules(joker_rule=family))
        goal = Objective(OBJECTIVES[nth % 3])
        by_search, by_program = solve(position, goal), solve(position, goal, "ilp")
        assert (by_search.objective_value, by_search.kept) == (by_program.objective_value, by_program.kept), repr(position)
        assert by_search.proven
        assert by_program.proven
        assert not violations(by_program), repr(position)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_four_jokers_are_proven_within_five_seconds(family: str) -> None:
    position = small_position(1, 1, Rules(jokers=4, joker_rule=family), sets=6, rack=12)
    answer = solve(position, seconds=5.0)
    assert (answer.proven, answer.method) == (True, "ilp")
    assert not violations(answer)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_out_of_time_joker_sets_stay_as_they_are(family: str) -> None:
    (position,), goal = crowded(family, 1), Objective("value")
    best, late = solve(position, goal), solve(position, goal, seconds=0.0)
    assert not late.proven
    assert not violations(late)
    assert 0 < late.objective_value <= best.objective_value
    assert {one for one in position.table if one.jokers} <= set(late.table)


@pytest.mark.parametrize("method", ["search", "ilp"])
@pytest.mark.parametrize("family", JOKER_RULES)
def test_a_set_is_kept_though_an_equal_tile_lies_elsewhere(family: str, method: str) -> None:
    # R4 R5 R6 with the freed joker takes R5 and R6 from the rack; the run R3-R6 on the table keeps its own.
    rules = Rules(colours=3, numbers=6, jokers=1, joker_rule=family)
    position = Position.parse("R3 K3 J=B3 | R4 K4 B4 | R3 R4 R5 R6", "R5 R6 B3 B4 B5", rules)
    answer = solve(position, Objective("value"), method)
    assert (answer.value, answer.kept, answer.proven) == (14, 2, True)
    assert not violations(answer)
    assert least_cost(position, Objective("value")) == (9, 1)


def test_a_joker_may_lie_where_one_that_stood_for_the_same_tile_lay() -> None:
    # O2 frees the joker of the run; that of the group is an O5 too and takes its place, so the run is kept.
    position = Position.parse(
        "B9-13 | K1-3 | K11 B11 O11 | K3 B3 O3 | K5-8 | K6-8 | O3 O4 J=O5 | R1 B1 O1 | R1 B1 O1 | R10 B10 O10 | R13 K13 B13 O13 |"
        "R13 K13 O13 | R2 K2 O2 | R2-5 | R5 K5 B5 J=O5 | R6-9 | R7 B7 O7 | R9 K9 B9 O9",
        "R8 R10 R12 K4 K9 K10 K10 K11 K12 B2 B2 B4 B5 B6 B7 B8 O6 O7 O8 O10 O11",
        Rules(joker_rule="modern"),
    )
    answer = solve(position, Objective("value"))
    assert (answer.value, answer.kept, answer.proven) == (162, 13, True)


def test_a_set_taken_out_of_a_problem_leaves_equal_tiles_to_kept_sets() -> None:
    position = Position.parse("R4 R5 R6", "R4 R5 R6")
    rest = Problem.of(position, Objective())
    assert rest.without([Tile(0, number) for number in (4, 5, 6)])
    found = search(rest)
    assert found is not None
    assert (found.weight_left, found.broken) == (0, 0)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_the_program_of_an_answer_has_its_optimum(family: str) -> None:
    (position,) = crowded(family, 1)
    answer = solve(position, Objective("value"))
    table = integer_program_of(answer).solve()
    assert table is not None
    lying = Counter(tile.piece for one in table for tile in one.tiles)
    assert Counter(answer.played) == lying - Counter(tile.piece for tile in position.table_tiles)
    kept = (Counter(one.column for one in table) & Counter(one.column for one in position.table)).total()
    assert kept == answer.kept
