"""What a tolerance buys and costs: work, errors, and games lost by players who know no better (Finkle 2017, sections 5.2 to 6.2).

>>> from meldlab.waiting import Waiting
>>> trials = tolerance_study(Waiting(3), [1.0, 0.1, 0.01])
>>> [(trial.tolerance, trial.cohorts, round(trial.max_error, 4)) for trial in trials]
[(1.0, 9, 0.6109), (0.1, 30, 0.0604), (0.01, 112, 0.0035)]
>>> round(fitted_exponent(trials), 3)
-0.51
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.waiting.cohorts import approximate
from meldlab.waiting.game import Waiting
from meldlab.waiting.simulation import duel
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import solve

__all__ = ["Challenger", "Trial", "fitted_exponent", "knowledge_study", "tolerance_study"]


@dataclass(frozen=True)
class Trial:
    """One run of the approximation: its tolerance, the cohorts it took, hands evaluated, and the errors against the exact values."""

    tolerance: float
    cohorts: int
    evaluated: int
    max_error: float
    mean_error: float
    seconds: float


@dataclass(frozen=True)
class Challenger:
    """A player by an approximate table (``tolerance`` None: one who throws at random) against the best policy: its rate of wins."""

    tolerance: float | None
    cohorts: int
    mean_error: float | None
    games: int
    rate: float
    interval: tuple[float, float]


def tolerance_study(game: Waiting, tolerances: Iterable[float], exact: Solution | None = None) -> list[Trial]:
    """Run the approximation once for each tolerance; the exact solution is found here unless given."""
    solved = exact or solve(game, device="cpu")
    runs = (approximate(game, tolerance, solved) for tolerance in tolerances)
    return [Trial(run.tolerance, len(run.cohorts), run.evaluated, run.max_error, run.mean_error, run.seconds) for run in runs]


def fitted_exponent(trials: Sequence[Trial]) -> float:
    """Return the e of work = a t^e, by least squares on the logarithms; work is counted in hands evaluated, not in seconds."""
    if len({trial.tolerance for trial in trials}) < 2:
        raise NotLegalHere("an exponent is fitted to at least two different tolerances")
    slope, _ = np.polyfit(np.log([trial.tolerance for trial in trials]), np.log([trial.evaluated for trial in trials]), 1)
    return float(slope)


def knowledge_study(exact: Solution, tolerances: Iterable[float], games: int = 100_000, seed: int = 0) -> list[Challenger]:
    """Let players of less and less knowledge meet the best policy: first one who throws at random, then one for each tolerance.

    All of them meet the same deals.
    """
    # The best policy is always the first of the pair, so its rate is turned round.
    random = duel(exact, exact.expected, None, games, seed)
    found = [Challenger(None, 0, None, games, 1 - random.rate, (1 - random.interval[1], 1 - random.interval[0]))]
    for tolerance in tolerances:
        run = approximate(exact.game, tolerance, exact)
        met = duel(exact, exact.expected, run.expected, games, seed)
        interval = 1 - met.interval[1], 1 - met.interval[0]
        found.append(Challenger(tolerance, len(run.cohorts), run.mean_error, games, 1 - met.rate, interval))
    return found
