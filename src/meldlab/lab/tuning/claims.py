"""Is one rate better than another? The paper's test, the one its data allow, and the one that mirrored deals allow.

The paper compares a new rate with the one before as if the latter were known exactly. It was measured on as many games.

>>> print(one_sample(0.701, Measured(5000, 3695)))
chi-square 34.4, p = 4.4e-09
>>> print(two_samples(Measured(5000, 3505), Measured(5000, 3695)))
chi-square 17.9, p = 2.3e-05
"""

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from meldlab.lab.tuning.measuring import Measured

__all__ = ["LEVEL", "Claim", "one_sample", "paired", "two_samples"]

LEVEL = 0.01  # what the paper asks for


@dataclass(frozen=True)
class Claim:
    """A chi-square of one degree of freedom and its p-value."""

    chi_square: float
    p: float

    @property
    def holds(self) -> bool:
        """Tell whether it is significant at the paper's level."""
        return self.p < LEVEL

    def __str__(self) -> str:
        return f"chi-square {self.chi_square:.1f}, p = {self.p:.2g}"

    def told(self) -> dict[str, float | bool]:
        """Return the answer of the command line."""
        return {"chi_square": self.chi_square, "p": self.p, "significant": self.holds}


def _claim(difference: float, variance: float) -> Claim:
    chi_square = difference**2 / variance if variance > 0 else 0.0
    return Claim(chi_square, erfc(sqrt(chi_square / 2)))


def one_sample(before: float, after: Measured) -> Claim:
    """Test a rate against one that is taken as known, as the paper does."""
    return _claim(after.wins / after.games - before, before * (1 - before) / after.games)


def two_samples(before: Measured, after: Measured) -> Claim:
    """Test two rates from games that have nothing in common."""
    pooled = (before.wins + after.wins) / (before.games + after.games)
    return _claim(after.wins / after.games - before.wins / before.games, pooled * (1 - pooled) * (1 / before.games + 1 / after.games))


def paired(before: NDArray[np.int64], after: NDArray[np.int64]) -> Claim:
    """Test two players on the same mirrored deals: [games] int64 each, 1 where the game was won; a pair of games is one observation.

    >>> luck = np.random.default_rng(1).random(4000)
    >>> paired((luck < 0.70).astype(int), (luck < 0.71).astype(int)).holds
    True
    """
    differences = (after - before).reshape(-1, 2).sum(1)
    return _claim(float(differences.mean()), float(differences.var(ddof=1)) / len(differences))
