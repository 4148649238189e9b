"""The simple player and its relatives that knock otherwise.

>>> SimplePlayer.parse("knock:10,0,6")
SimplePlayer(name='knock:10,0,6', early=10, late=0, turn=6)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import BadText
from meldlab.gin import kernel_layout
from meldlab.gin.move import DROPS
from meldlab.gin.players.player import Drop, GinPlayer, Valued, simple_discard
from meldlab.gin.view import View
from meldlab.melds import discards
from meldlab.play import Chance

__all__ = ["SimplePlayer"]


@dataclass(frozen=True)
class SimplePlayer(GinPlayer):
    """Takes what melds at once, discards for the least deadwood, and knocks by two thresholds.

    It knocks with at most ``early`` points before its draw number ``turn``, from then on with at most ``late``.
    """

    name: str = "simple"
    early: int = 10
    late: int = 10
    turn: int = 0

    @classmethod
    def parse(cls, text: str) -> "SimplePlayer":
        """Read ``simple``, ``gin-only`` or ``knock:early,late,turn``."""
        if text == "simple":
            return cls()
        if text == "gin-only":
            return cls(text, 0, 0)
        numbers = text.removeprefix("knock:").split(",")
        if len(numbers) != 3 or not all(number.strip().isdecimal() for number in numbers):
            raise BadText("three whole numbers wanted: knock:EARLY,LATE,TURN", text, min(len("knock:"), len(text)))
        early, late, turn = map(int, numbers)
        if max(early, late) > 10:
            raise BadText("nobody knocks with more than 10 points", text, len("knock:"))
        return cls(f"knock:{early},{late},{turn}", early, late, turn)

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard, and whether the deadwood it leaves is within the threshold of the stage."""
        card, left = simple_discard(view, chance)
        # Most discards leave more than anybody knocks with; the turn is counted for the others only.
        few = left <= max(self.early, self.late)
        return Drop(card, few and left <= (self.early if view.turn < self.turn else self.late))

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return the deadwood that each discard leaves, as points lost."""
        eleven = len(view.card_indices) > view.rules.cards
        return [Valued(DROPS[card.index], -float(left)) for card, left in discards(view.hand).items()] if eleven else []

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it."""
        vector = np.zeros(kernel_layout.PARAMETERS)
        vector[kernel_layout.KIND] = kernel_layout.SIMPLE
        vector[kernel_layout.KNOCK_EARLY : kernel_layout.KNOCK_TURN + 1] = self.early, self.late, self.turn
        return vector
