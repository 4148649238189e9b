"""The champion with search: rollouts of its likeliest actions on the same sampled deals.

>>> SearchPlayer.parse("champion:search:50").samples
50
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import Purpose
from meldlab.errors import BadText
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_state import PolicyParameters
from meldlab.gin.move import Move
from meldlab.gin.observation import move_of
from meldlab.gin.players.player import GinPlayer, MoveValue
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.players.value_network import POINTS_PER_MATCH
from meldlab.gin.rules import Rules
from meldlab.gin.sampling import rollouts
from meldlab.gin.view import Phase, View, is_big_gin
from meldlab.play import Chance

MAX_SAMPLES = 1_000_000
CANDIDATES = 5  # maximum number of actions with rollouts; up to six gained a little over four on 1,424 decisions, docs/training.md
UNLIKELY = 6.0  # largest difference of a candidate's logit from the best: 400 times less likely; 1,424 decisions, docs/training.md
STEP = 0.002  # win probability per logit: gained more than 0.004 and 0.01 on 683 decisions, benchmarks/gin_decisions.py
NETWORK_STEPS = 4.0  # of a rollout that are played by the network, then its prior: more than 0 and 8 on 433 decisions, docs/training.md
STEPS = 11  # after which a rollout is truncated: halves its standard deviation (418 decisions, docs/training.md)
RUNGS = 8, 4, 2, 1  # candidates are dropped after 1/8, 1/4, 1/2 and all of the sampled deals; this and the next two are not tuned
FEWEST = 32  # minimum number of sampled deals before that
DOUBT = 1.0  # standard errors behind the best at which a candidate is dropped


@dataclass(frozen=True, eq=False)
class SearchPlayer(GinPlayer):
    """Compares the likeliest actions of a policy by rollouts on sampled deals, with the policy's logits as a prior.

    The opponent's hand is sampled by the policy's belief. Both seats play by the policy for a turn, then by its prior network; after a
    few turns the rollout is truncated, and the prior network's values of both hands replace the rest.
    """

    policy: PolicyPlayer = field(repr=False)
    samples: int
    name: str = "champion:search"
    step: float = STEP
    """Weight of the logits against the win probabilities of the rollouts; at 0 the rollouts alone decide."""
    _equities: dict[Rules, MatchEquity] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, text: str) -> "SearchPlayer":
        """Read ``champion:search:N``."""
        start, _, number = text.rpartition(":")
        if start != "champion:search" or not number.isdecimal() or not 1 <= int(number) <= MAX_SAMPLES:
            raise BadText(f"expected a number of sampled deals from 1 to {MAX_SAMPLES}, as in champion:search:100", text, min(9, len(text)))
        return cls(PolicyPlayer.parse("champion"), int(number), f"{start}:{int(number)}")

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with a move: the best of the candidates that are left at the end."""
        logits = self._logits(view)
        moves = self._candidates(view, logits)
        if len(moves) < 2:
            return self.policy.choose(view, chance)
        prior = self.step * np.array(sorted(logits.values(), reverse=True)[: len(moves)])
        probabilities, odds = np.empty((0, len(moves))), self.policy.odds(view)
        for last in self._rungs():
            probabilities = np.concatenate(
                [probabilities, self.win_probabilities(view, moves, chance, range(len(probabilities), last), odds)]
            )
            sums = prior + probabilities.mean(axis=0)
            best = int(sums.argmax())
            errors = (probabilities[:, [best]] - probabilities).std(axis=0) / sqrt(last)
            stay = np.flatnonzero(sums[best] - sums <= DOUBT * errors)
            if len(stay) == 1:
                return moves[best]
            moves, prior, probabilities, sums = [moves[i] for i in stay], prior[stay], probabilities[:, stay], sums[stay]
        return moves[int(sums.argmax())]

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the match-win probability after each candidate, in percent, each on all sampled deals."""
        moves = self._candidates(view, self._logits(view))
        if len(moves) < 2:
            return []
        probabilities = self.win_probabilities(view, moves, chance, range(self.samples), self.policy.odds(view))
        return list(map(MoveValue, moves, (100 * probabilities.mean(axis=0)).tolist()))

    def win_probabilities(
        self, view: View, moves: list[Move], chance: Chance, samples: range, odds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return [samples, moves] float64, the match-win probability after each move on each sampled deal."""
        players = self._rollout_player, self._rollout_player
        ends = rollouts(view, moves, chance.key(Purpose.SAMPLED_HANDS), samples, players, STEPS, odds=odds)
        return self._equity(view.rules).after_rollouts(view, ends.outcomes, ends.expected / POINTS_PER_MATCH)

    def _rungs(self) -> list[int]:
        """Return the numbers of sampled deals after which candidates may be dropped."""
        return [self.samples // part for part in RUNGS if part == 1 or self.samples // part >= FEWEST]

    def _equity(self, rules: Rules) -> MatchEquity:
        if rules not in self._equities:
            self._equities[rules] = MatchEquity.from_self_play(self.policy.prior.parameters(), rules)
        return self._equities[rules]

    @cached_property
    def _rollout_player(self) -> PolicyParameters:
        return self.policy.parameters()._replace(network_steps=NETWORK_STEPS)

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
