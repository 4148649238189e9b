"""Rollouts: environments in lock step, against the network itself, its snapshots and other players, and their advantages.

An episode is one round; its return is twice the change in the probability to win the match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from meldlab.gin import players
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_state import PRIOR
from meldlab.gin.players.policy import PolicyPlayer
from meldlab.gin.rules import Rules
from meldlab.gin.vector import ACTIONS, FEATURES, GinVector
from meldlab.training.config import SELF, SNAPSHOT
from meldlab.training.networks import PolicyNetwork, policy_inputs

MASKED_LOGIT = -1e9
MAX_POINTS = 200  # of a round, for the match equity

Device = Literal["cpu", "cuda"]


class Samples(NamedTuple):
    """Decisions to learn from; the first dimension of each tensor is that of the samples."""

    features: Tensor
    mask: Tensor
    prior_logits: Tensor
    hidden: Tensor
    """The opponent's hand."""
    action: Tensor
    logprob: Tensor
    advantage: Tensor
    returns: Tensor

    def select(self, indices: Tensor) -> "Samples":
        """Return some of the samples."""
        return Samples(*(column[indices] for column in self))


def to_tensor(array: Any, device: Device) -> Tensor:
    """Return an array of the environment as a tensor that shares its memory."""
    return torch.from_numpy(array) if device == "cpu" else torch.as_tensor(array, device=device)


def act(network: PolicyNetwork, features: Tensor, mask: Tensor, prior_logits: Tensor, rng: torch.Generator | None) -> tuple[Tensor, Tensor]:
    """Return [n] actions sampled from the policy and their log probabilities; without ``rng`` the likeliest actions."""
    logits, _, _ = network(*policy_inputs(features, mask, prior_logits))
    log_probs = torch.log_softmax(logits.masked_fill(mask == 0, MASKED_LOGIT), 1)
    if rng is None:
        actions = log_probs.argmax(1)
    else:
        noise = torch.empty_like(log_probs).exponential_(generator=rng)
        actions = (log_probs - noise.log()).argmax(1)
    return actions, log_probs.gather(1, actions[:, None])[:, 0]


def equity_table(equity: MatchEquity, device: Device) -> Tensor:
    """Return the win probability by own score and the other's, [points + 1, points + 1] float32: the mean over who starts."""
    return torch.tensor(equity.table.mean(axis=2), dtype=torch.float32, device=device)


def equity_gain(table: Tensor, scores: Sequence[Tensor], points: Sequence[Tensor]) -> Tensor:
    """Return the change of seat 0's win probability by an ``equity_table``; ``scores``, ``points`` of a round: its own, the other's."""
    last = len(table) - 1
    own, other = (score.clamp(max=last).long() for score in scores)
    own_after, other_after = ((score + won).clamp(max=last).long() for score, won in zip(scores, points, strict=True))
    return table[own_after, other_after] - table[own, other]


@dataclass
class OpponentEnv:
    """Environments with one kind of opponent: the network itself, a snapshot, or a player."""

    opponent: str
    env: GinVector
    device: Device
    network: PolicyNetwork | None = None
    """The opponent, if it is a policy network; other players are part of the environment."""

    def __post_init__(self) -> None:
        self.features, self.mask, self.to_move = (to_tensor(array, self.device) for array in self.env.observe())
        self.scores = torch.zeros((self.env.n, 2), dtype=torch.int32, device=self.device)
        self.seat = torch.arange(self.env.n, device=self.device) % 2
        self.no_prior = torch.zeros((self.env.n, PRIOR), dtype=torch.float16, device=self.device)

    @classmethod
    def create(cls, opponent: str, num_envs: int, rules: Rules, seed: int, device: Device) -> "OpponentEnv":
        """Return new environments against an opponent by name."""
        player = None if opponent in (SELF, SNAPSHOT) else players.parse(opponent)
        network = PolicyNetwork.from_weights(player.policy).to(device).requires_grad_(False) if isinstance(player, PolicyPlayer) else None
        inside = opponent if player is not None and network is None else None
        return cls(opponent, GinVector(num_envs, rules, seed, inside, device), device, network)

    def prior_logits(self, network: PolicyNetwork) -> Tensor:
        """Return [n, PRIOR] the action values of a network's prior; zeros without a prior, and in a small game."""
        if self.env.rules.small or network.prior_player is None:
            return self.no_prior
        return to_tensor(self.env.prior(network.prior_player), self.device).half()

    def step(self, actions: Tensor, equity: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Apply actions; return the rewards of seat 0 by an ``equity_table``, which rounds ended, and their points."""
        result = self.env.step(actions if self.device != "cpu" else actions.numpy())
        over, finished, points, scores = (
            to_tensor(array, self.device) for array in (result.over, result.done, result.points, result.scores)
        )
        if self.env.rules.match_points:
            reward = 2 * equity_gain(equity, self.scores.unbind(1), points.unbind(1))
        else:
            reward = (points[:, 0] - points[:, 1]).float() / 100
        reward = torch.where(over, reward, 0.0)
        self.scores = torch.where(finished[:, None], 0, scores)
        return reward, over.clone(), points


class Rollout:
    """The buffer of an iteration: [num_steps, environments] decisions."""

    def __init__(self, envs: Sequence[OpponentEnv], num_steps: int, device: Device) -> None:
        self.envs, self.num_steps, self.device = envs, num_steps, device
        shape = num_steps, sum(env.env.n for env in envs)
        self.features = torch.empty((*shape, FEATURES), dtype=torch.uint8, device=device)
        self.mask = torch.empty((*shape, ACTIONS), dtype=torch.int8, device=device)
        self.hidden = torch.empty((*shape, 52), dtype=torch.uint8, device=device)
        self.action = torch.empty(shape, dtype=torch.int64, device=device)
        self.logprob, self.reward = (torch.empty(shape, device=device) for _ in range(2))
        self.seat = torch.empty(shape, dtype=torch.int64, device=device)
        self.over, self.own = (torch.empty(shape, dtype=torch.bool, device=device) for _ in range(2))
        self.prior_logits = torch.empty((*shape, PRIOR), dtype=torch.float16, device=device)
        self.points = torch.zeros(MAX_POINTS, device=device)

    @torch.no_grad()
    def collect(self, network: PolicyNetwork, snapshot: PolicyNetwork, equity: Tensor, rng: torch.Generator) -> None:
        """Fill the buffer."""
        self.points.zero_()
        for step in range(self.num_steps):
            first = 0
            for env in self.envs:
                part = slice(first, first + env.env.n)
                first += env.env.n
                self.features[step, part], self.mask[step, part] = env.features, env.mask
                self.hidden[step, part] = to_tensor(env.env.hidden(), self.device)
                self.seat[step, part] = env.to_move
                self.prior_logits[step, part] = prior_logits = env.prior_logits(network)
                with torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu"):
                    action, logprob = act(network, env.features, env.mask, prior_logits, rng)
                    own = torch.ones_like(action, dtype=torch.bool)
                    other = snapshot if env.opponent == SNAPSHOT else env.network
                    if other is not None:
                        own = env.to_move == env.seat
                        # A snapshot samples its actions as the network does; a player plays the likeliest, as at the table.
                        other_prior, other_rng = (prior_logits, rng) if other is snapshot else (env.prior_logits(other), None)
                        action = torch.where(own, action, act(other, env.features, env.mask, other_prior, other_rng)[0])
                self.action[step, part], self.logprob[step, part], self.own[step, part] = action, logprob, own
                reward, over, points = env.step(action, equity)
                self.reward[step, part], self.over[step, part] = reward, over
                if env.opponent == SELF:
                    won = points.max(1).values.clamp(max=MAX_POINTS - 1).long()
                    self.points.index_add_(0, won, (over & (won > 0)).float())

    def advantages(self, values: Tensor, gae_lambda: float) -> tuple[Tensor, Tensor, Tensor]:
        """Return [num_steps, n] the advantages by GAE over the decisions of each seat, the returns, and which decisions are samples.

        ``values``: [num_steps, n] of the critic. The last decision of a seat is a sample only if its round ended within the rollout.
        """
        n = values.shape[1]
        index = torch.arange(n, device=self.device)
        next_value, next_advantage, pending = (torch.zeros((n, 2), device=self.device) for _ in range(3))
        known = torch.zeros((n, 2), dtype=torch.bool, device=self.device)
        advantage, is_sample = torch.empty_like(values), torch.empty_like(self.own)
        for step in range(self.num_steps - 1, -1, -1):
            over, seat, reward = self.over[step, :, None], self.seat[step], self.reward[step]
            next_value, next_advantage = next_value.masked_fill(over, 0.0), next_advantage.masked_fill(over, 0.0)
            pending = torch.where(over, torch.stack([reward, -reward], 1), pending)
            known = known | over
            delta = pending[index, seat] + next_value[index, seat] - values[step]
            advantage[step] = delta + gae_lambda * next_advantage[index, seat]
            is_sample[step] = known[index, seat]
            next_value[index, seat], next_advantage[index, seat] = values[step], advantage[step]
            pending[index, seat], known[index, seat] = 0.0, True
        return advantage, advantage + values, is_sample & self.own

    def samples(self, advantage: Tensor, returns: Tensor) -> Samples:
        """Return all decisions, flat."""
        columns = (self.features, self.mask, self.prior_logits, self.hidden, self.action, self.logprob, advantage, returns)
        return Samples(*(column.flatten(0, 1) for column in columns))
