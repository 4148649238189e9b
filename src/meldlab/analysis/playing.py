"""The workers ``recycle.search`` and ``recycle.count``: games of a described game, shard by shard, with their decisions or only their ends.

>>> from meldlab.recycle import library
>>> line_up = LineUp.parse("random,random")
>>> shard = line_up.shard("kuhn_poker", library.entry("kuhn_poker").text, seed=1, games=4)
>>> counts = play_shard(shard)
>>> counts["games"], len(Sample.from_json(counts["sample"]).options) >= 8
(4, True)
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from meldlab.analysis.sample import Sample
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher
from meldlab.recycle.players.searching import SearchedGames, searched_games
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task

__all__ = ["LineUp", "count_shard", "counted_games", "play_shard"]

WORKER, COUNTER = "recycle.search", "recycle.count"


@dataclass(frozen=True)
class LineUp:
    """Who sits where."""

    players: tuple[Searcher, ...]

    @classmethod
    def parse(cls, text: str) -> "LineUp":
        """Read players separated by commas."""
        return cls(tuple(map(Searcher.parse, text.split(","))))

    def __str__(self) -> str:
        return ",".join(map(str, self.players))

    @property
    def searches(self) -> bool:
        """Tell whether anybody looks ahead."""
        return any(player.kind != "random" for player in self.players)

    @property
    def letters(self) -> str:
        """Return a letter for each seat, as the tables name a line-up.

        >>> LineUp.parse("mcts:1000,random").letters
        'MR'
        """
        return "".join(player.kind[0].upper() for player in self.players)

    def shard(self, name: str, text: str, seed: int, games: int, arguments: Mapping[str, Any] | None = None) -> Task:
        """Return the games of this line-up as one piece of work."""
        return Task(WORKER, str(self), "", name, seed, 0, games, {"text": text, **(arguments or {})})


def play_shard(shard: Task) -> Counts:
    """Play the games of a shard and return their sample."""
    machine = _machine_of(shard)
    players = LineUp.parse(str(shard.player)).players
    sample = sample_of(searched_games(machine, players, shard.games, shard.seed, shard.first, threads=1), machine.best, shard.first)
    return {"games": shard.games, "wins": int((sample.win_shares[:, 0] == 1).sum()), "sample": sample.as_json()}


def count_shard(shard: Task) -> Counts:
    """Play the games of a shard with random players, and return a sample without their decisions."""
    sample = counted_games(_machine_of(shard), shard.seed, shard.games, shard.first)
    return {"games": shard.games, "wins": int((sample.win_shares[:, 0] == 1).sum()), "sample": sample.as_json()}


def _machine_of(shard: Task) -> Machine:
    known = shard.arguments
    return _machine(known["text"], known.get("dialect", "0.6"), json.dumps(known.get("limits", {}), sort_keys=True))


@lru_cache(maxsize=16)
def _machine(text: str, dialect: str, limits: str) -> Machine:
    return Machine.of(text, dialect, Limits(**json.loads(limits)))


def limits_of(limits: Limits) -> dict[str, int]:
    """Return the limits that are not the usual ones."""
    usual = asdict(Limits())
    return {name: value for name, value in asdict(limits).items() if value != usual[name]}


def counted_games(machine: Machine, seed: int, games: int, first: int = 0) -> Sample:
    """Return many random games without their decisions: scores only."""
    played = machine.random_games(games, seed, first=first)
    return Sample.of_scores(machine.best, played.scores, played.statuses)


def sample_of(played: SearchedGames, goal: str, first: int) -> Sample:
    """Return games of the machine as an analysis reads them; ``first`` is the number of the first of them."""
    return Sample(
        goal,
        played.scores,
        played.statuses,
        played.seconds,
        played.game - first,
        played.seat - 1,
        played.options,
        played.chosen,
        played.best,
        played.worst,
        played.reward,
        played.reward_mean,
        played.determinizations,
        played.first_half,
        played.second_half,
        played.score_estimate,
        played.rank_estimate,
    )
