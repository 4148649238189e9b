"""Hand classes: hands of n cards up to renaming suits, numbered without gaps from 0.

>>> count(3), count(10)
(1755, 671225412)
>>> hand = unrank(3, 1000)
>>> rank(hand), orbit_size(hand), len(set(orbit(hand)))
(1000, 12, 12)

Dead cards cannot be in a hand; only suits with the same dead ranks may then be renamed into each other:

>>> count(3, dead=Hand.parse("2H 2D"))
6212
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import Hand, as_masks
from meldlab.errors import NotLegalHere, whole

__all__ = ["Tables", "count", "hands", "orbit", "orbit_size", "orbit_sizes", "rank", "ranks", "tables", "unrank"]

Ints = NDArray[np.int64]
NO_CARDS = Hand()


@dataclass(frozen=True, eq=False)
class Tables:
    """What the class kernels read for hands of one size."""

    count: int
    renamings: int  # how many renamings of suits leave the dead cards alone
    keys: NDArray[np.int32]  # [4, 8192], key by suit and lane; -1 with a dead card
    lanes: NDArray[np.uint16]  # [4, 28340], lane by suit and key without its block
    patterns: Ints  # [14 * 14 * 14, 6]: offset, weights of the four suits, cards in the fourth
    rows: Ints  # used rows of patterns by ascending offset
    seats: Ints  # [4, 2]: suit and block of each place in the order of keys


def _blocks(dead: Hand) -> list[tuple[int, list[int]]]:
    """Return (dead ranks, suits) for each block: suits that may be renamed into each other."""
    by_ranks: dict[int, list[int]] = {}
    for suit, lane in enumerate(dead.lanes):
        by_ranks.setdefault(lane, []).append(suit)
    return list(by_ranks.items())


@cache
def _keys(dead: Hand) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    keys = np.full((4, 8192), -1, np.int32)
    lanes = np.zeros((4, (13 << kernel.CARDS_BIT) + 1716), np.uint16)
    for block, (gone, suits) in enumerate(_blocks(dead)):
        seen = [0] * 14
        for lane in range(8192):
            if lane & gone:
                continue
            cards = lane.bit_count()
            key = cards << kernel.CARDS_BIT | seen[cards]
            for suit in suits:
                keys[suit, lane] = block << kernel.BLOCK_BIT | key
                lanes[suit, key] = lane
            seen[cards] += 1
    return keys, lanes


def tables(cards: int, dead: Hand = NO_CARDS) -> Tables:
    """Return the tables for hands of ``cards`` cards, 0 to 13, without the ``dead`` ones."""
    most = min(kernel.MOST, 52 - len(_hand(dead)))
    return _tables(whole(cards, "number of cards in a hand with a class", most=most), dead)


@cache
def _tables(cards: int, dead: Hand) -> Tables:
    blocks = _blocks(dead)
    keys, lanes = _keys(dead)
    patterns, rows, offset = np.zeros((kernel.ROW**3, 6), np.int64), [], 0
    # The cards of each suit, ascending within a block, in the order in which the kernel sorts the suits.
    ways = [list(combinations_with_replacement(range(14 - gone.bit_count()), len(suits))) for gone, suits in blocks]
    for pattern in product(*ways):
        counts = [n for part in pattern for n in part]
        if sum(counts) != cards:
            continue
        # Classes of one group: multisets of as many lanes as there are suits of that block with that number of cards.
        sizes, weights = [], [1] * 4
        for block, (gone, _) in enumerate(blocks):
            for n in sorted(set(pattern[block])):
                alike = pattern[block].count(n)
                sizes.append(((block, n), comb(comb(13 - gone.bit_count(), n) + alike - 1, alike)))
        places = [(block, n) for block, part in enumerate(pattern) for n in part]
        for place, group in enumerate(places):
            later = [name for name, _ in sizes].index(group) + 1
            weights[place] = prod(size for _, size in sizes[later:])
        row = (counts[0] * kernel.ROW + counts[1]) * kernel.ROW + counts[2]
        patterns[row] = offset, *weights, counts[3]
        rows.append(row)
        offset += prod(size for _, size in sizes)
    seats = np.array([(suit, block) for block, (_, suits) in enumerate(blocks) for suit in suits], np.int64)
    renamings = prod(factorial(len(suits)) for _, suits in blocks)
    return Tables(offset, renamings, keys, lanes, patterns, np.array(rows, np.int64), seats)


def count(cards: int, dead: Hand = NO_CARDS) -> int:
    """Return the number of classes of hands of ``cards`` cards."""
    return tables(cards, dead).count


def rank(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of the hand's class among the classes of hands of its size."""
    if _hand(hand) & _hand(dead):
        raise NotLegalHere(f"{hand & dead} is dead and cannot be in a hand")
    size = tables(len(hand), dead)
    return int(kernel.class_rank(hand.mask, size.keys, size.patterns))


def unrank(cards: int, rank: int, dead: Hand = NO_CARDS) -> Hand:
    """Return the hand that stands for class ``rank``; its suits are ordered by number of cards, spades the longest."""
    size = tables(cards, dead)
    place = whole(rank, f"number of a class of {cards}-card hands", most=size.count - 1)
    return Hand.from_mask(int(kernel.class_unrank(place, size.rows, size.patterns, size.lanes, size.seats)))


def orbit_size(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of hands in the hand's class."""
    if _hand(hand) & _hand(dead):
        raise NotLegalHere(f"{hand & dead} is dead and cannot be in a hand")
    size = tables(len(hand), dead)
    return int(kernel.orbit_size(hand.mask, size.keys, size.renamings))


def orbit(hand: Hand) -> Iterator[Hand]:
    """Give every hand of the hand's class once, smallest mask first."""
    masks = {sum(lane << 13 * suit for suit, lane in enumerate(lanes)) for lanes in permutations(_hand(hand).lanes)}
    return map(Hand.from_mask, sorted(masks))


def ranks(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the class number of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    size = tables(cards, dead)
    result: Ints = kernel.class_ranks(_masks(masks, cards, dead), size.keys, size.patterns)
    return result


def hands(cards: int, first: int = 0, many: int | None = None, dead: Hand = NO_CARDS) -> Ints:
    """Return [many] int64, the masks that stand for class ``first`` and the following ones (all of them by default)."""
    size = tables(cards, dead)
    start = whole(first, f"first of the {size.count:,} classes of {cards}-card hands", most=size.count)
    left = size.count - start
    length = left if many is None else whole(many, f"number of classes from {start:,} on", most=left)
    result: Ints = kernel.class_hands(start, length, size.rows, size.patterns, size.lanes, size.seats)
    return result


def orbit_sizes(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the size of the class of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    size = tables(cards, dead)
    result: Ints = kernel.orbit_sizes(_masks(masks, cards, dead), size.keys, size.renamings)
    return result


def _masks(masks: ArrayLike, cards: int, dead: Hand) -> Ints:
    given = as_masks(masks)
    if (np.bitwise_count(given) != cards).any():
        raise NotLegalHere(f"not all of these hands have {cards} cards")
    if (given & dead.mask).any():
        raise NotLegalHere("some of these hands have a dead card")
    return given


def _hand(hand: Hand) -> Hand:
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"a Hand has a class, {hand!r} has none (Hand.parse reads text)")
    return hand
