"""The simple player, and variants with other knock thresholds.

>>> SimplePlayer.parse("knock:10,0,6")
SimplePlayer(name='knock:10,0,6', early=10, late=0, turn=6)
"""

from dataclasses import dataclass
from typing import ClassVar

from meldlab.errors import BadText
from meldlab.gin.kernel_state import SimpleParameters
from meldlab.gin.move import DROPS
from meldlab.gin.players.player import MAX_KNOCK, Drop, GinPlayer, MoveValue, simple_discard
from meldlab.gin.view import View
from meldlab.melds import discards
from meldlab.play import Chance


@dataclass(frozen=True)
class SimplePlayer(GinPlayer):
    """Takes an upcard that makes a meld, discards for the least deadwood, and knocks by two thresholds.

    It knocks with at most ``early`` points before its draw number ``turn``, from then on with at most ``late``.
    """

    plays_in_kernel: ClassVar[bool] = True
    name: str = "simple"
    early: int = MAX_KNOCK
    late: int = MAX_KNOCK
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
            raise BadText("expected three whole numbers, as in knock:EARLY,LATE,TURN", text, min(len("knock:"), len(text)))
        early, late, turn = map(int, numbers)
        if max(early, late) > MAX_KNOCK:
            raise BadText(f"expected knocks with at most {MAX_KNOCK} points, got {max(early, late)}", text, len("knock:"))
        return cls(f"knock:{early},{late},{turn}", early, late, turn)

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard, and whether the deadwood it leaves is within the threshold of the stage."""
        card, left = simple_discard(view, chance)
        # Most discards leave more than both thresholds; the turn is counted for the others only.
        few = left <= max(self.early, self.late)
        return Drop(card, few and left <= (self.early if view.turn < self.turn else self.late))

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the deadwood that each discard leaves, as points lost."""
        eleven = len(view.card_indices) > view.rules.cards
        return [MoveValue(DROPS[card.index], -float(left)) for card, left in discards(view.hand).items()] if eleven else []

    def parameters(self) -> SimpleParameters:
        """Return the parameters of the player in kernels."""
        return SimpleParameters((float(self.early), float(self.late), float(self.turn)))
