"""A program on the machine: where a game starts, and thousands of random games at once.

>>> from meldlab.recycle import library
>>> machine = Machine.compile(library.entry("kuhn_poker").text)
>>> machine.random_games(games=1000, seed=1).statuses.tolist() == [k.FINISHED] * 1000
True
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from threading import Event, local
from typing import Any, Self
from weakref import ref

import numpy as np

from meldlab.errors import BadText, NotLegalHere
from meldlab.parallel import core_count, map_in_threads
from meldlab.recycle.language.checker import CheckedProgram, check
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import Compiled, compile_program
from meldlab.recycle.machine.kernel_drive import FUEL, NO_RESULTS, Bytecode, drive, new_job, run_job
from meldlab.recycle.machine.kernel_observe import UnseenCards, update_known
from meldlab.recycle.machine.kernel_search import Results
from meldlab.recycle.machine.position import IntArray, KnownCards, LogEvent, Position, Transition


class Machine:
    """A compiled program; machines of the same program are equal. Each thread that uses one has a workspace of its own."""

    def __init__(self, checked: CheckedProgram, compiled: Compiled, limits: Limits, dialect: str = "0.6") -> None:
        self.checked, self.compiled, self.storage, self.limits, self.dialect = checked, compiled, compiled.storage, limits, dialect
        self.workspace = _workspaces_of(self)
        code, data, layout = (np.array(table or [0], np.int64) for table in (compiled.code, compiled.data, compiled.layout))
        self.program = Bytecode(code, data, layout, compiled.initial)

    @classmethod
    def compile(cls, text: str, dialect: str = "0.6", limits: Limits = Limits()) -> Self:  # noqa: B008  # frozen
        """Read, check and compile a program; raise ``BadText`` at its first error."""
        checked = check(text, dialect, limits).raise_errors()
        return cls(checked, compile_program(checked.program, limits, text), limits, dialect)

    @property
    def _source(self) -> tuple[str, str, Limits]:
        return self.checked.text, self.dialect, self.limits

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Machine) and self._source == other._source)

    def __hash__(self) -> int:
        return hash(self._source)

    def __reduce__(self) -> "tuple[Callable[[str, str, Limits], Machine], tuple[str, str, Limits]]":
        # The text is enough; the arrays are a thousand times as large.
        return _compile_cached, self._source

    def __deepcopy__(self, memo: dict[int, Any]) -> "Machine":
        # A machine holds nothing of a game.
        return self

    @property
    def players(self) -> int:
        """Return the number of players."""
        return self.checked.players

    @property
    def scoring(self) -> str:
        """Return whether the highest (max) or the lowest score (min) wins."""
        return self.checked.program.scoring

    # --- arrays

    def workspaces(self, count: int) -> IntArray:
        """Return [count, words], arrays for states and all the work on them."""
        try:
            words = np.zeros((count, self.compiled.size), np.int64)
        except (MemoryError, ValueError):
            size = 8 * count * self.compiled.size // 10**9
            raise NotLegalHere(f"these limits, {count} times, take {size:,} GB of memory") from None
        for address, value in self.compiled.constants.items():
            words[:, address] = value
        return words

    def unseen_cards(self) -> UnseenCards:
        """Return arrays in which unseen cards are listed."""
        backs = sorted(set(self.storage.backs))
        memories = [address for address, location in self.storage.locations.items() if location.kind == "mem"]
        rows = [np.zeros(self.storage.card_limit, np.int64) for _ in range(5)]
        back = np.array([backs.index(back) for back in self.storage.backs], np.int64)
        return UnseenCards(len(backs), back, np.array(memories, np.int64), self.nothing_known(), *rows)

    def nothing_known(self) -> KnownCards:
        """Return [players, cards], the cards of which each seat remembers the location: none."""
        return np.zeros((self.players, self.storage.card_limit), np.uint8)

    # --- one game

    def start(self, seed: int, game: int = 0, log: bool = False) -> Position:
        """Return the first decision, or the end, of a game."""
        words = self.workspace().words
        words[k.LOGGING] = int(log)
        run_job(self.program, words.reshape(1, -1), new_job(k.ONE_TASK, k.START, seed=seed, first=game))
        words[k.LOGGING] = 0
        return Position.stored(self)

    def start_with_known(self, seed: int, game: int = 0) -> tuple[Position, KnownCards]:
        """Return the first decision, and what the seats remember by then."""
        return self.start(seed, game, log=True), self.update_known(self.nothing_known())

    def first_transition(self, seed: int, game: int = 0) -> Transition:
        """Return the first decision, and everything that happened before it."""
        position, known = self.start_with_known(seed, game)
        return Transition(position, [], self.log(), known)

    def log(self) -> list[LogEvent]:
        """Return the events logged since the last position was loaded."""
        words, first, end = self.workspace().words, self.compiled.layout[k.L_LOG], self.compiled.layout[k.L_LOG_END]
        if first + int(words[k.LOG]) > end:
            raise NotLegalHere("too much happens between two decisions to be described")
        rows = words[first : first + int(words[k.LOG])].reshape(-1, 4).tolist()
        return [(what, a, b, c) for what, a, b, c in rows]

    def update_known(self, known: KnownCards) -> KnownCards:
        """Return what the seats remember after the logged events, from what they remembered before."""
        words = self.workspace().words
        if words[k.LOG]:
            known = known.copy()
            for seat in range(self.players):
                update_known(words, self.program.layout, known[seat], seat)
        return known

    # --- many games

    def random_games(self, games: int, seed: int, threads: int = 1, first: int = 0) -> Results:
        """Play games with random players; the same seed gives the same games on any number of threads (0: one for each core)."""
        results = self.new_results(games)
        threads = min(threads or core_count(), max(1, games))
        bounds = np.linspace(0, games, threads + 1).astype(int)

        def play(part: tuple[int, int], stopped: Event) -> None:
            low, high = part
            words = self.workspace().words
            words[k.LOGGING] = 0
            if low < high:
                rows = Results(*(column[low:high] for column in results))
                job = new_job(k.PLAY, seed=seed, first=first + low, games=high - low, limit=self.limits.decisions)
                run_job(self.program, words.reshape(1, -1), job, rows, stopped=stopped)

        for _ in map_in_threads(play, list(pairwise(map(int, bounds))), threads):
            pass
        return results

    def random_game(self, seed: int, work: int, late: bool = False) -> tuple[Results, int]:
        """Play game 0 of a seed with random players, or, if ``late``, with ``LastOptionPlayer``; return also the work left.

        That is -1 if the game was stopped because ``work`` was spent; its status is then ``CAPPED``. The error of a capped game is its
        last choice.
        """
        results, words = self.new_results(1), self.workspace().words
        words[k.LOGGING] = 0
        job, left = new_job(k.PLAY, seed=seed, limit=self.limits.decisions, prefer_last=late), -1
        while work > 0:
            fuel = min(work, FUEL)
            if drive(self.program, words.reshape(1, -1), job, fuel, results, None, None) != k.MORE:
                left = max(0, work - int(job["spent"][0]))
                break
            work -= fuel
        if left < 0:
            results.statuses[0] = k.CAPPED
        if results.statuses[0] == k.CAPPED:
            results.errors[0] = words[k.PC]
        return results, left

    def new_results(self, games: int) -> Results:
        """Return the results of games before they are played."""
        statuses, errors, decisions, options = np.zeros((4, games), np.int64)
        return Results(statuses, errors, decisions, options, np.zeros((games, self.players), np.int64))

    def perft(self, seed: int, depth: int) -> list[tuple[int, int]]:
        """Return for each length up to ``depth`` the number of histories, and how many of them end the game."""
        stack = self.workspaces(depth + 1)
        tried, options = np.zeros((2, depth + 1), np.int64)
        results = NO_RESULTS._replace(decisions=tried, options=options, scores=np.zeros((depth + 1, 2), np.int64))
        job = new_job(k.PERFT, seed=seed, limit=self.limits.decisions)
        run_job(self.program, stack, job, results)
        level = int(job["level"][0])
        if level >= 0:
            raise self.error(int(stack[level][k.STATUS]), int(stack[level][k.ERROR_AT]))
        return [(int(histories), int(ends)) for histories, ends in results.scores]

    def error(self, status: int, instruction: int) -> BadText:
        """Return what went wrong in a game, and where in the program."""
        return BadText(k.REASONS[status], self.checked.text, self.compiled.offsets[instruction // k.STRIDE])


class Workspace:
    """The arrays of one thread."""

    def __init__(self, machine: Machine) -> None:
        self.words: IntArray = machine.workspaces(1)[0]
        self.unseen = machine.unseen_cards()
        self.search: Any = None  # the arrays of searching players, see ``players.search``


def _workspaces_of(machine: Machine) -> Callable[[], Workspace]:
    """Return the function that gives each thread its workspace; no attribute leads there, since it holds the cards of a game."""
    threads, machine_ref = local(), ref(machine)

    def workspace() -> Workspace:
        try:
            existing: Workspace = threads.workspace
        except AttributeError:
            owner = machine_ref()
            assert owner is not None
            existing = threads.workspace = Workspace(owner)
        return existing

    return workspace


@lru_cache(maxsize=16)
def _compile_cached(text: str, dialect: str, limits: Limits) -> Machine:
    """Return the machine of a pickle; thousands of states of one game share it."""
    return Machine.compile(text, dialect, limits)
