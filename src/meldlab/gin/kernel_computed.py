"""Kernels of the computed player: one card of look-ahead over the cards really unseen, on top of a book of values.

A ``book`` is a named tuple of arrays (gin.book): ``codes`` [slots, N] of an unsigned type and ``turns`` [TURNS + 2, 3] float64 (slot, low,
step) give V of every class of ten-card hands at every turn; ``keys`` and ``patterns`` rank hands; ``odds`` [TURNS + 2, KNOWNS, ODDS]
float64, ``knock`` and ``caught`` [TURNS + 2, KNOWNS, 100] float64 are what is known of the opponent, by turn and by how many of its cards
have been seen; ``deck`` [2] int64, all cards of the deck and how many a hand has.
"""

import numpy as np

from meldlab.cards.kernel import LANE, frame_of_suit, number_in_frame
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import bit, discards, popcount
from meldlab.gin.values.kernel_recursion import lane_of, without_lowest
from meldlab.melds.kernel import LOWEST

TURNS = 16
KNOWNS = 5  # 0 to 3 cards of the opponent seen, or more
HAZARD, PRICE, BIAS = 0, 1, 2
ODDS = 3
NEVER_KNOCK = -1e9


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
def fill_risks(risks, cards, hand, known, pile, book):
    """Set ``risks`` [52] float64 for each of ``cards``, given what lies open to the player."""
    unseen = book.deck[0] & ~(hand | known | pile)
    share = (book.deck[1] - popcount(known)) / max(1.0, np.float64(popcount(unseen)))
    for suit in range(4):
        lane = (cards >> (13 * suit)) & LANE
        while lane:
            card = 13 * suit + np.int64(LOWEST[lane])
            lane &= lane - 1
            risks[card] = risk_of(card, known, unseen, share)


@scalar_kernel
def value_of(number, turn, book):
    """Return V of a class at a turn; after the last turn the round is void."""
    if turn > TURNS:
        return 0.0
    row = book.turns[turn]
    return row[1] + row[2] * np.float64(book.codes[np.int64(row[0]), number])


@scalar_kernel
def best_after(hand, barred, turn, seen, limit, risks, book, left, values):
    """Return the value of eleven cards: the best over discards of knocking and of waiting.

    ``barred``: a card that may not be discarded, or none; ``seen``: the opponent's known cards, as the book counts; ``values``: [53]
    float64, set to what waiting is worth after each discard, and values[52] to the chosen card, + 64 if it is a knock.
    """
    discards(hand, left)
    odds = book.odds[turn, seen]
    knock, caught = book.knock[turn, seen], book.caught[turn, seen]
    hazard, price, bias = odds[HAZARD], odds[PRICE], odds[BIAS]
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen = 0.0, np.int64(-1)
    for suit in range(4):
        lane = lane_of(hand, suit)
        if lane == 0:
            continue
        frame = frame_of_suit(hand, suit, without_lowest(lane), book.keys, book.patterns)
        rest = lane
        while rest:
            fewer = without_lowest(rest)
            gone = np.uint32(rest ^ fewer)
            rest = fewer
            card = 13 * suit + np.int64(LOWEST[gone])
            if barred & bit(card):
                continue
            number = number_in_frame(book.keys[suit, np.uint32(lane ^ gone)], frame)
            rest_left = left[card]
            wait = (1.0 - hazard) * value_of(number, turn + 1, book) + hazard * caught[rest_left] + bias - price * risks[card]
            values[card] = wait
            if chosen < 0 or wait > best:
                best, chosen = wait, card
            if rest_left <= limit and knock[rest_left] > best:
                best, chosen = knock[rest_left], card + 64
    values[52] = chosen
    return best


@scalar_kernel
def draw_worth(hand, turn, known, pile, limit, book, left, risks, values):
    """Return what a card from stock is worth to ten cards: the mean over those really unseen; ``risks`` hold for all that may come."""
    unseen = book.deck[0] & ~(hand | known | pile)
    seen = known_bin(known)
    total, many = 0.0, 0
    for suit in range(4):
        lane = (unseen >> (13 * suit)) & LANE
        while lane:
            card = 13 * suit + np.int64(LOWEST[lane])
            lane &= lane - 1
            total += best_after(hand | bit(card), np.int64(0), turn, seen, limit, risks, book, left, values)
            many += 1
    return total / max(many, 1)


@scalar_kernel
def computed_takes(hand, upcard, turn, known, pile, limit, book, left, risks, values):
    """Tell whether the upcard is worth more than a card from stock; ``turn``: how many cards were drawn before."""
    now = min(turn + 1, TURNS)
    fill_risks(risks, book.deck[0] & ~(known | pile) | bit(upcard), hand, known, pile, book)
    taken = best_after(hand | bit(upcard), bit(upcard), now, known_bin(known), limit, risks, book, left, values)
    return taken > draw_worth(hand, now, known, pile, limit, book, left, risks, values)


@scalar_kernel
def computed_discard(hand, barred, turn, known, pile, limit, book, left, risks, values):
    """Choose among the discards of eleven cards; return card + 64 if it is a knock, and leave ``values`` as best_after does."""
    fill_risks(risks, hand, hand, known, pile, book)
    best_after(hand, barred, min(turn, TURNS), known_bin(known), limit, risks, book, left, values)
    return np.int64(values[52])
