"""The waiting game by plain value iteration over all hands, suits told apart: no classes, no order of settling, no kernels."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tests.properties.oracles import GIN, Cards, from_mask, least_deadwood


def solve(cards: int, aces: str, knock: int | None, deck: list[int]) -> dict[frozenset[int], float]:
    """Return E of every hand of ``cards`` cards from ``deck``, numbers 0 to 51 as in a mask; infinity where the goal is out of reach."""
    hands = list(combinations(sorted(deck), cards))
    place = {hand: i for i, hand in enumerate(hands)}
    # [hands, draws, discards]: where each hand may go.
    moves = np.empty((len(hands), len(deck) - cards, cards), np.int64)
    for i, hand in enumerate(hands):
        for j, draw in enumerate(card for card in sorted(deck) if card not in hand):
            for k in range(cards):
                moves[i, j, k] = place[tuple(sorted((*hand[:k], *hand[k + 1 :], draw)))]
    goal = np.array([reached(from_mask(sum(1 << card for card in hand)), aces, knock) for hand in hands])
    expected = np.where(goal, 0.0, np.inf)
    for _ in range(500):
        better = best_stops(expected[moves].min(axis=2), expected, goal)
        # From above: values only fall, and once all are finite the last digits are all that moves.
        if np.isfinite(expected).all() and (expected - better).max() < 1e-13:
            return dict(zip(map(frozenset, hands), better, strict=True))
        expected = better
    raise AssertionError("value iteration does not close")


def best_stops(after: NDArray[np.float64], now: NDArray[np.float64], goal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the least of (bag + the k best draws) / k over all k: the definition as a minimum over policies, without a threshold."""
    ordered = np.sort(after, axis=1)
    bag = after.shape[1]
    tried = (bag + np.cumsum(ordered, axis=1)) / np.arange(1, bag + 1)
    best: NDArray[np.float64] = np.where(goal, 0.0, np.minimum(now, tried.min(axis=1)))
    return best


def reached(hand: Cards, aces: str, knock: int | None) -> bool:
    """Tell whether a hand is at the goal."""
    return least_deadwood(hand, aces, (1,) * 13) == 0 if knock is None else least_deadwood(hand, aces, GIN) <= knock
