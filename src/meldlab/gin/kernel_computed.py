"""Kernels of the computed player: a look-ahead of one card over the unseen cards, on top of the value tables.

``table`` is a ValueTable of gin.kernel_state.
"""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_number, number_in_frame, popcount, suit_cards, suit_frame, without_lowest
from meldlab.compiling import device_function
from meldlab.gin.kernel_hand import LEFT, bit, lowest_card
from meldlab.gin.kernel_round import observe, observe_discard, upcard_of
from meldlab.gin.kernel_state import BIAS, HAZARD, KNOWNS, PRICE, TURNS
from meldlab.melds.kernel import leftover, ranks_with_sets, small_hand_deadwood

LOWEST_VALUE = -1e300


class TurnOdds(NamedTuple):
    """The rows of a value table for the discards of a turn: of that turn and of the next."""

    slot: Any  # of the values
    low: Any
    step: Any
    hazard: Any
    price: Any
    bias: Any
    limit: Any  # the most deadwood to knock with
    knock: Any  # [DEADWOODS] float64
    caught: Any  # [DEADWOODS] float64


@device_function
def held_probability(card, known, unseen, share):
    """Return the probability that the opponent holds a card: certain, impossible, or like any unseen card."""
    return 1.0 if known & bit(card) else share if unseen & bit(card) else 0.0


@device_function
def risk_of(card, known, unseen, share):
    """Return the probability that a card makes a meld with two cards of the opponent, taken as if the pairs were independent."""
    suit, rank = card // 13, card % 13
    safe = 1.0
    a = held_probability(13 * ((suit + 1) & 3) + rank, known, unseen, share)
    b = held_probability(13 * ((suit + 2) & 3) + rank, known, unseen, share)
    c = held_probability(13 * ((suit + 3) & 3) + rank, known, unseen, share)
    safe *= (1.0 - a * b) * (1.0 - b * c) * (1.0 - a * c)
    below2 = held_probability(card - 2, known, unseen, share) if rank >= 2 else 0.0
    below1 = held_probability(card - 1, known, unseen, share) if rank >= 1 else 0.0
    above1 = held_probability(card + 1, known, unseen, share) if rank <= 11 else 0.0
    above2 = held_probability(card + 2, known, unseen, share) if rank <= 10 else 0.0
    safe *= (1.0 - below2 * below1) * (1.0 - below1 * above1) * (1.0 - above1 * above2)
    return 1.0 - safe


@device_function
def share_of(known, unseen, table):
    """Return the probability that the opponent holds an unseen card."""
    return (table.deck[1] - popcount(known)) / max(1.0, np.float64(popcount(unseen)))


@device_function
def turn_odds(turn, known, limit, table):
    """Return the rows of a value table for the discards of a turn."""
    seen = min(popcount(known), KNOWNS - 1)
    odds, row = table.odds[turn, seen], table.turns[min(turn + 1, TURNS)]
    # After the last turn the round is void, and every value is 0.
    low, step = (row[1], row[2]) if turn < TURNS else (0.0, 0.0)
    knock, caught = table.knock[turn, seen], table.caught[turn, seen]
    return TurnOdds(np.int64(row[0]), low, step, odds[HAZARD], odds[PRICE], odds[BIAS], limit, knock, caught)


@device_function
def wait_value(code, left, risk, odds_of_turn):
    """Return the value of continuing with a hand of this code and deadwood, after a discard of this risk."""
    value = odds_of_turn.low + odds_of_turn.step * np.float64(code)
    return (
        (1.0 - odds_of_turn.hazard) * value
        + odds_of_turn.hazard * odds_of_turn.caught[left]
        + odds_of_turn.bias
        - odds_of_turn.price * risk
    )


@device_function
def after_draw(hand, drawn, taken, risk, risks, odds_of_turn, table):
    """Return the value of a hand and a drawn card: the best over discards of knocking and of wait_value; a ``taken`` upcard stays.

    ``risk``: of dropping the drawn card; ``risks``: [cards] float64, of the others in the order of cards.
    """
    whole = hand | bit(drawn)
    ranks, total = ranks_with_sets(whole), leftover(whole, LEFT)
    best, index = LOWEST_VALUE, 0
    for suit in range(4):
        cards = suit_cards(whole, suit)
        if cards == 0:
            continue
        frame = suit_frame(whole, suit, without_lowest(cards), table.keys, table.patterns)
        others, rest = total - np.int64(LEFT[cards]), cards
        while rest:
            fewer = without_lowest(rest)
            gone = np.uint32(rest ^ fewer)
            rest = fewer
            card = np.int64(gone) << (13 * suit)
            its_risk = risk
            if card & hand:
                its_risk = risks[index]
                index += 1
            elif taken:
                continue
            left_cards = np.uint32(cards ^ gone)
            # Loaded first: a GPU computes the deadwood while it waits for the code.
            code = table.codes[odds_of_turn.slot, number_in_frame(table.keys[suit, left_cards], frame)]
            left = small_hand_deadwood(whole ^ card, LEFT) if ranks else others + np.int64(LEFT[left_cards])
            best = max(best, wait_value(code, left, its_risk, odds_of_turn))
            if left <= odds_of_turn.limit:
                best = max(best, odds_of_turn.knock[left])
    return best


@device_function
def computed_takes(table, memory, state):
    """Return whether the value of the upcard exceeds that of a card from stock, the mean over the unseen cards."""
    observation = observe(state, state.seat, np.int64(0))
    hand, known, risks = observation.hand, observation.known, memory.workspace.risks
    unseen = table.deck[0] & ~(hand | known | observation.pile)
    share, odds_of_turn = share_of(known, unseen, table), turn_odds(min(observation.turn + 1, TURNS), known, observation.knock_limit, table)
    rest, index = hand, 0
    while rest:
        risks[index] = risk_of(lowest_card(rest), known, unseen, share)
        rest &= rest - 1
        index += 1
    taken = after_draw(hand, upcard_of(state), True, 0.0, risks, odds_of_turn, table)
    total, num_unseen, rest = 0.0, max(popcount(unseen), 1), unseen
    while rest:
        card = lowest_card(rest)
        total += after_draw(hand, card, False, risk_of(card, known, unseen, share), risks, odds_of_turn, table)
        rest &= rest - 1
    return taken > total / num_unseen


@device_function
def computed_discards(table, memory, state):
    """Return (discard, whether to knock with it) of eleven cards.

    ``workspace.left``, ``risks`` and ``values``, the value of wait_value, are set for each allowed discard.
    """
    observation, workspace = observe_discard(state), memory.workspace
    hand, known, risks, left, values = observation.hand, observation.known, workspace.risks, workspace.left, workspace.values
    unseen = table.deck[0] & ~(hand | known | observation.pile)
    share, odds_of_turn = share_of(known, unseen, table), turn_odds(min(observation.turn, TURNS), known, observation.knock_limit, table)
    # Start with the first allowed card, so that one is chosen whatever the values are.
    best, chosen, knocks, rest = 0.0, np.int64(-1), False, hand & ~observation.forbidden
    while rest:
        card = lowest_card(rest)
        rest &= rest - 1
        ten = hand ^ bit(card)
        left[card] = after = small_hand_deadwood(ten, LEFT)
        risks[card] = risk = risk_of(card, known, unseen, share)
        values[card] = wait = wait_value(
            table.codes[odds_of_turn.slot, class_number(ten, table.keys, table.patterns)], after, risk, odds_of_turn
        )
        if chosen < 0 or wait > best:
            best, chosen, knocks = wait, card, False
        if after <= odds_of_turn.limit and odds_of_turn.knock[after] > best:
            best, chosen, knocks = odds_of_turn.knock[after], card, True
    return chosen, knocks
