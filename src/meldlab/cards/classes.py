"""Hand classes: hands of n cards up to renaming suits, numbered without gaps from 0.

>>> count(3), count(10)
(1755, 671225412)
>>> example = hand(3, 1000)
>>> number(example), orbit_size(example), len(set(orbit(example)))
(1000, 12, 12)

Dead cards cannot be in a hand; only suits with the same dead ranks may then be renamed into each other:

>>> count(3, dead=Hand.parse("2H 2D"))
6212
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from meldlab.cards import kernel
from meldlab.cards.hand import Hand
from meldlab.cards.kernel import Numbering
from meldlab.cards.masks import as_masks
from meldlab.errors import NotLegalHere, whole_number

__all__ = ["count", "hand", "hands", "number", "numbering", "numbers", "orbit", "orbit_size", "orbit_sizes"]

Ints = NDArray[np.int64]
NO_CARDS = Hand()


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


def numbering(cards: int, dead: Hand = NO_CARDS) -> Numbering:
    """Return what the kernels read for hands of ``cards`` cards, 0 to 13, without the ``dead`` ones."""
    most = min(kernel.MOST, 52 - len(_hand(dead)))
    return _numbering(whole_number(cards, "number of cards in a hand with a class", most=most), dead)


@cache
def _numbering(cards: int, dead: Hand) -> Numbering:
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
    slots = np.array([(suit, block) for block, (_, suits) in enumerate(blocks) for suit in suits], np.int64)
    renamings = prod(factorial(len(suits)) for _, suits in blocks)
    return Numbering(offset, renamings, keys, lanes, patterns, np.array(rows, np.int64), slots)


def count(cards: int, dead: Hand = NO_CARDS) -> int:
    """Return the number of classes of hands of ``cards`` cards."""
    return numbering(cards, dead).classes


def number(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of the hand's class among the classes of hands of its size."""
    size = numbering(len(_alive(hand, dead)), dead)
    return int(kernel.class_number(hand.mask, size.keys, size.patterns))


def hand(cards: int, number: int, dead: Hand = NO_CARDS) -> Hand:
    """Return the hand that stands for a class of ``cards``-card hands; its suits are ordered by number of cards, spades the longest."""
    size = numbering(cards, dead)
    asked = whole_number(number, f"number of a class of {cards}-card hands", most=size.classes - 1)
    return Hand.from_mask(int(kernel.class_hand(asked, size)))


def orbit_size(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of hands in the hand's class."""
    size = numbering(len(_alive(hand, dead)), dead)
    return int(kernel.orbit_size(hand.mask, size.keys, size.renamings))


def orbit(hand: Hand, dead: Hand = NO_CARDS) -> Iterator[Hand]:
    """Give every hand of the hand's class once, smallest mask first; suits are renamed where the same ranks are dead."""
    lanes, gone = _alive(hand, dead).lanes, dead.lanes
    renamings = [names for names in permutations(range(4)) if all(gone[suit] == gone[names[suit]] for suit in range(4))]
    masks = {sum(lanes[names[suit]] << 13 * suit for suit in range(4)) for names in renamings}
    return map(Hand.from_mask, sorted(masks))


def numbers(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the class number of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    result: Ints = kernel.class_numbers(_masks(masks, cards, dead), numbering(cards, dead))
    return result


def hands(cards: int, first: int = 0, count: int | None = None, dead: Hand = NO_CARDS) -> Ints:
    """Return [count] int64, the masks that stand for class ``first`` and the following ones (all of them by default)."""
    size = numbering(cards, dead)
    start = whole_number(first, f"first of the {size.classes:,} classes of {cards}-card hands", most=size.classes)
    left = size.classes - start
    length = left if count is None else whole_number(count, f"number of classes from {start:,} on", most=left)
    result: Ints = kernel.class_hands(start, length, size)
    return result


def orbit_sizes(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the size of the class of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    result: Ints = kernel.orbit_sizes(_masks(masks, cards, dead), numbering(cards, dead))
    return result


def _masks(masks: ArrayLike, cards: int, dead: Hand) -> Ints:
    given = as_masks(masks)
    if (np.bitwise_count(given) != cards).any():
        raise NotLegalHere(f"not all of these hands have {cards} cards")
    if (given & dead.mask).any():
        raise NotLegalHere("some of these hands have a dead card")
    return given


def _alive(hand: Hand, dead: Hand) -> Hand:
    if _hand(hand) & _hand(dead):
        raise NotLegalHere(f"{hand & dead} is dead and cannot be in a hand")
    return hand


def _hand(hand: Hand) -> Hand:
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"a Hand has a class, {hand!r} has none (Hand.parse reads text)")
    return hand
