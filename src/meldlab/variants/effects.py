"""Effects of declared numbers on measures: linear fits through all variants, with heteroscedasticity-consistent intervals."""

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.statistics import Interval, t_interval
from meldlab.variants.measures import MEASURES
from meldlab.variants.search import SearchResult, Trial

Real = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """The change of a measure from the least to the largest value of a number, with the other numbers unchanged."""

    measure: str
    number: str
    change: Interval | None
    explained: float | None
    """The share of the variance between variants that the fit in all numbers explains; None if it is not defined."""

    def significant(self, among: int) -> bool:
        """Return whether the change is significant as one of ``among`` effects (Bonferroni)."""
        if self.change is None or self.change.ends is None:
            return False
        wide = self.change.bonferroni(among)
        return not wide.low <= 0 <= wide.high

    def as_json(self) -> dict[str, Any]:
        """Return the effect as JSON."""
        change = self.change and self.change.as_json()
        return {"measure": self.measure, "number": self.number, "change": change, "explained": self.explained}


def effects(result: SearchResult) -> list[Effect]:
    """Return the effect of each number on each measure, over all variants that can be played, weighted by their games."""
    answers = []
    for name in MEASURES:
        points = MeasuredTrials.from_result(result, name)
        slopes, explained = fit_lines(points.settings, points.values, points.weights)
        for slope, span in zip(slopes, result.spec.ranges, strict=True):
            change = None if slope is None else slope.mapped(partial(_times, span.high - span.low))
            answers.append(Effect(name, span.name, change, explained))
    return answers


def _times(width: float, slope: Interval) -> Interval:
    return Interval(width * slope.value, width * slope.low, width * slope.high)


class MeasuredTrials(NamedTuple):
    """The variants for which a measure is defined."""

    trials: list[Trial]
    estimates: list[Interval]
    settings: Real
    """[variants, numbers]"""
    values: Real
    weights: Real

    @classmethod
    def from_result(cls, result: SearchResult, name: str) -> "MeasuredTrials":
        """Return the variants of a search that can be played and have a measure."""
        rows = [(trial, value) for trial in result.trials if not trial.problem and (value := trial.measures[name]) is not None]
        trials, ranges = [trial for trial, _ in rows], result.spec.ranges
        settings = np.array([[trial.variant.settings[span.name] for span in ranges] for trial in trials], np.float64)
        weights = np.array([max(1, trial.played.games if trial.played else 1) for trial in trials], np.float64)
        estimates = [value for _, value in rows]
        return cls(trials, estimates, settings.reshape(-1, len(ranges)), np.array([value.value for value in estimates]), weights)


def fit_lines(settings: Real, values: Real, weights: Real) -> tuple[list[Interval | None], float | None]:
    """Return the slope in each column of [variants, numbers] with its interval, and the share of the variance that is explained.

    Weighted least squares with the errors of MacKinnon and White (HC3), which hold for unequal variances and for a nonlinear truth:
    the part that a line does not explain counts as noise.

    >>> x = np.array([[0.0], [1], [2], [3], [4]])
    >>> slopes, explained = fit_lines(x, 2 * x[:, 0] + np.array([0.1, -0.1, 0.0, 0.1, -0.1]), np.ones(5))
    >>> print(slopes[0], round(explained, 3))
    1.980 (1.824 to 2.136) 0.999
    """
    count, numbers = settings.shape
    moving = [number for number in range(numbers) if count and np.ptp(settings[:, number]) > 0]
    intervals: list[Interval | None] = [None] * numbers
    if count < len(moving) + 2 or not moving:
        return intervals, None
    if np.ptp(values) == 0:
        # No variance to explain; rounding errors are not fitted.
        return [Interval(0.0, 0.0, 0.0) if number in moving else None for number in range(numbers)], None
    root = np.sqrt(weights / weights.mean())[:, None]
    columns = root * np.column_stack((np.ones(count), settings[:, moving]))
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        return intervals, None
    inverse = np.linalg.inv(columns.T @ columns)
    slopes = inverse @ columns.T @ (root[:, 0] * values)
    residuals = root[:, 0] * values - columns @ slopes
    leverage = np.einsum("ij,jk,ik->i", columns, inverse, columns)
    spread = inverse @ (columns.T * (residuals / np.maximum(1e-9, 1 - leverage)) ** 2) @ columns @ inverse
    for row, number in enumerate(moving, 1):
        intervals[number] = t_interval(float(slopes[row]), float(np.sqrt(max(0.0, spread[row, row]))), count - len(moving) - 1)
    mean = np.average(values, weights=weights)
    whole = float((weights * (values - mean) ** 2).sum())
    left = float((residuals**2).sum() * weights.mean())
    return intervals, 1 - left / whole if whole > 0 else None
