"""Where to stop: the shape of the boundary, exact against floats, and the matrices."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.stopping import Urn

amounts = st.fractions(min_value=0, max_value=10, max_denominator=12)
urns = st.builds(Urn, st.integers(0, 12), st.integers(0, 12), amounts, amounts)


@given(urns)
def test_stopping_is_a_matter_of_one_number_for_each_number_of_red_cards(urn: Urn) -> None:
    best = urn.policy()
    assert list(best.boundary) == sorted(best.boundary)
    for black in range(urn.black + 1):
        for red in range(urn.red + 1):
            drawn = urn.black - black + urn.red - red
            assert best.stops_at(black, red) != urn.advise(drawn, urn.black - black).keep_drawing


@given(urns)
def test_indifferent_means_that_the_next_card_changes_nothing(urn: Urn) -> None:
    values = urn.values()
    expected = []
    for b in range(urn.black + 1):
        for r in range(urn.red + 1):
            if b + r:
                draw = (b * values[b - 1][r] if b else 0) + (r * values[b][r - 1] if r else 0)
                if draw == (b + r) * (urn.gain * (urn.black - b) - urn.loss * (urn.red - r)):
                    expected.append((b, r))
    assert urn.policy().indifferent == tuple(expected)


@given(urns)
def test_matrices_agree_with_each_other_and_with_floats(urn: Urn) -> None:
    values, goes_on = urn.values(), urn.policy().continues()
    assert np.allclose(urn.floats.values(), np.array(values, dtype=float).reshape(urn.black + 1, urn.red + 1), rtol=1e-12, atol=1e-12)
    assert values[urn.black][urn.red] == urn.value()
    # One goes on where a card more, and then the value of what is left, is worth more than stopping.
    for b, row in enumerate(goes_on):
        for r, draws in enumerate(row):
            worth = (b * values[b - 1][r] if b else 0) + (r * values[b][r - 1] if r else 0)
            assert draws is (worth > (b + r) * (urn.gain * (urn.black - b) - urn.loss * (urn.red - r)))


@pytest.mark.parametrize("deck", [(200, 200), (200, 60), (60, 200), (0, 5), (5, 0)])
@pytest.mark.parametrize(("gain", "loss"), [(1, 1), (2, 3), (5, 1), (0, 1), (1, 0)])
def test_the_boundary_in_floats_is_the_exact_one(deck: tuple[int, int], gain: int, loss: int) -> None:
    urn = Urn(*deck, Fraction(gain), Fraction(loss))
    assert urn.floats.policy().boundary == urn.policy().boundary


def test_no_deck_of_two_hundred_has_another_tie() -> None:
    assert Urn(200, 200).policy().indifferent == ((1, 2),)


def test_nothing_to_win_means_stop_at_once_and_nothing_to_lose_means_draw_all() -> None:
    assert Urn(3, 2, Fraction(0)).policy().boundary == (3, 3, 3)
    assert Urn(3, 2, loss=Fraction(0)).policy().boundary == (0, 0, 0)


def test_matrices_too_large_to_keep_are_refused() -> None:
    large = Urn(5000, 5000)
    for matrix in (large.values, large.floats.values, large.floats.policy().continues):
        with pytest.raises(NotPossible, match="too large"):
            matrix()


@pytest.mark.parametrize("left", [(-1, 0), (0, -1), (5, 0), (0, 5), (-5, -5)])
def test_a_position_of_no_deck_is_refused(left: tuple[int, int]) -> None:
    with pytest.raises(NotLegalHere, match=f"{left[0]} black and {left[1]} red cards left cannot come from 4 black and 4 red"):
        Urn(4, 4).policy().stops_at(*left)
