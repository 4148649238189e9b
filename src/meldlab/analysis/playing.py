"""The task functions ``recycle.search`` and ``recycle.count``: games of a RECYCLE game with their decisions, or only their results.

>>> from meldlab.recycle import library
>>> line_up = LineUp.parse("random,random")
>>> task = line_up.task("kuhn_poker", library.entry("kuhn_poker").text, seed=1, games=4)
>>> counts = search_task(task)
>>> counts["games"], len(Sample.from_json(counts["sample"]).options) >= 8
(4, True)
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from meldlab.analysis.sample import Sample
from meldlab.play import RandomPlayer
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import SearchPlayer, parse_batch_player
from meldlab.recycle.players.search import PlayedGames, play_games
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task

__all__ = ["LineUp", "count_task", "random_scores", "search_task"]

SEARCH_TASK, COUNT_TASK = "recycle.search", "recycle.count"


@dataclass(frozen=True)
class LineUp:
    """The player of each seat."""

    players: tuple[RandomPlayer | SearchPlayer, ...]

    @classmethod
    def parse(cls, text: str) -> "LineUp":
        """Parse players separated by commas."""
        return cls(tuple(map(parse_batch_player, text.split(","))))

    def __str__(self) -> str:
        return ",".join(player.name for player in self.players)

    @property
    def searches(self) -> bool:
        """Return whether a player searches."""
        return any(isinstance(player, SearchPlayer) for player in self.players)

    @property
    def letters(self) -> str:
        """Return a letter for each seat, as the tables name a line-up.

        >>> LineUp.parse("mcts:1000,random").letters
        'MR'
        """
        return "".join(player.name[0].upper() for player in self.players)

    def task(self, name: str, text: str, seed: int, games: int, arguments: Mapping[str, Any] | None = None) -> Task:
        """Return the games of this line-up as one task."""
        return Task(SEARCH_TASK, str(self), "", name, seed, 0, games, {"text": text, **(arguments or {})})


def search_task(task: Task) -> Counts:
    """Play the games of a task and return their sample."""
    machine = _task_machine(task)
    players = LineUp.parse(str(task.player)).players
    sample = sample_from_games(play_games(machine, players, task.games, task.seed, task.first, threads=1), machine.scoring, task.first)
    return {"games": task.games, "wins": int((sample.win_shares[:, 0] == 1).sum()), "sample": sample.as_json()}


def count_task(task: Task) -> Counts:
    """Play the games of a task with random players, and return a sample without their decisions."""
    sample = random_scores(_task_machine(task), task.seed, task.games, task.first)
    return {"games": task.games, "wins": int((sample.win_shares[:, 0] == 1).sum()), "sample": sample.as_json()}


def _task_machine(task: Task) -> Machine:
    known = task.arguments
    return _machine(known["text"], known.get("dialect", "0.6"), json.dumps(known.get("limits", {}), sort_keys=True))


@lru_cache(maxsize=16)
def _machine(text: str, dialect: str, limits: str) -> Machine:
    return Machine.compile(text, dialect, Limits(**json.loads(limits)))


def changed_limits(limits: Limits) -> dict[str, int]:
    """Return the limits that differ from the defaults."""
    default = asdict(Limits())
    return {name: value for name, value in asdict(limits).items() if value != default[name]}


def random_scores(machine: Machine, seed: int, games: int, first: int = 0) -> Sample:
    """Return random games without their decisions: scores only."""
    played = machine.random_games(games, seed, first=first)
    return Sample.from_scores(machine.scoring, played.scores, played.statuses)


def sample_from_games(played: PlayedGames, goal: str, first: int) -> Sample:
    """Return games of the machine as a sample; ``first`` is the number of the first game."""
    return Sample(
        goal,
        played.scores,
        played.statuses,
        played.seconds,
        played.game - first,
        played.seat,
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
