"""PPO: the policy network, advantages, and training runs, on a CPU and small."""

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from meldlab.arena.contest import play_contest
from meldlab.errors import BadText, NotLegalHere
from meldlab.gin import Gin, Rules
from meldlab.gin.kernel_players import policy_workspace
from meldlab.gin.kernel_policy import POSITION_SCALE, forward, head_output, write_card_logits
from meldlab.gin.kernel_state import PRIOR_DISCARD, PRIOR_KNOCK, PolicyInput, PolicyParameters, PolicyWeights
from meldlab.gin.network_files import file_name
from meldlab.gin.players import LightPlayer, parse
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.vector import KNOCK, PLANES, SCALARS, GinVector
from meldlab.runs.leaderboard import leaderboard
from meldlab.runs.store import Store
from meldlab.statistics import Score
from meldlab.training import networks, rollout
from meldlab.training.config import PPOConfig, TrainConfig, config_from_settings, parse_opponents, split_envs
from meldlab.training.ppo import PPO
from meldlab.training.train import evaluate_file, new_trainer, train

pytestmark = pytest.mark.slow

SMALL = PPOConfig(
    num_envs=(32, 16, 16),
    opponents=("simple", "knock:5,5,0"),
    prior="network:light",
    total_steps=3072,
    num_steps=16,
    hidden_size=16,
    num_layers=1,
    minibatch_size=256,
    snapshot_interval=1,
)
Progress = Callable[[float, float, str], None]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def interrupt_at(iteration: int) -> Progress:
    """Return a progress callback that interrupts a run after an iteration."""
    calls = iter(range(1, 100))

    def report(done: float, total: float, message: str) -> None:
        if next(calls) == iteration:
            raise KeyboardInterrupt

    return report


@pytest.mark.parametrize("num_layers", [0, 2])
def test_policy_network_agrees_with_the_kernel(num_layers: int) -> None:
    light = LightPlayer.parse("network:light")
    env, net = GinVector(16, seed=2), networks.PolicyNetwork(16, num_layers, prior=light.network)
    policy = PolicyWeights(**{name: np.ascontiguousarray(array) for name, array in net.arrays().items()})
    workspace = policy_workspace(PolicyParameters(policy, 0.0, 0.0))
    workspace.plain.left[:] = range(52)
    for _ in range(60):
        features, mask, _ = env.observe()
        with torch.no_grad():
            prior = env.prior(light)
            cards, numbers = networks.policy_inputs(torch.from_numpy(features), torch.from_numpy(mask), torch.from_numpy(prior))
            logits, values, belief = net(cards, numbers)
        for table in range(0, 16, 5):
            planes = [int(sum(1 << int(card) for card in np.flatnonzero(features[table, PLANES[name]]))) for name in networks.CARD_PLANES]
            planes.append(int(sum(1 << int(card) for card in np.flatnonzero(mask[table, KNOCK : KNOCK + 52]))))
            float_planes = np.stack(
                [
                    features[table, PLANES["order"]] / np.float32(POSITION_SCALE),
                    prior[table, PRIOR_DISCARD:PRIOR_KNOCK],
                    prior[table, PRIOR_KNOCK:],
                ]
            )
            inputs = PolicyInput(np.array(planes, np.int64), float_planes, numbers[table].numpy(), np.int64(0))
            half, count = forward(inputs, policy, workspace)
            heads, by_card_outputs = [head_output(workspace.layers[half], head, policy) for head in range(5)], list[float]()
            for which in range(3):
                write_card_logits(0, 52, which, count, half, policy, workspace)
                by_card_outputs += workspace.values[:52].tolist()
            draw, take = networks.PRIOR_SCALE * prior[table, :2]
            by_card = networks.PRIOR_SCALE * np.concatenate([prior[table, PRIOR_DISCARD:], np.zeros(52)]) + by_card_outputs
            expected = [heads[0] + draw, heads[1] + draw, heads[2] + take, *by_card[:104], heads[3]]
            assert logits[table].tolist() == pytest.approx(expected, abs=1e-4)
            assert belief[table].tolist() == pytest.approx(by_card[104:].tolist(), abs=1e-4)
            assert float(values[table]) == pytest.approx(heads[4], abs=1e-4)
        env.step(env.random_actions())
    assert int(env.observe().features[:, SCALARS["turn"]].max()) > 0


def test_advantages_of_one_round_by_hand() -> None:
    """One environment, seats in turn; the round ends with a reward of 0.5 for seat 0 at the fourth step, and a new one starts."""
    env = rollout.OpponentEnv.create("self", 1, Rules(), 1, "cpu")
    buffer = rollout.Rollout([env], 6, "cpu")
    buffer.seat[:, 0] = torch.tensor([0, 1, 0, 1, 0, 1])
    buffer.reward[:, 0] = torch.tensor([0.0, 0.0, 0.0, 0.5, 0.0, 0.0])
    buffer.over[:, 0] = torch.tensor([False, False, False, True, False, False])
    buffer.own[:] = True
    values = torch.tensor([0.1, 0.2, 0.3, -0.1, 0.4, 0.5])[:, None]
    advantage, returns, is_sample = buffer.advantages(values, 1.0)
    assert is_sample[:, 0].tolist() == [True, True, True, True, False, False]
    assert returns[:4, 0].tolist() == pytest.approx([0.5, -0.5, 0.5, -0.5])
    assert advantage[:4, 0].tolist() == pytest.approx([0.4, -0.7, 0.2, -0.4])
    stepwise, _, _ = buffer.advantages(values, 0.0)
    assert stepwise[:4, 0].tolist() == pytest.approx([0.3 - 0.1, -0.1 - 0.2, 0.5 - 0.3, -0.5 + 0.1])


def test_equity_gain_of_points_is_larger_near_the_end() -> None:
    equity = PPO(SMALL, "cpu").equity
    points = torch.tensor([20, 0]), torch.tensor([0, 20])
    early, late = (rollout.equity_gain(equity, (torch.tensor([score] * 2),) * 2, points) for score in (0, 85))
    assert early[0] == pytest.approx(-float(early[1]), abs=1e-5)
    assert float(late[0]) == pytest.approx(0.5, abs=1e-5)
    assert float(early[0]) < 0.25


def lineage(path: Path) -> list[dict[str, Any]]:
    with np.load(path) as arrays:
        return list(json.loads(str(arrays["notes"]))["lineage"])


def test_train_resumes_an_interrupted_run_and_saves_a_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.npz"
    monkeypatch.setattr("meldlab.training.train.CHECKPOINT_SECONDS", -1.0)
    with pytest.raises(KeyboardInterrupt):
        train(SMALL, path, progress=interrupt_at(2))
    result = train(SMALL, path, evaluate=["simple"], eval_games=20)
    assert (result.iterations, result.steps) == (3, SMALL.total_steps)
    assert (result.scores["simple"].games, 0 <= result.scores["simple"].wins <= 20) == (20, True)
    curve = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
    assert [line["number"] for line in curve] == [1, 2, 3]
    assert parse(f"computed:{path}").name == f"computed:{path}"
    assert [settings["learned"] for settings in lineage(path)] == [SMALL.total_steps]
    train(replace(SMALL, total_steps=SMALL.total_steps + 1), path)
    assert [(settings["total_steps"], settings["learned"]) for settings in lineage(path)] == [(3072, 3072), (3073, 4096)]


@pytest.mark.parametrize(("changes", "games"), [({"num_layers": 0}, 1), ({"ent_coef": 0.0, "final_ent_coef": 0.0}, 5)])
def test_train_without_hidden_layers_or_entropy_bonus(tmp_path: Path, changes: dict[str, Any], games: int) -> None:
    path, config = tmp_path / "mine.npz", replace(SMALL, total_steps=1024, **changes)
    result = train(config, path, evaluate=["simple"], eval_games=games)
    assert result.scores["simple"].games == games + 1, "odd numbers are rounded up"
    assert train(replace(config, total_steps=2048), path).iterations == 2


def test_evaluate_file_of_a_network_against_itself_is_one_half(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    networks.PolicyNetwork(4, 0, prior=LightPlayer.parse("network:light").network).save(path, {})
    # Both play the likeliest actions, so the two games of a deal are the same game from both sides.
    assert evaluate_file(path, f"computed:{path}", 6, 3, Rules()) == Score(6, 3, 0)


def test_evaluation_as_tasks_of_a_run_is_that_of_the_saved_file(tmp_path: Path) -> None:
    path, run = tmp_path / "mine.npz", Store.open(tmp_path / "runs.sqlite").run("train", {})
    networks.PolicyNetwork(4, 1, prior=LightPlayer.parse("network:light").network).save(path, {})
    played = play_contest(Gin(), [f"computed:{path}", "simple"], 40, seed=3)
    assert evaluate_file(path, "simple", 40, 3, Rules(), run) == evaluate_file(path, "simple", 40, 3, Rules()) == played.score()
    assert [(row.label, row.opponent, row.games) for row in leaderboard(run)] == [("mine", "simple", 40)]


def test_policy_network_of_a_file_is_the_saved_network(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    network = networks.PolicyNetwork(8, 2, prior=LightPlayer.parse("network:light").network)
    network.save(path, {})
    player = parse(f"computed:{path}")
    assert isinstance(player, PolicyPlayer)
    loaded, saved = networks.PolicyNetwork.from_weights(player.policy).arrays(), network.file_arrays()
    assert all(np.array_equal(array, np.float32(saved[file_name(name)])) for name, array in loaded.items())


def test_iterations_with_the_same_seed_give_the_same_network() -> None:
    first, second = (PPO(SMALL, "cpu") for _ in range(2))
    for trainer in (first, second):
        next(trainer.iterations())
    assert all(torch.equal(one, other) for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True))


def test_averaged_weights_of_a_short_run_follow_the_network() -> None:
    trainer = PPO(SMALL, "cpu")
    iterations = trainer.iterations()
    start = trainer.network.plain.weight.detach().clone()
    next(iterations)
    first = trainer.network.plain.weight.detach().clone()
    assert torch.equal(trainer.average.plain.weight, first)
    assert not torch.equal(first, start)
    next(iterations)
    assert not torch.equal(trainer.average.plain.weight, trainer.network.plain.weight)
    assert (trainer.average.plain.weight - start).norm() > (first - start).norm() / 2


def test_load_checkpoint_reads_the_keys_of_version_0_1(tmp_path: Path) -> None:
    trainer, path = PPO(SMALL, "cpu"), tmp_path / "old.state"
    next(trainer.iterations())
    trainer.save_checkpoint(path)
    state = torch.load(path, weights_only=True)

    def old(parameters: dict[str, Any]) -> dict[str, Any]:
        return {"trust" if name == "prior_scale" else name: tensor for name, tensor in parameters.items()}

    old_state: dict[str, Any] = {name: old(state[name]) for name in ("network", "critic")}
    old_state |= {"mean": old(state["average"])}
    old_state |= {"optimiser": state["optimizer"], "ring": [old(snapshot) for snapshot in state["snapshots"]]}
    torch.save({**old_state, "equity": state["equity"], "steps": state["steps"], "laps": state["iteration"]}, path)
    resumed = PPO(SMALL, "cpu")
    resumed.load_checkpoint(path)
    assert (resumed.steps, resumed.iteration, len(resumed.snapshots)) == (1024, 1, 1)
    for name in ("network", "critic", "average"):
        parameters = zip(getattr(trainer, name).parameters(), getattr(resumed, name).parameters(), strict=True)
        assert all(torch.equal(one, other) for one, other in parameters)


def test_settings_are_those_of_the_configuration() -> None:
    config: TrainConfig = replace(SMALL, rules=Rules.preset("oklahoma"))
    assert config_from_settings(json.loads(json.dumps(config.settings()))) == config


def test_train_rejects_invalid_arguments(tmp_path: Path) -> None:
    with pytest.raises(BadText):
        parse_opponents("simple,,simple")
    with pytest.raises(BadText):
        split_envs(10, "1,2")
    with pytest.raises(NotLegalHere, match="'simple' is not a light network"):
        PPO(replace(SMALL, prior="simple"), "cpu")
    with pytest.raises(NotLegalHere, match=r"FILE\.npz"):
        train(SMALL, tmp_path / "mine.pt")
    with pytest.raises(NotLegalHere, match="light is not a policy network"):
        new_trainer(SMALL, "cpu", "network:light")


def test_ppo_starts_as_its_prior_and_learns_the_opponents_hand() -> None:
    config = replace(
        SMALL,
        num_envs=(128, 0, 0),
        total_steps=10**6,
        learning_rate=5e-3,
        final_learning_rate=1e-3,
        num_steps=64,
        hidden_size=64,
        minibatch_size=512,
    )
    trainer, env, agreed = PPO(config, "cpu"), GinVector(256, seed=9), 0
    for _ in range(20):
        features, mask, _ = (torch.from_numpy(array) for array in env.observe())
        prior = torch.from_numpy(env.prior("network:light"))
        actions, _ = rollout.act(trainer.network, features, mask, prior, None)
        # The best action has the logit 0; where a card is to be drawn, place 0 stands for drawing and for passing.
        by_action = torch.cat([prior[:, :1], prior[:, :2], prior[:, PRIOR_DISCARD:], torch.zeros((256, 1))], 1)
        agreed += int((by_action.gather(1, actions[:, None]) > -0.02).sum())
        env.step(env.random_actions())
    assert agreed > 0.95 * 20 * 256
    losses = [iteration.metrics["belief_loss"] for iteration in itertools.islice(trainer.iterations(), 20)]
    assert losses[-1] < losses[0] - 0.05
