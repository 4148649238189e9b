"""The arena: many games between two players, or all against all, on mirrored deals.

>>> fight = duel("simple", "random", games=20, seed=1)
>>> fight.wins, fight.win_rate.low > 0.5
(20, True)
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin import Rules, kernel_layout
from meldlab.gin.batch import Seated, play_batch, play_pairs, plays_in_kernel, seat
from meldlab.lab.arena.fight import GAMES, WINS, Fight
from meldlab.lab.arena.series import Seats, Series
from meldlab.play import TimeLimit
from meldlab.statistics import Interval, Misfit, Moments, Rating, bradley_terry

__all__ = ["Duel", "RoundRobin", "clusters_of", "duel", "round_robin", "sweeps_of"]

# What is counted per cluster after games and wins; of the first player where it is not said.
KINDS = 9
ROUNDS, TURNS, POINTS, POINTS_OF_OTHER, GINS, UNDERCUTS, VOIDS = range(2, KINDS)
RATES = (GINS, UNDERCUTS, VOIDS)  # at most one in a round; the others have no upper end
BATCH = 4096  # games between two looks at the clock
MOST_PROCESSES = 256
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Duel(Fight):
    """A fight at the gin table; a pair is swept by the player who won both sides of the deal."""

    mirror: bool
    draws: int

    def per_round(self, kind: int) -> Interval:
        """Return a count per round, void rounds included."""
        return (self.moments.rate if kind in RATES else self.moments.mean)(kind, ROUNDS)

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rounds = int(self.moments.sums[ROUNDS])
        per_round = {
            "turns_per_round": self.per_round(TURNS),
            "gin_rate": self.per_round(GINS),
            "undercut_rate": self.per_round(UNDERCUTS),
            "void_rate": self.per_round(VOIDS),
        }
        points = [self.per_round(POINTS), self.per_round(POINTS_OF_OTHER)]
        rounds_per_game = self.moments.mean(ROUNDS, GAMES)
        return {
            **super().as_json(),
            "rounds": rounds,
            "rounds_per_game": rounds_per_game.value,
            "turns_per_round": per_round["turns_per_round"].value,
            "points_per_round": [each.value for each in points],
            "gin_rate": per_round["gin_rate"].value,
            "undercut_rate": per_round["undercut_rate"].value,
            "void_rate": per_round["void_rate"].value,
            "games_per_second": self.games / self.seconds,
            "rounds_per_second": rounds / self.seconds,
            "mirrored": self.mirror,
            "draws": self.draws,
            "swept_pairs": list(self.swept),
            "intervals": {
                **{name: each.ends for name, each in per_round.items()},
                "rounds_per_game": rounds_per_game.ends,
                "points_per_round": [each.ends for each in points],
            },
        }


@dataclass(frozen=True)
class RoundRobin:
    """All against all, and the ratings that explain it."""

    players: tuple[str, ...]
    duels: tuple[Duel, ...]
    ratings: tuple[Rating, ...]
    misfit: Misfit

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        ratings = [{"player": one.name, "rating": one.points.value, "ci95": [one.points.low, one.points.high]} for one in self.ratings]
        worst = self.misfit
        misfit = {
            "players": [worst.first, worst.second],
            "win_rate": worst.played.value,
            "ci95": worst.played.ends,
            "by_ratings": worst.expected,
            "significant": worst.significant,
        }
        return {"players": list(self.players), "ratings": ratings, "misfit": misfit, "duels": [each.as_json() for each in self.duels]}


def duel(
    first: str,
    second: str,
    games: int,
    seed: int = 0,
    rules: Rules | None = None,
    *,
    mirror: bool = True,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008  # frozen, so sharing it is harmless
    raising: bool = False,
    progress: Progress = lambda games: None,
    counted: Callable[[NDArray[np.int32]], None] = lambda counts: None,
) -> Duel:
    """Play ``games`` games; with ``mirror`` games 2k and 2k + 1 are the same deals with the players in each other's seats.

    Two built-in players meet in the batch kernel, others at the Table, on ``threads`` cores (0 is all); there these are processes, each
    with players of its own, so a player that learns is measured on one. Under a time limit all games are played at the Table, in
    processes that can be stopped. ``raising`` lets out what a player raises. ``progress`` is told how many games are done, ``counted``
    gets [games, COUNTS] of each batch.
    """
    table_rules = rules or Rules()
    if games < 1 or (mirror and games % 2):
        raise NotLegalHere(f"{games} games cannot be played{' in mirrored pairs' if games > 0 else ''}")
    series = Series(first, second, table_rules, seed, mirror, time_limit)
    seated = series.seat()
    names = (seated[0].name, seated[1].name)
    moments, swept, draws, done = Moments.of(np.zeros((0, KINDS), np.int64)), np.zeros(2, np.int64), 0, 0
    forfeits: list[str] = []
    if all(map(plays_in_kernel, seated)) and not table_rules.wall_knock and not time_limit:
        one, two = map(seat, seated)
        # Once before the clock starts: the first call of a kernel loads or compiles it.
        play_batch(one, two, table_rules, seed, 0, 2, parallel=threads != 1)
        batches = _kernel_batches(one, two, table_rules, seed, games, mirror, threads)
    else:
        batches = _table_batches(series, seated, games, threads, raising)
    start = time.perf_counter()
    for counts, lines in batches:
        moments += Moments.of(clusters_of(counts, 2 if mirror else 1))
        if mirror:
            swept += sweeps_of(counts)
        draws += int((counts[:, kernel_layout.WINNER_SEAT] < 0).sum())
        forfeits += lines
        counted(counts)
        done += len(counts)
        progress(done)
    seconds = time.perf_counter() - start
    return Duel(names, games, moments, (int(swept[0]), int(swept[1])), tuple(forfeits), seconds, mirror, draws)


def round_robin(
    names: Sequence[str],
    games: int,
    seed: int = 0,
    rules: Rules | None = None,
    *,
    mirror: bool = True,
    threads: int = 0,
    time_limit: TimeLimit = TimeLimit(),  # noqa: B008
    raising: bool = False,
    progress: Progress = lambda games: None,
) -> RoundRobin:
    """Play ``games`` games between every two players, all on the same deals."""
    if len(set(names)) != len(names):
        raise NotLegalHere("a player cannot be rated against itself")
    won, duels = {}, []
    for number, (i, j) in enumerate(combinations(range(len(names)), 2)):
        batches = list[NDArray[np.int32]]()
        fight = duel(
            names[i],
            names[j],
            games,
            seed,
            rules,
            mirror=mirror,
            threads=threads,
            time_limit=time_limit,
            raising=raising,
            progress=lambda done, before=number * games: progress(before + done),  # type: ignore[misc]
            counted=lambda counts, batches=batches: batches.append(counts[:, kernel_layout.WINNER_SEAT].copy()),  # type: ignore[misc]
        )
        duels.append(fight)
        winners = np.concatenate(batches).reshape(-1, 2 if mirror else 1)
        won[i, j] = np.column_stack([(winners == seat).sum(1) for seat in (0, 1)])
    ratings, misfit = bradley_terry(names, won)
    return RoundRobin(tuple(names), tuple(duels), tuple(ratings), misfit)


Batch = tuple[NDArray[np.int32], list[str]]


def _kernel_batches(first: Seated, second: Seated, rules: Rules, seed: int, games: int, mirror: bool, threads: int) -> Iterator[Batch]:
    if threads > numba.config.NUMBA_NUM_THREADS:
        raise NotLegalHere(f"{threads} threads asked for, this machine has {numba.config.NUMBA_NUM_THREADS}")
    before = numba.get_num_threads()
    numba.set_num_threads(threads or before)
    try:
        for start in range(0, games, BATCH):
            play = play_pairs if mirror else play_batch
            yield play(first, second, rules, seed, start, min(BATCH, games - start), parallel=threads != 1), []
    finally:
        numba.set_num_threads(before)


def _table_batches(series: Series, seated: Seats, games: int, threads: int, raising: bool) -> Iterator[Batch]:
    if threads > MOST_PROCESSES:
        raise NotLegalHere(f"{threads} processes asked for (at most {MOST_PROCESSES})")
    # To start a process takes as long as a hundred games.
    played = series.games(seated, games, threads or min(os.cpu_count() or 1, games // 100), raising=raising)
    while batch := list(islice(played, 2)):
        yield np.array([counts for counts, _ in batch], np.int32), [line for _, line in batch if line]


def clusters_of(counts: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """Return [clusters, KINDS] int64, the sums over each run of ``size`` games."""
    kinds = np.zeros((len(counts), KINDS), np.int64)
    kinds[:, GAMES] = 1
    kinds[:, WINS] = counts[:, kernel_layout.WINNER_SEAT] == 0
    sources = {
        ROUNDS: kernel_layout.ROUNDS,
        TURNS: kernel_layout.DRAWN,
        POINTS: kernel_layout.SCORE,
        POINTS_OF_OTHER: kernel_layout.SCORE + 1,
    }
    sources |= {GINS: kernel_layout.GINS, UNDERCUTS: kernel_layout.UNDERCUTS, VOIDS: kernel_layout.VOIDS}
    for kind, source in sources.items():
        kinds[:, kind] = counts[:, source]
    clusters: NDArray[np.int64] = kinds.reshape(-1, size, KINDS).sum(1)
    return clusters


def sweeps_of(counts: NDArray[np.int32]) -> tuple[int, int]:
    """Return how many mirrored pairs each player won on both sides of the deal."""
    winners = counts[:, kernel_layout.WINNER_SEAT].reshape(-1, 2)
    return int((winners == 0).all(1).sum()), int((winners == 1).all(1).sum())
