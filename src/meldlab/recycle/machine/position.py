"""Positions of a game: who decides between which options, the cards and the storage, and the position after an option.

>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> position = Machine.compile(library.entry("kuhn_poker").text).start(seed=1)
>>> position.to_move, list(position.options)
(0, [(0,), (1,)])
>>> position.take(0).to_move
1
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_drive import new_job, run_job
from meldlab.recycle.machine.kernel_observe import hide
from meldlab.recycle.machine.storage import Location

if TYPE_CHECKING:
    from meldlab.recycle.machine.machine import Machine

IntArray = NDArray[np.int64]
KnownCards = NDArray[np.uint8]  # [players, cards], the cards of which each seat remembers the location
LogEvent = tuple[int, int, int, int]  # an entry of the log: the operation, and addresses or values


@dataclass(frozen=True, eq=False)
class Options:
    """Options as the kernel lists them; equal if their branches are.

    Each is the branches taken: the item of the choice, then the member of each ``any``.
    """

    words: IntArray  # [length, branches ..] of each option
    starts: IntArray  # [options], where each begins in the words

    def __post_init__(self) -> None:
        self.words.flags.writeable = self.starts.flags.writeable = False

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, index: int) -> tuple[int, ...]:
        start = int(self.starts[index])
        return tuple(self.words[start + 1 : start + 1 + int(self.words[start])].tolist())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        # The lengths in the words say where each option begins.
        return isinstance(other, Options) and np.array_equal(self.words, other.words)

    def __hash__(self) -> int:
        return hash(self.words.tobytes())

    def __reduce__(self) -> "tuple[type[Options], tuple[IntArray, IntArray]]":
        return Options, (self.words, self.starts)

    def load(self, layout: list[int], words: IntArray, index: int | None = None) -> None:
        """Write all options, or one of them, into a state as if they had been listed there."""
        options, starts = self.words, self.starts
        if index is not None:
            start = int(starts[index])
            options, starts = options[start : start + 1 + int(options[start])], starts[:1]
        first = layout[k.L_OPTION_WORDS]
        words[layout[k.L_OPTION] : layout[k.L_OPTION] + len(starts)] = first + starts
        words[first : first + len(options)] = options
        words[k.OPTIONS] = len(starts)


NO_OPTIONS = Options(np.zeros(0, np.int64), np.zeros(0, np.int64))


class Transition(NamedTuple):
    """The position after an option, the events of the option and those that followed it, and the cards that seats remember then."""

    position: "Position"
    chosen: list[LogEvent]
    followed: list[LogEvent]
    known: KnownCards


class Listing(NamedTuple):
    """The options of a position; or the status that ends the game if they cannot be listed, and where."""

    options: Options
    status: int
    error_at: int
    game_work: int  # done in the game once they are listed


@dataclass(frozen=True, eq=False)
class Position:
    """A game at a decision, or at its end; forking it costs a copy of its words.

    ``given`` are the options of an observation, whose unseen cards have no order: a program that looks at them would list others.
    """

    machine: "Machine"
    words: IntArray
    given: Options | None = None

    def __post_init__(self) -> None:
        self.words.flags.writeable = False

    @classmethod
    def stored(cls, machine: "Machine") -> "Position":
        """Copy the position from the workspace of this thread."""
        words = machine.workspace().words
        return cls(machine, words[: int(words[k.TOP])].copy())

    def with_words(self, words: IntArray) -> "Position":
        """Return a position of the same game with other words."""
        return Position(self.machine, words)

    def __reduce__(self) -> "tuple[type[Position], tuple[Machine, IntArray, Options | None]]":
        return Position, (self.machine, self.words, self.given)

    @property
    def status(self) -> int:
        """Return the status of the game: deciding, finished, capped, or what made it fail."""
        status = int(self.words[k.STATUS])
        if status != k.DECIDING or self.given is not None:
            return status
        return k.CAPPED if self.decisions >= self.machine.limits.decisions else self._listing.status

    @property
    def decisions(self) -> int:
        """Return the number of decisions so far."""
        return int(self.words[k.DECISION])

    @property
    def over(self) -> bool:
        """Return whether the game is over."""
        return self.status != k.DECIDING

    @property
    def to_move(self) -> int:
        """Return the seat that decides."""
        return int(self.words[self.machine.compiled.code[int(self.words[k.PC]) + 3]]) - 1

    @property
    def options(self) -> Options:
        """Return the options; raise the error if they cannot be listed."""
        if self._listing.status != k.DECIDING:
            raise self.machine.error(self._listing.status, self._listing.error_at)
        return self._listing.options

    @cached_property
    def _listing(self) -> Listing:
        if self.given is not None:
            return Listing(self.given, k.DECIDING, 0, 0)
        words = self._load()
        run_job(self.machine.program, words.reshape(1, -1), new_job(k.ONE_TASK, k.LIST_OPTIONS))
        status, error_at, work = int(words[k.STATUS]), int(words[k.ERROR_AT]), int(words[k.GAME_WORK])
        if status != k.DECIDING:
            return Listing(NO_OPTIONS, status, error_at, work)
        layout = self.machine.compiled.layout
        first = layout[k.L_OPTION_WORDS]
        starts = words[layout[k.L_OPTION] :][: int(words[k.OPTIONS])] - first
        return Listing(Options(words[first : first + int(words[k.OPTION_WORDS])].copy(), starts), status, 0, work)

    def take(self, index: int) -> "Position":
        """Return the position after an option."""
        self._carry_out(index, log=False)
        return Position.stored(self.machine)

    def take_with_known(self, index: int, known: KnownCards) -> tuple["Position", KnownCards]:
        """Return the position after an option, and what the seats remember then."""
        self._carry_out(index, log=True)
        return Position.stored(self.machine), self.machine.update_known(known)

    def transition(self, index: int, known: KnownCards | None = None) -> Transition:
        """Return the position after an option, and everything that happened."""
        words = self._carry_out(index, log=True)
        log, split = self.machine.log(), int(words[k.LOG_SPLIT]) // 4
        known = self.machine.update_known(self.machine.nothing_known() if known is None else known)
        return Transition(Position.stored(self.machine), log[:split], log[split:], known)

    def preview(self, index: int) -> tuple["Position", list[LogEvent]]:
        """Return what an option does, and the position to read that in; a joint option is carried out as if it were the only one."""
        self._carry_out(index, log=True, task=k.PREVIEW)
        return Position.stored(self.machine), self.machine.log()

    def _load(self, log: bool = False) -> IntArray:
        """Copy the position into the workspace of this thread."""
        words = self.machine.workspace().words
        words[: len(self.words)] = self.words
        words[k.LOG] = 0
        words[k.LOGGING] = int(log)
        return words

    def _carry_out(self, index: int, log: bool, task: int = k.TAKE_OPTION) -> IntArray:
        """Carry out an option in the workspace of this thread."""
        if not 0 <= index < len(self.options):
            raise NotLegalHere(f"no option {index + 1} (1 to {len(self.options)})")
        words = self._load(log)
        self.options.load(self.machine.compiled.layout, words, index)
        words[k.GAME_WORK] = self._listing.game_work
        run_job(self.machine.program, words.reshape(1, -1), new_job(k.ONE_TASK, task))
        words[k.LOGGING] = 0
        return words

    def observe(self, seat: int, known: KnownCards) -> tuple["Position", tuple[int, ...]]:
        """Return what a seat may know of this position, and the unseen cards of which it remembers the location.

        Positions with the same observation become equal word by word: the order of unseen cards, chance and secret choices are removed.
        """
        words, unseen = self.words.copy(), self.machine.workspace().unseen
        unseen.known[seat] = known[seat]
        count = int(hide(words, self.machine.program.layout, unseen, seat))
        words[k.STATUS] = self.status
        options = self.options if not self.over and self.to_move == seat else NO_OPTIONS
        return Position(self.machine, words, options), tuple(sorted(map(self.card, unseen.rest[:count].tolist())))

    def check(self) -> "Position":
        """Return this position, or raise the error that made the game fail."""
        if self.status > k.CAPPED:
            listed = self.given is None and int(self.words[k.STATUS]) == k.DECIDING
            raise self.machine.error(self.status, self._listing.error_at if listed else int(self.words[k.ERROR_AT]))
        return self

    @cached_property
    def scores(self) -> tuple[int, ...]:
        """Return the score of every player, as if the game ended here."""
        words = self._load()
        before = words[k.STATUS]
        run_job(self.machine.program, words.reshape(1, -1), new_job(k.ONE_TASK, k.SCORE_PLAYERS))
        if words[k.STATUS] != before:
            raise self.machine.error(int(words[k.STATUS]), int(words[k.ERROR_AT]))
        first = self.machine.compiled.layout[k.L_SCORES] + 1
        return tuple(words[first : first + self.machine.players].tolist())

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the number of the team of every player, 0 for none."""
        first = self.machine.storage.team_of + 1
        return tuple(self.words[first : first + self.machine.players].tolist())

    # --- cards and storage

    def type_of(self, card: int) -> int:
        """Return the type of a card by its number."""
        return int(self.words[self.machine.storage.cards + k.NODE * card + k.TYPE])

    def card(self, address: int) -> int:
        """Return the number of a card by its address."""
        return int(address - self.machine.storage.cards) // k.NODE

    def location(self, address: int) -> Location:
        """Return a location by its address."""
        location = self.machine.storage.locations[int(self.words[address + k.FIRST_AT])]
        index = int(self.words[address + k.INDEX_AT])
        return replace(location, index=index) if index else location

    def locations(self) -> Iterator[tuple[Location, tuple[int, ...]]]:
        """Yield every location with cards, and these by number from the bottom up; indexes of a name in the order of first use."""
        for first, location in self.machine.storage.locations.items():
            chain = [first]
            address = int(self.words[first + k.CHAIN_AT])
            while address:
                chain.append(address)
                address = int(self.words[address + k.NEXT_AT])
            # The location of index 0 is where it was named, or first if no construct lists the indexes.
            for address in chain[1:] if first in chain[1:] else chain:
                if self.words[address + k.SIZE_AT]:
                    yield self.location(address), tuple(self._cards(address, location.kind == "mem"))

    def _cards(self, address: int, remembers: bool) -> Iterator[int]:
        node = int(self.words[address + k.BOTTOM_AT])
        while node:
            yield self.card(int(self.words[node + k.TYPE]) if remembers else node)
            node = int(self.words[node + k.ABOVE])

    def visible_cards(self, seat: int) -> set[int]:
        """Return the cards that a seat sees, by number."""
        return {card for location, cards in self.locations() if location.visible_to(seat) for card in cards}

    def cells(self) -> Iterator[tuple[str, str, int, str, int | str]]:
        """Yield every cell that is not empty: kind, category and number of the owner, name, content."""
        storage = self.machine.storage
        for kind, category, owner, name, address in storage.cells():
            if kind != "points" and (value := int(self.words[address])):
                yield kind, category, owner, name, value if kind == "sto" else storage.strings[value]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Return what makes two positions equal: everything except chance and the order in which empty locations were named."""
        storage, words = self.machine.storage, self.words
        types = tuple(self.type_of(card) for card in range(int(words[k.CARDS])))
        first = next(iter(storage.locations), storage.cards)
        cells = words[storage.player_cycle : first].tobytes()
        return int(words[k.PC]), int(words[k.TEAMS]), cells, types, tuple(self.locations()), self.given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.machine == other.machine and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)
