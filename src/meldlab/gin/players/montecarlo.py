"""A player that imagines worlds from what it has seen and plays every candidate out in the same ones.

>>> MonteCarloPlayer.parse("mc:64")
MonteCarloPlayer(name='mc:64', deals=64)
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import Hand
from meldlab.chance import Purpose
from meldlab.errors import BadText
from meldlab.gin.batch import pair_of
from meldlab.gin.kernel import makes_meld
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.players.player import GinPlayer, Valued
from meldlab.gin.players.simple import SimplePlayer
from meldlab.gin.view import Phase, View, is_big_gin
from meldlab.gin.worlds import played_out, points_of
from meldlab.melds import discards
from meldlab.play import Chance

__all__ = ["MonteCarloPlayer"]

MOST_DEALS = 1_000_000
DOUBT = 1.0  # standard errors of a gain that must be exceeded
SLACK = 3  # points of deadwood more than the least that a discard may leave to be tried
# The player goes on for gin, against an opponent that knocks as soon as it can: whether to knock now is asked anew at every turn.
PLAY_OUT = pair_of(SimplePlayer.parse("gin-only"), SimplePlayer())


@dataclass(frozen=True)
class MonteCarloPlayer(GinPlayer):
    """Tries each candidate in the same ``deals`` worlds, where both sides go on simply, and takes the best."""

    name: str = "mc:64"
    deals: int = 64

    @classmethod
    def parse(cls, text: str) -> "MonteCarloPlayer":
        """Read ``mc`` or ``mc:N``."""
        _, _, number = text.partition(":")
        if text == "mc":
            return cls()
        if not number.isdecimal() or not 1 <= int(number) <= MOST_DEALS:
            raise BadText(f"a number of deals from 1 to {MOST_DEALS} wanted, as in mc:64", text, min(3, len(text)))
        return cls(f"mc:{int(number)}", int(number))

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with the move that won most points."""
        big_gin = view.phase is Phase.DROP and view.rules.big_gin_bonus and is_big_gin(view.mask)
        moves = [] if big_gin else self.candidates(view, chance)
        if not moves:
            return super().choose(view, chance)
        points = self.points(view, moves, chance)
        # The first candidate is the simple player's; few worlds must show a clear gain to leave it.
        gains = points - points[:, :1]
        best = int(gains.mean(axis=0).argmax())
        return moves[best if gains[:, best].mean() > DOUBT * gains[:, best].std() / sqrt(self.deals) else 0]

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return the points that each move worth a try wins in the mean, where there is a choice."""
        moves = self.candidates(view, chance)
        return list(map(Valued, moves, self.points(view, moves, chance).mean(axis=0).tolist())) if moves else []

    def candidates(self, view: View, chance: Chance) -> list[Move]:
        """Return the moves to try, the simple player's first; none where there is no choice."""
        if view.phase == Phase.DROP:
            left = discards(view.hand)
            cards = [card for card in view.cards if card != view.taken or view.rules.return_upcard]
            least = min(left[card] for card in cards)
            # Few worlds cannot tell eleven discards apart: the choice would go to luck. Those that leave much are not worth the noise.
            near = sorted((card for card in cards if left[card] <= least + SLACK), key=left.__getitem__)
            drops = [DROPS[card.index] for card in near]
            if least > view.limit:
                return drops
            return [Move(Verb.KNOCK, near[0].index, self.melds(view, Hand(view.hand - {near[0]}), chance)), *drops]
        if view.phase not in (Phase.OFFER, Phase.DRAW):
            return []
        upcard = view.pile_indices[-1]
        both = [TAKES[upcard], PASS if view.phase == Phase.OFFER else DRAW]
        return both if makes_meld(view.mask, upcard) else both[::-1]

    def points(self, view: View, moves: list[Move], chance: Chance) -> NDArray[np.float64]:
        """Return [deals, moves] float64, the points that each move wins in each world."""
        return points_of(played_out(view, moves, chance.key(Purpose.IMAGINED_HANDS), range(self.deals), PLAY_OUT))
