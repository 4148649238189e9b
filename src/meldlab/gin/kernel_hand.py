"""Kernels on gin hands: discards, arrangements, lay-offs, and the decisions of the simple player.

Four tables of the 8192 suit masks hold the fewest points outside runs, the cards that one best choice of runs covers, the number of best
choices, and the points that the best discard saves. Sets join suits and are chosen first: few ranks have three or four cards.
"""

import numpy as np

from meldlab.cards.kernel import SUIT_MASK, popcount
from meldlab.chance.kernel import below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function, kernel
from meldlab.gin.kernel_state import MAX_MELDS
from meldlab.melds.kernel import LOWEST, SETS, SPREAD, deadwood, leftover, over_sets, ranks_with_sets, suits_held

FULL = (1 << 52) - 1
POINTS = np.array([min(index % 13 + 1, 10) for index in range(52)], np.int64)
# Tables of the 8192 suit masks: the fewest points outside runs, the cards that one best choice of runs covers, the number of best choices.
LEFT, COVERED, WAYS = np.zeros(8192, np.uint8), np.zeros(8192, np.uint16), np.ones(8192, np.uint8)
for _low in reversed(range(13)):
    # The lowest card is left over, or starts a run; both leave a mask whose lowest card is higher. Of equal choices the longest run covers.
    _masks = np.arange(1 << (12 - _low)) << (_low + 1) | 1 << _low
    _rest = _masks ^ 1 << _low
    LEFT[_masks], COVERED[_masks], WAYS[_masks] = LEFT[_rest] + POINTS[_low], COVERED[_rest], WAYS[_rest]
    for _length in range(3, 14 - _low):
        _run = ((1 << _length) - 1) << _low
        _held = _masks[_masks & _run == _run]
        _held = _held[LEFT[_held ^ _run] <= LEFT[_held]]
        _rest = _held ^ _run
        WAYS[_held] = WAYS[_rest] + np.where(LEFT[_rest] == LEFT[_held], WAYS[_held], 0)
        LEFT[_held], COVERED[_held] = LEFT[_rest], COVERED[_rest] | _run

# Points by which the best discard lowers those outside runs: below 0 where it breaks runs, and -100 without cards.
_every = np.arange(8192)[:, None]
_card = 1 << np.arange(13)
_saved = np.where(_every & _card, LEFT.astype(np.int64)[:, None] - LEFT[_every ^ _card], -100)
SAVED = _saved.max(1).astype(np.int8)
# All in one number, read at once: points left << 24 | (saved + 128) << 13 | the cards that save them.
DISCARDS = (LEFT.astype(np.uint32) << 24) + ((SAVED.astype(np.uint32) + 128 & 255) << 13)
DISCARDS += ((_saved == SAVED[:, None]) & (_every & _card > 0)).astype(np.uint32) @ _card.astype(np.uint32)

# Windows of five ranks around a card that hold two neighbours to make a run of: below, around, above.
MAKES_RUN = np.array([window & 3 == 3 or window & 10 == 10 or window & 24 == 24 for window in range(32)], np.bool_)

DISCARD_PURPOSE, MELDS_PURPOSE = int(Purpose.DISCARD), int(Purpose.MELDS)
LOW_BITS = (1 << 24) - 1  # of DISCARDS
MAX_DEADWOOD = 1000  # more than any hand has
WAYS_BITS = (1 << 32) - 1  # of a number of arrangements, packed with their deadwood


@device_function
def bit(card):
    """Return the hand of one card."""
    return np.int64(1) << np.int64(card)


@device_function
def lowest_card(hand):
    """Return the lowest card of a hand that has one.

    A loop over the hand mispredicts fewer branches than four loops over its suits, of a few cards each.
    """
    return popcount((hand & -hand) - 1)


@device_function
def nth_card(hand, nth):
    """Return a card of a hand, counted from 0."""
    for _ in range(nth):
        hand &= hand - 1
    return lowest_card(hand)


@device_function
def list_cards(hand, cards, count):
    """Write the cards of a hand, the lowest first, after the first ``count`` of ``cards``; return the number of all."""
    while hand:
        cards[count] = lowest_card(hand)
        hand &= hand - 1
        count += 1
    return count


@device_function
def makes_meld(hand, card):
    """Return whether a meld within the hand and ``card``, which is not in it, contains the card."""
    suit, rank = card // 13, card % 13
    cards = (hand >> (13 * suit)) & SUIT_MASK
    column = (hand >> rank) & SPREAD[15]
    return MAKES_RUN[((cards << 2) >> rank) & 31] or (column & (column - 1)) != 0


@device_function(inline="always")
def _discards_leaf(rest, sets, best, left):
    total, cards = leftover(rest, LEFT), rest
    while cards:
        card = lowest_card(cards)
        cards &= cards - 1
        first = card // 13 * 13
        suit = (rest >> first) & SUIT_MASK
        after = total - np.int64(LEFT[suit]) + np.int64(LEFT[suit ^ (np.int64(1) << (card - first))])
        left[card] = min(left[card], after)
    return min(best, total)


@device_function
def discards(hand, left):
    """Fill ``left``, [52] int64, with the deadwood after each discard (500 for cards not held) and return the deadwood of the hand.

    A card inside a chosen set is not discarded with that choice: another choice leaves the set out or has the set without the card.
    """
    left[:] = 500
    return over_sets(hand, _discards_leaf, MAX_DEADWOOD, left)


@device_function
def _best_in_runs(hand):
    """Return (least deadwood after a discard << 52 | the cards that leave it) with runs only."""
    a, b = np.int64(DISCARDS[hand & SUIT_MASK]), np.int64(DISCARDS[(hand >> 13) & SUIT_MASK])
    c, d = np.int64(DISCARDS[(hand >> 26) & SUIT_MASK]), np.int64(DISCARDS[(hand >> 39) & SUIT_MASK])
    left = (a + b + c + d) >> 24  # the lower bits add up to less
    a, b, c, d = a & LOW_BITS, b & LOW_BITS, c & LOW_BITS, d & LOW_BITS
    most = max(max(a, b), max(c, d)) >> 13
    cards = a & SUIT_MASK if a >> 13 == most else np.int64(0)
    cards |= (b & SUIT_MASK) << 13 if b >> 13 == most else np.int64(0)
    cards |= (c & SUIT_MASK) << 26 if c >> 13 == most else np.int64(0)
    cards |= (d & SUIT_MASK) << 39 if d >> 13 == most else np.int64(0)
    return ((left + 128 - most) << 52) | cards


@device_function
def _best_of_sets(hand, ranks):
    """Return the best discards when sets are allowed on ``ranks``, a suit mask with at least one bit.

    With ``over_sets`` random hands take a quarter less time, but games of simple players 8 % more.
    """
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = _best_of_sets(hand, others) if others else _best_in_runs(hand)
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (SETS[held, i] << rank)
        packed = _best_of_sets(rest, others) if others else _best_in_runs(rest)
        best = best | packed if packed >> 52 == best >> 52 else min(best, packed)
    return best


@device_function
def best_discards(hand):
    """Return (least deadwood after a discard << 52 | the cards that leave it); ``discards`` computes it for each card."""
    ranks = ranks_with_sets(hand)
    return _best_of_sets(hand, ranks) if ranks else _best_in_runs(hand)


@device_function(inline="always")
def _least_after_discard_leaf(rest, sets, best, extra):
    total, saved = np.int64(0), np.int64(-100)
    for suit in range(4):
        cards = (rest >> (13 * suit)) & SUIT_MASK
        total += np.int64(LEFT[cards])
        saved = max(saved, np.int64(SAVED[cards]))
    return min(best, total - saved)


@device_function
def least_after_discard(hand):
    """Return the least deadwood that a discard can leave, in half the time of ``best_discards``."""
    return over_sets(hand, _least_after_discard_leaf, MAX_DEADWOOD, 0)


@device_function(inline="always")
def _best_sets_leaf(rest, sets, best, extra):
    return min(best, leftover(rest, LEFT) << 52 | sets)


@device_function
def melded(hand):
    """Return (cards in sets, cards in runs) of one arrangement with the least deadwood, the one with the fewest and lowest sets."""
    sets, runs = over_sets(hand, _best_sets_leaf, MAX_DEADWOOD << 52, 0) & FULL, np.int64(0)
    for suit in range(4):
        runs |= np.int64(COVERED[((hand ^ sets) >> (13 * suit)) & SUIT_MASK]) << (13 * suit)
    return sets, runs


@device_function
def _count_in_runs(hand):
    """Return (deadwood << 32 | number of arrangements that leave it) with runs only."""
    left, ways = np.int64(0), np.int64(1)
    for suit in range(4):
        cards = (hand >> (13 * suit)) & SUIT_MASK
        left += np.int64(LEFT[cards])
        ways *= np.int64(WAYS[cards])
    return (left << 32) | ways


@device_function(inline="always")
def _count_leaf(rest, sets, best, extra):
    counted = _count_in_runs(rest)
    return best + (counted & WAYS_BITS) if counted >> 32 == best >> 32 else min(best, counted)


@device_function
def _count(hand):
    """Return (deadwood << 32 | number of arrangements that leave it)."""
    return over_sets(hand, _count_leaf, MAX_DEADWOOD << 32, 0)


@device_function
def _append_runs(cards, suit, nth, melds, count):
    """Append the runs of the nth best choice within a suit; return the number of melds."""
    while cards:
        rank = np.int64(LOWEST[cards])
        least, low = np.int64(LEFT[cards]), np.int64(1) << rank
        rest, run = cards ^ low, np.int64(0)
        ways = np.int64(WAYS[rest]) if np.int64(LEFT[rest]) + POINTS[rank] == least else np.int64(0)
        length = 2
        while nth >= ways:
            nth -= ways
            length += 1
            run = ((np.int64(1) << length) - 1) << rank
            rest = cards & ~run
            ways = np.int64(WAYS[rest]) if np.int64(LEFT[rest]) == least else np.int64(0)
        if run:
            melds[count] = run << (13 * suit)
            count += 1
        cards = rest
    return count


@device_function
def _pick_leaf(rest, sets, nth, extra):
    """Count arrangements down to ``nth``; write the melds of that one and return -1 - melds. ``extra``: (deadwood, melds)."""
    least, melds = extra
    if nth < 0:
        return nth
    counted = _count_in_runs(rest)
    ways = counted & WAYS_BITS
    if counted >> 32 != least:
        return nth
    if nth >= ways:
        return nth - ways
    count, ranks = np.int64(0), ranks_with_sets(sets)
    while ranks:
        melds[count] = sets & (SPREAD[15] << np.int64(LOWEST[ranks]))
        ranks &= ranks - 1
        count += 1
    for suit in range(4):
        cards = (rest >> (13 * suit)) & SUIT_MASK
        ways = np.int64(WAYS[cards])
        count = _append_runs(cards, suit, nth % ways, melds, count)
        nth //= ways
    return np.int64(-1) - count


@device_function
def _pick(hand, least, nth, melds):
    """Write the nth arrangement that leaves the ``least`` deadwood, then zeros, into ``melds``; return the number of melds."""
    count = np.int64(-1) - over_sets(hand, _pick_leaf, nth, (least, melds))
    for i in range(count, len(melds)):
        melds[i] = 0
    return count


@device_function
def pick_melds(hand, key, melds):
    """Write into ``melds``, [4] int64, one of the arrangements with the least deadwood, each equally likely; return their number.

    ``key`` is the address of the draw.
    """
    counted = _count(hand)
    least, ways = counted >> 32, counted & WAYS_BITS
    nth = below(key, 0, ways) if ways > 1 else np.int64(0)
    return _pick(hand, least, nth, melds)


@kernel
def list_melds(hand):
    """Return [arrangements, 4] int64, the melds of every arrangement with the least deadwood; unused places are 0."""
    counted = _count(hand)
    least, rows = counted >> 32, np.zeros((counted & WAYS_BITS, MAX_MELDS), np.int64)
    for nth in range(len(rows)):
        _pick(hand, least, np.int64(nth), rows[nth])
    return rows


@device_function
def extends(meld):
    """Return the cards that each extend a meld; none for an empty one."""
    if meld == 0:
        return np.int64(0)
    card = lowest_card(meld)
    column = SPREAD[15] << (card % 13)
    if meld & ~column == 0:
        return column & ~meld
    first = card // 13 * 13
    # A run: the cards next to its ends.
    return (((meld << 1) | (meld >> 1)) & (SUIT_MASK << first)) & ~meld


@device_function
def lay_off(loose, melds, count):
    """Lay loose cards greedily on the first ``count`` of ``melds``, which grow; return the cards that stay loose.

    Lowest card first (clubs to spades), on the first meld that takes it, until nothing fits.
    """
    while True:
        card, index = np.int64(0), 0
        for i in range(count):
            fits = loose & extends(melds[i])
            fits &= -fits
            if fits and (card == 0 or fits < card):
                card, index = fits, i
        if card == 0:
            return loose
        melds[index] |= card
        loose ^= card


@device_function
def melds_with_fewest_lay_offs(hand, unseen, melds):
    """Write into ``melds``, [4] int64, the arrangement with the least deadwood on which the fewest ``unseen`` cards can be laid off.

    Among equals it is the first; returns the number of melds.
    """
    counted = _count(hand)
    least, fewest, chosen, count = counted >> 32, np.int64(64), np.int64(0), np.int64(0)
    for nth in range(counted & WAYS_BITS):
        count = _pick(hand, least, np.int64(nth), melds)
        fits = np.int64(0)
        for i in range(count):
            fits |= extends(melds[i])
        risk = popcount(fits & unseen)
        if risk < fewest:
            fewest, chosen = risk, np.int64(nth)
    return _pick(hand, least, chosen, melds)


@device_function
def points_of(hand):
    """Return the points of all cards."""
    total = np.int64(0)
    while hand:
        total += POINTS[lowest_card(hand)]
        hand &= hand - 1
    return total


@device_function
def simple_discard(hand, drawn, taken, used, key, left):
    """Return (discard, deadwood it leaves) of the simple player with eleven cards.

    ``drawn``: the card just drawn; ``taken``: whether it was the upcard; ``used``: [52] int64, for each card the cards it made a
    {drawn, discarded} pair with this round; ``left``: [52] int64 workspace.
    """
    forbidden = used[drawn]
    if taken:
        forbidden |= bit(drawn)
    allowed = hand & ~forbidden
    if allowed == 0:
        allowed = hand & ~bit(drawn)
    best = best_discards(hand)
    least, ties = best >> 52, best & allowed
    if ties == 0:
        discards(hand, left)
        least, rest = np.int64(500), allowed
        while rest:
            card = lowest_card(rest)
            rest &= rest - 1
            if left[card] < least:
                least, ties = left[card], np.int64(0)
            if left[card] == least:
                ties |= bit(card)
    num_ties = popcount(ties)
    return nth_card(ties, below(key, 0, num_ties) if num_ties > 1 else np.int64(0)), least


@device_function
def knocks(hand, limit):
    """Return the cards of eleven whose discard leaves at most ``limit`` points of deadwood."""
    result = np.int64(0)
    # A discard takes ten points away at most; this rejects most hands.
    if deadwood(hand, LEFT) > limit + 10:
        return result
    rest = hand
    while rest:
        card = rest & -rest
        rest ^= card
        if deadwood(hand ^ card, LEFT) <= limit:
            result |= card
    return result
