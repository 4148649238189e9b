"""A card is a rank and a suit; it reads and prints itself as ``5H``."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import total_ordering

from meldlab.errors import NotLegalHere, whole_number

__all__ = ["CARDS", "Card", "Rank", "Suit", "all_cards"]


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
        from meldlab.cards.notation import read_rank

        return read_rank(text)


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
        from meldlab.cards.notation import read_suit

        return read_suit(text)


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
        from meldlab.cards.notation import read_card

        return read_card(text)

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
    """Return the cards as a list, or say which of them is none."""
    if not isinstance(cards, Iterable):
        raise NotLegalHere(f"cards are wanted, not {cards!r}")
    row = list(cards)
    for card in row:
        if not isinstance(card, Card):
            raise NotLegalHere(f"{card!r} is not a card (parse reads text)")
    return row


CARDS = tuple(Card(Rank(rank), Suit(suit)) for suit in range(4) for rank in range(13))
