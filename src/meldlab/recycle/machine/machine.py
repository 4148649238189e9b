"""A program under the machine: thousands of games at once, and where one game begins.

>>> from meldlab.recycle import library
>>> machine = Machine.of(library.entry("kuhn_poker").text)
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
from meldlab.parallel import core_count
from meldlab.recycle.language.checker import CheckedProgram, check
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import Compiled, compile_program
from meldlab.recycle.machine.kernel import Bytecode, Results
from meldlab.recycle.machine.kernel_deals import Deals, learn_all
from meldlab.recycle.machine.position import Happening, Known, Position, Words
from meldlab.recycle.machine.threads import beside

__all__ = ["Machine"]


class Machine:
    """A compiled program; machines of the same program are equal. Each thread that uses one works in an array of its own."""

    def __init__(self, checked: CheckedProgram, compiled: Compiled, limits: Limits, dialect: str = "0.6") -> None:
        self.checked, self.compiled, self.plan, self.limits, self.dialect = checked, compiled, compiled.plan, limits, dialect
        self.room = _rooms_of(self)
        self.program = Bytecode(*(np.array(part or [0], np.int64) for part in (compiled.code, compiled.data, compiled.layout)))
        self.initial = compiled.initial

    @classmethod
    def of(cls, text: str, dialect: str = "0.6", limits: Limits = Limits()) -> Self:  # noqa: B008  # frozen
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
        # The text says it all; the arrays to work in are a thousand times as large.
        return _made_again, self._source

    def __deepcopy__(self, memo: dict[int, Any]) -> "Machine":
        # Nothing that belongs to a game is kept here.
        return self

    @property
    def players(self) -> int:
        """Return how many play."""
        return self.checked.players

    @property
    def best(self) -> str:
        """Return whether the highest (max) or the lowest score (min) wins."""
        return self.checked.program.scoring

    def rooms(self, many: int) -> Words:
        """Return [many, words], arrays for states and all the work on them."""
        words = self._rooms(many)
        for at, value in self.compiled.constants.items():
            words[:, at] = value
        return words

    def _rooms(self, many: int) -> Words:
        try:
            return np.zeros((many, self.compiled.size), np.int64)
        except (MemoryError, ValueError):
            size = 8 * many * self.compiled.size // 10**9
            raise NotLegalHere(f"these limits, {many} times, take {size:,} GB of memory") from None

    def new_deals(self) -> Deals:
        """Return arrays on which to list unseen cards."""
        backs = sorted(set(self.plan.backs))
        memories = [family.at for family in self.plan.families if family.kind == "mem"]
        rows = [np.zeros(self.plan.card_limit, np.int64) for _ in range(5)]
        back = np.array([backs.index(back) for back in self.plan.backs], np.int64)
        return Deals(len(backs), back, np.array(memories, np.int64), self.nothing_known(), *rows)

    def nothing_known(self) -> Known:
        """Return [players + 1, cards], which cards each seat remembers the location of: none."""
        return np.zeros((self.players + 1, self.plan.card_limit), np.uint8)

    def begin(self, seed: int, game: int = 0) -> Position:
        """Return the first decision, or the end, of a game."""
        return self._begin(seed, game, logging=False)

    def watched_begin(self, seed: int, game: int = 0) -> tuple[Position, list[Happening]]:
        """Return the first decision and what happened before it."""
        return self._begin(seed, game, logging=True), self.log()

    def begin_knowing(self, seed: int, game: int = 0) -> tuple[Position, Known]:
        """Return the first decision and what the seats remember by then."""
        position = self._begin(seed, game, logging=True)
        return position, self.learned(self.nothing_known())

    def _begin(self, seed: int, game: int, logging: bool) -> Position:
        words = self.room().words
        words[k.LOGGING] = int(logging)
        kernel.begin(self.program, words, self.initial, seed, game)
        words[k.LOGGING] = 0
        return Position.taken(self)

    def log(self) -> list[Happening]:
        """Return what was written down since the last position was loaded."""
        words, at, end = self.room().words, self.compiled.layout[k.L_LOG], self.compiled.layout[k.L_LOG_END]
        if at + int(words[k.LOG]) > end:
            raise NotLegalHere("too much happens between two decisions to be told")
        rows = words[at : at + int(words[k.LOG])].reshape(-1, 4).tolist()
        return [(what, a, b, c) for what, a, b, c in rows]

    def learned(self, known: Known) -> Known:
        """Return what the seats remember, after what was written down, of what they remembered before."""
        words = self.room().words
        if words[k.LOG]:
            known = known.copy()
            learn_all(words, self.program.layout, known)
        return known

    def random_games(self, games: int, seed: int, threads: int = 1, first: int = 0) -> Results:
        """Play games with random players; the same seed gives the same games on any number of threads (0: one for each core)."""
        results = self._no_results(games)
        threads = min(threads or core_count(), max(1, games))
        bounds = np.linspace(0, games, threads + 1).astype(int)

        def play(part: tuple[int, int], stopped: Event) -> None:
            low, high = part
            words = self.room().words
            words[k.LOGGING] = 0
            rows = Results(*(column[low:high] for column in results))
            numbers = {"seed": seed, "first": first + low, "games": high - low, "limit": self.limits.decisions}
            kernel.random_games(self.program, words, self.initial, rows, stopped, **numbers)

        for _ in beside(play, list(pairwise(map(int, bounds))), threads):
            pass
        return results

    def random_game(self, seed: int, work: int, late: bool = False) -> tuple[Results, int]:
        """Play game 0 of a seed with random players, ``late`` ones mostly taking the last option; return also the work left.

        That is -1 if the game was stopped for want of work; its status is then ``CAPPED``. The error of a capped game is its last choice.
        """
        results, words = self._no_results(1), self.room().words
        words[k.LOGGING] = 0
        left = kernel.random_game(self.program, words, self.initial, results, work, seed=seed, limit=self.limits.decisions, late=late)
        if left < 0:
            results.statuses[0] = k.CAPPED
        if results.statuses[0] == k.CAPPED:
            results.errors[0] = words[k.PC]
        return results, left

    def _no_results(self, games: int) -> Results:
        statuses, errors, decisions, options = np.zeros((4, games), np.int64)
        return Results(statuses, errors, decisions, options, np.zeros((games, self.players), np.int64))

    def histories(self, seed: int, depth: int) -> list[tuple[int, int]]:
        """Return for each length up to ``depth`` how many histories of it there are, and how many of them end the game."""
        stack = self._rooms(depth + 1)
        for at, value in self.compiled.constants.items():
            stack[0, at] = value
        counts = np.zeros((depth + 1, 2), np.int64)
        level = kernel.count_histories(self.program, stack, self.initial, counts, seed=seed, limit=self.limits.decisions)
        if level >= 0:
            raise self.failure(int(stack[level][k.STATUS]), int(stack[level][k.ERROR_AT]))
        return [(int(histories), int(ends)) for histories, ends in counts]

    def failure(self, status: int, instruction: int) -> BadText:
        """Return what went wrong in a game, and where in the program."""
        return BadText(k.REASONS[status], self.checked.text, self.compiled.offsets[instruction // k.STRIDE])


class Room:
    """The arrays that one thread works in."""

    def __init__(self, machine: Machine) -> None:
        self.words: Words = machine.rooms(1)[0]
        self.deals = machine.new_deals()
        self.searching: Any = None  # whatever players that look ahead work in


def _rooms_of(machine: Machine) -> Callable[[], Room]:
    """Return what gives each thread its room; no attribute leads there, since who is handed a view could read how the game stands."""
    own, known = local(), ref(machine)

    def room() -> Room:
        try:
            found: Room = own.room
        except AttributeError:
            made = known()
            assert made is not None
            found = own.room = Room(made)
        return found

    return room


@lru_cache(maxsize=16)
def _made_again(text: str, dialect: str, limits: Limits) -> Machine:
    """Return the machine of a program that came out of a pickle; thousands of states of one game share it."""
    return Machine.of(text, dialect, limits)
