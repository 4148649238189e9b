"""The joker families against a second implementation that moves every tile by hand; the solvers' answers against all it can reach."""

from collections import Counter
from itertools import islice

import pytest

from meldlab.rummikub import Objective, Position, Rules, parse_table, solve, violations
from meldlab.rummikub.joker_rules import is_allowed
from tests.rummikub.by_hand import can_be_laid, every_table, opens
from tests.rummikub.small_deck import small_position

JOKER_RULES = ["modern", "strict"]
# Jokers, copies and colours of decks with six numbers: small enough for all tables to be tried.
DECKS = [(2, 1, 3), (1, 2, 3), (2, 2, 2)]
SEED = 11  # with it every kind of turn below can be played in at least three positions


def rules_of(deck: tuple[int, int, int], family: str, after: str = "wait") -> Rules:
    jokers, copies, colours = deck
    return Rules(colours=colours, numbers=6, copies=copies, jokers=jokers, joker_rule=family, after_opening=after, opening=6)


@pytest.mark.parametrize(
    ("family", "before", "rack", "after", "obeys"),
    [
        # Each joker could be exchanged for a tile of the other's set; in strict play neither set may be broken first.
        ("modern", "B1 B2 J=B3 | J=B2 B3 B4", "O5", "B1 B2 B3 B4 | J=O4 O5 J=O6", True),
        ("strict", "B1 B2 J=B3 | J=B2 B3 B4", "O5", "B1 B2 B3 B4 | J=O4 O5 J=O6", False),
        # With B3 from the rack the first joker comes free, then B2 for the second.
        ("strict", "B1 B2 J=B3 | J=B2 B3 B4", "B3 O5 O6", "B1 B2 B3 | B3 B4 J=B5 | J=O4 O5 O6", True),
        # The set of the freed joker holds its own R2, which may not be broken out; the rack's R2 lies elsewhere.
        ("strict", "R2 R3 R4 J=R5 J=R6 | R3 R4 R5", "R2", "R2 R3 R4 | J=R1 R2 R3 R4 R5 J=R6", False),
        # A set with a tile from the rack did not lie there before, so it is new: also the one that the joker came from.
        ("modern", "R5 J=R6 R7", "R6", "R5 R6 R7 J=R8", True),
        ("strict", "R5 J=R6 R7", "R6", "R5 R6 R7 J=R8", True),
        # A joker is exchanged in the set in which it lies, whole; not in a part of it, and not where it could walk as its tile.
        ("modern", "R3 R4 R5 J=R6 R7 R8 R9", "R10 O1 O2", "R3 R4 R5 | R7 R8 R9 R10 | O1 O2 J=O3", False),
        ("modern", "R3 R4 R5 J=R6 | K6 B6 O6", "O1 O2", "R3 R4 R5 | K6 B6 O6 | O1 O2 J=O3", False),
        # As its tile it may lie anywhere without being exchanged.
        ("modern", "R3 R4 R5 J=R6 | K6 B6 O6", "R7", "R3 R4 R5 | J=R6 K6 B6 O6", True),
    ],
)
def test_by_example(family: str, before: str, rack: str, after: str, obeys: bool) -> None:
    position = Position.parse(before, rack, Rules(joker_rule=family))
    assert is_allowed(position, parse_table(after)) == obeys
    assert can_be_laid(position, parse_table(after)) == obeys


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize("deck", DECKS)
def test_what_hands_can_do(family: str, deck: tuple[int, int, int]) -> None:
    judged = Counter[bool]()
    for nth in range(6):
        position = small_position(11, nth, rules_of(deck, family), sets=2, rack=4)
        for table in islice(every_table(position), 50):
            obeys = is_allowed(position, table)
            assert obeys == can_be_laid(position, table), f"{position} -> {table}"
            judged[obeys] += 1
    assert judged[True] > 5
    assert judged[False] > 5


def least_by_hand(position: Position, goal: Objective) -> tuple[int, int]:
    """Return weight left and sets broken of the best turn that hands can do, doing nothing included."""
    rules, on_table = position.rules, Counter(tile.piece for tile in position.table_tiles)
    total = goal.total(position.rack, rules)
    best = (total, 0)
    for table in every_table(position):
        played = Counter(tile.piece for one in table for tile in one.tiles) - on_table
        kept = (Counter(one.column for one in table) & Counter(one.column for one in position.table)).total()
        cost = total - goal.total(played.elements(), rules), len(position.table) - kept
        if cost < best and played and not Counter(goal.required) - played and may_be_played(position, table):
            best = cost
    return best


def may_be_played(position: Position, table: tuple) -> bool:  # type: ignore[type-arg]
    free = position.rules.joker_rule == "free"
    return (free or can_be_laid(position, table)) and (position.opened or opens(position, table))


@pytest.mark.parametrize("family", ["free", *JOKER_RULES])
@pytest.mark.parametrize(("opened", "after"), [(True, "wait"), (False, "wait"), (False, "manipulate")])
def test_answers_by_hand(family: str, opened: bool, after: str) -> None:
    played = 0
    for nth in range(6):
        rules = rules_of(DECKS[nth % 3], family, after)
        dealt = small_position(SEED, nth, rules, sets=2, rack=5)
        position = Position(dealt.table, dealt.rack, rules, opened)
        goal = Objective(("count", "value")[nth % 2])
        least = least_by_hand(position, goal)
        for method in ("search", "ilp"):
            answer = solve(position, goal, method)
            assert answer.proven
            assert not violations(answer), repr(position)
            assert not answer.played or may_be_played(position, answer.table), repr(position)
            found = goal.total(position.rack, rules) - answer.objective_value, len(position.table) - answer.kept
            assert found == least, repr(position)
            played += bool(answer.played)
    assert played > 2


@pytest.mark.parametrize("family", JOKER_RULES)
@pytest.mark.parametrize("method", ["search", "ilp"])
def test_an_opening_that_goes_on_obeys_the_family(family: str, method: str) -> None:
    # With free jokers the joker at the end of the run would be taken for nothing.
    rules = Rules(joker_rule=family, after_opening="manipulate")
    position = Position.parse("R5 R6 R7 J=R8", "K10 K11 K12 O1 O2", rules, opened=False)
    answer = solve(position, Objective("value"), method)
    assert [str(tile) for tile in answer.played] == ["K10", "K11", "K12"]
    assert answer.proven
    assert not violations(answer)
    assert can_be_laid(position, answer.table)
