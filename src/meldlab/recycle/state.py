"""States of a RECYCLE game at the table, what one seat may know of them, and options as actions.

>>> from meldlab.play import Deal
>>> from meldlab.recycle.game import RecycleGame
>>> view = RecycleGame.load("kuhn_poker").start(2, Deal(seed=1)).view(0)
>>> print(*view.legal_actions(), sep=", ")
set SAYS of p1 to CHECK, set SAYS of p1 to BET; set PAID of p1 to 2
>>> view.parse("set SAYS of p1 to CHECK")
Option(index=0, path=(0,))
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, overload

from meldlab.cards import Card
from meldlab.chance import Purpose
from meldlab.chance.kernel import address
from meldlab.errors import BadText, MeldlabError, NoSuchThing, NotLegalHere
from meldlab.play import Chance, Result
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.kernel_observe import deal_unseen, list_unseen
from meldlab.recycle.machine.position import KnownCards, Position
from meldlab.recycle.narration import Narrator, sentence

REVEALS = " -> "  # in a record, between a decision and its outcome
MAX_ATTEMPTS = 20  # to deal unseen cards so that the seat to move has an option


CARD = re.compile("[2-9TJQKA][♣♦♥♠]")


def _cards_in(label: str) -> list[tuple[int, int]]:
    """Return suit and rank of the standard cards of a label."""
    return [(int(card.suit), int(card.rank)) for card in map(Card.parse, CARD.findall(label))]


@dataclass(frozen=True)
class Option:
    """A decision: its index and the branches it takes; it prints as what its owner knows it does."""

    index: int
    path: tuple[int, ...]
    view: "View" = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.view.option_text(self.index)


class OptionList(Sequence[Option]):
    """The options of a view, each made when it is asked for: there may be thousands."""

    def __init__(self, view: "View") -> None:
        self.view = view

    def __len__(self) -> int:
        return len(self.view.position.options)

    @overload
    def __getitem__(self, index: int) -> Option: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Option]: ...
    def __getitem__(self, index: int | slice) -> "Option | Sequence[Option]":
        indexes = range(len(self))[index]
        if isinstance(indexes, range):
            return [self[i] for i in indexes]
        return Option(indexes, self.view.position.options[indexes], self.view)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list


class _OptionTexts(list[str]):
    """Texts of the first options, in their order, and the index of each; a text that stands already is numbered."""

    def __init__(self) -> None:
        super().__init__()
        self.indexes: dict[str, int] = {}
        self._uses: Counter[str] = Counter()

    def add(self, text: str) -> None:
        self._uses[text] += 1
        distinct = text if self._uses[text] == 1 else f"{text} ({self._uses[text]})"
        self.indexes[distinct] = len(self)
        self.append(distinct)


@dataclass(frozen=True, eq=False)
class View:
    """The observation of a seat; views that a seat cannot distinguish are equal, so nothing made of one reveals hidden cards."""

    seat: int
    position: Position = field(repr=False)
    remembered: tuple[int, ...] = field(repr=False)  # the unseen cards of which the seat knows the location, by number
    describer: Narrator = field(repr=False)
    # The texts of options are written one after the other as far as they are asked for: those of records, and labels.
    _texts: _OptionTexts = field(default_factory=_OptionTexts, init=False)
    _labels: _OptionTexts = field(default_factory=_OptionTexts, init=False)

    def __repr__(self) -> str:
        return f"View(seat={self.seat}, to_move={self.to_move}, locations={self.locations}, storage={self.storage})"

    def __reduce__(self) -> "tuple[type[View], tuple[int, Position, tuple[int, ...], Narrator]]":
        return type(self), (self.seat, self.position, self.remembered, self.describer)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        return self.seat, self.position.words.tobytes(), self.position.given, self.remembered

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.position.machine == other.position.machine and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def to_move(self) -> int | None:
        """Return the seat that decides, or None when the game is over."""
        return None if self.position.over else self.position.to_move

    @cached_property
    def locations(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the name of each location with cards, and the cards, or their backs."""
        name, faces = self.describer.location_name, self.describer.visible_faces
        return tuple((name(location), faces(self.position, location, cards, self.seat)) for location, cards in self.position.locations())

    @cached_property
    def storage(self) -> tuple[tuple[str, str], ...]:
        """Return the name and content of each cell."""
        cells = self.position.cells()
        return tuple((name + self.describer.owner_text(category, owner), str(value)) for _, category, owner, name, value in cells)

    @cached_property
    def places(self) -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
        """Return the display name of each location with cards, whether it is the seat's own, and the cards, or their backs."""
        name, faces = self.describer.place, self.describer.visible_faces
        return tuple(
            (name(location, self.seat), location.owner == self.seat + 1, faces(self.position, location, cards, self.seat))
            for location, cards in self.position.locations()
        )

    @cached_property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Return name and content of the cells in the words of the labels."""
        name, describer = self.describer.owner_name, self.describer
        cells = self.position.cells()
        facts = (describer.fact(kind, cell, name(category, owner), str(value)) for kind, category, owner, cell, value in cells)
        return tuple(fact for fact in facts if fact)

    @cached_property
    def _options(self) -> OptionList:
        return OptionList(self)

    def legal_actions(self) -> Sequence[Option]:
        """Return the options of the seat."""
        return self._options

    def verify(self, action: Option) -> None:
        """Raise NotLegalHere if the option is not one of this decision."""
        self._verify_turn()
        # Types first: another type might compare equal to anything.
        index, path = getattr(action, "index", None), getattr(action, "path", None)
        if type(action) is not Option or not (type(index) is int and type(path) is tuple and all(type(branch) is int for branch in path)):
            raise NotLegalHere(f"this {type(action).__name__} is not an option")
        options = self.position.options
        if not 0 <= index < len(options) or options[index] != path:
            raise NotLegalHere(f"option {index + 1} like this does not exist here (1 to {len(options)})")

    def parse(self, text: str) -> Option:
        """Return the option of a text: its number from 1, its words, its words and what it revealed, or its label."""
        self._verify_turn()
        words = " ".join(text.partition(REVEALS)[0].split())
        if words.isdecimal():
            if not (len(words) < 10 and 0 < int(words) <= len(self._options)):
                raise BadText(f"no option {words} (1 to {len(self._options)})", text, 0)
            return self._options[int(words) - 1]
        while words not in self._texts.indexes and len(self._texts) < len(self._options):
            self.option_text(len(self._texts))
        if words in self._texts.indexes:
            return self._options[self._texts.indexes[words]]
        # Records have the texts, so labels are written for people only.
        if self._options:
            self.label(len(self._options) - 1)
        if words not in self._labels.indexes:
            raise NoSuchThing("option", words, self._texts)
        return self._options[self._labels.indexes[words]]

    def _verify_turn(self) -> None:
        if self.to_move != self.seat:
            raise NotLegalHere("the game is over" if self.to_move is None else f"it is the turn of p{self.to_move + 1}")

    def option_text(self, index: int) -> str:
        """Return what an option does as far as the seat knows; options with the text of an earlier one are numbered."""
        for i in range(len(self._texts), index + 1):
            self._texts.add(self._foreseen_text(i))
        return self._texts[index]

    def label(self, index: int) -> str:
        """Return an option in the words of the program's labels, or in derived ones; numbered like ``option_text``."""
        for i in range(len(self._labels), index + 1):
            after, events = self.position.preview(i)
            self._labels.add(self.describer.option_label(self.position, i, after, events, self._visible_cards))
        return self._labels[index]

    @cached_property
    def listing(self) -> tuple[int, ...]:
        """Return the indices of the options as people list them: those that differ only in cards in the order of the cards."""
        labels = [self.label(index) for index in range(len(self._options))]
        first: dict[str, int] = {}  # option with the same words
        keys = [(first.setdefault(CARD.sub("", label), index), _cards_in(label), index) for index, label in enumerate(labels)]
        return tuple(index for _, _, index in sorted(keys))

    def _foreseen_text(self, index: int) -> str:
        """Return what an option does as far as the seat knows, whatever the others do."""
        after, events = self.position.preview(index)
        return self.describer.preview(events, after, self._visible_cards)

    @cached_property
    def _visible_cards(self) -> set[int]:
        return self.position.visible_cards(self.seat)


@dataclass(frozen=True)
class State:
    """A game at one moment, and the cards of which each seat remembers the location."""

    position: Position
    known: KnownCards = field(compare=False, repr=False)
    describer: Narrator = field(compare=False, repr=False)
    _views: dict[int, View] = field(default_factory=dict, init=False, compare=False, repr=False)

    def __reduce__(self) -> "tuple[type[State], tuple[Position, KnownCards, Narrator]]":
        # Cached properties can be computed again.
        return type(self), (self.position, self.known, self.describer)

    @property
    def seat(self) -> int | None:
        """Return the seat that decides, or None when the game is over."""
        return None if self.position.over else self.position.to_move

    @cached_property
    def result(self) -> Result | None:
        """Return the scores at the end; a game that fails ends without winners, with the error as reason."""
        position = self.position
        if not position.over:
            return None
        players, scoring = position.machine.players, position.machine.scoring
        try:
            scores = position.check().scores
        except BadText as error:
            return Result((0,) * players, (), f"failed: {error.problem}")
        goal = max(scores) if scoring == "max" else min(scores)
        reason = f"the {'highest' if scoring == 'max' else 'lowest'} score wins"
        capped = "" if position.status == k.FINISHED else " (stopped: too many decisions)"
        return Result(scores, tuple(seat for seat, score in enumerate(scores) if score == goal), reason + capped)

    def view(self, seat: int) -> View:
        """Return what a seat may know."""
        if seat not in self._views:
            self._views[seat] = View(seat, *self.position.observe(seat, self.known), self.describer)
        return self._views[seat]

    def apply(self, action: Option) -> Self:
        """Carry out an option."""
        self._view_to_move.verify(action)
        return type(self)(*self.position.take_with_known(action.index, self.known), self.describer)

    @property
    def _view_to_move(self) -> View:
        return self.view(self.seat or 0)

    def describe(self, action: Option, seat: int | None = None) -> str:
        """Return the option as the record has it, with its outcome where the text leaves it open; or what ``seat`` sees of its effects."""
        if seat is None:
            view, (after, events) = self._view_to_move, self.position.preview(action.index)
            full, text = self.describer.events(events, after), view.option_text(action.index)
            return text if full == view._foreseen_text(action.index) else f"{text}{REVEALS}{full}"
        after, chosen, followed, _ = self.position.transition(action.index)
        text = self.describer.events(chosen, after, seat) if chosen else "has chosen"
        rest = self.describer.events(followed, after, seat)
        return f"{text}\n  {rest}" if rest else text

    def narrate(self, action: Option, seat: int) -> str:
        """Return what ``seat`` sees of an action in the words of the labels, and on a second line what follows from it."""
        after, chosen, followed, _ = self.position.transition(action.index)
        text = sentence(self.describer.action(self.position, action.index, after, chosen, seat)) if chosen else ""
        rest = sentence(self.describer.narrate(followed, after, seat, self.position.to_move + 1))
        return (text or "has chosen") + (f"\n  {rest}" if rest else "")

    def forfeit(self, seat: int, why: str) -> Result:
        """Return the end when ``seat`` forfeits: it and its team are last, one point behind the worst score as the game stands.

        A description does not tell which scores can still come, so there is no worse one to take.
        """
        teams, scoring = self.position.teams, self.position.machine.scoring
        lost = [other == seat or teams[other] == teams[seat] != 0 for other in range(len(teams))]
        try:
            scores = self.position.scores
        except MeldlabError:
            scores = (0,) * len(teams)  # not every game can be scored before its end
        last = min(scores) - 1 if scoring == "max" else max(scores) + 1
        ended = tuple(last if gone else score for gone, score in zip(lost, scores, strict=True))
        return Result(ended, tuple(other for other, gone in enumerate(lost) if not gone), why)

    def redeal(self, seat: int, chance: Chance) -> Self:
        """Deal the cards anew that a seat neither sees nor remembers the place of."""
        position, machine = self.position, self.position.machine
        unseen, layout = machine.workspace().unseen, machine.program.layout
        unseen.known[seat] = self.known[seat]
        key = chance.key(Purpose.SAMPLED_DEAL)
        for attempt in range(MAX_ATTEMPTS):
            words = position.words.copy()
            hidden = list_unseen(words, layout, unseen, seat)
            deal_unseen(words, layout, unseen, seat, hidden, address(key, attempt, 0, 0, k.FOR_DEAL))
            other = position.with_words(words)
            # The deal must leave an option to the seat to move, as this one does.
            if other.over == position.over:
                return type(self)(other, self.known, self.describer)
        return self
