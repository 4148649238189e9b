"""The work of an experiment: every game it needs goes through shards, so that what is done stays done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.shards import won
from meldlab.gin.players import Ensemble
from meldlab.runs.store import Counts, Run
from meldlab.runs.tasks import WORKERS, Player, Shard, play
from meldlab.statistics import Interval, paired_rate

__all__ = ["Measure", "Measured", "Work", "label_of", "warm"]

PIECE = 5000  # games in one shard at most


@dataclass(frozen=True)
class Measured:
    """Mirrored games of one player against another; they add up over any split of the games."""

    games: int = 0
    wins: int = 0
    swept: int = 0
    """Pairs of which both games were won."""

    def __add__(self, other: "Measured") -> "Measured":
        return Measured(self.games + other.games, self.wins + other.wins, self.swept + other.swept)

    @property
    def rate(self) -> Interval:
        """Return the share of games won; a mirrored pair is one observation."""
        return paired_rate(self.games, self.wins, self.swept)

    def as_json(self) -> dict[str, Any]:
        """Return what the command line answers."""
        rate = self.rate
        return {"games": self.games, "wins": self.wins, "win_rate": rate.value, "ci95": [rate.low, rate.high]}


class Measure(Protocol):
    """Whatever lets candidates play, as ``Work.measure`` does."""

    def __call__(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        """Return what each candidate does in games ``first`` and following; all meet the same mirrored deals."""


@dataclass
class Work:
    """A run in the store, and who plays for it."""

    run: Run
    planned: int
    """Games of the whole experiment."""
    jobs: int = 0
    cluster: str | None = None
    progress: Callable[[int, int, int], None] = lambda done, whole, played: None
    """Hears the games that are done, of how many, and how many of them were played just now and not found in the store."""
    done: int = 0
    played: int = 0
    asked: set[str] = field(default_factory=set)

    def play(self, shards: Sequence[Shard]) -> list[Counts]:
        """Return the counts of the shards, in their order."""
        # What an experiment asks for twice it gets from the store; progress counts it once.
        new = {shard.key: shard.games for shard in shards if shard.key not in self.asked}
        known = sum({shard.key: shard.games for shard in shards}.values()) - sum(new.values())
        before, played, found = self.done, self.played, -1

        def show(done: int, _: int) -> None:
            nonlocal found
            found = done if found < 0 else found
            self.done, self.played = before + max(0, done - known), played + done - found
            self.progress(self.done, max(self.planned, self.done), self.played)

        self.run.plan(self.planned)
        counts = play(shards, self.run, jobs=self.jobs, cluster=self.cluster, progress=show)
        self.asked |= new.keys()
        return [counts[shard.key] for shard in shards]

    def pairings(
        self, pairs: Sequence[tuple[Player, Player]], *, seed: int, first: int = 0, games: int, labels: Sequence[str] = ()
    ) -> list[Measured]:
        """Return what the first player of each pair does against the second; all pairs meet the same mirrored deals."""
        pieces = [
            Shard("gin.contest", one, other, seed=seed, first=first, games=games, label=label).split(PIECE)
            for (one, other), label in zip(pairs, labels or [""] * len(pairs), strict=True)
        ]
        counts = iter(self.play([piece for some in pieces for piece in some]))
        return [sum((_measured(next(counts)) for _ in some), Measured()) for some in pieces]

    def measure(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        """Return what each candidate does against one opponent."""
        pairs: list[tuple[Player, Player]] = [(each.numbers(), opponent) for each in candidates]
        return self.pairings(pairs, seed=seed, first=first, games=games, labels=[label_of(each) for each in candidates])

    def won(self, player: Ensemble, opponent: str, *, seed: int, first: int, games: int) -> NDArray[np.int64]:
        """Return [games] int64, 1 for each game that the player wins: for paired tests."""
        numbers, label = player.numbers(), label_of(player)
        whole = Shard("gin.contest", numbers, opponent, seed=seed, first=first, games=games, label=label)
        return won(self.play(whole.split(PIECE)))


def label_of(player: Ensemble) -> str:
    """Return what people call an ensemble: what differs from the paper's.

    >>> label_of(Ensemble(draw_turn=9, meldability=(0.1, 0.9, 0.5, 0.5)))
    'draw_turn 9, meldability 0.1/0.9/0.5/0.5'
    """
    paper, differences = Ensemble(), []
    for one in fields(player):
        value = getattr(player, one.name)
        if value != getattr(paper, one.name):
            differences.append(f"{one.name} {'/'.join(f'{each:g}' for each in value) if isinstance(value, tuple) else value}")
    return ", ".join(differences) or "paper"


def warm() -> None:
    """Play a game of each kind, so that no clock counts the loading or compiling of kernels."""
    for name, player in (("gin.contest", "ensemble"), ("gin.track", (0.0,) * 9)):
        WORKERS[name].load()(Shard(name, player, games=2))


def _measured(counts: Counts) -> Measured:
    return Measured(counts["games"], counts["wins"], counts["swept"])
