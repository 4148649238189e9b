"""The player by a policy network, which gives every legal action a logit.

>>> player = PolicyPlayer(blank_policy(wide=4, deep=1), "blank")
>>> from meldlab.gin import Gin, Rules
>>> from meldlab.play import Deal, Table
>>> Table(Gin(Rules(match_points=0)), [player, player]).play(Deal(seed=1)).result is not None
True
"""

from dataclasses import dataclass
from math import exp
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from meldlab.cards import CARDS
from meldlab.chance import Purpose
from meldlab.errors import NoSuchThing
from meldlab.gin.kernel_players import wide_workspace
from meldlab.gin.kernel_policy import KNOCK_PLANE, policy_input, sample_discard, sample_take, write_belief
from meldlab.gin.kernel_state import DISCARD, DRAW, KNOCK, PASS, TAKE, PolicyInput, PolicyParameters, PolicyWeights, PolicyWorkspace
from meldlab.gin.move import DRAW as DRAW_MOVE
from meldlab.gin.move import PASS as PASS_MOVE
from meldlab.gin.move import TAKES, Move
from meldlab.gin.network_files import blank_policy, check_weights, prior_of, read_shipped, read_weights
from meldlab.gin.observation import move_of, state_of
from meldlab.gin.players.player import Drop, KernelPlayer, MoveValue
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.view import Phase, View
from meldlab.play import Chance

__all__ = ["PolicyPlayer", "blank_policy"]

MAX_LOGIT = 8.0
NO_KEY = np.uint64(0)
SHIPPED = ("champion", "specialist")
DISCARD_PURPOSE = int(Purpose.DISCARD)


@dataclass(frozen=True, eq=False)
class PolicyPlayer(KernelPlayer):
    """Plays by the logits that a network gives to its actions; by default the action with the largest one."""

    plays_in_kernel: ClassVar[bool] = True
    policy: PolicyWeights
    name: str = "policy"
    temperature: float = 0.0
    """Softmax temperature: at 0 the likeliest action is played, at 1 each with the probability of the network."""
    network_steps: float = 0.0
    """From this number of actions on the prior network decides, which is many times as fast; 0: never. In kernels only."""

    def __post_init__(self) -> None:
        check_weights(self.policy)

    @classmethod
    def parse(cls, text: str) -> "PolicyPlayer":
        """Read ``champion``, ``specialist`` or ``network:FILE.npz``."""
        if text in SHIPPED:
            return cls(read_shipped(PolicyWeights, text)[0], text)
        kind, _, path = text.partition(":")
        if kind not in ("network", "computed") or not path.endswith(".npz"):
            raise NoSuchThing("player", text, [*SHIPPED, "network:FILE.npz"])
        return cls(read_weights(PolicyWeights, path, path)[0], text)

    def parameters(self) -> PolicyParameters:
        """Return the parameters of the player in kernels."""
        return PolicyParameters(self.policy, float(self.temperature), float(self.network_steps))

    def choose(self, view: View, chance: Chance) -> Move:
        """Answer a view with a move."""
        if view.phase in (Phase.OFFER, Phase.DRAW):
            inputs, workspace = self._inputs(view)
            if sample_take(inputs, self.temperature, np.uint64(chance.key(DISCARD_PURPOSE)), self.policy, workspace):
                return TAKES[view.pile_indices[-1]]
            return PASS_MOVE if view.phase is Phase.OFFER else DRAW_MOVE
        return super().choose(view, chance)

    def drop(self, view: View, chance: Chance) -> Drop:
        """Return a discard, and whether to knock with it."""
        inputs, workspace = self._inputs(view)
        card, knock = sample_discard(inputs, self.temperature, np.uint64(chance.key(DISCARD_PURPOSE)), self.policy, workspace)
        return Drop(CARDS[card], bool(knock))

    def evaluate(self, view: View, chance: Chance) -> list[MoveValue]:
        """Return the probability that the network gives to each move."""
        logits = self.logits(view) if view.phase in (Phase.OFFER, Phase.DRAW, Phase.DROP) else {}
        top = max(logits.values(), default=0.0)
        total = sum(exp(logit - top) for logit in logits.values())
        return [MoveValue(move_of(view, action), exp(logit - top) / total) for action, logit in logits.items()]

    @property
    def prior(self) -> LightPlayer:
        """Return the player by the prior network, which is some twenty times as fast."""
        return LightPlayer(prior_of(self.policy), f"the prior of {self.name}")

    def logits(self, view: View) -> dict[int, float]:
        """Return the logits of the actions of the vector environment in a view that is to draw or to discard, without big gin."""
        inputs, workspace = self._inputs(view)
        if view.phase in (Phase.OFFER, Phase.DRAW):
            sample_take(inputs, 0.0, NO_KEY, self.policy, workspace)
            actions = [PASS if view.phase is Phase.OFFER else DRAW, TAKE]
        else:
            sample_discard(inputs, 0.0, NO_KEY, self.policy, workspace)
            masks = int(inputs.allowed), int(inputs.planes[KNOCK_PLANE])
            actions = [first + card for first, mask in zip((DISCARD, KNOCK), masks, strict=True) for card in range(52) if mask >> card & 1]
        return dict(zip(actions, workspace.values.tolist(), strict=False))

    def odds(self, view: View) -> NDArray[np.float64]:
        """Return [52], the odds that the opponent holds each card; meaningless for seen cards."""
        inputs, workspace = self._inputs(view)
        write_belief(inputs, self.policy, workspace)
        odds: NDArray[np.float64] = np.exp(workspace.values[:52].clip(-MAX_LOGIT, MAX_LOGIT))
        return odds

    def _inputs(self, view: View) -> tuple[PolicyInput, PolicyWorkspace]:
        """Return the input of the network, without a prior in a small game, and the workspace it is written on."""
        workspace = wide_workspace(self.policy.own.shape[1])
        return policy_input(state_of(view)[0], view.seat, not view.rules.small, self.policy, workspace), workspace
