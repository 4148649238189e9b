"""The work of an experiment: every game it needs goes through shards, so that what is done stays done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from meldlab.gin.players import Ensemble
from meldlab.lab.shards import Player, Shard, play
from meldlab.lab.store import Counts, Run
from meldlab.lab.tuning.measuring import Measured

__all__ = ["Work"]

PIECE = 5000  # games in one shard at most


@dataclass
class Work:
    """A run in the store, and who plays for it."""

    run: Run
    planned: int
    """Games of the whole experiment, for the progress."""
    jobs: int = 0
    cluster: str | None = None
    progress: Callable[[int, int], None] = lambda done, whole: None
    done: int = 0

    def play(self, shards: Sequence[Shard]) -> list[Counts]:
        """Return the counts of the shards, in their order."""
        whole = sum({shard.key: shard.games for shard in shards}.values())
        before = self.done

        def show(done: int, _: int) -> None:
            self.progress(before + done, max(self.planned, before + whole))

        found = play(shards, self.run, jobs=self.jobs, cluster=self.cluster, progress=show)
        self.done += whole
        return [found[shard.key] for shard in shards]

    def duels(self, pairs: Sequence[tuple[Player, Player]], *, seed: int, first: int = 0, games: int) -> list[Measured]:
        """Return what the first player of each pair does against the second; all pairs meet the same mirrored deals."""
        pieces = [Shard("gin.duel", one, other, seed=seed, first=first, games=games).split(PIECE) for one, other in pairs]
        counts = iter(self.play([piece for some in pieces for piece in some]))
        found = []
        for some in pieces:
            found.append(sum((_measured(next(counts)) for _ in some), Measured()))
        return found

    def measure(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Measured]:
        """Return what each candidate does against one opponent."""
        pairs: list[tuple[Player, Player]] = [(tuple(each.vector().tolist()), opponent) for each in candidates]
        return self.duels(pairs, seed=seed, first=first, games=games)


def _measured(counts: Counts) -> Measured:
    return Measured(counts["games"], counts["wins"], counts["swept"])
