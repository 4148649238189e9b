"""What a score is worth: the chance to win the match from it, if rounds go on bringing such points as they did.

>>> chances = match_equity(np.array([10, -10, 25, -25, 0]), wanted=100)
>>> float(chances[0, 0]), float(chances[100, 40]), bool(chances[90, 40] > chances[80, 40])
(0.5, 1.0, True)
"""

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.batch import play_batch
from meldlab.gin.kernel_layout import SCORE
from meldlab.gin.players.light import LightPlayer
from meldlab.gin.rules import Rules

__all__ = ["Equity", "equity_of", "match_equity"]

MOST_POINTS = 200  # of a round; the few that bring more count as these
MOST_WANTED = 250  # a match to more points is counted in steps of several
ROUNDS, SEED = 2000, 0
Ints = NDArray[np.int64]


def match_equity(results: Ints, wanted: int = 100) -> NDArray[np.float64]:
    """Return [wanted + 1, wanted + 1], the chance to win from each own and other score; ``results``: points of rounds, negative if lost."""
    chance = np.bincount(np.clip(results, -MOST_POINTS, MOST_POINTS) + MOST_POINTS, minlength=2 * MOST_POINTS + 1) / len(results)
    won, lost = chance[MOST_POINTS + 1 :], chance[:MOST_POINTS][::-1]
    scoring = won.sum() + lost.sum()
    equity = np.zeros((wanted + 1, wanted + 1))
    equity[wanted, :] = 1
    for own in range(wanted - 1, -1, -1):
        for other in range(wanted - 1, -1, -1):
            # A round that nobody wins is played again from the same score.
            gains, losses = won[: wanted - own - 1], lost[: wanted - other - 1]
            more = gains @ equity[own + 1 : own + 1 + len(gains), other] + won[len(gains) :].sum()
            equity[own, other] = (more + losses @ equity[own, other + 1 : other + 1 + len(losses)]) / scoring
    return equity


class Equity:
    """The chance to win a match under some rules, from any score."""

    def __init__(self, results: Ints, wanted: int) -> None:
        self.step = max(1, -(-wanted // MOST_WANTED))
        self.wanted = -(-wanted // self.step)
        self.table = match_equity(np.rint(results / self.step).astype(np.int64), self.wanted) if wanted else None

    def after(self, points: Ints, own: int, other: int) -> NDArray[np.float64]:
        """Return the chance to win after rounds that brought such points, from a score; where one round is all, whether it was won."""
        if self.table is None:
            return (points > 0).astype(np.float64)
        rows, columns = own + np.maximum(points, 0), other + np.maximum(-points, 0)
        chances: NDArray[np.float64] = self.table[self._at(rows), self._at(columns)]
        return chances

    def _at(self, scores: Ints) -> Ints:
        return np.minimum(scores // self.step, self.wanted)


@cache
def equity_of(rules: Rules) -> Equity:
    """Return it for two light players, from rounds that they play; whoever begins a round has no better chances here."""
    if not rules.match_points:
        return Equity(np.zeros(1, np.int64), 0)
    light, single = LightPlayer.parse("computed:light"), replace(rules, match_points=0, wall_knock=False)
    counts = play_batch(light, light, single, SEED, 0, ROUNDS).astype(np.int64)
    # As both are the same player, every round counts for each of them.
    lead = counts[:, SCORE] - counts[:, SCORE + 1]
    return Equity(np.concatenate([lead, -lead]), rules.match_points)
