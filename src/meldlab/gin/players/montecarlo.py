"""The Monte Carlo player: rollouts of every candidate move on the same sampled deals.

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
from meldlab.gin.kernel_hand import makes_meld
from meldlab.gin.move import DRAW, DROPS, PASS, TAKES, Move, Verb
from meldlab.gin.players.player import GinPlayer, MoveValue
from meldlab.gin.players.simple import SimplePlayer
from meldlab.gin.sampling import points_of, rollouts
from meldlab.gin.view import Phase, View, is_big_gin
from meldlab.melds import discards
from meldlab.play import Chance

MAX_DEALS = 1_000_000
DOUBT = 1.0  # standard errors of a gain that must be exceeded; this and the next are not tuned
SLACK = 3  # points of deadwood more than the least that a discard may leave to be tried
# The player continues for gin, against an opponent that knocks as soon as it can: a knock is considered anew at every turn.
ROLLOUT_PLAYERS = SimplePlayer.parse("gin-only").parameters(), SimplePlayer().parameters()


@dataclass(frozen=True)
class MonteCarloPlayer(GinPlayer):
    """Plays each candidate to the end on the same ``deals`` sampled deals, with simple players on both sides, and takes the best."""

    name: str = "mc:64"
    deals: int = 64

    @classmethod
    def parse(cls, text: str) -> "MonteCarloPlayer":
        """Read ``mc`` or ``mc:N``."""
        _, _, number = text.partition(":")
        if text == "mc":
            return cls()
        if not number.isdecimal() or not 1 <= int(number) <= MAX_DEALS:
            raise BadText(f"expected a number of deals from 1 to {MAX_DEALS}, as in mc:64", text, min(3, len(text)))
        return cls(f"mc:{int(number)}", int(number))

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with the move that won most points."""
        big_gin = view.phase is Phase.DROP and view.rules.big_gin_bonus and is_big_gin(view.mask)
        moves = [] if big_gin else self.candidates(view, chance)
        if not moves:
            return super().choose(view, chance)
        points = self.points(view, moves, chance)
        # The first candidate is the simple player's move; only a significant gain overrides it.
        gains = points - points[:, :1]
        best = int(gains.mean(axis=0).argmax())
        return moves[best if gains[:, best].mean() > DOUBT * gains[:, best].std() / sqrt(self.deals) else 0]

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the mean points of each candidate; none without a choice."""
        moves = self.candidates(view, chance)
        return list(map(MoveValue, moves, self.points(view, moves, chance).mean(axis=0).tolist())) if moves else []

    def candidates(self, view: View, chance: Chance) -> list[Move]:
        """Return the moves to try, the simple player's first; none without a choice."""
        if view.phase == Phase.DROP:
            left = discards(view.hand)
            cards = [card for card in view.cards if card != view.taken or view.rules.return_upcard]
            least = min(left[card] for card in cards)
            # Few deals cannot separate eleven discards from noise, so those that leave much more than the least are left out.
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
        """Return [deals, moves] float64, the points of each move on each deal."""
        return points_of(rollouts(view, moves, chance.key(Purpose.SAMPLED_HANDS), range(self.deals), ROLLOUT_PLAYERS).outcomes)
