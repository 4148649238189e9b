"""Learning from lessons: clipped policy steps with a pull towards mixing, and a critic that sees all cards.

The network that plays in the end is the running mean of those on the way.
"""

import copy
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meldlab.cache import replace_file
from meldlab.chance import Purpose, derive_seed
from meldlab.errors import NotLegalHere
from meldlab.gin import players
from meldlab.gin.equity import MatchEquity
from meldlab.gin.kernel_state import ValueWeights
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.rules import Rules
from meldlab.gin.vector import PLANES
from meldlab.training.lessons import NEVER, PAST, SELF, Device, Lessons, LessonTables, equity_table
from meldlab.training.network import DEEP, WIDE, PolicyNetwork, follow, inputs_of

__all__ = ["Course", "Learner", "Taught"]

LIKELY_POINTS = 60  # before rounds were played: every number of points up to this one is as likely


@dataclass(frozen=True)
class Course:
    """How a network is taught; everything but the number of steps has a value that was found to do."""

    tables: tuple[int, int, int] = (2048, 1024, 1024)
    """Tables at which it plays itself, past selves, and visitors."""
    visitors: tuple[str, ...] = ("simple",)
    """Other players, one of whom visits in each lap, by turns."""
    adviser: str = ""
    """A light player whose opinion of every action the network reads, and which it plays like at first."""
    steps: int = 10_000_000
    """Decisions to learn from in all."""
    seed: int = 0
    length: int = 64
    """Steps of every table between two changes of the network."""
    wide: int = WIDE
    deep: int = DEEP
    rate: float = 5e-4
    last_rate: float = 2e-5
    mixing: float = 0.01
    """How strongly the policy is pulled towards equal chances, falling to ``last_mixing``."""
    last_mixing: float = 0.001
    clip: float = 0.2
    trace: float = 0.9
    batch: int = 65_536
    passes: int = 1
    keep: float = 0.999
    """How slowly the running mean follows, but for the beginning of a course."""
    belief: float = 0.05
    """How much it counts to know what the other holds."""
    ring: int = 8
    """Past selves that are kept, one more every ``snapshot`` laps."""
    snapshot: int = 12
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True)
class Taught:
    """What a lap brought."""

    number: int
    steps: int
    seconds: float
    mixed: float
    """Mean entropy of the policy where it had a choice."""
    explained: float
    """Share of the variance of what came that the critic had expected."""
    changed: float
    """Mean change of the logarithm of a chance, squared and halved."""
    believed: float
    """Mean surprise, in nats a card, at what the other holds."""

    def as_json(self) -> dict[str, Any]:
        """Return the lap as a line of the log."""
        return asdict(self)


def _adviser(name: str) -> ValueWeights | None:
    if not name:
        return None
    player = players.parse(name)
    if not isinstance(player, LightPlayer):
        raise NotLegalHere(f"{name} is no adviser: computed:light and other light networks are")
    return player.network


class Learner:
    """A network, its critic, its past selves, and the laps it has behind it."""

    def __init__(self, course: Course, device: Device, start: PolicyNetwork | None = None) -> None:
        self.course, self.device = course, device
        torch.manual_seed(derive_seed(course.seed, Purpose.ITERATION) % 2**32)
        adviser = _adviser(course.adviser)
        self.network = (start or PolicyNetwork(course.wide, course.deep, adviser=adviser)).to(device)
        self.critic = PolicyNetwork(course.wide, course.deep, critic=True).to(device)
        self.mean = copy.deepcopy(self.network).requires_grad_(False)
        self.past = copy.deepcopy(self.mean)
        self.ring: list[dict[str, Tensor]] = []
        self.optimiser = torch.optim.Adam([*self.network.parameters(), *self.critic.parameters()], lr=course.rate, eps=1e-5)
        self.measure_equity(np.array([0] + [1] * LIKELY_POINTS))
        self.steps = self.laps = 0

    def save(self, path: Path) -> None:
        """Write all that it takes to go on, whole or not at all."""
        parts = {
            "network": self.network.state_dict(),
            "critic": self.critic.state_dict(),
            "mean": self.mean.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "ring": self.ring,
            "equity": self.equity,
            "steps": self.steps,
            "laps": self.laps,
        }
        with replace_file(path) as file:
            torch.save(parts, file)

    def resume(self, path: Path) -> None:
        """Go on from what was written."""
        parts = torch.load(path, map_location=self.device, weights_only=True)
        self.network.load_state_dict(parts["network"])
        self.critic.load_state_dict(parts["critic"])
        self.mean.load_state_dict(parts["mean"])
        self.optimiser.load_state_dict(parts["optimiser"])
        self.ring, self.equity = parts["ring"], parts["equity"]
        self.steps, self.laps = parts["steps"], parts["laps"]

    def measure_equity(self, counts: NDArray[Any]) -> None:
        """Compute the match equity from the points of rounds: ``counts``, [points], says how many rounds were won by such points."""
        self.equity = equity_table(MatchEquity.from_counts(counts, self.course.rules), self.device)

    def learn(self) -> Iterator[Taught]:
        """Play and learn until the steps of the course are done; each lap is told when it is over."""
        course, (own, past, visiting) = self.course, self.course.tables
        company = [self._tables(name, many, at) for at, (name, many) in enumerate(((SELF, own), (PAST, past))) if many]
        visitors = [self._tables(name, visiting, 2 + at) for at, name in enumerate(dict.fromkeys(course.visitors))] if visiting else []
        lessons = Lessons([*company, *visitors[:1]], course.length, self.device)
        self._dice = torch.Generator(self.device).manual_seed(derive_seed(course.seed, Purpose.ITERATION, self.laps, 1))
        while self.steps < course.steps:
            begun = perf_counter()
            self._look_back()
            visitor = course.visitors[self.laps % len(course.visitors)] if visitors else ""
            lessons.tables = [*company, *(each for each in visitors if each.against == visitor)]
            lessons.play(self.network, self.past, self.equity, self._dice)
            mixed, explained, changed, believed = self._study(lessons)
            if lessons.points.any():
                self.measure_equity(lessons.points.cpu().numpy())
            self.steps += lessons.action.numel()
            self.laps += 1
            yield Taught(self.laps, self.steps, perf_counter() - begun, mixed, explained, changed, believed)

    def _tables(self, against: str, many: int, place: int) -> LessonTables:
        seed = derive_seed(self.course.seed, Purpose.ROLLOUTS, place, self.laps)
        return LessonTables.of(against, many, self.course.rules, seed, self.device)

    def _look_back(self) -> None:
        """Keep the present mean now and then, and seat one of the past selves."""
        if self.laps % self.course.snapshot == 0:
            self.ring = [*self.ring, {name: part.half() for name, part in self.mean.state_dict().items()}][-self.course.ring :]
        chosen = Random(derive_seed(self.course.seed, Purpose.ITERATION, self.laps, 2)).choice(self.ring)
        self.past.load_state_dict({name: part.float() for name, part in chosen.items()})

    def _study(self, lessons: Lessons) -> tuple[float, float, float, float]:
        course, part = self.course, min(1.0, self.steps / self.course.steps)
        rate = course.rate * (course.last_rate / course.rate) ** part
        mixing = course.mixing and course.mixing * (course.last_mixing / course.mixing) ** part
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        worth = self._worth(lessons)
        advantage, outcome, known = lessons.judged(worth, course.trace)
        use = (known & (lessons.mask.sum(2) > 1)).flatten().nonzero()[:, 0]
        columns = [lessons.features, lessons.mask, lessons.advice, lessons.hidden, lessons.action, lessons.chance, advantage, outcome]
        flat = [column.flatten(0, 1) for column in columns]
        spread = flat[6][use].std().clamp(min=1e-6)
        told = []
        for _ in range(course.passes):
            order = use[torch.randperm(len(use), device=self.device, generator=self._dice)]
            for batch in order.split(course.batch):
                if len(batch) == course.batch or len(order) < course.batch:
                    told.append(self._step([column[batch] for column in flat], spread, mixing))
        left = (flat[7][use] - worth.flatten()[use]).var() / flat[7][use].var().clamp(min=1e-9)
        entropy, change, surprise = torch.stack(told).mean(0).tolist()
        return entropy, 1 - float(left), change, surprise

    @torch.no_grad()
    def _worth(self, lessons: Lessons) -> Tensor:
        columns = [column.flatten(0, 1).split(1 << 18) for column in (lessons.features, lessons.mask, lessons.advice, lessons.hidden)]
        with self._half():
            found = [self._judge(*part).float() for part in zip(*columns, strict=True)]
        return torch.cat(found).view(lessons.action.shape)

    def _judge(self, features: Tensor, mask: Tensor, advice: Tensor, hidden: Tensor) -> Tensor:
        worth: Tensor = self.critic(*inputs_of(features, mask, advice, hidden))[1]
        return worth

    def _half(self) -> Any:
        return torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu")

    def _step(self, columns: list[Tensor], spread: Tensor, mixing: float) -> Tensor:
        features, mask, advice, hidden, action, chance, advantage, outcome = columns
        with self._half():
            logits, value, belief = self.network(*inputs_of(features, mask, advice))
            seen = self._judge(features, mask, advice, hidden)
        chances = torch.log_softmax(logits.masked_fill(mask == 0, NEVER), 1)
        now = chances.gather(1, action[:, None])[:, 0]
        ratio, better = (now - chance).exp(), advantage / spread
        clipped = ratio.clamp(1 - self.course.clip, 1 + self.course.clip)
        entropy = -(chances.exp() * chances).sum(1).mean()
        loss = -torch.minimum(ratio * better, clipped * better).mean() - mixing * entropy
        loss = loss + 2 * ((value - outcome) ** 2).mean() + 2 * ((seen - outcome) ** 2).mean()
        open_cards = 1 - sum(features[:, PLANES[name]] for name in ("own", "known", "pile"))
        surprises = torch.nn.functional.binary_cross_entropy_with_logits(belief, hidden.float(), weight=open_cards.float(), reduction="sum")
        surprise = surprises / open_cards.sum()
        loss = loss + self.course.belief * surprise
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*self.network.parameters(), *self.critic.parameters()], 0.5)
        self.optimiser.step()
        # At first the mean is of all networks so far, and in the first lap the last: a short course is not held back by how it began.
        follow(self.mean, self.network, max(1 - self.course.keep, self.course.batch / (self.course.batch + self.steps)))
        return torch.stack([entropy.detach(), ((now - chance) ** 2).mean().detach() / 2, surprise.detach()])
