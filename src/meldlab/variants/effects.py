"""How much a declared number moves a measure: straight lines through all variants, in all numbers at once, with honest intervals."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.statistics import Interval, t_interval
from meldlab.variants.measures import MEASURES
from meldlab.variants.search import Discovery

__all__ = ["Effect", "effects", "fitted"]

Real = NDArray[np.float64]


@dataclass(frozen=True)
class Effect:
    """By how much a measure changes when a number goes from the least to the most that it may be, the other numbers staying as they are."""

    measure: str
    number: str
    change: Interval | None
    explained: float | None
    """The share of the differences between variants that lines in all numbers explain; None where nothing differs or nobody can tell."""

    def significant(self, among: int) -> bool:
        """Tell whether chance does not explain it, one of so many."""
        if self.change is None or self.change.ends is None:
            return False
        wide = self.change.bonferroni(among)
        return not wide.low <= 0 <= wide.high

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        change = None if self.change is None else {"value": self.change.value, "ci95": self.change.ends}
        return {"measure": self.measure, "number": self.number, "change": change, "explained": self.explained}


def effects(found: Discovery) -> list[Effect]:
    """Return the effect of each number on each measure, by all variants that are games; those that played more count more."""
    spans = found.wishes.spans
    answers = []
    for name in MEASURES:
        rows = [(one, value) for one in found.attempts if not one.problem and (value := one.measures[name]) is not None]
        settings = np.array([[one.variant.settings[span.name] for span in spans] for one, _ in rows], np.float64).reshape(-1, len(spans))
        values = np.array([value.value for _, value in rows])
        weights = np.array([max(1, one.gathered.games if one.gathered else 1) for one, _ in rows], np.float64)
        slopes, explained = fitted(settings, values, weights)
        for place, span in enumerate(spans):
            slope, width = slopes[place], span.high - span.low
            change = None if slope is None else slope.mapped(partial(_times, width))
            answers.append(Effect(name, span.name, change, explained))
    return answers


def _times(width: float, slope: Interval) -> Interval:
    return Interval(width * slope.value, width * slope.low, width * slope.high)


def fitted(settings: Real, values: Real, weights: Real) -> tuple[list[Interval | None], float | None]:
    """Return the slope in each column of [variants, numbers] with its interval, and the share of the variance that is explained.

    Least squares with weights; the errors are those of MacKinnon and White (HC3), which hold where some variants were measured worse
    than others and where the truth bends: what a line does not explain counts as noise.

    >>> x = np.array([[0.0], [1], [2], [3], [4]])
    >>> slopes, explained = fitted(x, 2 * x[:, 0] + np.array([0.1, -0.1, 0.0, 0.1, -0.1]), np.ones(5))
    >>> print(slopes[0], round(explained, 3))
    1.980 (1.824 to 2.136) 0.999
    """
    many, numbers = settings.shape
    moving = [place for place in range(numbers) if many and np.ptp(settings[:, place]) > 0]
    none: list[Interval | None] = [None] * numbers
    if many < len(moving) + 2 or not moving:
        return none, None
    if np.ptp(values) == 0:
        # Nothing to explain, and no rounding to be taken for something.
        return [Interval(0.0, 0.0, 0.0) if number in moving else None for number in range(numbers)], None
    root = np.sqrt(weights / weights.mean())[:, None]
    columns = root * np.column_stack((np.ones(many), settings[:, moving]))
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        return none, None
    inverse = np.linalg.inv(columns.T @ columns)
    slopes = inverse @ columns.T @ (root[:, 0] * values)
    residuals = root[:, 0] * values - columns @ slopes
    leverage = np.einsum("ij,jk,ik->i", columns, inverse, columns)
    spread = inverse @ (columns.T * (residuals / np.maximum(1e-9, 1 - leverage)) ** 2) @ columns @ inverse
    for place, number in enumerate(moving, 1):
        none[number] = t_interval(float(slopes[place]), float(np.sqrt(max(0.0, spread[place, place]))), many - len(moving) - 1)
    mean = np.average(values, weights=weights)
    whole = float((weights * (values - mean) ** 2).sum())
    left = float((residuals**2).sum() * weights.mean())
    return none, 1 - left / whole if whole > 0 else None
