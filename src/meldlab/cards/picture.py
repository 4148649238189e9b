"""Cards as SVG, with large indices and suits that differ without colour."""

from collections.abc import Iterable
from html import escape

from meldlab.cards.card import Card, Rank, Suit, check_cards

WIDTH, HEIGHT, STEP, GAP = 62, 88, 66, 14

# The palette of Okabe and Ito: distinct with every common kind of colour blindness.
TWO_COLOURS = {Suit.CLUBS: "#1a1a1a", Suit.DIAMONDS: "#c43c00", Suit.HEARTS: "#c43c00", Suit.SPADES: "#1a1a1a"}
FOUR_COLOURS = {Suit.CLUBS: "#00795a", Suit.DIAMONDS: "#0072b2", Suit.HEARTS: "#c43c00", Suit.SPADES: "#1a1a1a"}

# Each pip is within -10 and 10 in both directions.
PIPS = {
    Suit.CLUBS: '<circle cx="0" cy="-5" r="4.6"/><circle cx="-5" cy="2.2" r="4.6"/><circle cx="5" cy="2.2" r="4.6"/>'
    '<path d="M-3 -3 L3 -3 L1.2 3 L3.2 10 L-3.2 10 L-1.2 3 Z"/>',
    Suit.DIAMONDS: '<path d="M0 -10 L7.5 0 L0 10 L-7.5 0 Z"/>',
    Suit.HEARTS: '<path d="M0 10 C-14 -1 -9 -10 -4.5 -9 C-1.8 -8.6 -.5 -6.6 0 -5 C.5 -6.6 1.8 -8.6 4.5 -9 C9 -10 14 -1 0 10 Z"/>',
    Suit.SPADES: '<path d="M0 -10 C2 -6 9.5 -2 9 3 C8.6 7 3.4 7.6 1.1 4.4 L3 10 L-3 10 L-1.1 4.4 '
    'C-3.4 7.6 -8.6 7 -9 3 C-9.5 -2 -2 -6 0 -10 Z"/>',
}

CROWN = '<path d="M34 24 L32 12 L38 17 L43 9 L48 17 L54 12 L52 24 Z"/>'


def draw(cards: Iterable[Card], four_colours: bool = False, marked: Iterable[Card] = (), apart: Iterable[Card] = ()) -> str:
    """Return an SVG picture of ``cards`` in a row, in the given order.

    ``marked`` cards are drawn higher; before each of the cards ``apart`` there is a gap.

    >>> draw([Card.parse("5H")]).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    row, raised, gap_cards = check_cards(cards), check_cards(marked), check_cards(apart)
    colours = FOUR_COLOURS if four_colours else TWO_COLOURS
    title = escape(" ".join(map(str, row)) or "no cards")
    body, width = "", 2
    for card in row:
        width += GAP if body and card in gap_cards else 0
        body += _card(card, width, 2 if card in raised else 10, colours[card.suit])
        width += STEP
    width, height = max(width - 2, STEP), HEIGHT + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif"><title>{title}</title>{body}</svg>'
    )


def _card(card: Card, x: int, y: int, colour: str) -> str:
    rank = "10" if card.rank == Rank.TEN else str(card.rank)
    # Court cards have a crown instead of a portrait: easier to read, and no artwork of others.
    crown = CROWN if card.rank >= Rank.JACK else ""
    return (
        f'<g transform="translate({x} {y})" fill="{colour}">'
        f'<rect width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="6" fill="#fffdf8" stroke="#8a8a8a"/>'
        f'<text x="{12 + 4 * len(rank)}" y="24" font-size="22" font-weight="bold" letter-spacing="-1.5" text-anchor="middle">{rank}</text>'
        f"{_pip(card.suit, 15, 37, 0.7)}{crown}{_pip(card.suit, 39, 60, 1.55)}</g>"
    )


def _pip(suit: Suit, x: float, y: float, scale: float) -> str:
    return f'<g transform="translate({x} {y}) scale({scale})">{PIPS[suit]}</g>'
