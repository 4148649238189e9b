"""Answers about one hand."""

from typing import TYPE_CHECKING, Self

from meldlab.schemas import Answer

if TYPE_CHECKING:
    from meldlab.cards import Hand
    from meldlab.melds import Arrangement


class DeadwoodAnswer(Answer):
    """An arrangement with the least deadwood."""

    hand: str
    melds: list[list[str]]
    deadwood_cards: list[str]
    deadwood: int
    complete: bool

    @classmethod
    def from_arrangement(cls, hand: "Hand", arrangement: "Arrangement") -> Self:
        """Return an arrangement of a hand."""
        return cls(
            hand=str(hand),
            melds=[list(map(str, meld.cards)) for meld in arrangement.melds],
            deadwood_cards=list(map(str, arrangement.deadwood_cards)),
            deadwood=arrangement.deadwood,
            complete=arrangement.complete,
        )
