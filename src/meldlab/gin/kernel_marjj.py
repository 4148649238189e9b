"""Kernels of the player written from the description of MARJJ: deadwood, one card of look-ahead that counts less every turn, and danger."""

import numpy as np

from meldlab.cards.kernel import popcount
from meldlab.compiling import device_function
from meldlab.gin.kernel_computed import risk_of
from meldlab.gin.kernel_hand import FULL, LEFT, POINTS, bit, least_after_discard, lowest_card, makes_meld
from meldlab.gin.kernel_round import observe_discard, threshold, upcard_of
from meldlab.melds.kernel import deadwood

MAX_CARD_POINTS = 10.0  # points


@device_function
def marjj_takes(player, memory, state):
    """Return whether to take the upcard: if it makes a meld and a discard then leaves less deadwood than there is."""
    hand, upcard = state.hand[state.seat], upcard_of(state)
    return makes_meld(hand, upcard) and least_after_discard(hand | bit(upcard)) < deadwood(hand, LEFT)


@device_function
def saved_next(hand, now, unseen):
    """Return the points by which the next card lowers the deadwood of ten cards, ``now``: the mean over ``unseen`` ones."""
    without, total, num_unseen = least_after_discard(hand), np.int64(0), popcount(unseen)
    while unseen:
        card = lowest_card(unseen)
        unseen &= unseen - 1
        # A card that melds with nothing can only replace a more costly one.
        after = least_after_discard(hand | bit(card)) if makes_meld(hand, card) else without + POINTS[card]
        total += now - min(now, after)
    return np.float64(total) / max(num_unseen, 1)


@device_function
def marjj_discards(player, memory, state):
    """Return (discard, whether to knock with it).

    Where a knock is allowed it is the discard that leaves the least. ``workspace.values`` is set for each discard.
    """
    observation = observe_discard(state)
    hand, known, limit = observation.hand, observation.known, threshold(player, observation.turn, observation.knock_limit)
    unseen = FULL & ~(hand | known | observation.pile)
    share = (10 - popcount(known)) / max(1.0, np.float64(popcount(unseen)))
    turn = (observation.turn - 1) // np.int64(player.turn_draws)
    weight = player.look_ahead * player.fading**turn / MAX_CARD_POINTS
    # Start with the first allowed card, so that one is chosen whatever the values are.
    best, chosen, least, low = 0.0, np.int64(-1), np.int64(500), np.int64(-1)
    allowed = hand & ~observation.forbidden
    while allowed:
        card = lowest_card(allowed)
        allowed &= allowed - 1
        rest = hand ^ bit(card)
        now = np.int64(deadwood(rest, LEFT))
        value = weight * saved_next(rest, now, unseen) - now - player.danger * risk_of(card, known, unseen, share)
        memory.workspace.values[card] = value
        if chosen < 0 or value > best:
            best, chosen = value, card
        if now < least:
            least, low = now, card
    return (low, True) if least <= limit else (chosen, False)
