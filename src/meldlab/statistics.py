"""Estimates with confidence intervals: rates and means over clusters of games, exact sign tests, Bradley-Terry ratings.

A rate and its interval are between 0 and 1; a mean and its interval have no bounds.

>>> wins = Moments.from_counts(np.array([[2, 1], [2, 2], [2, 0], [2, 2]]))  # pairs of games, games won
>>> print(wins.rate(1, 0))
0.625 (0.222 to 0.907)
>>> print(mean([12, -3, 5, 0, 7]))
4.200 (-3.114 to 11.514)
>>> round(sign_test(9, 1), 4)
0.0215
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, isfinite, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.errors import NotLegalHere

Z95 = 1.959963984540054


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its 95 % interval; both are infinite if a single observation has no error.

    >>> print(Interval(0.5, -inf, inf))
    0.500 (no interval)
    """

    value: float
    low: float
    high: float
    widen: Callable[[int], "Interval"] | None = field(default=None, repr=False, compare=False)
    """The interval for a number of comparisons, see ``bonferroni``; None where only the ends are known."""

    def __str__(self) -> str:
        width = self.high - self.low
        digits = 3 if width > 0.02 else 4 if width > 0.002 else 5
        ends = f"{self.low:.{digits}f} to {self.high:.{digits}f}" if self.ends else "no interval"
        return f"{self.value:.{digits}f} ({ends})"

    @property
    def ends(self) -> list[float] | None:
        """Return both ends for JSON, None if they are infinite."""
        return [self.low, self.high] if isfinite(self.low) and isfinite(self.high) else None

    def as_json(self) -> dict[str, Any]:
        """Return the estimate and both ends."""
        return {"value": self.value, "ci95": self.ends}

    def bonferroni(self, comparisons: int) -> "Interval":
        """Return the interval for one of several comparisons: all of them hold together with at least 95 % (Bonferroni).

        Rates, means and differences are computed again at the wider level. Ends that were given as numbers move by the normal quantile.

        >>> print(wilson(0.95, 40).bonferroni(1331))
        0.950 (0.637 to 0.995)
        >>> print(Interval(8, 7.2, 8.8).bonferroni(1331))
        8.000 (6.318 to 9.682)
        """
        if self.widen is not None:
            return self.widen(comparisons)
        wider = _quantile(comparisons) / Z95
        return Interval(self.value, self.value - wider * (self.value - self.low), self.value + wider * (self.high - self.value))

    def mapped(self, function: "Callable[[Interval], Interval]") -> "Interval":
        """Return a function of this interval; ``bonferroni`` of the result is that function of the wider interval."""
        return replace(function(self), widen=partial(_mapped_bonferroni, self, function))

    def complement(self) -> "Interval":
        """Return the interval of 1 minus the estimate.

        >>> print(Interval(0.7, 0.5, 0.8).complement())
        0.300 (0.200 to 0.500)
        """
        return self.mapped(_complement)

    def overlaps(self, value: float, margin: float = 0.0) -> bool:
        """Return whether ``value`` +- ``margin`` overlaps the interval."""
        return self.low <= value + margin and value - margin <= self.high


def _complement(interval: Interval) -> Interval:
    return Interval(1 - interval.value, 1 - interval.high, 1 - interval.low)


def _mapped_bonferroni(source: Interval, function: Callable[[Interval], Interval], comparisons: int) -> Interval:
    return function(source.bonferroni(comparisons))


def _quantile(comparisons: int) -> float:
    """Return the normal quantile of a two-sided 95 % interval for one of several comparisons."""
    return Z95 if comparisons <= 1 else NormalDist().inv_cdf(1 - 0.025 / comparisons)


@dataclass(frozen=True)
class Moments:
    """Sums and products of several counts over clusters of games, additive over any split of the clusters, exactly for integers."""

    clusters: int
    sums: NDArray[Any]
    """[kinds], Python integers if the counts were integers, else doubles."""
    products: NDArray[Any]
    """[kinds, kinds], of the same type as the sums."""

    @classmethod
    def from_counts(cls, counts: NDArray[np.int64] | NDArray[np.float64]) -> "Moments":
        """Return the moments of [clusters, kinds] counts."""
        if counts.dtype.kind != "i":
            numbers = counts.astype(np.float64)
            return cls(len(numbers), numbers.sum(0), numbers.T @ numbers)
        largest = int(np.abs(counts).max(initial=0))
        integers = counts.astype(np.int64 if largest**2 * len(counts) < 2**63 else object)
        return cls(len(counts), integers.sum(0).astype(object), (integers.T @ integers).astype(object))

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.clusters + other.clusters, self.sums + other.sums, self.products + other.products)

    def rate(self, over: int, under: int) -> Interval:
        """Return the rate of a count that is at most 1 per unit of another, with an interval between 0 and 1.

        The interval is Wilson's for the effective number of trials by the variance between clusters, so it is not empty if all
        clusters agree. Without a count it is 0 to 1.
        """
        return wilson(*self._trials(over, under))

    def mean(self, over: int, under: int) -> Interval:
        """Return the mean of a count per unit of another, of any size and sign, with Student's interval over clusters.

        >>> print(Moments.from_counts(np.array([[2, 400], [2, -399]])).mean(1, 0))
        0.250 (-2537.814 to 2538.314)
        """
        if self.sums[under] == 0:
            return Interval(0.0, -inf, inf)
        return t_interval(*self._ratio(over, under), self.clusters - 1)

    def _trials(self, over: int, under: int) -> tuple[float, float]:
        """Return a rate and its effective number of independent trials, 0 without a count."""
        if self.sums[under] == 0:
            return 0.0, 0.0
        value, error = self._ratio(over, under)
        if not -1e-9 <= value <= 1 + 1e-9:
            raise NotLegalHere(f"expected a rate from 0 to 1, got {value:g} (use mean)")
        value = min(1.0, max(0.0, value))
        return value, value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else float(self.clusters)

    def _ratio(self, over: int, under: int) -> tuple[float, float]:
        """Return the ratio of sums and its standard error from the spread between clusters (delta method)."""
        value = float(self.sums[over] / self.sums[under])
        squares = self.products[over, over] - 2 * value * self.products[over, under] + value**2 * self.products[under, under]
        variance = max(0.0, float(squares)) / max(1, self.clusters - 1) * self.clusters
        return value, sqrt(variance) / float(self.sums[under])


def t_interval(value: float, error: float, freedom: int, comparisons: int = 1) -> Interval:
    """Return Student's 95 % interval of a mean from its standard error, estimated with ``freedom`` degrees of freedom.

    ``comparisons``: see ``Interval.bonferroni``.

    >>> print(t_interval(0.0, 1.0, 10**6))
    0.000 (-1.960 to 1.960)
    """
    from scipy.special import stdtrit

    if freedom < 1:
        return Interval(value, -inf, inf)
    half = float(stdtrit(freedom, 1 - 0.025 / max(1, comparisons))) * error
    return Interval(value, value - half, value + half, partial(t_interval, value, error, freedom))


def mean(numbers: ArrayLike) -> Interval:
    """Return the mean of independent numbers with Student's interval; a single number has none."""
    values = np.asarray(numbers, np.float64)
    return t_interval(float(values.mean()), float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0, len(values) - 1)


def mean_share(shares: ArrayLike) -> Interval:
    """Return the mean of independent numbers from 0 to 1, such as the shares of a player in the wins of games, with Wilson's interval."""
    values = np.asarray(shares, np.float64)
    return Moments.from_counts(np.column_stack((np.ones(len(values)), values))).rate(1, 0)


def paired_rate(games: int, wins: float, swept: int) -> Interval:
    """Return the win rate over pairs of games of the same deal, each one observation; ``swept``: the number of pairs won twice.

    >>> print(paired_rate(1000, 700, 250))
    0.700 (0.670 to 0.728)
    """
    # A pair has 0, 1 or 2 wins: the sum of their squares is the sum of wins and 2 more for each swept pair.
    products = np.array([[2 * games, 2 * wins], [2 * wins, wins + 2 * swept]], np.float64)
    return Moments(games // 2, np.array([games, wins], np.float64), products).rate(1, 0)


@dataclass(frozen=True)
class Score:
    """The wins of a player on mirrored deals, each played in both seats; scores of different deals add up.

    >>> print((Score(600, 420, 150) + Score(400, 280, 100)).win_rate())
    0.700 (0.670 to 0.728)
    """

    games: int = 0
    wins: float = 0
    swept: int = 0
    """Deals won in both seats."""

    @classmethod
    def from_counts(cls, parts: Iterable[Mapping[str, Any]]) -> "Score":
        """Return the score that the counts of tasks add up to."""
        return sum((cls(part["games"], part["wins"], part["swept"]) for part in parts), cls())

    def __add__(self, other: "Score") -> "Score":
        return Score(self.games + other.games, self.wins + other.wins, self.swept + other.swept)

    def win_rate(self, comparisons: int = 1) -> Interval:
        """Return the win rate; a deal is one observation. ``comparisons``: see ``Interval.bonferroni``."""
        return paired_rate(self.games, self.wins, self.swept).bonferroni(comparisons)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rate = self.win_rate()
        return {"games": self.games, "wins": self.wins, "win_rate": rate.value, "ci95": [rate.low, rate.high]}


def wilson(rate: float, trials: float, comparisons: int = 1) -> Interval:
    """Return Wilson's 95 % interval of a rate; without a trial it is 0 to 1. ``comparisons``: see ``Interval.bonferroni``.

    >>> print(wilson(1.0, 10))
    1.000 (0.722 to 1.000)
    """
    widen = partial(wilson, rate, trials)
    if trials == 0:
        return Interval(rate, 0.0, 1.0, widen)
    z = _quantile(comparisons)
    scale = 1 + z**2 / trials
    middle = (rate + z**2 / (2 * trials)) / scale
    half = z / scale * sqrt(rate * (1 - rate) / trials + z**2 / (4 * trials**2))
    return Interval(rate, min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half)), widen)


def difference(first: Interval, second: Interval, comparisons: int = 1) -> Interval:
    """Return ``first`` - ``second`` of two independent estimates; Newcombe's interval adds the squares of the distances to the ends.

    ``comparisons``: see ``Interval.bonferroni``.

    >>> print(difference(wilson(0.5, 100), wilson(0.3, 100)))
    0.200 (0.064 to 0.326)
    """
    widen = partial(difference, first, second)
    if comparisons > 1:
        first, second = first.bonferroni(comparisons), second.bonferroni(comparisons)
    value = first.value - second.value
    down = sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    up = sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Interval(value, value - down, value + up, widen)


def sign_test(first: int, second: int) -> float:
    """Return the exact two-sided p-value of ``first`` swept pairs against ``second``."""
    from scipy.stats import binomtest

    return 1.0 if first + second == 0 else float(binomtest(first, first + second).pvalue)


@dataclass(frozen=True)
class Rating:
    """The rating of a player: 400 points are odds of ten to one; the mean of all is 0."""

    name: str
    points: Interval

    @property
    def text(self) -> str:
        """Return the points with their interval."""
        return f"{self.points.value:+.0f} ({self.points.low:+.0f} to {self.points.high:+.0f})"


@dataclass(frozen=True)
class Misfit:
    """The pairing with the largest residual in standard errors: observed and expected win rate of the first player."""

    first: str
    second: str
    played: Interval
    expected: float
    pairings: int
    """The number of all pairings."""

    @property
    def significant(self) -> bool:
        """Return whether the residual is significant among ``pairings``: then a single number per player does not fit."""
        return not self.played.bonferroni(self.pairings).overlaps(self.expected)


@dataclass(frozen=True)
class Ratings:
    """Ratings, best first, and the pairing and cycle that they do not explain."""

    players: tuple[Rating, ...]
    misfit: Misfit
    cycle: tuple[str, ...]
    """Players each of whom beats the next significantly, the last the first; empty if there is no such cycle."""


Pairing = tuple[int, int]
NUM_RESAMPLES = 400  # bootstrap samples of the deals


def bradley_terry(names: Sequence[str], won: Mapping[Pairing, NDArray[Any]]) -> Ratings:
    """Return the maximum-likelihood ratings, the pairing that they explain worst, and a cycle of players if there is one.

    ``won[i, j]`` is [deals, 2]: games of each deal that i won, and that j won. A deal, in all its games and pairings, is one observation:
    errors are from a bootstrap of the deals, and at least those of independent games.

    >>> ratings = bradley_terry(["a", "b"], {(0, 1): np.array([[1, 0]] * 10 + [[0, 1]])})
    >>> [(player.name, round(player.points.value)) for player in ratings.players], ratings.misfit.significant
    ([('a', 169), ('b', -169)], False)
    """
    num_players, deals = len(names), max(map(len, won.values()))
    moments = {pair: Moments.from_counts(np.column_stack([games.sum(1), games[:, 0]])) for pair, games in won.items()}
    played = {pair: counts.rate(1, 0) for pair, counts in moments.items()}
    # [deals, 2 * pairs], zeros where a pairing has fewer deals. Equal deals are drawn together, which is faster and has the same result.
    all_games = np.concatenate([np.concatenate([games, np.zeros((deals - len(games), 2))]) for games in won.values()], axis=1)
    kinds, counts = np.unique(all_games, axis=0, return_counts=True)
    rng = np.random.default_rng(deals)
    totals = np.stack([all_games.sum(0), *(rng.multinomial(deals, counts / deals) @ kinds for _ in range(NUM_RESAMPLES))])
    # Half a win for each side keeps the rating of a player without a loss finite.
    wins = np.zeros((len(totals), num_players, num_players)) + 0.5 * (1 - np.eye(num_players))
    for index, (i, j) in enumerate(won):
        wins[:, i, j] += totals[:, 2 * index]
        wins[:, j, i] += totals[:, 2 * index + 1]
    logits, expected, information = _fit_logits(wins)
    errors = np.maximum(logits[1:].std(0), np.sqrt(np.clip(np.diag(np.linalg.pinv(information)), 0, None)))
    scale = 400 / np.log(10)
    ratings = [
        Rating(name, Interval(*(scale * (logit + z * error) for z in (0.0, -Z95, Z95))))
        for name, logit, error in zip(names, logits[0], errors, strict=True)
    ]

    def standard_errors(pair: Pairing) -> float:
        # Wilson's interval excludes the expected rate if this exceeds the quantile.
        value, trials = moments[pair]._trials(1, 0)
        return float(abs(value - expected[pair]) * np.sqrt(trials / (expected[pair] * (1 - expected[pair]))))

    i, j = max(played, key=standard_errors)
    misfit = Misfit(names[i], names[j], played[i, j], float(expected[i, j]), len(won))
    cycle = tuple(names[player] for player in _cycle(num_players, played))
    return Ratings(tuple(sorted(ratings, key=lambda rating: -rating.points.value)), misfit, cycle)


def _fit_logits(wins: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return logits of mean 0 for [samples, players, players] wins by Newton's method; win rates and information of the first sample."""
    samples, players, _ = wins.shape
    logits, games = np.zeros((samples, players)), wins + wins.transpose(0, 2, 1)
    for _ in range(50):
        rates = 1 / (1 + np.exp(logits[:, None, :] - logits[:, :, None]))
        slope = (wins - games * rates).sum(2)
        weight = games * rates * (1 - rates)
        # The added matrix of ones fixes the mean and makes the system regular.
        information = weight.sum(2)[:, :, None] * np.eye(players) - weight
        step = np.linalg.solve(information + weight.sum((1, 2))[:, None, None] / players**2, slope[:, :, None])[:, :, 0]
        logits += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-9:
            break
    return logits - logits.mean(1)[:, None], rates[0], information[0]


def _cycle(players: int, played: dict[Pairing, Interval]) -> list[int]:
    """Return a shortest cycle of players in which each beats the next significantly among all pairings."""
    beats: dict[int, list[int]] = {player: [] for player in range(players)}
    for (i, j), rate in played.items():
        interval = rate.bonferroni(len(played))
        if interval.low > 0.5:
            beats[i].append(j)
        elif interval.high < 0.5:
            beats[j].append(i)
    paths = [[player] for player in range(players)]
    while paths:
        for path in paths:
            if path[0] in beats[path[-1]]:
                return path
        paths = [[*path, other] for path in paths for other in beats[path[-1]] if other not in path]
    return []
