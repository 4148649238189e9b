"""The book of the computed player: values of hands and odds of the opponent, as the kernels read them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.kernel_computed import KNOWNS, ODDS, TURNS

__all__ = ["NO_BOOK", "Book"]

DEADWOODS = 100


class Book(NamedTuple):
    """What a computed player knows; kernels take it whole. Arrays may lie on a GPU."""

    codes: Any  # [slots, classes] of an unsigned type: V in steps
    turns: NDArray[np.float64]  # [TURNS + 2, 3]: slot, low, step of each turn
    keys: NDArray[np.int32]
    patterns: NDArray[np.int64]
    odds: NDArray[np.float64]  # [TURNS + 2, KNOWNS, ODDS]
    knock: NDArray[np.float64]  # [TURNS + 2, KNOWNS, DEADWOODS]
    caught: NDArray[np.float64]
    deck: NDArray[np.int64]  # all cards as a hand, and how many each player holds
    rows: NDArray[np.float32]  # [ROWS, WIDE], the network of a light player
    first: NDArray[np.float32]  # [WIDE + 1, NARROW]
    last: NDArray[np.float32]  # [NARROW + 1, 3]


NO_BOOK = Book(
    np.zeros((1, 1), np.uint8),
    np.zeros((TURNS + 2, 3)),
    np.zeros((4, 8192), np.int32),
    np.zeros((14 * 14 * 14, 6), np.int64),
    np.zeros((TURNS + 2, KNOWNS, ODDS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros(2, np.int64),
    np.zeros((1, 1), np.float32),
    np.zeros((1, 1), np.float32),
    np.zeros((1, 1), np.float32),
)
