"""Verdicts on the claims of Nagai and others: each has a direction, and few games never make one easier to reach."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from meldlab.gin.players import Ensemble
from meldlab.reproduce.nagai import knocking
from meldlab.reproduce.nagai.ensemble import SearchResult, SearchSummary, ensemble_outcomes
from meldlab.reproduce.nagai.significance import RateDifference, gaining, paired, two_samples
from meldlab.statistics import Score


def won_by(rate: float, games: int) -> Score:
    """Mirrored games as if every game were alone."""
    return Score(games, round(rate * games), round(rate**2 * games / 2))


@pytest.mark.parametrize(
    ("games", "before", "after", "verdict"),
    [
        (20_000, 0.7197, 0.7099, "refuted"),  # a significant loss
        (20_000, 0.7099, 0.7197, "within"),  # a significant gain
        (20_000, 0.7150, 0.7150, "refuted"),  # no gain, and enough games to see one of 0.038
        (40, 0.70, 0.65, "open"),
        (40, 0.70, 0.70, "open"),
        (40, 0.65, 0.70, "open"),
    ],
)
def test_gaining_judges_by_the_direction(games: int, before: float, after: float, verdict: str) -> None:
    difference = two_samples(won_by(before, games), won_by(after, games))
    # On common deals the error is a little smaller than that of two samples.
    assert gaining(replace(difference, error=0.7 * difference.error), 0.038) == verdict


def searched(name: str, measured: Mapping[tuple[float, ...], Score]) -> SearchResult:
    """A search whose candidates have these scores."""
    changes: list[dict[str, Any]] = [{name.replace(" ", "_"): value} for value in measured]
    players = tuple(replace(Ensemble(), **change) for change in changes)
    scores = tuple(measured.values())
    order = tuple(sorted(range(len(players)), key=lambda index: -scores[index].wins))
    return SearchResult(name, 1, Ensemble(), won_by(0.7, 5000), len(players), players, scores, order, 0, 0)


def summaries(games: int) -> list[SearchSummary]:
    """Five searches, whose grids have two players each, the worse one far behind."""
    values: dict[str, list[tuple[float, ...]]] = {
        "meldability": [(0.5, 1, 0.4, 0.6), (0.5, 1, 0.6, 0.4)],
        "adjacency": [(0.4, 0.4, 0.2), (0.7, 0.2, 0.1)],
        "turn penalty": [(0.0, 1.0), (0.3, 1.0)],
        "known penalty": [(0.0, 1.0), (0.3, 1.0)],
        "weights": [(0.3, 0.6, 0, 0, 0.1, 0), (1.0, 0, 0, 0, 0, 0)],
    }
    none, rates = RateDifference(0.0, 0.01), (0.73, 0.6)
    searches = [
        searched(name, {value: won_by(rate, games) for value, rate in zip(two, rates, strict=True)}) for name, two in values.items()
    ]
    return [SearchSummary(search, None, won_by(0.72, games), won_by(0.7228, games), none, none) for search in searches]


@pytest.mark.parametrize(("before", "after"), [(0.70, 0.72), (0.72, 0.70)])
def test_paired_finds_the_better_player(before: float, after: float) -> None:
    noise = np.random.default_rng(8).random(4000)
    difference = paired((noise < before).astype(np.int64), (noise < after).astype(np.int64))
    assert (difference.gain(), difference.loss()) == (after > before, after < before)
    assert ("a gain" in str(difference), "a loss" in str(difference)) == (after > before, after < before)


def verdicts(outcomes: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {claim: outcome["verdict"] for claim, outcome in outcomes.items()}


def test_ensemble_outcomes_with_enough_games_follow_the_rates() -> None:
    enough = summaries(20_000)
    loss, gain = (verdicts(ensemble_outcomes(enough, RateDifference(difference, 0.0034))) for difference in (-0.0098, 0.0098))
    assert (loss["iteration-gain"], gain["iteration-gain"]) == ("refuted", "within")
    assert loss["runs-over-sets"] == loss["deadwood-weight"] == "within"
    assert "later-iterations" not in loss


def test_ensemble_outcomes_with_few_games_are_open() -> None:
    few = verdicts(ensemble_outcomes(summaries(20), RateDifference(0.01, 0.1)))
    assert set(few.values()) == {"open"}


@pytest.mark.parametrize("worse", [False, True])
def test_later_iterations_are_refuted_by_significant_gains_only(worse: bool) -> None:
    difference = RateDifference(-0.01 if worse else 0.01, 0.001)
    later = [replace(each, search=replace(each.search, iteration=2), fresh_deals=difference) for each in summaries(20_000)]
    outcomes = verdicts(ensemble_outcomes([*summaries(20_000), *later], difference))
    assert outcomes["later-iterations"] == ("within" if worse else "refuted")


def knock_verdicts(games: int, zero: float, best: Mapping[knocking.Stages, float], figure: float = 0.0) -> dict[str, str]:
    """Judge players that win 0.5 but for threshold 0, for the best two-stage ones, and for Figure 2 moved by ``figure``."""
    limits = range(11)
    one_stage = {(a, b): won_by(zero if a == 0 else 0.5, games) for a in limits for b in limits}
    rates = dict.fromkeys(knocking.two_stage_players(), 0.3)
    rates |= {(early, late, 6): rate + figure for early, row in enumerate(knocking.FIGURE_2, 1) for late, rate in enumerate(row)}
    two_stages = {stages: won_by(rate, games) for stages, rate in (rates | dict(best)).items()}
    others = dict.fromkeys(knocking.OPPONENTS, two_stages)
    winner = max(two_stages, key=lambda stages: two_stages[stages].wins)
    fresh = [two_stages[winner], two_stages[knocking.PAPER_BEST]]
    return verdicts(knocking.knocking_outcomes(one_stage, two_stages, winner, dict.fromkeys(others, winner), others, fresh))


CLAIMS = ("one-stage", "two-stages", "figure-2", "other-opponents")


@pytest.mark.parametrize(
    ("games", "zero", "best", "figure", "verdict"),
    [
        (2000, 0.55, {}, 0.0, "within"),
        (2000, 0.40, {(3, 1, 9): 0.72}, 0.06, "refuted"),
        # The same rates, in too few games to refute anything: that does not agree.
        (40, 0.475, {(3, 1, 9): 0.65}, 0.0, "open"),
    ],
)
def test_knocking_outcomes_follow_the_rates(
    games: int, zero: float, best: Mapping[knocking.Stages, float], figure: float, verdict: str
) -> None:
    outcomes = knock_verdicts(games, zero, best, figure)
    assert {claim: outcomes[claim] for claim in CLAIMS} == dict.fromkeys(CLAIMS, verdict)


def test_knocking_outcomes_leave_ties_for_the_best_open() -> None:
    tied = knock_verdicts(200, 0.5, {(9, 0, 5): 0.57})
    assert (tied["one-stage"], tied["two-stages"], tied["other-opponents"]) == ("open",) * 3
