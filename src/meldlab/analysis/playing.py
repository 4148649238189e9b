"""The task functions ``recycle.search`` and ``recycle.count``: games with their decisions, or results only; a forecast of their time.

>>> from meldlab.recycle.game import RecycleGame
>>> line_up = LineUp.parse("random,random")
>>> task = line_up.task(Variant(RecycleGame.load("kuhn_poker")), "kuhn_poker", seed=1, games=4)
>>> counts = search_task(task)
>>> counts["games"], len(Sample.from_json(counts["sample"]).options) >= 8
(4, True)
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from meldlab.analysis.sample import Sample
from meldlab.analysis.variant import Variant
from meldlab.play import RandomPlayer
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import SearchPlayer, parse_batch_player
from meldlab.recycle.players.search import PlayedGames, play_games
from meldlab.runs.store import Counts
from meldlab.runs.tasks import Task

SEARCH_TASK, COUNT_TASK = "recycle.search", "recycle.count"
TIMED = 20  # random games by which the speed of a decision is measured
# Fields of a sample that the games of the machine have under another name.
PLAYED_NAMES = {"value": "reward", "mean": "reward_mean", "score_estimates": "score_estimate", "rank_estimates": "rank_estimate"}


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

    def task(self, variant: Variant, name: str, seed: int, games: int) -> Task:
        """Return the games of this line-up as one task."""
        return Task(SEARCH_TASK, str(self), "", name, seed, 0, games, variant.program)


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
    text, dialect, limits = (task.arguments[name] for name in ("text", "dialect", "limits"))
    return _machine(text, dialect, json.dumps(limits, sort_keys=True))


@lru_cache(maxsize=16)
def _machine(text: str, dialect: str, limits: str) -> Machine:
    return Machine.compile(text, dialect, Limits(**json.loads(limits)))


def random_scores(machine: Machine, seed: int, games: int, first: int = 0) -> Sample:
    """Return random games without their decisions: scores only."""
    played = machine.random_games(games, seed, first=first)
    return Sample.from_scores(machine.scoring, played.scores, played.statuses)


def sample_from_games(played: PlayedGames, goal: str, first: int) -> Sample:
    """Return games of the machine as a sample; ``first`` is the number of the first game."""
    arrays = {part.name: getattr(played, PLAYED_NAMES.get(part.name, part.name)) for part in fields(Sample)[1:]}
    return Sample(goal, **{**arrays, "game": played.game - first})


@dataclass(frozen=True, eq=False)
class Forecast:
    """Random games of a line-up, and the seconds that one core needs for the missing games.

    >>> from meldlab.recycle.game import RecycleGame
    >>> machine, line_up = RecycleGame.load("kuhn_poker").machine, LineUp.parse("random,random")
    >>> random = sample_from_games(play_games(machine, line_up.players, 10, seed=1), machine.scoring, 0)
    >>> Forecast.of(machine, random, {LineUp.parse("mcts:1000,random"): 30}).seconds > 0
    True
    """

    random: Sample
    seconds: float

    @classmethod
    def of(cls, machine: Machine, random: Sample, missing: Mapping[LineUp, int]) -> "Forecast":
        """Return the forecast for the ``missing`` games of each line-up.

        A searching player runs ``simulations`` rollouts of every option, to the end or to its limit; the random games have the number of
        options and the distance to the end.
        """
        machine.random_games(1, 0, 1)  # compiles, which is not measured
        start = time.process_time()
        decisions = int(machine.random_games(TIMED, 0, 1).decisions.sum())
        seconds_per_decision = (time.process_time() - start) / max(1, decisions)
        to_the_end = random.decisions[random.game] - random.move
        work = 0.0
        for line_up, games in missing.items():
            for seat, player in enumerate(line_up.players):
                if not isinstance(player, SearchPlayer):
                    continue
                mine = random.seat == seat
                ahead = player.simulations * random.options[mine] * np.minimum(to_the_end[mine], player.rollout_limit)
                work += games * float(ahead.sum()) / random.games
        return cls(random, work * seconds_per_decision)
