"""The search against the integer program, brute force, and an exhaustive table of one colour."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.rummikub import DIFFICULTIES, Objective, Position, Rules, Tile, kernel_tables, random_position, solve, violations
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.random_positions import box
from meldlab.rummikub.search import Problem, search
from meldlab.rummikub.solution import HEAVIEST, OBJECTIVES
from tests.rummikub.small_deck import all_columns, least_cost, small_position


# 180 + 90 + 40 = 310 positions, a third of them by each objective.
@pytest.mark.parametrize(("kind", "many"), [("easy", 180), ("mid", 90), ("hard", 40)])
def test_search_and_program_agree(kind: str, many: int) -> None:
    for nth in range(many):
        goal = Objective(OBJECTIVES[nth % 3], "sets")
        position = random_position(kind, 2026, nth)
        by_search, by_program = solve(position, goal), solve(position, goal, "ilp")
        assert by_search.method == "search"
        assert by_search.proven
        assert by_program.proven
        assert (by_search.objective_value, by_search.kept) == (by_program.objective_value, by_program.kept), repr(position)
        assert not violations(by_search), repr(position)
        assert not violations(by_program), repr(position)


@given(st.integers(0, 10**6), st.sampled_from(list(DIFFICULTIES)), st.dictionaries(st.sampled_from(sorted(set(box()))), st.integers(0, 9)))
@settings(max_examples=25, deadline=None)
def test_any_weights(seed: int, kind: str, weights: dict[Tile, int]) -> None:
    position = random_position(kind, seed)
    goal = Objective(weights=weights)
    by_search, by_program = solve(position, goal), solve(position, goal, "ilp")
    assert (by_search.objective_value, by_search.kept) == (by_program.objective_value, by_program.kept)
    assert not violations(by_search)


@pytest.mark.parametrize("kind", list(DIFFICULTIES))
def test_the_largest_weights(kind: str) -> None:
    heaviest = Objective(keep="none", weights=dict.fromkeys(box(), HEAVIEST))
    for nth in range(40):
        position = random_position(kind, 12, nth)
        assert solve(position, heaviest).count == solve(position, Objective("tiles", "none")).count


@pytest.mark.parametrize("rules", [Rules(colours=3, numbers=8), Rules(colours=2, numbers=9), Rules(colours=4, numbers=15, jokers=1)])
def test_other_decks_of_the_search(rules: Rules) -> None:
    for nth in range(15):
        position = small_position(3, nth, rules, sets=4, rack=10)
        goal = Objective(("count", "value")[nth % 2])
        by_search, by_program = solve(position, goal), solve(position, goal, "ilp")
        assert by_search.method == "search"
        assert (by_search.objective_value, by_search.kept) == (by_program.objective_value, by_program.kept), repr(position)
        assert not violations(by_search)


def test_every_rack_of_five_from_a_small_deck() -> None:
    # 2 colours x 6 numbers x 2 copies + 2 jokers: all racks of five tiles, of which at most one set can be laid.
    rules = Rules(colours=2, numbers=6)
    whole = {column.pieces for column in all_columns(rules) if len(column) <= 5}
    racks = sorted(set(combinations(sorted(box(rules)), 5)))
    assert len(racks) > 2500
    for rack in racks:
        answer = solve(Position((), rack, rules), Objective("count", "none"))
        most = next((size for size in (5, 4, 3) if any(some in whole for some in combinations(rack, size))), 0)
        assert answer.count == most, rack


@pytest.mark.parametrize("numbers", [6, 7, 13])
def test_the_joker_argument_holds_for_all_tile_counts(numbers: int) -> None:
    """All 3^numbers lanes of a colour: what the search's codes can lay in runs is what runs with jokers anywhere can lay."""
    truth, ours = lanes_by_closure(numbers), lanes_by_codes(numbers)
    assert truth.sum() > 100
    assert np.array_equal(truth, ours)


def lanes_by_closure(numbers: int) -> NDArray[np.bool_]:
    """Return [3] * numbers + [3] truths: whether so many tiles of each number and exactly so many jokers fall into runs."""
    reached = np.zeros((3,) * (numbers + 1), np.bool_)
    reached[(0,) * (numbers + 1)] = True
    runs = [range(start, start + size) for size in (3, 4, 5) for start in range(numbers - size + 1)]
    shapes = {(frozenset(some), len(run) - len(some)) for run in runs for left in range(3) for some in combinations(run, len(run) - left)}
    for naturals, jokers in shapes:
        # Each run lies at most twice: add it, then add it again.
        into = [slice(1, None) if n in naturals else slice(None) for n in range(numbers)]
        out = [slice(None, -1) if n in naturals else slice(None) for n in range(numbers)]
        for _ in range(2):
            reached[(*into, slice(jokers, None))] |= reached[(*out, slice(None, 3 - jokers))].copy()
    return reached


def lanes_by_codes(numbers: int) -> NDArray[np.bool_]:
    """Return the same by the kernel's table of codes: a bit for each code and number of jokers used, carried over the numbers."""
    states: NDArray[np.int64] = np.array([1])  # code 0, no joker used: bit code + 16 * jokers
    for n in range(numbers):
        after = np.zeros((len(states), 3), np.int64)
        for code, used, tiles, jokers in product(range(16), range(3), range(3), range(3)):
            to = kernel_tables.NEXT[int(n == numbers - 3), code, tiles, jokers]
            if to >= 0 and used + jokers <= 2:
                after[:, tiles] |= (states >> (code + 16 * used) & 1) << (to + 16 * (used + jokers))
        states = after.reshape(-1)
    done = [code for code in range(16) if {code & 3, code >> 2} <= {0, 3}]
    exact = [np.logical_or.reduce([(states >> (code + 16 * used) & 1).astype(bool) for code in done]) for used in range(3)]
    # A spare joker joins any run; without a tile there is none.
    some = np.arange(len(states)) > 0
    spare = [exact[0], exact[1] | (exact[0] & some), exact[2] | ((exact[0] | exact[1]) & some)]
    return np.stack(spare, -1).reshape((3,) * (numbers + 1))


@pytest.mark.parametrize("family", ["modern", "strict"])
def test_joker_families_against_brute_force(family: str) -> None:
    different = 0
    for jokers, copies, colours in ((2, 1, 3), (1, 2, 3), (2, 2, 2)):
        rules = Rules(colours=colours, numbers=6, copies=copies, jokers=jokers, joker_rule=family)
        for nth in range(6):
            position = small_position(5, nth, rules, sets=2, rack=5)
            goal = Objective(OBJECTIVES[nth % 3])
            answer = solve(position, goal)
            found = goal.total(position.rack, rules) - answer.objective_value, len(position.table) - answer.kept
            assert found == least_cost(position, goal), repr(position)
            assert answer.proven
            assert not violations(answer), repr(position)
            free = Position(position.table, position.rack, Rules(colours=colours, numbers=6, copies=copies, jokers=jokers))
            different += solve(free, goal).objective_value != answer.objective_value
    assert different > 0, "the family never mattered: the test tested nothing"


@pytest.mark.parametrize("family", ["modern", "strict"])
def test_joker_families_by_the_program(family: str) -> None:
    rules = Rules(colours=3, numbers=6, jokers=1, joker_rule=family)
    for nth in range(4):
        position = small_position(9, nth, rules, sets=2, rack=6)
        by_search, by_program = solve(position), solve(position, method="ilp")
        assert (by_search.objective_value, by_search.kept) == (by_program.objective_value, by_program.kept), repr(position)
        assert not violations(by_program)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(colours=6, numbers=8),
        Rules(numbers=5),
        Rules(copies=3, numbers=7),
        Rules(jokers=4, numbers=7),
        Rules(smallest=4),
        Rules(round_the_corner=True, numbers=7, colours=3),
    ],
)
def test_other_rules_go_to_the_program(rules: Rules) -> None:
    position = small_position(1, 0, rules, sets=3, rack=8)
    answer = solve(position)
    assert answer.method == "ilp"
    assert answer.proven
    assert not violations(answer)


def test_round_the_corner() -> None:
    rack = "R12 R13 R1"
    assert solve(Position.parse("", rack)).count == 0
    assert solve(Position.parse("", rack, Rules(round_the_corner=True))).count == 3


def test_past_the_node_budget_the_program_answers() -> None:
    position = random_position("mid", 1, 3)
    with pytest.raises(BudgetExceeded):
        search(Problem.of(position, Objective()), budget=Budget(nodes=5))
    answer, exact = solve(position, nodes=5), solve(position)
    assert answer.method == "search, then ilp"
    assert (answer.objective_value, answer.kept) == (exact.objective_value, exact.kept)


@st.composite
def any_positions(draw: st.DrawFn) -> Position:
    """Positions under rules up to the largest there are: crowded tables, racks of what is left, sets that begin at one number."""
    jokers, copies = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    smallest = draw(st.sampled_from([3, 3, 3, 2, 4]))
    rules = Rules(
        colours=draw(st.integers(smallest, 6)), numbers=draw(st.integers(smallest, 20)), copies=copies, jokers=jokers, smallest=smallest,
        joker_rule=draw(st.sampled_from(["free", "modern", "strict"])), round_the_corner=draw(st.booleans()),
        after_opening=draw(st.sampled_from(["wait", "manipulate"])), joker_value=draw(st.sampled_from([0, 30, 1000])),
    )  # fmt: skip
    return replace(
        small_position(draw(st.integers(0, 10**6)), 0, rules, sets=draw(st.integers(0, 40)), rack=draw(st.integers(0, 100))),
        opened=draw(st.booleans()),
    )


@given(any_positions(), st.sampled_from(["count", "value"]), st.sampled_from(["sets", "none"]))
@settings(max_examples=30, deadline=None)
def test_any_rules_and_any_position_have_a_legal_answer(position: Position, objective: str, keep: str) -> None:
    rules = position.rules
    # Where too many long runs with jokers would have to be weighed, it may say so instead.
    many = rules.jokers > 2 and rules.numbers > 13 and rules.joker_rule != "free"
    try:
        answer = solve(position, Objective(objective, keep), nodes=20_000, seconds=0.2)
    except NotLegalHere:
        if not many:
            raise
        return
    assert not violations(answer)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(6, 15), st.integers(1, 2), st.integers(0, 2), st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_the_largest_decks_of_the_search(seed: int, colours: int, numbers: int, copies: int, jokers: int, sets: int) -> None:
    # All of the box on table and rack: every array of the kernel as full as it can be.
    rules = Rules(colours=colours, numbers=numbers, copies=copies, jokers=jokers)
    position = small_position(seed, 0, rules, sets=sets, rack=200)
    assert len(position.table_tiles) + len(position.rack) == rules.tiles
    heaviest = Objective(weights=dict.fromkeys(position.rack, 10000))
    for goal in (Objective(), heaviest):
        answer = solve(position, goal, nodes=20_000, seconds=0.2)
        assert not violations(answer)


@pytest.mark.parametrize("weight", [-1, 10_001, 0.5, 10**30])
def test_weights_are_whole_and_bounded(weight: float) -> None:
    with pytest.raises(NotLegalHere, match="a weight of"):
        Objective(weights={Tile.parse("R5"): weight})  # type: ignore[dict-item]


@pytest.mark.parametrize("method", ["search", "ilp"])
@pytest.mark.parametrize(
    ("table", "rack", "played"),
    [
        # Three tiles either way: 21 points are more than 18.
        ("", "R5 R6 R7 K7 B7", "R7 K7 B7"),
        # The joker in four low tiles beats the joker in three high ones.
        ("", "R1 R3 R4 K13 B13 J", "R1 R3 R4 J"),
        # The joker plays one pair or the other.
        ("", "R12 R13 K1 K2 J", "R12 R13 J"),
    ],
)
def test_among_equally_many_tiles_more_points_win(method: str, table: str, rack: str, played: str) -> None:
    answer = solve(Position.parse(table, rack), Objective("count"), method)
    assert {str(tile) for tile in answer.played} == set(played.split())
    assert answer.proven


def test_points_decide_before_the_least_change() -> None:
    richer = 0
    for nth in range(40):
        position = random_position("mid", 12, nth)
        by_tiles, by_count, by_value = (solve(position, Objective(objective)) for objective in ("tiles", "count", "value"))
        assert by_count.count == by_tiles.count
        assert by_tiles.value <= by_count.value <= by_value.value
        assert by_count.value > by_tiles.value or by_count.kept == by_tiles.kept
        richer += by_count.value > by_tiles.value
    assert richer > 5
