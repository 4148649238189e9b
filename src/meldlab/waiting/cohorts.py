"""Approximation by locking in cohorts (Finkle 2017, chapter 5): the larger the tolerance, the less work and the larger the errors.

>>> run = approximate(Waiting(3), 1.0)
>>> [(cohort.hands, round(cohort.expected, 4)) for cohort in run.cohorts][:3]
[(240, 12.25), (216, 14.2917), (3912, 14.875)]
"""

import time
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand, classes
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.waiting import kernel_cohorts
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import solve
from meldlab.waiting.ties import NEAR, Estimates

__all__ = ["Approximation", "Cohort", "approximate", "verify"]

MOST_CARDS = 5
LEAST_TOLERANCE = 1e-12
AT_ONCE = 1 << 12  # hands locked between two moments at which Ctrl-C is heard: some hundredths of a second


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
    """Refuse a game that is too large for cohorts, or a tolerance that makes no sense."""
    if game.cards > MOST_CARDS or game.dead:
        raise NotPossible(f"cohorts are for up to {MOST_CARDS} cards without dead ones; {game} is solved exactly by 'waiting solve'")
    if not LEAST_TOLERANCE <= tolerance <= 1000:
        raise NotLegalHere(f"a tolerance is a number of turns from {LEAST_TOLERANCE:g} to 1000, not {tolerance:g}")


def approximate(game: Waiting, tolerance: float, exact: Solution | None = None) -> Approximation:
    """Run the thesis's algorithm with a tolerance and compare it with the exact solution (solved here unless given)."""
    verify(game, tolerance)
    solved = exact or solve(game, device="cpu")
    start = time.perf_counter()
    expected, cohort_of, found, evaluated = _lock_in(game, float(tolerance))
    masks = classes.hands(game.cards)
    first = kernel_cohorts.first_of_orbits(masks, np.array(list(permutations(range(4)))))
    # Card order within a cohort: sort by (cohort, place) and keep the head of each.
    order = np.lexsort((-first[:, 1], cohort_of))
    heads = order[np.flatnonzero(np.diff(cohort_of[order], prepend=-2))]
    likes = {int(cohort_of[head]): Hand.from_mask(int(first[head, 0])) for head in heads}
    cohorts = tuple(Cohort(hands, likes[i], least) for i, (hands, least) in enumerate(found))
    expected.setflags(write=False)
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
        evaluated,
        time.perf_counter() - start,
    )


def _lock_in(game: Waiting, tolerance: float) -> tuple[NDArray[np.float64], NDArray[np.int32], list[tuple[int, float]], int]:
    """Lock all hands; return E and cohort of every class, (hands, least E) of every cohort, and the hands evaluated in all.

    Evaluated are those still open, summed over the rounds: the work of a program that looks at every open hand anew in each round.
    """
    small, large = game.small, game.large
    expected, weight = game.mark_goals()[0], np.zeros(small.classes, np.int16)
    after, members, cohort = np.full(large.classes, np.inf), np.empty(small.classes, np.int64), np.full(small.classes, -1, np.int32)
    goals = np.flatnonzero(expected == 0.0)
    members[: len(goals)], weight[goals] = goals, -1
    estimates = Estimates(game, expected, weight, cohort)
    run = kernel_cohorts.CohortRun(expected, weight, after, cohort, members)
    sizes, leasts, state = np.zeros(0, np.int64), np.zeros(0), np.array([0, len(goals), 0, 0])
    why = kernel_cohorts.PAUSED
    while why != kernel_cohorts.DONE:
        if state[kernel_cohorts.LOCKED] == len(sizes):
            more = max(64, len(sizes))
            sizes, leasts = np.concatenate((sizes, np.zeros(more, np.int64))), np.concatenate((leasts, np.zeros(more)))
        why = kernel_cohorts.lock_in(AT_ONCE, tolerance, NEAR, state, sizes, leasts, run, game.space)
        if why == kernel_cohorts.DOUBTFUL:
            state[kernel_cohorts.MANY] = _decide(estimates, tolerance, float(leasts[state[kernel_cohorts.LOCKED]]), members)
            state[kernel_cohorts.CHOSEN] = 1
    found = list(zip(sizes.tolist(), leasts.tolist(), strict=True))[: int(state[kernel_cohorts.LOCKED])]
    still_open = np.cumsum([hands for hands, _ in reversed(found)])  # each round looks at its own hands and those locked later
    return expected, cohort, found, int(still_open.sum())


def _decide(estimates: Estimates, tolerance: float, least: float, members: NDArray[np.int64]) -> int:
    """List the cohort in ``members`` where doubles leave a doubt, and return how many are in it."""
    above = np.where(estimates.weight >= 0, estimates.expected, np.inf) - least
    doubtful = np.flatnonzero(np.abs(above - tolerance) < NEAR)
    # A tolerance means what it says in decimals; the double that stands for 0.001 is a little more.
    inside = estimates.within(Fraction(repr(tolerance)), np.flatnonzero(above < NEAR).tolist(), doubtful.tolist())
    sure = np.flatnonzero(above <= tolerance - NEAR)
    members[: len(sure) + len(inside)] = np.sort(np.concatenate((sure, np.array(inside, np.int64))))
    return len(sure) + len(inside)
