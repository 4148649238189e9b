"""Cards of a common pack in described games: what SIX-DIAMONDS is called elsewhere.

>>> short_names("move SIX-DIAMONDS from HAND of p1 to PILE; move RED-SEVEN")
'move 6♦ from HAND of p1 to PILE; move RED-SEVEN'
"""

import re
from collections.abc import Sequence

from meldlab.cards import Card, Rank, Suit
from meldlab.errors import BadText, NotLegalHere

__all__ = ["common_card", "meant", "short_names"]

NAME = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)+")
RANKS = {**{rank.name: str(rank) for rank in Rank}, **{str(rank): str(rank) for rank in Rank}, "10": "T"}
NUMBERED = re.compile(r"\s*(?:0*(\d+)[,.]? +)?(.*)", re.DOTALL)  # an option as it is listed: its number and its words
SUITS = {suit.name: suit.symbol for suit in Suit} | {str(suit): suit.symbol for suit in Suit}


def common_card(name: str) -> Card | None:
    """Return the card that a name of two parts, a rank and a suit, means in a common pack.

    >>> common_card("DIAMONDS-SIX"), common_card("RED-SEVEN")
    (Card.parse('6D'), None)
    """
    ranks, suits = ([some[part] for part in name.split("-") if part in some] for some in (RANKS, SUITS))
    return Card.parse(ranks[0] + suits[0]) if len(ranks) == len(suits) == 1 and name.count("-") == 1 else None


def short_names(text: str) -> str:
    """Return a text with the cards of a common pack written as elsewhere; other cards keep their names."""

    def short(found: re.Match[str]) -> str:
        card = common_card(found.group())
        return found.group() if card is None else str(Rank(card.rank)) + Suit(card.suit).symbol

    return NAME.sub(short, text)


def meant(options: Sequence[str], text: str) -> int:
    """Return the place of the only option that has all words of a text; a card may be written in any way, its number before it.

    >>> options = ["turn pass", "move SIX-DIAMONDS from HAND of p1 to PILE"]
    >>> meant(options, "6d"), meant(options, "2, move 6♦")
    (1, 1)
    """
    number, words = NUMBERED.fullmatch(text).groups()  # type: ignore[union-attr]  # any text fits
    wanted = {_compared(word.strip(",;")) for word in words.split()}
    fitting = [
        place
        for place, option in enumerate(options, 1)
        if number in (None, str(place)) and wanted <= {_compared(word.strip(",;")) for word in option.split()}
    ]
    if not fitting:
        raise NotLegalHere(f"no option {text!r} (1 to {len(options)}, or the words of one)")
    if len(fitting) > 1:
        raise NotLegalHere(f"{text!r} fits the options {', '.join(map(str, fitting))}: say which")
    return fitting[0] - 1


def _compared(word: str) -> str:
    """Return a word as it is compared: a card in one way of writing it, other words in small letters.

    >>> _compared("6d") == _compared("SIX-DIAMONDS") == _compared("6♦"), _compared("Check")
    (True, 'check')
    """
    try:
        return str(Card.parse(short_names(word.upper())))
    except BadText:
        return word.lower()
