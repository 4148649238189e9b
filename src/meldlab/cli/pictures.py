"""Cards on a terminal: rank and pip, in colours that differ from each other on dark and light screens."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from meldlab.cards import Card
    from meldlab.melds import Arrangement

CARD = re.compile(r"(?<![\w♣♦♥♠])(?:10|[A2-9TJQK])[CDHS♣♦♥♠](?!\w)")
COLOURS = ("green", "blue", "red", "default")  # clubs, diamonds, hearts, spades


def cards_text(cards: Iterable["Card"]) -> Text:
    """Return cards in the order given, each in its suit's colour."""
    texts = [Text(f"{'10' if str(card.rank) == 'T' else card.rank}{card.suit.symbol}", COLOURS[card.suit]) for card in cards]
    return Text(" ").join(texts)


def card_column(cards: Iterable["Card"]) -> list[Text]:
    """Return a text for each card, padded to one width.

    >>> from meldlab.cards import Card
    >>> [text.plain for text in card_column([Card.parse("TD"), Card.parse("5H")])]
    ['10♦', '5♥ ']
    """
    texts = [cards_text([card]) for card in cards]
    for text in texts:
        text.pad_right(max(map(len, texts)) - len(text))
    return texts


def cards_drawn(text: str) -> Text:
    """Return a text with every card in it drawn.

    >>> cards_drawn("drop TD, not 5♥").plain
    'drop 10♦, not 5♥'
    """
    from meldlab.cards import Card

    drawn, end = Text(), 0
    for match in CARD.finditer(text):
        drawn.append(text[end : match.start()]).append_text(cards_text([Card.parse(match.group())]))
        end = match.end()
    return drawn.append(text[end:])


def arrangement_text(arrangement: "Arrangement") -> Text:
    """Return melds in brackets, then the deadwood."""
    parts = [Text("[").append_text(cards_text(meld.cards)).append("]") for meld in arrangement.melds]
    loose = [cards_text(arrangement.deadwood_cards)] if arrangement.deadwood_cards else []
    return Text("  ").join(parts + loose)
