"""Looking ahead by kernel: the arrays of a thread, one decision, and whole games with their record.

>>> from meldlab.recycle import library
>>> machine = Machine.of(library.entry("kuhn_poker").text)
>>> played = searched_games(machine, [Searcher("pimc", 50), Searcher("random")], games=20, seed=1)
>>> played.scores.shape, int(played.scores.sum()), set(played.seat.tolist())
((20, 2), 0, {1, 2})
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from threading import Event
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import check_seed
from meldlab.chance.kernel import address, player_root
from meldlab.errors import NotLegalHere
from meldlab.parallel import core_count
from meldlab.recycle.machine import kernel
from meldlab.recycle.machine import kernel_deals as kd
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_search as ks
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import Known, Masked, Position, Words
from meldlab.recycle.machine.threads import beside
from meldlab.recycle.players.searcher import KINDS, POLICIES, REWARDS, Searcher

__all__ = ["Advice", "SearchedGames", "Searching", "play_games", "ranks_of", "searched_games"]

Numbers = NDArray[np.float64]
ENTRIES = 2**18  # of the tree; positions that find no room stay leaves


@dataclass(frozen=True)
class SearchedGames:
    """Games of players that look ahead: one row per game, then one row per decision.

    Estimates are not a number (nan) where a random player decided. Scores are as the program counts them; ranks count from 0, and ties
    share the better rank. Rewards are from 0 to 1 and high for the mover, by score or rank as it seeks.
    """

    statuses: Words  # [games]
    errors: Words  # the instruction at which a game failed
    decisions: Words
    scores: Words  # [games, players]
    ranks: Words  # [games, players]
    seconds: Numbers  # of CPU time
    game: Words  # [all decisions], the number of the game within the seed
    move: Words  # counted within the game, from 0
    seat: Words  # who decided, from 1
    options: Words
    chosen: Words  # from 0
    simulations: Words
    changed: Words  # simulations in whose deal the options were not those of the game
    broken: Words  # simulations that broke off
    determinizations: Words  # deals on which the option chosen was tried, 0 for a random player
    best: Numbers  # the mover's mean estimated score over options: the best, the worst, the mean
    worst: Numbers
    mean: Numbers
    reward: Numbers  # of the option chosen
    reward_mean: Numbers  # over the options
    first_half: Numbers  # the mover's estimated rank after the option chosen, over every second of its deals
    second_half: Numbers  # the same over the others: independent of the first
    score_estimate: Numbers  # [all decisions, players], after the option chosen
    rank_estimate: Numbers  # [all decisions, players], after the option chosen; 0 is the first

    @classmethod
    def joined(cls, parts: Sequence["SearchedGames"]) -> "SearchedGames":
        """Return several records as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Advice:
    """One decision as a player sees it; the estimates are [options] and [options, players]."""

    option: int
    counts: Words  # simulations of each option
    determinizations: Words  # deals on which each option was tried
    rewards: Numbers  # the mean, from 0 to 1
    scores: Numbers
    ranks: Numbers
    changed: int
    failed: int


def ranks_of(scores: Words, best: str) -> Words:
    """Return the rank of every score in its row, from 0; ties share the better rank.

    >>> ranks_of(np.array([[3, 5, 5]]), "max").tolist()
    [[2, 0, 0]]
    """
    goal = scores if best == "max" else -scores
    ranks: Words = (goal[:, None, :] > goal[:, :, None]).sum(axis=2)
    return ranks


class Searching:
    """The arrays of one thread on which players look ahead in one game."""

    def __init__(self, machine: Machine) -> None:
        self._machine, many, limits = ref(machine), machine.players, machine.limits
        self.stack = machine.rooms(2)
        try:
            self.search = ks.Search(
                np.zeros((many + 1, ks.SETTINGS), np.int64),
                np.zeros(ks.NOW, np.int64),
                machine.new_deals(),
                ks.Tree(
                    np.zeros((ENTRIES, ks.ENTRY), np.int64),
                    np.zeros((ENTRIES, 2)),
                    np.zeros((ks.DEEPEST, 2), np.int64),
                    np.zeros(limits.options, np.int64),
                ),
                np.zeros((limits.options, ks.R_EACH + 2 * many)),
                np.zeros((limits.options, ks.R_EACH + 2 * many)),
                np.zeros(ks.EACH + 4 * many),
                np.zeros((limits.decisions, ks.DECIDED), np.int64),
                np.zeros((limits.decisions, ks.J_EACH + 2 * many)),
            )
        except (MemoryError, ValueError):
            raise NotLegalHere("with these limits on options and decisions there is no room to look ahead") from None
        self.search.now[ks.S_SIGN] = 1 if machine.best == "max" else -1

    @classmethod
    def of(cls, machine: Machine) -> "Searching":
        """Return the arrays of this thread."""
        room = machine.room()
        if room.searching is None:
            room.searching = cls(machine)
        searching: Searching = room.searching
        return searching

    @property
    def machine(self) -> Machine:
        """Return the machine, which keeps these arrays and not the other way round."""
        machine = self._machine()
        assert machine is not None
        return machine

    @property
    def known(self) -> Known:
        """Return [players + 1, cards], which cards each seat remembers the location of."""
        return self.search.deals.known

    def seat(self, seat: int, player: Searcher) -> None:
        """Let a player sit down at a seat, from 1."""
        self.search.settings[seat] = (
            KINDS.index(player.kind),
            player.simulations,
            player.determinizations,
            player.level == "taken",
            # A lone player beats nobody: only the score tells.
            REWARDS.index(player.reward) if self.machine.players > 1 else ks.BY_SCORE,
            round(1000 * player.exploration),
            player.cap,
            POLICIES.index(player.final_policy),
        )

    def play(self, players: Sequence[Searcher], seed: int, game: int, stopped: Event | None = None) -> SearchedGames:
        """Play one game, whatever was played on these arrays before; in another thread somebody may have it ``stopped``."""
        machine, now, many = self.machine, self.search.now, self.machine.players
        if len(players) != many:
            raise NotLegalHere(f"{len(players)} players for a game of {many}")
        start = time.thread_time()
        for seat, player in enumerate(players, 1):
            self.seat(seat, player)
        self.known[:] = 0
        now[ks.S_LEVEL] = now[ks.S_ROW] = 0
        now[ks.S_ROOT] = int(player_root(check_seed(seed), game))
        state = self.stack[0]
        state[k.LOGGING] = int(self.search.settings[:, ks.REMEMBERS].any())
        numbers = {"seed": seed, "first": game, "limit": machine.limits.decisions}
        kernel.play_searching(machine.program, self.stack, machine.initial, self.search, stopped, **numbers)
        rows, at, status = int(now[ks.S_ROW]), machine.compiled.layout[k.L_SCORES] + 1, int(state[k.STATUS])
        scores = state[None, at : at + many].copy() if status <= k.CAPPED else np.zeros((1, many), np.int64)
        decided, judged = self.search.decided[:rows].copy(), self.search.judged[:rows].copy()
        columns: list[Any] = [
            *(np.array([int(state[field])]) for field in (k.STATUS, k.ERROR_AT, k.DECISION)),
            scores,
            ranks_of(scores, machine.best),
            np.array([time.thread_time() - start]),
            np.full(rows, game),
            np.arange(rows),
            *decided.T,
            *judged[:, : ks.J_EACH].T,
            judged[:, ks.J_EACH : ks.J_EACH + many],
            judged[:, ks.J_EACH + many :],
        ]
        return SearchedGames(*columns)

    def advise(self, player: Searcher, position: Masked, key: int) -> Advice:
        """Look ahead from what the seat that decides knows, with draws from ``key``."""
        now, state, seat, many = self.search.now, self.stack[0], position.seat, self.machine.players
        self.seat(seat, player)
        self.known[seat] = 0
        if player.level == "taken":
            self.known[seat, list(position.remembered)] = 1
        state[: len(position.words)] = position.words
        position.offer(state, position.paths)
        now[ks.S_LEVEL] = now[ks.S_ROW] = 0
        now[ks.S_KEY] = key
        kernel.advise(self.machine.program, self.stack, self.search, self.machine.limits.decisions)
        sums = self.search.totals[: len(position.paths)]
        counts, determinizations = (sums[:, column].astype(np.int64) for column in (ks.R_COUNT, ks.R_DEALS))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = sums / sums[:, ks.R_WEIGHT, None]
        low, high = self.search.scores[ks.LOW], self.search.scores[ks.HIGH]
        rewards = means[:, ks.R_RANK]
        if now[ks.S_SEEKS] == ks.BY_SCORE:
            scores = means[:, ks.R_SCORE]
            rewards = (scores - low) / (high - low) if high > low else np.full(len(scores), 0.5)
            rewards = rewards if self.machine.best == "max" or high <= low else 1 - rewards
        each, last = means[:, ks.R_EACH :], self.search.decided[0]
        option, changed, failed = (int(last[column]) for column in (ks.D_CHOSEN, ks.D_CHANGED, ks.D_FAILED))
        return Advice(option, counts, determinizations, rewards, each[:, :many], each[:, many:], changed, failed)

    def dealt(self, position: Position, seat: int, number: int, known: Known | None = None) -> Position:
        """Return a position with the cards that a seat does not see dealt anew; each ``number`` is a deal of its own."""
        self.known[:] = 0 if known is None else known
        state, layout, deals = self.stack[1], self.machine.program.layout, self.search.deals
        state[: len(position.words)] = position.words
        hidden = kd.survey(state, layout, deals, seat)
        kd.deal(state, layout, deals, seat, hidden, np.uint64(address(number, 0, 0, 0, k.FOR_DEAL)))
        return position.with_words(state[: len(position.words)].copy())


def play_games(machine: Machine, players: Sequence[Searcher], numbers: Sequence[int], seed: int, threads: int) -> Iterator[SearchedGames]:
    """Yield the games of these numbers, in this order, played on so many threads (0: one for each core)."""
    threads = min(threads or core_count(), max(1, len(numbers)))

    def play(number: int, stopped: Event) -> SearchedGames:
        return Searching.of(machine).play(players, seed, number, stopped)

    yield from beside(play, numbers, threads)


def searched_games(
    machine: Machine,
    players: Sequence[Searcher],
    games: int,
    seed: int,
    first: int = 0,
    threads: int = 0,
    progress: Callable[[int], None] = lambda games: None,
) -> SearchedGames:
    """Play games ``first`` and following with a player for each seat; the same on any number of threads (0: all cores)."""
    parts: list[SearchedGames] = []
    for part in play_games(machine, players, range(first, first + games), seed, threads):
        parts.append(part)
        progress(len(parts))
    if not parts:
        raise NotLegalHere("there is no game to play")
    return SearchedGames.joined(parts)
