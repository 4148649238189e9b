"""Hands: sets of cards as 52 bits, four suit masks of 13."""

from collections.abc import Iterable, Iterator, Set
from typing import Any

from meldlab.cards.card import CARDS, Card, Suit, check_cards, read_cards
from meldlab.errors import BadText, whole_number

FULL = (1 << 52) - 1
# Bit numbers in the order in which hands print: by rank, then suit.
PRINT_ORDER = tuple(card.index for card in sorted(CARDS))


class Hand(Set[Card]):
    """A set of cards, immutable, with the operators of sets.

    >>> hand = Hand.parse("KS 5h, 6H ♥7")
    >>> print(hand)
    5H 6H 7H KS
    >>> hand - Hand.parse("KS"), len(hand), Card.parse("6H") in hand
    (Hand.parse('5H 6H 7H'), 4, True)
    """

    __slots__ = ("mask",)
    mask: int

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        mask = 0
        for card in check_cards(cards):
            mask |= 1 << card.index
        object.__setattr__(self, "mask", mask)

    @classmethod
    def from_mask(cls, mask: int) -> "Hand":
        """Return the hand of a 52-bit mask."""
        hand = cls.__new__(cls)
        object.__setattr__(hand, "mask", whole_number(mask, "mask of a hand", maximum=FULL))
        return hand

    @classmethod
    def parse(cls, text: str) -> "Hand":
        """Return the hand of cards separated by blanks or commas; a repeated card is an error."""
        mask = 0
        for card, offset in read_cards(text):
            if mask >> card.index & 1:
                raise BadText(f"{card} twice", text, offset)
            mask |= 1 << card.index
        return cls.from_mask(mask)

    @classmethod
    def full(cls) -> "Hand":
        """Return all 52 cards."""
        return cls.from_mask(FULL)

    @property
    def suit_masks(self) -> tuple[int, int, int, int]:
        """Return the ranks of each suit as 13 bits: clubs, diamonds, hearts, spades."""
        club, diamond, heart, spade = (self.mask >> 13 * suit & 0x1FFF for suit in Suit)
        return club, diamond, heart, spade

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a hand is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return Hand.from_mask, (self.mask,)

    def __contains__(self, card: object) -> bool:
        return isinstance(card, Card) and bool(self.mask >> card.index & 1)

    def __iter__(self) -> Iterator[Card]:
        return (CARDS[index] for index in PRINT_ORDER if self.mask >> index & 1)

    def __len__(self) -> int:
        return self.mask.bit_count()

    def __and__(self, other: Set[object]) -> "Hand":
        return Hand.from_mask(self.mask & other.mask) if isinstance(other, Hand) else Hand(card for card in self if card in other)

    def __or__(self, other: Set[Card]) -> "Hand":  # type: ignore[override]  # a set of other things is not a hand
        return Hand.from_mask(self.mask | (other if isinstance(other, Hand) else Hand(other)).mask)

    def __sub__(self, other: Set[object]) -> "Hand":
        return Hand.from_mask(self.mask & ~(self & other).mask)

    def __eq__(self, other: object) -> bool:
        return self.mask == other.mask if isinstance(other, Hand) else super().__eq__(other)

    def __hash__(self) -> int:
        # The hash of a frozenset, since a hand equals any set of the same cards.
        return self._hash()

    def __str__(self) -> str:
        return " ".join(map(str, self))

    def __repr__(self) -> str:
        return f"Hand.parse('{self}')"

    def _repr_svg_(self) -> str:
        from meldlab.cards.picture import draw

        return draw(self)
