"""Jokers that are not free, inside the search: crowded tables proven, the same answer wherever it is cut, and sets that count as kept."""

from collections import Counter
from itertools import count, islice

import pytest

from meldlab.rummikub import JOKER, Objective, Position, Rules, Tile, faults, model_of, random_position, solve
from meldlab.rummikub import guarded as by_cases
from meldlab.rummikub.budget import Budget
from meldlab.rummikub.families import jokers_obey
from meldlab.rummikub.jokers import obeying_table
from meldlab.rummikub.search import Problem, search
from tests.rummikub.small_deck import least_cost

FAMILIES = ["modern", "strict"]


def crowded(family: str, many: int) -> list[Position]:
    """Return late positions with both jokers on the table, of which the best free move is against the rules."""
    made = (random_position("hard", 7, nth, Rules(jokers_are=family)) for nth in count())
    both = (position for position in made if JOKER not in position.rack)
    return list(islice((position for position in both if against_the_rules(position)), many))


def against_the_rules(position: Position) -> bool:
    found = search(Problem.of(position, Objective("value")))
    return found is not None and obeying_table(position, found.table) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_crowded_tables_are_proven_in_few_states(family: str) -> None:
    # A loop around the search needed millions of states, and did not come to an end in most of these.
    for position in crowded(family, 4):
        answer = solve(position, Objective("value"), nodes=60_000)
        assert answer.proven, repr(position)
        assert answer.method == "search"
        assert not faults(answer), repr(position)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_free_answer_is_better_and_no_anchored_one(family: str) -> None:
    for position in crowded(family, 4):
        goal = Objective("value")
        answer, free = solve(position, goal), search(Problem.of(position, goal))
        assert free is not None
        left = goal.total(position.rack, position.rules) - answer.worth
        assert (left, len(position.table) - answer.kept) >= (free.weight_left, free.broken)
        # To leave the sets with jokers as they are is always allowed.
        calm = solve(Position(tuple(one for one in position.table if not one.jokers), position.rack), goal)
        stays = sum(bool(one.jokers) for one in position.table)
        assert (answer.worth, answer.kept) >= (calm.worth, calm.kept + stays)


@pytest.mark.parametrize("family", FAMILIES)
def test_pieces_change_no_answer(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for position in crowded(family, 2):
        whole = solve(position, Objective("value"))
        monkeypatch.setattr(by_cases, "PIECE", 200)
        cut = solve(position, Objective("value"))
        monkeypatch.undo()
        assert (cut.worth, cut.kept, cut.proven) == (whole.worth, whole.kept, True)


@pytest.mark.parametrize("family", FAMILIES)
def test_past_the_states_there_is_something_to_show(family: str) -> None:
    (position,), goal = crowded(family, 1), Objective("value")
    best, budget, free = solve(position, goal), Budget(), Budget()
    search(Problem.of(position, goal), budget=free)
    most = budget.nodes
    by_cases.best_by_cases(position, goal, budget)
    for part in range(1, 8):
        nodes = most - free.nodes + (free.nodes - budget.nodes) * part // 8
        found = by_cases.best_by_cases(position, goal, Budget(nodes=nodes))
        assert found is not None
        assert not found.proven
        assert jokers_obey(position, found.table)
        played = Counter(tile.piece for one in found.table for tile in one.tiles) - Counter(tile.piece for tile in position.table_tiles)
        assert goal.total(played.elements(), position.rules) <= best.worth


@pytest.mark.parametrize("method", ["search", "ilp"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_set_is_kept_though_an_equal_tile_lies_elsewhere(family: str, method: str) -> None:
    # R4 R5 R6 with the freed joker takes R5 and R6 from the rack; the run R3-R6 on the table keeps its own.
    rules = Rules(colours=3, numbers=6, jokers=1, jokers_are=family)
    position = Position.parse("R3 K3 J=B3 | R4 K4 B4 | R3 R4 R5 R6", "R5 R6 B3 B4 B5", rules)
    answer = solve(position, Objective("value"), method)
    assert (answer.value, answer.kept, answer.proven) == (14, 2, True)
    assert not faults(answer)
    assert least_cost(position, Objective("value")) == (9, 1)


def test_a_set_taken_out_of_a_problem_leaves_equal_tiles_to_kept_sets() -> None:
    position = Position.parse("R4 R5 R6", "R4 R5 R6")
    rest = Problem.of(position, Objective())
    assert rest.without([Tile(0, number) for number in (4, 5, 6)])
    found = search(rest)
    assert found is not None
    assert (found.weight_left, found.broken) == (0, 0)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_program_of_an_answer_has_its_optimum(family: str) -> None:
    (position,) = crowded(family, 1)
    answer = solve(position, Objective("value"))
    assert answer.fixed
    table = model_of(answer).solve()
    assert table is not None
    lying = Counter(tile.piece for one in table for tile in one.tiles)
    assert Counter(answer.played) == lying - Counter(tile.piece for tile in position.table_tiles)
    kept = (Counter(one.column for one in table) & Counter(one.column for one in position.table)).total()
    assert kept == answer.kept
