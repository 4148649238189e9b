"""Many hands at once, as an array of 52-bit masks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import FULL
from meldlab.chance import verified
from meldlab.errors import NotLegalHere, whole_number

__all__ = ["as_masks", "random_hands"]


def as_masks(masks: ArrayLike) -> NDArray[np.int64]:
    """Return hands given as any one-dimensional array of integers as [hands] int64, each checked to be 52 bits.

    >>> as_masks([0, 0b111])
    array([0, 7])
    """
    try:
        hands = np.asarray(masks)
    except ValueError:
        hands = np.empty((0, 0))  # lists of different lengths
    if hands.ndim != 1 or (hands.size and hands.dtype.kind not in "iu"):
        raise NotLegalHere(f"hands are a one-dimensional array of 52-bit integers, not {hands.ndim}-dimensional {hands.dtype}")
    if hands.size and not (hands.min() >= 0 and hands.max() <= FULL):
        raise NotLegalHere("each hand is a mask of 52 bits")
    return hands.astype(np.int64, copy=False)


def random_hands(many: int, cards: int, seed: int) -> NDArray[np.int64]:
    """Return [many] masks of hands of ``cards`` cards, uniform and independent.

    >>> from meldlab.cards import Hand
    >>> [len(Hand.from_mask(int(mask))) for mask in random_hands(3, 10, seed=1)]
    [10, 10, 10]
    """
    asked = whole_number(many, "number of hands"), whole_number(cards, "number of cards", most=52), verified(seed)
    hands: NDArray[np.int64] = kernel.random_hands(*asked)
    return hands
