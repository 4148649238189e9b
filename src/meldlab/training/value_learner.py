"""Learning values by play: rounds against oneself, past selves and visitors, in the kernels of the batches; then a lesson of all of them.

What plays, and what is kept in the end, is the running mean of the networks on the way.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from meldlab.gin import kernel_state as layout
from meldlab.gin import players
from meldlab.gin.batch import batch_rules, kernel_parameters
from meldlab.gin.computing import playing
from meldlab.gin.equity import MatchEquity
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.rules import Rules
from meldlab.gpu import Device as Hardware
from meldlab.training.diaries import DIARY_TURNS, ValueLesson, lesson_of, points_of
from meldlab.training.lessons import PAST, SELF, Device, equity_table, tensor_of
from meldlab.training.measuring import Strength, mirrored_deals
from meldlab.training.network import follow
from meldlab.training.value_network import ValueNetwork

__all__ = ["ValueCourse", "ValueLap", "ValueLearner"]

SEEDS = 2**63  # one type of seed for a kernel, that it is compiled once


@dataclass(frozen=True)
class ValueCourse:
    """How a value network is taught; everything but the number of steps has a value that was found to do."""

    against: tuple[str, ...] = (SELF, PAST, "simple")
    """The network itself, past selves, and visitors, who are drawn by lot."""
    steps: int = 10_000_000
    """Decisions to learn from in all."""
    seed: int = 0
    rounds: int = 1 << 18
    """Rounds of a batch: a lap has two against itself, one against a past self and two against visitors, four where there are only they."""
    seats: int = 2
    """Seats whose decisions teach in rounds against itself; only seat 0 tries things out."""
    noise: float = 3.0
    """The spread of what is added to the worth of a discard to try others out, falling to ``last_noise``."""
    last_noise: float = 1.0
    rate: float = 8e-4
    """Falling to a fifth."""
    trace: float = 0.6
    follow: float = 300.0
    """Steps over which the mean network follows."""
    batch: int = 1 << 16
    held: int = 3
    """Earlier lessons that are gone through again, in lessons of the size of the last."""
    ring: int = 8
    """Past selves that are kept, one more every ``snapshot`` laps."""
    snapshot: int = 6
    rules: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        if self.rules.match_points != 100:
            raise NotLegalHere(f"values are taught for matches to 100 points, not to {self.rules.match_points}")
        if not self.against:
            raise NotLegalHere("values are learned against somebody: --against self,past,simple")

    @property
    def visitors(self) -> tuple[str, ...]:
        """Return who plays against the network besides itself."""
        return tuple(name for name in self.against if name not in (SELF, PAST))

    def lap(self, dice: Random) -> list[str]:
        """Return against whom the batches of a lap are played."""
        own = [SELF] * 2 if SELF in self.against else []
        past = [PAST] if PAST in self.against else []
        many = 2 if own or past else 4
        return [*own, *past, *(dice.choice(self.visitors) for _ in range(many if self.visitors else 0))]


@dataclass(frozen=True)
class ValueLap:
    """What a lap brought."""

    number: int
    steps: int
    seconds: float
    played: float
    """Seconds of them in which rounds were played."""
    samples: int
    loss: float
    """Mean square of what was wrong, in points."""
    against: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the lap as a line of the log."""
        return asdict(self)


class ValueLearner:
    """A network, its mean, its past selves, and the laps it has behind it."""

    def __init__(self, course: ValueCourse, device: Device, start: ValueNetwork | None = None) -> None:
        self.course, self.device = course, device
        torch.manual_seed(derive_seed(course.seed, Purpose.ITERATION) % 2**32)
        self.network = (start or ValueNetwork()).to(device)
        self.mean = copy.deepcopy(self.network).requires_grad_(False)
        self.ring: list[dict[str, Tensor]] = []
        self.equity = torch.zeros(0, device=device)  # measured from the first rounds
        self.steps = self.laps = 0
        self._hardware, self._rules = Hardware(device), batch_rules(course.rules)
        self._visitors = {name: players.parse(name) for name in dict.fromkeys(course.visitors)}
        for player in self._visitors.values():
            kernel_parameters(player)  # raises before anything is played if the kernels do not play it
        self._pages: dict[int, Any] = {}

    def save(self, path: Path) -> None:
        """Write all that it takes to go on, whole or not at all; lessons that were held are not kept."""
        parts = {
            "network": self.network.state_dict(),
            "mean": self.mean.state_dict(),
            "ring": self.ring,
            "worth": self.equity,
            "steps": self.steps,
            "laps": self.laps,
        }
        with replace_file(path) as file:
            torch.save(parts, file)

    def resume(self, path: Path) -> None:
        """Go on from what was written."""
        parts = torch.load(path, map_location=self.device, weights_only=True)
        self.network.load_state_dict(parts["network"])
        self.mean.load_state_dict(parts["mean"])
        self.ring, self.equity = parts["ring"], parts["worth"]
        self.steps, self.laps = parts["steps"], parts["laps"]

    def learn(self) -> Iterator[ValueLap]:
        """Play and learn until the steps of the course are done; each lap is told when it is over."""
        course, held = self.course, None
        while self.steps < course.steps:
            begun = perf_counter()
            part = self.steps / course.steps
            dice = Random(derive_seed(course.seed, Purpose.ITERATION, self.laps, 2))
            against = course.lap(dice)
            if PAST in against and self.laps % course.snapshot == 0:
                self.ring = [*self.ring, {name: each.half() for name, each in self.mean.state_dict().items()}][-course.ring :]
            fresh, decisions = self._played(against, dice, course.noise + (course.last_noise - course.noise) * part)
            played = perf_counter() - begun
            held = fresh if held is None else ValueLesson.join([fresh, held.first(course.held * len(fresh))])
            loss = self._study(held, course.rate * (1 - 0.8 * part))
            self.steps += decisions
            self.laps += 1
            yield ValueLap(self.laps, self.steps, perf_counter() - begun, played, len(held), loss, tuple(against))

    def measure(self, against: str, games: int, seed: int) -> Strength:
        """Play games of the mean network as its file plays, without noise: each deal in both seats, odd numbers rounded up."""
        player = self._player(self.mean.rounded())
        other = player if against == SELF else players.parse(against)
        pair = kernel_parameters(player), kernel_parameters(other)
        won = playing.mirrored_wins(self._hardware, pair, self._rules, seed % SEEDS, mirrored_deals(games))
        return Strength(against, won.size, int(won.sum()), int(won.all(1).sum()))

    def _played(self, against: Sequence[str], dice: Random, noise: float) -> tuple[ValueLesson, int]:
        """Return the lesson of a lap's rounds, and how many decisions there were; what points are worth is refreshed from them."""
        course, equals = self.course, SELF in against
        own, lessons, points, decisions = self._player(self.mean), [], [], 0
        for at, name in enumerate(against):
            seats = course.seats if name == SELF else 1
            pair = kernel_parameters(replace(own, noise=noise)), kernel_parameters(self._opponent(name, own, dice))
            pages = self._recorded(pair, derive_seed(course.seed, Purpose.ROLLOUTS, self.laps, at) % SEEDS, seats)
            if name == SELF or not equals:
                points.append(points_of(pages[:, 0]))
            if not self.equity.numel():
                self._measure_equity(points[0], equals)
            lessons.append(lesson_of(pages.flatten(0, 1), self.equity, course.trace))
            decisions += int((pages[:, :, :, layout.RESULT] > layout.CANNOT_KNOCK).sum())
        self._measure_equity(np.concatenate(points), equals)
        return ValueLesson.join(lessons), decisions

    def _measure_equity(self, points: NDArray[np.int64], equals: bool) -> None:
        # At a win probability of 0 at every score no points would be worth anything, and there would be nothing to learn.
        both = np.concatenate([points, -points]) if equals or points.mean() < 0 else points
        self.equity = equity_table(MatchEquity.from_points(both, self.course.rules), self.device)

    def _opponent(self, name: str, own: LightPlayer, dice: Random) -> Any:
        if name == SELF:
            return own
        if name == PAST:
            past = copy.deepcopy(self.mean)
            past.load_state_dict({name: part.float() for name, part in dice.choice(self.ring).items()})
            return self._player(past)
        return self._visitors[name]

    def _player(self, network: ValueNetwork) -> LightPlayer:
        return LightPlayer(layout.ValueWeights(**network.arrays()), "values")

    def _recorded(self, pair: playing.Players, seed: int, seats: int) -> Tensor:
        """Return the trajectories of a batch, [rounds, seats, turns, TURN_WIDTH] float64, until the next are asked for."""
        if seats not in self._pages:
            # Zero once, for lines that no round has reached yet; later ones hold what an earlier round wrote there.
            blank = np.zeros((self.course.rounds, seats, DIARY_TURNS, layout.TURN_WIDTH))
            self._pages[seats] = self._hardware.up(blank)
        pages = self._pages[seats]
        playing.record(self._hardware, pair, self._rules, seed, pages)
        return tensor_of(pages, self.device)

    def _study(self, lesson: ValueLesson, rate: float) -> float:
        """Go through as many samples as there are, in an order of its own; return the loss at the end."""
        batch = min(self.course.batch, len(lesson))
        steps = max(1, len(lesson) // batch)
        optimiser = torch.optim.Adam(self.network.parameters(), lr=rate, betas=(0.9, 0.99))
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.1)
        dice = torch.Generator(self.device).manual_seed(derive_seed(self.course.seed, Purpose.ITERATION, self.laps, 1) % 2**32)
        losses = []
        for _ in range(steps):
            some = lesson.picked(torch.randint(len(lesson), (batch,), device=self.device, generator=dice))
            found = self.network(some.planes, some.numbers).gather(1, some.which.long()[:, None])[:, 0]
            loss = torch.nn.functional.mse_loss(found, some.wanted)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            schedule.step()
            losses.append(loss.detach())
            follow(self.mean, self.network, 1 / self.course.follow)
        return float(torch.stack(losses[-20:]).mean())
