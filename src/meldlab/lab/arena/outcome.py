"""Many games of one program, counted.

>>> from meldlab.recycle import library
>>> outcome = Outcome.start("kuhn", Machine.of(library.entry("kuhn_poker").text))
>>> outcome.play(games=100, seed=1, threads=1, first=0)
>>> answer = outcome.answer()
>>> answer["finished"], sum(answer["win_rate"]), sum(answer["scores"])
(100, 1.0, 0.0)
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel import Results
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.players import Searcher
from meldlab.recycle.players.searching import SearchedGames, searched_games
from meldlab.statistics import Interval, Moments

__all__ = ["Outcome"]


@dataclass
class Outcome:
    """What came out so far; failed games count, but have no scores."""

    name: str
    machine: Machine
    players: tuple[Searcher, ...]
    moments: Moments  # over games with scores: 1, then wins of each seat, a tie shared, then scores of each seat
    games: int = 0
    finished: int = 0
    capped: int = 0
    decisions: int = 0
    options: int = 0
    seconds: float = 0.0
    failed: Counter[tuple[int, int]] = field(default_factory=Counter)  # by status and instruction

    @classmethod
    def start(cls, name: str, machine: Machine, players: Sequence[Searcher] = ()) -> Self:
        """Return nothing played yet, random players if none are named; the machine is compiled, so that its time does not count."""
        machine.random_games(games=1, seed=0)
        return cls(name, machine, tuple(players), Moments.of(np.zeros((0, 1 + 2 * machine.players))))

    @property
    def searching(self) -> bool:
        """Tell whether a player looks ahead."""
        return any(player.kind != "random" for player in self.players)

    def play(self, games: int, seed: int, threads: int, first: int) -> None:
        """Play on, from game ``first`` of the seed."""
        start = time.perf_counter()
        played: Results | SearchedGames
        if self.searching:
            played = searched_games(self.machine, self.players, games, seed, first, threads)
        else:
            played = self.machine.random_games(games, seed, threads, first)
        self.seconds += time.perf_counter() - start
        ended = played.statuses <= k.CAPPED
        scores = played.scores[ended]
        goal = scores.max(axis=1) if self.machine.best == "max" else scores.min(axis=1)
        best = scores == goal[:, None]
        self.moments += Moments.of(np.column_stack((np.ones(len(scores)), best / best.sum(axis=1)[:, None], scores)))
        self.games += games
        self.finished += int((played.statuses == k.FINISHED).sum())
        self.capped += int((played.statuses == k.CAPPED).sum())
        self.decisions += int(played.decisions.sum())
        self.options += int(played.options.sum())
        self.failed.update(zip(played.statuses[~ended].tolist(), played.errors[~ended].tolist(), strict=True))

    @property
    def ended(self) -> int:
        """Return how many games have scores."""
        return self.finished + self.capped

    @property
    def win_rates(self) -> list[Interval]:
        """Return the share of games that each seat won."""
        return [self.moments.rate(1 + seat, 0) for seat in range(self.machine.players)]

    @property
    def scores(self) -> list[Interval]:
        """Return the mean score of each seat."""
        seats = self.machine.players
        return [self.moments.mean(1 + seats + seat, 0) for seat in range(seats)]

    def failures(self) -> list[tuple[int, str]]:
        """Return how many games failed and why, with the place in the program; the most frequent reason first."""
        return [(count, str(self.machine.failure(*what))) for what, count in self.failed.most_common()]

    def answer(self) -> dict[str, Any]:
        """Return the counts under their names."""
        scores, wins = self.scores, self.win_rates
        return {
            "game": self.name,
            "players": self.machine.players,
            "games": self.games,
            "finished": self.finished,
            "capped": self.capped,
            "failed": self.games - self.ended,
            "failures": [{"games": count, "reason": why.splitlines()[0]} for count, why in self.failures()],
            "decisions_per_game": self.decisions / max(1, self.games),
            "options_per_decision": self.options / max(1, self.decisions),
            "scores": [each.value for each in scores],
            "scores_ci95": [each.ends for each in scores],
            "win_rate": [each.value for each in wins],
            "ci95": [each.ends for each in wins],
            "seconds": self.seconds,
            "games_per_second": self.games / max(self.seconds, 1e-9),
        }
