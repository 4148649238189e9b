"""A smooth line through many points: at every place a straight line fitted to the nearest of them, near ones counting most (loess).

>>> x = np.arange(50.0)
>>> np.allclose(loess(x, 3 * x + 1, at=np.array([0.0, 20.5, 49.0]), span=0.3), [1.0, 62.5, 148.0])
True
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["loess"]

Real = NDArray[np.float64]


def loess(x: Real, y: Real, at: Real, span: float) -> Real:
    """Return the smooth line at the places ``at``, [places] float64; ``y`` may be [points] or [points, curves].

    ``span`` is the share of the points that each fit uses, weighted by (1 - (distance / reach)^3)^3. Points at one place count as many.
    """
    order = np.argsort(x, kind="stable")
    x, y = np.asarray(x, np.float64)[order], np.asarray(y, np.float64)[order]
    many = len(x)
    near = min(many, max(2, int(np.ceil(span * many))))
    result = np.empty((len(at), *y.shape[1:]))
    for i, place in enumerate(at):
        # The nearest points are neighbours in x: the best window of that many around the place.
        low = int(np.clip(np.searchsorted(x, place) - near, 0, many - near))
        high = int(np.clip(np.searchsorted(x, place) + 1, low + 1, many - near + 1))
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
