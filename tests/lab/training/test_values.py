"""Teaching values, on a CPU and small; needs PyTorch."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin import Rules, kernel_layout, players
from meldlab.gin.batch import pair_of, rule_vector
from meldlab.gin.kernel_layout import CANNOT_KNOCK, DIARY, TURNS, Sight
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.players import LightPlayer
from meldlab.gin.players.kernel_light import DRAW_ANSWER, KNOCK_ANSWER, WAIT_ANSWER, light_draws
from meldlab.gin.values.recursion import Engine

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.lab.training import training  # noqa: E402
from meldlab.lab.training.diaries import PointsWorth, lesson_of  # noqa: E402
from meldlab.lab.training.learner import Course, Learner  # noqa: E402
from meldlab.lab.training.value_learner import ValueCourse, ValueLearner  # noqa: E402
from meldlab.lab.training.value_network import ValueNetwork  # noqa: E402

LIGHT = LightPlayer.parse("computed:light")
SMALL = ValueCourse(("self", "past", "simple", "marjj"), 1200, rounds=16, batch=256, snapshot=1, ring=2)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def pages() -> np.ndarray:
    """Diaries of both seats, [40, 2, TURNS, DIARY]."""
    found = np.zeros((40, 2, TURNS, DIARY))
    Engine("cpu").record(pair_of(LIGHT, LIGHT), rule_vector(Rules()), 3, found)
    return found


def test_the_kernel_and_pytorch_agree(pages: np.ndarray) -> None:
    network = ValueNetwork.load(LIGHT.network)
    worth = PointsWorth(Rules(), "cpu")
    worth.measure(np.array([20, -20]), equals=True)
    lesson = lesson_of(torch.from_numpy(pages).flatten(0, 1), worth, 0.6)
    with torch.no_grad():
        answers = network(lesson.planes, lesson.numbers).gather(1, lesson.which.long()[:, None])[:, 0].numpy()
    rows = pages.reshape(-1, TURNS, DIARY)
    waited = (rows[:, :, kernel_layout.RESULT] > CANNOT_KNOCK) & (rows[:, :, kernel_layout.KNOCKED] == 0)
    assert answers[lesson.which.numpy() == WAIT_ANSWER] == pytest.approx(rows[waited][:, kernel_layout.EXPECTED], abs=1e-3)
    drawn = np.flatnonzero(lesson.which.numpy() == DRAW_ANSWER)[::7]
    for at in drawn:
        one, two, dropped = lesson.planes[at].tolist()
        _, turn, _, own, other, _ = lesson.numbers[at].tolist()
        sight = Sight(one & ~two, 0, turn - 1, two & ~one, one & two, dropped, -1, False, own, other, 10)
        assert answers[at] == pytest.approx(light_draws(sight, turn, LIGHT.network, new_sheet()), abs=1e-3)
    assert len(drawn) > 20


def test_both_seats_keep_a_diary(pages: np.ndarray) -> None:
    alone = np.zeros((40, 1, TURNS, DIARY))
    Engine("cpu").record(pair_of(LIGHT, LIGHT), rule_vector(Rules()), 3, alone)
    real = pages[:, :, :, kernel_layout.RESULT] > CANNOT_KNOCK
    assert np.array_equal(pages[:, :1][real[:, :1]], alone[real[:, :1]])
    both = np.all(real.any(2), axis=1)
    assert both.sum() > 30
    for first, second in pages[both]:
        assert first[0, kernel_layout.RESULT] == -second[0, kernel_layout.RESULT]
        assert first[0, kernel_layout.OWN_SCORE] == second[0, kernel_layout.OTHER_SCORE]
        ends = [row for row in (first, second) for row in row[row[:, kernel_layout.RESULT] > CANNOT_KNOCK][-1:]]
        assert sum(row[kernel_layout.KNOCKED] for row in ends) <= 1
        for own, other in ((first, second), (second, first)):
            kept = own[own[:, kernel_layout.RESULT] > CANNOT_KNOCK]
            one, two = kept[:, kernel_layout.PLANE].astype(np.int64), kept[:, kernel_layout.PLANE + 1].astype(np.int64)
            assert {int(hand).bit_count() for hand in one & ~two} == {10}
            dropped = {int(card) for card in other[other[:, kernel_layout.RESULT] > CANNOT_KNOCK][:, kernel_layout.DISCARDED]}
            seen = int(kept[-1, kernel_layout.OF_OPPONENT])
            assert {card for card in range(52) if seen >> card & 1} <= dropped


def test_what_a_diary_teaches() -> None:
    """By hand: a seat waits, expecting 3, then knocks for 20 points at 0 : 0; every point is worth the same."""
    worth = PointsWorth(Rules(), "cpu")
    worth.table = torch.arange(101)[:, None] / 150 - torch.arange(101)[None, :] / 150
    page = torch.zeros((1, 3, DIARY), dtype=torch.float64)
    page[0, :, kernel_layout.RESULT] = torch.tensor([20.0, 20.0, CANNOT_KNOCK])
    page[0, :, kernel_layout.IF_KNOCK] = torch.tensor([CANNOT_KNOCK, 20.0, 0.0])
    page[0, :, kernel_layout.EXPECTED] = torch.tensor([3.0, 4.0, 0.0])
    page[0, 1, kernel_layout.KNOCKED] = 1
    page[0, 1, kernel_layout.DRAW_PLANE] = -1  # the upcard was taken
    lesson = lesson_of(page, worth, 0.6)
    taught = sorted(zip(lesson.which.tolist(), lesson.numbers[:, 1].tolist(), lesson.wanted.tolist(), strict=True))
    assert [(which, turn) for which, turn, _ in taught] == [(WAIT_ANSWER, 1), (KNOCK_ANSWER, 2), (DRAW_ANSWER, 1)]
    assert [wanted for _, _, wanted in taught] == pytest.approx([20.0, 20.0, 0.4 * 3 + 0.6 * 20], abs=1e-3)


def test_what_points_are_worth() -> None:
    worth = PointsWorth(Rules(), "cpu")
    worth.measure(np.array([30] * 3 + [-30] + [0] * 4), equals=False)
    assert float(worth.table[99, 99]) == pytest.approx(0.75)
    assert float(worth.table[60, 69]) == pytest.approx(0.75**2 + 2 * 0.75**2 * 0.25)
    worth.measure(np.array([30] * 3 + [-30]), equals=True)
    assert torch.allclose(worth.table[:100, :100] + worth.table[:100, :100].T, torch.ones(100, 100))


def test_a_course_is_saved_resumed_and_played(tmp_path: Path) -> None:
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


def test_the_same_seed_teaches_the_same() -> None:
    first, second, third = (ValueLearner(replace(SMALL, seed=seed), "cpu", ValueNetwork.load(LIGHT.network)) for seed in (0, 0, 1))
    for learner in (first, second, third):
        next(learner.learn())
    same, other = (
        [torch.equal(*pair) for pair in zip(first.mean.parameters(), one.mean.parameters(), strict=True)] for one in (second, third)
    )
    assert all(same)
    assert not any(other)


def test_a_fresh_network_learns_what_to_expect() -> None:
    learner = ValueLearner(replace(SMALL, against=("simple",), steps=8000, rounds=64, rate=5e-3, follow=20.0), "cpu")
    laps = list(learner.learn())
    assert laps[-1].loss < 0.8 * laps[0].loss
    assert {name for lap in laps for name in lap.against} == {"simple"}
    assert len(laps[0].against) == 4


def test_nonsense_is_refused(tmp_path: Path) -> None:
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
