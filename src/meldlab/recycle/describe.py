"""Descriptions: cards, locations, storage and events of a game as text; for one seat, without what it may not see.

>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> position = Machine.compile(library.entry("kuhn_poker").text).start(seed=1)
>>> after, chosen, _, _ = position.transition(1)
>>> Describer(position.machine).events(chosen, after)
'set SAYS of p1 to BET; set PAID of p1 to 2'
"""

from collections.abc import Iterable, Set
from functools import cached_property

from meldlab.recycle.card_names import abbreviate, standard_card
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import LogEvent, Position
from meldlab.recycle.machine.storage import Location

HIDDEN = "??"


class Describer:
    """Text for the cards, addresses and events of a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.storage = machine, machine.storage

    def __reduce__(self) -> tuple[type["Describer"], tuple[Machine]]:
        return type(self), (self.machine,)

    # --- cards

    @cached_property
    def card_names(self) -> tuple[str, ...]:
        """Return the name of each type of card: its attributes without those that only group others."""
        groups = {
            node.key
            for node in walk(self.machine.checked.program)
            if isinstance(node, s.Attribute) and any(branch.attributes for branch in node.branches)
        }
        named = [[value for key, value in row.items() if key not in groups] or list(row.values()) for row in self.storage.types]
        return tuple("-".join(values) for values in named)

    @cached_property
    def standard_cards(self) -> bool:
        """Return whether every card of the game is a standard card."""
        return all(standard_card(name) for name in set(self.card_names))

    def abbreviate(self, text: str) -> str:
        """Return a text with short names of the cards, unless some card of the game has none."""
        return abbreviate(text) if self.standard_cards else text

    def card(self, position: Position, address: int) -> str:
        """Return the name of a card by its address."""
        return self.card_names[position.type_of(position.card(address))]

    def visible_faces(self, position: Position, location: Location, cards: Iterable[int], seat: int) -> tuple[str, ...]:
        """Return the cards of a location as a seat sees them: names or backs."""
        types = [position.type_of(card) for card in cards]
        return tuple(self.card_names[kind] if location.visible_to(seat) else self._backs[kind] for kind in types)

    @cached_property
    def _backs(self) -> list[str]:
        return [HIDDEN if back == "DEFAULT" else f"{HIDDEN}{back}" for back in self.storage.backs]

    # --- locations and storage

    @staticmethod
    def owner_name(category: str, owner: int) -> str:
        """Return the owner of a cell or location; "" for the table."""
        return {"game": "", "player": f"p{owner}", "team": f"team {owner}"}[category]

    @classmethod
    def owner_text(cls, category: str, owner: int) -> str:
        """Return the owner as it stands after the name of a cell or location."""
        name = cls.owner_name(category, owner)
        return f" of {name}" if name else ""

    def location_name(self, location: Location) -> str:
        """Return the name of a location.

        >>> from meldlab.recycle import library
        >>> Describer(Machine.compile(library.entry("kuhn_poker").text)).location_name(Location(2, "iloc", "HAND", 1))
        'HAND 1 of p2'
        """
        owner = self.owner_text("player", location.owner) if location.owner else ""
        return f"{'memory ' if location.kind == 'mem' else ''}{location.label}{owner}"

    def _location(self, position: Position, address: int) -> str:
        return self.location_name(position.location(address))

    @cached_property
    def cells(self) -> dict[int, tuple[str, str]]:
        """Return name and owner of the cells and point maps, by address; the owner is "" for the table."""
        cells = self.storage.cells()
        return {address: (name, self.owner_name(category, owner)) for _, category, owner, name, address in cells}

    def _cell(self, address: int) -> str:
        name, owner = self.cells[address]
        return f"{name} of {owner}" if owner else name

    # --- events

    def events(self, log: Iterable[LogEvent], after: Position, seat: int | None = None) -> str:
        """Return the events of a log; for a seat, the cards are hidden that it sees neither leave nor arrive."""
        return _joined(
            (verb, HIDDEN if seat is not None and not self.is_seen(event, after, seat) else cards, where)
            for event in log
            if event[0] != k.ANY
            for verb, cards, where in [self._event(event, after)]
        )

    def preview(self, log: Iterable[LogEvent], after: Position, known: Set[int]) -> str:
        """Return the events of an option as far as a player can predict them: up to the first card that is not ``known``."""
        parts = []
        for event in log:
            if event[0] == k.ANY:
                continue
            verb, cards, where = self._event(event, after)
            is_known = all(after.card(address) in known for address in cards_of(event))
            parts.append((verb, cards if is_known else HIDDEN, where))
            if not is_known:
                break
        return _joined(parts)

    def is_seen(self, event: LogEvent, after: Position, seat: int) -> bool:
        """Return whether a seat sees the cards of an event where they were or where they are put; a memory is public."""
        what, _, source, target = event
        if what == k.SWAP_CARDS:
            source, target = target & 0xFFFFFFFF, target >> 32
        elif what != k.MOVE:
            return True
        return any(after.location(address).visible_to(seat) for address in (source, target))

    def _event(self, event: LogEvent, after: Position) -> tuple[str, str, str]:
        """Return verb, cards and the rest of an event."""
        what, a, b, c = event
        match what:
            case k.MOVE:
                return "move", self.card(after, a), f"from {self._location(after, b)} to {self._location(after, c)}"
            case k.REMEMBER:
                return "remember", self.card(after, a), f"in {self._location(after, b)}"
            case k.FORGET_AT:
                return "forget", self.card(after, a), f"in {self._location(after, b)}"
            case k.SWAP_CARDS:
                return "swap", f"{self.card(after, a)} and {self.card(after, b)}", ""
            case k.SWAP_LISTS:
                return "swap", "", f"{self._location(after, a)} and {self._location(after, b)}"
            case k.SHUFFLE | k.FARO:
                return "shuffle", "", self._location(after, a)
            case k.CYCLE_NEXT:
                return "next", "", f"p{a}"
            case k.CYCLE_CURRENT:
                return "turn to", "", f"p{a}"
            case k.PUT:
                return "set", "", f"{self._cell(a)} to {self.storage.strings[b] if c else b}"
            case k.CLEAR_POINTS:
                return "set", "", f"points {self._cell(a)}"
        return "pass", "", ""


def _joined(events: Iterable[tuple[str, str, str]]) -> str:
    """Return events as one text; neighbours that differ only in their cards are joined."""
    parts: list[tuple[str, list[str], str]] = []
    for verb, cards, where in events:
        if cards and parts and (parts[-1][0], parts[-1][2]) == (verb, where):
            parts[-1][1].append(cards)
        else:
            parts.append((verb, [cards] if cards else [], where))
    return "; ".join(" ".join(filter(None, (verb, ", ".join(cards), where))) for verb, cards, where in parts)


def cards_of(event: LogEvent) -> tuple[int, ...]:
    """Return the addresses of the cards of an event."""
    what, a, b, _ = event
    if what in (k.MOVE, k.REMEMBER, k.FORGET_AT):
        return (a,)
    return (a, b) if what == k.SWAP_CARDS else ()
