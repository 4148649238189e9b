"""Kernels on 52-bit hands: hand classes (hands up to renaming suits) from and to their numbers, and random hands.

A class of n-card hands is a multiset of four suit masks. The suits are sorted by *key*: the number of cards, then the colex rank of the
suit mask among those with as many cards. The numbers of cards are the *pattern*; suits with equal numbers form a *group*; within a
group of k suits the ranks r1 <= ... <= rk are a multiset with number sum of C(r_i + i - 1, i); the groups combine as a mixed-radix
number in which the last group is the least significant. All of it is closed form over a table of keys and one row per pattern.

Dead cards leave fewer ranks in some suits and break the symmetry between suits with different dead ranks. Suits with the same dead ranks
are a *block*; the block is the leading part of the key, so that suits are sorted and grouped within their block only.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function, kernel

SUIT_MASK = 0x1FFF
RANDOM_HANDS = int(Purpose.RANDOM_HANDS)
MAX_CARDS = 13  # in a hand that has a class

# A key is block << 15 | cards << 11 | colex rank; C(13, 6) = 1716 ranks fit below 2048, and at most 13 cards into four bits.
CARDS_BIT, BLOCK_BIT, RANK_BITS = 11, 15, 2047
THIRD = 0xAAAAAAAB  # n * THIRD >> 33 is n // 3 for n below 2^31
ROW = 14  # rows of the pattern table are indexed by the cards in the first three suits, each 0 to 13


class Numbering(NamedTuple):
    """The tables of the classes of hands of one size, made by ``classes.numbering``; on a GPU the arrays are in its memory."""

    classes: int  # number of classes
    renamings: int  # number of renamings of suits that map dead cards to dead cards
    keys: Any  # [4, 8192] int32, key by suit and suit mask; -1 with a dead card
    suit_masks: Any  # [4, 28340] uint16, suit mask by suit and key without its block
    patterns: Any  # [14 * 14 * 14, 6] int64: offset, weights of the four suits, cards in the fourth
    rows: Any  # [patterns] int64, used rows of patterns by ascending offset
    slots: Any  # [4, 2] int64: suit and block of each slot in the order of keys


class Frame(NamedTuple):
    """The terms of a class number when three suits are known and the fourth has a known number of cards, all uint32."""

    base: Any  # contribution of the suits outside the group of the fourth
    weight: Any  # of the group
    others: Any  # number of the three suits in the group
    first: Any  # their ranks, ascending
    second: Any
    third: Any


@device_function
def popcount(x):
    """Return the number of set bits."""
    x = np.uint64(x)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@device_function
def multichoose(r, i):
    """Return C(r + i - 1, i), the number that the i-th smallest element r of a multiset contributes; i is 1 to 4."""
    if i == 1:
        return r
    if i == 2:
        return r * (r + 1) >> 1
    if i == 3:
        return r * (r + 1) * (r + 2) // 6
    return r * (r + 1) * (r + 2) * (r + 3) // 24


@device_function(inline="always")
def digits_from_keys(a, b, c, d):
    """Return (row, first, second, third, fourth) of four suits with these keys, in any order: a row of patterns and its four digits.

    There are no branches: they would be mispredicted, and without them LLVM vectorises over hands.
    """
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    group_a, group_b, group_c, group_d = a >> CARDS_BIT, b >> CARDS_BIT, c >> CARDS_BIT, d >> CARDS_BIT
    row = ((group_a & 15) * ROW + (group_b & 15)) * ROW + (group_c & 15)
    same_ab, same_bc, same_cd = group_a == group_b, group_b == group_c, group_c == group_d
    b, c, d = b & RANK_BITS, c & RANK_BITS, d & RANK_BITS
    # The terms of multichoose for the second, third and fourth of a group.
    b_2, c_2, d_2 = b * (b + 1) >> 1, c * (c + 1) >> 1, d * (d + 1) >> 1
    c_3, d_3 = c_2 * (c + 2) * THIRD >> 33, d_2 * (d + 2) * THIRD >> 33
    d_4 = d_3 * (d + 3) >> 2
    third = (c_3 if same_ab else c_2) if same_bc else c
    fourth = ((d_4 if same_ab else d_3) if same_bc else d_2) if same_cd else d
    return row, a & RANK_BITS, b_2 if same_ab else b, third, fourth


@device_function
def number_hands(hands, count, digits, keys, patterns):
    """Replace ``count`` hands by the numbers of their classes; ``digits``: workspace, [5, at least ``count``] int64.

    Each step runs over all hands, which takes a third of the time of ``class_number``.
    """
    for i in range(count):
        for suit in range(4):
            digits[suit, i] = keys[suit, (hands[i] >> (13 * suit)) & SUIT_MASK]
    first, second, third, fourth, rows = digits[0], digits[1], digits[2], digits[3], digits[4]
    for i in range(count):
        rows[i], first[i], second[i], third[i], fourth[i] = digits_from_keys(first[i], second[i], third[i], fourth[i])
    for i in range(count):
        row = patterns[rows[i]]
        hands[i] = row[0] + row[1] * first[i] + row[2] * second[i] + row[3] * third[i] + fourth[i]


@device_function
def pairs(r):
    """Return C(r + 1, 2) in 32 bits."""
    return np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) >> np.uint32(1))


@device_function
def triples(r):
    """Return C(r + 2, 3) in 32 bits."""
    return np.uint32(np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) * np.uint32(r + np.uint32(2))) // np.uint32(6))


@device_function
def frame_from_keys(a, b, c, group, patterns):
    """Return the frame of three suits with keys a, b, c and any fourth suit of ``group``, key >> 11.

    All draws from a suit, or all discards, need one frame and then only ``number_in_frame``. Numbers of hands of at most eleven cards
    fit into 32 bits, and on a GPU the index takes most of the time: 64 bits would double it.
    """
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    group_a, group_b, group_c = a >> CARDS_BIT, b >> CARDS_BIT, c >> CARDS_BIT
    before_a, before_b, before_c = group_a < group, group_b < group, group_c < group
    first = (group_a if before_a else group) & 15
    second = (group_b if before_b else (group if before_a else group_a)) & 15
    third = (group_c if before_c else (group if before_b else group_b)) & 15
    row = (first * ROW + second) * ROW + third
    base, others, r1, r2, r3 = patterns[row, 0], 0, np.int64(0), np.int64(0), np.int64(0)
    nth_b = 2 if group_a == group_b else 1
    nth_c = nth_b + 1 if group_b == group_c else 1
    if group_a == group:
        others, r1 = 1, a & RANK_BITS
    else:
        base += patterns[row, 1 if before_a else 2] * (a & RANK_BITS)
    if group_b == group:
        r2 = b & RANK_BITS
        others += 1
    else:
        base += patterns[row, 2 if before_b else 3] * multichoose(b & RANK_BITS, nth_b)
    if group_c == group:
        r3 = c & RANK_BITS
        others += 1
    else:
        base += patterns[row, 3 if before_c else 4] * multichoose(c & RANK_BITS, nth_c)
    # The members of the group are consecutive in ascending order; move them to the front.
    if group_a != group:
        r1, r2, r3 = (r2, r3, r3) if group_b == group else (r3, r3, r3)
    weight = patterns[row, 1 + before_a + before_b + before_c]
    return Frame(np.uint32(base), np.uint32(weight), np.uint32(others), np.uint32(r1), np.uint32(r2), np.uint32(r3))


@device_function
def number_in_frame(key, frame):
    """Return the number of the class, uint32, of a frame and the key of its fourth suit."""
    base, weight, others, r1, r2, r3 = frame
    rank = np.uint32(np.uint32(key) & np.uint32(RANK_BITS))
    if others == 0:
        return np.uint32(base + np.uint32(weight * rank))
    low, high = min(rank, r1), max(rank, r1)
    if others == 1:
        return np.uint32(base + np.uint32(weight * np.uint32(low + pairs(high))))
    middle, high = min(high, r2), max(high, r2)
    if others == 2:
        return np.uint32(base + np.uint32(weight * np.uint32(np.uint32(low + pairs(middle)) + triples(high))))
    upper, high = min(high, r3), max(high, r3)
    # Four suits with equal numbers of cards have at most two cards each here, so that the product of four is below 2^32.
    fourth = np.uint32(np.uint32(multichoose(np.int64(high), 4)))
    return np.uint32(base + np.uint32(weight * np.uint32(np.uint32(low + pairs(middle)) + np.uint32(triples(upper) + fourth))))


@device_function
def suit_key(hand, suit, keys):
    """Return the key of a suit of a hand."""
    return np.int64(keys[suit, (hand >> (13 * suit)) & SUIT_MASK])


@device_function
def suit_frame(hand, suit, suit_mask, keys, patterns):
    """Return the frame of ``hand`` for masks of ``suit`` with as many cards as ``suit_mask``."""
    group = np.int64(keys[suit, suit_mask]) >> CARDS_BIT
    a = suit_key(hand, 1 if suit == 0 else 0, keys)
    b = suit_key(hand, 2 if suit <= 1 else 1, keys)
    c = suit_key(hand, 3 if suit <= 2 else 2, keys)
    return frame_from_keys(a, b, c, group, patterns)


@device_function
def class_number(hand, keys, patterns):
    """Return the number of a hand's class among all classes of hands with as many cards."""
    a, b, c, d = suit_key(hand, 0, keys), suit_key(hand, 1, keys), suit_key(hand, 2, keys), suit_key(hand, 3, keys)
    row, first, second, third, fourth = digits_from_keys(a, b, c, d)
    return patterns[row, 0] + patterns[row, 1] * first + patterns[row, 2] * second + patterns[row, 3] * third + fourth


@device_function
def largest_below(number, i):
    """Return the largest r with multichoose(r, i) <= number."""
    low, high = np.int64(0), np.int64(1716)
    while high - low > 1:
        middle = (low + high) // 2
        if multichoose(middle, i) <= number:
            low = middle
        else:
            high = middle
    return low


@device_function
def class_hand(number, numbering):
    """Return the representative hand of class ``number``; within a block its suits ascend by key."""
    suit_masks, patterns, rows, slots = numbering.suit_masks, numbering.patterns, numbering.rows, numbering.slots
    low, high = 0, len(rows)
    while high - low > 1:
        middle = (low + high) // 2
        if patterns[rows[middle], 0] <= number:
            low = middle
        else:
            high = middle
    row = rows[low]
    cards_a, cards_b, cards_c, cards_d = row // (ROW * ROW), row // ROW % ROW, row % ROW, patterns[row, 5]
    same_ab = cards_a == cards_b and slots[0, 1] == slots[1, 1]
    same_bc = cards_b == cards_c and slots[1, 1] == slots[2, 1]
    same_cd = cards_c == cards_d and slots[2, 1] == slots[3, 1]
    nth_b = 2 if same_ab else 1
    nth_c = nth_b + 1 if same_bc else 1
    nth_d = nth_c + 1 if same_cd else 1
    rest = number - patterns[row, 0]
    # Within a group the weights are equal: split off the digit of the group first, then its members from the largest down.
    digit_a, after_a = rest // patterns[row, 1], rest % patterns[row, 1]
    if same_ab:
        digit_b, after_b = digit_a, after_a
    else:
        digit_b, after_b = after_a // patterns[row, 2], after_a % patterns[row, 2]
    if same_bc:
        digit_c, after_c = digit_b, after_b
    else:
        digit_c, after_c = after_b // patterns[row, 3], after_b % patterns[row, 3]
    digit_d = digit_c if same_cd else after_c
    rank_d = largest_below(digit_d, nth_d)
    if same_cd:
        digit_c = digit_d - multichoose(rank_d, nth_d)
    rank_c = largest_below(digit_c, nth_c)
    if same_bc:
        digit_b = digit_c - multichoose(rank_c, nth_c)
    rank_b = largest_below(digit_b, nth_b)
    rank_a = digit_b - multichoose(rank_b, nth_b) if same_ab else digit_a
    return (
        np.int64(suit_masks[slots[0, 0], cards_a << CARDS_BIT | rank_a]) << (13 * slots[0, 0])
        | np.int64(suit_masks[slots[1, 0], cards_b << CARDS_BIT | rank_b]) << (13 * slots[1, 0])
        | np.int64(suit_masks[slots[2, 0], cards_c << CARDS_BIT | rank_c]) << (13 * slots[2, 0])
        | np.int64(suit_masks[slots[3, 0], cards_d << CARDS_BIT | rank_d]) << (13 * slots[3, 0])
    )


@device_function
def run_from(hand, numbering):
    """Return (suit, rank, length) of a run of classes from that of ``hand`` on, which differ in that suit only, by one colex rank each.

    ``hand``: a representative, as of ``class_hand``. The suit is the first of the last group, the least significant one.
    """
    keys, slots = numbering.keys, numbering.slots
    a, b = suit_key(hand, slots[0, 0], keys), suit_key(hand, slots[1, 0], keys)
    c, d = suit_key(hand, slots[2, 0], keys), suit_key(hand, slots[3, 0], keys)
    if c >> CARDS_BIT != d >> CARDS_BIT:
        row = ((a >> CARDS_BIT & 15) * ROW + (b >> CARDS_BIT & 15)) * ROW + (c >> CARDS_BIT & 15)
        return slots[3, 0], d & RANK_BITS, numbering.patterns[row, 3] - (d & RANK_BITS)
    if b >> CARDS_BIT != c >> CARDS_BIT:
        return slots[2, 0], c & RANK_BITS, d - c + 1
    if a >> CARDS_BIT != b >> CARDS_BIT:
        return slots[1, 0], b & RANK_BITS, c - b + 1
    return slots[0, 0], a & RANK_BITS, b - a + 1


@device_function
def list_hands(first, count, hands, numbering):
    """Write the representatives of ``count`` classes, ``first`` and following, into ``hands``, run by run."""
    done = 0
    while done < count:
        hand = class_hand(first + done, numbering)
        suit, _, length = run_from(hand, numbering)
        end = min(count, done + length)
        offset = (suit_key(hand, suit, numbering.keys) & (1 << BLOCK_BIT) - 1) - done
        rest = hand & ~(SUIT_MASK << (13 * suit))
        for i in range(done, end):
            hands[i] = rest | np.int64(numbering.suit_masks[suit, offset + i]) << (13 * suit)
        done = end


@device_function
def orbit_size(hand, keys, renamings):
    """Return the number of hands in the class of a hand: all ``renamings`` of suits over those that only swap equal suits."""
    a, b, c, d = suit_key(hand, 0, keys), suit_key(hand, 1, keys), suit_key(hand, 2, keys), suit_key(hand, 3, keys)
    # Integers, since uncompiled numpy adds booleans as "or".
    equal = np.int64(a == b) + np.int64(a == c) + np.int64(a == d) + np.int64(b == c) + np.int64(b == d) + np.int64(c == d)
    # Equal pairs among four suits: none, one, two pairs (2), a triple (3), all (6).
    if equal == 0:
        return renamings
    if equal == 1:
        return renamings // 2
    if equal == 2:
        return renamings // 4
    return renamings // 6 if equal == 3 else renamings // 24


@kernel
def class_numbers(hands, numbering, numbers):
    """Set ``numbers`` to the class number of each of ``hands``, both [hands] int64, all with as many cards."""
    keys, patterns = numbering.keys, numbering.patterns
    for i in range(len(hands)):
        numbers[i] = class_number(hands[i], keys, patterns)


@kernel
def class_hands(first, numbering, hands):
    """Set ``hands``, [hands] int64, to the representatives of classes ``first`` and following."""
    list_hands(first, len(hands), hands, numbering)


@kernel
def orbit_sizes(hands, numbering, sizes):
    """Set ``sizes`` to the size of the class of each of ``hands``, both [hands] int64."""
    for i in range(len(hands)):
        sizes[i] = orbit_size(hands[i], numbering.keys, numbering.renamings)


@kernel
def random_hands(cards, seed, hands):
    """Set ``hands``, [hands] int64, to uniformly random hands of ``cards`` cards."""
    order = np.arange(52)
    for i in range(len(hands)):
        hands[i] = 0
        key = address(seed, i, 0, 0, RANDOM_HANDS)
        # Shuffle only the dealt cards, starting from the order of the previous hand.
        for last in range(51, 51 - cards, -1):
            other = below(key, last, last + 1)
            order[last], order[other] = order[other], order[last]
            hands[i] |= np.int64(1) << order[last]


@device_function
def suit_cards(hand, suit):
    """Return one suit of a hand in 32 bits."""
    return np.uint32((hand >> (13 * suit)) & SUIT_MASK)


@device_function
def without_lowest(mask):
    """Return the cards of a suit without the lowest one."""
    return np.uint32(mask & np.uint32(mask - np.uint32(1)))
