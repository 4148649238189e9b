"""A described game at the table: what each seat sees by the visibility of its locations, and options as actions in words.

>>> from meldlab.play import Deal, RandomPlayer, Table
>>> game = Described.named("kuhn_poker")
>>> played = Table(game, [RandomPlayer(), RandomPlayer()]).play(Deal(seed=2))
>>> len(played.actions), played.result.reason
(2, 'the highest score wins')
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.play import Chance, Deal, Result
from meldlab.recycle import library
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.language.variants import varied
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine, Place, Position
from meldlab.recycle.machine.statuses import reason
from meldlab.recycle.telling.teller import HIDDEN, Teller, visible

__all__ = ["Described", "Option", "State", "View"]


@dataclass(frozen=True)
class Option:
    """One way to decide: its number from 1, the branches it takes, and what its owner knows it does."""

    number: int
    path: tuple[int, ...]
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class View:
    """What a seat knows: the cards it may see, how many lie elsewhere, the storage, who decides, and its options."""

    seat: int
    acting: int | None
    places: tuple[tuple[str, tuple[str, ...]], ...]
    cells: tuple[tuple[str, str], ...]
    options: tuple[Option, ...] = field(repr=False)

    def legal_actions(self) -> Sequence[Option]:
        """Give the options of the seat."""
        return self.options

    def verify(self, action: Option) -> None:
        """Raise NotLegalHere if the option is not one of this decision."""
        if self.acting != self.seat:
            raise NotLegalHere("the game is over" if self.acting is None else f"it is the turn of p{self.acting + 1}")
        # Types first: whatever else it is, it might call itself equal to anything.
        number, path, words = (getattr(action, name, None) for name in ("number", "path", "words"))
        if type(action) is not Option or not (type(number) is int and type(path) is tuple and type(words) is str):
            raise NotLegalHere(f"a {type(action).__name__} like this is no option")
        if not (0 < number <= len(self.options) and self.options[number - 1].words == words and self.options[number - 1].path == path):
            raise NotLegalHere(f"no option {words!r} here")

    def parse(self, text: str) -> Option:
        """Read an option: its words, or its number."""
        wanted = " ".join(text.split())
        for option in self.options:
            if wanted in (option.words, str(option.number)):
                return option
        if wanted.isdecimal():
            raise BadText(f"no option {wanted} (1 to {len(self.options)})", text, 0)
        raise NoSuchThing("option", wanted, [option.words for option in self.options])


@dataclass(frozen=True)
class State:
    """A described game at one moment."""

    position: Position
    teller: Teller = field(compare=False, repr=False)

    def __reduce__(self) -> "tuple[type[State], tuple[Position, Teller]]":
        # What was worked out from the position can be worked out again.
        return type(self), (self.position, self.teller)

    @property
    def seat(self) -> int | None:
        """Return who decides, from 0, or None when the game is over."""
        return None if self.position.over else self.position.seat - 1

    @cached_property
    def result(self) -> Result | None:
        """Return the scores at the end; a game that fails ends without winners, with what went wrong."""
        position = self.position
        if not position.over:
            return None
        players, best = position.machine.players, position.machine.best
        if position.status > k.CAPPED:
            return Result((0,) * players, (), f"failed: {reason(position.status)}")
        scores = position.scores
        goal = max(scores) if best == "max" else min(scores)
        why = f"the {'highest' if best == 'max' else 'lowest'} score wins"
        capped = "" if position.status == k.FINISHED else " (stopped: too many decisions)"
        return Result(scores, tuple(seat for seat, score in enumerate(scores) if score == goal), why + capped)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Return the options of the seat that decides, in its own words; options that read alike are numbered."""
        told = [self._told(i, hidden=True) for i in range(len(self.position.paths))]
        counts = {words: told.count(words) for words in told}
        seen: dict[str, int] = {}
        options = []
        for i, (path, words) in enumerate(zip(self.position.paths, told, strict=True)):
            if counts[words] > 1:
                seen[words] = seen.get(words, 0) + 1
                words = f"{words} ({seen[words]})"
            options.append(Option(i + 1, path, words))
        return tuple(options)

    def _told(self, option: int, hidden: bool) -> str:
        after, did = self.position.preview(option)
        if not hidden:
            return self.teller.tell(did, after)
        return self.teller.tell(did, after, visible(self.position, self.position.seat), foresight=True)

    def heard(self, action: Option, seat: int) -> str:
        """Return what a seat notices when an option is carried out, and what happens by itself after it."""
        after, did, then = self.position.watched(action.number - 1)
        seen = visible(self.position, seat + 1) | visible(after, seat + 1)
        chosen = self.teller.tell(did, after, seen) if did else "has chosen"
        followed = self.teller.tell(then, after, seen)
        return f"{chosen}\n  {followed}" if followed else chosen

    def legal_actions(self) -> Iterable[Option]:
        """Give the options."""
        return () if self.seat is None else self.options

    def verify(self, action: Option) -> None:
        """Raise NotLegalHere if the option is not one of this decision."""
        self.view(self.seat or 0).verify(action)

    def apply(self, action: Option) -> Self:
        """Carry out an option."""
        self.verify(action)
        return type(self)(self.position.decide(action.number - 1), self.teller)

    def parse(self, text: str) -> Option:
        """Read an option: its words, its words with the cards it reveals, or its number."""
        wanted = " ".join(text.split())
        for option in self.options:
            if wanted == self.tell(option):
                return option
        return self.view(self.seat or 0).parse(text)

    def tell(self, action: Option) -> str:
        """Return an option with the cards it reveals; those that still read alike keep their number."""
        full = self._told(action.number - 1, hidden=False)
        alike = [option for option in self.options[: action.number - 1] if self._told(option.number - 1, hidden=False) == full]
        return f"{full} [{len(alike) + 1}]" if alike else full

    def view(self, seat: int) -> View:
        """Return what a seat may know."""
        acting = self.seat
        places = tuple((self.teller.place_name(place), self._shown(place, seat + 1)) for place in self.position.places())
        cells = tuple((f"{name}{_whose(category, owner)}", str(value)) for _, category, owner, name, value in self.position.cells())
        return View(seat, acting, places, cells, self.options if acting == seat else ())

    def _shown(self, place: Place, seat: int) -> tuple[str, ...]:
        if not place.seen_by(seat):
            backs = self.position.machine.plan.backs
            types = [self.position.type_of(card) for card in place.cards]
            return tuple(HIDDEN if backs[kind] == "DEFAULT" else f"{HIDDEN}{backs[kind]}" for kind in types)
        return tuple(self.teller.card_names[self.position.type_of(card)] for card in place.cards)

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the end when ``seat`` breaks off: it and its team are last, one point behind the worst score as the game stands.

        A description says nothing about the scores that can still come, so there is no worse one to take.
        """
        teams, best = self.position.teams, self.position.machine.best
        lost = [other == seat or teams[other] == teams[seat] != 0 for other in range(len(teams))]
        try:
            scores = self.position.scores
        except MeldlabError:
            scores = (0,) * len(teams)  # not every game can be counted in the middle
        last = min(scores) - 1 if best == "max" else max(scores) + 1
        ended = tuple(last if gone else score for gone, score in zip(lost, scores, strict=True))
        return Result(ended, tuple(other for other, gone in enumerate(lost) if not gone), why)

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Permute, back by back, the cards that a seat cannot see and nobody remembers."""
        position = self.position
        seen = {card for place in position.places() if place.seen_by(seat + 1) for card in place.cards}
        words, plan, stream = position.words.copy(), position.machine.plan, chance.stream()
        for back in sorted(set(plan.backs)):
            cards = [c for c in range(int(words[k.CARDS])) if c not in seen and plan.backs[position.type_of(c)] == back]
            types = [position.type_of(card) for card in cards]
            stream.shuffle(types)
            words[[plan.cards + k.NODE * card + k.TYPE for card in cards]] = np.array(types, np.int64)
        return type(self)(position.with_words(words), self.teller)


def _whose(category: str, owner: int) -> str:
    return {"game": "", "player": f" of p{owner}", "team": f" of team {owner}"}[category]


@dataclass(frozen=True, eq=False)
class Described:
    """A game by its description."""

    name: str
    text: str
    dialect: str = "0.6"
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def named(
        cls, name: str, dialect: str = "0.6", limits: Limits | None = None, settings: Mapping[str, int] = MappingProxyType({})
    ) -> Self:
        """Return the game of a file or of the library, with other values for numbers that it declares."""
        title, text = library.load(name)
        return cls(title, varied(text, settings, dialect), dialect, limits or Limits())

    @cached_property
    def machine(self) -> Machine:
        """Return the machine that runs it."""
        return Machine.of(self.text, self.dialect, self.limits)

    @property
    def seats(self) -> range:
        """Return how many play."""
        return range(self.machine.players, self.machine.players + 1)

    @property
    def teams(self) -> tuple[int, ...]:
        """Return the team of each seat, from 0; empty where each plays alone."""
        teams = tuple(team - 1 for team in self.machine.begin(seed=0).teams)
        return teams if len(set(teams)) < len(teams) else ()

    def rules(self) -> Mapping[str, Any]:
        """Return the description itself, and the limits that may end a game."""
        return {"name": self.name, "description": self.text, "dialect": self.dialect, "limits": asdict(self.limits)}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Self:
        """Return the game that a record describes; a stranger's record can lower the limits of memory and time, not raise them."""
        parts = {"name": str, "description": str, "dialect": str, "limits": dict}
        for name, value in rules.items():
            if name not in parts:
                raise NoSuchThing("field of a description", name, parts)
            if not isinstance(value, parts[name]):
                raise NotLegalHere(f"{name!r} of a description is a {parts[name].__name__}, not {value!r}")
        if "description" not in rules:
            raise NotLegalHere("a record of a described game holds its description")
        given, own = Limits.parse(",".join(f"{name}={number}" for name, number in rules.get("limits", {}).items())), Limits()
        limits = replace(given, **{name: min(getattr(given, name), getattr(own, name)) for name in ("words", "work", "game_work")})
        return cls(rules.get("name", "described"), rules["description"], rules.get("dialect", "0.6"), limits)

    def start(self, seats: int, deal: Deal) -> State:
        """Return the first decision."""
        if seats not in self.seats:
            raise NotLegalHere(f"{self.name} is for {self.machine.players} players, not {seats}")
        if deal.given:
            raise NotLegalHere("a described game deals its own cards: none can be given")
        return State(self.machine.begin(deal.seed, deal.game), Teller(self.machine))
