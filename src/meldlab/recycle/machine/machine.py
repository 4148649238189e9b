"""A program under the machine: positions of one game, and thousands of games at once.

>>> from meldlab.recycle import library
>>> machine = Machine.of(library.entry("kuhn_poker").text)
>>> position = machine.begin(seed=1)
>>> position.seat, position.paths
(1, ((0,), (1,)))
>>> position.decide(0).seat
2
>>> machine.random_games(games=1000, seed=1).statuses.tolist() == [k.FINISHED] * 1000
True
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from threading import Event, local
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import BadText, NotLegalHere
from meldlab.recycle.language.checker import Checked, check
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.compiler import Compiled, compile_program
from meldlab.recycle.machine.statuses import reason
from meldlab.recycle.machine.threads import beside

__all__ = ["Entry", "Games", "Machine", "Place", "Position"]

Words = NDArray[np.int64]
Entry = tuple[int, int, int, int]  # an action of the log: the operation, and addresses or values


@dataclass(frozen=True)
class Games:
    """The results of many games, one row each."""

    statuses: Words
    errors: Words  # the instruction at which a game failed
    decisions: Words
    options: Words  # summed over the decisions
    scores: Words  # [games, players]


@dataclass(frozen=True)
class Place:
    """A location: owner (0 for the table), kind, name, index, and its cards by number, from the bottom up."""

    owner: int
    kind: str
    name: str
    index: int
    cards: tuple[int, ...]

    def seen_by(self, seat: int) -> bool:
        """Tell whether a player may see the cards."""
        return {"vloc": True, "mem": True, "iloc": self.owner == seat, "oloc": self.owner != seat, "hloc": False}[self.kind]


class Machine:
    """A compiled program; machines of the same program are equal. Each thread that uses one works in an array of its own."""

    def __init__(self, checked: Checked, compiled: Compiled, limits: Limits, dialect: str = "0.6") -> None:
        self.checked, self.compiled, self.plan, self.limits, self.dialect = checked, compiled, compiled.plan, limits, dialect
        self._own = local()
        self.tables: tuple[Words, Words, Words] = (
            np.array(compiled.code, np.int64),
            np.array(compiled.data or [0], np.int64),
            np.array(compiled.layout, np.int64),
        )
        self.initial = compiled.initial

    @classmethod
    def of(cls, text: str, dialect: str = "0.6", limits: Limits = Limits()) -> Self:  # noqa: B008  # frozen
        """Read, check and compile a program; raise ``BadText`` at its first error."""
        checked = check(text, dialect, limits).stop_at_errors()
        return cls(checked, compile_program(checked.program, limits, text), limits, dialect)

    @property
    def _program(self) -> tuple[str, str, Limits]:
        return self.checked.text, self.dialect, self.limits

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Machine) and self._program == other._program)

    def __hash__(self) -> int:
        return hash(self._program)

    def __reduce__(self) -> "tuple[Callable[[str, str, Limits], Machine], tuple[str, str, Limits]]":
        # The text says it all; the arrays to work in are a thousand times as large.
        return _made_again, self._program

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

    def room(self) -> Words:
        """Return an array for a state and all the work on it."""
        words: Words = self.rooms(1)[0]
        return words

    def rooms(self, many: int) -> Words:
        """Return [many, words], arrays for states and all the work on them."""
        words = self._rooms(many)
        for at, value in self.compiled.constants.items():
            words[:, at] = value
        return words

    def _rooms(self, many: int) -> Words:
        try:
            return np.zeros((many, self.compiled.words), np.int64)
        except (MemoryError, ValueError):
            size = 8 * many * self.compiled.words // 10**9
            raise NotLegalHere(f"these limits, {many} times, take {size:,} GB of memory") from None

    @cached_property
    def single_tables(self) -> tuple[Words, Words, Words]:
        """Return the tables of a program in which nobody waits for the others before an option is carried out."""
        code, data, layout = self.tables
        single = code.copy()
        operations = single[:: k.STRIDE]
        operations[operations == k.JOINT] = k.CHOICE
        return single, data, layout

    @property
    def words(self) -> Words:
        """Return the array that this thread works in."""
        try:
            words: Words = self._own.words
        except AttributeError:
            words = self._own.words = self.room()
        return words

    def begin(self, seed: int, game: int = 0) -> "Position":
        """Return the first decision, or the end, of a game."""
        return self._begin(seed, game, logging=False)[0]

    def watched_begin(self, seed: int, game: int = 0) -> tuple["Position", list[Entry]]:
        """Return the first decision and what happened before it."""
        return self._begin(seed, game, logging=True)

    def _begin(self, seed: int, game: int, logging: bool) -> tuple["Position", list[Entry]]:
        self.words[k.LOGGING] = int(logging)
        kernel.begin(self.tables, self.words, self.initial, seed, game)
        self.words[k.LOGGING] = 0
        return Position.taken(self), self.log()

    def log(self) -> list[Entry]:
        """Return the actions written down since the last position was loaded."""
        at = self.compiled.layout[k.L_LOG]
        rows = self.words[at : at + int(self.words[k.LOG])].reshape(-1, 4).tolist()
        return [(what, a, b, c) for what, a, b, c in rows]

    def random_games(self, games: int, seed: int, threads: int = 1, first: int = 0) -> Games:
        """Play games with random players; the same seed gives the same games on any number of threads."""
        shape = np.zeros(games, np.int64)
        results = Games(shape, shape.copy(), shape.copy(), shape.copy(), np.zeros((games, self.players), np.int64))
        bounds = np.linspace(0, games, threads + 1).astype(int)

        def play(part: tuple[int, int], stopped: Event) -> None:
            low, high = part
            self.words[k.LOGGING] = 0
            columns = results.statuses, results.errors, results.decisions, results.options, results.scores
            rows = tuple(column[low:high] for column in columns)
            numbers = {"seed": seed, "first": first + low, "games": high - low, "limit": self.limits.decisions}
            kernel.random_games(self.tables, self.words, self.initial, rows, stopped, **numbers)

        for _ in beside(play, list(pairwise(map(int, bounds))), threads):
            pass
        return results

    def histories(self, seed: int, depth: int) -> list[tuple[int, int]]:
        """Return for each length up to ``depth`` how many histories of it there are, and how many of them end the game."""
        stack = self._rooms(depth + 1)
        for at, value in self.compiled.constants.items():
            stack[0, at] = value
        counts = np.zeros((depth + 1, 2), np.int64)
        level = kernel.count_histories(self.tables, stack, self.initial, counts, seed=seed, limit=self.limits.decisions)
        if level >= 0:
            raise self.failure(int(stack[level][k.STATUS]), int(stack[level][k.ERROR_AT]))
        return [(int(histories), int(ends)) for histories, ends in counts]

    def failure(self, status: int, instruction: int) -> BadText:
        """Return what went wrong in a game, and where in the program."""
        return BadText(reason(status), self.checked.text, self.compiled.places[instruction // k.STRIDE])

    def attributes(self, card_type: int) -> dict[str, str]:
        """Return the attributes of a type of card."""
        return self.plan.types[card_type]


@lru_cache(maxsize=16)
def _made_again(text: str, dialect: str, limits: Limits) -> Machine:
    """Return the machine of a program that came out of a pickle; thousands of states of one game share it."""
    return Machine.of(text, dialect, limits)


@dataclass(frozen=True, eq=False)
class Position:
    """A game at a decision, or at its end; forking it costs a copy of its words."""

    machine: Machine
    words: Words

    @classmethod
    def taken(cls, machine: Machine) -> Self:
        """Copy the position that the machine stands at."""
        words = machine.words[: int(machine.words[k.TOP])].copy()
        words.flags.writeable = False
        return cls(machine, words)

    def with_words(self, words: Words) -> "Position":
        """Return a position of the same game with other words."""
        return _position(self.machine, words)

    def __reduce__(self) -> "tuple[Callable[[Machine, Words], Position], tuple[Machine, Words]]":
        return _position, (self.machine, self.words)

    def _load(self) -> Words:
        words = self.machine.words
        words[: len(self.words)] = self.words
        words[k.LOG] = 0
        return words

    @property
    def status(self) -> int:
        """Return how the game stands."""
        return int(self.words[k.STATUS])

    @property
    def decisions(self) -> int:
        """Return how many decisions have been made."""
        return int(self.words[k.DECISION])

    @property
    def over(self) -> bool:
        """Tell whether nobody decides any more."""
        return self.status != k.DECIDING or self.decisions >= self.machine.limits.decisions

    @property
    def seat(self) -> int:
        """Return who decides, from 1."""
        return int(self.words[self.machine.tables[0][int(self.words[k.PC]) + 3]])

    @property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """Return the options, each as the branches taken: the item of the choice, then the member of each ``any``."""
        return self._explored[0]

    @cached_property
    def _explored(self) -> tuple[tuple[tuple[int, ...], ...], int]:
        """Return the options, and the work done in the game once they are found."""
        words = self._load()
        words[k.LOGGING] = 0
        count = kernel.explore(self.machine.tables, words)
        if int(words[k.STATUS]) != k.DECIDING:
            raise self.machine.failure(int(words[k.STATUS]), int(words[k.ERROR_AT]))
        starts = words[self.machine.compiled.layout[k.L_OPTION] :][:count]
        return tuple(tuple(words[at + 1 : at + 1 + words[at]].tolist()) for at in starts), int(words[k.GAME_WORK])

    def decide(self, option: int) -> "Position":
        """Return the position after an option, by its number from 0."""
        return self._decide(option, logging=False)[0]

    def watched(self, option: int) -> tuple["Position", list[Entry], list[Entry]]:
        """Return the position after an option, what the option did, and what happened by itself after it."""
        after, log, split = self._decide(option, logging=True)
        return after, log[:split], log[split:]

    def preview(self, option: int) -> tuple["Position", list[Entry]]:
        """Return what an option does, and the position to read that in; a joint option is carried out as if it stood alone."""
        after, log, split = self._decide(option, logging=True, tables=self.machine.single_tables)
        return after, log[:split]

    def _decide(self, option: int, logging: bool, tables: tuple[Words, Words, Words] | None = None) -> tuple["Position", list[Entry], int]:
        if not 0 <= option < len(self.paths):
            raise NotLegalHere(f"no option {option + 1} (1 to {len(self.paths)})")
        path, layout = self.paths[option], self.machine.compiled.layout
        words = self._load()
        words[layout[k.L_OPTION]] = at = layout[k.L_OPTION_WORDS]
        words[at] = len(path)
        words[at + 1 : at + 1 + len(path)] = path
        words[k.LOGGING] = int(logging)
        words[k.GAME_WORK] = self._explored[1]
        kernel.decide(tables or self.machine.tables, words, 0)
        words[k.LOGGING] = 0
        after = Position.taken(self.machine)
        return after, self.machine.log(), int(words[k.LOG_SPLIT]) // 4

    def check(self) -> "Position":
        """Return this position, or raise what made the game fail."""
        if self.status > k.CAPPED:
            raise self.machine.failure(self.status, int(self.words[k.ERROR_AT]))
        return self

    @cached_property
    def scores(self) -> tuple[int, ...]:
        """Return the score of every player, as if the game ended here."""
        words = self._load()
        if not kernel.score(self.machine.tables, words):
            raise self.machine.failure(int(words[k.STATUS]), int(words[k.ERROR_AT]))
        at = self.machine.compiled.layout[k.L_SCORES] + 1
        return tuple(words[at : at + self.machine.players].tolist())

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the number of the team of every player, 0 for none."""
        at = self.machine.plan.team_of + 1
        return tuple(self.words[at : at + self.machine.players].tolist())

    # --- what lies where

    def type_of(self, card: int) -> int:
        """Return the type of a card by its number."""
        return int(self.words[self.machine.plan.cards + k.NODE * card + k.TYPE])

    def card(self, address: int) -> int:
        """Return the number of a card by its address."""
        return int(address - self.machine.plan.cards) // k.NODE

    def places(self) -> Iterator[Place]:
        """Yield every location that holds a card, indexes of a name in the order in which they were first touched."""
        for family in self.machine.plan.families:
            homes = [family.at]
            home = int(self.words[family.at + k.CHAIN_AT])
            while home:
                homes.append(home)
                home = int(self.words[home + k.NEXT_AT])
            # The location of index 0 stands where it was touched, or first if nobody asks for the order.
            for home in homes[1:] if family.at in homes[1:] else homes:
                if self.words[home + k.SIZE_AT]:
                    cards = tuple(self._cards(home, family.kind == "mem"))
                    yield Place(family.owner, family.kind, family.name, int(self.words[home + k.INDEX_AT]), cards)

    def _cards(self, home: int, remembers: bool) -> Iterator[int]:
        node = int(self.words[home + k.BOTTOM_AT])
        while node:
            yield self.card(int(self.words[node + k.TYPE]) if remembers else node)
            node = int(self.words[node + k.ABOVE])

    def cells(self) -> Iterator[tuple[str, str, int, str, int | str]]:
        """Yield every cell that holds something: kind, category and number of the owner, name, content."""
        plan = self.machine.plan
        for (kind, category, name), base in plan.bases.items():
            if kind in ("sto", "str"):
                first = 0 if category == "game" else 1
                for owner in range(first, first + plan.owners(category)):
                    if value := int(self.words[base + owner]):
                        yield kind, category, owner, name, value if kind == "sto" else plan.strings[value]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Return what makes two positions equal: everything but chance, and the order in which empty locations were named."""
        plan, words = self.machine.plan, self.words
        made = int(words[k.CARDS])
        types = tuple(self.type_of(card) for card in range(made))
        first = next((family.at for family in plan.families), plan.cards)
        return int(words[k.PC]), int(words[k.TEAMS]), words[plan.player_cycle : first].tobytes(), types, tuple(self.places())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.machine == other.machine and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _position(machine: Machine, words: Words) -> Position:
    words.flags.writeable = False
    return Position(machine, words)
