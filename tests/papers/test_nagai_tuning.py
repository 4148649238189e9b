"""Nagai, Shrivastava, Ta, Bogaerts, Byers, "A Highly-Parameterized Ensemble to Play Gin Rummy", section 5: how its parameters were found.

The runs of the paper's size are in docs/tuning.md; here fewer games decide what they can decide.
"""

from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.arena.contest import play_contest
from meldlab.arena.evaluation import RunEvaluator
from meldlab.gin import Gin
from meldlab.gin.players import Ensemble
from meldlab.reproduce.claims import Verdict
from meldlab.reproduce.nagai import knocking
from meldlab.reproduce.nagai.ensemble import CHI_SQUARES, GRIDS, adjacency_in_floats, varied_value
from meldlab.reproduce.nagai.significance import agreeing, one_sample, two_samples
from meldlab.reproduce.nagai.tracking import SCHEDULES, Genes, TrackingSize, evolve_trackers, genes_from, track_task
from meldlab.runs.store import Store
from meldlab.runs.tasks import Task
from meldlab.statistics import Score


def fitness(trackers: list[Genes], *, first: int = 0, games: int, seed: int, **arguments: Any) -> list[float]:
    """Return the fitness of each tracker over the same mirrored games."""
    numbers = tuple(chain(*trackers))
    scores: list[float] = track_task(Task("gin.track", numbers, "gin-only", "eaai", seed, first, games, arguments))["scores"]
    return scores


def test_section_5_1_adjacency_updates_beat_the_baseline() -> None:
    # Figure 1: with ad = 0 and with ad = 3, whenever it is measured.
    for allowance in (0, 3):
        for schedule in SCHEDULES:
            paper, baseline = fitness([genes_from(Ensemble()), (0.0,) * 9], games=200, seed=3, allowance=allowance, schedule=schedule)
            assert paper > baseline + 0.05


def test_section_5_1_a_few_generations_come_near_the_papers_values(tmp_path: Path) -> None:
    work = RunEvaluator(Store.open(tmp_path / "runs.sqlite").run("track", {}), planned=0, jobs=1)
    size = TrackingSize(population=30, generations=8, games=60, final=0)
    *_, (genes, _) = evolve_trackers(work, size, seed=3, allowance=3, schedule="every draw")
    ours, paper, baseline = fitness(
        [genes, genes_from(Ensemble()), (0.0,) * 9], games=400, seed=4, first=10_000, allowance=3, schedule="every draw"
    )
    assert ours > baseline + 0.75 * (paper - baseline)
    assert ours < paper + 0.01, "there is little to gain beyond the paper's values"


def test_section_5_2_figure_2(tmp_path: Path) -> None:
    # Eleven of the 55 cells: the first column and the diagonal's ends, at a quarter of the paper's games.
    work = RunEvaluator(Store.open(tmp_path / "runs.sqlite").run("knock", {}), planned=0, jobs=1)
    cells = [(early, 0) for early in range(1, 11)] + [(10, 9)]
    found = work.scores_of_pairs([(knocking.player_name(early, late, 6), "gin-only") for early, late in cells], seed=8, games=1000)
    rates = [knocking.FIGURE_2[early - 1][late] for early, late in cells]
    judged = [
        agreeing(one.win_rate(), rate, (rate * (1 - rate) / knocking.PAPER_GAMES) ** 0.5) for one, rate in zip(found, rates, strict=True)
    ]
    assert judged.count(Verdict.REFUTED) <= 2


@pytest.mark.parametrize(
    ("search", "size"), [("meldability", 1331), ("adjacency", 36), ("turn penalty", 187), ("known penalty", 187), ("weights", 3003)]
)
def test_section_5_3_sizes_of_the_searches(search: str, size: int) -> None:
    # The original's 34 adjacency vectors are what a loop over floats finds of the 36.
    assert len(GRIDS[search]()) == size
    assert len(adjacency_in_floats()) == 34


def test_section_5_3_the_published_vectors_are_points_of_the_grids() -> None:
    for name in ("paper", "shipped"):
        player = Ensemble.preset(name)
        for search in ("meldability", "adjacency", "weights"):
            points = [tuple(map(float, each)) for each in GRIDS[search]()]
            assert any(np.allclose(varied_value(player, search), point) for point in points)


@pytest.mark.parametrize(("name", "before", "after", "chi_square"), CHI_SQUARES)
def test_section_5_3_the_chi_squares_take_the_rate_before_as_known(name: str, before: float, after: float, chi_square: float) -> None:
    # Rates are printed with three digits, so the statistic can be reproduced to about half a unit.
    new = Score(5000, round(5000 * after))
    assert one_sample(before, new).chi_square == pytest.approx(chi_square, abs=0.65)
    # As two samples only the whole iteration is significant at the paper's .01.
    assert two_samples(Score(5000, round(5000 * before)), new).gain() == (name == "the whole iteration")


def test_section_5_3_two_samples() -> None:
    base, melds, last = (Score(5000, round(5000 * rate)) for rate in (0.701, 0.720, 0.739))
    assert two_samples(base, last).chi_square == pytest.approx(17.9, abs=0.05)
    assert two_samples(base, melds).chi_square == pytest.approx(4.4, abs=0.05)
    assert two_samples(base, melds).p == pytest.approx(0.036, abs=0.001)


def test_section_5_3_the_best_of_3003_noisy_rates_is_too_good() -> None:
    # What choosing alone does: 3003 measurements of 5000 games of one and the same player that wins 0.7228.
    best = np.random.default_rng(1).binomial(5000, 0.7228, (200, 3003)).max(1) / 5000
    assert 0.739 < np.median(best) < 0.75


@pytest.mark.slow
def test_section_6_the_best_player(tmp_path: Path) -> None:
    # Over 100,000 games: 0.768 against simple and 0.547 against the paper's player.
    work = RunEvaluator(Store.open(tmp_path / "runs.sqlite").run("best", {}), planned=0, jobs=1)
    against_simple = work.scores([Ensemble.preset("best"), Ensemble()], "simple", seed=21, first=0, games=12_000)
    assert against_simple[0].win_rate().low > 0.75
    assert against_simple[0].wins > against_simple[1].wins
    assert play_contest(Gin(), ["ensemble:best", "ensemble:paper"], 8_000, seed=21, threads=1).win_rate().low > 0.53
