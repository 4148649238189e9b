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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.errors import NotLegalHere

__all__ = [
    "Interval",
    "Misfit",
    "Moments",
    "Rating",
    "Ratings",
    "around",
    "bradley_terry",
    "difference",
    "mean",
    "of_pairs",
    "sign_test",
    "wilson",
]

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


def of_pairs(games: int, wins: int, swept: int) -> Interval:
    """Return the share of games won when two games of each deal were played; a deal is one observation, ``swept`` are those won twice.

    >>> print(of_pairs(1000, 700, 250))
    0.700 (0.670 to 0.728)
    """
    # A pair has 0, 1 or 2 wins: the sum of squares over pairs is that of the wins, and 2 more for each pair swept.
    products = np.array([[2 * games, 2 * wins], [2 * wins, wins + 2 * swept]], np.float64)
    return Moments(games // 2, np.array([games, wins], np.float64), products).rate(1, 0)


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


@dataclass(frozen=True)
class Ratings:
    """Players by strength, best first, and where such a row of numbers goes wrong."""

    players: tuple[Rating, ...]
    misfit: Misfit
    cycle: tuple[str, ...]
    """Players of whom each beats the next and the last the first, none of it by chance; empty where no such circle is sure."""


Pairing = tuple[int, int]
RESAMPLED = 400  # times that deals are drawn again


def bradley_terry(names: Sequence[str], won: Mapping[Pairing, NDArray[Any]]) -> Ratings:
    """Return the ratings that explain best who beat whom, the pairing that they explain worst, and a circle of players if there is one.

    ``won[i, j]`` is [deals, 2]: games of each deal that i won, and that j won. A deal, in all its games and all pairings that played it, is
    one observation: errors come from drawing deals again with replacement, and are never smaller than those of independent games.

    >>> found = bradley_terry(["a", "b"], {(0, 1): np.array([[1, 0]] * 10 + [[0, 1]])})
    >>> [(one.name, round(one.points.value)) for one in found.players], found.misfit.significant
    ([('a', 169), ('b', -169)], False)
    """
    many, deals = len(names), max(map(len, won.values()))
    pairs, played = list(won), {pair: Moments.of(np.column_stack([each.sum(1), each[:, 0]])).rate(1, 0) for pair, each in won.items()}
    # [deals, 2 * pairs]; a pairing with fewer deals has no games in the rest. Equal deals are drawn together, which is the same and faster.
    games = np.concatenate([np.concatenate([each, np.zeros((deals - len(each), 2))]) for each in won.values()], axis=1)
    kinds, often = np.unique(games, axis=0, return_counts=True)
    chances = np.random.default_rng(deals)
    totals = np.stack([games.sum(0), *(chances.multinomial(deals, often / deals) @ kinds for _ in range(RESAMPLED))])
    wins = np.zeros((len(totals), many, many)) + 0.5 * (1 - np.eye(many))  # half a win each way keeps who never lost finite
    for at, (i, j) in enumerate(pairs):
        wins[:, i, j] += totals[:, 2 * at]
        wins[:, j, i] += totals[:, 2 * at + 1]
    logits, chance, information = _strengths(wins)
    errors = np.maximum(logits[1:].std(0), np.sqrt(np.clip(np.diag(np.linalg.pinv(information)), 0, None)))
    scale = 400 / np.log(10)
    rated = [
        Rating(name, Interval(*(scale * (logit + z * error) for z in (0.0, -Z95, Z95))))
        for name, logit, error in zip(names, logits[0], errors, strict=True)
    ]
    i, j = max(played, key=lambda pair: abs(played[pair].value - chance[pair]))
    misfit = Misfit(names[i], names[j], played[i, j], float(chance[i, j]), len(won))
    return Ratings(tuple(sorted(rated, key=lambda one: -one.points.value)), misfit, tuple(names[one] for one in _cycle(many, played)))


def _strengths(wins: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return logits of mean 0 for each of [samples, players, players] wins, by Newton's method; of the first their odds and information."""
    samples, many, _ = wins.shape
    logits, every = np.zeros((samples, many)), wins + wins.transpose(0, 2, 1)
    for _ in range(50):
        chance = 1 / (1 + np.exp(logits[:, None, :] - logits[:, :, None]))
        slope = (wins - every * chance).sum(2)
        weight = every * chance * (1 - chance)
        # One more on the diagonal of ones keeps the mean where it is and the matrix regular.
        information = weight.sum(2)[:, :, None] * np.eye(many) - weight
        step = np.linalg.solve(information + weight.sum((1, 2))[:, None, None] / many**2, slope[:, :, None])[:, :, 0]
        logits += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return logits - logits.mean(1)[:, None], chance[0], information[0]


def _cycle(many: int, played: dict[Pairing, Interval]) -> list[int]:
    """Return a shortest circle of players in which each beats the next for sure, all pairings looked at together."""
    beats: dict[int, list[int]] = {one: [] for one in range(many)}
    for (i, j), rate in played.items():
        wide = rate.of_many(len(played))
        if wide.low > 0.5:
            beats[i].append(j)
        elif wide.high < 0.5:
            beats[j].append(i)
    paths = [[one] for one in range(many)]
    while paths:
        for path in paths:
            if path[0] in beats[path[-1]]:
                return path
        paths = [[*path, other] for path in paths for other in beats[path[-1]] if other not in path]
    return []
