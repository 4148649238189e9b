"""Intervals that cover, tests that are exact, ratings that order."""

import pickle
from itertools import combinations
from math import comb

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.statistics import Interval, Moments, bradley_terry, difference, mean, paired_rate, sign_test, wilson


def test_clustered_intervals_cover_the_truth() -> None:
    # Pairs that agree: as many games, but half the information; an interval that ignored pairs would cover 83 %.
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(2000):
        pairs = rng.random(200) < 0.7
        interval = Moments.from_counts(np.column_stack([np.full(200, 2), 2 * pairs])).rate(1, 0)
        covered += interval.low <= 0.7 <= interval.high
    assert 0.93 < covered / 2000 < 0.97


def test_ratios_of_counts_cover_the_truth() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for _ in range(2000):
        rounds = rng.poisson(10, 300) + 1
        points = rng.poisson(8.1 * rounds)
        interval = Moments.from_counts(np.column_stack([rounds, points])).mean(1, 0)
        covered += interval.low <= 8.1 <= interval.high
    assert 0.93 < covered / 2000 < 0.97


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=2, max_size=30), st.integers(1, 29))
def test_moments_add_up_over_any_split(rows: list[tuple[int, int]], cut: int) -> None:
    counts = np.array(rows)
    whole, parts = Moments.from_counts(counts), Moments.from_counts(counts[:cut]) + Moments.from_counts(counts[cut:])
    assert whole.clusters == parts.clusters
    assert np.array_equal(whole.sums, parts.sums)
    assert np.array_equal(whole.products, parts.products)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 40))
def test_an_interval_contains_its_rate_and_stays_within_bounds(wins: int, games: int) -> None:
    wins = min(wins, games)
    interval = Moments.from_counts(np.array([[1, 1]] * wins + [[1, 0]] * (games - wins))).rate(1, 0)
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


def decided(wins: int, losses: int) -> NDArray[np.int64]:
    """Return [deals, 2] of so many single games won and lost."""
    return np.repeat(np.eye(2, dtype=np.int64), [wins, losses], axis=0)


def test_ratings_recover_strengths() -> None:
    strengths = np.array([120.0, 0.0, -120.0])
    expected = 1 / (1 + 10 ** ((strengths[None, :] - strengths[:, None]) / 400))
    games = np.round(100_000 * expected).astype(int)
    ratings = bradley_terry(["a", "b", "c"], {(i, j): decided(games[i, j], games[j, i]) for i, j in combinations(range(3), 2)}).players
    assert [one.name for one in ratings] == ["a", "b", "c"]
    for one, true in zip(ratings, strengths, strict=True):
        assert one.points.low < true < one.points.high
        assert one.points.high - one.points.low < 6


def test_overlap() -> None:
    assert Interval(0.72, 0.718, 0.722).overlaps(0.7228, 0.0072)
    assert not Interval(0.71, 0.708, 0.712).overlaps(0.7228, 0.0072)


def level(comparisons: int) -> float:
    return 0.05 / comparisons


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(1, 200), st.integers(1, 5000))
def test_interval_of_many_rates_is_the_one_that_inverts_the_score_test(wins: int, games: int, comparisons: int) -> None:
    rate = min(wins, games) / games
    interval = wilson(rate, games).bonferroni(comparisons)
    z = scipy.stats.norm.isf(level(comparisons) / 2)
    # An end is 0 or 1, or a rate that the score test just rejects.
    for end in (interval.low, interval.high):
        assert end in (0.0, 1.0) or abs(rate - end) == pytest.approx(z * np.sqrt(end * (1 - end) / games), rel=1e-6)
    assert 0 <= interval.low <= rate <= interval.high <= 1
    assert interval.bonferroni(comparisons) == interval


@pytest.mark.parametrize(("wins", "games", "comparisons"), [(38, 40, 1331), (10, 10, 45), (0, 7, 3), (21, 40, 1)])
def test_interval_of_many_rates_is_that_of_scipy(wins: int, games: int, comparisons: int) -> None:
    interval = wilson(wins / games, games).bonferroni(comparisons)
    assert (interval.low, interval.high) == pytest.approx(
        tuple(scipy.stats.binomtest(wins, games).proportion_ci(1 - level(comparisons), "wilson"))
    )


@pytest.mark.parametrize(("rate", "pairs"), [(0.5, 200), (0.8, 100), (0.9, 400)])
def test_intervals_of_many_rates_hold_together(rate: float, pairs: int) -> None:
    rng, many, missed, looks = np.random.default_rng(8), 50, 0, 1000
    for _ in range(looks):
        wins = rng.binomial(2, rate, (many, pairs))
        swept = (wins == 2).sum(1)
        found = [paired_rate(2 * pairs, int(won), int(both)).bonferroni(many) for won, both in zip(wins.sum(1), swept, strict=True)]
        missed += any(not each.low <= rate <= each.high for each in found)
    assert missed / looks < 0.08


def test_interval_of_many_means_has_the_quantile_of_student() -> None:
    numbers = np.random.default_rng(9).normal(3, 1, 6)
    interval = mean(numbers).bonferroni(100)
    half = scipy.stats.t.isf(level(100) / 2, 5) * scipy.stats.sem(numbers)
    assert (interval.low, interval.high) == pytest.approx((numbers.mean() - half, numbers.mean() + half))
    assert mean([7]).bonferroni(100).ends is None


def test_interval_of_many_differences_is_made_of_the_wider_intervals() -> None:
    one, other = wilson(0.9, 50), wilson(0.2, 30)
    found, expected = difference(one, other).bonferroni(20), difference(one.bonferroni(20), other.bonferroni(20))
    assert found == expected
    assert difference(one, other) == difference(one, other).bonferroni(1)
    half = one.mapped(lambda each: Interval(each.value / 2, each.low / 2, each.high / 2)).bonferroni(20)
    assert (half.value, half.low, half.high) == (0.45, one.bonferroni(20).low / 2, one.bonferroni(20).high / 2)


def test_interval_of_many_comparisons_survives_pickling() -> None:
    for interval in (wilson(0.9, 50), mean([1, 2, 4]), difference(wilson(0.9, 50), wilson(0.2, 30)), Interval(1, 0, 2)):
        assert pickle.loads(pickle.dumps(interval)).bonferroni(9) == interval.bonferroni(9)


@pytest.mark.parametrize(("centre", "spread"), [(0.5, 12.0), (0.0, 12.0), (0.9, 0.4), (-7.0, 3.0), (200.0, 50.0)])
def test_means_of_points_cover_the_truth_wherever_they_lie(centre: float, spread: float) -> None:
    # A mean of points between 0 and 1 is no rate: its interval may leave 0 to 1 and mostly does.
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(2000):
        pairs = np.column_stack([np.full(12, 2), rng.normal(2 * centre, spread, 12)])
        interval = Moments.from_counts(pairs).mean(1, 0)
        assert interval.low < interval.value < interval.high
        covered += interval.low <= centre <= interval.high
    assert 0.935 < covered / 2000 < 0.965


def test_few_numbers_have_the_wide_intervals_of_student() -> None:
    rng = np.random.default_rng(5)
    draws = rng.normal(0.5, 3, (4000, 3))
    covered = sum(each.low <= 0.5 <= each.high for each in map(mean, draws))
    assert 0.94 < covered / 4000 < 0.96


@settings(deadline=None)
@given(st.lists(st.integers(-300, 300), min_size=2, max_size=30))
def test_a_mean_is_the_same_by_numbers_and_by_moments(points: list[int]) -> None:
    by_moments = Moments.from_counts(np.column_stack([np.ones(len(points), np.int64), points])).mean(1, 0)
    by_numbers = mean(points)
    assert by_moments.value == pytest.approx(by_numbers.value)
    assert by_moments.high - by_moments.low == pytest.approx(by_numbers.high - by_numbers.low, abs=1e-5)


def test_a_mean_of_exactly_nothing_has_an_interval() -> None:
    interval = Moments.from_counts(np.array([[2, -132], [2, 109], [2, 23]])).mean(1, 0)
    assert interval.value == 0
    assert interval.low == pytest.approx(-interval.high)
    assert interval.high > 100


def test_one_observation_tells_no_interval() -> None:
    assert mean([7]).ends is None
    assert Moments.from_counts(np.array([[2, 7]])).mean(1, 0).ends is None
    assert str(mean([7])) == "7.000 (no interval)"
    assert Moments.from_counts(np.zeros((0, 2))).mean(1, 0).ends is None
    assert Moments.from_counts(np.zeros((0, 2))).rate(1, 0) == Interval(0, 0, 1)


def test_what_is_no_rate_is_refused_as_one() -> None:
    with pytest.raises(NotLegalHere, match=r"expected a rate from 0 to 1, got 8\.5"):
        Moments.from_counts(np.array([[1, 8], [1, 9]])).rate(1, 0)


def pairings(strengths: list[float], deals: int, twins: bool, rng: np.random.Generator) -> dict[tuple[int, int], NDArray[np.int64]]:
    """Return [deals, 2] wins of every two players; twins are two games of a deal that always end alike."""
    won = {}
    for i, j in combinations(range(len(strengths)), 2):
        chance = 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400))
        first = (rng.random((deals, 1)) < chance).repeat(2, 1) if twins else rng.random((deals, 2)) < chance
        won[i, j] = np.column_stack([first.sum(1), 2 - first.sum(1)]).astype(np.int64)
    return won


@pytest.mark.parametrize("twins", [False, True])
def test_ratings_cover_the_truth_where_games_of_a_deal_hang_together(twins: bool) -> None:
    # An interval that took the games of a deal as independent would cover 83 % of the twins.
    rng, strengths, covered = np.random.default_rng(6), [60.0, 0.0, -60.0], 0
    for _ in range(300):
        ratings = bradley_terry(["a", "b", "c"], pairings(strengths, 150, twins, rng)).players
        of = {one.name: one.points for one in ratings}
        covered += sum(of[name].low <= true <= of[name].high for name, true in zip("abc", strengths, strict=True))
    assert 0.93 < covered / 900 < 0.975


def test_ratings_say_where_they_do_not_fit() -> None:
    rng = np.random.default_rng(7)
    fitting = [bradley_terry(["a", "b", "c", "d"], pairings([90, 40, -10, -120], 200, True, rng)) for _ in range(200)]
    assert sum(one.misfit.significant for one in fitting) < 20
    assert not any(one.cycle for one in fitting)
    # Paper, scissors, stone: each beats the next, and all are rated alike.
    found = bradley_terry(["a", "b", "c"], {(0, 1): decided(70, 30), (1, 2): decided(70, 30), (0, 2): decided(30, 70)})
    misfit = found.misfit
    assert [round(one.points.value) for one in found.players] == [0, 0, 0]
    assert found.cycle == ("a", "b", "c")
    assert misfit.significant
    assert misfit.expected == pytest.approx(0.5)
    assert abs(misfit.played.value - 0.5) == pytest.approx(0.2)
    # A circle that chance explains is none.
    assert bradley_terry(["a", "b", "c"], {(0, 1): decided(7, 3), (1, 2): decided(7, 3), (0, 2): decided(3, 7)}).cycle == ()


def test_worst_misfit_of_ratings_is_largest_in_standard_errors() -> None:
    # a, b and c beat each other in a circle over many games; d lost its only two games, as far from what is expected but by chance.
    won = {(0, 1): decided(600, 400), (1, 2): decided(600, 400), (0, 2): decided(400, 600), (0, 3): decided(0, 2)}
    misfit = bradley_terry(["a", "b", "c", "d"], won).misfit
    assert {misfit.first, misfit.second} < {"a", "b", "c"}
    assert misfit.significant


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 40), st.data())
def test_an_interval_of_pairs_is_that_of_their_moments(deals: int, data: st.DataObject) -> None:
    won = np.array(data.draw(st.lists(st.integers(0, 2), min_size=deals, max_size=deals)))
    by_moments = Moments.from_counts(np.column_stack([np.full(deals, 2), won])).rate(1, 0)
    assert paired_rate(2 * deals, int(won.sum()), int((won == 2).sum())) == by_moments
