"""Lay-offs that players know, and ones the rules forbid."""

import pytest

from meldlab.cards import Hand
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.melds import Meld, lay_off


def shown(*melds: str) -> list[Meld]:
    return [Meld.parse(meld) for meld in melds]


def test_chains_on_both_ends_of_a_run() -> None:
    done = lay_off("2H 3H 7H 8H 9H KS", shown("4H 5H 6H"))
    assert str(done.melds[0]) == "2H 3H 4H 5H 6H"  # 7H 8H 9H stay, being a meld of their own
    assert (done.deadwood, str(done.rest)) == (10, "7H 8H 9H + KS")
    assert lay_off("2H 3H 7H 8H JH KS", shown("4H 5H 6H")).deadwood == 20


def test_a_card_between_a_set_and_a_run_goes_where_it_helps_most() -> None:
    # 6H fits on the set and on the run; only on the run does it let 7H follow.
    done = lay_off("6H 7H KS", shown("6C 6D 6S", "3H 4H 5H"))
    assert [str(meld) for meld in done.melds] == ["6C 6D 6S", "3H 4H 5H 6H 7H"]
    assert done.deadwood == 10


def test_breaking_up_a_meld_can_pay() -> None:
    # The fourth six takes the seven along; whoever keeps four sixes keeps the seven.
    done = lay_off("6C 6D 6H 6S 7H", shown("3H 4H 5H"))
    assert (str(done.rest), done.laid) == ("6C 6D 6S", Hand.parse("6H 7H"))


def test_nothing_to_lay() -> None:
    done = lay_off("KS 2D", shown("5H 6H 7H"))
    assert (done.laid, done.deadwood, done.melds) == (Hand(), 12, tuple(shown("5H 6H 7H")))
    assert lay_off("", []).deadwood == 0


def test_the_ace_rule_decides_what_fits() -> None:
    table = shown("JH QH KH")
    assert lay_off("AH 2H", table, "low").deadwood == 3
    assert lay_off("AH 2H", table, "both").deadwood == 2
    assert lay_off("AH 2H", table, "round").deadwood == 0


def test_what_the_rules_forbid() -> None:
    with pytest.raises(NotLegalHere, match="QH KH AH is not a meld with aces low"):
        lay_off("5H", shown("QH KH AH"))
    with pytest.raises(NotLegalHere, match="5H cannot be in two places"):
        lay_off("5H KS", shown("5H 6H 7H"))
    with pytest.raises(NotLegalHere, match="7H cannot be in two places"):
        lay_off("KS", shown("5H 6H 7H", "7C 7D 7H"))
    for melds in (["5H 6H 7H"], [None], 5):
        with pytest.raises(NotLegalHere, match=r"expected (a Meld|melds) to lay off on"):
            lay_off("KS", melds)  # type: ignore[arg-type]
    with pytest.raises(BadText, match="KS twice"):
        lay_off("KS KS", [])
    with pytest.raises(NoSuchThing, match="no ace rule"):
        lay_off("KS", [], "x")
    with pytest.raises(NotLegalHere, match="points"):
        lay_off("KS", [], points=(1,))
