"""Kernels that play: the bag model by its own policy, the real deck with an opponent, and two policies against each other."""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_number
from meldlab.chance.kernel import address, below
from meldlab.chance.kernel_purpose import Purpose
from meldlab.compiling import device_function, kernel
from meldlab.waiting.kernel import least_wait

DRAW, DISCARD, DEAL = int(Purpose.WAITING_DRAW), int(Purpose.WAITING_DISCARD), int(Purpose.DEAL)
MOST_TURNS = 100_000


class Sides(NamedTuple):
    """Two policies that race each other, by what they take E to be."""

    first: Any  # [N] float64
    second: Any  # [N] float64
    goals: Any  # [N] of any type, 0 on hands that have reached the goal
    clueless: Any  # 1 if the second throws at random, else 0


@device_function
def nth_card(cards, nth):
    """Return the ``nth`` card of a hand as a bit, from the lowest."""
    for _ in range(nth):
        cards &= cards - 1
    return cards & -cards


@device_function
def next_hand(hand, card, expected, keys, patterns):
    """Return the hand that the policy of ``expected`` makes of a hand and a drawn card, a bit: it moves only to a better hand."""
    value, _, gone = least_wait(hand | card, expected, keys, patterns)
    if value < expected[class_number(hand, keys, patterns)]:
        return (hand | card) ^ np.int64(1) << gone
    return hand


@kernel
def play_bag(first, games, turns, hand, seed, expected, space):
    """Set ``turns``, [all games] int64 of 0, to the turns of ``games`` games of the bag model from ``hand``, from game ``first`` on.

    A game that has not ended after MOST_TURNS is left there; the same holds for the other kernels.
    """
    keys, patterns, alive = space.small.keys, space.small.patterns, space.alive
    every = alive[0] | alive[1] << 13 | alive[2] << 26 | alive[3] << 39
    for game in range(first, first + games):
        now = hand
        while expected[class_number(now, keys, patterns)] > 0 and turns[game] < MOST_TURNS:
            bag = every & ~now
            many = 0
            rest = bag
            while rest:
                rest &= rest - 1
                many += 1
            card = nth_card(bag, below(address(seed, game, 0, turns[game], DRAW), 0, many))
            now = next_hand(now, card, expected, keys, patterns)
            turns[game] += 1


@device_function
def deal_deck(order, key, hand):
    """Shuffle ``order``, [52] int64, so that the cards of ``hand`` come first; a hand of 0 leaves all to chance."""
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
    """Take a card from the stock; an empty stock is made of the pile, shuffled. ``piles``: [2] int64, sizes of stock and pile."""
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
def place_of(card):
    """Return the number of the one bit set."""
    place = 0
    while card > 1:
        card >>= 1
        place += 1
    return place


@kernel
def play_deck(first, games, turns, hand, cards, seed, expected, small):
    """Set ``turns`` likewise to the own turns with the real deck: cards do not come back until the stock is used up.

    An opponent holds as many cards, draws from the stock and throws one of its cards at random. ``hand`` 0 deals at random.
    """
    keys, patterns = small.keys, small.patterns
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
        while expected[class_number(now, keys, patterns)] > 0 and turns[game] < MOST_TURNS:
            turn = turns[game]
            card = top_card(stock, piles, pile, address(seed, game, 1, turn, DRAW))
            after = next_hand(now, card, expected, keys, patterns)
            pile[piles[1]] = place_of((now | card) ^ after)
            piles[1] += 1
            now = after
            card = top_card(stock, piles, pile, address(seed, game, 2, turn, DRAW))
            thrown = nth_card(other | card, below(address(seed, game, 2, turn, DISCARD), 0, cards + 1))
            other = (other | card) ^ thrown
            pile[piles[1]] = place_of(thrown)
            piles[1] += 1
            turns[game] += 1


@kernel
def play_duel(first, games, winners, cards, seed, sides, small):
    """Set ``winners``, [all games] int8 of -1, to 0 where the first of two sides wins and to 1 where the other does.

    Both draw from one real deck; the starter changes with the game.
    """
    keys, patterns, goals = small.keys, small.patterns, sides.goals
    for game in range(first, first + games):
        order, stock, pile, piles = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(52, np.int64), np.zeros(2, np.int64)
        # Both games of a pair are dealt alike and started by either side: the luck of the deal cancels.
        deal_deck(order, address(seed, game // 2, 0, 0, DEAL), np.int64(0))
        hands = np.zeros(2, np.int64)
        for i in range(cards):
            hands[0] |= np.int64(1) << order[i]
            hands[1] |= np.int64(1) << order[cards + i]
        mover = game % 2
        if mover == 1:
            hands[0], hands[1] = hands[1], hands[0]
        piles[0] = 52 - 2 * cards
        for i in range(piles[0]):
            stock[i] = order[2 * cards + i]
        turn = 0
        while turn < MOST_TURNS:
            now = hands[mover]
            if goals[class_number(now, keys, patterns)] == 0:
                winners[game] = mover
                break
            card = top_card(stock, piles, pile, address(seed, game // 2, 1, turn, DRAW))
            if mover == 1 and sides.clueless:
                after = (now | card) ^ nth_card(now | card, below(address(seed, game // 2, 2, turn, DISCARD), 0, cards + 1))
            elif mover == 0:
                after = next_hand(now, card, sides.first, keys, patterns)
            else:
                after = next_hand(now, card, sides.second, keys, patterns)
            pile[piles[1]] = place_of((now | card) ^ after)
            piles[1] += 1
            hands[mover] = after
            if goals[class_number(after, keys, patterns)] == 0:
                winners[game] = mover
                break
            mover = 1 - mover
            turn += 1
