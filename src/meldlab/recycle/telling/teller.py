"""Cards, places and what happened, in words; for one seat, with what it may not see left out.

>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> position = Machine.compile(library.entry("kuhn_poker").text).start(seed=1)
>>> after, did, _, _ = position.transition(1)
>>> Teller(position.machine).tell(did, after)
'set SAYS of p1 to BET; set PAID of p1 to 2'
"""

from collections.abc import Iterable, Set
from functools import cached_property

from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import LogEvent, Position
from meldlab.recycle.machine.storage import Location

__all__ = ["HIDDEN", "Teller"]

HIDDEN = "??"


class Teller:
    """Puts the addresses of a machine into words."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.storage = machine, machine.storage

    def __reduce__(self) -> tuple[type["Teller"], tuple[Machine]]:
        return Teller, (self.machine,)

    # --- names

    @cached_property
    def card_names(self) -> tuple[str, ...]:
        """Return the name of each type of card: its attributes, but for those that only group others."""
        groups = {
            node.key
            for node in walk(self.machine.checked.program)
            if isinstance(node, s.Attribute) and any(branch.attributes for branch in node.branches)
        }
        named = [[value for key, value in row.items() if key not in groups] or list(row.values()) for row in self.storage.types]
        return tuple("-".join(values) for values in named)

    def card(self, position: Position, address: int) -> str:
        """Return the name of a card."""
        return self.card_names[position.type_of(position.card(address))]

    def location_name(self, location: Location) -> str:
        """Return the name of a location.

        >>> from meldlab.recycle import library
        >>> Teller(Machine.compile(library.entry("kuhn_poker").text)).location_name(Location(2, "iloc", "HAND", 1))
        'HAND 1 of p2'
        """
        owner = self.owner_text("player", location.owner) if location.owner else ""
        memory, index = "memory " if location.kind == "mem" else "", f" {location.index}" if location.index else ""
        return f"{memory}{location.name}{index}{owner}"

    def location(self, position: Position, address: int) -> str:
        """Return the name of a location by its address."""
        return self.location_name(position.location(address))

    def visible_faces(self, position: Position, location: Location, cards: Iterable[int], seat: int) -> tuple[str, ...]:
        """Return the cards of a location as a seat sees them: by name, or by their backs."""
        types = [position.type_of(card) for card in cards]
        return tuple(self.card_names[kind] if location.visible_to(seat) else self._backs[kind] for kind in types)

    @cached_property
    def _backs(self) -> list[str]:
        return [HIDDEN if back == "DEFAULT" else f"{HIDDEN}{back}" for back in self.storage.backs]

    @staticmethod
    def owner_text(category: str, owner: int) -> str:
        """Return whose a cell is, to stand behind its name."""
        return {"game": "", "player": f" of p{owner}", "team": f" of team {owner}"}[category]

    @cached_property
    def _cells(self) -> dict[int, str]:
        names = {}
        for (kind, category, name), base in self.storage.addresses.items():
            if kind in ("sto", "str", "points"):
                width = self.storage.map_width if kind == "points" else 1
                first = 0 if category == "game" else 1
                for owner in range(first, first + self.storage.owners(category)):
                    names[base + owner * width] = name + self.owner_text(category, owner)
        return names

    # --- what happened

    def tell(self, log: Iterable[LogEvent], after: Position, seen: Set[int] | None = None, foresight: bool = False) -> str:
        """Return what was done, in words; with cards ``seen``, others are hidden.

        ``foresight`` is what a player can say beforehand: from the first hidden card on, the rest depends on what he does not know, and is
        left out.
        """
        parts: list[tuple[str, list[str], str]] = []
        for entry in log:
            verb, what, where = self._words(entry, after)
            unknown = seen is not None and not all(after.card(card) in seen for card in _cards(entry))
            if unknown:
                what = HIDDEN
            if parts and parts[-1][0] == verb and parts[-1][2] == where and what:
                parts[-1][1].append(what)
            else:
                parts.append((verb, [what] if what else [], where))
            if unknown and foresight:
                break
        return "; ".join(" ".join(filter(None, (verb, ", ".join(whats), where))) for verb, whats, where in parts)

    def _words(self, entry: LogEvent, after: Position) -> tuple[str, str, str]:
        what, a, b, c = entry
        match what:
            case k.MOVE:
                return (
                    "move",
                    self.card(after, a),
                    f"from {self.location(after, b)} to {self.location(after, c)}",
                )
            case k.REMEMBER:
                return "remember", self.card(after, a), f"in {self.location(after, b)}"
            case k.FORGET_AT:
                return "forget", self.card(after, a), f"in {self.location(after, b)}"
            case k.SWAP_CARDS:
                return "swap", f"{self.card(after, a)} and {self.card(after, b)}", ""
            case k.SWAP_LISTS:
                return "swap", "", f"{self.location(after, a)} and {self.location(after, b)}"
            case k.SHUFFLE | k.FARO:
                return "shuffle", "", self.location(after, a)
            case k.CYCLE_NEXT:
                return "next", "", f"p{a}"
            case k.CYCLE_CURRENT:
                return "turn to", "", f"p{a}"
            case k.PUT:
                return "set", "", f"{self._cells[a]} to {self.storage.strings[b] if c else b}"
            case k.CLEAR_POINTS:
                return "set", "", f"points {self._cells[a]}"
        return "pass", "", ""


def _cards(entry: LogEvent) -> tuple[int, ...]:
    """Return the addresses of the cards that an action names."""
    what, a, b, _ = entry
    if what in (k.MOVE, k.REMEMBER, k.FORGET_AT):
        return (a,)
    return (a, b) if what == k.SWAP_CARDS else ()
