"""Training on the command line and in the store, tiny."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from meldlab.gin.network_files import FOLDER
from meldlab.runs.queue import COMMAND_LINE, RunQueue
from meldlab.runs.store import Store
from meldlab.training import td
from meldlab.training.config import PPOConfig, TDConfig
from meldlab.training.train import train
from tests.cli.test_app import run

pytestmark = pytest.mark.slow

TINY: tuple[str, ...] = ("--algorithm", "td", "--init-from", "network:light", "--total-steps", "60", "--rollout-rounds", "8")
TINY += ("--minibatch-size", "64", "--eval-games", "4", "--device", "cpu")
PLAYERS = ("simple", "gin-only", "knock:10,0,6", "ensemble:best", "marjj", "marjj:paper", "network:light", "champion")
FILES = {"light file": "light-ensemble.npz", "policy file": "champion.npz"}


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def saved(folder: Path, player: str) -> str:
    """Return a player, or one of a copied file of the kind that is named."""
    if player not in FILES:
        return player
    path = folder / "mine.npz"
    path.write_bytes((FOLDER / FILES[player]).read_bytes())
    return f"computed:{path}"


def test_train_stores_a_run_that_is_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, save = str(tmp_path / "runs.sqlite"), str(tmp_path / "mine.npz")
    line = ("gin", "train", *TINY, "--opponents", "self,simple,marjj", "--seed", "7", "--save", save, "--store", store)
    status, out, _ = run(capsys, *line)
    assert (status, f"play it as network:{save}" in out) == (0, True)
    status, out, _ = run(capsys, "runs", "list", "--store", store)
    assert (status, "train" in out, "finished" in out) == (0, True, True)
    _, out, _ = run(capsys, "runs", "show", "1", "--store", store)
    assert 'command = "meldlab gin train --algorithm td --init-from network:light --total-steps 60 --rollout-rounds 8 ' in out
    assert all(line in out for line in ("  seed = 7\n", "  noise = 3.0\n", "8 of 8 games", "mine against marjj: "))
    _, out, _ = run(capsys, "runs", "show", "1", "--store", store, "--json")
    answer: dict[str, Any] = json.loads(out)
    assert set(answer["result"]["scores"]) == {"simple", "marjj"}
    assert [row["number"] for row in answer["result"]["curve"]] == list(range(1, answer["result"]["iterations"] + 1))
    assert run(capsys, *line, "--resume")[0] == 0
    assert len(Store.open_read_only(store).runs()) == 1
    assert [entry.state for entry in RunQueue(Store.open(store)).entries(COMMAND_LINE, ("finished", "failed"))] == ["finished"] * 2


def test_store_shows_an_interrupted_run_and_no_rejected_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, save = str(tmp_path / "runs.sqlite"), str(tmp_path / "mine.npz")
    status, _, err = run(capsys, "gin", "exploit", "mc:8", "--algorithm", "td", "--device", "cpu", "--store", store, "--save", save)
    assert (status, err) == (2, "error: mc:8 does not play in the batch kernel\n")
    assert Store.open_read_only(store).runs() == []

    def interrupt(trainer: td.TD, path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(td.TD, "save_checkpoint", interrupt)
    line = ("gin", "train", *TINY, "--total-steps", "100000", "--opponents", "simple", "--save", save, "--store", store)
    assert run(capsys, *line)[0] == 130
    (interrupted,) = Store.open_read_only(store).runs()
    assert (interrupted.finished, "interrupted after" in interrupted.notes) == (None, True)


def test_train_needs_a_checkpoint_to_resume_and_none_to_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save = tmp_path / "mine.npz"
    status, _, err = run(capsys, "gin", "train", *TINY, "--save", str(save), "--resume")
    assert (status, err) == (2, f"error: nothing to resume: there is no {save.with_suffix('.state')}\n")
    save.with_suffix(".state").touch()
    status, _, err = run(capsys, "gin", "train", *TINY, "--save", str(save))
    assert (status, "exists: --resume continues this run" in err) == (2, True)


def test_train_works_without_sqlalchemy(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.cli.gin.train.find_spec", lambda name: None if name == "sqlalchemy" else find_spec(name))
    save = tmp_path / "mine.npz"
    status, _, err = run(capsys, "gin", "train", *TINY, "--opponents", "simple", "--save", str(save))
    assert (status, err, save.exists()) == (0, "nothing is stored: SQLAlchemy is missing\n", True)


@pytest.mark.parametrize("player", [*PLAYERS, "light file", "policy file"])
def test_train_ppo_against_every_player_with_a_policy(player: str, tmp_path: Path) -> None:
    name = saved(tmp_path, player)
    config = PPOConfig(num_envs=(0, 0, 4), opponents=(name,), total_steps=64, num_steps=16, hidden_size=8, num_layers=1)
    result = train(config, tmp_path / "response.npz", evaluate=[name], eval_games=2)
    assert (result.steps, result.scores[name].games) == (64, 2)


@pytest.mark.parametrize("player", [*PLAYERS[:-1], "light file"])
def test_train_td_against_every_kernel_player(player: str, tmp_path: Path) -> None:
    name = saved(tmp_path, player)
    config = TDConfig(opponents=(name,), total_steps=1, rollout_rounds=4, minibatch_size=64)
    result = train(config, tmp_path / "response.npz", init_from="network:light", evaluate=[name], eval_games=2)
    assert (result.iterations, result.scores[name].games) == (1, 2)


def test_exploit_starts_with_a_given_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, first, second = (str(tmp_path / name) for name in ("runs.sqlite", "first.npz", "second.npz"))
    sizes = ("--total-steps", "512", "--num-envs", "4", "--eval-games", "2", "--device", "cpu", "--store", store)
    status, out, _ = run(capsys, "gin", "exploit", "marjj", "--init-from", "champion", "--save", first, *sizes)
    assert (status, "so marjj is at least this exploitable" in out) == (0, True)
    assert run(capsys, "gin", "exploit", "simple", "--init-from", first, "--save", second, *sizes)[0] == 0
    with np.load(second) as arrays:
        lineage = json.loads(str(arrays["notes"]))["lineage"]
    assert [run.get("init_from", run.get("start")) for run in lineage[-2:]] == ["champion", first]
    assert run(capsys, "gin", "exploit", "simple", "--init-from", "network:light", "--save", first + "x.npz", *sizes)[0] == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (("--hidden-size", "8"), "--hidden-size is not an option of --algorithm td"),
        (("--opponents", "self,,snapshot"), "opponents are names"),
        (("--learning-rate", "nan"), "learning rate: expected"),
        (("--device", "cuda"), "CUDA"),
    ],
)
def test_train_rejects_invalid_options(line: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if torch.cuda.is_available() and "cuda" in line:
        pytest.skip("there is a GPU")
    status, _, err = run(capsys, "gin", "train", *TINY, *line)
    assert (status, message in err) == (2, True)


def test_train_takes_a_prior_for_a_new_network_only(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "gin", "train", "--init-from", "champion", "--prior", "network:light", "--device", "cpu")
    assert (status, "--prior is for a new network" in err) == (2, True)


def test_train_accepts_the_options_of_version_0_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, save = str(tmp_path / "runs.sqlite"), str(tmp_path / "mine.npz")
    old = "--learn values --start network:light --steps 60 --rounds 8 --seats 1 --batch 64 --rate 1e-3 --games 4 --measure simple"
    line = ("gin", "train", *old.split(), "--against=self,past", "--device", "cpu", "--save", save, "--store", store)
    status, _, err = run(capsys, *line)
    assert status == 0
    assert err.startswith("note: --learn is now --algorithm, values is now td, --start is now --init-from, ")
    settings = Store.open_read_only(store).find(1).settings
    assert (settings["algorithm"], settings["opponents"], settings["train_seats"]) == ("td", ["self", "snapshot"], 1)
    assert (settings["learning_rate"], settings["eval_games"], settings["evaluate"]) == (1e-3, 4, ["simple"])
