"""Kernels of the computed player: one card of look-ahead over the cards really unseen, on top of a book of values.

``book`` is the Values of gin.kernel_layout, ``sight`` its Sight and ``sheet`` its Sheet.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_number, frame_of_suit, number_in_frame, popcount
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import LEFT, bit, lowest_card
from meldlab.gin.kernel_layout import BIAS, HAZARD, KNOWNS, PRICE, TURNS
from meldlab.gin.values.kernel_recursion import lane_of, without_lowest
from meldlab.melds.kernel import deadwood_of_few, leftover, ranks_with_sets

LOWEST_WORTH = -1e300


class Reckoning(NamedTuple):
    """What all discards of a turn are reckoned with: the book's rows of that turn and of the next."""

    slot: Any  # of the values
    low: Any
    step: Any
    hazard: Any
    price: Any
    bias: Any
    limit: Any  # the most deadwood to knock with
    knock: Any  # [DEADWOODS] float64
    caught: Any  # [DEADWOODS] float64


@scalar_kernel
def known_bin(known):
    """Return how many of the opponent's cards are known, as the book counts them."""
    return min(popcount(known), KNOWNS - 1)


@scalar_kernel
def chance_held(card, known, unseen, share):
    """Return the chance that the opponent holds a card: sure, impossible, or like any unseen card."""
    return 1.0 if known & bit(card) else share if unseen & bit(card) else 0.0


@scalar_kernel
def risk_of(card, known, unseen, share):
    """Return the chance that a card makes a meld with two cards of the opponent, taken as if the pairs were independent."""
    suit, rank = card // 13, card % 13
    safe = 1.0
    a = chance_held(13 * ((suit + 1) & 3) + rank, known, unseen, share)
    b = chance_held(13 * ((suit + 2) & 3) + rank, known, unseen, share)
    c = chance_held(13 * ((suit + 3) & 3) + rank, known, unseen, share)
    safe *= (1.0 - a * b) * (1.0 - b * c) * (1.0 - a * c)
    below2 = chance_held(card - 2, known, unseen, share) if rank >= 2 else 0.0
    below1 = chance_held(card - 1, known, unseen, share) if rank >= 1 else 0.0
    above1 = chance_held(card + 1, known, unseen, share) if rank <= 11 else 0.0
    above2 = chance_held(card + 2, known, unseen, share) if rank <= 10 else 0.0
    safe *= (1.0 - below2 * below1) * (1.0 - below1 * above1) * (1.0 - above1 * above2)
    return 1.0 - safe


@scalar_kernel
def share_of(known, unseen, book):
    """Return the chance that the opponent holds an unseen card."""
    return (book.deck[1] - popcount(known)) / max(1.0, np.float64(popcount(unseen)))


@scalar_kernel
def reckoning(turn, known, limit, book):
    """Return what all discards of a turn are reckoned with."""
    seen = known_bin(known)
    odds, row = book.odds[turn, seen], book.turns[min(turn + 1, TURNS)]
    # After the last turn the round is void, and every code worth nothing.
    low, step = (row[1], row[2]) if turn < TURNS else (0.0, 0.0)
    knock, caught = book.knock[turn, seen], book.caught[turn, seen]
    return Reckoning(np.int64(row[0]), low, step, odds[HAZARD], odds[PRICE], odds[BIAS], limit, knock, caught)


@scalar_kernel
def waiting(code, left, risk, reckoned):
    """Return what it is worth to go on with a hand of this code and deadwood, after a discard of this risk."""
    value = reckoned.low + reckoned.step * np.float64(code)
    return (1.0 - reckoned.hazard) * value + reckoned.hazard * reckoned.caught[left] + reckoned.bias - reckoned.price * risk


@scalar_kernel
def after_draw(hand, drawn, taken, risk, risks, reckoned, book):
    """Return the value of a hand and a drawn card: the best over discards of knocking and of waiting; a ``taken`` upcard stays.

    ``risk``: of dropping the drawn card; ``risks``: [cards] float64, of the others in the order of cards.
    """
    whole = hand | bit(drawn)
    ranks, total = ranks_with_sets(whole), leftover(whole, LEFT)
    best, at = LOWEST_WORTH, 0
    for suit in range(4):
        lane = lane_of(whole, suit)
        if lane == 0:
            continue
        frame = frame_of_suit(whole, suit, without_lowest(lane), book.keys, book.patterns)
        others, rest = total - np.int64(LEFT[lane]), lane
        while rest:
            fewer = without_lowest(rest)
            gone = np.uint32(rest ^ fewer)
            rest = fewer
            card = np.int64(gone) << (13 * suit)
            its_risk = risk
            if card & hand:
                its_risk = risks[at]
                at += 1
            elif taken:
                continue
            kept = np.uint32(lane ^ gone)
            # The code comes from far away: a GPU works out the deadwood meanwhile.
            code = book.codes[reckoned.slot, number_in_frame(book.keys[suit, kept], frame)]
            left = deadwood_of_few(whole ^ card, ranks_with_sets(whole ^ card), LEFT) if ranks else others + np.int64(LEFT[kept])
            best = max(best, waiting(code, left, its_risk, reckoned))
            if left <= reckoned.limit:
                best = max(best, reckoned.knock[left])
    return best


@scalar_kernel
def computed_takes(sight, upcard, book, sheet):
    """Tell whether the upcard is worth more than a card from stock, the mean over those really unseen."""
    hand, known, risks = sight.hand, sight.known, sheet.risks
    unseen = book.deck[0] & ~(hand | known | sight.pile)
    share, reckoned = share_of(known, unseen, book), reckoning(min(sight.turn + 1, TURNS), known, sight.limit, book)
    rest, at = hand, 0
    while rest:
        risks[at] = risk_of(lowest_card(rest), known, unseen, share)
        rest &= rest - 1
        at += 1
    taken = after_draw(hand, upcard, True, 0.0, risks, reckoned, book)
    total, many, rest = 0.0, max(popcount(unseen), 1), unseen
    while rest:
        card = lowest_card(rest)
        total += after_draw(hand, card, False, risk_of(card, known, unseen, share), risks, reckoned, book)
        rest &= rest - 1
    return taken > total / many


@scalar_kernel
def computed_discard(sight, book, sheet):
    """Choose among the discards of eleven cards; return card + 64 if it is a knock.

    Of the sheet, ``left``, ``risks`` and ``values`` are set for each card that may go: what waiting is worth after it.
    """
    hand, known, risks, left, values = sight.hand, sight.known, sheet.risks, sheet.left, sheet.values
    unseen = book.deck[0] & ~(hand | known | sight.pile)
    share, reckoned = share_of(known, unseen, book), reckoning(min(sight.turn, TURNS), known, sight.limit, book)
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen, rest = 0.0, np.int64(-1), hand & ~sight.barred
    while rest:
        card = lowest_card(rest)
        rest &= rest - 1
        kept = hand ^ bit(card)
        left[card] = after = deadwood_of_few(kept, ranks_with_sets(kept), LEFT)
        risks[card] = risk = risk_of(card, known, unseen, share)
        values[card] = wait = waiting(book.codes[reckoned.slot, class_number(kept, book.keys, book.patterns)], after, risk, reckoned)
        if chosen < 0 or wait > best:
            best, chosen = wait, card
        if after <= reckoned.limit and reckoned.knock[after] > best:
            best, chosen = reckoned.knock[after], card + 64
    return chosen
