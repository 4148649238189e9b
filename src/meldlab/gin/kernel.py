"""Kernels on gin hands: discards, arrangements, lay-offs, and the decisions of the simple player.

Everything rests on four tables of the 8192 suit lanes: the fewest points outside runs, the cards that one best choice of runs
covers, how many best choices there are, and what the best discard saves. Sets join suits and are chosen first; ranks with three or four
cards are few.
"""

import numpy as np

from meldlab.cards.kernel import LANE, popcount
from meldlab.chance.kernel import below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import kernel, scalar_kernel
from meldlab.melds.kernel import LOWEST, SPREAD, TRIES, deadwood, ranks_with_sets, suits_held

FULL = (1 << 52) - 1
POINTS = np.array([min(index % 13 + 1, 10) for index in range(52)], np.int64)
RUNS_FROM = [[((1 << length) - 1) << start for length in range(3, 14 - start)] for start in range(13)]
LEFT = np.zeros(8192, np.uint8)
COVERED = np.zeros(8192, np.uint16)
WAYS = np.ones(8192, np.uint8)
for _lane in range(1, 8192):
    _low = (_lane & -_lane).bit_length() - 1
    # The lowest card is left over, or starts a run; both leave a smaller lane whose answer is known.
    _tries = [(int(LEFT[_lane ^ 1 << _low]) + min(_low + 1, 10), _lane ^ 1 << _low, 0)]
    _tries += [(int(LEFT[_lane ^ run]), _lane ^ run, run) for run in RUNS_FROM[_low] if run & _lane == run]
    _best = min(_tries)[0]
    LEFT[_lane] = _best
    WAYS[_lane] = sum(int(WAYS[rest]) for left, rest, _ in _tries if left == _best)
    _, _rest, _run = max((one for one in _tries if one[0] == _best), key=lambda one: one[2])
    COVERED[_lane] = int(COVERED[_rest]) | _run

# By how many points the best discard from a lane lowers what is left of it; without a run too few that is below 0, and so for an empty one.
SAVED = np.full(8192, -100, np.int8)
# In one number, to be read at once: what is left << 24 | what the best discard saves, + 128, << 13 | the cards that save it.
DISCARDS = LEFT.astype(np.uint32) << 24 | 28 << 13
for _lane in range(1, 8192):
    _each = {1 << _rank: int(LEFT[_lane]) - int(LEFT[_lane ^ 1 << _rank]) for _rank in range(13) if _lane >> _rank & 1}
    SAVED[_lane] = _best = max(_each.values())
    DISCARDS[_lane] = int(LEFT[_lane]) << 24 | _best + 128 << 13 | sum(card for card, saved in _each.items() if saved == _best)

# Windows of five ranks around a card that hold two neighbours to make a run of: below, around, above.
MAKES_RUN = np.array([window & 3 == 3 or window & 10 == 10 or window & 24 == 24 for window in range(32)], np.bool_)

DISCARD, MELDS = int(Purpose.DISCARD), int(Purpose.MELDS)
LOW_BITS = (1 << 24) - 1  # of DISCARDS
WAYS_BITS = (1 << 32) - 1  # of what is counted with its deadwood
MOST_MELDS = 4  # in one lane of eleven cards three, and so in all


@scalar_kernel
def bit(card):
    """Return the hand of one card."""
    return np.int64(1) << np.int64(card)


@scalar_kernel
def lowest_card(hand):
    """Return the lowest card of a hand that has one.

    One loop over a hand ends as the processor expects; four loops over its lanes, of a few cards each, often do not.
    """
    return popcount((hand & -hand) - 1)


@scalar_kernel
def nth_card(hand, nth):
    """Return a card of a hand, counted from 0."""
    for _ in range(nth):
        hand &= hand - 1
    return lowest_card(hand)


@scalar_kernel
def makes_meld(hand, card):
    """Tell whether a meld within the hand and ``card``, which is not in it, contains the card."""
    suit, rank = card // 13, card % 13
    lane = (hand >> (13 * suit)) & LANE
    column = (hand >> rank) & SPREAD[15]
    return MAKES_RUN[((lane << 2) >> rank) & 31] or (column & (column - 1)) != 0


@scalar_kernel
def _lanes_left(hand, left):
    """Lower left[card] to the deadwood after discarding that card, when ``hand`` lies in runs only; return the deadwood of all."""
    total = np.int64(0)
    for suit in range(4):
        total += np.int64(LEFT[(hand >> (13 * suit)) & LANE])
    rest = hand
    while rest:
        card = lowest_card(rest)
        rest &= rest - 1
        first = card // 13 * 13
        lane = (hand >> first) & LANE
        after = total - np.int64(LEFT[lane]) + np.int64(LEFT[lane ^ (np.int64(1) << (card - first))])
        if after < left[card]:
            left[card] = after
    return total


@scalar_kernel
def _sets_left(hand, ranks, left):
    """Do and return the same over every choice of sets on ``ranks``, a lane with at least one bit."""
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    least = _sets_left(hand, others, left) if others else _lanes_left(hand, left)
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (TRIES[held, i] << rank)
        total = _sets_left(rest, others, left) if others else _lanes_left(rest, left)
        if total < least:
            least = total
    return least


@scalar_kernel
def discards(hand, left):
    """Fill ``left``, [52] int64, with the deadwood after each discard (500 for cards not held) and return the deadwood of the hand.

    A card inside a chosen set is not discarded with that choice: the choice without it, or without the set, comes by itself.
    """
    left[:] = 500
    ranks = ranks_with_sets(hand)
    return _sets_left(hand, ranks, left) if ranks else _lanes_left(hand, left)


@scalar_kernel
def _lanes_best(hand):
    """Return (least deadwood after a discard << 52 | the cards that leave it) when ``hand`` lies in runs only."""
    a, b = np.int64(DISCARDS[hand & LANE]), np.int64(DISCARDS[(hand >> 13) & LANE])
    c, d = np.int64(DISCARDS[(hand >> 26) & LANE]), np.int64(DISCARDS[(hand >> 39) & LANE])
    left = (a + b + c + d) >> 24  # what is below adds up to less
    a, b, c, d = a & LOW_BITS, b & LOW_BITS, c & LOW_BITS, d & LOW_BITS
    most = max(max(a, b), max(c, d)) >> 13
    cards = a & LANE if a >> 13 == most else np.int64(0)
    cards |= (b & LANE) << 13 if b >> 13 == most else np.int64(0)
    cards |= (c & LANE) << 26 if c >> 13 == most else np.int64(0)
    cards |= (d & LANE) << 39 if d >> 13 == most else np.int64(0)
    return ((left + 128 - most) << 52) | cards


@scalar_kernel
def _sets_best(hand, ranks):
    """Return the same over every choice of sets on ``ranks``, a lane with at least one bit."""
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = _sets_best(hand, others) if others else _lanes_best(hand)
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (TRIES[held, i] << rank)
        found = _sets_best(rest, others) if others else _lanes_best(rest)
        if found >> 52 == best >> 52:
            best |= found
        elif found < best:
            best = found
    return best


@scalar_kernel
def best_discards(hand):
    """Return (least deadwood after a discard << 52 | the cards that leave it), as ``discards`` would tell for each card."""
    ranks = ranks_with_sets(hand)
    return _sets_best(hand, ranks) if ranks else _lanes_best(hand)


@scalar_kernel
def _lanes_least(hand):
    """Return the least deadwood after a discard when ``hand`` lies in runs only."""
    total, saved = np.int64(0), np.int64(-100)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        total += np.int64(LEFT[lane])
        saved = max(saved, np.int64(SAVED[lane]))
    return total - saved


@scalar_kernel
def _sets_least(hand, ranks):
    """Return the same over every choice of sets on ``ranks``, a lane with at least one bit."""
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    least = _sets_least(hand, others) if others else _lanes_least(hand)
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (TRIES[held, i] << rank)
        least = min(least, _sets_least(rest, others) if others else _lanes_least(rest))
    return least


@scalar_kernel
def least_after_discard(hand):
    """Return the least deadwood that a discard can leave."""
    ranks = ranks_with_sets(hand)
    return _sets_least(hand, ranks) if ranks else _lanes_least(hand)


@scalar_kernel
def _best_sets(hand, ranks, sets):
    """Return the least of (points left << 52 | cards in sets) over every choice of sets."""
    if ranks == 0:
        left = np.int64(0)
        for suit in range(4):
            left += np.int64(LEFT[(hand >> (13 * suit)) & LANE])
        return (left << 52) | sets
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = _best_sets(hand, others, sets)
    for i in range(1, 6 if held == 15 else 2):
        chosen = TRIES[held, i] << rank
        found = _best_sets(hand ^ chosen, others, sets | chosen)
        if found < best:
            best = found
    return best


@scalar_kernel
def covered(hand):
    """Return the cards of a hand that one best choice of runs covers."""
    return (
        np.int64(COVERED[hand & LANE])
        | np.int64(COVERED[(hand >> 13) & LANE]) << 13
        | np.int64(COVERED[(hand >> 26) & LANE]) << 26
        | np.int64(COVERED[(hand >> 39) & LANE]) << 39
    )


@scalar_kernel
def melded(hand):
    """Return (cards in sets, cards in runs) of one arrangement with the least deadwood, the one with the fewest and lowest sets."""
    sets = _best_sets(hand, ranks_with_sets(hand), np.int64(0)) & FULL
    return sets, covered(hand ^ sets)


@scalar_kernel
def _lanes_count(hand):
    """Return (deadwood << 32 | how many arrangements leave it) when ``hand`` lies in runs only."""
    left, ways = np.int64(0), np.int64(1)
    for suit in range(4):
        lane = (hand >> (13 * suit)) & LANE
        left += np.int64(LEFT[lane])
        ways *= np.int64(WAYS[lane])
    return (left << 32) | ways


@scalar_kernel
def _count(hand, ranks):
    """Return the same over every choice of sets on ``ranks``."""
    if ranks == 0:
        return _lanes_count(hand)
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    best = _count(hand, others) if others else _lanes_count(hand)
    for i in range(1, 6 if held == 15 else 2):
        rest = hand ^ (TRIES[held, i] << rank)
        found = _count(rest, others) if others else _lanes_count(rest)
        if found >> 32 == best >> 32:
            best += found & WAYS_BITS
        elif found < best:
            best = found
    return best


@scalar_kernel
def _runs_of_lane(lane, suit, nth, melds, many):
    """Append the runs of the nth best choice within a lane; return how many melds there are now."""
    while lane:
        rank = np.int64(LOWEST[lane])
        least, low = np.int64(LEFT[lane]), np.int64(1) << rank
        rest, run = lane ^ low, np.int64(0)
        ways = np.int64(WAYS[rest]) if np.int64(LEFT[rest]) + POINTS[rank] == least else np.int64(0)
        length = 2
        while nth >= ways:
            nth -= ways
            length += 1
            run = ((np.int64(1) << length) - 1) << rank
            rest = lane & ~run
            ways = np.int64(WAYS[rest]) if np.int64(LEFT[rest]) == least else np.int64(0)
        if run:
            melds[many] = run << (13 * suit)
            many += 1
        lane = rest
    return many


@scalar_kernel
def _pick(hand, ranks, least, nth, melds, many):
    """Write the nth arrangement behind ``many`` melds; return what is left of nth, or -1 - melds when it is written."""
    # One number, not a pair: a recursive function that returns a pair crashes when numba loads it from its cache.
    if ranks == 0:
        found = _lanes_count(hand)
        ways = found & WAYS_BITS
        if found >> 32 != least:
            return nth
        if nth >= ways:
            return nth - ways
        for suit in range(4):
            lane = (hand >> (13 * suit)) & LANE
            ways = np.int64(WAYS[lane])
            many = _runs_of_lane(lane, suit, nth % ways, melds, many)
            nth //= ways
        return np.int64(-1) - many
    others = ranks & (ranks - 1)
    rank = np.int64(LOWEST[ranks])
    held = suits_held(hand, rank)
    nth = _pick(hand, others, least, nth, melds, many)
    for i in range(1, 6 if held == 15 else 2):
        if nth < 0:
            break
        chosen = TRIES[held, i] << rank
        melds[many] = chosen
        nth = _pick(hand ^ chosen, others, least, nth, melds, many + 1)
    return nth


@scalar_kernel
def pick_melds(hand, key, melds):
    """Write into ``melds``, [4] int64, one of the arrangements with the least deadwood, each equally likely; return how many melds.

    ``key`` is the address of the draw.
    """
    ranks = ranks_with_sets(hand)
    found = _count(hand, ranks)
    least, ways = found >> 32, found & WAYS_BITS
    nth = below(key, 0, ways) if ways > 1 else np.int64(0)
    many = -1 - _pick(hand, ranks, least, nth, melds, np.int64(0))
    for i in range(many, len(melds)):
        melds[i] = 0
    return many


@kernel
def list_melds(hand):
    """Return [arrangements, 4] int64, the melds of every arrangement with the least deadwood; unused places are 0."""
    ranks = ranks_with_sets(hand)
    counted = _count(hand, ranks)
    least, found = counted >> 32, np.zeros((counted & WAYS_BITS, MOST_MELDS), np.int64)
    for nth in range(len(found)):
        many = -1 - _pick(hand, ranks, least, np.int64(nth), found[nth], np.int64(0))
        found[nth, many:] = 0
    return found


@scalar_kernel
def fitting(meld):
    """Return the cards each of which makes a longer meld of a meld, or of nothing nothing."""
    if meld == 0:
        return np.int64(0)
    card = lowest_card(meld)
    column = SPREAD[15] << (card % 13)
    if meld & ~column == 0:
        return column & ~meld
    first = card // 13 * 13
    # A run: the cards next to its ends.
    return (((meld << 1) | (meld >> 1)) & (LANE << first)) & ~meld


@scalar_kernel
def lay_off(loose, melds, many):
    """Lay loose cards greedily on the first ``many`` of ``melds``, which grow; return the cards that stay loose.

    Lowest card first (clubs to spades), on the first meld that takes it, until nothing fits.
    """
    while True:
        card, at = np.int64(0), 0
        for i in range(many):
            fits = loose & fitting(melds[i])
            fits &= -fits
            if fits and (card == 0 or fits < card):
                card, at = fits, i
        if card == 0:
            return loose
        melds[at] |= card
        loose ^= card


@scalar_kernel
def guarded_melds(hand, unseen, melds):
    """Write into ``melds``, [4] int64, the arrangement with the least deadwood on which the fewest ``unseen`` cards can be laid off.

    Among equals it is the first; returns how many melds.
    """
    ranks = ranks_with_sets(hand)
    counted = _count(hand, ranks)
    least, fewest, chosen, many = counted >> 32, np.int64(64), np.int64(0), np.int64(0)
    for nth in range(counted & WAYS_BITS):
        many = -1 - _pick(hand, ranks, least, np.int64(nth), melds, np.int64(0))
        fits = np.int64(0)
        for i in range(many):
            fits |= fitting(melds[i])
        risk = popcount(fits & unseen)
        if risk < fewest:
            fewest, chosen = risk, np.int64(nth)
    many = -1 - _pick(hand, ranks, least, chosen, melds, np.int64(0))
    for i in range(many, len(melds)):
        melds[i] = 0
    return many


@scalar_kernel
def points_of(hand):
    """Return the points of all cards."""
    total = np.int64(0)
    while hand:
        total += POINTS[lowest_card(hand)]
        hand &= hand - 1
    return total


@scalar_kernel
def simple_discard(hand, drawn, taken, used, key, left):
    """Return the simple player's discard from eleven cards and the deadwood it leaves, as card + 64 * deadwood.

    ``drawn``: the card just drawn; ``taken``: whether it was the upcard; ``used``: [52] int64, for each card the cards it made a
    {drawn, discarded} pair with this round; ``left``: [52] int64 workspace.
    """
    barred = used[drawn]
    if taken:
        barred |= bit(drawn)
    allowed = hand & ~barred
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
    many = popcount(ties)
    return nth_card(ties, below(key, 0, many) if many > 1 else np.int64(0)) + 64 * least


@scalar_kernel
def knocks(hand, limit):
    """Return the cards of eleven whose discard leaves at most ``limit`` points of deadwood."""
    found = np.int64(0)
    # A discard takes ten points away at most; most hands are refused here.
    if deadwood(hand, LEFT) > limit + 10:
        return found
    rest = hand
    while rest:
        card = rest & -rest
        rest ^= card
        if deadwood(hand ^ card, LEFT) <= limit:
            found |= card
    return found
