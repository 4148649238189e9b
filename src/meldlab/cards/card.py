"""A card is a rank and a suit; it prints itself as ``5H`` and is read the way people type it: ``5H``, ``5h``, ``10S``, ``♠10``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering

from meldlab.errors import BadText, NotLegalHere, whole_number

__all__ = ["CARDS", "Card", "Rank", "Suit", "all_cards", "read_cards"]

WORD = re.compile(r"[^\s,]+")


class Rank(IntEnum):
    """A rank; its number is its place in a suit lane.

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
        """Read ``A``, ``7``, ``T`` or ``10``, ``q``; the error is the whole text's."""
        word = _text(text).strip().upper()
        if word not in RANKS:
            raise BadText(f"no rank {text.strip()!r} (use {' '.join(map(str, Rank))})", text, len(text) - len(text.lstrip()))
        return RANKS[word]


class Suit(IntEnum):
    """A suit; its number is its lane in a hand.

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
        """Return the pip, one character."""
        return "♣♦♥♠"[self]

    @classmethod
    def parse(cls, text: str) -> "Suit":
        """Read ``H``, ``h`` or ``♥``."""
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
            raise NotLegalHere(f"a card is a Rank and a Suit, not {self.rank!r} and {self.suit!r}")

    @property
    def index(self) -> int:
        """Return the card's bit in a hand: 13 per suit, aces first."""
        return 13 * self.suit + self.rank

    @classmethod
    def from_index(cls, index: int) -> "Card":
        """Return the card of bit ``index``, 0 to 51."""
        return CARDS[whole_number(index, "index of a card", most=51)]

    @classmethod
    def parse(cls, text: str) -> "Card":
        """Read ``5H``, ``5h``, ``10S``, ``♠10``."""
        found = list(read_cards(text))
        if len(found) != 1:
            raise BadText("one card wanted" if found else "no card", text, found[1][1] if found else len(text))
        return found[0][0]

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


def all_cards(cards: Iterable[Card]) -> list[Card]:
    """Return the cards as a list, or say what is no card."""
    if not isinstance(cards, Iterable):
        raise NotLegalHere(f"cards are wanted, not {cards!r}")
    row = list(cards)
    for card in row:
        if not isinstance(card, Card):
            raise NotLegalHere(f"{card!r} is not a card (parse reads text)")
    return row


CARDS = tuple(Card(Rank(rank), Suit(suit)) for suit in range(4) for rank in range(13))
RANKS = {**{str(rank): rank for rank in Rank}, "10": Rank.TEN, "1": Rank.ACE}
SUITS: dict[str, Suit] = {**{str(suit): suit for suit in Suit}, **dict(zip("♣♦♥♠♧♢♡♤", [*Suit, *Suit], strict=True))}


def read_cards(text: str) -> Iterator[tuple[Card, int]]:
    """Read the cards of ``text``, each with the place where it starts."""
    for match in WORD.finditer(_text(text)):
        yield _card(match.group(), match.start(), text), match.start()


def _card(word: str, at: int, text: str) -> Card:
    # Emoji suits carry an invisible selector; dropping it cannot move the caret, since it comes last or after the suit.
    upper = word.upper().replace("\N{VARIATION SELECTOR-16}", "")
    if upper[:1] in SUITS:
        suit, rank, suit_at, rank_at = upper[0], upper[1:], at, at + 1
    else:
        cut = 2 if upper.startswith("10") else 1
        rank, suit, rank_at, suit_at = upper[:cut], upper[cut:], at, at + cut
    if rank not in RANKS:
        if not rank:
            raise BadText(f"no rank beside {word!r}", text, rank_at)
        raise BadText(f"no rank {word[rank_at - at : rank_at - at + len(rank)]!r} (use {' '.join(map(str, Rank))})", text, rank_at)
    if suit not in SUITS:
        if not suit:
            raise BadText(f"no suit behind {word!r} (use {' '.join(map(str, Suit))})", text, suit_at)
        raise BadText(f"no suit {word[suit_at - at :]!r} (use {' '.join(map(str, Suit))})", text, suit_at)
    return Card(RANKS[rank], SUITS[suit])


def _text(text: object) -> str:
    if not isinstance(text, str):
        raise NotLegalHere(f"cards are read from text, not from {text!r}")
    return text
