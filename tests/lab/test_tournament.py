"""Matches at the table: what is told of points, which are no rate and may cancel out."""

import json

import numpy as np
import pytest

from meldlab.lab.arena.table import Bout
from meldlab.statistics import Moments


def bout(points: list[int]) -> Bout:
    """A match whose mirrored pairs ended with so many points for the first player."""
    counts = np.array([[2, 1, each] for each in points])
    ahead = sum(each > 0 for each in points), sum(each < 0 for each in points)
    return Bout(("one", "two"), 2 * len(points), Moments.of(counts), ahead, (), 1.0, 40)


@pytest.mark.parametrize(("points", "value"), [([-132, 109, 23], 0.0), ([400, -399], 0.25), ([3, -2, 1, 0], 0.25)])
def test_points_have_an_interval_of_points(points: list[int], value: float) -> None:
    told = json.loads(json.dumps(bout(points).as_json(), allow_nan=False))
    low, high = told["points_ci95"]
    assert told["points_per_game"] == pytest.approx(value)
    assert (low + high) / 2 == pytest.approx(value)
    assert low < 0 < 0.6 < high


def test_a_single_pair_has_no_interval_of_points() -> None:
    assert json.loads(json.dumps(bout([12]).as_json(), allow_nan=False))["points_ci95"] is None
    assert str(bout([12]).points) == "6.000 (no interval)"
