"""Approximation by locking in cohorts (Finkle 2017, chapter 5): the larger the tolerance, the less work and the larger the errors.

>>> run = approximate(WaitingGame(3), 1.0)
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
from meldlab.reproduce import kernel_cohorts
from meldlab.reproduce.high_precision import NEAR, Estimates
from meldlab.waiting import Solution, WaitingGame, solve

MAX_CARDS = 5
MIN_TOLERANCE = 1e-12
CHUNK = 1 << 12  # hands locked in one call of the kernel, which Ctrl-C cannot interrupt: some hundredths of a second


@dataclass(frozen=True)
class Cohort:
    """Hands locked together: their number, the first of them in card order, and the least estimate among them."""

    hands: int
    like: Hand
    expected: float


@dataclass(frozen=True, eq=False)
class Approximation:
    """The outcome of one run: cohorts in the order they were locked, errors against the exact values, and the work.

    ``expected``: [classes] float64; ``evaluated``: hands that a program evaluates which evaluates every open hand in every round.
    """

    game: WaitingGame
    tolerance: float
    cohorts: tuple[Cohort, ...]
    expected: NDArray[np.float64]
    cohort_of: NDArray[np.int32]
    max_error: float
    mean_error: float
    evaluated: int
    seconds: float


def verify(game: WaitingGame, tolerance: float) -> None:
    """Raise for a game that is too large for cohorts, or an invalid tolerance."""
    if game.cards > MAX_CARDS or game.dead:
        raise NotPossible(f"cohorts are for up to {MAX_CARDS} cards without dead ones; {game} is solved exactly by 'waiting solve'")
    if not MIN_TOLERANCE <= tolerance <= 1000:
        raise NotLegalHere(f"a tolerance is a number of turns from {MIN_TOLERANCE:g} to 1000, not {tolerance:g}")


def approximate(game: WaitingGame, tolerance: float, exact: Solution | None = None) -> Approximation:
    """Run the thesis's algorithm with a tolerance and compare it with the exact solution (solved here unless given)."""
    verify(game, tolerance)
    solved = exact or solve(game, device="cpu")
    start = time.perf_counter()
    expected, cohort_of, locked, evaluated = _lock_in(game, float(tolerance))
    masks = classes.hands(game.cards)
    first = np.empty((len(masks), 2), np.int64)
    kernel_cohorts.first_of_orbits(masks, np.array(list(permutations(range(4)))), first)
    # Card order within a cohort: sort by (cohort, key) and take the first of each.
    order = np.lexsort((-first[:, 1], cohort_of))
    heads = order[np.flatnonzero(np.diff(cohort_of[order], prepend=-2))]
    likes = {int(cohort_of[head]): Hand.from_mask(int(first[head, 0])) for head in heads}
    cohorts = tuple(Cohort(hands, likes[i], least) for i, (hands, least) in enumerate(locked))
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


def _lock_in(game: WaitingGame, tolerance: float) -> tuple[NDArray[np.float64], NDArray[np.int32], list[tuple[int, float]], int]:
    """Lock all hands; return E and cohort of every class, (hands, least E) of every cohort, and the hands evaluated in all.

    Evaluated are the open hands, summed over the rounds: the work of a program that evaluates every open hand in each round.
    """
    num_classes, num_drawn = game.numbering.classes, game.drawn_numbering.classes
    expected, weight = game.mark_goals()[0], np.zeros(num_classes, np.int16)
    after, members, cohort = np.full(num_drawn, np.inf), np.empty(num_classes, np.int64), np.full(num_classes, -1, np.int32)
    goals = np.flatnonzero(expected == 0.0)
    members[: len(goals)], weight[goals] = goals, -1
    estimates = Estimates(game, expected, weight, cohort)
    run = kernel_cohorts.CohortRun(expected, weight, after, cohort, members)
    sizes, leasts, state = np.zeros(0, np.int64), np.zeros(0), np.array([0, len(goals), 0, 0])
    reason = kernel_cohorts.PAUSED
    while reason != kernel_cohorts.DONE:
        if state[kernel_cohorts.LOCKED] == len(sizes):
            more = max(64, len(sizes))
            sizes, leasts = np.concatenate((sizes, np.zeros(more, np.int64))), np.concatenate((leasts, np.zeros(more)))
        reason = kernel_cohorts.lock_in(CHUNK, tolerance, NEAR, state, sizes, leasts, run, game.space)
        if reason == kernel_cohorts.DOUBTFUL:
            state[kernel_cohorts.SIZE] = _decide(estimates, tolerance, float(leasts[state[kernel_cohorts.LOCKED]]), members)
            state[kernel_cohorts.CHOSEN] = 1
    locked = list(zip(sizes.tolist(), leasts.tolist(), strict=True))[: int(state[kernel_cohorts.LOCKED])]
    still_open = np.cumsum([hands for hands, _ in reversed(locked)])  # each round evaluates its own hands and those locked later
    return expected, cohort, locked, int(still_open.sum())


def _decide(estimates: Estimates, tolerance: float, least: float, members: NDArray[np.int64]) -> int:
    """List the cohort in ``members`` where doubles leave a doubt, and return its size."""
    above = np.where(estimates.weight >= 0, estimates.expected, np.inf) - least
    doubtful = np.flatnonzero(np.abs(above - tolerance) < NEAR)
    # A tolerance is a decimal number; the double of 0.001 is a little larger.
    inside = estimates.within(Fraction(repr(tolerance)), np.flatnonzero(above < NEAR).tolist(), doubtful.tolist())
    sure = np.flatnonzero(above <= tolerance - NEAR)
    members[: len(sure) + len(inside)] = np.sort(np.concatenate((sure, np.array(inside, np.int64))))
    return len(sure) + len(inside)
