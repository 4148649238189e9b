"""The whole deck in double precision: one sweep over all its levels, in pieces.

>>> premium, boundary, equal = sweep(4, 4, 1.0, 1.0)
>>> boundary.tolist()
[0, 0, 1, 1, 2]
>>> premium == float(equal[4])
True
"""

import numpy as np
from numpy.typing import NDArray

from meldlab.pieces import pieces
from meldlab.stopping import kernel

__all__ = ["sweep"]


def sweep(black: int, red: int, gain: float, loss: float) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
    """Return the premium of the whole deck, its boundary, [red + 1], and the premiums of n black and n red cards, [n + 1]."""
    boundary, equal = np.zeros(red + 1, np.int64), np.zeros(min(black, red) + 1)
    old, new, first = np.zeros(black + 1), np.zeros(black + 1), 1
    for done, many in pieces(black + red, 64):
        first = kernel.sweep(done + 1, many, first, old, new, boundary, equal, (gain, loss))
        if many % 2:
            old, new = new, old
    return float(old[black]), boundary, equal
