"""Kernels of the player written from the description of MARJJ: deadwood, one card of look-ahead that counts less every turn, and danger.

``player`` is a vector, ``sight`` a Sight and ``sheet`` a Sheet of gin.kernel_layout.
"""

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.compiling import scalar_kernel
from meldlab.gin.kernel import FULL, LEFT, POINTS, bit, least_after_discard, lowest_card, makes_meld
from meldlab.gin.kernel_layout import *
from meldlab.gin.players.kernel_looking import risk_of
from meldlab.melds.kernel import deadwood

MOST_OF_A_CARD = 10.0  # points


@scalar_kernel
def marjj_takes(sight, upcard):
    """Tell whether to take the upcard: if it makes a meld and a discard then leaves less deadwood than there is."""
    hand = sight.hand
    return makes_meld(hand, upcard) and least_after_discard(hand | bit(upcard)) < deadwood(hand, LEFT)


@scalar_kernel
def saved_next(hand, now, unseen):
    """Return by how much the next card lowers the deadwood of ten cards, ``now``: the mean over ``unseen`` ones."""
    without, total, many = least_after_discard(hand), np.int64(0), popcount(unseen)
    while unseen:
        card = lowest_card(unseen)
        unseen &= unseen - 1
        # A card that melds with nothing can only take the place of a dearer one.
        after = least_after_discard(hand | bit(card)) if makes_meld(hand, card) else without + POINTS[card]
        total += now - min(now, after)
    return np.float64(total) / max(many, 1)


@scalar_kernel
def marjj_discard(sight, most, player, sheet):
    """Return the discard and the deadwood it leaves, as card + 64 * deadwood; ``most``: the most deadwood to knock with.

    Where a knock is allowed it is the discard that leaves the least. The values of the sheet are those of the hand after each discard.
    """
    hand, known = sight.hand, sight.known
    unseen = FULL & ~(hand | known | sight.pile)
    share = (10 - popcount(known)) / max(1.0, np.float64(popcount(unseen)))
    turn = (sight.turn - 1) // np.int64(player[TURN_DRAWS])
    weight = player[LOOK] * player[FADES] ** turn / MOST_OF_A_CARD
    # The first card that may go is chosen until a better one comes: there is always one, whatever the numbers are.
    best, chosen, least, low = 0.0, np.int64(-1), np.int64(500), np.int64(-1)
    allowed = hand & ~sight.barred
    while allowed:
        card = lowest_card(allowed)
        allowed &= allowed - 1
        rest = hand ^ bit(card)
        now = np.int64(deadwood(rest, LEFT))
        value = weight * saved_next(rest, now, unseen) - now - player[DANGER] * risk_of(card, known, unseen, share)
        sheet.values[card] = value
        if chosen < 0 or value > best:
            best, chosen = value, card
        if now < least:
            least, low = now, card
    if least <= most:
        chosen = low
    return chosen + 64 * np.int64(deadwood(hand ^ bit(chosen), LEFT))
