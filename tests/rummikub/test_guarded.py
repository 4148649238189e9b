"""Jokers that are not free, inside the search: crowded tables proven, the same answer wherever it is cut, and sets that count as kept."""

from collections import Counter
from collections.abc import Iterator
from itertools import count, cycle, islice, product

import pytest

from meldlab.rummikub import (
    JOKER,
    Objective,
    Position,
    Rules,
    Tile,
    integer_program_of,
    kernel,
    kernel_cases,
    random_position,
    solve,
    violations,
)
from meldlab.rummikub import guarded as by_cases
from meldlab.rummikub.budget import Budget, BudgetExceeded
from meldlab.rummikub.families import jokers_obey
from meldlab.rummikub.jokers import obeying_table
from meldlab.rummikub.search import Problem, search
from tests.rummikub.small_deck import least_cost

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
    return found is not None and obeying_table(position, found.table) is None


@pytest.mark.parametrize("family", JOKER_RULES)
def test_crowded_tables_are_proven_in_few_states(family: str) -> None:
    # A loop around the search needed millions of states, and did not come to an end in most of these.
    for position in crowded(family, 4):
        answer = solve(position, Objective("value"), nodes=60_000)
        assert answer.proven, repr(position)
        assert answer.method == "search"
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


def test_what_beats_a_code_can_do_all_that_it_can() -> None:
    codes = [code for code in range(16) if code & 3 >= code >> 2]
    for one, (nth, other) in product(codes, enumerate(codes)):
        if not kernel_cases.BEATS[one] >> nth & 1:
            continue
        assert one == other or kernel_cases.STRENGTH[one] > kernel_cases.STRENGTH[other]
        # At the end no run of one or two tiles may be open.
        assert {other & 3, other >> 2} & {1, 2} or not {one & 3, one >> 2} & {1, 2}
        for late, tiles, jokers in product(range(2), range(3), range(3)):
            after, worse = kernel.NEXT[late, one, tiles, jokers], kernel.NEXT[late, other, tiles, jokers]
            assert worse < 0 or kernel_cases.BEATS[after] & kernel_cases.ITSELF[worse]


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize(("seed", "nth"), [(1, 146), (102, 384)])
def test_a_tile_that_must_be_left_is_proven_in_few_states(family: str, seed: int, nth: int) -> None:
    # With states that beat no other the first took 900,000 states, and the free move of the second 700,000.
    answer = solve(random_position("hard", seed, nth, Rules(joker_rule=family)), Objective("value"), nodes=100_000)
    assert answer.proven
    assert not violations(answer)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_in_layers_the_free_move_is_the_same(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = [*islice(both_lying(3, family), 6), *(random_position("mid", 3, nth, Rules(joker_rule=family)) for nth in range(6))]
    for position, measure in zip(positions, cycle(["value", "count"]), strict=False):
        goal = Objective(measure)
        answer = solve(position, goal)
        monkeypatch.setattr(by_cases, "FREE", 0)
        again = solve(position, goal)
        monkeypatch.undo()
        assert (again.objective_value, again.kept, again.proven) == (answer.objective_value, answer.kept, True)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_pieces_change_no_answer(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for position in crowded(family, 2):
        whole = solve(position, Objective("value"))
        monkeypatch.setattr(by_cases, "PIECE", 200)
        cut = solve(position, Objective("value"))
        monkeypatch.undo()
        assert (cut.objective_value, cut.kept, cut.proven) == (whole.objective_value, whole.kept, True)


@pytest.mark.parametrize("family", JOKER_RULES)
def test_past_the_states_there_is_something_to_show(family: str) -> None:
    (position,), goal = crowded(family, 1), Objective("value")
    best, budget, free = solve(position, goal), Budget(), Budget()
    search(Problem.of(position, goal), budget=free)
    most = budget.nodes
    by_cases.best_by_cases(position, goal, budget)
    shown = 0
    for part in range(1, 8):
        nodes = most - free.nodes + (free.nodes - budget.nodes) * part // 8
        try:
            found = by_cases.best_by_cases(position, goal, Budget(nodes=nodes))
        except BudgetExceeded:
            # Nothing has been found yet: the integer program's turn.
            assert not shown
            continue
        shown += 1
        assert found is not None
        assert not found.proven
        assert jokers_obey(position, found.table)
        played = Counter(tile.piece for one in found.table for tile in one.tiles) - Counter(tile.piece for tile in position.table_tiles)
        assert goal.total(played.elements(), position.rules) <= best.objective_value
    assert shown


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
    assert answer.fixed
    table = integer_program_of(answer).solve()
    assert table is not None
    lying = Counter(tile.piece for one in table for tile in one.tiles)
    assert Counter(answer.played) == lying - Counter(tile.piece for tile in position.table_tiles)
    kept = (Counter(one.column for one in table) & Counter(one.column for one in position.table)).total()
    assert kept == answer.kept
