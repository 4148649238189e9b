"""Narration: the options and events of a game in the words of its labels, or in derived ones; for one seat.

>>> from meldlab.play import Deal
>>> from meldlab.recycle.game import RecycleGame
>>> view = RecycleGame.load("hearts").start(4, Deal(seed=1)).view(0)
>>> [view.label(index) for index in range(len(view.legal_actions()))]
['play 2♣']
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from meldlab.recycle.describe import Describer, cards_of
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.labels import FIELD, Labels
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.position import LogEvent, Position
from meldlab.recycle.machine.storage import Location

TABLE = "the table"
CARDS = "{cards}"


class EventText(NamedTuple):
    """One event, or neighbours that differ only in their cards; ``cards`` are those that the seat sees."""

    verb: str
    cards: tuple[str, ...]
    hidden: int
    source: Location | None
    target: Location | None
    template: str  # the text without its cards

    @property
    def text(self) -> str:
        """Return the text, hidden cards counted."""
        hidden = [] if not self.hidden else ["a card" if self.hidden == 1 else f"{self.hidden} cards"]
        return self.template.replace(CARDS, ", ".join([*self.cards, *hidden]))


def sentence(events: Iterable[EventText]) -> str:
    """Return events as one text."""
    return "; ".join(event.text for event in events)


class Narrator(Describer):
    """The words for what happens in the games of one program."""

    @cached_property
    def labels(self) -> Labels:
        """Return the labels of the program."""
        return self.machine.checked.labels

    # --- options

    def option_label(self, position: Position, index: int, after: Position, log: Sequence[LogEvent], visible: Set[int]) -> str:
        """Return what an option will do as far as a seat knows that sees the cards ``visible``."""
        known = list(self._known(log, after, visible))
        actor = position.to_move + 1
        seen = [all(after.card(card) in visible for card in cards_of(event)) for event in known]
        events = self._joined(self._narrated(event, after, is_seen, actor) for event, is_seen in zip(known, seen, strict=True))
        label = self._construct_label(position, index, log)
        text = None if label is None else self._filled(label, known, events, after, visible)
        return text or sentence(events) or "continue"

    def action(self, position: Position, index: int, after: Position, log: Sequence[LogEvent], seat: int | None) -> list[EventText]:
        """Return what an option has done as a seat sees it: in the words of its label, or event by event."""
        events = self.narrate(log, after, seat, position.to_move + 1)
        label = self._construct_label(position, index, log)
        visible = set(range(len(self.machine.storage.types))) if seat is None else position.visible_cards(seat) | after.visible_cards(seat)
        text = None if label is None else self._filled(label, log, events, after, visible)
        if text is None:
            return events
        moves = [event for event in events if event.target is not None]
        first = moves[0] if moves else EventText("pass", (), 0, None, None, "")
        return [first._replace(cards=tuple(card for event in moves for card in event.cards), hidden=0, template=text)]

    def _known(self, log: Iterable[LogEvent], after: Position, visible: Set[int]) -> Iterator[LogEvent]:
        """Yield the events up to the first card that the seat does not see, which decides what follows."""
        for event in log:
            yield event
            if any(after.card(card) not in visible for card in cards_of(event)):
                return

    @cached_property
    def _choices(self) -> dict[int, s.Choice]:
        return {node.offset: node for node in walk(self.machine.checked.program) if isinstance(node, s.Choice)}

    @cached_property
    def _loops(self) -> dict[int, s.Loop]:
        return {node.offset: node for node in walk(self.machine.checked.program) if isinstance(node, s.Loop)}

    def _offset(self, instruction: int) -> int:
        return self.machine.compiled.offsets[instruction // k.STRIDE]

    def _construct_label(self, position: Position, index: int, log: Iterable[LogEvent]) -> str | None:
        """Return the label of the innermost construct that the option passes."""
        labels = self.labels.constructs
        choice = self._choices.get(self._offset(int(position.words[k.PC]))) if labels else None
        if choice is None:
            return None
        passed = [choice.offset, choice.items[position.options[index][0]].offset]
        passed += [self._offset(event[1]) for event in log if event[0] == k.ANY]
        return next((labels[offset] for offset in reversed(passed) if offset in labels), None)

    def _filled(self, label: str, known: Sequence[LogEvent], events: Sequence[EventText], after: Position, visible: Set[int]) -> str | None:
        """Return a label with its fields; None if the seat does not know one of them."""
        values = {"cards": ", ".join(event._replace(template=CARDS).text for event in events if event.target is not None)}
        for what, a, b, c in known:
            if what == k.PUT:
                values[self.cells[a][0]] = self._value(b, c)
            elif what == k.ANY:
                loop = self._loops[self._offset(a)]
                member = self._member(loop.coll.cls.member if loop.coll.cls else None, b, after, visible)
                if member is not None:
                    values["'" + loop.var] = member
        try:
            return FIELD.sub(lambda field: values[field[1]], label)
        except KeyError:
            return None

    def _member(self, cls: s.Class | None, word: int, after: Position, visible: Set[int]) -> str | None:
        """Return a member of a collection as text; None for a list, and for a card that the seat does not see."""
        match cls:
            case s.Class.PLAYER:
                return f"p{word}"
            case s.Class.TEAM:
                return f"team {word}"
            case s.Class.STR:
                return self._value(word, 1)
            case s.Class.CARD:
                return self._short_name(after, word) if after.card(word) in visible else None
            case s.Class.INT:
                return str(word)
        return None

    # --- events

    def narrate(self, log: Iterable[LogEvent], after: Position, seat: int | None, actor: int = 0) -> list[EventText]:
        """Return the events as a seat sees them, or all their cards; those of ``actor``, a player from 1, have no subject."""
        return self._joined(self._narrated(event, after, seat is None or self.is_seen(event, after, seat), actor) for event in log)

    @staticmethod
    def _joined(events: Iterable[EventText | None]) -> list[EventText]:
        """Return the events that are shown, neighbours that differ only in their cards as one."""
        joined: list[EventText] = []
        for event in events:
            if event is None or not event.template:
                continue
            last = joined[-1] if joined else None
            if last is not None and event.verb in ("move", "swap") and (last.verb, last.template) == (event.verb, event.template):
                joined[-1] = last._replace(cards=last.cards + event.cards, hidden=last.hidden + event.hidden)
            else:
                joined.append(event)
        return joined

    def _narrated(self, event: LogEvent, after: Position, is_seen: bool, actor: int) -> EventText | None:
        """Return one event; None for an event without words."""
        what, a, b, c = event
        cards = tuple(self._short_name(after, card) for card in cards_of(event)) if is_seen else ()
        hidden = 0 if is_seen else len(cards_of(event))
        match what:
            case k.MOVE:
                source, target = after.location(b), after.location(c)
                return EventText("move", cards, hidden, source, target, self._move(source, target, actor))
            case k.SWAP_CARDS:
                return EventText("swap", cards, hidden, None, None, "swap {cards}")
            case k.SWAP_LISTS:
                text = f"swap {self.place(after.location(a))} and {self.place(after.location(b))}"
                return EventText("swap", (), 0, None, None, text)
            case k.SHUFFLE | k.FARO:
                return EventText("shuffle", (), 0, None, None, f"shuffle {self.place(after.location(a))}")
            case k.PUT:
                name, owner = self.cells[a]
                return EventText("set", (), 0, None, None, self._change(name, owner, self._value(b, c), actor))
            case k.PASS:
                return EventText("pass", (), 0, None, None, self.labels.words.get("pass", "pass"))
            case k.CYCLE_NEXT | k.CYCLE_CURRENT:
                return EventText("next", (), 0, None, None, self.labels.words.get("next", ""))
        return None

    def _move(self, source: Location, target: Location, actor: int) -> str:
        label = self.labels.moves.get((source.name, target.name))
        giver, taker = (f"p{place.owner}" if place.owner else TABLE for place in (source, target))
        if label is not None:
            fields = {"giver": giver, "taker": taker, "from": self.place(source), "to": self.place(target)}
            return FIELD.sub(lambda field: fields.get(field[1], field[0]), label)
        if source.visibility == "private" and target.visibility == "public":
            return self._subject(source.owner, actor, "play") + " {cards}"
        if target.visibility == "private" and not source.owner:
            return self._subject(target.owner, actor, "take" if source.visibility == "public" else "draw") + " {cards}"
        if target.owner and source.owner and target.owner != source.owner:
            return self._subject(source.owner, actor, "give") + f" {{cards}} to {taker}"
        return f"move {{cards}} from {self.place(source)} to {self.place(target)}"

    @staticmethod
    def _subject(owner: int, actor: int, verb: str) -> str:
        """Return a verb, with its subject if that is not the player who acts."""
        return verb if owner == actor else f"p{owner} {verb}s"

    def _change(self, name: str, owner: str, value: str, actor: int) -> str:
        label = self.labels.cells.get(name)
        if label is not None:
            fields = {"owner": owner or TABLE, "value": value}
            return FIELD.sub(lambda field: fields.get(field[1], field[0]), label)
        shown = self.labels.name("sto", name) or _plain(name)
        return f"{shown} {value}" if owner in ("", f"p{actor}") else f"{shown} of {owner} {value}"

    # --- names

    def place(self, location: Location, seat: int | None = None) -> str:
        """Return the name of a location; ``seat`` calls its own "your"."""
        label = self.labels.name(location.kind, location.name)
        name = " ".join(filter(None, (_plain(location.name) if label is None else label, str(location.index or ""))))
        if not location.owner:
            return name
        return f"your {name}" if location.owner - 1 == seat else f"{name} of p{location.owner}"

    def fact(self, kind: str, name: str, owner: str, value: str) -> tuple[str, str] | None:
        """Return name and content of storage as text; None if its label is empty."""
        label = self.labels.name(kind, name)
        if label == "":
            return None
        shown = label or _plain(name)
        return f"{shown} of {owner}" if owner else shown, _plain(value)

    def _short_name(self, position: Position, address: int) -> str:
        name = self.card(position, address)
        return self.abbreviate(name) if self.standard_cards else _plain(name)

    def _value(self, value: int, is_string: int) -> str:
        return _plain(self.machine.storage.strings[value]) if is_string else str(value)


def _plain(name: str) -> str:
    return name.lower().replace("-", " ")
