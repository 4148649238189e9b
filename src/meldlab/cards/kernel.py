"""Kernels on 52-bit hands: hand classes (hands up to renaming suits), numbered and found by number, and hands at random.

A class of n-card hands is a multiset of four suit lanes. The suits are put in ascending order of *key*: the number of cards, then the
colex rank of the lane among lanes with as many cards. The numbers of cards are the *pattern*; suits with equal numbers form a *group*;
within a group of k suits the ranks r1 <= ... <= rk are a multiset with number sum of C(r_i + i - 1, i); the groups combine as a
mixed-radix number in which the last group turns fastest. All of it is closed form over a table of keys and one row per pattern.

Dead cards leave fewer ranks in some suits and break the symmetry between suits with different dead ranks. Suits with the same dead ranks
are a *block*; the block is the leading part of the key, so that suits are sorted, and grouped, within their block only.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import inlined_kernel, kernel, scalar_kernel

LANE = 0x1FFF
RANDOM_HANDS = int(Purpose.RANDOM_HANDS)
MOST = 13  # cards in a hand that has a class

# A key is block << 15 | cards << 11 | colex rank; C(13, 6) = 1716 ranks fit below 2048, and at most 13 cards into four bits.
CARDS_BIT, BLOCK_BIT, RANK_BITS = 11, 15, 2047
THIRD = 0xAAAAAAAB  # of 2^33: any number below 2^31 times this, 33 bits further down, is its third
ROW = 14  # rows of the pattern table go by the cards in the first three suits, each 0 to 13


class Numbering(NamedTuple):
    """How hands of one size are numbered up to renaming suits, as ``classes.numbering`` makes it; on a GPU the arrays lie there."""

    classes: int  # how many there are
    renamings: int  # how many renamings of suits leave the dead cards alone
    keys: Any  # [4, 8192] int32, key by suit and lane; -1 with a dead card
    lanes: Any  # [4, 28340] uint16, lane by suit and key without its block
    patterns: Any  # [14 * 14 * 14, 6] int64: offset, weights of the four suits, cards in the fourth
    rows: Any  # [patterns] int64, used rows of patterns by ascending offset
    slots: Any  # [4, 2] int64: suit and block of each slot in the order of keys


class Frame(NamedTuple):
    """What the number of a class is made of when three lanes are known and the fourth has a known number of cards, all uint32."""

    base: Any  # what the lanes outside the fourth one's group contribute
    weight: Any  # of the group
    others: Any  # how many of the three lanes are in the group
    first: Any  # their ranks, ascending
    second: Any
    third: Any


@scalar_kernel
def popcount(x):
    """Return how many bits are set."""
    x = np.uint64(x)
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@scalar_kernel
def multichoose(r, i):
    """Return C(r + i - 1, i), the number that the i-th smallest element r of a multiset contributes; i is 1 to 4."""
    if i == 1:
        return r
    if i == 2:
        return r * (r + 1) >> 1
    if i == 3:
        return r * (r + 1) * (r + 2) // 6
    return r * (r + 1) * (r + 2) * (r + 3) // 24


@inlined_kernel
def digits_of_keys(a, b, c, d):
    """Return (row, first, second, third, fourth) of four lanes with these keys, in any order: a row of patterns, and what it weighs.

    There are no branches: nobody could foretell them, and so LLVM works on several hands at once.
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
    # As multichoose: the second, third and fourth of their groups.
    b_2, c_2, d_2 = b * (b + 1) >> 1, c * (c + 1) >> 1, d * (d + 1) >> 1
    c_3, d_3 = c_2 * (c + 2) * THIRD >> 33, d_2 * (d + 2) * THIRD >> 33
    d_4 = d_3 * (d + 3) >> 2
    third = (c_3 if same_ab else c_2) if same_bc else c
    fourth = ((d_4 if same_ab else d_3) if same_bc else d_2) if same_cd else d
    return row, a & RANK_BITS, b_2 if same_ab else b, third, fourth


@scalar_kernel
def number_of_keys(a, b, c, d, patterns):
    """Return the number of the class whose four lanes have these keys, in any order."""
    row, first, second, third, fourth = digits_of_keys(a, b, c, d)
    return patterns[row, 0] + patterns[row, 1] * first + patterns[row, 2] * second + patterns[row, 3] * third + fourth


@scalar_kernel
def number_hands(hands, many, digits, keys, patterns):
    """Put the numbers of their classes in the place of ``many`` hands; ``digits``: [5, at least so many] int64, to write on.

    A third of the time of ``class_number``: step by step for all of them.
    """
    for i in range(many):
        for suit in range(4):
            digits[suit, i] = keys[suit, (hands[i] >> (13 * suit)) & LANE]
    first, second, third, fourth, rows = digits[0], digits[1], digits[2], digits[3], digits[4]
    for i in range(many):
        rows[i], first[i], second[i], third[i], fourth[i] = digits_of_keys(first[i], second[i], third[i], fourth[i])
    for i in range(many):
        row = patterns[rows[i]]
        hands[i] = row[0] + row[1] * first[i] + row[2] * second[i] + row[3] * third[i] + fourth[i]


@scalar_kernel
def pairs(r):
    """Return C(r + 1, 2) in 32 bits."""
    return np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) >> np.uint32(1))


@scalar_kernel
def triples(r):
    """Return C(r + 2, 3) in 32 bits."""
    return np.uint32(np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) * np.uint32(r + np.uint32(2))) // np.uint32(6))


@scalar_kernel
def frame_of_keys(a, b, c, group, patterns):
    """Return the frame of three lanes with keys a, b, c and a fourth that is any lane of ``group``, key >> 11.

    Going through all draws from a suit, or all discards, needs one frame and then only ``number_in_frame``. Numbers of hands of at most
    eleven cards fit into 32 bits, and on a GPU the index takes most of the time: 64 bits would double it.
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
    # The members of the group are neighbours in ascending order; put them in front.
    if group_a != group:
        r1, r2, r3 = (r2, r3, r3) if group_b == group else (r3, r3, r3)
    weight = patterns[row, 1 + before_a + before_b + before_c]
    return Frame(np.uint32(base), np.uint32(weight), np.uint32(others), np.uint32(r1), np.uint32(r2), np.uint32(r3))


@scalar_kernel
def number_in_frame(key, frame):
    """Return, as uint32, the number of the class whose fourth lane has this key within its group; the rest is the frame."""
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
    # Four lanes of as many cards: at most two cards each here, so that even the product of four stays below 2^32.
    fourth = np.uint32(np.uint32(multichoose(np.int64(high), 4)))
    return np.uint32(base + np.uint32(weight * np.uint32(np.uint32(low + pairs(middle)) + np.uint32(triples(upper) + fourth))))


@scalar_kernel
def key_of(hand, suit, keys):
    """Return the key of one lane of a hand."""
    return np.int64(keys[suit, (hand >> (13 * suit)) & LANE])


@scalar_kernel
def frame_of_suit(hand, suit, lane, keys, patterns):
    """Return the frame of ``hand`` for lanes of ``suit`` with as many cards as ``lane``."""
    group = np.int64(keys[suit, lane]) >> CARDS_BIT
    a = key_of(hand, 1 if suit == 0 else 0, keys)
    b = key_of(hand, 2 if suit <= 1 else 1, keys)
    c = key_of(hand, 3 if suit <= 2 else 2, keys)
    return frame_of_keys(a, b, c, group, patterns)


@scalar_kernel
def class_number(hand, keys, patterns):
    """Return the number of a hand's class among all classes of hands with as many cards."""
    return number_of_keys(key_of(hand, 0, keys), key_of(hand, 1, keys), key_of(hand, 2, keys), key_of(hand, 3, keys), patterns)


@scalar_kernel
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


@scalar_kernel
def class_hand(number, numbering):
    """Return the hand that stands for class ``number``; within a block its lanes ascend by key."""
    lanes, patterns, rows, slots = numbering.lanes, numbering.patterns, numbering.rows, numbering.slots
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
    # Within a group the weights are equal: split off the group's own digit first, then peel its members from the largest down.
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
        np.int64(lanes[slots[0, 0], cards_a << CARDS_BIT | rank_a]) << (13 * slots[0, 0])
        | np.int64(lanes[slots[1, 0], cards_b << CARDS_BIT | rank_b]) << (13 * slots[1, 0])
        | np.int64(lanes[slots[2, 0], cards_c << CARDS_BIT | rank_c]) << (13 * slots[2, 0])
        | np.int64(lanes[slots[3, 0], cards_d << CARDS_BIT | rank_d]) << (13 * slots[3, 0])
    )


@scalar_kernel
def run_from(hand, numbering):
    """Return (suit, rank, length): so many classes from that of ``hand`` on differ in that suit only, whose lane goes up by a rank each.

    ``hand`` stands for its class, as ``class_hand`` gives it. It is the first suit of the last group that turns fastest.
    """
    keys, slots = numbering.keys, numbering.slots
    a, b = key_of(hand, slots[0, 0], keys), key_of(hand, slots[1, 0], keys)
    c, d = key_of(hand, slots[2, 0], keys), key_of(hand, slots[3, 0], keys)
    if c >> CARDS_BIT != d >> CARDS_BIT:
        row = ((a >> CARDS_BIT & 15) * ROW + (b >> CARDS_BIT & 15)) * ROW + (c >> CARDS_BIT & 15)
        return slots[3, 0], d & RANK_BITS, numbering.patterns[row, 3] - (d & RANK_BITS)
    if b >> CARDS_BIT != c >> CARDS_BIT:
        return slots[2, 0], c & RANK_BITS, d - c + 1
    if a >> CARDS_BIT != b >> CARDS_BIT:
        return slots[1, 0], b & RANK_BITS, c - b + 1
    return slots[0, 0], a & RANK_BITS, b - a + 1


@scalar_kernel
def list_hands(first, many, hands, numbering):
    """Write the hands that stand for ``many`` classes, ``first`` and following, into ``hands``: each run is found once."""
    done = 0
    while done < many:
        hand = class_hand(first + done, numbering)
        suit, _, length = run_from(hand, numbering)
        end = min(many, done + length)
        at = (key_of(hand, suit, numbering.keys) & (1 << BLOCK_BIT) - 1) - done
        rest = hand & ~(LANE << (13 * suit))
        for i in range(done, end):
            hands[i] = rest | np.int64(numbering.lanes[suit, at + i]) << (13 * suit)
        done = end


@scalar_kernel
def orbit_of_keys(a, b, c, d, renamings):
    """Return how many hands there are in a class: all ``renamings`` of suits over those that only swap equal lanes."""
    # Numbers, not truth values: without the compiler numpy adds those as "or".
    equal = np.int64(a == b) + np.int64(a == c) + np.int64(a == d) + np.int64(b == c) + np.int64(b == d) + np.int64(c == d)
    # Equal pairs among four lanes: none, one, two pairs (2), a triple (3), all (6).
    if equal == 0:
        return renamings
    if equal == 1:
        return renamings // 2
    if equal == 2:
        return renamings // 4
    return renamings // 6 if equal == 3 else renamings // 24


@scalar_kernel
def orbit_size(hand, keys, renamings):
    """Return how many hands there are in the class of a hand."""
    return orbit_of_keys(key_of(hand, 0, keys), key_of(hand, 1, keys), key_of(hand, 2, keys), key_of(hand, 3, keys), renamings)


@kernel
def class_numbers(hands, numbering):
    """Return [hands] int64, the class number of each of ``hands``, [hands] int64, all with as many cards."""
    keys, patterns = numbering.keys, numbering.patterns
    numbers = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        numbers[i] = class_number(hands[i], keys, patterns)
    return numbers


@kernel
def class_hands(first, count, numbering):
    """Return [count] int64, the hands that stand for classes ``first`` and following."""
    hands = np.empty(count, np.int64)
    list_hands(first, count, hands, numbering)
    return hands


@kernel
def orbit_sizes(hands, numbering):
    """Return [hands] int64, the size of the class of each of ``hands``, [hands] int64."""
    sizes = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        sizes[i] = orbit_size(hands[i], numbering.keys, numbering.renamings)
    return sizes


@kernel
def random_hands(many, cards, seed):
    """Return [many] int64, hands of ``cards`` different cards, every one equally likely."""
    hands = np.zeros(many, np.int64)
    order = np.arange(52)
    for i in range(many):
        key = address(seed, i, 0, 0, RANDOM_HANDS)
        # Shuffle only as far as cards are dealt; the order left by the hand before is as good a start as any.
        for last in range(51, 51 - cards, -1):
            other = below(key, last, last + 1)
            order[last], order[other] = order[other], order[last]
            hands[i] |= np.int64(1) << order[last]
    return hands
