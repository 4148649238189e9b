"""TD(lambda): the value network, targets, and training runs, on a CPU and small."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Rules, kernel_state, players
from meldlab.gin.batch import batch_rules
from meldlab.gin.computing import playing
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_players import plain_workspace
from meldlab.gin.kernel_state import CANNOT_KNOCK, TURN_WIDTH, TURNS, Observation
from meldlab.gin.kernel_value_network import DRAW_HEAD, KNOCK_HEAD, WAIT_HEAD, draw_value
from meldlab.gin.players import LightPlayer
from meldlab.gpu import Device
from meldlab.training.config import PPOConfig, TDConfig
from meldlab.training.networks import ValueNetwork
from meldlab.training.ppo import PPO
from meldlab.training.rollout import equity_table
from meldlab.training.td import TD, value_samples
from meldlab.training.train import evaluate_file, train
from tests.training.test_ppo import interrupt_at, lineage

pytestmark = pytest.mark.slow

LIGHT = LightPlayer.parse("network:light")
SMALL = TDConfig(
    opponents=("self", "snapshot", "simple", "marjj"),
    total_steps=1200,
    rollout_rounds=16,
    minibatch_size=256,
    snapshot_interval=1,
    snapshot_pool_size=2,
)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trajectories() -> np.ndarray:
    """Trajectories of both seats, [40, 2, TURNS, TURN_WIDTH]."""
    return recorded(seats=2)


def recorded(seats: int) -> np.ndarray:
    written, light = np.zeros((40, seats, TURNS, TURN_WIDTH)), LIGHT.parameters()
    playing.record(Device("cpu"), (light, light), batch_rules(Rules()), 3, written)
    return written


def test_value_network_agrees_with_the_kernel(trajectories: np.ndarray) -> None:
    network = ValueNetwork.from_weights(LIGHT.network)
    equity = equity_table(MatchEquity.from_points(np.array([20, -20]), Rules()), "cpu")
    samples = value_samples(torch.from_numpy(trajectories).flatten(0, 1), equity, 0.6)
    with torch.no_grad():
        outputs = network(samples.planes, samples.numbers).gather(1, samples.head.long()[:, None])[:, 0].numpy()
    rows = trajectories.reshape(-1, TURNS, TURN_WIDTH)
    waited = (rows[:, :, kernel_state.RESULT] > CANNOT_KNOCK) & (rows[:, :, kernel_state.KNOCKED] == 0)
    assert outputs[samples.head.numpy() == WAIT_HEAD] == pytest.approx(rows[waited][:, kernel_state.EXPECTED], abs=1e-3)
    drawn = np.flatnonzero(samples.head.numpy() == DRAW_HEAD)[::7]
    for index in drawn:
        one, two, discarded = samples.planes[index].tolist()
        _, turn, _, own, other, _ = samples.numbers[index].tolist()
        observation = Observation(one & ~two, 0, turn - 1, two & ~one, one & two, discarded, -1, False, own, other, 10)
        assert outputs[index] == pytest.approx(draw_value(observation, turn, LIGHT.network, plain_workspace(LIGHT.network)), abs=1e-3)
    assert len(drawn) > 20


def test_record_writes_both_seats_alike(trajectories: np.ndarray) -> None:
    alone = recorded(seats=1)
    real = trajectories[:, :, :, kernel_state.RESULT] > CANNOT_KNOCK
    assert np.array_equal(trajectories[:, :1][real[:, :1]], alone[real[:, :1]])
    both = np.all(real.any(2), axis=1)
    assert both.sum() > 30
    for first, second in trajectories[both]:
        assert first[0, kernel_state.RESULT] == -second[0, kernel_state.RESULT]
        assert first[0, kernel_state.OWN_SCORE] == second[0, kernel_state.OTHER_SCORE]
        ends = [row for row in (first, second) for row in row[row[:, kernel_state.RESULT] > CANNOT_KNOCK][-1:]]
        assert sum(row[kernel_state.KNOCKED] for row in ends) <= 1
        for own, other in ((first, second), (second, first)):
            kept = own[own[:, kernel_state.RESULT] > CANNOT_KNOCK]
            one, two = kept[:, kernel_state.PLANE].astype(np.int64), kept[:, kernel_state.PLANE + 1].astype(np.int64)
            assert {int(hand).bit_count() for hand in one & ~two} == {10}
            discarded = {int(card) for card in other[other[:, kernel_state.RESULT] > CANNOT_KNOCK][:, kernel_state.DISCARDED]}
            seen = int(kept[-1, kernel_state.OPPONENT_DISCARDS])
            assert {card for card in range(52) if seen >> card & 1} <= discarded


def test_value_samples_of_one_round_by_hand() -> None:
    """By hand: a seat waits, expecting 3, then knocks for 20 points at 0 : 0; every point is worth the same."""
    equity = torch.arange(101)[:, None] / 150 - torch.arange(101)[None, :] / 150
    trajectory = torch.zeros((1, 3, TURN_WIDTH), dtype=torch.float64)
    trajectory[0, :, kernel_state.RESULT] = torch.tensor([20.0, 20.0, CANNOT_KNOCK])
    trajectory[0, :, kernel_state.IF_KNOCK] = torch.tensor([CANNOT_KNOCK, 20.0, 0.0])
    trajectory[0, :, kernel_state.EXPECTED] = torch.tensor([3.0, 4.0, 0.0])
    trajectory[0, 1, kernel_state.KNOCKED] = 1
    trajectory[0, 1, kernel_state.DRAW_PLANE] = -1  # the upcard was taken
    samples = value_samples(trajectory, equity, 0.6)
    rows = sorted(zip(samples.head.tolist(), samples.numbers[:, 1].tolist(), samples.target.tolist(), strict=True))
    assert [(head, turn) for head, turn, _ in rows] == [(WAIT_HEAD, 1), (KNOCK_HEAD, 2), (DRAW_HEAD, 1)]
    assert [target for _, _, target in rows] == pytest.approx([20.0, 20.0, 0.4 * 3 + 0.6 * 20], abs=1e-3)


def test_train_resumes_an_interrupted_run_and_saves_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.npz"
    monkeypatch.setattr("meldlab.training.train.CHECKPOINT_SECONDS", -1.0)
    with pytest.raises(KeyboardInterrupt):
        train(SMALL, path, init_from="network:light", progress=interrupt_at(2))
    result = train(SMALL, path, init_from="network:light", evaluate=["simple", "marjj"], eval_games=20)
    curve = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
    assert [line["number"] for line in curve] == list(range(1, result.iterations + 1))
    assert (curve[-1]["steps"], result.steps >= SMALL.total_steps, result.iterations > 1) == (result.steps, True, True)
    assert {name: score.games for name, score in result.scores.items()} == {"simple": 20, "marjj": 20}
    assert result.scores["simple"].wins > 8
    player = players.parse(f"computed:{path}")
    assert isinstance(player, LightPlayer)
    assert (player.name, player.against) == (f"computed:{path}", "self,snapshot,simple,marjj")
    assert (lineage(path)[-1]["learned"], lineage(path)[-1]["init_from"]) == (result.steps, "network:light")
    more = train(replace(SMALL, opponents=(f"computed:{path}",), total_steps=1), tmp_path / "more.npz", init_from=str(path))
    assert more.iterations == 1


def test_saved_value_network_is_that_of_the_player(tmp_path: Path) -> None:
    trainer, path = TD(SMALL, "cpu"), tmp_path / "mine.npz"
    trainer.average.save(path, {"against": ""})
    saved, played = trainer.average.file_arrays(), LightPlayer.parse(f"computed:{path}").network
    assert all(np.array_equal(np.float32(saved[name]), array) for name, array in played._asdict().items())
    assert evaluate_file(path, "simple", 3, 0, Rules()).games == 4, "odd numbers are rounded up"


def test_iterations_with_the_same_seed_give_the_same_network() -> None:
    first, second, third = (TD(replace(SMALL, seed=seed), "cpu", ValueNetwork.from_weights(LIGHT.network)) for seed in (0, 0, 1))
    for trainer in (first, second, third):
        next(trainer.iterations())
    same, other = (
        [torch.equal(*pair) for pair in zip(first.average.parameters(), trainer.average.parameters(), strict=True)]
        for trainer in (second, third)
    )
    assert all(same)
    assert not any(other)


def test_iterations_lower_the_loss_of_a_new_network() -> None:
    config = replace(SMALL, opponents=("simple",), total_steps=8000, rollout_rounds=64, learning_rate=5e-3, ema_steps=20.0)
    metrics = [iteration.metrics for iteration in TD(config, "cpu").iterations()]
    assert metrics[-1]["loss"] < 0.8 * metrics[0]["loss"]
    assert {name for row in metrics for name in row["opponents"]} == {"simple"}
    assert len(metrics[0]["opponents"]) == 4


def test_load_checkpoint_reads_the_keys_of_version_0_1(tmp_path: Path) -> None:
    trainer, path = TD(SMALL, "cpu"), tmp_path / "old.state"
    next(trainer.iterations())
    trainer.save_checkpoint(path)
    state = torch.load(path, weights_only=True)
    old_keys = {"average": "mean", "snapshots": "ring", "equity": "worth", "iteration": "laps"}
    torch.save({old_keys.get(name, name): value for name, value in state.items()}, path)
    resumed = TD(SMALL, "cpu")
    resumed.load_checkpoint(path)
    assert (resumed.steps, resumed.iteration, len(resumed.snapshots)) == (trainer.steps, 1, 1)
    assert all(torch.equal(*pair) for pair in zip(trainer.average.parameters(), resumed.average.parameters(), strict=True))
    assert torch.equal(trainer.equity, resumed.equity)


def test_train_rejects_invalid_arguments(tmp_path: Path) -> None:
    with pytest.raises(NotLegalHere, match="100 points"):
        TDConfig(rules=Rules(match_points=0))
    with pytest.raises(NotLegalHere, match="needs opponents"):
        TDConfig(opponents=())
    with pytest.raises(NotLegalHere, match="mc:8 does not play"):
        TD(TDConfig(opponents=("mc:8",)), "cpu")
    with pytest.raises(NotLegalHere, match="champion is not a value network"):
        train(SMALL, tmp_path / "mine.npz", init_from="champion")


@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_train_rejects_a_damaged_checkpoint(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mine.state").write_bytes(content)
    with pytest.raises(NotPossible, match="cannot be resumed"):
        train(SMALL, tmp_path / "mine.npz")


def test_train_rejects_the_checkpoint_of_another_run(tmp_path: Path) -> None:
    PPO(PPOConfig(hidden_size=4, num_layers=1), "cpu").save_checkpoint(tmp_path / "mine.state")
    with pytest.raises(NotPossible, match="of a run with other settings"):
        train(SMALL, tmp_path / "mine.npz")
