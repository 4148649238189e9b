"""Kernels that play by a policy: the bag of the model, and a real deck with an opponent."""

import numpy as np

from meldlab.cards.kernel import class_number, popcount
from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import least_wait

DRAW, DISCARD, DEAL = int(Purpose.WAITING_DRAW), int(Purpose.WAITING_DISCARD), int(Purpose.DEAL)
MAX_TURNS = 100_000


@device_function
def nth_card(cards, nth):
    """Return the ``nth`` card of a hand as a bit, from the lowest."""
    for _ in range(nth):
        cards &= cards - 1
    return cards & -cards


@device_function
def next_hand(hand, card, expected, keys, patterns):
    """Return the hand after a drawn card, a bit, by the policy of ``expected``, which moves only to a better hand."""
    value, _, gone = least_wait(hand | card, expected, keys, patterns)
    if value < expected[class_number(hand, keys, patterns)]:
        return (hand | card) ^ np.int64(1) << gone
    return hand


@kernel
def play_bag(first, games, turns, hand, seed, expected, space):
    """Set ``turns``, [all games] int64 of 0, to the turns of ``games`` games of the bag model from ``hand``, from game ``first`` on.

    A game that has not ended after MAX_TURNS stops there, as in the other kernels.
    """
    keys, patterns, alive = space.numbering.keys, space.numbering.patterns, space.alive
    every = alive[0] | alive[1] << 13 | alive[2] << 26 | alive[3] << 39
    for game in range(first, first + games):
        now = hand
        while expected[class_number(now, keys, patterns)] > 0 and turns[game] < MAX_TURNS:
            bag = every & ~now
            card = nth_card(bag, below(address(seed, game, 0, turns[game], DRAW), 0, popcount(bag)))
            now = next_hand(now, card, expected, keys, patterns)
            turns[game] += 1


@device_function
def deal_deck(order, key, hand):
    """Shuffle ``order``, [52] int64, so that the cards of ``hand`` come first; with a hand of 0 all cards are random."""
    for card in range(52):
        order[card] = card
    first = 0
    for card in range(52):
        if hand >> card & 1:
            order[card], order[first] = order[first], order[card]
            first += 1
    for last in range(51, first, -1):
        other = first + below(key, last, last + 1 - first)
        order[last], order[other] = order[other], order[last]


@device_function
def top_card(stock, piles, pile, key):
    """Take a card from the stock; if it is empty, the shuffled pile becomes the stock. ``piles``: [2] int64, sizes of stock and pile."""
    if piles[0] == 0:
        for i in range(piles[1]):
            stock[i] = pile[i]
        piles[0], piles[1] = piles[1], 0
        for last in range(piles[0] - 1, 0, -1):
            other = below(key, last, last + 1)
            stock[last], stock[other] = stock[other], stock[last]
    piles[0] -= 1
    return np.int64(1) << stock[piles[0]]


@device_function
def card_index(card):
    """Return the index of the one bit set."""
    index = 0
    while card > 1:
        card >>= 1
        index += 1
    return index


@kernel
def play_deck(first, games, turns, hand, cards, seed, expected, numbering):
    """Set ``turns`` likewise to the own turns with a real deck: cards do not return until the stock is used up.

    An opponent holds as many cards, draws from the stock and discards one of its cards at random. With ``hand`` 0 the deal is random.
    """
    keys, patterns = numbering.keys, numbering.patterns
    for game in range(first, first + games):
        order, stock, pile, piles = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(52, np.int64), np.zeros(2, np.int64)
        deal_deck(order, address(seed, game, 0, 0, DEAL), hand)
        now, other = np.int64(0), np.int64(0)
        for i in range(cards):
            now |= np.int64(1) << order[i]
            other |= np.int64(1) << order[cards + i]
        piles[0] = 52 - 2 * cards
        for i in range(piles[0]):
            stock[i] = order[2 * cards + i]
        while expected[class_number(now, keys, patterns)] > 0 and turns[game] < MAX_TURNS:
            turn = turns[game]
            card = top_card(stock, piles, pile, address(seed, game, 1, turn, DRAW))
            after = next_hand(now, card, expected, keys, patterns)
            pile[piles[1]] = card_index((now | card) ^ after)
            piles[1] += 1
            now = after
            card = top_card(stock, piles, pile, address(seed, game, 2, turn, DRAW))
            thrown = nth_card(other | card, below(address(seed, game, 2, turn, DISCARD), 0, cards + 1))
            other = (other | card) ^ thrown
            pile[piles[1]] = card_index(thrown)
            piles[1] += 1
            turns[game] += 1
