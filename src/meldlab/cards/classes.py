"""Hand classes: hands of n cards up to renaming suits, numbered without gaps from 0.

>>> count(3), count(10)
(1755, 671225412)
>>> example = hand(3, 1000)
>>> number(example), orbit_size(example), len(set(orbit(example)))
(1000, 12, 12)

Dead cards cannot be in a hand; only suits with the same dead ranks can then be renamed into each other:

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

Ints = NDArray[np.int64]
NO_CARDS = Hand()


def _blocks(dead: Hand) -> list[tuple[int, list[int]]]:
    """Return (dead ranks, suits) of each block of suits that can be renamed into each other."""
    by_ranks: dict[int, list[int]] = {}
    for suit, ranks in enumerate(dead.suit_masks):
        by_ranks.setdefault(ranks, []).append(suit)
    return list(by_ranks.items())


@cache
def _keys(dead: Hand) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    keys = np.full((4, 8192), -1, np.int32)
    suit_masks = np.zeros((4, (13 << kernel.CARDS_BIT) + 1716), np.uint16)
    for block, (dead_ranks, suits) in enumerate(_blocks(dead)):
        counts = [0] * 14
        for ranks in range(8192):
            if ranks & dead_ranks:
                continue
            cards = ranks.bit_count()
            key = cards << kernel.CARDS_BIT | counts[cards]
            for suit in suits:
                keys[suit, ranks] = block << kernel.BLOCK_BIT | key
                suit_masks[suit, key] = ranks
            counts[cards] += 1
    return keys, suit_masks


def numbering(cards: int, dead: Hand = NO_CARDS) -> Numbering:
    """Return the tables of the kernels for hands of ``cards`` cards, 0 to 13, without the ``dead`` ones."""
    max_cards = min(kernel.MAX_CARDS, 52 - len(_hand(dead)))
    return _numbering(whole_number(cards, "number of cards in a hand with a class", maximum=max_cards), dead)


@cache
def _numbering(cards: int, dead: Hand) -> Numbering:
    blocks = _blocks(dead)
    keys, suit_masks = _keys(dead)
    patterns, rows, offset = np.zeros((kernel.ROW**3, 6), np.int64), [], 0
    # The cards of each suit, ascending within a block, in the order in which the kernel sorts the suits.
    block_patterns = [list(combinations_with_replacement(range(14 - ranks.bit_count()), len(suits))) for ranks, suits in blocks]
    for pattern in product(*block_patterns):
        counts = [n for part in pattern for n in part]
        if sum(counts) != cards:
            continue
        # Classes of a group: multisets of as many suit masks as there are suits of that block with that number of cards.
        sizes, weights = [], [1] * 4
        for block, (dead_ranks, _) in enumerate(blocks):
            for n in sorted(set(pattern[block])):
                suits = pattern[block].count(n)
                sizes.append(((block, n), comb(comb(13 - dead_ranks.bit_count(), n) + suits - 1, suits)))
        groups = [(block, n) for block, part in enumerate(pattern) for n in part]
        for slot, group in enumerate(groups):
            later = [name for name, _ in sizes].index(group) + 1
            weights[slot] = prod(size for _, size in sizes[later:])
        row = (counts[0] * kernel.ROW + counts[1]) * kernel.ROW + counts[2]
        patterns[row] = offset, *weights, counts[3]
        rows.append(row)
        offset += prod(size for _, size in sizes)
    slots = np.array([(suit, block) for block, (_, suits) in enumerate(blocks) for suit in suits], np.int64)
    renamings = prod(factorial(len(suits)) for _, suits in blocks)
    return Numbering(offset, renamings, keys, suit_masks, patterns, np.array(rows, np.int64), slots)


def count(cards: int, dead: Hand = NO_CARDS) -> int:
    """Return the number of classes of hands of ``cards`` cards."""
    return numbering(cards, dead).classes


def number(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of the hand's class among the classes of hands of its size."""
    tables = numbering(len(_alive(hand, dead)), dead)
    return int(kernel.class_number(hand.mask, tables.keys, tables.patterns))


def hand(cards: int, number: int, dead: Hand = NO_CARDS) -> Hand:
    """Return the representative hand of a class of ``cards``-card hands; its suits are ordered by length, spades the longest."""
    tables = numbering(cards, dead)
    number = whole_number(number, f"number of a class of {cards}-card hands", maximum=tables.classes - 1)
    return Hand.from_mask(int(kernel.class_hand(number, tables)))


def orbit_size(hand: Hand, dead: Hand = NO_CARDS) -> int:
    """Return the number of hands in the hand's class."""
    tables = numbering(len(_alive(hand, dead)), dead)
    return int(kernel.orbit_size(hand.mask, tables.keys, tables.renamings))


def orbit(hand: Hand, dead: Hand = NO_CARDS) -> Iterator[Hand]:
    """Return every hand of the hand's class once, smallest mask first; only suits with the same dead ranks are renamed."""
    ranks, dead_ranks = _alive(hand, dead).suit_masks, dead.suit_masks
    renamings = [names for names in permutations(range(4)) if all(dead_ranks[suit] == dead_ranks[names[suit]] for suit in range(4))]
    masks = {sum(ranks[names[suit]] << 13 * suit for suit in range(4)) for names in renamings}
    return map(Hand.from_mask, sorted(masks))


def numbers(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the class number of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    hands = _masks(masks, cards, dead)
    kernel.class_numbers(hands, numbering(cards, dead), result := np.empty(len(hands), np.int64))
    return result


def hands(cards: int, first: int = 0, count: int | None = None, dead: Hand = NO_CARDS) -> Ints:
    """Return [count] int64, the masks of the representatives of class ``first`` and the following ones (all of them by default)."""
    tables = numbering(cards, dead)
    start = whole_number(first, f"first of the {tables.classes:,} classes of {cards}-card hands", maximum=tables.classes)
    left = tables.classes - start
    length = left if count is None else whole_number(count, f"number of classes from {start:,} on", maximum=left)
    kernel.class_hands(start, tables, result := np.empty(length, np.int64))
    return result


def orbit_sizes(masks: ArrayLike, cards: int, dead: Hand = NO_CARDS) -> Ints:
    """Return the size of the class of each of ``masks``, [hands] of ``cards``-card hands, as [hands] int64."""
    hands = _masks(masks, cards, dead)
    kernel.orbit_sizes(hands, numbering(cards, dead), result := np.empty(len(hands), np.int64))
    return result


def _masks(masks: ArrayLike, cards: int, dead: Hand) -> Ints:
    hands = as_masks(masks)
    if (np.bitwise_count(hands) != cards).any():
        raise NotLegalHere(f"not all of these hands have {cards} cards")
    if (hands & dead.mask).any():
        raise NotLegalHere("some of these hands have a dead card")
    return hands


def _alive(hand: Hand, dead: Hand) -> Hand:
    if _hand(hand) & _hand(dead):
        raise NotLegalHere(f"{hand & dead} is dead and cannot be in a hand")
    return hand


def _hand(hand: Hand) -> Hand:
    if not isinstance(hand, Hand):
        raise NotLegalHere(f"expected a Hand, got {hand!r} (Hand.parse reads text)")
    return hand
