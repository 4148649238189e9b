"""The smooth line against the textbook: weighted least squares, place by place."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.analysis.smoothing import loess


def by_the_book(x: np.ndarray, y: np.ndarray, place: float, span: float) -> tuple[float, float]:
    """Return the line at a place, and how badly the points in reach determine its slope."""
    apart = np.abs(x - place)
    reach = np.sort(apart)[max(2, int(np.ceil(span * len(x)))) - 1]
    weight = np.where(apart <= reach, (1 - np.minimum(1, apart / (reach * 1.0001)) ** 3) ** 3, 0.0)
    design = np.column_stack((np.ones(len(x)), x - place)) * np.sqrt(weight)[:, None]
    line: float = np.linalg.lstsq(design, y * np.sqrt(weight), rcond=None)[0][0]
    return line, float(np.linalg.cond(design / [1, reach]))


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(8, 60), st.sampled_from([0.3, 0.5, 1.0]))
def test_local_lines(seed: int, many: int, span: float) -> None:
    chance = np.random.default_rng(seed)
    x, y = chance.uniform(0, 10, many), chance.normal(size=many)
    at = np.linspace(0, 10, 7)
    found, expected = loess(x, y, at, span), [by_the_book(x, y, place, span) for place in at]
    # Where all points that count lie at one place there is no slope to fit, and a mean is drawn.
    sure = np.array([condition < 100 for _, condition in expected])
    assert found[sure] == pytest.approx(np.array([line for line, _ in expected])[sure], rel=1e-5, abs=1e-6)
    assert np.isfinite(found).all()


def test_no_slope_is_fitted_to_one_place_and_a_hair() -> None:
    test_local_lines.hypothesis.inner_test(seed=1668, many=8, span=0.3)  # type: ignore[attr-defined]


def test_many_points_at_few_places() -> None:
    # Options against moves: whole numbers, hundreds of them at each place.
    x = np.repeat(np.arange(30.0), 50)
    y = np.where(x < 15, 2.0, 6.0)
    line = loess(x, y, np.array([0.0, 7.0, 22.0, 29.0]), 0.2)
    assert line == pytest.approx([2, 2, 6, 6])
    assert loess(np.zeros(9), np.arange(9.0), np.array([0.0]), 0.5) == pytest.approx([4.0])


def test_curves_together_are_curves_alone() -> None:
    x, curves = np.linspace(0, 1, 101), np.random.default_rng(1).normal(size=(101, 3))
    together = loess(x, curves, x, 0.1)
    for i in range(3):
        assert together[:, i] == pytest.approx(loess(x, curves[:, i], x, 0.1))
