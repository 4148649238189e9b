"""The grids of the paper's section 5.3, in exact arithmetic, and which of their points are one and the same player.

>>> {name: len(GRIDS[name]()) for name in GRIDS}
{'meldability': 1331, 'adjacency': 36, 'turn penalty': 187, 'known penalty': 187, 'weights': 3003}
>>> len(adjacency_in_floats()), len({played(each) for each in candidates("weights", Ensemble())})
(34, 286)
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from meldlab.gin.players import Ensemble

__all__ = ["GAMES", "GRIDS", "Grids", "adjacency_in_floats", "candidates", "played", "value_of"]

GAMES = 5000  # of each candidate in the paper
TENTH = Fraction(1, 10)
Value = tuple[Fraction, ...]


def meldability() -> list[Value]:
    """Return (a_m0, a_m1, a_m2, a_m3): the first in steps of .05 to .5, the second of .1, sets and runs share one."""
    tenths = range(11)
    return [(Fraction(a, 20), b * TENTH, c * TENTH, 1 - c * TENTH) for a, b, c in product(tenths, tenths, tenths)]


def adjacency() -> list[Value]:
    """Return (a_c0, a_c1, a_c2) in tenths that sum to one, with a_c1 at least a_c2."""
    return [tuple(n * TENTH for n in (10 - b - c, b, c)) for b in range(11) for c in range(11 - b) if b >= c]


def adjacency_in_floats() -> list[tuple[float, float, float]]:
    """Return what a loop in steps of 0.1 finds that compares floats: rounding loses two points of the grid.

    >>> exact = {tuple(map(float, each)) for each in adjacency()}
    >>> sorted(exact - {tuple(round(value, 6) for value in each) for each in adjacency_in_floats()})
    [(0.8, 0.1, 0.1), (1.0, 0.0, 0.0)]
    """
    found = []
    steps = [0.0]
    while steps[-1] + 0.1 <= 1.0:
        steps.append(steps[-1] + 0.1)
    for same, one in product(steps, steps):
        two = 1.0 - same - one
        if 0.0 <= two <= one:
            found.append((same, one, two))
    return found


def penalty() -> list[Value]:
    """Return (slope, power): slopes in tenths to 1, powers in quarters to 4."""
    return [(slope * TENTH, Fraction(power, 4)) for slope in range(11) for power in range(17)]


def weights() -> list[Value]:
    """Return all ways to split ten tenths into six."""
    return [tuple(n * TENTH for n in split) for split in _splits(10, 6)]


def _splits(whole: int, parts: int) -> list[tuple[int, ...]]:
    if parts == 1:
        return [(whole,)]
    return [(first, *rest) for first in range(whole, -1, -1) for rest in _splits(whole - first, parts - 1)]


Grids = Mapping[str, Callable[[], list[Value]]]
GRIDS: Grids = {
    "meldability": meldability,
    "adjacency": adjacency,
    "turn penalty": penalty,
    "known penalty": penalty,
    "weights": weights,
}


def value_of(player: Ensemble, search: str) -> tuple[float, ...]:
    """Return what a search varies, of one player."""
    found: tuple[float, ...] = getattr(player, search.replace(" ", "_"))
    return found


def candidates(search: str, base: Ensemble, grids: Grids = GRIDS) -> list[Ensemble]:
    """Return the players of a search, everything else as in ``base``."""
    field = search.replace(" ", "_")
    changes: list[dict[str, Any]] = [{field: tuple(map(float, value))} for value in grids[search]()]
    return [replace(base, **change) for change in changes]


def played(player: Ensemble) -> Ensemble:
    """Return the one player that stands for all that play the same games: three of the six policies judge a hand by its deadwood.

    Their weights, and what the penalties add, only ever count as a sum.

    >>> one, other = Ensemble(weights=(0.2, 0.5, 0.1, 0.0, 0.1, 0.1)), Ensemble(weights=(0.2, 0.1, 0.2, 0.3, 0.1, 0.1))
    >>> played(one) == played(other)
    True
    """
    tenths = [Fraction(weight).limit_denominator(1000) for weight in player.weights]
    # A penalty with slope zero adds nothing whatever its power.
    turn = player.turn_penalty if player.turn_penalty[0] else (0.0, 1.0)
    known = player.known_penalty if player.known_penalty[0] else (0.0, 1.0)
    merged = (tenths[0], sum(tenths[1:4], Fraction(0)), Fraction(0), Fraction(0), tenths[4], tenths[5])
    return replace(player, weights=tuple(map(float, merged)), turn_penalty=turn, known_penalty=known)  # type: ignore[arg-type]
