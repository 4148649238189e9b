"""Approximation by locking in cohorts (Finkle 2017, chapter 5): the larger the tolerance, the less work and the larger the errors.

>>> run = approximate(Waiting(3), 1.0)
>>> [(cohort.hands, round(cohort.expected, 4)) for cohort in run.cohorts][:3]
[(240, 12.25), (216, 14.2917), (3912, 14.875)]
"""

import time
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere
from meldlab.waiting import kernel_cohorts
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution
from meldlab.waiting.solve import mark_goals, solve

__all__ = ["Approximation", "Cohort", "approximate", "verify"]

MOST_CARDS = 5
LEAST_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Cohort:
    """Hands locked in together: how many, the first of them in card order, and the least estimate among them."""

    hands: int
    like: Hand
    expected: float


@dataclass(frozen=True, eq=False)
class Approximation:
    """The outcome of one run: cohorts in the order they were locked, errors against the exact values, and the work.

    ``expected``: [classes] float64; ``evaluated``: hands that a program evaluates which looks at every open hand in every round.
    """

    game: Waiting
    tolerance: float
    cohorts: tuple[Cohort, ...]
    expected: NDArray[np.float64]
    cohort_of: NDArray[np.int32]
    max_error: float
    mean_error: float
    evaluated: int
    seconds: float


def verify(game: Waiting, tolerance: float) -> None:
    """Refuse a game that is too large for cohorts, or a tolerance that is none."""
    if game.cards > MOST_CARDS or game.dead:
        raise NotLegalHere(f"cohorts are for up to {MOST_CARDS} cards without dead ones; {game} is solved exactly by 'waiting solve'")
    if not LEAST_TOLERANCE <= tolerance <= 1000:
        raise NotLegalHere(f"a tolerance is a number of turns from {LEAST_TOLERANCE:g} to 1000, not {tolerance:g}")


def approximate(game: Waiting, tolerance: float, exact: Solution | None = None) -> Approximation:
    """Run the thesis's algorithm with a tolerance and compare it with the exact solution (solved here unless given)."""
    verify(game, tolerance)
    solved = exact or solve(game, device="cpu")
    start = time.perf_counter()
    small, large = game.small, game.large
    expected, weight = mark_goals(game)
    cohort_of = np.empty(small.count, np.int32)
    sizes, leasts, evaluated = kernel_cohorts.lock_in(
        tolerance,
        float(game.bag),
        expected,
        weight,
        cohort_of,
        game.alive,
        small.keys,
        small.lanes,
        small.seats,
        small.rows,
        small.patterns,
        large.patterns,
        small.renamings,
        large.count,
    )
    masks = classes.hands(game.cards)
    first = kernel_cohorts.first_of_orbits(masks, np.array(list(permutations(range(4)))))
    # Card order within a cohort: sort by (cohort, place) and keep the head of each.
    order = np.lexsort((-first[:, 1], cohort_of))
    heads = order[np.flatnonzero(np.diff(cohort_of[order], prepend=-2))]
    likes = {int(cohort_of[head]): Hand.from_mask(int(first[head, 0])) for head in heads}
    cohorts = tuple(Cohort(int(hands), likes[i], float(least)) for i, (hands, least) in enumerate(zip(sizes, leasts, strict=True)))
    errors = expected - solved.expected
    orbits = classes.orbit_sizes(masks, game.cards)
    return Approximation(
        game,
        tolerance,
        cohorts,
        expected,
        cohort_of,
        float(errors.max()),
        float(np.average(errors, weights=orbits)),
        int(evaluated),
        time.perf_counter() - start,
    )
