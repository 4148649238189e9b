"""Training courses on the command line and in the store, tiny; needs PyTorch."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.errors import NotPossible
from meldlab.gin.players.value_network import FOLDER
from meldlab.runs.store import Run, Store
from tests.cli.test_app import run

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.training import keeping, training, value_learner  # noqa: E402
from meldlab.training.learner import Course  # noqa: E402
from meldlab.training.value_learner import ValueCourse  # noqa: E402

TINY = (
    "--learn",
    "values",
    "--start",
    "computed:light",
    "--steps",
    "60",
    "--rounds",
    "8",
    "--batch",
    "64",
    "--games",
    "4",
    "--device",
    "cpu",
)
PLAYERS = ("simple", "gin-only", "knock:10,0,6", "ensemble:best", "marjj", "marjj:paper", "computed:light", "champion")
FILES = {"light file": "light-ensemble.npz", "policy file": "champion.npz"}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def saved(folder: Path, player: str) -> str:
    """Return a player, or one of a file of the kind that is named."""
    if player not in FILES:
        return player
    path = folder / "mine.npz"
    path.write_bytes((FOLDER / FILES[player]).read_bytes())
    return f"computed:{path}"


def test_locked_store_does_not_end_a_training_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    renewals = []

    def renew(run: Run, owner: str) -> None:
        renewals.append(owner)
        raise NotPossible("the store does not answer: database is locked")

    monkeypatch.setattr(Run, "renew", renew)
    monkeypatch.setattr(keeping, "RENEWED", -1.0)
    settings = {"save": "mine.npz", "seed": 1, "steps": 64}
    with keeping.kept_course(str(tmp_path / "runs.sqlite"), "train", settings, ["simple"], 2) as kept:
        for steps in (32, 64):
            kept.lap(steps)
    assert len(renewals) == 2


def test_train_stores_a_course_that_is_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, save = str(tmp_path / "runs.sqlite"), str(tmp_path / "mine.npz")
    line = ("gin", "train", *TINY, "--against", "self,simple,marjj", "--seed", "7", "--save", save, "--store", store)
    status, out, _ = run(capsys, *line)
    assert (status, f"play it as computed:{save}" in out) == (0, True)
    status, out, _ = run(capsys, "runs", "list", "--store", store)
    assert (status, "train" in out, "finished" in out) == (0, True, True)
    _, out, _ = run(capsys, "runs", "show", "1", "--store", store)
    assert 'command = "meldlab gin train --learn values --start computed:light --steps 60 --rounds 8 ' in out
    assert all(line in out for line in ("  seed = 7\n", "  noise = 3.0\n", "8 of 8 games", "mine against marjj: "))
    _, out, _ = run(capsys, "runs", "show", "1", "--store", store, "--json")
    kept: dict[str, Any] = json.loads(out)
    assert set(kept["result"]["measured"]) == {"simple", "marjj"}
    assert [lap["number"] for lap in kept["result"]["curve"]] == list(range(1, kept["result"]["laps"] + 1))
    run(capsys, *line, "--resume")
    assert len(Store.look(store).runs()) == 1


def test_store_tells_an_interrupted_course_and_keeps_no_rejected_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, save = str(tmp_path / "runs.sqlite"), str(tmp_path / "mine.npz")
    status, _, err = run(capsys, "gin", "exploit", "mc:8", "--learn", "values", "--device", "cpu", "--store", store, "--save", save)
    assert (status, err) == (2, "error: mc:8 does not play in the batch kernel\n")
    assert Store.look(store).runs() == []

    def interrupt(learner: value_learner.ValueLearner, path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(value_learner.ValueLearner, "save", interrupt)
    line = ("gin", "train", *TINY, "--steps", "100000", "--against", "simple", "--save", save, "--store", store)
    assert run(capsys, *line)[0] == 130
    (left,) = Store.look(store).runs()
    assert (left.finished, "broken off after" in left.notes) == (None, True)


def test_train_goes_on_without_sqlalchemy(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "find_spec", lambda name: None)
    save = tmp_path / "mine.npz"
    status, _, err = run(capsys, "gin", "train", *TINY, "--against", "simple", "--save", str(save))
    assert (status, err, save.exists()) == (0, "nothing is kept in the store: SQLAlchemy is missing\n", True)


@pytest.mark.parametrize("player", [*PLAYERS, "light file", "policy file"])
def test_train_exploits_every_player_with_a_policy(player: str, tmp_path: Path) -> None:
    name = saved(tmp_path, player)
    course = Course((0, 0, 4), (name,), steps=64, length=16, wide=8, deep=1)
    found = training.train(course, tmp_path / "response.npz", against=[name], games=2)
    assert (found.steps, found.measured[0].against, found.measured[0].games) == (64, name, 2)


@pytest.mark.parametrize("player", [*PLAYERS[:-1], "light file"])
def test_train_exploits_every_kernel_player_with_values(player: str, tmp_path: Path) -> None:
    name = saved(tmp_path, player)
    course = ValueCourse((name,), 1, rounds=4, batch=64)
    found = training.train(course, tmp_path / "response.npz", start="computed:light", against=[name], games=2)
    assert (found.laps, found.measured[0].against, found.measured[0].games) == (1, name, 2)


def test_exploit_starts_with_a_given_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, first, second = (str(tmp_path / name) for name in ("runs.sqlite", "first.npz", "second.npz"))
    sizes = ("--steps", "512", "--tables", "4", "--games", "2", "--device", "cpu", "--store", store)
    status, out, _ = run(capsys, "gin", "exploit", "marjj", "--start", "champion", "--save", first, *sizes)
    assert (status, "so marjj is at least this exploitable" in out) == (0, True)
    assert run(capsys, "gin", "exploit", "simple", "--start", first, "--save", second, *sizes)[0] == 0
    with np.load(second) as arrays:
        lineage = json.loads(str(arrays["notes"]))["lineage"]
    assert [piece["start"] for piece in lineage[-2:]] == ["champion", first]
    assert run(capsys, "gin", "exploit", "simple", "--start", "computed:light", "--save", first + "x.npz", *sizes)[0] == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("--wide", "8"), "--wide is not for"),
        (("--against", "self,,past"), "visitors are names"),
        (("--rate", "nan"), "a learning rate is above 0"),
        (("--device", "cuda"), "CUDA"),
    ],
)
def test_train_rejects_options_that_a_course_does_not_have(line: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if torch.cuda.is_available() and "cuda" in line:
        pytest.skip("there is a GPU")
    status, _, err = run(capsys, "gin", "train", *TINY, *line)
    assert (status, said in err) == (2, True)


def test_train_takes_an_adviser_for_a_fresh_network_only(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "gin", "train", "--start", "champion", "--adviser", "computed:light", "--device", "cpu")
    assert (status, "--adviser is for a fresh network" in err) == (2, True)
