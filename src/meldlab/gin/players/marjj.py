"""MARJJ, the strongest published heuristic, written from its description; a baseline, not a copy of the public program.

The program's turn is one own draw: it knocks short of gin in its first three own draws only. ``marjj`` has two draws a turn, which were
fitted to win rates; its knocks, and one discard in five, are not the program's. See "MARJJ" in docs/gin.md.

Ahmed, Leppo, Lesniewski, Patel, Perez and Blum, "A Heuristic Evaluation Function for Hand Strength Estimation in Gin Rummy" (EAAI 2021).

>>> MarjjPlayer.parse("marjj:paper")
MarjjPlayer(name='marjj:paper', look=20.0, fades=0.9, knock_turns=6, turn_draws=1, danger=4.0)
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from meldlab.cards import Hand
from meldlab.errors import NoSuchThing, NotLegalHere
from meldlab.gin import kernel_hand
from meldlab.gin.kernel_state import MAX_MELDS, MarjjParameters
from meldlab.gin.players.player import KernelPlayer
from meldlab.gin.view import Phase, View, check_size, meld_of
from meldlab.melds import Meld
from meldlab.play import Chance

MAX_KNOCK = 10.0  # deadwood
MAX_NUMBER = 1000


@dataclass(frozen=True)
class MarjjPlayer(KernelPlayer):
    """Knocks early, later with gin only, and discards for the hand that the next card improves most.

    ``look``, ``fades`` and ``knock_turns`` are those of the public program, the other defaults are fitted to its win rates.
    """

    plays_in_kernel: ClassVar[bool] = True
    name: str = "marjj"
    look: float = 18.0
    """Value of ten points that the next card saves on average, in the first turn, in points of deadwood."""
    fades: float = 0.9
    """Factor of that value from turn to turn."""
    knock_turns: int = 3
    """Turns in which it knocks as soon as it can; later it waits for gin."""
    turn_draws: int = 2
    """Own draws that make a turn. The program's turn is one draw: 1 takes its knock decisions, 2 comes nearer to its win rates."""
    danger: float = 4.0
    """Cost of a discard that the opponent can surely meld, in points. The description gives no number; this is ours."""

    def __post_init__(self) -> None:
        for name in ("look", "danger"):
            if not 0 <= getattr(self, name) <= MAX_NUMBER:
                raise NotLegalHere(f"{name}: expected 0 to {MAX_NUMBER:,}, got {getattr(self, name)!r}")
        if not 0 <= self.fades <= 1:
            raise NotLegalHere(f"fades: expected 0 to 1, got {self.fades!r}")
        if not 0 <= self.knock_turns <= MAX_NUMBER or not 1 <= self.turn_draws <= MAX_NUMBER:
            raise NotLegalHere(f"turns are counted from 1 to {MAX_NUMBER:,}, not by {self.knock_turns!r} and {self.turn_draws!r}")

    @classmethod
    def parse(cls, text: str) -> "MarjjPlayer":
        """Read ``marjj``, with the numbers of the public program, or ``marjj:paper``, with those of the paper."""
        if text not in PRESETS:
            raise NoSuchThing("player", text, list(PRESETS))
        return PRESETS[text]

    def parameters(self) -> MarjjParameters:
        """Return the parameters of the player in kernels."""
        knock_turn = float(self.knock_turns * self.turn_draws + 1)
        numbers = map(float, (self.look, self.fades, self.turn_draws, self.danger))
        return MarjjParameters((MAX_KNOCK, 0.0, knock_turn), *numbers)

    def melds(self, view: View, hand: Hand, chance: Chance) -> tuple[Meld, ...]:
        """Return the melds to show: to knock, those that allow the fewest cards to be laid off."""
        if view.phase is Phase.SHOW:
            return super().melds(view, hand, chance)
        check_size(hand.mask)
        melds = np.zeros(MAX_MELDS, np.int64)
        seen = view.mask | sum(1 << card for card in view.pile_indices)
        count = kernel_hand.melds_with_fewest_lay_offs(hand.mask, kernel_hand.FULL & ~seen, melds)
        return tuple(meld_of(mask) for mask in melds[:count].tolist())


PRESETS = {player.name: player for player in (MarjjPlayer(), MarjjPlayer("marjj:paper", look=20.0, knock_turns=6, turn_draws=1))}
