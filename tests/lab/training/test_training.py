"""Teaching a network, on a CPU and small; needs PyTorch."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from meldlab.errors import BadText, NotLegalHere, NotPossible
from meldlab.gin.kernel_layout import Known, PolicyLayers
from meldlab.gin.players import parse
from meldlab.gin.players.kernel_policy import card_answer, new_bench, plain_answer, thought
from meldlab.gin.players.policy import READ

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.gin.vector import KNOCK, PLANES, SCALARS, GinVector  # noqa: E402
from meldlab.lab.training import lessons, measuring, network, training  # noqa: E402
from meldlab.lab.training.learner import Course, Learner  # noqa: E402

SMALL = Course((32, 16, 16), ("simple", "knock:5,5,0"), "computed:light", steps=3072, length=16, wide=16, deep=1, batch=256, snapshot=1)


def test_the_kernel_and_pytorch_agree() -> None:
    adviser = parse("computed:light")
    env, net = GinVector(16, seed=2), network.PolicyNetwork(16, 2, adviser=adviser.network)  # type: ignore[attr-defined]
    policy = PolicyLayers(**{name: np.ascontiguousarray(array) for name, array in net.arrays().items()})
    bench = new_bench(16)
    for _ in range(60):
        features, mask, _ = env.observe()
        with torch.no_grad():
            advice = env.advice(adviser)
            cards, numbers = network.inputs_of(torch.from_numpy(features), torch.from_numpy(mask), torch.from_numpy(advice))
            logits, worth, belief = net(cards, numbers)
        for table in range(0, 16, 5):
            planes = [int(sum(1 << int(card) for card in np.flatnonzero(features[table, PLANES[name]]))) for name in READ]
            planes.append(int(sum(1 << int(card) for card in np.flatnonzero(mask[table, KNOCK : KNOCK + 52]))))
            shades = np.stack([features[table, PLANES["order"]] / np.float32(32), advice[table, 3:55], advice[table, 55:]])
            known = Known(np.array(planes, np.int64), shades, numbers[table].numpy(), np.int64(0))
            at = thought(known, policy, bench.layers)
            plain = [plain_answer(bench.layers[at], which, policy) for which in range(5)]
            about = [card_answer(bench.layers[at], card, which, policy) for which in range(3) for card in range(52)]
            draw, take = network.TRUST * advice[table, :2]
            heard = network.TRUST * np.concatenate([advice[table, 3:], np.zeros(52)]) + about
            wanted = [plain[0] + draw, plain[1] + draw, plain[2] + take, *heard[:104], plain[3]]
            assert logits[table].tolist() == pytest.approx(wanted, abs=1e-4)
            assert belief[table].tolist() == pytest.approx(heard[104:].tolist(), abs=1e-4)
            assert float(worth[table]) == pytest.approx(plain[4], abs=1e-4)
        env.step(env.random_actions())
    assert int(env.observe().features[:, SCALARS["turn"]].max()) > 0


def test_what_a_decision_brought() -> None:
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


def test_points_are_worth_more_near_the_end() -> None:
    equity = lessons.MatchEquity(SMALL.rules, "cpu")
    points = torch.tensor([[20, 0], [0, 20]])
    early, late = (equity.gain(torch.tensor([scores, scores]), points) for scores in ([0, 0], [85, 85]))
    assert early[0] == pytest.approx(-float(early[1]), abs=1e-5)
    assert float(late[0]) == pytest.approx(1.0, abs=1e-5)
    assert float(early[0]) < 0.5


def test_a_course_is_saved_resumed_and_played(tmp_path: Path) -> None:
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


def test_the_same_seed_teaches_the_same() -> None:
    first, second = (Learner(SMALL, "cpu") for _ in range(2))
    for learner in (first, second):
        next(learner.learn())
    assert all(torch.equal(one, other) for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True))


def test_the_mean_of_a_short_course_is_not_held_back_by_how_it_began() -> None:
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


def test_nonsense_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadText):
        training.read_visitors("simple,,simple")
    with pytest.raises(NotLegalHere, match="no adviser"):
        Learner(replace(SMALL, adviser="simple"), "cpu")
    with pytest.raises(NotPossible, match="nothing to resume"):
        training.train(SMALL, tmp_path / "mine.npz", resume=True)
    with pytest.raises(NotLegalHere, match=r"FILE\.npz"):
        training.train(SMALL, tmp_path / "mine.pt")


def test_it_begins_as_its_adviser_and_comes_to_know_the_other_hand() -> None:
    course = replace(SMALL, tables=(128, 0, 0), steps=10**6, rate=5e-3, last_rate=1e-3, length=64, wide=64, batch=512)
    learner, env, agreed = Learner(course, "cpu"), GinVector(256, seed=9), 0
    for _ in range(20):
        features, mask, _ = (torch.from_numpy(array) for array in env.observe())
        advice = torch.from_numpy(env.advice("computed:light"))
        actions, _ = lessons.act(learner.network, features, mask, advice, None)
        # The best action has advice 0; where a card is to be drawn, place 0 stands for drawing and for passing.
        heard = torch.cat([advice[:, :1], advice[:, :2], advice[:, 3:], torch.zeros((256, 1))], 1)
        agreed += int((heard.gather(1, actions[:, None]) > -0.02).sum())
        env.step(env.random_actions())
    assert agreed > 0.95 * 20 * 256
    laps = []
    for lap in learner.learn():
        laps.append(lap.believed)
        if lap.number == 20:
            break
    assert laps[-1] < laps[0] - 0.05
