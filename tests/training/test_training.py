"""Training of policy networks, on a CPU and small; needs PyTorch."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.errors import BadText, NotLegalHere, NotPossible
from meldlab.gin import Gin, Rules
from meldlab.gin.kernel_players import policy_workspace
from meldlab.gin.kernel_policy import POSITION_SCALE, forward, head_output, write_card_logits
from meldlab.gin.kernel_state import PRIOR_DISCARD, PRIOR_KNOCK, PolicyInput, PolicyParameters, PolicyWeights
from meldlab.gin.players import LightPlayer, parse

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.gin.vector import KNOCK, PLANES, SCALARS, GinVector  # noqa: E402
from meldlab.training import lessons, measuring, network, training  # noqa: E402
from meldlab.training.learner import Course, Learner  # noqa: E402

SMALL = Course((32, 16, 16), ("simple", "knock:5,5,0"), "computed:light", steps=3072, length=16, wide=16, deep=1, batch=256, snapshot=1)


@pytest.mark.parametrize("deep", [0, 2])
def test_policy_network_agrees_with_the_kernel(deep: int) -> None:
    light = LightPlayer.parse("computed:light")
    env, net = GinVector(16, seed=2), network.PolicyNetwork(16, deep, adviser=light.network)
    policy = PolicyWeights(**{name: np.ascontiguousarray(array) for name, array in net.arrays().items()})
    workspace = policy_workspace(PolicyParameters(policy, 0.0, 0.0))
    workspace.plain.left[:] = range(52)
    for _ in range(60):
        features, mask, _ = env.observe()
        with torch.no_grad():
            prior = env.prior(light)
            cards, numbers = network.inputs_of(torch.from_numpy(features), torch.from_numpy(mask), torch.from_numpy(prior))
            logits, worth, belief = net(cards, numbers)
        for table in range(0, 16, 5):
            planes = [int(sum(1 << int(card) for card in np.flatnonzero(features[table, PLANES[name]]))) for name in network.READ]
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
            heads, about = [head_output(workspace.layers[half], head, policy) for head in range(5)], list[float]()
            for which in range(3):
                write_card_logits(0, 52, which, count, half, policy, workspace)
                about += workspace.values[:52].tolist()
            draw, take = network.TRUST * prior[table, :2]
            by_card = network.TRUST * np.concatenate([prior[table, PRIOR_DISCARD:], np.zeros(52)]) + about
            expected = [heads[0] + draw, heads[1] + draw, heads[2] + take, *by_card[:104], heads[3]]
            assert logits[table].tolist() == pytest.approx(expected, abs=1e-4)
            assert belief[table].tolist() == pytest.approx(by_card[104:].tolist(), abs=1e-4)
            assert float(worth[table]) == pytest.approx(heads[4], abs=1e-4)
        env.step(env.random_actions())
    assert int(env.observe().features[:, SCALARS["turn"]].max()) > 0


def test_judged_gives_each_decision_what_it_brought() -> None:
    """By hand: one table, seats in turn, the round ends with a gain of 0.5 for seat 0 at the fourth step, and goes on."""
    tables = [lessons.LessonTables.of("self", 1, SMALL.rules, 0, "cpu")]
    kept = lessons.Lessons(tables, 6, "cpu")
    kept.seat[:, 0] = torch.tensor([0, 1, 0, 1, 0, 1])
    kept.gained[:, 0] = torch.tensor([0.0, 0.0, 0.0, 0.5, 0.0, 0.0])
    kept.over[:, 0] = torch.tensor([False, False, False, True, False, False])
    kept.own[:] = True
    worth = torch.tensor([0.1, 0.2, 0.3, -0.1, 0.4, 0.5])[:, None]
    advantage, outcome, known = kept.judged(worth, 1.0)
    assert known[:, 0].tolist() == [True, True, True, True, False, False]
    assert outcome[:4, 0].tolist() == pytest.approx([0.5, -0.5, 0.5, -0.5])
    stepwise, _, _ = kept.judged(worth, 0.0)
    assert stepwise[:4, 0].tolist() == pytest.approx([0.3 - 0.1, -0.1 - 0.2, 0.5 - 0.3, -0.5 + 0.1])
    assert advantage[:4, 0].tolist() == pytest.approx([0.4, -0.7, 0.2, -0.4])


def test_equity_gain_of_points_is_larger_near_the_end() -> None:
    equity = Learner(SMALL, "cpu").equity
    points = torch.tensor([20, 0]), torch.tensor([0, 20])
    early, late = (lessons.equity_gain(equity, (torch.tensor([score] * 2),) * 2, points) for score in (0, 85))
    assert early[0] == pytest.approx(-float(early[1]), abs=1e-5)
    assert float(late[0]) == pytest.approx(0.5, abs=1e-5)
    assert float(early[0]) < 0.25


def test_train_saves_resumes_and_plays_a_course(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    laps = []

    def kill(lap, learner) -> None:  # type: ignore[no-untyped-def]
        laps.append(lap)
        if lap.number == 2:
            learner.save(path.with_suffix(".state"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(SMALL, path, report=kill)
    done = training.train(SMALL, path, resume=True, against=["simple"], games=20)
    assert (len(laps), done.laps, done.steps) == (2, 3, SMALL.steps)
    assert (done.measured[0].games, 0 <= done.measured[0].wins <= 20) == (20, True)
    assert parse(f"computed:{path}").name == f"computed:{path}"
    own = measuring.measure(network.PolicyNetwork.load(np.load(path)), f"computed:{path}", 20, 1)
    assert own.wins <= 20
    assert [course["learned"] for course in json.loads(str(np.load(path)["notes"]))["lineage"]] == [SMALL.steps]
    training.train(replace(SMALL, steps=SMALL.steps + 1), path, resume=True)
    told = json.loads(str(np.load(path)["notes"]))["lineage"]
    assert [(course["steps"], course["learned"]) for course in told] == [(3072, 3072), (3073, 4096)]


@pytest.mark.parametrize(("changes", "deals"), [({"deep": 0}, 1), ({"mixing": 0.0, "last_mixing": 0.0}, 3)])
def test_train_takes_a_course_without_deep_layers_or_entropy_bonus(tmp_path: Path, changes: dict[str, Any], deals: int) -> None:
    path = tmp_path / "mine.npz"
    course = replace(SMALL, steps=1024, **changes)
    done = training.train(course, path, against=["simple"], games=2 * deals - 1)
    assert done.measured[0].games == 2 * deals
    played = Gin().batch([parse(f"computed:{path}"), parse("simple")], 1, 0, 4, 1)
    assert played.wins.sum() == 4
    assert training.train(replace(course, steps=2048), path, resume=True).laps == 2


def test_train_measures_the_numbers_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played, path = [], tmp_path / "mine.npz"

    def measure(net: network.PolicyNetwork, *_: object, **__: object) -> measuring.Strength:
        played.append(net)
        return measuring.Strength("simple", 2, 1, 0)

    monkeypatch.setattr(training, "measure", measure)
    training.train(replace(SMALL, steps=1024), path, against=["simple"])
    with np.load(path) as saved:
        assert all(np.array_equal(array, np.float32(saved[name])) for name, array in played[0].arrays().items())


def test_measure_uses_other_deals_for_every_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt: list[list[int]] = []

    class Recorded(GinVector):
        def __init__(self, n: int, rules: Rules, seeds: np.ndarray, *others: object, **more: object) -> None:
            dealt.append(seeds.tolist())
            super().__init__(n, rules, seeds, *others, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(measuring, "GinVector", Recorded)
    for seed in (1, 2):
        measuring.measure(network.PolicyNetwork(4, 0), "gin-only", 8, seed)
    assert [len(set(seeds)) for seeds in dealt] == [4, 4]
    assert all(seeds[:4] == seeds[4:] for seeds in dealt)
    assert not set(dealt[0]) & set(dealt[1])


def test_measure_of_a_network_against_its_own_file_is_one_half(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"
    net = network.PolicyNetwork(4, 0, adviser=LightPlayer.parse("computed:light").network)
    net.save(path, {})
    found = measuring.measure(net.rounded(), f"computed:{path}", 6, 3)
    # Both take their likeliest actions, so the two games of a deal are the same game from both sides.
    assert (found.games, found.wins, found.swept) == (6, 3, 0)


def test_learn_with_the_same_seed_gives_the_same_network() -> None:
    first, second = (Learner(SMALL, "cpu") for _ in range(2))
    for learner in (first, second):
        next(learner.learn())
    assert all(torch.equal(one, other) for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True))


def test_learn_does_not_hold_back_the_mean_of_a_short_course() -> None:
    learner = Learner(SMALL, "cpu")
    laps = learner.learn()
    begun = learner.network.plain.weight.detach().clone()
    next(laps)
    first = learner.network.plain.weight.detach().clone()
    assert torch.equal(learner.mean.plain.weight, first)
    assert not torch.equal(first, begun)
    next(laps)
    assert not torch.equal(learner.mean.plain.weight, learner.network.plain.weight)
    assert (learner.mean.plain.weight - begun).norm() > (first - begun).norm() / 2


def test_train_names_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(BadText):
        training.read_visitors("simple,,simple")
    with pytest.raises(NotLegalHere, match="no adviser"):
        Learner(replace(SMALL, adviser="simple"), "cpu")
    with pytest.raises(NotPossible, match="nothing to resume"):
        training.train(SMALL, tmp_path / "mine.npz", resume=True)
    with pytest.raises(NotLegalHere, match=r"FILE\.npz"):
        training.train(SMALL, tmp_path / "mine.pt")


def test_learner_begins_as_its_prior_and_learns_the_other_hand() -> None:
    course = replace(SMALL, tables=(128, 0, 0), steps=10**6, rate=5e-3, last_rate=1e-3, length=64, wide=64, batch=512)
    learner, env, agreed = Learner(course, "cpu"), GinVector(256, seed=9), 0
    for _ in range(20):
        features, mask, _ = (torch.from_numpy(array) for array in env.observe())
        prior = torch.from_numpy(env.prior("computed:light"))
        actions, _ = lessons.act(learner.network, features, mask, prior, None)
        # The best action has the logit 0; where a card is to be drawn, place 0 stands for drawing and for passing.
        by_action = torch.cat([prior[:, :1], prior[:, :2], prior[:, PRIOR_DISCARD:], torch.zeros((256, 1))], 1)
        agreed += int((by_action.gather(1, actions[:, None]) > -0.02).sum())
        env.step(env.random_actions())
    assert agreed > 0.95 * 20 * 256
    laps = []
    for lap in learner.learn():
        laps.append(lap.believed)
        if lap.number == 20:
            break
    assert laps[-1] < laps[0] - 0.05
