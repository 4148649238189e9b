"""The work of an experiment: every game it needs goes through shards, so that what is done stays done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from meldlab.gin.players import Ensemble
from meldlab.lab.duels import won
from meldlab.lab.shards import WORKERS, Player, Shard, play
from meldlab.lab.store import Counts, Run
from meldlab.lab.tuning.measuring import Measured

__all__ = ["Work", "warm"]

PIECE = 5000  # games in one shard at most


@dataclass
class Work:
    """A run in the store, and who plays for it."""

    run: Run
    planned: int
    """Games of the whole experiment."""
    jobs: int = 0
    cluster: str | None = None
    progress: Callable[[int, int, int], None] = lambda done, whole, played: None
    """Told the games that are done, of how many, and how many of them were played just now and not found in the store."""
    done: int = 0
    played: int = 0
    seen: set[str] = field(default_factory=set)

    def play(self, shards: Sequence[Shard]) -> list[Counts]:
        """Return the counts of the shards, in their order."""
        # What an experiment asks for twice it gets from the store; progress counts it once.
        new = {shard.key: shard.games for shard in shards if shard.key not in self.seen}
        known = sum({shard.key: shard.games for shard in shards}.values()) - sum(new.values())
        before, played, found = self.done, self.played, -1

        def show(done: int, _: int) -> None:
            nonlocal found
            found = done if found < 0 else found
            self.done, self.played = before + max(0, done - known), played + done - found
            self.progress(self.done, max(self.planned, self.done), self.played)

        self.run.plan(self.planned)
        counts = play(shards, self.run, jobs=self.jobs, cluster=self.cluster, progress=show)
        self.seen |= new.keys()
        return [counts[shard.key] for shard in shards]

    def duels(self, pairs: Sequence[tuple[Player, Player]], *, seed: int, first: int = 0, games: int) -> list[Measured]:
        """Return what the first player of each pair does against the second; all pairs meet the same mirrored deals."""
        pieces = [Shard("gin.duel", one, other, seed=seed, first=first, games=games).split(PIECE) for one, other in pairs]
        counts = iter(self.play([piece for some in pieces for piece in some]))
        return [sum((_measured(next(counts)) for _ in some), Measured()) for some in pieces]

    def measure(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        """Return what each candidate does against one opponent."""
        pairs: list[tuple[Player, Player]] = [(tuple(each.vector().tolist()), opponent) for each in candidates]
        return self.duels(pairs, seed=seed, first=first, games=games)

    def won(self, player: Ensemble, opponent: str, *, seed: int, first: int, games: int) -> NDArray[np.int64]:
        """Return [games] int64, 1 for each game that the player wins: for paired tests."""
        whole = Shard("gin.duel", tuple(player.vector().tolist()), opponent, seed=seed, first=first, games=games)
        return won(self.play(whole.split(PIECE)))


def warm() -> None:
    """Play a game of each kind, so that no clock counts the loading or compiling of kernels."""
    for name, player in (("gin.duel", "ensemble"), ("gin.track", (0.0,) * 9)):
        WORKERS[name].load()(Shard(name, player, games=2))


def _measured(counts: Counts) -> Measured:
    return Measured(counts["games"], counts["wins"], counts["swept"])
