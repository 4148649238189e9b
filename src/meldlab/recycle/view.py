"""What one seat may know of a described game: the cards it sees, the storage, its options, and enough to read and judge them.

>>> from meldlab.play import Deal
>>> from meldlab.recycle.game import Described
>>> view = Described.named("kuhn_poker").start(2, Deal(seed=1)).view(0)
>>> print(*view.legal_actions(), sep=", ")
set SAYS of p1 to CHECK, set SAYS of p1 to BET; set PAID of p1 to 2
>>> view.parse("set SAYS of p1 to CHECK")
Option(number=1, path=(0,))
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.recycle.describe import Describer, visible_cards
from meldlab.recycle.machine.position import Masked

__all__ = ["REVEALS", "Option", "View"]

REVEALS = " -> "  # in a record, between what a seat decides and what came of it


@dataclass(frozen=True)
class Option:
    """One way to decide: its number from 1 and the branches it takes; it prints as what its owner knows it does."""

    number: int
    path: tuple[int, ...]
    view: "View" = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.view.words(self.number - 1)


@dataclass(frozen=True)
class View:
    """What a seat knows; views that look alike to it are equal, so whatever is made of one holds nothing that is hidden."""

    seat: int
    position: Masked = field(repr=False)
    describer: Describer = field(compare=False, repr=False)

    def __repr__(self) -> str:
        return f"View(seat={self.seat}, acting={self.acting}, places={self.places}, cells={self.cells})"

    def __reduce__(self) -> "tuple[type[View], tuple[int, Masked, Describer]]":
        return type(self), (self.seat, self.position, self.describer)

    @property
    def acting(self) -> int | None:
        """Return who decides, from 0, or None when the game is over."""
        return None if self.position.over else self.position.seat - 1

    @cached_property
    def places(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return each location that holds cards by its name, with the cards, or their backs."""
        name, faces = self.describer.location_name, self.describer.visible_faces
        return tuple((name(place, place.index), faces(self.position, place, self.seat + 1)) for place in self.position.places())

    @cached_property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """Return what is stored, each under its name."""
        return tuple(
            (name + self.describer.owner_text(category, owner), str(value)) for _, category, owner, name, value in self.position.cells()
        )

    @cached_property
    def _options(self) -> tuple[Option, ...]:
        return tuple(Option(number, path, self) for number, path in enumerate(self.position.offered, 1))

    def legal_actions(self) -> Sequence[Option]:
        """Give the options of the seat."""
        return self._options

    def verify(self, action: Option) -> None:
        """Raise NotLegalHere if the option is not one of this decision."""
        if self.acting != self.seat:
            raise NotLegalHere("the game is over" if self.acting is None else f"it is the turn of p{self.acting + 1}")
        # Types first: whatever else it is, it might call itself equal to anything.
        number, path = getattr(action, "number", None), getattr(action, "path", None)
        if type(action) is not Option or not (type(number) is int and type(path) is tuple and all(type(branch) is int for branch in path)):
            raise NotLegalHere(f"a {type(action).__name__} like this is no option")
        if not 0 < number <= len(self.position.offered) or self.position.offered[number - 1] != path:
            raise NotLegalHere(f"no option {number} like this here (1 to {len(self.position.offered)})")

    def parse(self, text: str) -> Option:
        """Read an option: its number, its words, or its words and what it revealed."""
        if self.acting != self.seat:
            raise NotLegalHere("the game is over" if self.acting is None else f"it is the turn of p{self.acting + 1}")
        wanted = " ".join(text.partition(REVEALS)[0].split())
        if wanted.isdecimal():
            if not (len(wanted) < 10 and 0 < int(wanted) <= len(self._options)):
                raise BadText(f"no option {wanted} (1 to {len(self._options)})", text, 0)
            return self._options[int(wanted) - 1]
        for option in count(len(self._words)):
            if wanted in self._numbers:
                return self._options[self._numbers[wanted]]
            if option == len(self._options):
                raise NoSuchThing("option", wanted, self._words)
            self.words(option)
        raise AssertionError

    # --- words: told one after the other as far as somebody asks, since there may be thousands

    @cached_property
    def _words(self) -> list[str]:
        return []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {}

    @cached_property
    def _alike(self) -> Counter[str]:
        return Counter()

    def words(self, option: int) -> str:
        """Return what an option, by its number from 0, does as far as the seat knows; those that read like one before are numbered."""
        for told in range(len(self._words), option + 1):
            words = self.foreseen(told)
            self._alike[words] += 1
            if self._alike[words] > 1:
                words += f" ({self._alike[words]})"
            self._numbers[words] = told
            self._words.append(words)
        return self._words[option]

    def foreseen(self, option: int) -> str:
        """Return what an option does as far as the seat knows, whatever the others do."""
        after, did = self.position.preview(option)
        return self.describer.preview(did, after, self._seen)

    @cached_property
    def _seen(self) -> set[int]:
        return visible_cards(self.position, self.seat + 1)
