"""The table of a RECYCLE game: its locations with the cards that the seat sees, its cells as facts, its options as moves."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from meldlab.recycle.card_names import standard_card
from meldlab.recycle.describe import HIDDEN
from meldlab.recycle.game import RecycleGame
from meldlab.recycle.language.header import Header
from meldlab.recycle.machine.position import Position
from meldlab.recycle.machine.storage import Location
from meldlab.recycle.narration import Narrator
from meldlab.recycle.state import View
from meldlab.tables.model import MAX_EVENTS, CardKeys, CardView, Event, Fact, Group, MoveView, Role, SeatView, Table, Visibility, Zone

__all__ = ["build", "open_zones"]

# The texts of meldlab.recycle.describe: cards, and the locations that they leave and reach.
PART = re.compile(
    r"(?P<verb>move|remember|forget|swap) (?P<cards>[^\s,]+(?:, [^\s,]+)*)"
    r"(?: from (?P<source>.+?) to (?P<target>.+)| in (?P<memory>.+)| and (?P<second>\S+))"
)
NEXT_PART = re.compile(r"; |\n +")  # between the parts of a text
VERB = re.compile(r"turn to|has chosen|\w+")
OWNER = re.compile(r" of p[0-9]+$")


class Part(NamedTuple):
    """One part of a text: what is done, the cards, and where from and to."""

    verb: str
    cards: tuple[str, ...] = ()
    source: str | None = None
    target: str | None = None


def build(game: RecycleGame, view: View, log: Sequence[str], players: Sequence[str]) -> Table:
    """Return the table as the seat of the view sees it."""
    locations = list(view.position.locations())
    moves = [_move(str(option), view.label(index)) for index, option in enumerate(view.legal_actions())]
    naming: dict[str, list[int]] = {}
    for index, move in enumerate(moves):
        for card in set(move.cards):
            naming.setdefault(card, []).append(index)
    # A card that only one option names stands for this option.
    single = {card: indices for card, indices in naming.items() if len(indices) == 1}
    keys = CardKeys()
    # Locations of the table come first: every seat makes the same zones in the same order.
    zones = sorted(
        (_seen_zone(view, location, cards, single, keys) for location, cards in locations), key=lambda zone: zone.owner is not None
    )
    hands = [sum(zone.count for zone in zones if zone.owner == seat and zone.role == "hand") for seat in range(len(players))]
    return Table(
        game=game.name,
        title=_title(game),
        seat=view.seat,
        seats=[SeatView(name=name, cards=hands[seat], acting=seat == view.to_move) for seat, name in enumerate(players)],
        zones=zones,
        moves=moves,
        events=_events(log, _open_labels(view)),
        facts=[Fact(key=name, value=value) for name, value in view.facts],
        lowest_wins=game.machine.scoring == "min",
        standard_cards=view.describer.standard_cards,
    )


@lru_cache(maxsize=64)
def _title_of_text(text: str) -> str:
    return Header.parse(text).title[:80]


def _title(game: RecycleGame) -> str:
    return _title_of_text(game.text) or game.name


def open_zones(describer: Narrator, position: Position) -> list[Zone]:
    """Return the locations of a position with all cards open."""
    keys = CardKeys()
    return [
        _zone(describer, location, [describer.card_names[position.type_of(card)] for card in cards], keys)
        for location, cards in position.locations()
    ]


def _seen_zone(view: View, location: Location, numbers: tuple[int, ...], single: Mapping[str, list[int]], keys: CardKeys) -> Zone:
    """Return a location as the seat of the view sees it."""
    faces = view.describer.visible_faces(view.position, location, numbers, view.seat)
    return _zone(view.describer, location, faces, keys, single if location.owner - 1 == view.seat else {})


def _zone(
    describer: Narrator, location: Location, faces: Sequence[str], keys: CardKeys, single: Mapping[str, list[int]] = MappingProxyType({})
) -> Zone:
    owner = location.owner - 1 if location.owner else None
    visibility: Visibility = location.visibility  # type: ignore[assignment]  # one of these words
    role: Role = (
        "hand" if owner is not None and visibility == "private" else "stock" if owner is None and visibility == "hidden" else "pile"
    )
    cards = [_card(name, keys.next(name), single.get(_face(name), [])) for name in faces if not name.startswith(HIDDEN)]
    groups = [Group(cards=cards)] if cards else []
    label = describer.place(location)
    return Zone(key=str(location), role=role, label=label, owner=owner, visibility=visibility, count=len(faces), groups=groups)


def _card(name: str, key: str, moves: list[int]) -> CardView:
    standard = standard_card(name)
    full = standard.long_name if standard else name.lower()
    return CardView(key=key, face=_face(name), name=full, moves=moves)


def _face(name: str) -> str:
    return str(standard_card(name) or name)


def _move(text: str, label: str) -> MoveView:
    first, *others = _parts(text)
    cards = [_face(card) for part in (first, *others) for card in part.cards if not card.startswith(HIDDEN)]
    return MoveView(text=text, label=label, verb=first.verb, cards=cards, source=first.source, target=first.target)


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[Part, ...]:
    """Return the parts of a text.

    >>> _parts("move SIX-CLUBS, ?? from HAND of p1 to TRICK of p1; set SAYS of p1 to BET")[0]
    Part(verb='move', cards=('SIX-CLUBS', '??'), source='HAND of p1', target='TRICK of p1')
    """
    return tuple(_part(part) for part in NEXT_PART.split(text))


def _part(text: str) -> Part:
    match = PART.match(text)
    if match is None:
        verb = VERB.match(text)
        return Part(verb.group() if verb else "pass")
    cards = (*match["cards"].split(", "), *([match["second"]] if match["second"] else []))
    return Part(match["verb"], cards, match["source"], match["target"] or match["memory"])


def _open_labels(view: View) -> set[str]:
    """Return the names of locations, without owners, whose cards every seat sees, wherever they have this name."""
    locations = view.position.machine.storage.locations.values()
    names = {_label(view.describer.location_name(location)) for location in locations}
    closed = {_label(view.describer.location_name(location)) for location in locations if location.visibility not in ("public", "memory")}
    return names - closed


def _label(name: str) -> str:
    """Return the name of a location without its index and owner.

    >>> _label("HAND 1 of p2"), _label("memory LEAD of p1")
    ('HAND', 'memory LEAD')
    """
    return re.sub(r" [0-9]+$", "", OWNER.sub("", name))


def _events(log: Sequence[str], open_labels: set[str]) -> list[Event]:
    first = max(0, len(log) - MAX_EVENTS)
    labels = frozenset(open_labels)
    return [_event(line, labels).model_copy(update={"turn": first + i}) for i, line in enumerate(log[first:])]


@lru_cache(maxsize=4096)
def _event(line: str, open_labels: frozenset[str]) -> Event:
    """Return the event of a line of the log, as action 0; a line has the effects of the action behind it."""
    who, _, text = line.partition(" ")
    first, *_ = _parts(text)
    public_text = "".join(
        piece if NEXT_PART.fullmatch(piece) else _public_part(piece, open_labels) for piece in re.split("(; |\n +)", text)
    )
    cards = [card for card in first.cards if not card.startswith(HIDDEN)]
    return Event(
        turn=0, seat=int(who[1:]) - 1, verb=first.verb, cards=cards, source=first.source, target=first.target, text=text,
        public_text=public_text,
    )  # fmt: skip


def _public_part(text: str, open_labels: frozenset[str]) -> str:
    """Return a part of a text without its cards, unless every seat sees them where they come from or go to."""
    match, part = PART.match(text), _part(text)
    if (
        match is None
        or part.verb in ("remember", "forget")
        or {_label(place) for place in (part.source, part.target) if place} & open_labels
    ):
        return text
    hidden = ", ".join(HIDDEN for _ in match["cards"].split(", "))
    behind = f" and {HIDDEN}" if match["second"] else text[match.end("cards") :]
    return f"{part.verb} {hidden}{behind}"
