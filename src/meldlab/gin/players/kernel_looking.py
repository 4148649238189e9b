"""Kernels of the computed player: one card of look-ahead over the cards really unseen, on top of a book of values.

``book`` is the Values of gin.kernel_layout, ``sight`` its Sight and ``sheet`` its Sheet.
"""

import numpy as np

from meldlab.cards.kernel import frame_of_suit, number_in_frame
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import bit, discards, lowest_card, popcount
from meldlab.gin.kernel_layout import BIAS, HAZARD, KNOWNS, PRICE, TURNS
from meldlab.gin.values.kernel_recursion import lane_of, without_lowest
from meldlab.melds.kernel import LOWEST


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
    while cards:
        card = lowest_card(cards)
        cards &= cards - 1
        risks[card] = risk_of(card, known, unseen, share)


@scalar_kernel
def value_of(number, turn, book):
    """Return V of a class at a turn; after the last turn the round is void."""
    if turn > TURNS:
        return 0.0
    row = book.turns[turn]
    return row[1] + row[2] * np.float64(book.codes[np.int64(row[0]), number])


@scalar_kernel
def best_after(hand, barred, turn, seen, limit, book, sheet):
    """Return the value of eleven cards: the best over discards of knocking and of waiting.

    ``barred``: a card that may not be discarded, or none; ``seen``: the opponent's known cards, as the book counts. The values of the sheet
    are set to what waiting is worth after each discard, and values[52] to the chosen card, + 64 if it is a knock.
    """
    left, risks, values = sheet.left, sheet.risks, sheet.values
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
def draw_worth(sight, turn, book, sheet):
    """Return what a card from stock is worth to ten cards: the mean over those really unseen; the risks hold for all that may come."""
    hand, limit = sight.hand, sight.limit
    unseen = book.deck[0] & ~(hand | sight.known | sight.pile)
    seen = known_bin(sight.known)
    total, many = 0.0, 0
    while unseen:
        total += best_after(hand | (unseen & -unseen), np.int64(0), turn, seen, limit, book, sheet)
        unseen &= unseen - 1
        many += 1
    return total / max(many, 1)


@scalar_kernel
def computed_takes(sight, upcard, book, sheet):
    """Tell whether the upcard is worth more than a card from stock."""
    hand, known, pile = sight.hand, sight.known, sight.pile
    now = min(sight.turn + 1, TURNS)
    fill_risks(sheet.risks, book.deck[0] & ~(known | pile) | bit(upcard), hand, known, pile, book)
    taken = best_after(hand | bit(upcard), bit(upcard), now, known_bin(known), sight.limit, book, sheet)
    return taken > draw_worth(sight, now, book, sheet)


@scalar_kernel
def computed_discard(sight, book, sheet):
    """Choose among the discards of eleven cards; return card + 64 if it is a knock, and leave the values as best_after does."""
    fill_risks(sheet.risks, sight.hand, sight.hand, sight.known, sight.pile, book)
    best_after(sight.hand, sight.barred, min(sight.turn, TURNS), known_bin(sight.known), sight.limit, book, sheet)
    return np.int64(sheet.values[52])
