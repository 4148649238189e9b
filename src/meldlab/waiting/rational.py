"""Three-card rummy in exact fractions: how many classes of equal E there really are.

Doubles cannot tell: the closest two different values lie 3e-16 apart. Fractions can, and the recursion needs nothing else, since E is a
mean of better E's. The order of settling is that of waiting.kernel, with exact comparisons.
"""

from fractions import Fraction
from heapq import heappop, heappush

import numpy as np

from meldlab.cards import classes
from meldlab.errors import NotPossible
from meldlab.waiting import kernel
from meldlab.waiting.game import Waiting

__all__ = ["exact_values"]

MOST_CARDS = 3


def exact_values(game: Waiting) -> list[Fraction]:
    """Return E of every class of hands as a fraction.

    >>> values = exact_values(Waiting(3, "round"))
    >>> len(set(values)), round(float(max(values)), 10)
    (60, 18.24424854)
    """
    if game.cards > MOST_CARDS:
        raise NotPossible(f"exact fractions are for {MOST_CARDS} cards: beyond, they have thousands of digits")
    small, large = game.small, game.large
    masks = classes.hands(game.cards, dead=game.dead)
    larger = classes.hands(game.cards + 1, dead=game.dead)
    orbits = [int(size) for size in classes.orbit_sizes(masks, game.cards, game.dead)]
    larger_orbits = [int(size) for size in classes.orbit_sizes(larger, game.cards + 1, game.dead)]
    drawn, around, targets = np.empty(52, np.int64), np.empty(52, np.int64), np.empty(13, np.int64)
    marks, _ = game.mark_goals()
    values: list[Fraction | None] = [Fraction(0) if mark == 0 else None for mark in marks]
    # Rounding to a float keeps the order, so fractions are compared only where floats are equal.
    heap = [(0.0, Fraction(0), number) for number, value in enumerate(values) if value is not None]
    weights, settled, reached = [0] * small.classes, [False] * small.classes, [False] * large.classes
    while heap:
        _, value, number = heappop(heap)
        if settled[number]:
            continue
        settled[number] = True
        for i in range(kernel.list_draws(masks[number], game.space.alive, small.keys, large.patterns, drawn, around)):
            if reached[around[i]]:
                continue
            reached[around[i]] = True
            hands = larger_orbits[around[i]]
            for target in targets[: kernel.list_discards(drawn[i], small.keys, small.patterns, targets, 0)]:
                if settled[target]:
                    continue
                known, before = values[target], weights[target]
                if known is None:
                    new = value + Fraction(game.bag * orbits[target], hands)
                else:
                    new = (known * before + value * hands) / (before + hands)
                values[target], weights[target] = new, before + hands
                heappush(heap, (float(new), new, int(target)))
    return [value for value in values if value is not None]
