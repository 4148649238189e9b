"""Ranks, suits and cards; a card prints as ``5H`` and is read from ``5H``, ``5h``, ``10S`` or ``♠10``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering

from meldlab.errors import BadText, NotLegalHere, whole_number

WORD = re.compile(r"[^\s,]+")


class Rank(IntEnum):
    """A rank; its number is its bit in a suit mask.

    >>> str(Rank.TEN), Rank.parse("10"), Rank.KING - Rank.ACE
    ('T', Rank.TEN, 12)
    """

    ACE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING = range(13)

    def __str__(self) -> str:
        return "A23456789TJQK"[self]

    def __repr__(self) -> str:
        return f"Rank.{self.name}"

    @classmethod
    def parse(cls, text: str) -> "Rank":
        """Return the rank of a text such as ``A``, ``7``, ``T``, ``10`` or ``q``."""
        word = _text(text).strip().upper()
        if word not in RANKS:
            raise BadText(f"no rank {text.strip()!r} (use {' '.join(map(str, Rank))})", text, len(text) - len(text.lstrip()))
        return RANKS[word]


class Suit(IntEnum):
    """A suit; its number is its position in a hand of four suit masks.

    >>> str(Suit.HEARTS), Suit.HEARTS.symbol, Suit.parse("♠")
    ('H', '♥', Suit.SPADES)
    """

    CLUBS, DIAMONDS, HEARTS, SPADES = range(4)

    def __str__(self) -> str:
        return "CDHS"[self]

    def __repr__(self) -> str:
        return f"Suit.{self.name}"

    @property
    def symbol(self) -> str:
        """Return the suit symbol, one character."""
        return "♣♦♥♠"[self]

    @classmethod
    def parse(cls, text: str) -> "Suit":
        """Return the suit of a text such as ``H``, ``h`` or ``♥``."""
        word = _text(text).strip().upper()
        if word not in SUITS:
            raise BadText(f"no suit {text.strip()!r} (use {' '.join(map(str, Suit))})", text, len(text) - len(text.lstrip()))
        return SUITS[word]


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Card:
    """One of the 52 cards, ordered by rank, then suit.

    >>> card = Card.parse("♠10")
    >>> card, str(card), card.index
    (Card.parse('TS'), 'TS', 48)
    """

    rank: Rank
    suit: Suit

    def __post_init__(self) -> None:
        if not (isinstance(self.rank, Rank) and isinstance(self.suit, Suit)):
            raise NotLegalHere(f"expected a Rank and a Suit, got {self.rank!r} and {self.suit!r}")

    @property
    def index(self) -> int:
        """Return the bit of the card in a hand: 13 per suit, aces first."""
        return 13 * self.suit + self.rank

    @property
    def long_name(self) -> str:
        """Return the full name, as a screen reader says it.

        >>> Card.parse("TD").long_name
        'ten of diamonds'
        """
        return f"{self.rank.name.lower()} of {self.suit.name.lower()}"

    @classmethod
    def from_index(cls, index: int) -> "Card":
        """Return the card of bit ``index``, 0 to 51."""
        return CARDS[whole_number(index, "index of a card", maximum=51)]

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Return the card of a text such as ``5H``, ``5h``, ``10S`` or ``♠10``."""
        cards = list(read_cards(text))
        if len(cards) != 1:
            raise BadText(f"expected one card, got {len(cards) or 'none'}", text, cards[1][1] if cards else len(text))
        return cards[0][0]

    def __lt__(self, other: "Card") -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return (self.rank, self.suit) < (other.rank, other.suit)

    def __str__(self) -> str:
        return f"{self.rank}{self.suit}"

    def __repr__(self) -> str:
        return f"Card.parse('{self}')"

    def _repr_svg_(self) -> str:
        from meldlab.cards.picture import draw

        return draw([self])


def check_cards(cards: Iterable[Card]) -> list[Card]:
    """Return the cards as a list; raise NotLegalHere if one is not a card."""
    if not isinstance(cards, Iterable):
        raise NotLegalHere(f"expected cards, got {cards!r}")
    card_list = list(cards)
    for card in card_list:
        if not isinstance(card, Card):
            raise NotLegalHere(f"{card!r} is not a card (parse reads text)")
    return card_list


CARDS = tuple(Card(Rank(rank), Suit(suit)) for suit in range(4) for rank in range(13))
RANKS = {**{str(rank): rank for rank in Rank}, "10": Rank.TEN, "1": Rank.ACE}
SUITS: dict[str, Suit] = {**{str(suit): suit for suit in Suit}, **dict(zip("♣♦♥♠♧♢♡♤", [*Suit, *Suit], strict=True))}


def read_cards(text: str) -> Iterator[tuple[Card, int]]:
    """Return the cards of ``text``, each with the offset of its start."""
    for match in WORD.finditer(_text(text)):
        yield _card(match.group(), match.start(), text), match.start()


def _card(word: str, offset: int, text: str) -> Card:
    # Emoji suits have an invisible selector; it is last or after the suit, so the caret does not move without it.
    upper = word.upper().replace("\N{VARIATION SELECTOR-16}", "")
    if upper[:1] in SUITS:
        suit, rank, suit_start, rank_start = upper[0], upper[1:], 0, 1
    else:
        cut = 2 if upper.startswith("10") else 1
        rank, suit, rank_start, suit_start = upper[:cut], upper[cut:], 0, cut
    if rank not in RANKS:
        given = word[rank_start : rank_start + len(rank)]
        problem = f"no rank {given!r} (use {' '.join(map(str, Rank))})" if rank else f"no rank next to {word!r}"
        raise BadText(problem, text, offset + rank_start)
    if suit not in SUITS:
        problem = f"no suit {word[suit_start:]!r}" if suit else f"no suit after {word!r}"
        raise BadText(f"{problem} (use {' '.join(map(str, Suit))})", text, offset + suit_start)
    return Card(RANKS[rank], SUITS[suit])


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise NotLegalHere(f"expected the text of cards, got {text!r}")
    return text
