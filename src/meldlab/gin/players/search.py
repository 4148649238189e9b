"""The champion that also looks ahead: its likeliest actions played out in the same imagined worlds.

>>> SearchPlayer.parse("champion:search:50").worlds
50
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import Purpose
from meldlab.errors import BadText
from meldlab.gin.batch import pair_of, seat
from meldlab.gin.kernel_layout import ASKED, Pair
from meldlab.gin.kernel_worlds import Ends
from meldlab.gin.move import Move
from meldlab.gin.players.light import MATCH_WORTH
from meldlab.gin.players.player import GinPlayer, Valued
from meldlab.gin.players.policy import PolicyPlayer, move_of
from meldlab.gin.rules import Rules
from meldlab.gin.view import Phase, View, is_big_gin
from meldlab.gin.worlds import played_ahead
from meldlab.play import Chance

__all__ = ["SearchPlayer"]

if TYPE_CHECKING:
    from meldlab.gin.review.equity import Equity

MOST_WORLDS = 1_000_000
CANDIDATES = 5  # so many at most are played out
UNLIKELY = 6.0  # how much less than the likeliest action, as a logarithm, one may be and still be tried
STEP = 0.002  # the chance to win that is worth as much as a logarithm of 1 in the network's answer
NETWORK_STEPS = 4.0  # of a world that are played by the network; the light one inside it plays the rest, many times as fast
STEPS = 11  # after which a world is broken off: what comes then is mostly luck
HEATS = 8, 4, 2, 1  # the parts of the worlds after which candidates leave that have fallen behind
FEWEST = 32  # worlds of a heat
DOUBT = 1.0  # how many standard errors a candidate must be behind to leave


@dataclass(frozen=True, eq=False)
class SearchPlayer(GinPlayer):
    """Plays the likeliest actions of a policy out in worlds that it believes in, and takes a step from the policy towards the best.

    The other's hand is drawn by the policy's belief. Both play on by the policy for a turn, then as the light network inside it does;
    after a few turns what that thinks of both hands stands for the rest.
    """

    policy: PolicyPlayer = field(repr=False)
    worlds: int
    name: str = "champion:search"
    step: float = STEP
    """How far it trusts what it finds: the smaller, the more the worlds count, and at 0 nothing else does."""
    _equities: dict[Rules, "Equity"] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, text: str) -> "SearchPlayer":
        """Read ``champion:search:N``."""
        start, _, number = text.rpartition(":")
        if start != "champion:search" or not number.isdecimal() or not 1 <= int(number) <= MOST_WORLDS:
            raise BadText(f"a number of worlds from 1 to {MOST_WORLDS} wanted, as in champion:search:100", text, min(9, len(text)))
        return cls(PolicyPlayer.parse("champion"), int(number), f"{start}:{int(number)}")

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with a move: the best of the last heat, of those who have not fallen behind before."""
        logits = self._logits(view)
        moves = self._candidates(view, logits)
        if len(moves) < 2:
            return self.policy.choose(view, chance)
        ahead = self.step * np.array(sorted(logits.values(), reverse=True)[: len(moves)])
        found, odds = np.empty((0, len(moves))), self.policy.odds(view)
        for last in self._heats():
            found = np.concatenate([found, self.chances(view, moves, chance, range(len(found), last), odds)])
            sums = ahead + found.mean(axis=0)
            best = int(sums.argmax())
            errors = (found[:, [best]] - found).std(axis=0) / sqrt(last)
            stay = np.flatnonzero(sums[best] - sums <= DOUBT * errors)
            if len(stay) == 1:
                return moves[best]
            moves, ahead, found, sums = [moves[i] for i in stay], ahead[stay], found[:, stay], sums[stay]
        return moves[int(sums.argmax())]

    def think(self, view: View, chance: Chance) -> list[Valued]:
        """Return the chance to win the match, in percent, after each move that is worth a try, each in all worlds."""
        moves = self._candidates(view, self._logits(view))
        if len(moves) < 2:
            return []
        found = self.chances(view, moves, chance, range(self.worlds), self.policy.odds(view))
        return list(map(Valued, moves, (100 * found.mean(axis=0)).tolist()))

    def chances(self, view: View, moves: list[Move], chance: Chance, worlds: range, odds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return [worlds, moves] float64, the chance to win the match after each move in each world."""
        return self.worth(view, played_ahead(view, moves, chance.key(Purpose.IMAGINED_HANDS), worlds, self._pair, STEPS, odds=odds))

    def worth(self, view: View, ends: Ends) -> NDArray[np.float64]:
        """Return [worlds, moves] float64, the chance to win the match after worlds have ended so."""
        scores, equity = (view.scores[view.seat], view.scores[1 - view.seat]), self._equity(view.rules)
        over = equity.after(scores, int(view.starter != view.seat), ends.outcomes)
        return np.where(np.isnan(ends.expected), over, np.clip(equity.even(scores) + ends.expected / MATCH_WORTH, 0.0, 1.0))

    def _heats(self) -> list[int]:
        """Return after how many worlds candidates may leave."""
        return [self.worlds // part for part in HEATS if part == 1 or self.worlds // part >= FEWEST]

    def _equity(self, rules: Rules) -> "Equity":
        from meldlab.gin.review.equity import Equity  # which seats players, and so asks for this room

        if rules not in self._equities:
            self._equities[rules] = Equity.measured(seat(self.policy.adviser), rules)
        return self._equities[rules]

    @cached_property
    def _pair(self) -> Pair:
        pair = pair_of(self.policy, self.policy)
        pair.vectors[:, ASKED] = NETWORK_STEPS
        return pair

    def _logits(self, view: View) -> dict[int, float]:
        if view.phase not in (Phase.OFFER, Phase.DRAW, Phase.DROP) or view.rules.small:
            return {}
        if view.phase is Phase.DROP and view.rules.big_gin_bonus and is_big_gin(view.mask):
            return {}
        return self.policy.logits(view)

    def _candidates(self, view: View, logits: dict[int, float]) -> list[Move]:
        """Return the moves to try, the likeliest first."""
        best = sorted(logits, key=logits.__getitem__, reverse=True)[:CANDIDATES]
        return [move_of(view, action) for action in best if logits[action] > logits[best[0]] - UNLIKELY]
