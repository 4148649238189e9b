"""Cards on a terminal: rank and pip, in colours that differ from each other on dark and light screens."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from meldlab.cards import Card
    from meldlab.melds import Arrangement

COLOURS = ("green", "blue", "red", "default")  # clubs, diamonds, hearts, spades


def cards_text(cards: Iterable["Card"]) -> Text:
    """Return cards in the order given, each in its suit's colour."""
    texts = [Text(f"{'10' if str(card.rank) == 'T' else card.rank}{card.suit.symbol}", COLOURS[card.suit]) for card in cards]
    return Text(" ").join(texts)


def arrangement_text(arrangement: "Arrangement") -> Text:
    """Return melds in brackets, then the deadwood."""
    parts = [Text("[").append_text(cards_text(meld.cards)).append("]") for meld in arrangement.melds]
    loose = [cards_text(arrangement.deadwood_cards)] if arrangement.deadwood_cards else []
    return Text("  ").join(parts + loose)
