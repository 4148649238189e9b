"""Verdicts on the paper's claims: each has a direction, and few games never make one easier to reach."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from meldlab.gin.players import Ensemble
from meldlab.reproduce.nagai import ensemble as ensembles
from meldlab.reproduce.nagai import knocking
from meldlab.reproduce.nagai.ensemble import Searched
from meldlab.reproduce.nagai.report import CheckedClaim
from meldlab.reproduce.nagai.significance import Claim, gaining, paired, two_samples
from meldlab.statistics import Score


def won_by(rate: float, games: int) -> Score:
    """Mirrored games as if every game were alone."""
    return Score(games, round(rate * games), round(rate**2 * games / 2))


@pytest.mark.parametrize(
    ("games", "before", "after", "verdict"),
    [
        (20_000, 0.7197, 0.7099, "differs"),  # a significant loss
        (20_000, 0.7099, 0.7197, "agrees"),  # a significant gain
        (20_000, 0.7150, 0.7150, "differs"),  # no gain, and enough games to see one of 0.038
        (40, 0.70, 0.65, "not refuted"),
        (40, 0.70, 0.70, "not refuted"),
        (40, 0.65, 0.70, "not refuted"),
    ],
)
def test_a_gain_of_the_iteration_is_judged_by_its_direction(games: int, before: float, after: float, verdict: str) -> None:
    claim = two_samples(won_by(before, games), won_by(after, games))
    # On common deals the error is a little smaller than that of two samples.
    assert gaining(replace(claim, error=0.7 * claim.error), 0.038) == verdict


def searched(name: str, measured: Mapping[tuple[float, ...], Score]) -> Searched:
    """A search whose candidates did what is said of their values."""
    changes: list[dict[str, Any]] = [{name.replace(" ", "_"): value} for value in measured]
    some = [replace(Ensemble(), **change) for change in changes]
    order = tuple(sorted(range(len(some)), key=lambda place: -measured[list(measured)[place]].wins))
    return Searched(name, 1, Ensemble(), won_by(0.7, 5000), len(some), tuple(some), tuple(measured.values()), order, 0, 0)


def judged(games: int) -> list[ensembles.Judged]:
    """Five searches, whose grids have two players each, the worse one far behind."""
    values: dict[str, list[tuple[float, ...]]] = {
        "meldability": [(0.5, 1, 0.4, 0.6), (0.5, 1, 0.6, 0.4)],
        "adjacency": [(0.4, 0.4, 0.2), (0.7, 0.2, 0.1)],
        "turn penalty": [(0.0, 1.0), (0.3, 1.0)],
        "known penalty": [(0.0, 1.0), (0.3, 1.0)],
        "weights": [(0.3, 0.6, 0, 0, 0.1, 0), (1.0, 0, 0, 0, 0, 0)],
    }
    none, rates = Claim(0.0, 0.01), (0.73, 0.6)
    found = [searched(name, {value: won_by(rate, games) for value, rate in zip(some, rates, strict=True)}) for name, some in values.items()]
    return [ensembles.Judged(each, None, won_by(0.72, games), won_by(0.7228, games), none, none) for each in found]


@pytest.mark.parametrize(("before", "after"), [(0.70, 0.72), (0.72, 0.70)])
def test_pairs_know_which_of_two_players_is_better(before: float, after: float) -> None:
    luck = np.random.default_rng(8).random(4000)
    claim = paired((luck < before).astype(np.int64), (luck < after).astype(np.int64))
    assert (claim.gain(), claim.loss()) == (after > before, after < before)
    assert ("a gain" in str(claim), "a loss" in str(claim)) == (after > before, after < before)


def verdicts(findings: Sequence[CheckedClaim]) -> dict[str, str]:
    return {one.what: str(one.verdict) for one in findings}


def test_verdicts_on_the_ensemble() -> None:
    loss, gain, nothing = (Claim(difference, error) for difference, error in ((-0.0098, 0.0034), (0.0098, 0.0034), (0.01, 0.1)))
    enough, few, size = judged(20_000), judged(20), ensembles.SearchSize(grid=False)
    found = {name: verdicts(ensembles._findings(enough, claim, size)) for name, claim in (("loss", loss), ("gain", gain))}
    whole = "the whole iteration is a significant gain"
    assert (found["loss"][whole], found["gain"][whole]) == ("differs", "agrees")
    assert found["loss"]["runs weigh at least as much as sets"] == "agrees"
    assert found["loss"]["slopes of both penalties"] == "agrees"
    assert found["loss"]["the same, with the authors' program measured again"] == "agrees"
    with_few = verdicts(ensembles._findings(few, nothing, size))
    for what in (whole, "runs weigh at least as much as sets", "slopes of both penalties", "after the first iteration"):
        assert with_few[what] == "not refuted"


@pytest.mark.parametrize("worse", [False, True])
def test_a_later_iteration_is_no_gain_because_it_is_significant(worse: bool) -> None:
    claim = Claim(-0.01 if worse else 0.01, 0.001)
    later = [replace(each, search=replace(each.search, iteration=2), fresh_deals=claim) for each in judged(20_000)]
    found = verdicts(ensembles._findings([*judged(20_000), *later], claim, ensembles.SearchSize(grid=False, iterations=2)))
    assert found["significant gains after the first iteration"] == ("not refuted" if worse else "differs")


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
    return verdicts(knocking._findings(one_stage, two_stages, winner, dict.fromkeys(others, winner), others, fresh))


SINGLE, DOUBLE = "the best single threshold, against each of the eleven", "the best of 825 two-stage players against gin-only"
FIGURE, AGAINST = "Figure 2, cells that differ by more than twice both errors", "against one threshold of 4 the best is (10, 0, 6 +- 1)"


def test_verdicts_on_knocking() -> None:
    same = knock_verdicts(2000, 0.55, {})
    assert (same[SINGLE], same[DOUBLE], same[FIGURE], same[AGAINST]) == ("agrees",) * 4
    other = knock_verdicts(2000, 0.40, {(3, 1, 9): 0.72}, figure=0.06)
    assert (other[SINGLE], other[DOUBLE], other[FIGURE], other[AGAINST]) == ("differs",) * 4
    # The same rates, in too few games to speak against anything: that is no agreement.
    few = knock_verdicts(40, 0.475, {(3, 1, 9): 0.65}, figure=0.0)
    assert (few[SINGLE], few[DOUBLE], few[FIGURE], few[AGAINST]) == ("not refuted",) * 4


def test_a_tie_for_the_best_is_no_agreement() -> None:
    tied = knock_verdicts(200, 0.5, {(9, 0, 5): 0.57})
    assert (tied[SINGLE], tied[DOUBLE], tied[AGAINST]) == ("not refuted",) * 3
