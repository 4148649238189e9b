"""Loess: a smooth line through points, by straight lines fitted to the nearest points of each place with distance weights.

>>> x = np.arange(50.0)
>>> np.allclose(loess(x, 3 * x + 1, places=np.array([0.0, 20.5, 49.0]), span=0.3), [1.0, 62.5, 148.0])
True
"""

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]


def loess(x: Real, y: Real, places: Real, span: float) -> Real:
    """Return the smooth line at ``places``, [places] float64; ``y`` may be [points] or [points, curves].

    ``span`` is the share of the points that each fit uses, weighted by (1 - (distance / reach)^3)^3. Points at one place count as many.
    """
    order = np.argsort(x, kind="stable")
    x, y = np.asarray(x, np.float64)[order], np.asarray(y, np.float64)[order]
    count = len(x)
    near = min(count, max(2, int(np.ceil(span * count))))
    result = np.empty((len(places), *y.shape[1:]))
    for i, place in enumerate(places):
        # The nearest points are neighbours in x: the best window of ``near`` points around the place.
        low = int(np.clip(np.searchsorted(x, place) - near, 0, count - near))
        high = int(np.clip(np.searchsorted(x, place) + 1, low + 1, count - near + 1))
        starts = np.arange(low, high)
        start = starts[np.argmin(np.maximum(place - x[starts], x[starts + near - 1] - place))]
        reach = max(place - x[start], x[start + near - 1] - place)
        # Everything at that distance belongs to the window, also where many points share a place.
        inside = slice(np.searchsorted(x, place - reach, "left"), np.searchsorted(x, place + reach, "right"))
        apart = x[inside] - place
        weight = (1 - np.minimum(1, np.abs(apart) / (reach * 1.0001)) ** 3) ** 3 if reach > 0 else np.ones(len(apart))
        total, first, second = weight.sum(), (weight * apart).sum(), (weight * apart**2).sum()
        spread = total * second - first**2
        # With a single place in reach there is no slope to fit.
        share = weight * (second - first * apart) / spread if spread > 1e-9 * total**2 * max(reach, 1e-300) ** 2 else weight / total
        result[i] = share @ y[inside]
    return result
