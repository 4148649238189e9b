"""The common part of the trainers: averaged weights, snapshots, checkpoints, and the match equity of the rounds played."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn

from meldlab.cache import replace_file
from meldlab.chance import Purpose, derive_seed
from meldlab.training.config import TrainConfig
from meldlab.training.networks import KernelNetwork
from meldlab.training.rollout import Device

C = TypeVar("C", bound=TrainConfig)
N = TypeVar("N", bound=KernelNetwork)
# Keys of checkpoints of version 0.1, by those of today; accepted for one version.
OLD_KEYS = {"average": "mean", "optimizer": "optimiser", "snapshots": "ring", "iteration": "laps", "equity": "worth"}
OLD_PARAMETERS = {"trust": "prior_scale"}


@dataclass(frozen=True)
class TrainingIteration:
    """The metrics of an iteration: a rollout and the updates on it."""

    number: int
    steps: int
    """Decisions learned from so far."""
    seconds: float
    metrics: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return a line of the curve."""
        return {"number": self.number, "steps": self.steps, "seconds": self.seconds, **self.metrics}


@torch.no_grad()
def update_ema(average: nn.Module, network: nn.Module, share: float) -> None:
    """Move averaged weights a share of the way to those of the network."""
    for averaged, current in zip(average.parameters(), network.parameters(), strict=True):
        averaged.lerp_(current, share)


class Trainer(Generic[C, N]):
    """A training run: the network, its averaged weights, which are saved and play, and its snapshots."""

    modules: ClassVar[tuple[str, ...]] = ("network", "average")
    """The attributes with a state of their own in a checkpoint."""

    def __init__(self, config: C, device: Device) -> None:
        self.config, self.device = config, device
        self.snapshots: list[dict[str, Tensor]] = []
        self.equity = torch.zeros(0, device=device)
        self.steps = self.iteration = 0
        self.network: N
        self.average: N
        # Before the network of a subclass: its initial weights depend on the seed.
        torch.manual_seed(derive_seed(config.seed, Purpose.ITERATION) % 2**32)

    def start(self, network: N) -> None:
        """Set the network at the start of the run."""
        self.network = network.to(self.device)
        self.average = copy.deepcopy(self.network).requires_grad_(False)

    def iterations(self) -> Iterator[TrainingIteration]:
        """Train until ``total_steps``."""
        raise NotImplementedError

    def take_snapshot(self) -> None:
        """Add the averaged weights to the snapshot pool, in half precision; the oldest leaves a full pool."""
        state = {name: tensor.half() for name, tensor in self.average.state_dict().items()}
        self.snapshots = [*self.snapshots, state][-self.config.snapshot_pool_size :]

    def load_snapshot(self, network: N, rng: Random) -> None:
        """Load a random snapshot into a network."""
        network.load_state_dict({name: tensor.float() for name, tensor in rng.choice(self.snapshots).items()})

    def rng(self, index: int) -> Random:
        """Return a random generator of this iteration."""
        return Random(derive_seed(self.config.seed, Purpose.ITERATION, self.iteration, index))

    def save_checkpoint(self, path: Path) -> None:
        """Write the state of the run, all or nothing."""
        state = {name: getattr(self, name).state_dict() for name in self.modules}
        numbers = {"snapshots": self.snapshots, "equity": self.equity, "steps": self.steps, "iteration": self.iteration}
        with replace_file(path) as file:
            torch.save({**state, **numbers}, file)

    def load_checkpoint(self, path: Path) -> None:
        """Resume from a checkpoint."""
        state = read_checkpoint(path, self.device)
        for name in self.modules:
            getattr(self, name).load_state_dict(state[name])
        self.snapshots, self.equity = state["snapshots"], state["equity"]
        self.steps, self.iteration = state["steps"], state["iteration"]


def read_checkpoint(path: Path, device: Device) -> dict[str, Any]:
    """Read a checkpoint, also one of version 0.1."""
    state = torch.load(path, map_location=device, weights_only=True)
    state |= {key: state.pop(old) for key, old in OLD_KEYS.items() if old in state}
    for name in ("network", "critic", "average"):
        if name in state:
            state[name] = _renamed(state[name])
    state["snapshots"] = [_renamed(snapshot) for snapshot in state["snapshots"]]
    return dict(state)


def _renamed(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {OLD_PARAMETERS.get(name, name): tensor for name, tensor in state.items()}
