"""52 cards: rank, suit, card, hand as a 52-bit mask, deck, notation, pictures, and hand classes.

>>> from meldlab.cards import Card, Hand
>>> Hand.parse("10S AD") | {Card.parse("5h")}
Hand.parse('AD 5H TS')
"""

from meldlab.cards import classes
from meldlab.cards.card import CARDS, Card, Rank, Suit
from meldlab.cards.deck import Deck
from meldlab.cards.hand import Hand
from meldlab.cards.picture import draw

__all__ = ["CARDS", "Card", "Deck", "Hand", "Rank", "Suit", "classes", "draw"]
