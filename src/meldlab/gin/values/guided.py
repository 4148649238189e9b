"""What a solved policy is worth where other odds hold than those it was solved for.

The policy is the guide: it knocks and discards as its own values and odds tell, while the points come from the odds that hold. The
best answer to those odds is worth at least as much; the difference is what the policy leaves on the table, in points per round.
"""

import numpy as np

from meldlab.gin.kernel_computed import TURNS
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Field, Solved

__all__ = ["guided_value"]


def guided_value(field: Field, odds: Odds, guide: Solved, believed: Odds, limit: int = 10, *, upcard: float = 0.0) -> float:
    """Return points per round under ``odds`` of the policy that was solved for the ``believed`` ones.

    Whether to take the upcard is decided by the points that hold, not by the guide's: with ``upcard`` above 0 the policy gets a little more
    than its due.
    """
    engine = field.engine
    value, wished = engine.array(field.count, np.float32), engine.array(field.count, np.float32)
    field.value[:] = 0
    value[:] = 0
    for turn in range(TURNS, 0, -1):
        if turn < TURNS:
            slot, low, step = guide.turns[turn + 1]
            engine.sweep("decode", value, guide.codes[int(slot)], np.float32(low), np.float32(step))
        holds, belief = engine.odds(odds, turn), engine.odds(believed, turn)
        engine.sweep("sweep_worth", wished, value, field.left, belief, limit)
        engine.sweep("sweep_guided_worth", field.worth, field.value, value, field.left, (holds, belief), limit)
        engine.sweep("sweep_guided_discards", field.after, wished, field.worth, field.larger, field.deck)
        engine.sweep("sweep_draws", field.value, field.after, field.hands, np.float32(upcard), field.deck)
    return engine.mean(field.value, field.hands, field.deck.keys, field.renamings)
