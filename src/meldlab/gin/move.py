"""A move at the gin table, as it is typed and written down.

>>> Move.parse("knock KD | 5h 6H 7H | 9C 9D 9S")
Move.parse('knock KD | 5H 6H 7H | 9C 9D 9S')
>>> str(Move.parse("draw stock 7H")), Move.parse("show 5H 6H 7H lay off 9C")
('draw stock', Move.parse('show 5H 6H 7H lay off 9C'))
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from meldlab.cards import CARDS, Card, Hand
from meldlab.errors import BadText, NoSuchThing, NotLegalHere
from meldlab.melds import Meld

__all__ = ["DRAW", "DROPS", "PASS", "TAKES", "Move", "Verb"]

NONE = -1
NOTHING = Hand()


class Verb(StrEnum):
    """What can be done."""

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
        if (self.index >= 0) != (self.verb in ABOUT_A_CARD):
            raise NotLegalHere(f"{self.verb} is {'not ' if self.index >= 0 else ''}about a card")

    @property
    def card(self) -> Card | None:
        """Return the card the move is about."""
        return CARDS[self.index] if self.index >= 0 else None

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read a move; the card behind ``draw stock`` may be there and is left out."""
        found = FORMS.match(text)
        if not found:
            raise NoSuchThing("move", text.strip().partition(" ")[0], [f"{verb}" for verb in Verb])
        verb, at = Verb(found.group(1).lower()), found.end()
        rest = text[at:]
        if verb in (Verb.PASS, Verb.DRAW):
            if rest.strip() and (verb is Verb.PASS or rest.strip() != "??"):
                _card(rest, text, at, wanted=verb is Verb.DRAW)
            return PASS if verb is Verb.PASS else DRAW
        if verb in (Verb.TAKE, Verb.DROP):
            card = _card(rest, text, at, wanted=True)
            return TAKES[card.index] if verb is Verb.TAKE else DROPS[card.index]
        head, bar, melds = rest.partition("|") if verb is not Verb.SHOW else ("", "|", rest)
        place = at + len(head) + (verb is not Verb.SHOW)
        melds, _, laid = melds.partition("lay off") if verb is Verb.SHOW else (melds, "", "")
        index = _card(head, text, at, wanted=True).index if verb is Verb.KNOCK else NONE
        if verb is Verb.BIG_GIN and head.strip():
            raise BadText("big gin has no discard", text, at + 1)
        shown = _melds(melds, text, place) if bar else ()
        return cls(verb, index, shown, _hand(laid, text, len(text) - len(laid)))

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


def _card(rest: str, text: str, at: int, *, wanted: bool) -> Card:
    if not wanted:
        raise BadText("nothing is wanted here", text, at + len(rest) - len(rest.lstrip()))
    try:
        return Card.parse(rest)
    except BadText as problem:
        raise BadText(problem.problem, text, at + problem.at) from None


def _hand(rest: str, text: str, at: int) -> Hand:
    try:
        return Hand.parse(rest)
    except BadText as problem:
        raise BadText(problem.problem, text, at + problem.at) from None


def _melds(rest: str, text: str, at: int) -> tuple[Meld, ...]:
    melds = []
    for part in rest.split("|") if rest.strip() else ():
        try:
            melds.append(Meld.parse(part))
        except BadText as problem:
            raise BadText(problem.problem, text, at + problem.at) from None
        at += len(part) + 1
    return tuple(melds)


PASS, DRAW = Move(Verb.PASS), Move(Verb.DRAW)
TAKES, DROPS = (tuple(Move(verb, index) for index in range(52)) for verb in (Verb.TAKE, Verb.DROP))
