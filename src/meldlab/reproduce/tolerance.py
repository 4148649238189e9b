"""Solutions and approximations of the thesis, each computed once, and work and lost games by tolerance (Finkle 2017, sections 5.2 to 6.2).

>>> runs = [approximation(3, tolerance) for tolerance in (1.0, 0.1, 0.01)]
>>> [(run.tolerance, len(run.cohorts), round(run.max_error, 4)) for run in runs]
[(1.0, 9, 0.6109), (0.1, 30, 0.0604), (0.01, 112, 0.0035)]
>>> round(fitted_exponent({run.tolerance: run.evaluated for run in runs}), 3)
-0.51
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.reproduce.cohorts import Approximation, approximate
from meldlab.reproduce.duel import duel
from meldlab.statistics import Interval
from meldlab.waiting import Solution, WaitingGame, solve


@cache
def solution(cards: int, aces: str = "low") -> Solution:
    """Return the solution of a game."""
    return solve(WaitingGame(cards, aces), device="cpu")


@cache
def approximation(cards: int, tolerance: float) -> Approximation:
    """Return the run of the thesis's algorithm with a tolerance, aces low."""
    return approximate(WaitingGame(cards), tolerance, solution(cards))


def fitted_exponent(work: Mapping[float, float]) -> float:
    """Return the e of work = a t^e from the work by tolerance, by least squares on the logarithms."""
    if len(work) < 2:
        raise NotLegalHere("an exponent is fitted to at least two different tolerances")
    slope, _ = np.polyfit(np.log(list(work)), np.log(list(work.values())), 1)
    return float(slope)


def win_rates(exact: Solution, tolerances: Iterable[float], games: int = 100_000, seed: int = 0) -> Iterator[tuple[float | None, Interval]]:
    """Yield the win rate against the best policy of random discards (None), then of each tolerance's table, all on the same deals."""
    for tolerance in (None, *tolerances):
        table = None if tolerance is None else approximate(exact.game, tolerance, exact).expected
        # The best policy is the first of the pair.
        yield tolerance, duel(exact, exact.expected, table, games, seed).complement()
