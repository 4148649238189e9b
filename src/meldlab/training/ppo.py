"""PPO with a centralised critic that sees all cards, in self-play and against an opponent pool."""

import copy
from collections.abc import Iterator
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meldlab.chance import Purpose, derive_seed
from meldlab.gin.equity import MatchEquity
from meldlab.gin.vector import PLANES
from meldlab.training.config import SELF, SNAPSHOT, PPOConfig
from meldlab.training.networks import PolicyNetwork, load_prior, policy_inputs
from meldlab.training.rollout import MASKED_LOGIT, Device, OpponentEnv, Rollout, Samples, equity_table
from meldlab.training.trainer import Trainer, TrainingIteration, update_ema

INITIAL_POINTS = 60  # of a round, all numbers up to this equally likely, for the match equity of the first iteration
VALUE_CHUNK = 1 << 18  # decisions that the critic evaluates at once


class PPO(Trainer[PPOConfig, PolicyNetwork]):
    """A PPO run."""

    modules: ClassVar[tuple[str, ...]] = ("network", "critic", "average", "optimizer")

    def __init__(self, config: PPOConfig, device: Device, network: PolicyNetwork | None = None) -> None:
        super().__init__(config, device)
        size = config.hidden_size, config.num_layers
        self.start(network or PolicyNetwork(*size, prior=load_prior(config.prior)))
        self.critic = PolicyNetwork(*size, critic=True).to(device)
        self.snapshot = copy.deepcopy(self.average)
        parameters = [*self.network.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=config.learning_rate, eps=1e-5)
        self.set_equity(np.array([0] + [1] * INITIAL_POINTS))

    def set_equity(self, counts: NDArray[Any]) -> None:
        """Compute the match equity from ``counts``, [points]: rounds won by each number of points."""
        self.equity = equity_table(MatchEquity.from_counts(counts, self.config.rules), self.device)

    def iterations(self) -> Iterator[TrainingIteration]:
        """Train until ``total_steps``."""
        config, (own, snapshots, pool) = self.config, self.config.num_envs
        kinds = ((SELF, own), (SNAPSHOT, snapshots))
        envs = [self._envs(name, num_envs, index) for index, (name, num_envs) in enumerate(kinds) if num_envs]
        opponents = [self._envs(name, pool, 2 + index) for index, name in enumerate(dict.fromkeys(config.opponents))] if pool else []
        rollout = Rollout([*envs, *opponents[:1]], config.num_steps, self.device)
        rng = torch.Generator(self.device).manual_seed(derive_seed(config.seed, Purpose.ITERATION, self.iteration, 1))
        while self.steps < config.total_steps:
            start = perf_counter()
            if self.iteration % config.snapshot_interval == 0:
                self.take_snapshot()
            self.load_snapshot(self.snapshot, self.rng(2))
            opponent = config.opponents[self.iteration % len(config.opponents)] if opponents else ""
            rollout.envs = [*envs, *(env for env in opponents if env.opponent == opponent)]
            rollout.collect(self.network, self.snapshot, self.equity, rng)
            metrics = self._update(rollout, rng)
            if rollout.points.any():
                self.set_equity(rollout.points.cpu().numpy())
            self.steps += rollout.action.numel()
            self.iteration += 1
            yield TrainingIteration(self.iteration, self.steps, perf_counter() - start, metrics)

    def _envs(self, opponent: str, num_envs: int, index: int) -> OpponentEnv:
        seed = derive_seed(self.config.seed, Purpose.ROLLOUTS, index, self.iteration)
        return OpponentEnv.create(opponent, num_envs, self.config.rules, seed, self.device)

    def _update(self, rollout: Rollout, rng: torch.Generator) -> dict[str, float]:
        config, progress = self.config, min(1.0, self.steps / self.config.total_steps)
        learning_rate = config.learning_rate * (config.final_learning_rate / config.learning_rate) ** progress
        ent_coef = config.ent_coef and config.ent_coef * (config.final_ent_coef / config.ent_coef) ** progress
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        values = self._values(rollout)
        advantage, returns, is_sample = rollout.advantages(values, config.gae_lambda)
        indices = (is_sample & (rollout.mask.sum(2) > 1)).flatten().nonzero()[:, 0]
        samples = rollout.samples(advantage, returns)
        scale = samples.advantage[indices].std().clamp(min=1e-6)
        metrics = []
        for _ in range(config.update_epochs):
            order = indices[torch.randperm(len(indices), device=self.device, generator=rng)]
            for minibatch in order.split(config.minibatch_size):
                if len(minibatch) == config.minibatch_size or len(order) < config.minibatch_size:
                    metrics.append(self._minibatch(samples.select(minibatch), scale, ent_coef))
        left = (samples.returns[indices] - values.flatten()[indices]).var() / samples.returns[indices].var().clamp(min=1e-9)
        entropy, approx_kl, belief_loss = torch.stack(metrics).mean(0).tolist()
        return {"entropy": entropy, "explained_variance": 1 - float(left), "approx_kl": approx_kl, "belief_loss": belief_loss}

    @torch.no_grad()
    def _values(self, rollout: Rollout) -> Tensor:
        inputs = (rollout.features, rollout.mask, rollout.prior_logits, rollout.hidden)
        chunks = [column.flatten(0, 1).split(VALUE_CHUNK) for column in inputs]
        with self._autocast():
            values = [self._critic_values(*chunk).float() for chunk in zip(*chunks, strict=True)]
        return torch.cat(values).view(rollout.action.shape)

    def _critic_values(self, features: Tensor, mask: Tensor, prior_logits: Tensor, hidden: Tensor) -> Tensor:
        values: Tensor = self.critic(*policy_inputs(features, mask, prior_logits, hidden))[1]
        return values

    def _autocast(self) -> Any:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu")

    def _minibatch(self, samples: Samples, scale: Tensor, ent_coef: float) -> Tensor:
        """Take one gradient step; return [entropy, approximate KL divergence, belief loss]."""
        config = self.config
        with self._autocast():
            logits, value, belief = self.network(*policy_inputs(samples.features, samples.mask, samples.prior_logits))
            critic_value = self._critic_values(samples.features, samples.mask, samples.prior_logits, samples.hidden)
        log_probs = torch.log_softmax(logits.masked_fill(samples.mask == 0, MASKED_LOGIT), 1)
        logprob = log_probs.gather(1, samples.action[:, None])[:, 0]
        ratio, advantage = (logprob - samples.logprob).exp(), samples.advantage / scale
        clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
        entropy = -(log_probs.exp() * log_probs).sum(1).mean()
        loss = -torch.minimum(ratio * advantage, clipped * advantage).mean() - ent_coef * entropy
        loss = loss + config.vf_coef * ((value - samples.returns) ** 2).mean()
        loss = loss + config.vf_coef * ((critic_value - samples.returns) ** 2).mean()
        belief_loss = _belief_loss(belief, samples)
        loss = loss + config.belief_coef * belief_loss
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*self.network.parameters(), *self.critic.parameters()], config.max_grad_norm)
        self.optimizer.step()
        # At first the average is of all networks so far, so that a short run is not held back by its initial weights.
        share = max(1 - config.ema_decay, config.minibatch_size / (config.minibatch_size + self.steps))
        update_ema(self.average, self.network, share)
        approx_kl = ((logprob - samples.logprob) ** 2).mean().detach() / 2
        return torch.stack([entropy.detach(), approx_kl, belief_loss.detach()])


def _belief_loss(belief: Tensor, samples: Samples) -> Tensor:
    """Return the mean cross entropy per unseen card of the predicted hand of the opponent."""
    unseen = 1 - sum(samples.features[:, PLANES[name]] for name in ("own", "known", "pile"))
    losses = torch.nn.functional.binary_cross_entropy_with_logits(belief, samples.hidden.float(), weight=unseen.float(), reduction="sum")
    return losses / unseen.sum()
