"""``meldlab tune``: what the experiments print, keep and draw, on sizes that take no time."""

import json
from pathlib import Path
from typing import Any

import pytest

from meldlab.gin.players import Ensemble
from meldlab.reproduce.nagai import ensemble as ensembles
from meldlab.reproduce.nagai import knocking, tracking
from meldlab.runs.store import Store
from meldlab.tuning.halving import HalvingConfig
from tests.cli.test_app import run
from tests.tuning.test_tuning import thinned


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(knocking.SIZES, "quick", knocking.KnockingSize(4, 4, 2, 40, turns=(5, 6, 7)))
    monkeypatch.setitem(tracking.SIZES, "quick", tracking.TrackingSize(population=6, generations=2, games=10, final=60))
    monkeypatch.setitem(ensembles.SIZES, "quick", ensembles.SearchSize(grid=False, test_games=40, halving=HalvingConfig(2, 8)))
    for name, grid in thinned(60).items():
        monkeypatch.setitem(ensembles.GRIDS, name, grid)


@pytest.mark.parametrize(
    ("verb", "figure", "keys"),
    [
        ("track", "tracking", {"individuals", "history", "curves"}),
        ("knock", "knocking", {"one_stage", "two_stages", "best", "inflation", "best_against"}),
        ("ensemble", "inflation", {"start", "searches", "whole", "adjacency_vectors", "player"}),
    ],
)
def test_an_experiment(capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str, figure: str, keys: set[str]) -> None:
    store = str(tmp_path / "runs.sqlite")
    common = ("tune", verb, "--seed", "3", "--threads", "1", "--store", store)
    status, out, err = run(capsys, *common, "--json", "--out", str(tmp_path / "figures"))
    assert status == 0
    assert " games played" in err
    told: dict[str, Any] = json.loads(out)
    assert {"run", "settings", "experiment", "outcomes", "notes", "files"} | keys <= told.keys()
    assert all(set(outcome) == {"ours", "verdict"} for outcome in told["outcomes"].values())
    assert {Path(path).name for path in told["files"]} == {f"{figure}.{kind}" for kind in ("svg", "png", "csv")}
    assert all(Path(path).exists() for path in told["files"])
    # The same question again is answered from the store, as text.
    status, out, err = run(capsys, *common)
    assert status == 0
    assert ", 0 games played" in err
    assert f"tune {verb}" in out
    assert all(note in out for note in told["notes"])
    status, out, _ = run(capsys, "runs", "show", "1", "--store", store, "--json")
    kept = json.loads(out)
    assert kept["experiment"] == verb
    assert kept["result"]["outcomes"] == told["outcomes"]


def test_the_best_player_plays_from_its_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    player = tmp_path / "best.toml"
    small = ("--generations", "2", "--population", "4", "--games", "20", "--test-games", "40")
    common = ("tune", "best", *small, "--threads", "1", "--store", str(tmp_path / "runs.sqlite"))
    status, out, _ = run(capsys, *common, "--out", str(player), "--json")
    assert status == 0
    told = json.loads(out)
    assert told["test_scores"].keys() == {"simple", "ensemble:paper"}
    assert all(one["games"] == 40 for one in told["test_scores"].values())
    assert Ensemble.parse(player.read_text()) == Ensemble.parse(told["player"])
    status, out, _ = run(capsys, *common)
    assert status == 0
    assert "when it was chosen, and on held-out deals" in out
    status, _, _ = run(capsys, "gin", "arena", f"ensemble:{player}", "simple", "--games", "4")
    assert status == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("ensemble", "--base", "bass"), "no ensemble 'bass'"),
        (("knock", "--store", "mysql://somewhere"), "store"),
        (("best", "--test-games", "7"), "7 games cannot be played in mirrored pairs"),
        (("knock", "--cluster", "tcp://127.0.0.1:1"), "no Dask cluster answers"),
        (("knock", "--seed", "-1"), "seed must be a whole number from 0 to 2^63 - 1, not -1"),
        (("knock", "--threads", "1000000"), "--threads"),
        (("knot",), "knot"),
    ],
)
def test_nonsense_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.setenv("MELDLAB_STORE", str(tmp_path / "runs.sqlite"))
    monkeypatch.setattr("meldlab.runs.pool.CONNECT_SECONDS", 1)
    status, _, err = run(capsys, "tune", *arguments)
    assert status == 2
    assert why in err.splitlines()[-1]
    assert "Traceback" not in err
    kept = tmp_path / "runs.sqlite"
    assert not kept.exists() or Store.open_read_only(kept).runs() == [], "what never began leaves no run"


def test_a_search_takes_every_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    small = ("--generations", "1", "--population", "4", "--games", "10", "--test-games", "4", "--json")
    found: list[dict[str, float]] = []
    for seed in (2**32, 2**33, 2**32):
        status, out, _ = run(capsys, "tune", "best", *small, "--seed", str(seed), "--store", str(tmp_path / f"{len(found)}.sqlite"))
        assert status == 0
        found.append(json.loads(out)["point"])
    assert found[0] == found[2] != found[1]
