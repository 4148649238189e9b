"""Honest numbers: rates with intervals that know which games belong together, exact sign tests, ratings.

>>> wins = Moments.of(np.array([[2, 1], [2, 2], [2, 0], [2, 2]]))  # pairs of games, games won
>>> print(wins.ratio(1, 0))
0.625 (0.222 to 0.907)
>>> round(sign_test(9, 1), 4)
0.0215
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["Interval", "Moments", "Rating", "bradley_terry", "difference", "sign_test", "wilson"]

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        width = self.high - self.low
        digits = 3 if width > 0.02 else 4 if width > 0.002 else 5
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"

    def overlaps(self, value: float, margin: float = 0.0) -> bool:
        """Tell whether ``value`` +- ``margin`` reaches into the interval."""
        return self.low <= value + margin and value - margin <= self.high


@dataclass(frozen=True)
class Moments:
    """Sums and products of several counts over clusters of games; they add up over any split of the work."""

    clusters: int
    sums: NDArray[np.float64]
    products: NDArray[np.float64]

    @classmethod
    def of(cls, counts: NDArray[np.int64]) -> "Moments":
        """Return the moments of [clusters, kinds] counts."""
        numbers = counts.astype(np.float64)
        return cls(len(numbers), numbers.sum(0), numbers.T @ numbers)

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.clusters + other.clusters, self.sums + other.sums, self.products + other.products)

    def ratio(self, over: int, under: int) -> Interval:
        """Return one count per another: the ratio of sums, its error from the spread between clusters (delta method).

        A ratio that is a rate, at most 1 per unit, gets Wilson's shape with as many units as the spread is worth; so no interval
        leaves 0 to 1, and none is empty because every cluster happened to agree.
        """
        if self.sums[under] == 0:
            return Interval(0.0, 0.0, 0.0)
        value = float(self.sums[over] / self.sums[under])
        squares = self.products[over, over] - 2 * value * self.products[over, under] + value**2 * self.products[under, under]
        spread = max(0.0, float(squares)) / max(1, self.clusters - 1) * self.clusters
        error = sqrt(spread) / float(self.sums[under])
        if not 0 <= value <= 1:
            return Interval(value, value - Z95 * error, value + Z95 * error)
        worth = value * (1 - value) / error**2 if error > 0 else float(self.clusters)
        return wilson(value, worth)


def wilson(rate: float, trials: float) -> Interval:
    """Return Wilson's 95 % interval of a rate.

    >>> print(wilson(1.0, 10))
    1.000 (0.722 to 1.000)
    """
    scale = 1 + Z95**2 / trials
    middle = (rate + Z95**2 / (2 * trials)) / scale
    half = Z95 / scale * sqrt(rate * (1 - rate) / trials + Z95**2 / (4 * trials**2))
    return Interval(rate, min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half)))


def difference(one: Interval, other: Interval) -> Interval:
    """Return how much larger one estimate is than another, independent one; Newcombe's interval adds the squares of the ends.

    >>> print(difference(wilson(0.5, 100), wilson(0.3, 100)))
    0.200 (0.064 to 0.326)
    """
    value = one.value - other.value
    down = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    up = sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Interval(value, value - down, value + up)


def sign_test(first: int, second: int) -> float:
    """Return the exact two-sided p-value of ``first`` against ``second`` swept pairs."""
    from scipy.stats import binomtest

    return 1.0 if first + second == 0 else float(binomtest(first, first + second).pvalue)


@dataclass(frozen=True)
class Rating:
    """A player's strength: 400 points are odds of ten to one; the mean of all is 0."""

    name: str
    points: Interval


def bradley_terry(names: Sequence[str], wins: NDArray[np.float64]) -> list[Rating]:
    """Return ratings, best first, that explain [players, players] wins (row beats column) best.

    >>> [(one.name, round(one.points.value)) for one in bradley_terry(["a", "b"], np.array([[0, 10.0], [1.0, 0]]))]
    [('a', 169), ('b', -169)]
    """
    from scipy.optimize import minimize

    # Half a win each way keeps the rating of a player that never lost finite.
    played = wins + 0.5 * (1 - np.eye(len(names)))

    def surprise(logits: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gaps = logits[:, None] - logits[None, :]
        expected = 1 / (1 + np.exp(-gaps))
        slope = (played * (1 - expected)).sum(1) - (played.T * expected).sum(1)
        return float((played * np.log1p(np.exp(-gaps))).sum()), -slope

    found = minimize(surprise, np.zeros(len(names)), jac=True, method="BFGS").x
    found -= found.mean()
    chance = 1 / (1 + np.exp(-(found[:, None] - found[None, :])))
    weight = (played + played.T) * chance * (1 - chance)
    information = np.diag(weight.sum(1)) - weight
    errors = np.sqrt(np.clip(np.diag(np.linalg.pinv(information)), 0, None))
    scale = 400 / np.log(10)
    ratings = [
        Rating(name, Interval(*(scale * (logit + z * error) for z in (0.0, -Z95, Z95))))
        for name, logit, error in zip(names, found, errors, strict=True)
    ]
    return sorted(ratings, key=lambda rating: -rating.points.value)
