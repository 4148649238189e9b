"""Ace rules for runs: low (A23), both ends (A23 and QKA), or round the corner (KA2 too)."""

from enum import StrEnum
from functools import cache
from typing import Self

from meldlab.errors import NoSuchThing


class Aces(StrEnum):
    """An ace rule.

    >>> [len(rule.runs) for rule in Aces]
    [66, 76, 131]
    """

    LOW = "low"
    BOTH = "both"
    ROUND = "round"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rule of a name."""
        if isinstance(text, cls):
            return text
        if not isinstance(text, str) or text not in list(cls):
            raise NoSuchThing("ace rule", text, cls)
        return cls(text)

    def __repr__(self) -> str:
        return f"Aces.{self.name}"

    @property
    def runs(self) -> tuple[int, ...]:
        """Return every run as a suit mask: three or more consecutive ranks under this rule, each set of ranks once."""
        return _runs(self)


@cache
def _runs(aces: Aces) -> tuple[int, ...]:
    # Positions from A (0) to the last card after K (12): none, A, or any rank round the corner.
    last = {Aces.LOW: 12, Aces.BOTH: 13, Aces.ROUND: 24}[aces]
    runs = {
        sum(1 << position % 13 for position in range(start, start + length))
        for length in range(3, 14)
        for start in range(min(13, last - length + 2))
    }
    return tuple(sorted(runs))
