"""Honest numbers: rates and means with intervals that know which games belong together, exact sign tests, ratings.

Whoever asks says what kind of number it is: a rate lies between 0 and 1 and so does its interval, a mean may lie anywhere.

>>> wins = Moments.of(np.array([[2, 1], [2, 2], [2, 0], [2, 2]]))  # pairs of games, games won
>>> print(wins.rate(1, 0))
0.625 (0.222 to 0.907)
>>> print(mean([12, -3, 5, 0, 7]))
4.200 (-3.114 to 11.514)
>>> round(sign_test(9, 1), 4)
0.0215
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.errors import NotLegalHere

__all__ = ["Interval", "Misfit", "Moments", "Rating", "around", "bradley_terry", "difference", "mean", "sign_test", "wilson"]

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its 95 % interval; both are infinite where a single observation tells no error.

    >>> print(Interval(0.5, -inf, inf))
    0.500 (no interval)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        width = self.high - self.low
        digits = 3 if width > 0.02 else 4 if width > 0.002 else 5
        ends = f"{self.low:.{digits}f} to {self.high:.{digits}f}" if self.ends else "no interval"
        return f"{self.value:.{digits}f} ({ends})"

    @property
    def ends(self) -> list[float] | None:
        """Return both ends as an answer in JSON has them, None where there are none."""
        return [self.low, self.high] if isfinite(self.low) and isfinite(self.high) else None

    def of_many(self, comparisons: int) -> "Interval":
        """Return the wider interval that a number needs which is looked at beside others, so that all of them hold at once (Bonferroni).

        >>> print(Interval(0.8, 0.72, 0.88).of_many(1331))
        0.800 (0.632 to 0.968)
        """
        wider = NormalDist().inv_cdf(1 - 0.025 / max(1, comparisons)) / Z95
        return Interval(self.value, self.value - wider * (self.value - self.low), self.value + wider * (self.high - self.value))

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
    def of(cls, counts: NDArray[np.int64] | NDArray[np.float64]) -> "Moments":
        """Return the moments of [clusters, kinds] counts."""
        numbers = counts.astype(np.float64)
        return cls(len(numbers), numbers.sum(0), numbers.T @ numbers)

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.clusters + other.clusters, self.sums + other.sums, self.products + other.products)

    def rate(self, over: int, under: int) -> Interval:
        """Return a count that is at most 1 per unit of another, as a rate: its interval never leaves 0 to 1.

        It has Wilson's shape with as many units as the spread between clusters is worth, so that none is empty because every
        cluster happened to agree. Nothing counted tells nothing: 0 to 1.
        """
        if self.sums[under] == 0:
            return Interval(0.0, 0.0, 1.0)
        value, error = self._ratio(over, under)
        if not -1e-9 <= value <= 1 + 1e-9:
            raise NotLegalHere(f"{value:g} is no rate; ask for a mean")
        value = min(1.0, max(0.0, value))
        return wilson(value, value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else float(self.clusters))

    def mean(self, over: int, under: int) -> Interval:
        """Return one count per unit of another, of whatever size and sign, with Student's interval over clusters.

        >>> print(Moments.of(np.array([[2, 400], [2, -399]])).mean(1, 0))
        0.250 (-2537.814 to 2538.314)
        """
        if self.sums[under] == 0:
            return Interval(0.0, -inf, inf)
        return around(*self._ratio(over, under), self.clusters - 1)

    def _ratio(self, over: int, under: int) -> tuple[float, float]:
        """Return the ratio of sums and its standard error from the spread between clusters (delta method)."""
        value = float(self.sums[over] / self.sums[under])
        squares = self.products[over, over] - 2 * value * self.products[over, under] + value**2 * self.products[under, under]
        spread = max(0.0, float(squares)) / max(1, self.clusters - 1) * self.clusters
        return value, sqrt(spread) / float(self.sums[under])


def around(value: float, error: float, freedom: int) -> Interval:
    """Return Student's 95 % interval of a mean from its standard error, estimated with so many degrees of freedom.

    >>> print(around(0.0, 1.0, 10**6))
    0.000 (-1.960 to 1.960)
    """
    from scipy.special import stdtrit

    if freedom < 1:
        return Interval(value, -inf, inf)
    half = float(stdtrit(freedom, 0.975)) * error
    return Interval(value, value - half, value + half)


def mean(numbers: ArrayLike) -> Interval:
    """Return the mean of independent numbers, with Student's interval; one number alone has none."""
    many = np.asarray(numbers, np.float64)
    return around(float(many.mean()), float(many.std(ddof=1)) / sqrt(len(many)) if len(many) > 1 else 0.0, len(many) - 1)


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


@dataclass(frozen=True)
class Misfit:
    """The pairing that ratings explain worst: how often the first player won, and how often it should have."""

    first: str
    second: str
    played: Interval
    expected: float
    pairings: int
    """Among how many it is the worst."""

    @property
    def significant(self) -> bool:
        """Tell whether chance does not explain it, the worst of so many: then no single number for each player does."""
        return not self.played.of_many(self.pairings).overlaps(self.expected)


Pairing = tuple[int, int]


def bradley_terry(names: Sequence[str], won: dict[Pairing, NDArray[np.int64]]) -> tuple[list[Rating], Misfit]:
    """Return ratings, best first, that explain best who beat whom, and the pairing that they explain worst.

    ``won[i, j]`` is [deals, 2] int64: games of each deal that i won, and that j won. A deal, in all its games and all pairings that
    played it, is one observation: errors come from the spread between deals, and are never smaller than those of independent games.

    >>> ratings, misfit = bradley_terry(["a", "b"], {(0, 1): np.array([[1, 0]] * 10 + [[0, 1]])})
    >>> [(one.name, round(one.points.value)) for one in ratings], misfit.significant
    ([('a', 169), ('b', -169)], False)
    """
    from scipy.optimize import minimize

    many = len(names)
    # Half a win each way keeps the rating of a player that never lost finite.
    wins = 0.5 * (1 - np.eye(many))
    for (i, j), each in won.items():
        wins[i, j] += each[:, 0].sum()
        wins[j, i] += each[:, 1].sum()

    def surprise(logits: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gaps = logits[:, None] - logits[None, :]
        expected = 1 / (1 + np.exp(-gaps))
        slope = (wins * (1 - expected)).sum(1) - (wins.T * expected).sum(1)
        return float((wins * np.log1p(np.exp(-gaps))).sum()), -slope

    found = minimize(surprise, np.zeros(many), jac=True, method="BFGS").x
    found -= found.mean()
    chance = 1 / (1 + np.exp(-(found[:, None] - found[None, :])))
    weight = (wins + wins.T) * chance * (1 - chance)
    inverse = np.linalg.pinv(np.diag(weight.sum(1)) - weight)
    # The spread between deals of what each deal says about each player.
    said = np.zeros((max(map(len, won.values())), many))
    for (i, j), each in won.items():
        more = each[:, 0] * (1 - chance[i, j]) - each[:, 1] * chance[i, j]
        said[: len(each), i] += more
        said[: len(each), j] -= more
    between = inverse @ (said.T @ said) @ inverse
    errors = np.sqrt(np.clip(np.maximum(np.diag(inverse), np.diag(between)), 0, None))
    scale = 400 / np.log(10)
    ratings = [
        Rating(name, Interval(*(scale * (logit + z * error) for z in (0.0, -Z95, Z95))))
        for name, logit, error in zip(names, found, errors, strict=True)
    ]
    played = {pair: Moments.of(np.column_stack([each.sum(1), each[:, 0]])).rate(1, 0) for pair, each in won.items()}
    i, j = max(played, key=lambda pair: abs(played[pair].value - chance[pair]))
    return sorted(ratings, key=lambda rating: -rating.points.value), Misfit(names[i], names[j], played[i, j], float(chance[i, j]), len(won))
