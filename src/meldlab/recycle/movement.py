"""Movement of cards in one game: the edges between locations.

>>> from meldlab.recycle import library
>>> movement = Movement.of(Machine.compile(library.entry("kuhn_poker").text), seed=2)
>>> [f"{move.source} -> {move.target}: {move.meaning}" for move in movement.moves]
['table iloc STOCK -> p1 iloc HAND: plain', 'table iloc STOCK -> p2 iloc HAND: plain']
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from meldlab.play import Deal
from meldlab.recycle.language import syntax as s
from meldlab.recycle.language.constants import constant
from meldlab.recycle.language.syntax import Class
from meldlab.recycle.language.tree import walk
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine
from meldlab.recycle.machine.position import LogEvent, Position
from meldlab.recycle.machine.storage import CATEGORY, Location


@dataclass(frozen=True, order=True)
class Edge:
    """Cards moved, or were remembered, from one location to another."""

    source: Location
    target: Location
    remembered: bool = False

    @property
    def meaning(self) -> str:
        """Return the effect on what is known: taken (public cards are hidden), shared (two may know a private card), revealed or plain.

        Shared: a player's private card moves to a private or hidden location of another owner or of the table.

        >>> Edge(Location(0, "vloc", "PILE"), Location(1, "iloc", "HAND")).meaning
        'taken'
        >>> Edge(Location(1, "iloc", "HAND"), Location(2, "iloc", "HAND")).meaning
        'shared'
        >>> Edge(Location(1, "iloc", "HAND"), Location(0, "hloc", "CRIB")).meaning
        'shared'
        >>> Edge(Location(1, "iloc", "HAND"), Location(0, "vloc", "PILE")).meaning
        'revealed'
        """
        source, target = self.source, self.target
        if self.remembered:
            return "remembered"
        if target.visibility == "public":
            return "revealed"
        if source.visibility == "public":
            return "taken"
        if source.owner and source.visibility == "private" and target.owner != source.owner and target.kind in ("iloc", "hloc"):
            return "shared"
        return "plain"


@dataclass(frozen=True)
class Movement:
    """The locations of one game with random players, and the edges between them."""

    locations: tuple[Location, ...]
    edges: tuple[Edge, ...]
    decks: frozenset[Location]  # where cards were made

    @property
    def moves(self) -> tuple[Edge, ...]:
        """Return the edges along which cards moved; those only remembered are left out."""
        return tuple(edge for edge in self.edges if not edge.remembered)

    @classmethod
    def of(cls, machine: Machine, seed: int, game: int = 0) -> Self:
        """Return the movement in game number ``game`` of ``random_games``."""
        edges: dict[Edge, None] = {}
        deal = Deal(seed, game)
        position, _, log, _ = machine.first_transition(seed, game)
        reader = _LogReader(machine, edges)
        reader.read(position, log)
        while not position.over:
            option = deal.chance(position.decisions, position.to_move).below(len(position.options))
            after, chosen, followed, _ = position.transition(option)
            reader.read(after, [*chosen, *followed])
            position = after
        decks = _decks(machine)
        locations = {location for edge in edges for location in (edge.source, edge.target)} | decks
        return cls(tuple(sorted(locations)), tuple(sorted(edges)), frozenset(decks))


class _LogReader:
    """Reader of logs, backwards: the position after the log has the location of every card, and each event has the source."""

    def __init__(self, machine: Machine, edges: dict[Edge, None]) -> None:
        self.storage, self.edges = machine.storage, edges

    def read(self, after: Position, log: Sequence[LogEvent]) -> None:
        cards = range(self.storage.cards, self.storage.cards + k.NODE * int(after.words[k.CARDS]), k.NODE)
        locations = {card: int(after.words[card + k.LOCATION_AT]) for card in cards}

        def add_edge(source: int, target: int, remembered: bool = False) -> None:
            self.edges[Edge(after.location(source), after.location(target), remembered)] = None

        for what, a, b, c in reversed(log):
            if what == k.MOVE:
                add_edge(b, c)
                locations[a] = b
            elif what == k.REMEMBER:
                add_edge(locations[a], b, remembered=True)
            elif what == k.SWAP_CARDS:
                add_edge(locations[a], locations[b])
                add_edge(locations[b], locations[a])
                locations[a], locations[b] = locations[b], locations[a]
            elif what == k.SWAP_LISTS:
                add_edge(a, b)
                add_edge(b, a)
                locations = {card: {a: b, b: a}.get(location, location) for card, location in locations.items()}
            elif what == k.FARO and a != b:
                add_edge(b, a)


def _decks(machine: Machine) -> set[Location]:
    """Return the locations that decks are made in; if the owner is not constant, those of all players."""
    decks = set()
    for node in walk(machine.checked.program):
        if isinstance(node, s.CreateDeck) and isinstance(node.location, s.Location):
            place = node.location
            owner = place.owner
            number = constant(owner.number) if isinstance(owner, s.Numbered) else None
            everyone = range(1, machine.players + 1) if CATEGORY[owner.cls or Class.GAME] == "player" else range(1)
            index = constant(place.index) if place.index is not None else 0
            for name in machine.storage.names(place.name):
                for seat in everyone if number is None else [number]:
                    decks.add(Location(seat, place.kind, name, index or 0))
    return {location for location in decks if location.kind in k.KINDS}
