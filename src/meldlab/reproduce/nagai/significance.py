"""Tests of differences between win rates, and verdicts on the paper's claims about them.

The paper compares a new rate with the one before as if the latter were known exactly. It was measured on as many games.

>>> print(one_sample(0.701, Score(5000, 3695)))
chi-square 34.4, p = 4.4e-09, a gain
>>> print(two_samples(Score(5000, 3695), Score(5000, 3505)))
chi-square 17.9, p = 2.3e-05, a loss
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import erfc, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.reproduce.claims import Verdict
from meldlab.statistics import Z95, Interval, Score

LEVEL = 0.01  # of the paper


@dataclass(frozen=True)
class RateDifference:
    """The rise of a rate, with its standard error: a chi-square of one degree of freedom."""

    difference: float
    error: float

    @property
    def chi_square(self) -> float:
        """Return the square of the difference in standard errors."""
        return (self.difference / self.error) ** 2 if self.error > 0 else 0.0

    @property
    def p(self) -> float:
        """Return the two-sided p-value."""
        return erfc(sqrt(self.chi_square / 2))

    def gain(self, among: int = 1) -> bool:
        """Return whether it is a significant rise at the paper's level, as one of ``among`` tests."""
        return self.difference > 0 and self.p < LEVEL / among

    def loss(self, among: int = 1) -> bool:
        """Return whether it is a significant fall at the paper's level, as one of ``among`` tests."""
        return self.difference < 0 and self.p < LEVEL / among

    def __str__(self) -> str:
        direction = "a gain" if self.gain() else "a loss" if self.loss() else "not significant"
        return f"chi-square {self.chi_square:.1f}, p = {self.p:.2g}, {direction}"

    def as_json(self) -> dict[str, float | bool]:
        """Return the result of the command line."""
        numbers = {"difference": self.difference, "chi_square": self.chi_square, "p": self.p}
        return {**numbers, "gain": self.gain(), "loss": self.loss()}


def one_sample(before: float, after: Score) -> RateDifference:
    """Test a rate against one that is taken as known, as the paper does."""
    return RateDifference(after.wins / after.games - before, sqrt(before * (1 - before) / after.games))


def two_samples(before: Score, after: Score) -> RateDifference:
    """Test two rates from different games."""
    pooled = (before.wins + after.wins) / (before.games + after.games)
    variance = pooled * (1 - pooled) * (1 / before.games + 1 / after.games)
    return RateDifference(after.wins / after.games - before.wins / before.games, sqrt(variance))


def paired(before: NDArray[np.int64], after: NDArray[np.int64]) -> RateDifference:
    """Test two players on the same mirrored deals: [deals] int64 each, the number of won games; a deal is one observation.

    >>> noise = np.random.default_rng(1).random((2000, 2))
    >>> paired((noise < 0.70).sum(1), (noise < 0.71).sum(1)).gain()
    True
    """
    differences = (after - before) / 2
    return RateDifference(float(differences.mean()), float(differences.std(ddof=1)) / sqrt(len(differences)))


# --- verdicts, each with a direction, and none easier to reach with fewer games


def holds(true: bool) -> Verdict:
    """Return the verdict on a property that is counted and not estimated."""
    return Verdict.WITHIN if true else Verdict.REFUTED


def gaining(ours: RateDifference, paper: float) -> Verdict:
    """Judge a gain of the paper: within if ours is significant, refuted if it is a loss or cannot be as large.

    >>> differences = [RateDifference(*numbers) for numbers in ((0.02, 0.004), (-0.02, 0.004), (0.0, 0.004), (0.0, 0.04))]
    >>> print(*(gaining(difference, 0.02) for difference in differences))
    within refuted refuted open
    """
    if ours.gain():
        return Verdict.WITHIN
    reach = NormalDist().inv_cdf(1 - LEVEL / 2) * ours.error
    return Verdict.REFUTED if ours.loss() or ours.difference + reach < paper else Verdict.OPEN


def agreeing(ours: Interval, paper: float, error: float, rounded: float = 0.005) -> Verdict:
    """Judge a rate of the paper that has a standard error of its own, printed with two digits by default.

    Both are measurements: they differ when they are more than twice the standard error of their difference apart, and what was
    rounded off. They agree only if ours is about as exact as theirs.

    >>> ours = [Interval(0.56, 0.54, 0.58), Interval(0.5, 0.48, 0.52), Interval(0.55, 0.45, 0.65)]
    >>> print(*(agreeing(rate, 0.57, 0.011) for rate in ours))
    within refuted open
    """
    own = _error(ours)
    if abs(ours.value - paper) > 2 * sqrt(own**2 + error**2) + rounded:
        return Verdict.REFUTED
    return Verdict.WITHIN if own <= 1.5 * error else Verdict.OPEN


def better(first: Score, second: Score, among: int) -> bool:
    """Return whether the first player is significantly better than the second, as one of ``among`` comparisons.

    Each rate has the error of its mirrored pairs. On common deals the two rates are correlated, which makes this stricter.

    >>> better(Score(2000, 1200, 400), Score(2000, 1100, 350), among=1), better(Score(20, 12, 4), Score(20, 11, 3), among=1)
    (True, False)
    """
    error = sqrt(_error(first.win_rate()) ** 2 + _error(second.win_rate()) ** 2)
    return RateDifference(first.win_rate().value - second.win_rate().value, error).gain(among)


def combine(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a claim that is true if all its parts are."""
    parts = set(verdicts)
    return next(verdict for verdict in (Verdict.REFUTED, Verdict.OPEN, Verdict.WITHIN) if verdict in parts)


def outcome(*parts: tuple[str, str, Verdict]) -> dict[str, Any]:
    """Return the outcome of a claim as plain JSON from its parts: (name, result as text, verdict)."""
    texts = [f"{name}: {text}" if len(parts) > 1 else text for name, text, _ in parts]
    return {"ours": "; ".join(texts), "verdict": str(combine(verdict for *_, verdict in parts))}


def _error(interval: Interval) -> float:
    return (interval.high - interval.low) / (2 * Z95)
