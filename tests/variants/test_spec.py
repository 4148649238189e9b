"""What a designer may ask for, and what is said to nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle import RecycleGame
from meldlab.statistics import Interval
from meldlab.variants.measures import MEASURES
from meldlab.variants.spec import Constraint, IntRange, Objective, SearchSpec, verified_measure

numbers = st.integers(-(2**31) + 1, 2**31 - 1)


@given(st.text("ABCXYZ", min_size=1, max_size=8), numbers, numbers)
def test_a_span_reads_what_it_prints(name: str, one: int, other: int) -> None:
    span = IntRange(name, min(one, other), max(one, other))
    assert IntRange.parse(str(span)) == span


@given(st.sampled_from(list(MEASURES)), st.sampled_from([">", ">=", "<", "<="]), st.integers(-1000, 1000))
def test_a_demand_reads_what_it_prints(measure: str, sign: str, bound: int) -> None:
    constraint = Constraint(measure, sign, bound / 8)
    assert Constraint.parse(str(constraint)) == constraint


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("HAND", "NAME=LOW..HIGH", 0),
        ("hand=1..2", "NAME=LOW..HIGH", 0),
        ("HAND=", "NAME=LOW..HIGH", 5),
        ("HAND=3", "NAME=LOW..HIGH", 5),
        ("HAND=3..x", "NAME=LOW..HIGH", 5),
        ("HAND=9..3", "nothing lies from 9 to 3", 5),
        ("HAND=3..99999999999", "a number beyond 32 bits", 8),
        ("HAND=3.." + "9" * 5000, "a number beyond 32 bits", 8),
        ("", "NAME=LOW..HIGH", 0),
    ],
)
def test_a_span_that_cannot_be_has_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(BadText) as mistake:
        IntRange.parse(text)
    assert problem in mistake.value.problem
    assert mistake.value.offset == column


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("fairness", "MEASURE > NUMBER", 8),
        ("fairness >", "MEASURE > NUMBER", 10),
        ("fairness = 1", "MEASURE > NUMBER", 9),
        ("fairness > much", "MEASURE > NUMBER", 11),
        ("fairnes > 0.9", "did you mean fairness?", 0),
        ("decisions < 1e999", "not infinite", 12),
        ("", "MEASURE > NUMBER", 0),
    ],
)
def test_a_demand_that_cannot_be_has_its_place(text: str, problem: str, column: int) -> None:
    with pytest.raises(BadText) as mistake:
        Constraint.parse(text)
    assert problem in mistake.value.problem
    assert mistake.value.offset == column


def test_what_is_kept_and_what_is_surely_broken() -> None:
    above, below = Constraint.parse("fairness > 0.9"), Constraint.parse("decisions <= 60")
    assert not above.satisfied_by(Interval(0.9, 0.8, 1.0))
    assert below.satisfied_by(Interval(60, 50, 70))
    assert not above.satisfied_by(None)
    assert [above.clearly_violated_by(Interval(0.5, 0.4, high)) for high in (0.89, 0.91)] == [True, False]
    assert [below.clearly_violated_by(Interval(80, low, 90)) for low in (61, 59)] == [True, False]
    assert above.clearly_violated_by(None)


def asked(name: str, *ranges: str, objective: str = "fairness", searches: bool = True) -> SearchSpec:
    return SearchSpec.for_game(RecycleGame.load(name), list(map(IntRange.parse, ranges)), Objective(objective), [], searches)


def test_a_game_is_asked_for_numbers_that_it_has() -> None:
    assert asked("leduc_poker", "BET=1..3", "RAISES=0..4").size == 15
    with pytest.raises(BadText, match=r"no declared number 'BETS' \(use BET, RAISES\); did you mean BET\?\n  BETS=1\.\.3\n  \^"):
        asked("leduc_poker", "BETS=1..3")
    with pytest.raises(BadText, match=r"BET is to vary in two ways\n  BET=1\.\.3, BET=2\.\.4\n            \^"):
        asked("leduc_poker", "BET=1..3", "BET=2..4")
    with pytest.raises(NotLegalHere, match=r"whist declares no number that could vary: write \(declare 5 'HAND\)"):
        asked("whist", "HAND=1..3")
    with pytest.raises(NotLegalHere, match=r"--vary BET=LOW\.\.HIGH; leduc_poker declares BET=2, RAISES=2"):
        asked("leduc_poker")


def test_spec_rejects_measures_that_random_players_do_not_give() -> None:
    assert asked("leduc_poker", "BET=1..3", objective="decisions", searches=False).objective == Objective("decisions")
    with pytest.raises(NotLegalHere, match="drama needs players that search"):
        asked("leduc_poker", "BET=1..3", objective="drama", searches=False)
    with pytest.raises(NoSuchThing, match="did you mean drama"):
        verified_measure("dramma")
