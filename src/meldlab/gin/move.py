"""A move of gin, and its notation.

>>> Move.parse("knock KD | 5h 6H 7H | 9C 9D 9S")
Move.parse('knock KD | 5H 6H 7H | 9C 9D 9S')
>>> str(Move.parse("draw stock 7H")), Move.parse("show 5H 6H 7H lay off 9C")
('draw stock', Move.parse('show 5H 6H 7H lay off 9C'))
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from operator import index as as_index

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import BadText, NoSuchThing, NotLegalHere, parse_part
from meldlab.melds import Meld

NONE = -1
NOTHING = Hand()


class Verb(StrEnum):
    """Kinds of moves."""

    PASS = "pass"
    DRAW = "draw stock"
    TAKE = "take"
    DROP = "drop"
    KNOCK = "knock"
    BIG_GIN = "big gin"
    SHOW = "show"


ABOUT_A_CARD = (Verb.TAKE, Verb.DROP, Verb.KNOCK)
FORMS = re.compile(r"\s*(pass|draw stock|take|drop|knock|big gin|show)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A verb, the card it is about (its bit number, -1 without one), the melds shown and the cards laid off."""

    verb: Verb
    index: int = NONE
    melds: tuple[Meld, ...] = ()
    laid: Hand = NOTHING

    def __post_init__(self) -> None:
        try:
            # An integer of numpy is allowed.
            object.__setattr__(self, "index", int(as_index(self.index)))
        except TypeError:
            raise NotLegalHere(f"expected the bit number of a card, got a {type(self.index).__name__}") from None
        if type(self.verb) is Verb and (self.index >= 0) != (self.verb in ABOUT_A_CARD):
            raise NotLegalHere(f"{self.verb} is {'not ' if self.index >= 0 else ''}about a card")
        if not is_move(self):
            raise NotLegalHere("expected a Verb, a bit number below 52, a tuple of Melds and a Hand")

    @property
    def card(self) -> Card | None:
        """Return the card the move is about."""
        return CARDS[self.index] if self.index >= 0 else None

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read a move; a card after ``draw stock`` is allowed and ignored."""
        match = FORMS.match(text)
        if not match:
            raise NoSuchThing("move", text.strip().partition(" ")[0], [f"{verb}" for verb in Verb])
        verb, offset = Verb(match.group(1).lower()), match.end()
        rest = text[offset:]
        if verb in (Verb.PASS, Verb.DRAW):
            if rest.strip() and verb is Verb.PASS:
                raise BadText("expected no card here", text, offset + len(rest) - len(rest.lstrip()))
            if rest.strip() not in ("", "??"):
                parse_part(Card.parse, rest, text, offset)
            return PASS if verb is Verb.PASS else DRAW
        if verb in (Verb.TAKE, Verb.DROP):
            card = parse_part(Card.parse, rest, text, offset)
            return TAKES[card.index] if verb is Verb.TAKE else DROPS[card.index]
        head, bar, melds = rest.partition("|") if verb is not Verb.SHOW else ("", "|", rest)
        place = offset + len(head) + (verb is not Verb.SHOW)
        melds, _, laid = melds.partition("lay off") if verb is Verb.SHOW else (melds, "", "")
        index = parse_part(Card.parse, head, text, offset).index if verb is Verb.KNOCK else NONE
        if verb is Verb.BIG_GIN and head.strip():
            raise BadText("big gin has no discard", text, offset + 1)
        shown = _melds(melds, text, place) if bar else ()
        return cls(verb, index, shown, parse_part(Hand.parse, laid, text, len(text) - len(laid)))

    def __str__(self) -> str:
        melds = " | ".join(map(str, self.melds))
        if self.verb is Verb.KNOCK:
            return f"knock {self.card}" + (f" | {melds}" if melds else "")
        if self.verb is Verb.BIG_GIN:
            return f"big gin | {melds}"
        if self.verb is Verb.SHOW:
            return "show" + (f" {melds}" if melds else "") + (f" lay off {self.laid}" if self.laid else "")
        return f"{self.verb} {CARDS[self.index]}" if self.index >= 0 else f"{self.verb}"

    def __repr__(self) -> str:
        return f"Move.parse('{self}')"


def is_move(thing: object) -> bool:
    """Return whether an object is a Move with valid fields, also if it was made without the constructor.

    >>> is_move(DRAW), is_move("draw stock"), is_move(object.__new__(Move))
    (True, False, False)
    """
    if type(thing) is not Move:
        return False
    verb, index, melds, laid = (getattr(thing, name, None) for name in ("verb", "index", "melds", "laid"))
    return (
        type(verb) is Verb
        and type(index) is int
        and (0 <= index < 52 if verb in ABOUT_A_CARD else index == NONE)
        and type(melds) is tuple
        and all(type(meld) is Meld and _is_hand(getattr(meld, "hand", None)) for meld in melds)
        and _is_hand(laid)
    )


def _is_hand(thing: object) -> bool:
    mask = getattr(thing, "mask", None) if type(thing) is Hand else None
    return type(mask) is int and 0 <= mask < 1 << 52


def _melds(rest: str, text: str, start: int) -> tuple[Meld, ...]:
    melds = []
    for part in rest.split("|") if rest.strip() else ():
        melds.append(parse_part(Meld.parse, part, text, start))
        start += len(part) + 1
    return tuple(melds)


PASS, DRAW = Move(Verb.PASS), Move(Verb.DRAW)
TAKES, DROPS = (tuple(Move(verb, index) for index in range(52)) for verb in (Verb.TAKE, Verb.DROP))
# Identities of the shared moves: an object is looked up before its type is checked.
PLAIN = frozenset(map(id, (PASS, DRAW, *TAKES, *DROPS)))
