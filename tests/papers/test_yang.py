"""Yang, "Documentation" of the red-black card game: its rules, its two functions and its two matrices."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import NotLegalHere
from meldlab.reproduce.yang import Matrices, matrices
from meldlab.stopping import Urn
from tests.properties import stopping_oracle as oracle


@pytest.fixture(scope="module")
def printed() -> Matrices:
    return matrices(26)


def test_expected_value_of_the_game() -> None:
    # The text defines the game for 26 black and 26 red; the exact value is ours, checked against two public ones.
    assert Urn(26, 26).value() == Fraction(41984711742427, 15997372030584)
    assert Urn(26, 26).floats.value() == pytest.approx(2.624475548993925, abs=1e-14)


def test_both_matrices(printed: Matrices) -> None:
    value, go_on = printed
    assert [list(row) for row in Urn(26, 26).values()] == value
    assert [list(row) for row in Urn(26, 26).policy().continues()] == go_on


def test_state_and_policy_for_every_x_and_y(printed: Matrices) -> None:
    # stateAndPolicy(X, Y): X cards in hand of which Y are black.
    value, go_on = printed
    deck = Urn(26, 26)
    for black in range(27):
        for red in range(27):
            advice = deck.advise(drawn=black + red, black=black)
            assert (advice.value, advice.keep_drawing) == (value[26 - black][26 - red], go_on[26 - black][26 - red])
            assert advice.stop_value == black - red


def test_the_game_ends_for_good_without_cards() -> None:
    advice = Urn(26, 26).advise(drawn=52, black=26)
    assert (advice.value, advice.keep_drawing, advice.next_black) == (0, False, None)


@pytest.mark.parametrize(("drawn", "black"), [(5, 9), (-1, 0), (53, 26), (0, -1), (27, 0), (30, 3)])
def test_impossible_positions_are_named(drawn: int, black: int) -> None:
    with pytest.raises(NotLegalHere, match=f"{drawn} cards with {black} black cannot come from 26 black and 26 red"):
        Urn(26, 26).advise(drawn, black)


def test_it_does_not_matter_in_one_position_only(printed: Matrices) -> None:
    # "If that amount is greater than (D - C) then he/she should continue drawing and stop otherwise": here it is equal.
    assert Urn(26, 26).policy().indifferent == ((1, 2),)
    value, _ = printed
    equal = [
        (c, d)
        for c in range(1, 27)
        for d in range(1, 27)
        if Fraction(c, c + d) * value[c - 1][d] + Fraction(d, c + d) * value[c][d - 1] == d - c
    ]
    assert equal == [(1, 2)]


amounts = st.fractions(min_value=0, max_value=3, max_denominator=4)


@given(st.sampled_from([(0, 2), (2, 0), (1, 1), (1, 2), (2, 1)]), amounts, amounts)
def test_no_policy_does_better(deck: tuple[int, int], gain: Fraction, loss: Fraction) -> None:
    assert Urn(*deck, gain, loss).value() == oracle.best_over_all_policies(*deck, gain, loss)


def test_no_policy_that_remembers_the_order_does_better() -> None:
    assert Urn(2, 2).value() == oracle.best_over_all_policies(2, 2, Fraction(1), Fraction(1)) == Fraction(2, 3)


@pytest.mark.parametrize(
    ("black", "red", "gain", "loss"), [(3, 2, "1", "1"), (2, 3, "1", "1"), (2, 3, "1", "1/2"), (3, 2, "2/3", "1"), (1, 5, "4", "1")]
)
def test_no_policy_on_positions_does_better(black: int, red: int, gain: str, loss: str) -> None:
    urn = Urn(black, red, Fraction(gain), Fraction(loss))
    assert urn.value() == oracle.best_over_position_policies(black, red, urn.gain, urn.loss)
