"""Simulated games of the best policy.

>>> from meldlab.stopping.urn import Urn
>>> simulate(Urn(2, 2), games=1000, seed=1) == simulate(Urn(2, 2), games=1000, seed=1)
True
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from meldlab.chance import check_seed
from meldlab.errors import NotLegalHere, NotPossible
from meldlab.formatting import time_text
from meldlab.parallel import chunks
from meldlab.statistics import Interval, t_interval
from meldlab.stopping import kernel
from meldlab.stopping.results import MAX_SECONDS, Winnings
from meldlab.stopping.urn import Urn

SECONDS_PER_DRAW = 2e-8


@dataclass(frozen=True)
class SimulationResult:
    """Games of the best policy: the share of each amount, and the 95 % interval of the mean."""

    games: int
    winnings: Winnings

    @property
    def interval(self) -> Interval:
        """Return the mean with its 95 % interval."""
        # The deviation is that of these games; the error of their mean has one degree of freedom less.
        return t_interval(float(self.winnings.mean), self.winnings.sd / sqrt(self.games - 1), self.games - 1)


def simulate(urn: Urn, games: int, seed: int) -> SimulationResult:
    """Play ``games`` games by the best policy; the same seed plays the same games."""
    if games < 2:
        raise NotLegalHere(f"{games} games have no interval (at least 2)")
    seconds = games * (urn.black + urn.red) * SECONDS_PER_DRAW
    if seconds > MAX_SECONDS:
        raise NotPossible(f"{games:,} games of up to {urn.black + urn.red:,} cards would take about {time_text(seconds)}")
    boundary = urn.fastest.policy().boundary
    stops = np.zeros(urn.red + 1, np.int64)
    for first, part in chunks(games, 64):
        kernel.simulate(first, part, check_seed(seed), urn.black, np.array(boundary), stops)
    return SimulationResult(games, Winnings.from_stops(urn, boundary, (stops / games).tolist()))
