"""The cost of a training course, estimated by laps of smaller ones: whole laps, and the games that measure it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from meldlab import dry_run as estimates
from meldlab.cli.app import main
from meldlab.cost import Cost

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.training import training
from meldlab.training.learner import Course, Learner, Taught
from meldlab.training.value_learner import ValueCourse

POLICY = Course((32, 16, 16), ("simple",), "", 10**9, wide=8, deep=0)
VALUES = ValueCourse(("simple",), 10**9, rounds=64, batch=256)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, many in (("TRIED_TABLES", 32), ("TRIED_ROUNDS", 32), ("TRIED_GAMES", 4)):
        monkeypatch.setitem(getattr(estimates, name), "cpu", many)


@pytest.mark.parametrize("course", [POLICY, VALUES])
def test_course_cost_is_estimated_by_a_smaller_course(course: Course | ValueCourse) -> None:
    cost = estimates.course_cost(course, "cpu")
    learned = int(cost.basis.partition(" ")[0].replace(",", ""))
    assert 100 < learned < 100_000
    # So many decisions took a second or ten; a billion take hours.
    assert cost.seconds > 1e9 / learned * 1e-4
    assert cost.memory > 50e6


class Slow:
    """Takes two seconds for a lap of every table, 64 decisions each; and a second for some games."""

    def __init__(self, course: Course) -> None:
        self.tables = sum(course.tables)

    def learn(self) -> Iterator[Taught]:
        for lap in range(1, 3):
            yield Taught(lap, lap * 64 * self.tables, 2.0 * self.tables / 64, 0, 0, 0, 0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(estimates, "perf_counter", lambda: now[0])
    monkeypatch.setattr(training, "begin", lambda course, device, start: (Slow(course), []))
    monkeypatch.setattr(training, "strength", lambda *_: now.__setitem__(0, now[0] + 1.0))


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(("steps", "laps"), [(1, 1), (4096, 1), (4097, 2), (40_960, 10)])
def test_course_cost_counts_whole_laps(steps: int, laps: int) -> None:
    assert estimates.course_cost(replace(POLICY, steps=steps), "cpu").seconds == pytest.approx(2 * laps)


@pytest.mark.usefixtures("clock")
def test_course_cost_counts_games_against_each_opponent() -> None:
    cost = estimates.course_cost(replace(POLICY, steps=1), "cpu", against=("simple", "gin-only"), games=100)
    assert cost.seconds == pytest.approx(2 + 2 * 100 / 4)
    assert "8 games played here" in cost.basis


def test_dry_run_tells_what_is_left_of_a_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def told(options: str, status: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(f"gin train --device cpu --steps 900 --games 3 --save mine.npz --dry-run {options}".split())
        assert ended.value.code == status
        return "".join(capsys.readouterr())

    assert told("--resume", 2) == "error: nothing to resume: there is no mine.state\n"
    assert told("--start nobody", 2).startswith("error: no player 'nobody'")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(estimates, "course_cost", lambda course, *_: Cost(course.steps, 0, "1 core", "nothing"))
    assert told("").startswith("900 decisions to learn from, and 4 games against simple: about 15 minutes on 1 core")
    learner = Learner(replace(POLICY, tables=(2, 0, 0)), "cpu")
    learner.steps = 512
    learner.save(Path("mine.state"))
    assert told("--resume").startswith("388 decisions to learn from after 512, and 4 games against simple: about 6 minutes on 1 core")
    Path("mine.state").write_bytes(b"nothing")
    assert told("--resume", 2) == "error: mine.state cannot be resumed: it is damaged, or of another course\n"
