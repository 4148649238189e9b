"""Hyperparameters of training runs.

>>> PPOConfig(num_envs=(64, 32, 32)).settings()["algorithm"]
'ppo'
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from random import Random
from typing import Any, ClassVar

from meldlab.errors import BadText, NotLegalHere
from meldlab.gin.rules import Rules

SELF, SNAPSHOT = "self", "snapshot"


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Hyperparameters of both algorithms."""

    algorithm: ClassVar[str]
    opponents: tuple[str, ...] = ("simple",)
    """The opponent pool: names of players."""
    total_steps: int = 10_000_000
    """Decisions to learn from."""
    seed: int = 0
    minibatch_size: int = 65_536
    snapshot_pool_size: int = 8
    snapshot_interval: int
    """Iterations between two snapshots."""
    rules: Rules = field(default_factory=Rules)

    @property
    def players(self) -> tuple[str, ...]:
        """Return the opponents that are not the network itself or its snapshots."""
        return tuple(name for name in self.opponents if name not in (SELF, SNAPSHOT))

    def settings(self) -> dict[str, Any]:
        """Return the configuration as plain JSON."""
        return {"algorithm": self.algorithm, **asdict(self), "rules": self.rules.as_record()}


@dataclass(frozen=True, kw_only=True)
class PPOConfig(TrainConfig):
    """Hyperparameters of a PPO run."""

    algorithm: ClassVar[str] = "ppo"
    num_envs: tuple[int, int, int] = (2048, 1024, 1024)
    """Environments for self-play, snapshots, and the opponent pool, one opponent of which plays in each iteration, in turn."""
    num_steps: int = 64
    """Steps of each environment per iteration."""
    prior: str = ""
    """A light player whose action values are the prior logits."""
    hidden_size: int = 256
    num_layers: int = 2
    """Layers after the input layer."""
    learning_rate: float = 5e-4
    final_learning_rate: float = 2e-5
    ent_coef: float = 0.01
    """Entropy bonus; decays exponentially to ``final_ent_coef``."""
    final_ent_coef: float = 0.001
    clip_range: float = 0.2
    gae_lambda: float = 0.9
    vf_coef: float = 2.0
    belief_coef: float = 0.05
    """Weight of the auxiliary loss that predicts the opponent's hand."""
    max_grad_norm: float = 0.5
    update_epochs: int = 1
    ema_decay: float = 0.999
    """Decay of the averaged weights; smaller during the first updates."""
    snapshot_interval: int = 12


@dataclass(frozen=True, kw_only=True)
class TDConfig(TrainConfig):
    """Hyperparameters of a TD(lambda) run."""

    algorithm: ClassVar[str] = "td"
    opponents: tuple[str, ...] = (SELF, SNAPSHOT, "simple")
    rollout_rounds: int = 1 << 18
    """Rounds of a batch. An iteration has two of self-play, one against a snapshot and two against players; without the others four."""
    train_seats: int = 2
    """Seats of self-play whose decisions are samples; only seat 0 explores."""
    noise: float = 3.0
    """Standard deviation of the noise on the value of a discard, in points; falls linearly to ``final_noise``."""
    final_noise: float = 1.0
    learning_rate: float = 8e-4
    """Falls linearly to a fifth."""
    td_lambda: float = 0.6
    ema_steps: float = 300.0
    """Gradient steps over which the weights are averaged."""
    replay: int = 3
    """Size of the replay buffer, in multiples of the samples of an iteration."""
    snapshot_interval: int = 6

    def __post_init__(self) -> None:
        if self.rules.match_points != 100:
            raise NotLegalHere(f"TD training expects matches to 100 points, got {self.rules.match_points}")
        if not self.opponents:
            raise NotLegalHere("TD training needs opponents, such as --opponents self,snapshot,simple")

    def draw_opponents(self, rng: Random) -> list[str]:
        """Return the opponents of the batches of an iteration."""
        own = [SELF] * 2 if SELF in self.opponents else []
        snapshots = [SNAPSHOT] if SNAPSHOT in self.opponents else []
        num_batches = 2 if own or snapshots else 4
        return [*own, *snapshots, *(rng.choice(self.players) for _ in range(num_batches if self.players else 0))]


def config_from_settings(settings: Mapping[str, Any]) -> PPOConfig | TDConfig:
    """Return the configuration of ``TrainConfig.settings``; other keys are ignored.

    >>> config_from_settings(TDConfig(seed=3).settings()) == TDConfig(seed=3)
    True
    """
    kind: type[PPOConfig] | type[TDConfig] = TDConfig if settings["algorithm"] == "td" else PPOConfig
    values = {item.name: settings[item.name] for item in fields(kind)}
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return kind(**{**values, **lists, "rules": Rules.read(settings["rules"])})


def parse_opponents(text: str) -> tuple[str, ...]:
    """Read names of players, separated by commas; a name may be repeated.

    >>> parse_opponents("simple, ensemble:best,simple")
    ('simple', 'ensemble:best', 'simple')
    """
    names, offset = [], 0
    for word in text.split(",") if text.strip() else ():
        if not word.strip():
            raise BadText("opponents are names of players, separated by commas", text, offset)
        names.append(word.strip())
        offset += len(word) + 1
    return tuple(names)


def split_envs(num_envs: int, shares: str) -> tuple[int, int, int]:
    """Return the environments for self-play, snapshots and opponents, an even number of each.

    >>> split_envs(70, "4,2,1")
    (40, 20, 10)
    """
    parts = shares.split(",")
    if len(parts) != 3 or not all(part.strip().isdecimal() for part in parts) or not any(map(int, parts)):
        raise BadText("shares are three whole numbers, such as 4,2,1", shares, 0)
    own, snapshots, opponents = (num_envs * int(part) // sum(map(int, parts)) // 2 * 2 for part in parts)
    return own, snapshots, opponents
