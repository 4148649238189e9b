"""Kernels on 52-bit hands: hand classes (hands up to renaming suits), ranked and unranked, and hands at random.

A class of n-card hands is a multiset of four suit lanes. The suits are put in ascending order of *key*: the number of cards, then the
colex rank of the lane among lanes with as many cards. The numbers of cards are the *pattern*; suits with equal numbers form a *group*;
within a group of k suits the ranks r1 <= ... <= rk are a multiset with rank sum of C(r_i + i - 1, i); the groups combine as a
mixed-radix number in which the last group turns fastest. All of it is closed form over a table of keys and one row per pattern.

Dead cards leave fewer ranks in some suits and break the symmetry between suits with different dead ranks. Suits with the same dead ranks
are a *block*; the block is the leading part of the key, so that suits are sorted, and grouped, within their block only.
"""

import numpy as np

from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel

LANE = 0x1FFF
RANDOM_HANDS = int(Purpose.RANDOM_HANDS)
MOST = 13  # cards in a hand that has a class

# A key is block << 15 | cards << 11 | colex rank; C(13, 6) = 1716 ranks fit below 2048, and at most 13 cards into four bits.
CARDS_BIT, BLOCK_BIT, RANK_BITS = 11, 15, 2047
ROW = 14  # rows of the pattern table go by the cards in the first three suits, each 0 to 13


@scalar_kernel
def multichoose(r, i):
    """Return C(r + i - 1, i), the rank that the i-th smallest element r of a multiset contributes; i is 1 to 4."""
    if i == 1:
        return r
    if i == 2:
        return r * (r + 1) >> 1
    if i == 3:
        return r * (r + 1) * (r + 2) // 6
    return r * (r + 1) * (r + 2) * (r + 3) // 24


@scalar_kernel
def rank_of_keys(a, b, c, d, patterns):
    """Return the rank of the class whose four lanes have these keys, in any order.

    ``patterns``: [14 * 14 * 14, 6] int64; offset, weights of the four suits, cards in the fourth.
    """
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    ga, gb, gc, gd = a >> CARDS_BIT, b >> CARDS_BIT, c >> CARDS_BIT, d >> CARDS_BIT
    row = ((ga & 15) * ROW + (gb & 15)) * ROW + (gc & 15)
    ib = 2 if ga == gb else 1
    ic = ib + 1 if gb == gc else 1
    iy = ic + 1 if gc == gd else 1
    return (
        patterns[row, 0]
        + patterns[row, 1] * (a & RANK_BITS)
        + patterns[row, 2] * multichoose(b & RANK_BITS, ib)
        + patterns[row, 3] * multichoose(c & RANK_BITS, ic)
        + multichoose(d & RANK_BITS, iy)
    )


@scalar_kernel
def pairs(r):
    """Return C(r + 1, 2) in 32 bits."""
    return np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) >> np.uint32(1))


@scalar_kernel
def triples(r):
    """Return C(r + 2, 3) in 32 bits."""
    return np.uint32(np.uint32(np.uint32(r * np.uint32(r + np.uint32(1))) * np.uint32(r + np.uint32(2))) // np.uint32(6))


@scalar_kernel
def frame(a, b, c, group, patterns):
    """Return what the rank of a class is made of when three lanes have keys a, b, c and the fourth is any lane of ``group``, key >> 11.

    That is (base, weight, m, r1, r2, r3): what the lanes outside the group contribute, the weight of the group, and the ranks of the m
    other lanes in it, all uint32. Going through all draws from a suit, or all discards, needs one frame and then only ``rank_in_frame``.
    Ranks of hands of at most eleven cards fit into 32 bits, and on a GPU the index takes most of the time: 64 bits would double it.
    """
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    ga, gb, gc = a >> CARDS_BIT, b >> CARDS_BIT, c >> CARDS_BIT
    before_a, before_b, before_c = ga < group, gb < group, gc < group
    first = (ga if before_a else group) & 15
    second = (gb if before_b else (group if before_a else ga)) & 15
    third = (gc if before_c else (group if before_b else gb)) & 15
    row = (first * ROW + second) * ROW + third
    base, m, r1, r2, r3 = patterns[row, 0], 0, np.int64(0), np.int64(0), np.int64(0)
    ib = 2 if ga == gb else 1
    ic = ib + 1 if gb == gc else 1
    if ga == group:
        m, r1 = 1, a & RANK_BITS
    else:
        base += patterns[row, 1 if before_a else 2] * (a & RANK_BITS)
    if gb == group:
        r2 = b & RANK_BITS
        m += 1
    else:
        base += patterns[row, 2 if before_b else 3] * multichoose(b & RANK_BITS, ib)
    if gc == group:
        r3 = c & RANK_BITS
        m += 1
    else:
        base += patterns[row, 3 if before_c else 4] * multichoose(c & RANK_BITS, ic)
    # The members of the group are neighbours in ascending order; put them in front.
    if ga != group:
        r1, r2, r3 = (r2, r3, r3) if gb == group else (r3, r3, r3)
    weight = patterns[row, 1 + before_a + before_b + before_c]
    return np.uint32(base), np.uint32(weight), np.uint32(m), np.uint32(r1), np.uint32(r2), np.uint32(r3)


@scalar_kernel
def rank_in_frame(key, base, weight, m, r1, r2, r3):
    """Return, as uint32, the rank of the class whose fourth lane has this key within its group; the rest is the frame."""
    rank = np.uint32(np.uint32(key) & np.uint32(RANK_BITS))
    if m == 0:
        return np.uint32(base + np.uint32(weight * rank))
    low, high = min(rank, r1), max(rank, r1)
    if m == 1:
        return np.uint32(base + np.uint32(weight * np.uint32(low + pairs(high))))
    middle, high = min(high, r2), max(high, r2)
    if m == 2:
        return np.uint32(base + np.uint32(weight * np.uint32(np.uint32(low + pairs(middle)) + triples(high))))
    upper, high = min(high, r3), max(high, r3)
    # Four lanes of as many cards: at most two cards each here, so that even the product of four stays below 2^32.
    fourth = np.uint32(np.uint32(multichoose(np.int64(high), 4)))
    return np.uint32(base + np.uint32(weight * np.uint32(np.uint32(low + pairs(middle)) + np.uint32(triples(upper) + fourth))))


@scalar_kernel
def key_of(hand, suit, keys):
    """Return the key of one lane of a hand; ``keys``: [4, 8192] int32 by suit and lane."""
    return np.int64(keys[suit, (hand >> (13 * suit)) & LANE])


@scalar_kernel
def frame_of_suit(hand, suit, lane, keys, patterns):
    """Return the frame of ``hand`` for lanes of ``suit`` with as many cards as ``lane``."""
    group = np.int64(keys[suit, lane]) >> CARDS_BIT
    a = key_of(hand, 1 if suit == 0 else 0, keys)
    b = key_of(hand, 2 if suit <= 1 else 1, keys)
    c = key_of(hand, 3 if suit <= 2 else 2, keys)
    return frame(a, b, c, group, patterns)


@scalar_kernel
def class_rank(hand, keys, patterns):
    """Return the rank of a hand's class among all classes of hands with as many cards; ``keys``: [4, 8192] int32 by suit and lane."""
    return rank_of_keys(key_of(hand, 0, keys), key_of(hand, 1, keys), key_of(hand, 2, keys), key_of(hand, 3, keys), patterns)


@scalar_kernel
def largest_below(rank, i):
    """Return the largest r with multichoose(r, i) <= rank."""
    low, high = np.int64(0), np.int64(1716)
    while high - low > 1:
        middle = (low + high) // 2
        if multichoose(middle, i) <= rank:
            low = middle
        else:
            high = middle
    return low


@scalar_kernel
def class_unrank(rank, rows, patterns, lanes, seats):
    """Return the hand that stands for class ``rank``; within a block its lanes ascend by key.

    ``rows``: [patterns] int64, the used rows of ``patterns`` by ascending offset; ``lanes``: [4, 28340] uint16, lane by suit and key
    without its block; ``seats``: [4, 2] int64, suit and block of each place in the order of keys.
    """
    low, high = 0, len(rows)
    while high - low > 1:
        middle = (low + high) // 2
        if patterns[rows[middle], 0] <= rank:
            low = middle
        else:
            high = middle
    row = rows[low]
    ca, cb, cc, cd = row // (ROW * ROW), row // ROW % ROW, row % ROW, patterns[row, 5]
    ab = ca == cb and seats[0, 1] == seats[1, 1]
    bc = cb == cc and seats[1, 1] == seats[2, 1]
    cy = cc == cd and seats[2, 1] == seats[3, 1]
    ib = 2 if ab else 1
    ic = ib + 1 if bc else 1
    iy = ic + 1 if cy else 1
    rest = rank - patterns[row, 0]
    # Within a group the weights are equal: split off the group's own digit first, then peel its members from the largest down.
    digit_a, after_a = rest // patterns[row, 1], rest % patterns[row, 1]
    if ab:
        digit_b, after_b = digit_a, after_a
    else:
        digit_b, after_b = after_a // patterns[row, 2], after_a % patterns[row, 2]
    if bc:
        digit_c, after_c = digit_b, after_b
    else:
        digit_c, after_c = after_b // patterns[row, 3], after_b % patterns[row, 3]
    digit_d = digit_c if cy else after_c
    rank_d = largest_below(digit_d, iy)
    if cy:
        digit_c = digit_d - multichoose(rank_d, iy)
    rank_c = largest_below(digit_c, ic)
    if bc:
        digit_b = digit_c - multichoose(rank_c, ic)
    rank_b = largest_below(digit_b, ib)
    rank_a = digit_b - multichoose(rank_b, ib) if ab else digit_a
    return (
        np.int64(lanes[seats[0, 0], ca << CARDS_BIT | rank_a]) << (13 * seats[0, 0])
        | np.int64(lanes[seats[1, 0], cb << CARDS_BIT | rank_b]) << (13 * seats[1, 0])
        | np.int64(lanes[seats[2, 0], cc << CARDS_BIT | rank_c]) << (13 * seats[2, 0])
        | np.int64(lanes[seats[3, 0], cd << CARDS_BIT | rank_d]) << (13 * seats[3, 0])
    )


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
def class_ranks(hands, keys, patterns):
    """Return [hands] int64, the rank of each of ``hands``, [hands] int64, all with as many cards."""
    ranks = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        ranks[i] = class_rank(hands[i], keys, patterns)
    return ranks


@kernel
def class_hands(first, count, rows, patterns, lanes, seats):
    """Return [count] int64, the hands that stand for classes ``first`` and following."""
    hands = np.empty(count, np.int64)
    for i in range(count):
        hands[i] = class_unrank(first + i, rows, patterns, lanes, seats)
    return hands


@kernel
def orbit_sizes(hands, keys, renamings):
    """Return [hands] int64, the size of the class of each of ``hands``, [hands] int64."""
    sizes = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        sizes[i] = orbit_size(hands[i], keys, renamings)
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
