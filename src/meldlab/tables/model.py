"""The view model of a table: what one seat sees, as data for pages, the API and event streams.

A builder makes a ``Table`` from the view of a seat and the log as the seat observed it, never from a state or a step, so that no hidden
card can be in it. Cards that the seat cannot see are counted and not listed.
"""

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel

from meldlab.errors import NotLegalHere
from meldlab.play import Result

__all__ = [
    "MAX_EVENTS",
    "CardKeys",
    "CardView",
    "Event",
    "Fact",
    "GameEnd",
    "Group",
    "MoveView",
    "Role",
    "RoundResult",
    "SeatView",
    "Table",
    "Visibility",
    "Zone",
    "public",
]

MAX_EVENTS = 60  # of a table, the newest; the log of a match has all
Role = Literal["hand", "stock", "discard", "board", "pile"]
Visibility = Literal["public", "private", "hidden", "others", "memory"]
Tag = Literal["drawn", "taken", "seen"]


class CardView(BaseModel):
    """A card or tile that the seat sees."""

    key: str
    """Unique at the table and the same after a move, for focus and motion."""
    face: str
    """``7H``, ``R5``, ``J=R6``, or the name in a description."""
    name: str
    """The name in full: ``seven of hearts``."""
    tags: list[Tag] = []
    """Just drawn or taken by its owner; seen: known to be in a hand of another seat."""
    moves: list[int] = []
    """Indices of the moves that name this card alone."""


class Group(BaseModel):
    """Cards that belong together: a meld, the deadwood, a set on the board."""

    label: str = ""
    cards: list[CardView]


class Zone(BaseModel):
    """A place for cards."""

    key: str
    role: Role
    label: str
    owner: int | None = None
    """The seat, from 0; None for a zone of the table."""
    visibility: Visibility
    count: int
    """Number of cards, those included that are not listed."""
    groups: list[Group] = []
    """The cards that the seat sees, from the bottom up."""
    order: list[str] = []
    """The keys of the cards in the order in which they came, if it is not that of the groups."""
    moves: list[int] = []
    """Indices of the moves that concern the zone as a whole."""

    @property
    def cards(self) -> list[CardView]:
        """Return the cards of all groups."""
        return [card for group in self.groups for card in group.cards]


class MoveView(BaseModel):
    """A legal move."""

    text: str
    """The move in the notation of records."""
    label: str = ""
    """The move in the words of the game, if it has any."""
    verb: str
    cards: list[str] = []
    """The faces of the cards that move."""
    melds: list[list[str]] = []
    source: str | None = None
    target: str | None = None
    leaves: int | None = None
    """Points left in the hand after the move, where the game counts them."""


class Event(BaseModel):
    """An action of the log, as the seat observed it."""

    turn: int
    """Number of the action from 0."""
    seat: int
    verb: str
    cards: list[str] = []
    source: str | None = None
    target: str | None = None
    text: str
    """The line of the log without the seat."""
    public_text: str
    """The same without the cards that not every seat has seen."""


class Fact(BaseModel):
    """A value that is not a card: a limit, a counter, the content of a cell."""

    key: str
    value: str | int
    private: bool = False
    """Whether only the seat knows it."""


class SeatView(BaseModel):
    """A seat of the table."""

    name: str
    score: int | None = None
    cards: int
    """Number of cards in the hand."""
    acting: bool = False


class RoundResult(BaseModel):
    """The end of a round, and the hands that were shown."""

    kind: str
    winner: int | None
    points: int
    deadwood: list[int] | None
    hands: list[list[str]]
    after: int
    """Number of actions of the match up to the end of the round."""


class GameEnd(BaseModel):
    """The end of a match."""

    scores: list[int]
    winners: list[int]
    reason: str

    @classmethod
    def from_result(cls, result: Result) -> "GameEnd":
        """Return the result of a game as data."""
        return cls(scores=list(result.scores), winners=list(result.winners), reason=result.reason)


class Table(BaseModel):
    """A table as one seat sees it; for spectators ``seat`` is None."""

    game: str
    title: str
    seat: int | None
    seats: list[SeatView]
    zones: list[Zone]
    moves: list[MoveView] = []
    events: list[Event] = []
    facts: list[Fact] = []
    rounds: list[RoundResult] = []
    result: GameEnd | None = None
    lowest_wins: bool = False
    pieces: Literal["cards", "tiles"] = "cards"
    choose_first: bool = False
    """Whether a card is chosen before its move; otherwise a card with one move stands for this move."""
    standard_cards: bool = False
    """Whether every card is one of the 52, so that texts can be shown with short names."""

    def find_move(self, verb: str, card: str | None = None, melds: Sequence[Sequence[str]] | None = None) -> int:
        """Return the index of the only move with this verb, and with this card and these melds if they are given."""
        required = None if melds is None else sorted(sorted(meld) for meld in melds)
        indices = [
            index
            for index, move in enumerate(self.moves)
            if move.verb == verb
            and (card is None or card in move.cards)
            and (required is None or sorted(sorted(meld) for meld in move.melds) == required)
        ]
        if len(indices) != 1:
            legal = ", ".join(dict.fromkeys(move.verb for move in self.moves)) or "none: it is not your turn"
            count = f"{len(indices)} moves" if indices else "no move"
            raise NotLegalHere(f"{count} with verb {verb!r}{f' and card {card!r}' if card else ''} (legal verbs: {legal})")
        return indices[0]

    def zone(self, key: str) -> Zone:
        """Return a zone by its key."""
        return next(zone for zone in self.zones if zone.key == key)

    def fact(self, key: str, default: str | int = "") -> str | int:
        """Return the value of a fact by its key."""
        return next((fact.value for fact in self.facts if fact.key == key), default)


class CardKeys:
    """Keys of the cards at a table: the face, with a number for the second copy and later ones."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def next(self, face: str) -> str:
        """Return the key of the next card with this face."""
        self._uses[face] = number = self._uses.get(face, 0) + 1
        return face if number == 1 else f"{face}#{number}"


def public(table: Table) -> Table:
    """Return what spectators see: no card of a zone that is not public, no move, no private fact, no card that only one seat has seen."""
    zones, keys = [], CardKeys()
    for zone in table.zones:
        update: dict[str, object] = {"moves": [], "order": []}
        if zone.visibility in ("public", "memory"):
            update["groups"] = [
                group.model_copy(update={"cards": [_seen_by_all(card, keys) for card in group.cards]}) for group in zone.groups
            ]
        else:
            update["groups"] = []
        zones.append(zone.model_copy(update=update))
    events = [_public_event(event) for event in table.events]
    facts = [fact for fact in table.facts if not fact.private]
    return table.model_copy(update={"seat": None, "zones": zones, "moves": [], "events": events, "facts": facts})


def _seen_by_all(card: CardView, keys: CardKeys) -> CardView:
    # The number of a copy depends on the other cards that the seat sees.
    return card.model_copy(update={"key": keys.next(card.key.partition("#")[0]), "tags": [], "moves": []})


def _public_event(event: Event) -> Event:
    shown = set(re.findall(r"[^\s,;]+", event.public_text))
    return event.model_copy(update={"text": event.public_text, "cards": [card for card in event.cards if card in shown]})
