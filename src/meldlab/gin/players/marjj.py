"""The strongest published heuristic, MARJJ, written from its description: a yardstick, not a copy.

Ahmed, Leppo, Lesniewski, Patel, Perez and Blum, "A Heuristic Evaluation Function for Hand Strength Estimation in Gin Rummy" (EAAI 2021).

>>> MarjjPlayer.parse("marjj:paper")
MarjjPlayer(name='marjj:paper', look=20.0, fades=0.9, knock_turns=6, turn_draws=1, danger=4.0)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import kernel, kernel_layout
from meldlab.gin.kernel_round import new_sheet
from meldlab.gin.players.kernel_marjj import marjj_discard, marjj_takes
from meldlab.gin.players.player import Drop, GinPlayer, Valued, valued_drops
from meldlab.gin.players.sight import sight_of
from meldlab.gin.view import HAND_CARDS, Phase, View, meld_of
from meldlab.melds import Meld
from meldlab.play import Chance

__all__ = ["MarjjPlayer"]

MOST_DEADWOOD = 10  # to knock with
MOST_NUMBER = 1000


@dataclass(frozen=True)
class MarjjPlayer(GinPlayer):
    """Knocks early or goes for gin, and keeps what the next card would help most; the defaults are those of the public program."""

    name: str = "marjj"
    look: float = 18.0
    """What ten points that the next card saves in the mean are worth in the first turn, in points of deadwood."""
    fades: float = 0.9
    """What is left of that from turn to turn."""
    knock_turns: int = 3
    """Turns in which it knocks as soon as it can; later it waits for gin."""
    turn_draws: int = 2
    """Own draws that make a turn. The description does not say; two come nearer to the program's results than one."""
    danger: float = 4.0
    """Points that a discard costs which the opponent can surely meld. The description gives no number; this is ours."""

    def __post_init__(self) -> None:
        for name in ("look", "danger"):
            if not 0 <= getattr(self, name) <= MOST_NUMBER:
                raise NotLegalHere(f"{name}: from 0 to {MOST_NUMBER:,}, not {getattr(self, name)!r}")
        if not 0 <= self.fades <= 1:
            raise NotLegalHere(f"fades: from 0 to 1, not {self.fades!r}")
        if not 0 <= self.knock_turns <= MOST_NUMBER or not 1 <= self.turn_draws <= MOST_NUMBER:
            raise NotLegalHere(f"turns are counted from 1 to {MOST_NUMBER:,}, not by {self.knock_turns!r} and {self.turn_draws!r}")

    @classmethod
    def parse(cls, text: str) -> "MarjjPlayer":
        """Read ``marjj``, the public program, or ``marjj:paper``, with the numbers of the paper."""
        if text not in PRESETS:
            raise NoSuchThing("player", text, list(PRESETS))
        return PRESETS[text]

    @cached_property
    def _vector(self) -> NDArray[np.float64]:
        vector = np.zeros(kernel_layout.PARAMETERS)
        vector[kernel_layout.KIND] = kernel_layout.MARJJ
        vector[kernel_layout.KNOCK_EARLY : kernel_layout.KNOCK_TURN + 1] = MOST_DEADWOOD, 0, self.knock_turns * self.turn_draws + 1
        vector[kernel_layout.LOOK : kernel_layout.DANGER + 1] = self.look, self.fades, self.turn_draws, self.danger
        return vector

    def vector(self) -> NDArray[np.float64]:
        """Return the player as the batch kernel takes it."""
        return self._vector

    def takes(self, view: View, upcard: Card) -> bool:
        """Tell whether to take the upcard: if it melds and lowers deadwood."""
        return bool(marjj_takes(sight_of(view), upcard.index))

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return the discard by deadwood, look-ahead and danger, or the one to knock with: early when it can, later for gin."""
        chosen, most, _ = self._weighed(view)
        return Drop(CARDS[chosen & 63], chosen >> 6 <= most)

    def melds(self, view: View, hand: Hand, chance: Chance) -> tuple[Meld, ...]:
        """Return the melds to show: to knock, those that allow the fewest cards to be laid off."""
        if view.phase is Phase.SHOW:
            return super().melds(view, hand, chance)
        melds = np.zeros(kernel.MOST_MELDS, np.int64)
        seen = view.mask | sum(1 << card for card in view.pile_indices)
        many = kernel.guarded_melds(hand.mask, kernel.FULL & ~seen, melds)
        return tuple(meld_of(mask) for mask in melds[:many].tolist())

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return what the hand is worth after each discard, in points of deadwood lost."""
        return valued_drops(view, self._weighed(view)[2]) if len(view.card_indices) > HAND_CARDS else []

    def _weighed(self, view: View) -> tuple[int, int, NDArray[np.float64]]:
        """Return the kernel's choice, the most deadwood to knock with, and what each discard leaves."""
        sheet = new_sheet()
        sheet.values[:] = np.nan
        most = min(MOST_DEADWOOD if view.turn <= self.knock_turns * self.turn_draws else 0, view.limit)
        return int(marjj_discard(sight_of(view), most, self._vector, sheet)), most, sheet.values


PRESETS = {player.name: player for player in (MarjjPlayer(), MarjjPlayer("marjj:paper", look=20.0, knock_turns=6, turn_draws=1))}
