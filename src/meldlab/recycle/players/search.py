"""Searches in kernels: the arrays of a thread, one decision, and whole games with their record.

>>> from meldlab.recycle import library
>>> machine = Machine.compile(library.entry("kuhn_poker").text)
>>> played = play_games(machine, [SearchPlayer("pimc", 50), RandomPlayer()], games=20, seed=1)
>>> played.scores.shape, int(played.scores.sum()), set(played.seat.tolist())
((20, 2), 0, {0, 1})
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from threading import Event
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.parallel import core_count, map_in_threads
from meldlab.play import RandomPlayer
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_search as ks
from meldlab.recycle.machine import kernel_tree as kt
from meldlab.recycle.machine.kernel_drive import NO_RESULTS, new_job, run_job
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import IntArray, KnownCards, Position
from meldlab.recycle.players.search_player import ALGORITHMS, FINAL_POLICIES, REWARDS, SearchPlayer

Reals = NDArray[np.float64]
EDGES = 2**18  # of the tree; nodes for whose edges there is no space stay leaves


@dataclass(frozen=True)
class PlayedGames:
    """Games with searching players: one row per game, then one row per decision.

    Estimates are nan where a random player decided. Scores are as the program counts them; ranks count from 0, and ties share the better
    rank. Rewards are from 0 to 1 and high for the seat to move, by score or rank as its player maximises.
    """

    statuses: IntArray  # [games]
    errors: IntArray  # the instruction at which a game failed
    decisions: IntArray
    scores: IntArray  # [games, players]
    ranks: IntArray  # [games, players]
    seconds: Reals  # of CPU time
    game: IntArray  # [all decisions], the number of the game within the seed
    move: IntArray  # within the game, from 0
    seat: IntArray
    options: IntArray
    chosen: IntArray
    simulations: IntArray
    unmatched: IntArray  # simulations in whose deal the options were not those of the game
    failed: IntArray  # simulations that failed
    determinizations: IntArray  # deals on which the chosen option was tried, 0 for a random player
    best: Reals  # the mean estimated score of the seat over options: the best, the worst, the mean
    worst: Reals
    mean: Reals
    reward: Reals  # of the chosen option
    reward_mean: Reals  # over the options
    first_half: Reals  # the estimated rank of the seat after the chosen option, over every second of its deals
    second_half: Reals  # the same over the others: independent of the first
    score_estimate: Reals  # [all decisions, players], after the chosen option
    rank_estimate: Reals  # [all decisions, players], after the chosen option; 0 is the first

    @classmethod
    def joined(cls, parts: Sequence["PlayedGames"]) -> "PlayedGames":
        """Return several records as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class SearchResult:
    """One decision and its estimates, [options] and [options, players]."""

    index: int
    counts: IntArray  # simulations of each option
    determinizations: IntArray  # deals on which each option was tried
    rewards: Reals  # the mean, from 0 to 1
    scores: Reals
    ranks: Reals
    unmatched: int
    failed: int


def ranks_of(scores: IntArray, scoring: str) -> IntArray:
    """Return the rank of every score in its row, from 0; ties share the better rank.

    >>> ranks_of(np.array([[3, 5, 5]]), "max").tolist()
    [[2, 0, 0]]
    """
    goal = scores if scoring == "max" else -scores
    ranks: IntArray = (goal[:, None, :] > goal[:, :, None]).sum(axis=2)
    return ranks


class SearchWorkspace:
    """The arrays of one thread in which players search in one game."""

    def __init__(self, machine: Machine) -> None:
        self._machine, players, limits = ref(machine), machine.players, machine.limits
        self.stack = machine.workspaces(2)
        try:
            self.search = ks.Search(
                players=np.zeros(players, ks.PLAYER),
                now=np.zeros(1, ks.SEARCH),
                unseen=machine.unseen_cards(),
                tree=kt.Tree(np.zeros(EDGES, kt.EDGE), np.zeros((kt.MAX_DEPTH, 2), np.int64), np.zeros(limits.options, np.int64)),
                deal=self._statistics(limits.options, players),
                totals=self._statistics(limits.options, players),
                result=np.zeros((kt.RESULT, players)),
                decisions=np.zeros(limits.decisions, ks.DECISION),
                estimates=np.zeros((limits.decisions, 2 * players)),
            )
        except (MemoryError, ValueError):
            raise NotLegalHere("with these limits on options and decisions there is not enough memory for a search") from None
        self.search.now["sign"] = 1 if machine.scoring == "max" else -1

    @staticmethod
    def _statistics(options: int, players: int) -> kt.Statistics:
        return kt.Statistics(np.zeros(options, kt.OPTION_SUMS), np.zeros((options, 2 * players)))

    @classmethod
    def of(cls, machine: Machine) -> "SearchWorkspace":
        """Return the arrays of this thread."""
        thread = machine.workspace()
        if thread.search is None:
            thread.search = cls(machine)
        workspace: SearchWorkspace = thread.search
        return workspace

    @property
    def machine(self) -> Machine:
        """Return the machine, which owns these arrays and not the other way round."""
        machine = self._machine()
        assert machine is not None
        return machine

    @property
    def known(self) -> KnownCards:
        """Return [players, cards], the cards of which each seat remembers the location."""
        return self.search.unseen.known

    def _set_player(self, seat: int, player: RandomPlayer | SearchPlayer) -> None:
        if isinstance(player, RandomPlayer):
            self.search.players[seat] = np.zeros((), ks.PLAYER)
            return
        self.search.players[seat] = (
            1 + ALGORITHMS.index(player.algorithm),
            player.simulations,
            player.determinizations,
            player.memory == "taken",
            # The only player beats no opponents: its reward is the score.
            REWARDS.index(player.reward) if self.machine.players > 1 else kt.BY_SCORE,
            player.rollout_limit,
            FINAL_POLICIES.index(player.final_policy),
            player.exploration,
        )

    def play(self, players: Sequence[RandomPlayer | SearchPlayer], seed: int, game: int, stopped: Event | None = None) -> PlayedGames:
        """Play one game, whatever was played on these arrays before; another thread may set ``stopped``."""
        machine, search, count = self.machine, self.search, self.machine.players
        if len(players) != count:
            raise NotLegalHere(f"{len(players)} players for a game of {count}")
        start = time.thread_time()
        for seat, player in enumerate(players):
            self._set_player(seat, player)
        self.known[:] = 0
        search.now["level"] = search.now["rows"] = 0
        self.stack[0][k.LOGGING] = int(search.players["remembers"].any())
        results, job = machine.new_results(1), new_job(k.PLAY, seed=seed, first=game, limit=machine.limits.decisions)
        run_job(machine.program, self.stack, job, results, search, None, stopped)
        rows = int(search.now["rows"][0])
        scores = results.scores if results.statuses[0] <= k.CAPPED else np.zeros((1, count), np.int64)
        decisions, estimates = search.decisions[:rows], search.estimates[:rows].copy()
        return PlayedGames(
            statuses=results.statuses,
            errors=results.errors,
            decisions=results.decisions,
            scores=scores,
            ranks=ranks_of(scores, machine.scoring),
            seconds=np.array([time.thread_time() - start]),
            game=np.full(rows, game),
            move=np.arange(rows),
            **{name: decisions[name].copy() for name in ks.DECISION.names or ()},
            score_estimate=estimates[:, :count],
            rank_estimate=estimates[:, count:],
        )

    def decide(self, player: SearchPlayer, position: Position, remembered: Sequence[int], key: int) -> int:
        """Return the option for the seat to move, which remembers some unseen cards, with draws from ``key``."""
        search, state, seat = self.search, self.stack[0], position.to_move
        self._set_player(seat, player)
        self.known[seat] = 0
        if player.memory == "taken":
            self.known[seat, list(remembered)] = 1
        state[: len(position.words)] = position.words
        position.options.load(self.machine.compiled.layout, state)
        search.now["level"] = search.now["rows"] = 0
        search.now["key"] = key
        run_job(self.machine.program, self.stack, new_job(k.DECIDE_ONCE, limit=self.machine.limits.decisions), NO_RESULTS, search)
        return int(search.decisions["chosen"][0])

    def result(self, player: SearchPlayer, position: Position, remembered: Sequence[int], key: int) -> SearchResult:
        """Return the decision of ``decide`` with its estimates."""
        index, now, count = self.decide(player, position, remembered, key), self.search.now[0], self.machine.players
        options = self.search.totals.options[: len(position.options)]
        with np.errstate(invalid="ignore", divide="ignore"):
            scores, beaten = options["score"] / options["weight"], options["beaten"] / options["weight"]
            means = self.search.totals.players[: len(options)] / options["weight"][:, None]
        rewards = beaten
        if now["reward"] == kt.BY_SCORE:
            low, high = now["low"], now["high"]
            rewards = (scores - low) / (high - low) if high > low else np.full(len(scores), 0.5)
            rewards = rewards if self.machine.scoring == "max" or high <= low else 1 - rewards
        counts, determinizations = options["count"].astype(np.int64), options["determinizations"].astype(np.int64)
        unmatched, failed = int(now["unmatched"]), int(now["failed"])
        return SearchResult(index, counts, determinizations, rewards, means[:, :count], means[:, count:], unmatched, failed)


def play_games(
    machine: Machine,
    players: Sequence[RandomPlayer | SearchPlayer],
    games: int,
    seed: int,
    first: int = 0,
    threads: int = 0,
) -> PlayedGames:
    """Play games ``first`` and following with a player for each seat; the same on any number of threads (0: all cores)."""
    if games < 1:
        raise NotLegalHere("there is no game to play")

    def play(game: int, stopped: Event) -> PlayedGames:
        return SearchWorkspace.of(machine).play(players, seed, game, stopped)

    threads = min(threads or core_count(), games)
    return PlayedGames.joined(list(map_in_threads(play, range(first, first + games), threads)))
