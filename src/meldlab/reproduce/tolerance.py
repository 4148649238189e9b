"""Work, errors and lost games by the tolerance of the approximation (Finkle 2017, sections 5.2 to 6.2).

>>> trials = tolerance_study(WaitingGame(3), [1.0, 0.1, 0.01])
>>> [(trial.tolerance, trial.cohorts, round(trial.max_error, 4)) for trial in trials]
[(1.0, 9, 0.6109), (0.1, 30, 0.0604), (0.01, 112, 0.0035)]
>>> round(fitted_exponent(trials), 3)
-0.51
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from meldlab.errors import NotLegalHere
from meldlab.reproduce.cohorts import approximate
from meldlab.reproduce.duel import Duel, duel
from meldlab.statistics import Interval
from meldlab.waiting import Solution, WaitingGame, solve


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
    """A player by an approximate table (``tolerance`` None: random discards) against the best policy: its win rate."""

    tolerance: float | None
    cohorts: int
    mean_error: float | None
    games: int
    rate: Interval


def tolerance_study(game: WaitingGame, tolerances: Iterable[float], exact: Solution | None = None) -> list[Trial]:
    """Run the approximation once for each tolerance; the exact solution is computed unless given."""
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
    """Play the best policy against random discards, then against the approximate table of each tolerance, all on the same deals."""
    # The best policy is always the first of the pair, so its rate is subtracted from 1.
    random = duel(exact, exact.expected, None, games, seed)
    challengers = [Challenger(None, 0, None, games, _other_side(random))]
    for tolerance in tolerances:
        run = approximate(exact.game, tolerance, exact)
        result = duel(exact, exact.expected, run.expected, games, seed)
        challengers.append(Challenger(tolerance, len(run.cohorts), run.mean_error, games, _other_side(result)))
    return challengers


def _other_side(result: Duel) -> Interval:
    return Interval(1 - result.rate, 1 - result.interval.high, 1 - result.interval.low)
