"""Players for any described game: at random, by samples, by trees, by one tree over what a seat knows.

>>> Searcher.parse("mcts:200:taken")
Searcher(kind='mcts', simulations=200, determinizations=10, level='taken', reward='score', exploration=0.7, cap=500)
>>> str(Searcher("ismcts", reward="rank"))
'ismcts:1000:rank'
>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> machine = Machine.of(library.entry("kuhn_poker").text)
>>> played = searched_games(machine, [Searcher("pimc", 50), Searcher("random")], games=20, seed=1)
>>> played.scores.shape, int(played.scores.sum()), set(played.seat.tolist())
((20, 2), 0, {1, 2})
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from threading import Event, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.chance import verified
from meldlab.chance.kernel import address
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle.machine import kernel
from meldlab.recycle.machine import kernel_deals as see
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine import kernel_search as ks
from meldlab.recycle.machine.machine import Machine, Position
from meldlab.recycle.machine.threads import beside

__all__ = ["Advice", "SearchedGames", "Searcher", "Study", "play_games", "ranks_of", "searched_games"]

Words = NDArray[np.int64]
Numbers = NDArray[np.float64]

KINDS = ("random", "pimc", "mcts", "ismcts")
LEVELS = ("private", "taken")
REWARDS = ("score", "rank")
ENTRIES = 2**18  # of the tree; positions that find no room stay leaves


@dataclass(frozen=True)
class Searcher:
    """A player: how it looks ahead, how often for each option, what it remembers and what it seeks.

    >>> Searcher.parse("pimc") == Searcher("pimc", simulations=1000)
    True
    """

    kind: str
    simulations: int = 1000
    determinizations: int = 10
    level: str = "private"
    reward: str = "score"
    exploration: float = 0.7
    cap: int = 500  # decisions of one simulation, which is then scored as it stands

    def __post_init__(self) -> None:
        for what, value, known in (("player", self.kind, KINDS), ("level", self.level, LEVELS), ("reward", self.reward, REWARDS)):
            if value not in known:
                raise NoSuchThing(what, value, list(known))
        if not all(0 < number < 2**31 for number in (self.simulations, self.determinizations, self.cap)):
            raise NotLegalHere("a search needs at least one simulation, one deal and one decision, and fewer than 2^31")
        if not 0 <= self.exploration < 2**20:
            raise NotLegalHere(f"exploration {self.exploration} is no weight from 0 up")

    @classmethod
    def parse(cls, text: str, simulations: int = 1000, level: str = "private") -> "Searcher":
        """Read a kind and, after colons and in any order, simulations per option, a level and a reward."""
        kind, *rest = (part.strip() for part in text.split(":"))
        given: dict[str, Any] = {"simulations": simulations, "level": level}
        for part in rest:
            if part.isdecimal() and len(part) <= 12:
                given["simulations"] = int(part)
            elif part in LEVELS:
                given["level"] = part
            elif part in REWARDS:
                given["reward"] = part
            else:
                raise BadText("after a player come simulations, private or taken, score or rank", text, text.index(part))
        return cls(kind, **given)

    def __str__(self) -> str:
        if self.kind == "random":
            return self.kind
        parts = [self.kind, str(self.simulations)]
        return ":".join(parts + [part for part in (self.level, self.reward) if part not in ("private", "score")])


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
    failed: Words  # simulations that broke off
    best: Numbers  # the mover's mean estimated score over options: the best, the worst, the mean
    worst: Numbers
    mean: Numbers
    reward: Numbers  # of the option chosen
    reward_mean: Numbers  # over the options
    score_estimate: Numbers  # [all decisions, players], after the option chosen
    rank_estimate: Numbers  # [all decisions, players], after the option chosen; 0 is the first

    @property
    def spread(self) -> Numbers:
        """Return how far the best option is above the worst, in estimated score."""
        return np.abs(self.best - self.worst)

    @classmethod
    def joined(cls, parts: Sequence["SearchedGames"]) -> "SearchedGames":
        """Return several records as one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True)
class Advice:
    """One decision as a player sees it; the estimates are [options] and [options, players]."""

    option: int
    counts: Words  # simulations of each option
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


class Study:
    """The arrays of one thread on which players look ahead in one game."""

    def __init__(self, machine: Machine, players: Sequence[Searcher]) -> None:
        if len(players) != machine.players:
            raise NotLegalHere(f"{len(players)} players for a game of {machine.players}")
        self.machine, self.players = machine, tuple(players)
        self.stack = machine.rooms(2)
        plan, limits, layout = machine.plan, machine.limits, machine.compiled.layout
        backs = sorted(set(plan.backs))
        memories = [family.at for family in plan.families if family.kind == "mem"]
        tables = [len(memories), *memories, *(backs.index(back) for back in plan.backs)]
        head = see.O_SEATS + see.SEAT_WORDS * (machine.players + 1)
        self.orders = np.array([0] * head + tables, np.int64)
        cards = layout[k.L_CARDS_LIMIT]
        sizes = {
            see.O_KNOWN: (machine.players + 1) * cards,
            see.O_POOL: cards,
            see.O_DEALT: cards,
            see.O_PLACE: cards,
            see.O_PLACE_BACK: cards,
            see.O_WAY: ks.DEEPEST,
            see.O_WAY_SLOT: ks.DEEPEST,
            see.O_FOUND: max(limits.options, cards),
        }
        at = ks.HUNT
        for field, size in sizes.items():
            self.orders[field], at = at, at + size
        self.hunt = np.zeros(at, np.int64)
        self.orders[see.O_SIGN] = 1 if machine.best == "max" else -1
        self.orders[see.O_MEMORIES] = head
        self.orders[see.O_BACKS] = len(backs)
        self.orders[see.O_BACK] = head + 1 + len(memories)
        for seat, player in enumerate(self.players, 1):
            mine = see.O_SEATS + see.SEAT_WORDS * seat
            # A lone player beats nobody: only the score tells.
            seeks = REWARDS.index(player.reward) if machine.players > 1 else ks.BY_SCORE
            self.orders[mine : mine + see.SEAT_WORDS] = (
                KINDS.index(player.kind),
                player.simulations,
                player.determinizations,
                LEVELS.index(player.level),
                seeks,
                round(1000 * player.exploration),
                player.cap,
            )
        searching = any(player.kind in ("mcts", "ismcts") for player in self.players)
        entries = ENTRIES if searching else 1
        self.table, self.sums = np.zeros((entries, 4), np.int64), np.zeros((entries, 2))
        self.gauge = np.zeros(ks.G_EACH + 4 * machine.players)
        try:
            self.root = np.zeros((limits.options, ks.R_EACH + 2 * machine.players))
            self.decided = np.zeros((limits.decisions, ks.DECIDED), np.int64)
            self.judged = np.zeros((limits.decisions, ks.J_EACH + 2 * machine.players))
        except (MemoryError, ValueError):
            raise NotLegalHere("with these limits on options and decisions there is no room to look ahead") from None

    def _run(self, goal: int, seed: int, game: int, stopped: Event | None = None) -> None:
        self.hunt[ks.H_LEVEL] = self.hunt[ks.H_ROW] = 0
        self.orders[see.O_KEY] = int(address(verified(seed), game, 0, 0, k.FOR_SEARCH))
        arrays = self.orders, self.hunt, self.table, self.sums, self.root, self.gauge, self.decided, self.judged
        machine = self.machine
        numbers = {"seed": seed, "first": game, "limit": machine.limits.decisions}
        kernel.search(machine.tables, self.stack, machine.initial, arrays, stopped, goal, **numbers)

    @property
    def known(self) -> Words:
        """Return [players + 1, cards], which cards each seat remembers the place of."""
        at, cards = int(self.orders[see.O_KNOWN]), self.machine.compiled.layout[k.L_CARDS_LIMIT]
        known: Words = self.hunt[at : at + (self.machine.players + 1) * cards].reshape(-1, cards)
        return known

    def play(self, seed: int, game: int, stopped: Event | None = None) -> SearchedGames:
        """Play one game, whatever was played on these arrays before; in another thread somebody may have it ``stopped``."""
        start = time.thread_time()
        self.known[:] = 0
        self.stack[0, k.LOGGING] = int(any(player.level == "taken" and player.kind != "random" for player in self.players))
        self._run(k.TO_SEARCH, seed, game, stopped)
        state, rows, many = self.stack[0], int(self.hunt[ks.H_ROW]), self.machine.players
        at = self.machine.compiled.layout[k.L_SCORES] + 1
        status = int(state[k.STATUS])
        scores = state[None, at : at + many].copy() if status <= k.CAPPED else np.zeros((1, many), np.int64)
        decided, judged = self.decided[:rows].copy(), self.judged[:rows].copy()
        heads = [np.array([int(state[field])]) for field in (k.STATUS, k.ERROR_AT, k.DECISION)]
        columns: list[Any] = [
            *heads,
            scores,
            ranks_of(scores, self.machine.best),
            np.array([time.thread_time() - start]),
            np.full(rows, game),
            np.arange(rows),
            *decided.T,
            *judged[:, : ks.J_EACH].T,
            judged[:, ks.J_EACH : ks.J_EACH + many],
            judged[:, ks.J_EACH + many :],
        ]
        return SearchedGames(*columns)

    def advise(self, position: Position, seed: int, known: Words | None = None) -> Advice:
        """Look ahead from a position, for the seat that decides; ``known``, [players + 1, cards], is what the seats remember."""
        self.known[:] = 0 if known is None else known
        self.stack[0, : len(position.words)] = position.words
        self.stack[0, k.LOGGING] = 0
        self._run(k.TO_ADVISE, seed, 0)
        if int(self.stack[0, k.STATUS]) > k.CAPPED:
            raise self.machine.failure(int(self.stack[0, k.STATUS]), int(self.stack[0, k.ERROR_AT]))
        root = self.root[: int(self.hunt[ks.H_OPTIONS])]
        counts = root[:, ks.R_COUNT]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = root / counts[:, None]
        low, high = self.gauge[ks.G_LOW], self.gauge[ks.G_HIGH]
        rewards = means[:, ks.R_RANK]
        if self.orders[see.O_SEATS + see.SEAT_WORDS * position.seat + see.SEEKS] == ks.BY_SCORE:
            scores = means[:, ks.R_SCORE]
            rewards = (scores - low) / (high - low) if high > low else np.full(len(scores), 0.5)
            rewards = rewards if self.machine.best == "max" or high <= low else 1 - rewards
        each = means[:, ks.R_EACH :]
        many, last = self.machine.players, self.decided[0]
        return Advice(
            int(last[ks.D_CHOSEN]),
            counts.astype(np.int64),
            rewards,
            each[:, :many],
            each[:, many:],
            int(last[ks.D_CHANGED]),
            int(last[ks.D_FAILED]),
        )

    def dealt(self, position: Position, seat: int, number: int, known: Words | None = None) -> Position:
        """Return a position with the cards that a seat does not see dealt anew; each ``number`` is a deal of its own."""
        self.known[:] = 0 if known is None else known
        state, layout = self.stack[1], self.machine.tables[2]
        state[: len(position.words)] = position.words
        hidden = see.survey(state, layout, self.orders, self.hunt, seat)
        see.deal(state, layout, self.orders, self.hunt, seat, hidden, np.uint64(address(number, 0, 0, 0, k.FOR_DEAL)))
        return position.with_words(state[: len(position.words)].copy())


def play_games(machine: Machine, players: Sequence[Searcher], numbers: Sequence[int], seed: int, threads: int) -> Iterator[SearchedGames]:
    """Yield the games of these numbers, in this order, played on so many threads (0: one for each core)."""
    threads = min(threads or os.cpu_count() or 1, max(1, len(numbers)))
    mine = local()

    def play(number: int, stopped: Event) -> SearchedGames:
        if not hasattr(mine, "study"):
            mine.study = Study(machine, players)
        study: Study = mine.study
        return study.play(seed, number, stopped)

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
