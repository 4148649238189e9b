"""Intervals that cover, tests that are exact, ratings that order."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meldlab.lab.statistics import Interval, Moments, bradley_terry, sign_test, wilson


def test_clustered_intervals_cover_the_truth() -> None:
    # Pairs that agree: as many games, but half the information; an interval that ignored pairs would cover 83 %.
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        pairs = rng.random(200) < 0.7
        interval = Moments.of(np.column_stack([np.full(200, 2), 2 * pairs])).ratio(1, 0)
        covered += interval.low <= 0.7 <= interval.high
    assert 0.93 < covered / 2000 < 0.97


def test_ratios_of_counts_cover_the_truth() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(2000):
        rounds = rng.poisson(10, 300) + 1
        points = rng.poisson(8.1 * rounds)
        interval = Moments.of(np.column_stack([rounds, points])).ratio(1, 0)
        covered += interval.low <= 8.1 <= interval.high
    assert 0.93 < covered / 2000 < 0.97


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=2, max_size=30), st.integers(1, 29))
def test_moments_add_up_over_any_split(rows: list[tuple[int, int]], cut: int) -> None:
    counts = np.array(rows)
    whole, parts = Moments.of(counts), Moments.of(counts[:cut]) + Moments.of(counts[cut:])
    assert whole.clusters == parts.clusters
    assert np.allclose(whole.sums, parts.sums)
    assert np.allclose(whole.products, parts.products)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 40))
def test_an_interval_contains_its_rate_and_stays_within_bounds(wins: int, games: int) -> None:
    wins = min(wins, games)
    interval = Moments.of(np.array([[1, 1]] * wins + [[1, 0]] * (games - wins))).ratio(1, 0)
    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.low < interval.high


def test_wilson_against_the_textbook() -> None:
    # Newcombe 1998, table I: 81 of 263.
    interval = wilson(81 / 263, 263)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.2553, 0.3662)


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(0, 30))
def test_the_sign_test_is_exact(first: int, second: int) -> None:
    total, least = first + second, min(first, second)
    tail = sum(comb(total, k) for k in range(least + 1)) / 2**total
    assert sign_test(first, second) == pytest.approx(min(1.0, 2 * tail))


def test_ratings_recover_strengths() -> None:
    strengths = np.array([120.0, 0.0, -120.0])
    expected = 1 / (1 + 10 ** ((strengths[None, :] - strengths[:, None]) / 400))
    wins = 100_000 * expected * (1 - np.eye(3))
    ratings = bradley_terry(["a", "b", "c"], wins)
    assert [one.name for one in ratings] == ["a", "b", "c"]
    for one, true in zip(ratings, strengths, strict=True):
        assert one.points.low < true < one.points.high
        assert one.points.high - one.points.low < 6


def test_overlap() -> None:
    assert Interval(0.72, 0.718, 0.722).overlaps(0.7228, 0.0072)
    assert not Interval(0.71, 0.708, 0.712).overlaps(0.7228, 0.0072)
