"""Hand classes: hands of n cards up to renaming suits, numbered without gaps from 0.

>>> count(3), count(10)
(1755, 671225412)
>>> hand = unrank(3, 1000)
>>> rank(hand), orbit_size(hand), len(set(orbit(hand)))
(1000, 12, 12)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import Hand, as_masks
from meldlab.errors import NotLegalHere, whole

__all__ = ["Tables", "count", "hands", "orbit", "orbit_size", "rank", "ranks", "tables", "unrank"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tables:
    """What the class kernels read for hands of one size."""

    count: int
    keys: NDArray[np.uint16]  # [8192], key of a lane
    lanes: NDArray[np.uint16]  # [13 * 2048 + 1716], lane of a key
    patterns: Ints  # [140, 5]: offset, weights of the first three suits, cards in the fourth
    rows: Ints  # used rows of patterns by ascending offset


@cache
def _keys() -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    keys = np.zeros(8192, np.uint16)
    lanes = np.zeros(13 * kernel.KEY + 1716, np.uint16)
    seen = [0] * 14
    for lane in range(8192):
        cards = lane.bit_count()
        keys[lane] = cards * kernel.KEY + seen[cards]
        lanes[keys[lane]] = lane
        seen[cards] += 1
    return keys, lanes


def tables(cards: int) -> Tables:
    """Return the tables for hands of ``cards`` cards, 0 to 13."""
    return _tables(whole(cards, "number of cards in a hand with a class", most=kernel.MOST))


@cache
def _tables(cards: int) -> Tables:
    keys, lanes = _keys()
    patterns, rows, offset = np.zeros((140, 5), np.int64), [], 0
    for a in range(cards // 4 + 1):
        for b in range(a, (cards - a) // 3 + 1):
            for c in range(b, (cards - a - b) // 2 + 1):
                pattern = (a, b, c, cards - a - b - c)
                # Classes of one group: multisets of as many lanes as there are suits with that number of cards.
                sizes = {n: comb(comb(13, n) + pattern.count(n) - 1, pattern.count(n)) for n in set(pattern)}
                weights = [int(np.prod([size for n, size in sizes.items() if n > suit], dtype=np.int64)) for suit in pattern]
                row = (a * 5 + b) * 7 + c
                patterns[row] = offset, *weights[:3], pattern[3]
                rows.append(row)
                offset += int(np.prod(list(sizes.values()), dtype=np.int64))
    return Tables(offset, keys, lanes, patterns, np.array(rows, np.int64))


def count(cards: int) -> int:
    """Return the number of classes of hands of ``cards`` cards."""
    return tables(cards).count


def rank(hand: Hand) -> int:
    """Return the number of the hand's class among the classes of hands of its size."""
    size = tables(len(_hand(hand)))
    return int(kernel.class_rank(hand.mask, size.keys, size.patterns))


def unrank(cards: int, rank: int) -> Hand:
    """Return the hand that stands for class ``rank``; its suits are ordered by number of cards, spades the longest."""
    size = tables(cards)
    place = whole(rank, f"number of a class of {cards}-card hands", most=size.count - 1)
    return Hand.from_mask(int(kernel.class_unrank(place, size.rows, size.patterns, size.lanes)))


def orbit_size(hand: Hand) -> int:
    """Return the number of hands in the hand's class."""
    return int(kernel.orbit_size(_hand(hand).mask))


def orbit(hand: Hand) -> Iterator[Hand]:
    """Give every hand of the hand's class once, smallest mask first."""
    masks = {sum(lane << 13 * suit for suit, lane in enumerate(lanes)) for lanes in permutations(_hand(hand).lanes)}
    return map(Hand.from_mask, sorted(masks))


def ranks(masks: ArrayLike, cards: int) -> Ints:
    """Return the class number of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    size = tables(cards)
    given = as_masks(masks)
    if len(given) and not (np.bitwise_count(given) == cards).all():
        raise NotLegalHere(f"not all of these hands have {cards} cards")
    result: Ints = kernel.class_ranks(given, size.keys, size.patterns)
    return result


def hands(cards: int, first: int = 0, many: int | None = None) -> Ints:
    """Return [many] int64, the masks that stand for class ``first`` and the following ones (all of them by default)."""
    size = tables(cards)
    start = whole(first, f"first of the {size.count:,} classes of {cards}-card hands", most=size.count)
    left = size.count - start
    length = left if many is None else whole(many, f"number of classes from {start:,} on", most=left)
    result: Ints = kernel.class_hands(start, length, size.rows, size.patterns, size.lanes)
    return result


def _hand(hand: Hand) -> Hand:
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"a Hand has a class, {hand!r} has none (Hand.parse reads text)")
    return hand
