"""Measures of a variant: as an analysis has them, and how two variants differ on the same deals."""

import numpy as np
import pytest

from meldlab.analysis.heuristics import NAMES, heuristics
from meldlab.analysis.playing import LineUp, random_scores
from meldlab.analysis.playing import sample_from_games as played_sample
from meldlab.analysis.sample import Sample
from meldlab.recycle import RecycleGame
from meldlab.recycle.players.search import play_games
from meldlab.variants.effects import fit_lines
from meldlab.variants.measures import MEASURES, VariantGames
from tests.analysis.samples import BY_HAND


def gathered(name: str, games: int, settings: dict[str, int] | None = None) -> VariantGames:
    machine = RecycleGame.load(name, "0.6", None, settings or {}).machine

    def played(line_up: str) -> Sample:
        return played_sample(play_games(machine, LineUp.parse(line_up).players, games, 3, threads=1), machine.scoring, 0)

    return VariantGames(
        played("random,random"), random_scores(machine, 3, 100 * games), played("mcts:5,mcts:5"), played("mcts:5,random"), (0, 0)
    )


@pytest.fixture(scope="module")
def leduc() -> VariantGames:
    return gathered("leduc_poker", 24)


def test_the_ten_heuristics_are_those_of_an_analysis(leduc: VariantGames) -> None:
    assert leduc.skilled is not None
    assert leduc.single is not None
    theirs = {each.name: each.interval for each in heuristics(leduc.random, leduc.skilled, leduc.single, leduc.random_scores, leduc.teams)}
    assert {name: leduc.measure(name) for name in NAMES} == theirs
    assert set(MEASURES) > set(NAMES)


def test_counts_by_hand() -> None:
    sample = BY_HAND
    variant = VariantGames(sample, sample, sample)
    decisions, options, finished, ties = (variant.measure(name) for name in ("decisions", "options", "finished", "ties"))
    assert decisions is not None
    assert options is not None
    assert finished is not None
    assert ties is not None
    assert decisions.value == pytest.approx((4 + 5 + 2) / 3)
    assert options.value == pytest.approx((4 + 2 + 1 + 3 + 15 + 4) / 11)
    assert finished.value == pytest.approx(2 / 3)
    assert ties.value == 0
    assert variant.measure("order") is None  # nobody has played alone against random ones


def test_deals_add_up_and_are_cut_at_any_place(leduc: VariantGames) -> None:
    one = leduc.first(10)
    rest = leduc._map(lambda sample, _: sample.select(np.arange(sample.games) >= 10 * sample.games // 24), leduc)
    assert (one.games, rest.games) == (10, 14)
    assert (one + rest).measures() == leduc.measures()


def test_common_deals_tell_more_than_two_samples(leduc: VariantGames) -> None:
    """Where nothing but the stakes differs, random games are the same games, and their fairness differs by nothing at all."""
    double = gathered("leduc_poker", 24, {"BET": 4})
    same = leduc.difference(double, "fairness")
    assert same is not None
    assert (same.value, same.low, same.high) == (0, 0, 0)
    apart = double.difference(leduc, "spread")
    assert apart is not None
    assert apart.low > 0  # twice the stakes, about twice the points between options
    of_few = leduc.first(1).difference(double, "spread")
    assert of_few is None


def test_contributions_of_a_mean_are_its_parts() -> None:
    sample = Sample.from_scores("max", np.array([[1, 0]] * 9 + [[0, 1]] * 11))
    variant = VariantGames(sample, sample)
    parts = variant.contributions("fairness")
    assert parts is not None
    # Below an equal share, fairness is twice the rate of wins: every deal contributes two or nothing.
    assert parts.tolist() == pytest.approx([2.0] * 9 + [0.0] * 11)


def test_lines_are_found_and_noise_is_not() -> None:
    chance = np.random.default_rng(7)
    settings = chance.integers(0, 5, (60, 3)).astype(float)
    settings[:, 2] = 4  # did not vary
    values = 0.5 * settings[:, 0] + chance.normal(0, 0.1, 60)
    (first, second, third), explained = fit_lines(settings, values, np.full(60, 10.0))
    assert first is not None
    assert second is not None
    assert first.low < 0.5 < first.high
    assert second.low < 0 < second.high
    assert third is None
    assert explained is not None
    assert explained > 0.9
    assert fit_lines(settings[:2], values[:2], np.ones(2))[0] == [None, None, None]
    twice = np.column_stack((settings[:, 0], settings[:, 0]))
    assert fit_lines(twice, values, np.ones(60))[0] == [None, None]  # nobody can tell two numbers apart that move together


def test_intervals_of_slopes_hold() -> None:
    """Of many experiments with unequal noise and a bend, about 95 in 100 intervals cover the slope of the best line."""
    chance, hit = np.random.default_rng(1), 0
    for _ in range(300):
        x = chance.integers(0, 9, (25, 1)).astype(float)
        found = fit_lines(x, 0.3 * x[:, 0] + chance.normal(0, 0.1 + 0.1 * x[:, 0]), np.ones(25))[0][0]
        assert found is not None
        hit += found.low <= 0.3 <= found.high
    assert 270 <= hit <= 298
