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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import Hand
from meldlab.errors import NotLegalHere

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


@cache
def tables(cards: int) -> Tables:
    """Return the tables for hands of ``cards`` cards, 0 to 13."""
    if not 0 <= cards <= kernel.MOST:
        raise NotLegalHere(f"hands of {cards} cards have no class number (0 to {kernel.MOST} do)")
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
    size = tables(len(hand))
    return int(kernel.class_rank(hand.mask, size.keys, size.patterns))


def unrank(cards: int, rank: int) -> Hand:
    """Return the hand that stands for class ``rank``; its suits are ordered by number of cards, spades the longest."""
    size = tables(cards)
    if not 0 <= rank < size.count:
        raise NotLegalHere(f"no class {rank} among the {size.count:,} classes of {cards}-card hands")
    return Hand.from_mask(int(kernel.class_unrank(rank, size.rows, size.patterns, size.lanes)))


def orbit_size(hand: Hand) -> int:
    """Return the number of hands in the hand's class."""
    return int(kernel.orbit_size(hand.mask))


def orbit(hand: Hand) -> Iterator[Hand]:
    """Give every hand of the hand's class once, smallest mask first."""
    masks = {sum(lane << 13 * suit for suit, lane in enumerate(lanes)) for lanes in permutations(hand.lanes)}
    return map(Hand.from_mask, sorted(masks))


def ranks(masks: NDArray[Any], cards: int) -> Ints:
    """Return the class number of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    size = tables(cards)
    result: Ints = kernel.class_ranks(np.asarray(masks, np.int64), size.keys, size.patterns)
    return result


def hands(cards: int, first: int = 0, many: int | None = None) -> Ints:
    """Return [many] int64, the masks that stand for class ``first`` and the following ones (all of them by default)."""
    size = tables(cards)
    last = size.count if many is None else first + many
    if not 0 <= first <= last <= size.count:
        raise NotLegalHere(f"classes {first} to {last} are not among the {size.count:,} classes of {cards}-card hands")
    result: Ints = kernel.class_hands(first, last - first, size.rows, size.patterns, size.lanes)
    return result
