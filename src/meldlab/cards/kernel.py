"""Kernels on 52-bit hands: addressed chance, and hand classes (hands up to renaming suits), ranked and unranked.

A class of n-card hands is a multiset of four suit lanes. The suits are put in ascending order of (number of cards, colex rank of the
lane among lanes with as many cards). The numbers of cards are the *pattern*; suits with equal numbers form a *group*; within a group of
k suits the ranks r1 <= ... <= rk are a multiset with rank sum of C(r_i + i - 1, i); the groups combine as a mixed-radix number in
which the last group turns fastest. All of it is closed form over one table of 8192 keys and one row per pattern.
"""

import numpy as np

from meldlab.compiling import kernel, scalar_kernel

LANE = 0x1FFF
MOST = 13  # cards in a hand that has a class

# A lane's key is 2048 * cards + colex rank; C(13, 6) = 1716 ranks fit below 2048.
KEY = 2048


@scalar_kernel
def mix(x):
    """Scramble 64 bits (the finaliser of splitmix64)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@scalar_kernel
def address(seed, game, round, turn, purpose):
    """Return the 64-bit address of a draw; equal addresses give equal draws on every machine and thread."""
    x = mix(np.uint64(seed))
    x = mix(x ^ np.uint64(game))
    x = mix(x ^ np.uint64(round))
    return mix(x ^ (np.uint64(turn) << np.uint64(16)) ^ np.uint64(purpose))


@scalar_kernel
def below(key, nth, bound):
    """Return the ``nth`` draw at address ``key``, an integer in 0 .. bound - 1 (bias below bound / 2^32)."""
    high = mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(32)
    return np.int64((high * np.uint64(bound)) >> np.uint64(32))


@scalar_kernel
def unit(key, nth):
    """Return the ``nth`` draw at address ``key``, a float in [0, 1)."""
    return np.float64(mix(np.uint64(key) + np.uint64(nth)) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def shuffle(order, key):
    """Shuffle ``order``, [cards] of any integer type, in place."""
    for last in range(len(order) - 1, 0, -1):
        other = below(key, last, last + 1)
        order[last], order[other] = order[other], order[last]


@scalar_kernel
def multichoose(r, i):
    """Return C(r + i - 1, i), the rank that the i-th smallest element r of a multiset contributes; i is 1 to 4."""
    if i == 1:
        return r
    if i == 2:
        return r * (r + 1) // 2
    if i == 3:
        return r * (r + 1) * (r + 2) // 6
    return r * (r + 1) * (r + 2) * (r + 3) // 24


@scalar_kernel
def rank_of_keys(a, b, c, d, patterns):
    """Return the rank of the class whose four lanes have these keys, in any order; ``patterns`` as in ``pattern_table``."""
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
    ca, cb, cc, cd = a >> 11, b >> 11, c >> 11, d >> 11
    row = (ca * 5 + cb) * 7 + cc
    ib = 2 if ca == cb else 1
    ic = ib + 1 if cb == cc else 1
    iy = ic + 1 if cc == cd else 1
    return (
        patterns[row, 0]
        + patterns[row, 1] * (a & 2047)
        + patterns[row, 2] * multichoose(b & 2047, ib)
        + patterns[row, 3] * multichoose(c & 2047, ic)
        + multichoose(d & 2047, iy)
    )


@scalar_kernel
def class_rank(hand, keys, patterns):
    """Return the rank of a hand's class among all classes of hands with as many cards."""
    return rank_of_keys(
        np.int64(keys[hand & LANE]),
        np.int64(keys[(hand >> 13) & LANE]),
        np.int64(keys[(hand >> 26) & LANE]),
        np.int64(keys[(hand >> 39) & LANE]),
        patterns,
    )


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
def class_unrank(rank, rows, patterns, lanes):
    """Return the hand, its lanes in ascending order of key, that stands for class ``rank``.

    ``rows``: [patterns] int64, the used rows of ``patterns`` by ascending offset; ``lanes``: [13 * 2048 + 1716] uint16, lane of a key.
    """
    low, high = 0, len(rows)
    while high - low > 1:
        middle = (low + high) // 2
        if patterns[rows[middle], 0] <= rank:
            low = middle
        else:
            high = middle
    row = rows[low]
    ca, cb, cc, cd = row // 35, row // 7 % 5, row % 7, patterns[row, 4]
    ib = 2 if ca == cb else 1
    ic = ib + 1 if cb == cc else 1
    iy = ic + 1 if cc == cd else 1
    rest = rank - patterns[row, 0]
    # Within a group the weights are equal: split off the group's own digit first, then peel its members from the largest down.
    digit_a, after_a = rest // patterns[row, 1], rest % patterns[row, 1]
    if ca == cb:
        digit_b, after_b = digit_a, after_a
    else:
        digit_b, after_b = after_a // patterns[row, 2], after_a % patterns[row, 2]
    if cb == cc:
        digit_c, after_c = digit_b, after_b
    else:
        digit_c, after_c = after_b // patterns[row, 3], after_b % patterns[row, 3]
    digit_d = digit_c if cc == cd else after_c
    rank_d = largest_below(digit_d, iy)
    if cc == cd:
        digit_c = digit_d - multichoose(rank_d, iy)
    rank_c = largest_below(digit_c, ic)
    if cb == cc:
        digit_b = digit_c - multichoose(rank_c, ic)
    rank_b = largest_below(digit_b, ib)
    rank_a = digit_b - multichoose(rank_b, ib) if ca == cb else digit_a
    return (
        np.int64(lanes[ca * KEY + rank_a])
        | np.int64(lanes[cb * KEY + rank_b]) << 13
        | np.int64(lanes[cc * KEY + rank_c]) << 26
        | np.int64(lanes[cd * KEY + rank_d]) << 39
    )


@scalar_kernel
def orbit_size(hand):
    """Return how many hands there are in a hand's class: 24 over the orders of equal lanes."""
    a, b, c, d = hand & LANE, (hand >> 13) & LANE, (hand >> 26) & LANE, (hand >> 39) & LANE
    equal = (a == b) + (a == c) + (a == d) + (b == c) + (b == d) + (c == d)
    # Equal pairs among four lanes: none, one, two pairs (2) or a triple (3), all (6).
    if equal == 0:
        return 24
    if equal == 1:
        return 12
    if equal == 2:
        return 6
    return 4 if equal == 3 else 1


@kernel
def class_ranks(hands, keys, patterns):
    """Return [hands] int64, the rank of each of ``hands``, [hands] int64, all with as many cards."""
    ranks = np.empty(len(hands), np.int64)
    for i in range(len(hands)):
        ranks[i] = class_rank(hands[i], keys, patterns)
    return ranks


@kernel
def class_hands(first, count, rows, patterns, lanes):
    """Return [count] int64, the hands that stand for classes ``first`` and following."""
    hands = np.empty(count, np.int64)
    for i in range(count):
        hands[i] = class_unrank(first + i, rows, patterns, lanes)
    return hands


@kernel
def random_hands(many, cards, seed):
    """Return [many] int64, hands of ``cards`` different cards, every one equally likely."""
    hands = np.zeros(many, np.int64)
    order = np.arange(52)
    for i in range(many):
        key = address(seed, i, 0, 0, 0)
        # Shuffle only as far as cards are dealt; the order left by the hand before is as good a start as any.
        for last in range(51, 51 - cards, -1):
            other = below(key, last, last + 1)
            order[last], order[other] = order[other], order[last]
            hands[i] |= np.int64(1) << order[last]
    return hands
