"""Is one rate better than another? The paper's test, the one its data allow, and the one that mirrored deals allow.

The paper compares a new rate with the one before as if the latter were known exactly. It was measured on as many games.

>>> print(one_sample(0.701, Score(5000, 3695)))
chi-square 34.4, p = 4.4e-09, a gain
>>> print(two_samples(Score(5000, 3695), Score(5000, 3505)))
chi-square 17.9, p = 2.3e-05, a loss
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import erfc, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from meldlab.reproduce.claims import Ruling
from meldlab.statistics import Z95, Interval, Score

__all__ = ["LEVEL", "Claim", "Verdict", "agreeing", "better", "gaining", "of_all", "of_games", "one_sample", "paired", "two_samples"]

LEVEL = 0.01  # what the paper asks for


class Verdict(StrEnum):
    """What our games say about a claim of the paper."""

    AGREES = "agrees"
    DIFFERS = "differs"
    OPEN = "not refuted"
    """Our games do not speak against it, but are too few, or the claim is too vague, to speak for it."""
    NONE = "-"
    """There is nothing to compare."""

    @classmethod
    def exactly(cls, same: bool) -> "Verdict":
        """Return the verdict on what is counted and not estimated."""
        return cls.AGREES if same else cls.DIFFERS


@dataclass(frozen=True)
class Claim:
    """How much a rate rose, with its standard error: a chi-square of one degree of freedom."""

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
        """Tell whether it is a significant rise at the paper's level, as one of so many tests."""
        return self.difference > 0 and self.p < LEVEL / among

    def loss(self, among: int = 1) -> bool:
        """Tell whether it is a significant fall at the paper's level, as one of so many tests."""
        return self.difference < 0 and self.p < LEVEL / among

    def __str__(self) -> str:
        way = "a gain" if self.gain() else "a loss" if self.loss() else "not significant"
        return f"chi-square {self.chi_square:.1f}, p = {self.p:.2g}, {way}"

    def as_json(self) -> dict[str, float | bool]:
        """Return what the command line answers."""
        numbers = {"difference": self.difference, "chi_square": self.chi_square, "p": self.p}
        return {**numbers, "gain": self.gain(), "loss": self.loss()}


def one_sample(before: float, after: Score) -> Claim:
    """Test a rate against one that is taken as known, as the paper does."""
    return Claim(after.wins / after.games - before, sqrt(before * (1 - before) / after.games))


def two_samples(before: Score, after: Score) -> Claim:
    """Test two rates from games that have nothing in common."""
    pooled = (before.wins + after.wins) / (before.games + after.games)
    variance = pooled * (1 - pooled) * (1 / before.games + 1 / after.games)
    return Claim(after.wins / after.games - before.wins / before.games, sqrt(variance))


def paired(before: NDArray[np.int64], after: NDArray[np.int64]) -> Claim:
    """Test two players on the same mirrored deals: [deals] int64 each, the games that were won; a deal is one observation.

    >>> luck = np.random.default_rng(1).random((2000, 2))
    >>> paired((luck < 0.70).sum(1), (luck < 0.71).sum(1)).gain()
    True
    """
    differences = (after - before) / 2
    return Claim(float(differences.mean()), float(differences.std(ddof=1)) / sqrt(len(differences)))


# --- verdicts, each with a direction, and none easier to reach with fewer games


def gaining(ours: Claim, paper: float) -> Verdict:
    """Judge a gain that the paper says was so large: ours must be significant to agree, and must leave it room not to differ.

    >>> claims = [Claim(0.02, 0.004), Claim(-0.02, 0.004), Claim(0.0, 0.004), Claim(0.0, 0.04)]
    >>> print(*(gaining(claim, 0.02) for claim in claims))
    agrees differs differs not refuted
    """
    if ours.gain():
        return Verdict.AGREES
    reach = NormalDist().inv_cdf(1 - LEVEL / 2) * ours.error
    return Verdict.DIFFERS if ours.loss() or ours.difference + reach < paper else Verdict.OPEN


def agreeing(ours: Interval, paper: float, error: float, rounded: float = 0.005) -> Verdict:
    """Judge a rate of the paper that has a standard error of its own, printed with two digits if nothing else is said.

    Both are measurements: they differ when they are more than twice the standard error of their difference apart, and what was
    rounded off. They agree only if ours is about as exact as theirs.

    >>> ours = [Interval(0.56, 0.54, 0.58), Interval(0.5, 0.48, 0.52), Interval(0.55, 0.45, 0.65)]
    >>> print(*(agreeing(each, 0.57, 0.011) for each in ours))
    agrees differs not refuted
    """
    mine = _error(ours)
    if abs(ours.value - paper) > 2 * sqrt(mine**2 + error**2) + rounded:
        return Verdict.DIFFERS
    return Verdict.AGREES if mine <= 1.5 * error else Verdict.OPEN


def better(one: Score, other: Score, among: int) -> bool:
    """Tell whether one player is significantly better than another, as one of so many comparisons.

    Each rate has the error of its mirrored pairs. On common deals the two rise and fall together, which makes this stricter.

    >>> better(Score(2000, 1200, 400), Score(2000, 1100, 350), among=1), better(Score(20, 12, 4), Score(20, 11, 3), among=1)
    (True, False)
    """
    error = sqrt(_error(one.win_rate()) ** 2 + _error(other.win_rate()) ** 2)
    return Claim(one.win_rate().value - other.win_rate().value, error).gain(among)


def of_all(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on a claim that is true if all its parts are."""
    found = set(verdicts)
    return next(each for each in (Verdict.DIFFERS, Verdict.OPEN, Verdict.AGREES) if each in found)


def _error(interval: Interval) -> float:
    return (interval.high - interval.low) / (2 * Z95)


def of_games(verdict: Verdict, holds: Ruling = Ruling.WITHIN) -> Ruling:
    """Return what a verdict of the tuning lab is called here.

    >>> [str(of_games(each)) for each in Verdict]
    ['within', 'refuted', 'open', 'open']
    """
    return {Verdict.AGREES: holds, Verdict.DIFFERS: Ruling.REFUTED}.get(verdict, Ruling.OPEN)
