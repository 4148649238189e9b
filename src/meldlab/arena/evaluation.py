"""Scores of many players within one run; every game is a task of the run, so an interrupted experiment resumes."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from meldlab.arena.contest import ContestResult
from meldlab.arena.tasks import task_game
from meldlab.gin.players import Ensemble
from meldlab.runs.tasks import TASKS, Player, Task, TaskRunner
from meldlab.statistics import Score

TASK_GAMES = 5000  # at most, of one task


class Scores(Protocol):
    """A function that returns scores of candidates, as ``RunEvaluator.scores``."""

    def __call__(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Score]:
        """Return the score of each candidate in games ``first`` and following, on the same mirrored deals."""


class RunEvaluator(TaskRunner):
    """A run in the store, and the cores that play for it."""

    def scores_of_pairs(
        self, pairs: Sequence[tuple[Player, Player]], *, seed: int, first: int = 0, games: int, labels: Sequence[str] = ()
    ) -> list[Score]:
        """Return the score of the first player of each pair; all pairs play the same mirrored deals."""
        groups = [
            Task("contest", player, opponent, seed=seed, first=first, games=games, label=label).split(TASK_GAMES)
            for (player, opponent), label in zip(pairs, labels or [""] * len(pairs), strict=True)
        ]
        counts = iter(self.counts([task for group in groups for task in group]))
        return [Score.from_counts(next(counts) for _ in group) for group in groups]

    def scores(self, candidates: Sequence[Ensemble], opponent: str, *, seed: int, first: int, games: int) -> list[Score]:
        """Return the score of each candidate against one opponent."""
        pairs: list[tuple[Player, Player]] = [(f"ensemble:{player}", opponent) for player in candidates]
        labels = [difference_from_paper(player) for player in candidates]
        return self.scores_of_pairs(pairs, seed=seed, first=first, games=games, labels=labels)

    def wins_by_deal(self, player: Ensemble, opponent: str, *, seed: int, first: int, games: int) -> NDArray[np.int64]:
        """Return [deals] int64, the games of each deal that the player wins: for paired tests."""
        label = difference_from_paper(player)
        whole = Task("contest", f"ensemble:{player}", opponent, seed=seed, first=first, games=games, label=label)
        result = ContestResult.from_counts(task_game(whole), ("", ""), self.counts(whole.split(TASK_GAMES)))
        return result.wins_by_deal()[:, 0].astype(np.int64)


def difference_from_paper(player: Ensemble) -> str:
    """Return the parameters of an ensemble that differ from the paper's, as a label.

    >>> difference_from_paper(Ensemble(draw_turn=9, meldability=(0.1, 0.9, 0.5, 0.5)))
    'draw_turn 9, meldability 0.1/0.9/0.5/0.5'
    """
    paper, differences = Ensemble(), []
    for parameter in fields(player):
        value = getattr(player, parameter.name)
        if value != getattr(paper, parameter.name):
            text = "/".join(f"{number:g}" for number in value) if isinstance(value, tuple) else value
            differences.append(f"{parameter.name} {text}")
    return ", ".join(differences) or "paper"


def warm_up() -> None:
    """Play a game of each kind of task, so that no time limit or speed includes the loading or compiling of kernels."""
    for name, player in (("contest", "ensemble"), ("gin.track", (0.0,) * 9)):
        TASKS[name].load()(Task(name, player, games=2))
