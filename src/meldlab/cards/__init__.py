"""52 cards: rank, suit, card, hand as a 52-bit mask, deck, notation, pictures, and hand classes.

>>> from meldlab.cards import Card, Hand
>>> Hand.parse("10S AD") | {Card.parse("5h")}
Hand.parse('AD 5H TS')
"""

from typing import TYPE_CHECKING, Any

from meldlab.cards.card import CARDS, Card, Rank, Suit
from meldlab.cards.deck import Deck
from meldlab.cards.hand import Hand
from meldlab.cards.picture import draw

__all__ = ["CARDS", "Card", "Deck", "Hand", "Rank", "Suit", "classes", "draw"]

if TYPE_CHECKING:
    from meldlab.cards import classes


def __getattr__(name: str) -> Any:
    # Imported lazily: hand classes need compiled code, other functions of cards do not.
    if name == "classes":
        from importlib import import_module

        return import_module("meldlab.cards.classes")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
