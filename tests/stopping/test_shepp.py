"""Shepp 1969: the constants of the Brownian bridge, and how the game approaches them."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from meldlab.stopping import Urn, equal_decks
from meldlab.stopping.shepp import ALPHA, VALUE, asymptotic_value, decay, fitted


def test_alpha_solves_shepps_equation() -> None:
    integral, _ = quad(lambda x: exp(x * ALPHA - x * x / 2), 0, np.inf)
    assert (1 - ALPHA**2) * integral == pytest.approx(ALPHA, abs=1e-10)
    assert pytest.approx(0.83992, abs=5e-6) == ALPHA  # as printed by Shepp
    assert pytest.approx(0.369136, abs=5e-7) == VALUE


def test_equal_decks_are_the_values_of_their_decks() -> None:
    values = equal_decks(60)
    for cards in (0, 1, 2, 17, 60):
        assert values[cards] == pytest.approx(float(Urn(cards, cards).value()), rel=1e-13)


def test_the_values_approach_shepps_from_below() -> None:
    values = equal_decks(10_000)
    shepp = np.array([asymptotic_value(n) for n in range(10_001)])
    assert (values[1:] < shepp[1:]).all()
    ratio = values[[100, 1000, 10_000]] / shepp[[100, 1000, 10_000]]
    assert ratio == pytest.approx([0.99439, 0.99886, 0.99978], abs=1e-5)


def test_the_constant_comes_out_of_the_values_alone() -> None:
    constant, short = fitted(equal_decks(10_000))
    assert constant == pytest.approx(VALUE, abs=3e-6)
    assert short > 0


def test_the_chance_to_draw_the_whole_deck_falls_as_predicted() -> None:
    chances = [float(Urn(n, n).floats.winnings().chances[0]) for n in (1600, 3200)]
    assert log(chances[0] / chances[1], 2) == pytest.approx(decay(), abs=1e-3)


def test_the_boundary_is_alpha_times_the_root_of_the_cards_left() -> None:
    boundary = Urn(10_000, 10_000).floats.policy().boundary
    red = np.arange(10_001)
    ahead = red - boundary
    assert np.abs(ahead - ALPHA * np.sqrt(red + boundary)).max() < 1
    assert ahead[10_000] / sqrt(10_000 + boundary[10_000]) == pytest.approx(ALPHA, abs=0.005)
