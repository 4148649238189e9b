"""Training of value networks, on a CPU and small; needs PyTorch."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Rules, kernel_state, players
from meldlab.gin.batch import batch_rules
from meldlab.gin.computing import playing
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_players import plain_workspace
from meldlab.gin.kernel_state import CANNOT_KNOCK, TURN_WIDTH, TURNS, NetworkParameters, Observation
from meldlab.gin.kernel_value_network import DRAW_HEAD, KNOCK_HEAD, WAIT_HEAD, draw_value
from meldlab.gin.players import LightPlayer
from meldlab.gpu import Device

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.training import training  # noqa: E402
from meldlab.training.diaries import lesson_of  # noqa: E402
from meldlab.training.learner import Course, Learner  # noqa: E402
from meldlab.training.lessons import equity_table  # noqa: E402
from meldlab.training.value_learner import ValueCourse, ValueLearner  # noqa: E402
from meldlab.training.value_network import ValueNetwork  # noqa: E402

LIGHT = LightPlayer.parse("computed:light")
SMALL = ValueCourse(("self", "past", "simple", "marjj"), 1200, rounds=16, batch=256, snapshot=1, ring=2)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def trajectories() -> np.ndarray:
    """Trajectories of both seats, [40, 2, TURNS, TURN_WIDTH]."""
    return recorded(seats=2)


def recorded(seats: int) -> np.ndarray:
    found, light = np.zeros((40, seats, TURNS, TURN_WIDTH)), LIGHT.parameters()
    playing.record(Device("cpu"), (light, light), batch_rules(Rules()), 3, found)
    return found


def test_value_network_agrees_with_the_kernel(trajectories: np.ndarray) -> None:
    network = ValueNetwork.load(LIGHT.network)
    equity = equity_table(MatchEquity.from_points(np.array([20, -20]), Rules()), "cpu")
    lesson = lesson_of(torch.from_numpy(trajectories).flatten(0, 1), equity, 0.6)
    with torch.no_grad():
        outputs = network(lesson.planes, lesson.numbers).gather(1, lesson.which.long()[:, None])[:, 0].numpy()
    rows = trajectories.reshape(-1, TURNS, TURN_WIDTH)
    waited = (rows[:, :, kernel_state.RESULT] > CANNOT_KNOCK) & (rows[:, :, kernel_state.KNOCKED] == 0)
    assert outputs[lesson.which.numpy() == WAIT_HEAD] == pytest.approx(rows[waited][:, kernel_state.EXPECTED], abs=1e-3)
    drawn = np.flatnonzero(lesson.which.numpy() == DRAW_HEAD)[::7]
    for at in drawn:
        one, two, discarded = lesson.planes[at].tolist()
        _, turn, _, own, other, _ = lesson.numbers[at].tolist()
        observation = Observation(one & ~two, 0, turn - 1, two & ~one, one & two, discarded, -1, False, own, other, 10)
        assert outputs[at] == pytest.approx(draw_value(observation, turn, LIGHT.network, plain_workspace(LIGHT.network)), abs=1e-3)
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


def test_lesson_of_teaches_the_results_of_decisions() -> None:
    """By hand: a seat waits, expecting 3, then knocks for 20 points at 0 : 0; every point is worth the same."""
    equity = torch.arange(101)[:, None] / 150 - torch.arange(101)[None, :] / 150
    trajectory = torch.zeros((1, 3, TURN_WIDTH), dtype=torch.float64)
    trajectory[0, :, kernel_state.RESULT] = torch.tensor([20.0, 20.0, CANNOT_KNOCK])
    trajectory[0, :, kernel_state.IF_KNOCK] = torch.tensor([CANNOT_KNOCK, 20.0, 0.0])
    trajectory[0, :, kernel_state.EXPECTED] = torch.tensor([3.0, 4.0, 0.0])
    trajectory[0, 1, kernel_state.KNOCKED] = 1
    trajectory[0, 1, kernel_state.DRAW_PLANE] = -1  # the upcard was taken
    lesson = lesson_of(trajectory, equity, 0.6)
    taught = sorted(zip(lesson.which.tolist(), lesson.numbers[:, 1].tolist(), lesson.wanted.tolist(), strict=True))
    assert [(which, turn) for which, turn, _ in taught] == [(WAIT_HEAD, 1), (KNOCK_HEAD, 2), (DRAW_HEAD, 1)]
    assert [wanted for _, _, wanted in taught] == pytest.approx([20.0, 20.0, 0.4 * 3 + 0.6 * 20], abs=1e-3)


def test_train_saves_resumes_and_plays_a_course(tmp_path: Path) -> None:
    path = tmp_path / "mine.npz"

    def kill(lap, learner) -> None:  # type: ignore[no-untyped-def]
        if lap.number == 2:
            raise KeyboardInterrupt  # the lap is in the curve already, and is played again
        learner.save(path.with_suffix(".state"))

    with pytest.raises(KeyboardInterrupt):
        training.train(SMALL, path, start="computed:light", report=kill)
    done = training.train(SMALL, path, start="computed:light", resume=True, against=["simple", "marjj"], games=20)
    laps = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().splitlines()]
    assert [lap["number"] for lap in laps] == list(range(1, done.laps + 1))
    assert (laps[-1]["steps"], done.steps >= SMALL.steps, done.laps > 1) == (done.steps, True, True)
    assert [(one.against, one.games) for one in done.measured] == [("simple", 20), ("marjj", 20)]
    assert done.measured[0].wins > 8
    player = players.parse(f"computed:{path}")
    assert isinstance(player, LightPlayer)
    assert (player.name, player.against) == (f"computed:{path}", "self,past,simple,marjj")
    assert (player.notes["lineage"][-1]["learned"], player.notes["lineage"][-1]["start"]) == (done.steps, "computed:light")
    more = training.train(replace(SMALL, against=(f"computed:{path}",), steps=1), tmp_path / "more.npz", start=str(path))
    assert more.laps == 1


def test_measure_plays_the_numbers_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    learner, path, played = ValueLearner(SMALL, "cpu"), tmp_path / "mine.npz", list[NetworkParameters]()
    learner.mean.save(path, {"against": ""})

    def wins(device: Device, pair: Any, *_: object) -> np.ndarray:
        played.append(pair[0])
        return np.zeros((2, 2), np.int64)

    monkeypatch.setattr(playing, "mirrored_wins", wins)
    learner.measure("simple", 4, 0)
    saved = LightPlayer.parse(f"computed:{path}").network
    assert all(np.array_equal(*arrays) for arrays in zip(played[0].weights, saved, strict=True))


def test_measure_rounds_an_odd_number_of_games_up() -> None:
    assert ValueLearner(SMALL, "cpu", ValueNetwork.load(LIGHT.network)).measure("simple", 3, 0).games == 4


def test_learn_with_the_same_seed_gives_the_same_network() -> None:
    first, second, third = (ValueLearner(replace(SMALL, seed=seed), "cpu", ValueNetwork.load(LIGHT.network)) for seed in (0, 0, 1))
    for learner in (first, second, third):
        next(learner.learn())
    same, other = (
        [torch.equal(*pair) for pair in zip(first.mean.parameters(), one.mean.parameters(), strict=True)] for one in (second, third)
    )
    assert all(same)
    assert not any(other)


def test_learn_lowers_the_loss_of_a_fresh_network() -> None:
    learner = ValueLearner(replace(SMALL, against=("simple",), steps=8000, rounds=64, rate=5e-3, follow=20.0), "cpu")
    laps = list(learner.learn())
    assert laps[-1].loss < 0.8 * laps[0].loss
    assert {name for lap in laps for name in lap.against} == {"simple"}
    assert len(laps[0].against) == 4


def test_train_names_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(NotLegalHere, match="100 points"):
        ValueCourse(rules=Rules(match_points=0))
    with pytest.raises(NotLegalHere, match="against somebody"):
        ValueCourse(())
    with pytest.raises(NotLegalHere, match="mc:8 does not play"):
        ValueLearner(ValueCourse(("mc:8",)), "cpu")
    with pytest.raises(NotLegalHere, match="champion is no network of values"):
        training.train(SMALL, tmp_path / "mine.npz", start="champion")
    with pytest.raises(NotPossible, match="nothing to resume"):
        training.train(SMALL, tmp_path / "mine.npz", resume=True)
    for content in (b"", b"nonsense"):
        (tmp_path / "mine.state").write_bytes(content)
        with pytest.raises(NotPossible, match="cannot be resumed"):
            training.train(SMALL, tmp_path / "mine.npz", resume=True)
    Learner(Course(wide=4, deep=1), "cpu").save(tmp_path / "mine.state")
    with pytest.raises(NotPossible, match="of another course"):
        training.train(SMALL, tmp_path / "mine.npz", resume=True)
