"""A kernel that lets two waiting policies race for the goal with one real deck."""

from typing import Any, NamedTuple

import numpy as np

from meldlab.cards.kernel import class_number
from meldlab.chance.kernel import address, below
from meldlab.compiling import kernel
from meldlab.waiting.kernel_simulation import DEAL, DISCARD, DRAW, MAX_TURNS, card_index, deal_deck, next_hand, nth_card, top_card


class Sides(NamedTuple):
    """Two policies, each by its table of E."""

    first: Any  # [N] float64
    second: Any  # [N] float64
    goals: Any  # [N] of any type, 0 on hands that have reached the goal
    random: Any  # 1 if the second discards at random, else 0


@kernel
def play_duel(first, games, winners, cards, seed, sides, numbering):
    """Set ``winners``, [all games] int8 of -1, to 0 where the first of two sides wins and to 1 where the other does.

    Both draw from one real deck; the starter changes with the game.
    """
    keys, patterns, goals = numbering.keys, numbering.patterns, sides.goals
    for game in range(first, first + games):
        order, stock, pile, piles = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(52, np.int64), np.zeros(2, np.int64)
        # Both games of a pair are dealt alike and started by either side: the deal cancels.
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
        while turn < MAX_TURNS:
            now = hands[mover]
            if goals[class_number(now, keys, patterns)] == 0:
                winners[game] = mover
                break
            card = top_card(stock, piles, pile, address(seed, game // 2, 1, turn, DRAW))
            if mover == 1 and sides.random:
                after = (now | card) ^ nth_card(now | card, below(address(seed, game // 2, 2, turn, DISCARD), 0, cards + 1))
            elif mover == 0:
                after = next_hand(now, card, sides.first, keys, patterns)
            else:
                after = next_hand(now, card, sides.second, keys, patterns)
            pile[piles[1]] = card_index((now | card) ^ after)
            piles[1] += 1
            hands[mover] = after
            if goals[class_number(after, keys, patterns)] == 0:
                winners[game] = mover
                break
            mover = 1 - mover
            turn += 1
