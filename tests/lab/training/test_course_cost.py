"""What a course would take is told by laps of smaller ones, in proportion to its decisions."""

import pytest

from meldlab.lab import estimates

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'meldlab[train]'")

from meldlab.lab.training.learner import Course
from meldlab.lab.training.value_learner import ValueCourse


@pytest.mark.parametrize(
    "course", [Course((32, 16, 16), ("simple",), "", 10**9, wide=8, deep=0), ValueCourse(("simple",), 10**9, rounds=512, batch=256)]
)
def test_a_course_is_told_by_a_smaller_one(course: Course | ValueCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "TRIED_TABLES", 32)
    monkeypatch.setattr(estimates, "TRIED_ROUNDS", 256)
    cost = estimates.course_cost(course, "cpu")
    learned = int(cost.basis.partition(" ")[0].replace(",", ""))
    assert 100 < learned < 100_000
    # So many decisions took a second or ten; a billion take hours.
    assert cost.seconds > 1e9 / learned * 1e-4
    assert cost.memory > 50e6
