"""Which way the cards go in a game: from which location to which, in the moves that really happened.

>>> from meldlab.recycle import library
>>> movement = Movement.of(Machine.of(library.entry("kuhn_poker").text), seed=2)
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
from meldlab.recycle.machine.position import Happening, Position
from meldlab.recycle.machine.storage import CATEGORY

__all__ = ["Edge", "Movement", "Spot"]


@dataclass(frozen=True, order=True)
class Spot:
    """A location without its cards; the owner is 0 for the table."""

    owner: int
    kind: str
    name: str
    index: int = 0

    @property
    def whose(self) -> str:
        """Return the owner in words."""
        return f"p{self.owner}" if self.owner else "table"

    @property
    def visibility(self) -> str:
        """Return who may see the cards: public, private, hidden, others or memory; on the table, private is nobody's."""
        if self.kind == "iloc" and not self.owner:
            return "hidden"
        return {"vloc": "public", "iloc": "private", "hloc": "hidden", "oloc": "others", "mem": "memory"}[self.kind]

    @property
    def label(self) -> str:
        """Return the name as it is written inside its owner."""
        return f"{self.name} {self.index}" if self.index else self.name

    def __str__(self) -> str:
        return f"{self.whose} {self.kind} {self.label}"


@dataclass(frozen=True, order=True)
class Edge:
    """Cards went, or were remembered, from one location to another."""

    source: Spot
    target: Spot
    remembered: bool = False

    @property
    def meaning(self) -> str:
        """Return what becomes known: taken (public cards are concealed), shared (two may know a private card), revealed or plain.

        Shared is a player's private card that goes where another owner, be it the table, keeps it private or hidden.

        >>> Edge(Spot(0, "vloc", "PILE"), Spot(1, "iloc", "HAND")).meaning
        'taken'
        >>> Edge(Spot(1, "iloc", "HAND"), Spot(2, "iloc", "HAND")).meaning
        'shared'
        >>> Edge(Spot(1, "iloc", "HAND"), Spot(0, "hloc", "CRIB")).meaning
        'shared'
        >>> Edge(Spot(1, "iloc", "HAND"), Spot(0, "vloc", "PILE")).meaning
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
    """The locations of one game with random players, and the ways between them."""

    spots: tuple[Spot, ...]
    edges: tuple[Edge, ...]
    decks: frozenset[Spot]  # where cards were made

    @property
    def moves(self) -> tuple[Edge, ...]:
        """Return the ways that cards went, without what was only remembered."""
        return tuple(edge for edge in self.edges if not edge.remembered)

    @classmethod
    def of(cls, machine: Machine, seed: int, game: int = 0) -> Self:
        """Watch the game that ``random_games`` plays under this number."""
        edges: dict[Edge, None] = {}
        deal = Deal(seed, game)
        position, log = machine.watched_begin(seed, game)
        watch = _Watch(machine, edges)
        watch.read(position, log)
        while not position.over:
            option = deal.chance(position.decisions, position.seat - 1).below(len(position.paths))
            after, did, then = position.watched(option)
            watch.read(after, [*did, *then])
            position = after
        decks = _decks(machine)
        spots = {spot for edge in edges for spot in (edge.source, edge.target)} | decks
        return cls(tuple(sorted(spots)), tuple(sorted(edges)), frozenset(decks))


class _Watch:
    """Reads logs backwards: where every card lies at the end is known, and each entry tells where it came from."""

    def __init__(self, machine: Machine, edges: dict[Edge, None]) -> None:
        self.plan, self.edges = machine.plan, edges
        self.families = {family.at: family for family in machine.plan.families}

    def read(self, after: Position, log: Sequence[Happening]) -> None:
        cards = range(self.plan.cards, self.plan.cards + k.NODE * int(after.words[k.CARDS]), k.NODE)
        homes = {card: int(after.words[card + k.HOME]) for card in cards}

        def spot(at: int) -> Spot:
            family = self.families[int(after.words[at + k.FIRST_AT])]
            return Spot(family.owner, family.kind, family.name, int(after.words[at + k.INDEX_AT]))

        def went(source: int, target: int, remembered: bool = False) -> None:
            self.edges[Edge(spot(source), spot(target), remembered)] = None

        for what, a, b, c in reversed(log):
            if what == k.MOVE:
                went(b, c)
                homes[a] = b
            elif what == k.REMEMBER:
                went(homes[a], b, remembered=True)
            elif what == k.SWAP_CARDS:
                went(homes[a], homes[b])
                went(homes[b], homes[a])
                homes[a], homes[b] = homes[b], homes[a]
            elif what == k.SWAP_LISTS:
                went(a, b)
                went(b, a)
                homes = {card: {a: b, b: a}.get(home, home) for card, home in homes.items()}
            elif what == k.FARO and a != b:
                went(b, a)


def _decks(machine: Machine) -> set[Spot]:
    """Return the locations that decks are made in; where the owner is not fixed, those of all players."""
    plan = machine.plan
    nodes = list(walk(machine.checked.program))
    found = set()
    for node in nodes:
        if isinstance(node, s.CreateDeck) and isinstance(node.location, s.Location):
            place = node.location
            owner = place.owner
            number = constant(owner.number) if isinstance(owner, s.Numbered) else None
            everyone = range(1, machine.players + 1) if CATEGORY[owner.cls or Class.GAME] == "player" else range(1)
            index = constant(place.index) if place.index is not None else 0
            for name in plan.names(place.name):
                for seat in everyone if number is None else [number]:
                    found.add(Spot(seat, place.kind, name, index or 0))
    return {spot for spot in found if spot.kind in k.KINDS}
