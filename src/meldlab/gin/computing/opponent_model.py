"""The model of an opponent that a computed player responds to: odds by turn, counted in rounds.

A turn is an own draw, from 1 to 16; ``known`` counts the opponent's cards that were seen, 4 meaning four or more.

>>> odds = OpponentModel.of(np.zeros(2 * tally.CELLS))
>>> odds.hazard.shape, odds.knock.shape
((18, 5), (18, 5, 100))
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.computing import kernel_tally as tally
from meldlab.gin.kernel_state import DEADWOODS, KNOWNS, TURNS

Floats = NDArray[np.float64]
FIRM = 40.0  # number of observations that weigh as much as the neighbouring cells; not tuned


@dataclass(frozen=True, eq=False)
class OpponentModel:
    """Averages over observed rounds; turn t has index t; index 0 and the last are not used."""

    share: Floats
    """[turns, known] frequency of each number of known cards."""
    hazard: Floats
    """[turns, known] the probability that the opponent knocks between this own turn and the next."""
    knock: Floats
    """[turns, known, deadwood] points won by a knock."""
    caught: Floats
    """[turns, known, deadwood] points won, mostly lost, when the opponent knocks."""

    @classmethod
    def of(cls, counts: Floats) -> "OpponentModel":
        """Return the odds of a tally, [2 * CELLS]; cells with few observations are smoothed by their neighbours."""
        observed, total = counts[0::2], counts[1::2]

        def part(start: int, *shape: int) -> tuple[Floats, Floats]:
            stop = start + int(np.prod(shape))
            return observed[start:stop].reshape(shape), total[start:stop].reshape(shape)

        places = tally.PLACES
        seen, knocked = part(tally.HAZARD_PART, places, KNOWNS)
        by_turn = _smoothed(seen.sum(1), knocked.sum(1), np.zeros(places))
        by_turn = _smoothed(seen.sum(1), knocked.sum(1), np.concatenate([[0.0], by_turn[:-1]]))
        hazard = _smoothed(seen, knocked, by_turn[:, None])
        share = seen / np.maximum(seen.sum(1, keepdims=True), 1)
        knock = _by_deadwood(*part(tally.KNOCK_PART, places, KNOWNS, DEADWOODS), guess=12.0, slope=-1.0)
        caught = _by_deadwood(*part(tally.CAUGHT_PART, places, KNOWNS, DEADWOODS), guess=0.0, slope=-1.0)
        return cls(share, hazard, knock, caught)

    def odds_at(self, turn: int) -> tuple[np.float32, NDArray[np.float32], NDArray[np.float32]]:
        """Return hazard, points of a knock and points when caught at a turn, averaged over known cards."""
        weight = self.share[turn]
        hazards = weight * self.hazard[turn]
        # Averages over being caught are weighted by its frequency.
        danger = hazards if hazards.sum() > 0 else np.full(KNOWNS, 1 / KNOWNS)
        knock = np.average(self.knock[turn], axis=0, weights=weight if weight.sum() > 0 else None)
        caught = np.average(self.caught[turn], axis=0, weights=danger)
        return np.float32(hazards.sum()), knock.astype(np.float32), caught.astype(np.float32)

    def until(self, last: int) -> "OpponentModel":
        """Return odds under which the round is void after ``last`` own turns: later turns have no value."""
        hazard, knock, caught = self.hazard.copy(), self.knock.copy(), self.caught.copy()
        hazard[last + 1 :], knock[last + 1 :], caught[last + 1 :] = 1.0, 0.0, 0.0
        return replace(self, hazard=hazard, knock=knock, caught=caught)


def _smoothed(observed: Floats, total: Floats, prior: Floats) -> Floats:
    """Return means that are smoothed towards ``prior``, with the weight of FIRM observations."""
    means: Floats = (total + FIRM * prior) / (observed + FIRM)
    return means


def _by_deadwood(observed: Floats, total: Floats, guess: float, slope: float) -> Floats:
    """Return [turns, known, deadwood] means; smoothed by the mean over known cards, that by the turn before, that by one point less."""
    result = np.zeros(observed.shape)
    before = guess + slope * np.arange(DEADWOODS)
    for turn in range(1, TURNS + 1):
        pooled_observed, pooled = observed[turn].sum(0), total[turn].sum(0)
        row = np.zeros(DEADWOODS)
        for left in range(DEADWOODS):
            # More deadwood than was ever seen costs a point for each point.
            thin = left > 1 and pooled_observed[left] < FIRM
            row[left] = _smoothed(pooled_observed[left], pooled[left], row[left - 1] + slope if thin else before[left])
        result[turn] = _smoothed(observed[turn], total[turn], row)
        before = row
    return result
