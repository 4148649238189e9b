"""Exact values as fractions, on the graph of draws of a game: the number of classes of equal E.

Doubles cannot count them: the two closest different values of three cards are 3e-16 apart. Label setting needs sums, quotients and
comparisons only, and a discard is a draw read backwards, so a graph of draws is all that it needs of a game.
"""

from collections import defaultdict
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from meldlab.cards import classes
from meldlab.errors import NotPossible
from meldlab.waiting.game import WaitingGame

MAX_CARDS = 3


class DrawGraph(NamedTuple):
    """The draws of a game, by hands: classes of hands between turns. An edge is a class with one card more that a hand can draw to."""

    starts: Any  # [hands + 1] int64, the first edge of each hand
    larger: Any  # [edges] int32, the class with one card more
    cards: Any  # [edges] int16, the number of cards that lead there
    goals: Any  # [hands] bool
    bag: int  # cards that can be drawn


def draw_graph(game: WaitingGame) -> DrawGraph:
    """Return the graph of a game of three cards: beyond, fractions have thousands of digits."""
    if game.cards > MAX_CARDS:
        raise NotPossible(f"exact fractions are for {MAX_CARDS} cards: beyond, they have thousands of digits")
    masks = classes.hands(game.cards, dead=game.dead)
    bits = np.array([1 << card for card in range(52) if not game.dead.mask >> card & 1], np.int64)
    hands, drawn = np.nonzero((masks[:, None] & bits) == 0)
    larger = classes.numbers(masks[hands] | bits[drawn], game.cards + 1, game.dead)
    edges, cards = np.unique(np.stack((hands, larger)), axis=1, return_counts=True)
    starts = np.searchsorted(edges[0], np.arange(len(masks) + 1))
    return DrawGraph(starts, edges[1].astype(np.int32), cards.astype(np.int16), game.mark_goals()[0] == 0, game.bag)


def exact_values(graph: DrawGraph, number: type[Any] = Fraction) -> list[Any]:
    """Return E of every hand of a graph as a ``number``: a fraction, or a float for larger graphs.

    >>> values = exact_values(draw_graph(WaitingGame(3, "round")))
    >>> len(set(values)), round(float(max(values)), 10)
    (60, 18.24424854)
    """
    starts, larger, cards, goals = (array.tolist() for array in graph[:4])
    drawn_from: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for hand in range(len(starts) - 1):
        for edge in range(starts[hand], starts[hand + 1]):
            drawn_from[larger[edge]].append((hand, cards[edge]))
    values = [number(0) if goal else None for goal in goals]
    totals, weights, settled = [number(graph.bag)] * len(values), [0] * len(values), [False] * len(values)
    # Rounding to a float keeps the order, so exact numbers are compared only where floats are equal.
    heap = [(0.0, value, hand) for hand, value in enumerate(values) if value is not None]
    heapify(heap)
    while heap:
        _, value, hand = heappop(heap)
        if settled[hand]:
            continue
        settled[hand] = True
        for edge in range(starts[hand], starts[hand + 1]):
            # The first settled hand is the best discard of the larger one.
            for target, count in drawn_from.pop(larger[edge], ()):
                if not (settled[target] or goals[target]):
                    totals[target] += value * count
                    weights[target] += count
                    values[target] = bound = totals[target] / weights[target]
                    heappush(heap, (float(bound), bound, target))
    return [value for value in values if value is not None]
