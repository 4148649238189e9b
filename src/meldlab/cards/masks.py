"""Hands as arrays of 52-bit masks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import FULL
from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, whole_number


def as_masks(masks: ArrayLike) -> NDArray[np.int64]:
    """Return any one-dimensional array of integers as [hands] int64; raise NotLegalHere if one is not a mask of 52 bits.

    >>> as_masks([0, 0b111])
    array([0, 7])
    """
    try:
        hands = np.asarray(masks)
    except ValueError:
        hands = np.empty((0, 0))  # lists of different lengths
    if hands.ndim != 1 or (hands.size and hands.dtype.kind not in "iu"):
        raise NotLegalHere(f"expected a one-dimensional array of 52-bit integers, got {hands.ndim}-dimensional {hands.dtype}")
    if hands.size and not (hands.min() >= 0 and hands.max() <= FULL):
        raise NotLegalHere("expected hands of 52 bits, got a larger or negative number")
    return hands.astype(np.int64, copy=False)


def random_hands(count: int, cards: int, seed: int) -> NDArray[np.int64]:
    """Return [count] masks of hands of ``cards`` cards, uniform and independent.

    >>> from meldlab.cards import Hand
    >>> [len(Hand.from_mask(int(mask))) for mask in random_hands(3, 10, seed=1)]
    [10, 10, 10]
    """
    hands = np.empty(whole_number(count, "number of hands"), np.int64)
    kernel.random_hands(whole_number(cards, "number of cards", maximum=52), check_seed(seed), hands)
    return hands
