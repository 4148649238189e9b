"""TD(lambda) training of value networks: rounds recorded by the batch kernels, lambda targets, and regression on them.

Targets are changes of the probability to win the match, in points of the value network.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meldlab.chance import Purpose, derive_seed
from meldlab.gin import kernel_state as layout
from meldlab.gin import players
from meldlab.gin.batch import batch_rules, kernel_parameters
from meldlab.gin.computing import playing
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_state import CANNOT_KNOCK, EXPECTED, IF_KNOCK, KNOCKED, RESULT
from meldlab.gin.kernel_value_network import DRAW_HEAD, KNOCK_HEAD, WAIT_HEAD
from meldlab.gin.players.value_network import POINTS_PER_MATCH, LightPlayer
from meldlab.gpu import Device as Hardware
from meldlab.training.config import SELF, SNAPSHOT, TDConfig
from meldlab.training.networks import ValueNetwork
from meldlab.training.rollout import Device, equity_gain, equity_table, to_tensor
from meldlab.training.trainer import Trainer, TrainingIteration, update_ema

MAX_SEED = 2**63  # one type of seed for a kernel, so that it is compiled once
NUMBERS = (layout.DISCARDED, layout.LEFT_OVER, layout.OWN_SCORE, layout.OTHER_SCORE)


class ValueSamples(NamedTuple):
    """Inputs of the value network, the head of each sample, and its target."""

    planes: Tensor
    """[samples, 3] int64"""
    numbers: Tensor
    """[samples, 6] uint8"""
    head: Tensor
    """[samples] uint8"""
    target: Tensor
    """[samples] float32"""

    def select(self, index: Tensor | slice) -> "ValueSamples":
        """Return some of the samples."""
        return ValueSamples(*(column[index] for column in self))

    @classmethod
    def join(cls, parts: Sequence["ValueSamples"]) -> "ValueSamples":
        """Return all samples of some parts."""
        return cls(*(torch.cat(columns) for columns in zip(*parts, strict=True)))


def points_won(trajectories: Tensor) -> NDArray[np.int64]:
    """Return the points of rounds, [rounds, turns, TURN_WIDTH]; rounds that ended before the first discard are left out."""
    result = trajectories[:, 0, RESULT]
    points: NDArray[np.int64] = result[result > CANNOT_KNOCK].long().cpu().numpy()
    return points


def value_samples(trajectories: Tensor, equity: Tensor, td_lambda: float) -> ValueSamples:
    """Return the samples of rounds, [rounds, turns, TURN_WIDTH]; ``equity``: an ``equity_table``."""
    result, knock, knocked = trajectories[:, :, RESULT], trajectories[:, :, IF_KNOCK], trajectories[:, :, KNOCKED] > 0
    real, can_knock = result > CANNOT_KNOCK, knock > CANNOT_KNOCK
    scores = trajectories[:, :, layout.OWN_SCORE].long(), trajectories[:, :, layout.OTHER_SCORE].long()
    result, knock = (torch.where(real, _match_value(equity, points.long(), scores).double(), points) for points in (result, knock))
    # The expected value of each chosen action; that of a knock is its outcome.
    expected = torch.where(knocked, knock, trajectories[:, :, EXPECTED])
    later = result.clone()
    for turn in range(trajectories.shape[1] - 2, -1, -1):
        following = torch.where(knocked[:, turn + 1], result[:, turn + 1], later[:, turn + 1])
        target = (1 - td_lambda) * expected[:, turn + 1] + td_lambda * following
        later[:, turn] = torch.where(real[:, turn + 1], target, result[:, turn])
    now = torch.where(knocked, result, (1 - td_lambda) * expected + td_lambda * later)
    turns = torch.arange(1, trajectories.shape[1] + 1, device=trajectories.device).expand(real.shape)

    def part(mask: Tensor, plane: int, head: int, target: Tensor) -> ValueSamples:
        rows = trajectories[mask]
        planes = torch.stack([rows[:, plane], rows[:, plane + 1], rows[:, layout.OPPONENT_DISCARDS]], 1).long()
        card, deadwood, *own_scores = (rows[:, kind] for kind in NUMBERS)
        waiting = torch.full_like(card, float(head != DRAW_HEAD))
        numbers = torch.stack([card, turns[mask].double(), deadwood, *own_scores, waiting], 1).to(torch.uint8)
        return ValueSamples(planes, numbers, torch.full_like(card, head, dtype=torch.uint8), target[mask].float())

    return ValueSamples.join(
        [
            part(real & ~knocked, layout.PLANE, WAIT_HEAD, later),
            part(real & (trajectories[:, :, layout.DRAW_PLANE] >= 0), layout.DRAW_PLANE, DRAW_HEAD, now),
            part(real & can_knock, layout.PLANE, KNOCK_HEAD, knock),
        ]
    )


def _match_value(equity: Tensor, points: Tensor, scores: Sequence[Tensor]) -> Tensor:
    """Return the change of the win probability by points, negative if lost, in points of a value network."""
    return POINTS_PER_MATCH * equity_gain(equity, scores, (points.clamp(min=0), (-points).clamp(min=0)))


class TD(Trainer[TDConfig, ValueNetwork]):
    """A TD(lambda) run. The replay buffer is not part of a checkpoint."""

    def __init__(self, config: TDConfig, device: Device, network: ValueNetwork | None = None) -> None:
        super().__init__(config, device)
        self.start(network or ValueNetwork())
        self._hardware, self._rules = Hardware(device), batch_rules(config.rules)
        self._players = {name: players.parse(name) for name in dict.fromkeys(config.players)}
        for player in self._players.values():
            kernel_parameters(player)  # raises before the first round if the kernels do not play it
        self._trajectories: dict[int, Any] = {}

    def iterations(self) -> Iterator[TrainingIteration]:
        """Train until ``total_steps``."""
        config = self.config
        buffer: ValueSamples | None = None
        while self.steps < config.total_steps:
            start, progress, rng = perf_counter(), self.steps / config.total_steps, self.rng(2)
            opponents = config.draw_opponents(rng)
            if SNAPSHOT in opponents and self.iteration % config.snapshot_interval == 0:
                self.take_snapshot()
            samples, decisions = self._rollout(opponents, rng, config.noise + (config.final_noise - config.noise) * progress)
            rollout_seconds = perf_counter() - start
            buffer = samples if buffer is None else ValueSamples.join([samples, buffer.select(slice(config.replay * len(samples.target)))])
            loss = self._update(buffer, config.learning_rate * (1 - 0.8 * progress))
            self.steps += decisions
            self.iteration += 1
            metrics = {"rollout_seconds": rollout_seconds, "samples": len(buffer.target), "loss": loss, "opponents": opponents}
            yield TrainingIteration(self.iteration, self.steps, perf_counter() - start, metrics)

    def _rollout(self, opponents: Sequence[str], rng: Random, noise: float) -> tuple[ValueSamples, int]:
        """Return the samples of an iteration's rounds and the number of decisions; refresh the match equity."""
        config, equal = self.config, SELF in opponents
        own, parts, points, decisions = _player(self.average), [], [], 0
        for index, name in enumerate(opponents):
            num_seats = config.train_seats if name == SELF else 1
            pair = kernel_parameters(replace(own, noise=noise)), kernel_parameters(self._opponent(name, own, rng))
            seed = derive_seed(config.seed, Purpose.ROLLOUTS, self.iteration, index) % MAX_SEED
            trajectories = self._record(pair, seed, num_seats)
            if name == SELF or not equal:
                points.append(points_won(trajectories[:, 0]))
            if not self.equity.numel():
                self._set_equity(points[0], equal)
            parts.append(value_samples(trajectories.flatten(0, 1), self.equity, config.td_lambda))
            decisions += int((trajectories[:, :, :, RESULT] > CANNOT_KNOCK).sum())
        self._set_equity(np.concatenate(points), equal)
        return ValueSamples.join(parts), decisions

    def _set_equity(self, points: NDArray[np.int64], equal: bool) -> None:
        # With a win probability of 0 at every score no points would have a value, and there would be nothing to learn.
        both = np.concatenate([points, -points]) if equal or points.mean() < 0 else points
        self.equity = equity_table(MatchEquity.from_points(both, self.config.rules), self.device)

    def _opponent(self, name: str, own: LightPlayer, rng: Random) -> Any:
        if name == SELF:
            return own
        if name == SNAPSHOT:
            snapshot = copy.deepcopy(self.average)
            self.load_snapshot(snapshot, rng)
            return _player(snapshot)
        return self._players[name]

    def _record(self, pair: playing.Players, seed: int, num_seats: int) -> Tensor:
        """Return the trajectories of a batch, [rounds, seats, turns, TURN_WIDTH] float64; the next call overwrites them."""
        if num_seats not in self._trajectories:
            # Zero once, for turns that no round has reached yet; others hold what an earlier round wrote there.
            zeros = np.zeros((self.config.rollout_rounds, num_seats, layout.TURNS, layout.TURN_WIDTH))
            self._trajectories[num_seats] = self._hardware.up(zeros)
        trajectories = self._trajectories[num_seats]
        playing.record(self._hardware, pair, self._rules, seed, trajectories)
        return to_tensor(trajectories, self.device)

    def _update(self, samples: ValueSamples, learning_rate: float) -> float:
        """Take as many gradient steps as the samples have minibatches; return the mean loss of the last ones."""
        size = len(samples.target)
        minibatch_size = min(self.config.minibatch_size, size)
        num_steps = max(1, size // minibatch_size)
        optimizer = torch.optim.Adam(self.network.parameters(), lr=learning_rate, betas=(0.9, 0.99))
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=num_steps + 1, pct_start=0.1)
        rng = torch.Generator(self.device).manual_seed(derive_seed(self.config.seed, Purpose.ITERATION, self.iteration, 1) % 2**32)
        losses = []
        for _ in range(num_steps):
            minibatch = samples.select(torch.randint(size, (minibatch_size,), device=self.device, generator=rng))
            values = self.network(minibatch.planes, minibatch.numbers).gather(1, minibatch.head.long()[:, None])[:, 0]
            loss = torch.nn.functional.mse_loss(values, minibatch.target)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
            update_ema(self.average, self.network, 1 / self.config.ema_steps)
        return float(torch.stack(losses[-20:]).mean())


def _player(network: ValueNetwork) -> LightPlayer:
    return LightPlayer(layout.ValueWeights(**network.arrays()), "values")
