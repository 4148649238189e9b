"""Names of standard cards in RECYCLE games: SIX-DIAMONDS is 6♦.

>>> abbreviate("move SIX-DIAMONDS from HAND of p1 to PILE; move RED-SEVEN")
'move 6♦ from HAND of p1 to PILE; move RED-SEVEN'
"""

import re
from collections.abc import Sequence
from typing import Any

from meldlab.cards import Card, Rank, Suit
from meldlab.errors import BadText, NoSuchThing, NotLegalHere

NAME = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)+")
RANKS = {**{rank.name: str(rank) for rank in Rank}, **{str(rank): str(rank) for rank in Rank}, "10": "T"}
NUMBERED = re.compile(r"\s*(?:0*(\d+)[,.]? +)?(.*)", re.DOTALL)  # an option as it is listed: its number and its words
MAX_COMPARED = 500  # options whose words are compared with a typed text
SUITS = {suit.name: suit.symbol for suit in Suit} | {str(suit): suit.symbol for suit in Suit}


def standard_card(name: str) -> Card | None:
    """Return the card of a standard deck with a name of two parts, a rank and a suit.

    >>> standard_card("DIAMONDS-SIX"), standard_card("RED-SEVEN")
    (Card.parse('6D'), None)
    """
    ranks, suits = ([names[part] for part in name.split("-") if part in names] for names in (RANKS, SUITS))
    return Card.parse(ranks[0] + suits[0]) if len(ranks) == len(suits) == 1 and name.count("-") == 1 else None


def abbreviate(text: str) -> str:
    """Return a text with short names of standard cards; other names do not change."""

    def short(match: re.Match[str]) -> str:
        card = standard_card(match.group())
        return match.group() if card is None else str(Rank(card.rank)) + Suit(card.suit).symbol

    return NAME.sub(short, text)


def read_move(view: Any, text: str, listing: Sequence[int] | None = None) -> Any:
    """Return the option of a view that a typed text names: by number in a listing, by its words, or by what only this option names."""
    options = view.legal_actions()
    order = range(len(options)) if listing is None else listing
    number = text.strip()
    if number.isdecimal():
        if not (len(number) < 10 and 0 < int(number) <= len(options)):
            raise BadText(f"no option {number} (1 to {len(options)})", text, 0)
        return options[order[int(number) - 1]]
    try:
        return view.parse(text)
    except NoSuchThing:
        if len(options) > MAX_COMPARED:
            raise
        return options[order[match_option([view.label(index) for index in order], text)]]


def match_option(options: Sequence[str], text: str) -> int:
    """Return the index of the only option that has all words of a text; cards in any notation, the number may stand before.

    >>> options = ["turn pass", "move SIX-DIAMONDS from HAND of p1 to PILE"]
    >>> match_option(options, "6d"), match_option(options, "2, move 6♦")
    (1, 1)
    >>> match_option(["play blue five", "play red five"], "BLUE-FIVE")
    0
    """
    number, words = NUMBERED.fullmatch(text).groups()  # type: ignore[union-attr]  # any text fits
    required = _normal_words(words)
    matches = [place for place, option in enumerate(options, 1) if number in (None, str(place)) and required <= _normal_words(option)]
    if not matches:
        raise NotLegalHere(f"no option {text!r} (1 to {len(options)}, or the words of one)")
    if len(matches) > 1:
        raise NotLegalHere(f"{text!r} fits the options {', '.join(map(str, matches))}: say which")
    return matches[0] - 1


def _normal_words(text: str) -> set[str]:
    return {part for word in text.split() for part in _normal(word.strip(",;")).split("-")}


def _normal(word: str) -> str:
    """Return a card in one notation, other words in small letters.

    >>> _normal("6d") == _normal("SIX-DIAMONDS") == _normal("6♦"), _normal("Check")
    (True, 'check')
    """
    try:
        return str(Card.parse(abbreviate(word.upper())))
    except BadText:
        return word.lower()
