"""Large decks: as the deck grows the winnings become a Brownian bridge, whose best stopping Shepp solved in 1969.

With n black and n red cards at 1 each, the best policy stops once the winnings reach about ALPHA * sqrt(cards left), and the value is
about VALUE * sqrt(2 n). ALPHA solves alpha = (1 - alpha^2) * (integral over x > 0 of exp(alpha x - x^2 / 2)), and
VALUE = (1 - alpha^2) * sqrt(pi / 2) (L. A. Shepp, Explicit solutions to some problems of optimal stopping, Annals of Mathematical
Statistics 40, 1969).

>>> round(ALPHA, 6), round(VALUE, 6)
(0.839924, 0.369136)
>>> round(asymptotic_value(26), 3), round(float(equal_decks(26)[26]), 3)
(2.662, 2.624)
"""

from functools import lru_cache
from math import exp, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from meldlab.stopping.floats import sweep


def _alpha() -> float:
    # The integral is sqrt(2 pi) exp(alpha^2 / 2) Phi(alpha); both sides cross once between 0 and 1.
    low, high = 0.0, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        integral = sqrt(2 * pi) * exp(middle * middle / 2) * NormalDist().cdf(middle)
        low, high = (middle, high) if middle < (1 - middle * middle) * integral else (low, middle)
    return low


ALPHA = _alpha()
VALUE = (1 - ALPHA * ALPHA) * sqrt(pi / 2)


def asymptotic_value(cards: float) -> float:
    """Return Shepp's approximation of the value with ``cards`` black and as many red cards."""
    return VALUE * sqrt(2 * cards)


def equal_decks(largest: int) -> NDArray[np.float64]:
    """Return [largest + 1] float64, the value with n black and n red cards for n = 0 to ``largest``, all from one sweep."""
    return sweep(largest, largest, 1.0, 1.0)[2]


@lru_cache(maxsize=1)
def decay() -> float:
    """Return the exponent with which the probability to draw the whole deck falls: it is about n to the minus 0.2312.

    The winnings over the root of the cards left are an Ornstein-Uhlenbeck process in the logarithm of the cards left, stopped at ALPHA;
    the probability to stay below falls with its first eigenvalue, half the nu between 0 and 1 where the parabolic cylinder function
    D_nu(-ALPHA) is 0. The difference to Shepp's value is lost where few cards are left, and so falls with the same exponent.

    >>> round(decay(), 6)
    0.231167
    """
    from scipy.optimize import brentq
    from scipy.special import pbdv

    return float(brentq(lambda nu: float(pbdv(nu, -ALPHA)[0]), 1e-6, 1 - 1e-6, xtol=1e-14)) / 2


def fitted(values: NDArray[np.float64]) -> tuple[float, float]:
    """Fit value = a sqrt(2n) - b n^-decay through n = N/2 and N of ``values``, as ``equal_decks(N)`` gives them, and return (a, b).

    >>> a, b = fitted(equal_decks(10_000))
    >>> abs(a - VALUE) < 3e-6
    True
    """
    largest = len(values) - 1
    points = np.array([largest // 2, largest])
    a, b = np.linalg.solve(np.stack([np.sqrt(2.0 * points), -(points ** -decay())], axis=1), values[points])
    return float(a), float(b)
