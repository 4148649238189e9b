"""A game at one moment: who decides among what, what lies where, and what comes of an option.

>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> position = Machine.of(library.entry("kuhn_poker").text).begin(seed=1)
>>> position.seat, position.paths
(1, ((0,), (1,)))
>>> position.decide(0).seat
2
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.recycle.machine import kernel
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_deals import mask

if TYPE_CHECKING:
    from meldlab.recycle.machine.machine import Machine

__all__ = ["Happening", "Known", "Masked", "Paths", "Place", "Position", "Words"]

Words = NDArray[np.int64]
Known = NDArray[np.uint8]  # [players + 1, cards], which cards each seat remembers the location of
Paths = tuple[tuple[int, ...], ...]  # options, each as the branches taken: the item of the choice, then the member of each ``any``
Happening = tuple[int, int, int, int]  # a line of the log: the operation, and addresses or values


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
        return k.sees(k.KINDS.index(self.kind), self.owner, seat)


class Explored(NamedTuple):
    """The options of a position; a status that ends the game if they cannot be found, and where."""

    paths: Paths
    status: int
    error_at: int
    game_work: int  # done in the game once they are found


@dataclass(frozen=True, eq=False)
class Position:
    """A game at a decision, or at its end; forking it costs a copy of its words."""

    machine: "Machine"
    words: Words

    @classmethod
    def taken(cls, machine: "Machine") -> Self:
        """Copy the position that the machine stands at."""
        words = machine.room().words
        return cls.of(machine, words[: int(words[k.TOP])].copy())

    @classmethod
    def of(cls, machine: "Machine", words: Words) -> Self:
        """Return a position of a game; nobody writes to its words any more."""
        words.flags.writeable = False
        return cls(machine, words)

    def with_words(self, words: Words) -> "Position":
        """Return a position of the same game with other words."""
        return Position.of(self.machine, words)

    def __reduce__(self) -> "tuple[Callable[[Machine, Words], Position], tuple[Machine, Words]]":
        return Position.of, (self.machine, self.words)

    def _load(self, logging: bool = False) -> Words:
        words = self.machine.room().words
        words[: len(self.words)] = self.words
        words[k.LOG] = 0
        words[k.LOGGING] = int(logging)
        return words

    @property
    def status(self) -> int:
        """Return how the game stands: deciding, finished, capped, or what made it fail."""
        status = int(self.words[k.STATUS])
        if status != k.DECIDING:
            return status
        return k.CAPPED if self.decisions >= self.machine.limits.decisions else self._explored.status

    @property
    def decisions(self) -> int:
        """Return how many decisions have been made."""
        return int(self.words[k.DECISION])

    @property
    def over(self) -> bool:
        """Tell whether nobody decides any more."""
        return self.status != k.DECIDING

    @property
    def seat(self) -> int:
        """Return who decides, from 1."""
        return int(self.words[self.machine.compiled.code[int(self.words[k.PC]) + 3]])

    @property
    def paths(self) -> Paths:
        """Return the options; raise what keeps them from being found."""
        if self._explored.status != k.DECIDING:
            raise self.machine.failure(self._explored.status, self._explored.error_at)
        return self._explored.paths

    @cached_property
    def _explored(self) -> Explored:
        words = self._load()
        count = kernel.explore(self.machine.program, words)
        status, error_at, done = int(words[k.STATUS]), int(words[k.ERROR_AT]), int(words[k.GAME_WORK])
        if status != k.DECIDING:
            return Explored((), status, error_at, done)
        first = self.machine.compiled.layout[k.L_OPTION_WORDS]
        flat = words[first : first + int(words[k.OPTION_WORDS])].tolist()
        starts = (words[self.machine.compiled.layout[k.L_OPTION] :][:count] - first).tolist()
        return Explored(tuple(tuple(flat[at + 1 : at + 1 + flat[at]]) for at in starts), status, 0, done)

    def decide(self, option: int) -> "Position":
        """Return the position after an option, by its number from 0."""
        self._follow(option, logging=False)
        return Position.taken(self.machine)

    def decide_knowing(self, option: int, known: Known) -> tuple["Position", Known]:
        """Return the position after an option, and what the seats remember then."""
        self._follow(option, logging=True)
        return Position.taken(self.machine), self.machine.learned(known)

    def watched(self, option: int) -> tuple["Position", list[Happening], list[Happening]]:
        """Return the position after an option, what the option did, and what happened by itself after it."""
        words = self._follow(option, logging=True)
        log, split = self.machine.log(), int(words[k.LOG_SPLIT]) // 4
        return Position.taken(self.machine), log[:split], log[split:]

    def preview(self, option: int) -> tuple["Position", list[Happening]]:
        """Return what an option does, and the position to read that in; a joint option is carried out as if it stood alone."""
        self._follow(option, logging=True, carry_out=kernel.preview)
        return Position.taken(self.machine), self.machine.log()

    def _follow(self, option: int, logging: bool, carry_out: Callable[..., None] = kernel.decide) -> Words:
        """Carry out an option in the array of this thread."""
        if not 0 <= option < len(self.paths):
            raise NotLegalHere(f"no option {option + 1} (1 to {len(self.paths)})")
        words = self._load(logging)
        self.offer(words, (self.paths[option],))
        words[k.GAME_WORK] = self._explored.game_work
        carry_out(self.machine.program, words, 0)
        words[k.LOGGING] = 0
        return words

    def offer(self, words: Words, paths: Paths) -> None:
        """Write options into an array as if they had been found there."""
        layout = self.machine.compiled.layout
        flat = [word for path in paths for word in (len(path), *path)]
        lengths = np.array([len(path) + 1 for path in paths])
        at = layout[k.L_OPTION_WORDS]
        words[layout[k.L_OPTION] : layout[k.L_OPTION] + len(paths)] = at + np.cumsum(lengths) - lengths
        words[at : at + len(flat)] = flat
        words[k.OPTIONS] = len(paths)

    def masked(self, seat: int, known: Known) -> "Masked":
        """Return what a seat (from 1) may know of this position, of cards that it has seen go too."""
        words, deals = self.words.copy(), self.machine.room().deals
        deals.known[seat] = known[seat]
        many = int(mask(words, self.machine.program.layout, deals, seat))
        words.flags.writeable = False
        paths = () if self.over or self.seat != seat else self.paths
        return Masked(self.machine, words, paths, self.status, tuple(sorted(map(self.card, deals.rest[:many].tolist()))))

    def check(self) -> "Position":
        """Return this position, or raise what made the game fail."""
        if self.status > k.CAPPED:
            failed = self._explored if int(self.words[k.STATUS]) == k.DECIDING else None
            raise self.machine.failure(self.status, failed.error_at if failed else int(self.words[k.ERROR_AT]))
        return self

    @cached_property
    def scores(self) -> tuple[int, ...]:
        """Return the score of every player, as if the game ended here."""
        words = self._load()
        if not kernel.score(self.machine.program, words):
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


@dataclass(frozen=True, eq=False)
class Masked(Position):
    """A position without what one seat may not know; such that look alike to the seat are equal to the last word.

    The unseen cards lie in an order that says nothing, chance is gone, and so is what others have chosen in secret. The options are told,
    not found: where a program looks at unseen cards, it would find others here.
    """

    offered: Paths
    stands: int
    remembered: tuple[int, ...]  # the unseen cards that the seat knows the location of, by number

    def __reduce__(self) -> "tuple[Any, ...]":
        return Masked, (self.machine, self.words, self.offered, self.stands, self.remembered)

    @property
    def status(self) -> int:
        """Return how the game stands."""
        return self.stands

    @cached_property
    def _explored(self) -> Explored:
        return Explored(self.offered, k.DECIDING, 0, 0)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Return everything."""
        return self.words.tobytes(), self.offered, self.stands, self.remembered
