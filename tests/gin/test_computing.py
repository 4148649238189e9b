"""Computing a player by playing and solving in turn, on a game that a CPU solves in a second."""

from dataclasses import replace
from pathlib import Path

import numba
import numpy as np
import pytest

from meldlab.errors import MeldlabError
from meldlab.gin import Rules
from meldlab.gin.computing.compute import Computed, Setting, compute
from meldlab.gin.kernel_state import ValueTable
from meldlab.gin.value_tables import load
from meldlab.statistics import sign_test

SMALL = Setting(Rules(knock_limit=3), cards=5, ranks=6)


@pytest.fixture(scope="module")
def found() -> Computed:
    return compute("simple", SMALL, device="cpu", rounds=16_000, games=1_200, loops=3, seed=1)


def test_compute_finds_a_player_that_beats_the_simple_one(found: Computed) -> None:
    assert found.win_rate.low > 0.9
    # Even if every mirrored pair counted as a single game, this is no luck.
    wins = round(found.win_rate.value * found.config.games / 2)
    assert sign_test(wins, found.config.games // 2 - wins) < 1e-12
    assert found.iterations[-1].value > found.iterations[0].value


def test_compute_leaves_little_to_gain_in_the_last_lap(found: Computed) -> None:
    left = found.iterations[-1].exploitability
    assert left is not None
    assert -0.01 <= left < 1.0
    assert [iteration.exploitability for iteration in found.iterations[:-1]] == [None] * (len(found.iterations) - 1)


def test_save_keeps_what_was_measured(found: Computed, tmp_path: Path) -> None:
    found.save(tmp_path / "mine")
    table, head = load(tmp_path / "mine")
    assert all(np.array_equal(getattr(table, name), getattr(found.values, name)) for name in ValueTable._fields)
    assert head["win_rate"] == found.win_rate.value
    assert head["rules"] == {"preset": "eaai", "knock_limit": 3}
    assert (head["against"], head["cards"], head["ranks"], head["bits"]) == ("simple", 5, 6, 8)


def test_compute_does_not_depend_on_the_number_of_threads() -> None:
    before, tables = numba.get_num_threads(), []
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            tables.append(compute("gin-only", SMALL, device="cpu", rounds=9_000, games=100, loops=1, turns=[1, 4], seed=3).values)
    finally:
        numba.set_num_threads(before)
    assert tables[0].codes.shape[0] == 2
    for one, other in zip(*tables, strict=True):
        assert np.array_equal(one, other)


def test_compute_against_itself_comes_closer_to_an_equilibrium() -> None:
    seen: list[tuple[int, int]] = []
    found = compute("self", SMALL, device="cpu", rounds=20_000, games=100, loops=3, seed=2, progress=lambda *done: seen.append(done))
    gains = [iteration.exploitability for iteration in found.iterations]
    assert all(gain is not None and gain > -0.01 for gain in gains)
    assert gains[0] is not None
    assert gains[-1] is not None
    assert gains[-1] < 0.6 * gains[0]
    assert found.config.measured_against == "simple"
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]


def test_compute_stops_when_nothing_changes() -> None:
    found = compute("simple", Setting(SMALL.rules, 3, 4), device="cpu", rounds=1_000, games=100, loops=9, tolerance=1.0)
    assert (len(found.iterations), found.stable) == (2, True)


@pytest.mark.parametrize("preset", ["pagat", "oklahoma"])
def test_compute_takes_other_rules(preset: str) -> None:
    # Without big gin: six cards in two melds are so common here that ignoring them costs more than everything else gains.
    rules = replace(Rules.preset(preset), big_gin_bonus=0)
    found = compute("simple", Setting(rules, 5, 6), device="cpu", rounds=10_000, games=800, loops=1, price=2.0)
    assert found.config.setting.limit == {"pagat": 10, "oklahoma": 3}[preset]
    assert Rules.read(found.facts()["rules"]) == rules
    assert found.win_rate.value > 0.5


@pytest.mark.parametrize(
    ("against", "options", "why"),
    [
        ("mc:8", {}, "mc:8 plays at the table only"),
        ("random", {}, "random plays at the table only"),
        ("ensemble", {}, "ensemble plays ten cards of 52 only"),
        ("nobody", {}, "no player 'nobody'"),
        ("simple", {"device": "gpu"}, "no device 'gpu'"),
        ("simple", {"bits": 4}, "8 or 16 bits, not 4"),
        ("simple", {"games": 3}, "mirrored pairs"),
        ("simple", {"rounds": 1}, "number of rounds"),
        ("simple", {"loops": 0}, "number of loops"),
        ("simple", {"turns": [17]}, "turn to store"),
        ("simple", {"upcard": 1.5}, "upcard is a probability"),
        ("simple", {"price": -1.0}, "costs 0 to 100 points"),
    ],
)
def test_compute_names_what_it_cannot_do(against: str, options: dict[str, object], why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        compute(against, SMALL, **{"device": "cpu", **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "cards", "ranks", "why"),
    [
        ("openspiel", 10, 13, "last knock at the wall"),
        ("eaai", 11, 13, "cards in a hand"),
        ("eaai", 5, 14, "ranks of the deck"),
        ("eaai", 9, 5, "20 cards are too few"),
    ],
)
def test_setting_rejects_games_that_cannot_be_computed(rules: str, cards: int, ranks: int, why: str) -> None:
    with pytest.raises(MeldlabError, match=why):
        Setting(Rules.preset(rules), cards, ranks)


def test_compute_of_the_full_game_asks_for_a_gpu() -> None:
    with pytest.raises(MeldlabError, match=r"671,225,412 kinds of hands need \d+.\d GB and \d+.\d hours of a core a pass; use a GPU"):
        compute("simple", device="cpu")
