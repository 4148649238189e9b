"""What a computed player knows of its opponent: odds by turn, added up from played rounds.

A turn is an own draw, from 1 to 16; ``known`` counts the opponent's cards that were seen, 4 meaning four or more.

>>> odds = Odds.of(np.zeros(2 * tally.CELLS))
>>> odds.hazard.shape, odds.knock.shape
((18, 5), (18, 5, 100))
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.kernel_layout import KNOWNS, TURNS
from meldlab.gin.values import kernel_tally as tally

__all__ = ["Odds"]

Floats = NDArray[np.float64]
FIRM = 40.0  # so many observations weigh as much as what is known from the cells around


@dataclass(frozen=True, eq=False)
class Odds:
    """Averages over many rounds; turn t is at place t, place 0 and the last are not used."""

    share: Floats
    """[turns, known] how often so many cards were known."""
    hazard: Floats
    """[turns, known] the chance that the opponent knocks between this own turn and the next."""
    knock: Floats
    """[turns, known, deadwood] points won by a knock."""
    caught: Floats
    """[turns, known, deadwood] points won, mostly lost, when the opponent knocks."""
    surprise: Floats
    """[turns, known, taken] points of the round less what was expected when the discard was left lying, or taken."""
    taken: Floats
    """[risks] how often the opponent took a discard, by its risk in steps of a twentieth."""
    rounds: float

    @classmethod
    def of(cls, counts: Floats) -> "Odds":
        """Return the odds of a tally, [2 * CELLS]; thin cells lean on their neighbours."""
        many, total = counts[0::2], counts[1::2]

        def part(start: int, *shape: int) -> tuple[Floats, Floats]:
            stop = start + int(np.prod(shape))
            return many[start:stop].reshape(shape), total[start:stop].reshape(shape)

        places = tally.PLACES
        seen, knocked = part(tally.HAZARD_PART, places, KNOWNS)
        by_turn = _lean(seen.sum(1), knocked.sum(1), np.zeros(places))
        by_turn = _lean(seen.sum(1), knocked.sum(1), np.concatenate([[0.0], by_turn[:-1]]))
        hazard = _lean(seen, knocked, by_turn[:, None])
        share = seen / np.maximum(seen.sum(1, keepdims=True), 1)
        knock = _by_deadwood(*part(tally.KNOCK_PART, places, KNOWNS, tally.DEADWOODS), guess=12.0, slope=-1.0)
        caught = _by_deadwood(*part(tally.CAUGHT_PART, places, KNOWNS, tally.DEADWOODS), guess=0.0, slope=-1.0)
        surprise = _lean(*part(tally.SURPRISE_PART, places, KNOWNS, 2), np.zeros(()))
        risks = _lean(*part(tally.FEED_PART, tally.RISKS), np.zeros(()))
        return cls(share, hazard, knock, caught, surprise, risks, float(seen[1].sum()))

    def at(self, turn: int) -> tuple[np.float32, NDArray[np.float32], NDArray[np.float32]]:
        """Return hazard, points of a knock and points when caught at a turn, whatever is known."""
        weight = self.share[turn]
        hazards = weight * self.hazard[turn]
        # Being caught weighs the known cards by how often it happens with them.
        danger = hazards if hazards.sum() > 0 else np.full(KNOWNS, 1 / KNOWNS)
        knock = np.average(self.knock[turn], axis=0, weights=weight if weight.sum() > 0 else None)
        caught = np.average(self.caught[turn], axis=0, weights=danger)
        return np.float32(hazards.sum()), knock.astype(np.float32), caught.astype(np.float32)

    def until(self, last: int) -> "Odds":
        """Return odds under which the round is void after ``last`` own turns: nothing that comes later is worth anything."""
        hazard, knock, caught = self.hazard.copy(), self.knock.copy(), self.caught.copy()
        hazard[last + 1 :], knock[last + 1 :], caught[last + 1 :] = 1.0, 0.0, 0.0
        return replace(self, hazard=hazard, knock=knock, caught=caught)


def _lean(many: Floats, total: Floats, prior: Floats) -> Floats:
    """Return means that lean on ``prior`` as far as observations are few."""
    means: Floats = (total + FIRM * prior) / (many + FIRM)
    return means


def _by_deadwood(many: Floats, total: Floats, guess: float, slope: float) -> Floats:
    """Return [turns, known, deadwood] means; each leans on all known cards together, those on the turn before, those on one card less."""
    result = np.zeros(many.shape)
    before = guess + slope * np.arange(tally.DEADWOODS)
    for turn in range(1, TURNS + 1):
        pooled_many, pooled = many[turn].sum(0), total[turn].sum(0)
        row = np.zeros(tally.DEADWOODS)
        for left in range(tally.DEADWOODS):
            # More deadwood than was ever seen costs a point for each point.
            thin = left > 1 and pooled_many[left] < FIRM
            row[left] = _lean(pooled_many[left], pooled[left], row[left - 1] + slope if thin else before[left])
        result[turn] = _lean(many[turn], total[turn], row)
        before = row
    return result
