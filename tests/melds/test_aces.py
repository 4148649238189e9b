"""Where aces stand."""

import pytest

from meldlab.errors import NoSuchThing
from meldlab.melds import Aces, Meld


@pytest.mark.parametrize(
    ("run", "rules"),
    [
        ("AH 2H 3H", "low both round"),
        ("QH KH AH", "both round"),
        ("KH AH 2H", "round"),
        ("JH QH KH AH 2H 3H", "round"),
        ("9C 9D 9S", "low both round"),
    ],
)
def test_which_rules_allow_a_run(run: str, rules: str) -> None:
    meld = Meld.parse(run)
    assert str(meld) == run
    assert [str(rule) for rule in Aces if meld.legal(rule)] == rules.split()


def test_each_rule_allows_more_runs() -> None:
    low, both, round = (set(rule.runs) for rule in Aces)
    assert low < both < round


@pytest.mark.parametrize("name", ["x", "", "LOW", " low", 5, None, ["low"]])
def test_no_such_rule(name: object) -> None:
    with pytest.raises(NoSuchThing, match=r"no ace rule .* \(use low, both, round\)"):
        Aces.parse(name)  # type: ignore[arg-type]


def test_a_slip_gets_a_hint() -> None:
    with pytest.raises(NoSuchThing, match="did you mean round"):
        Aces.parse("rond")
