"""Answers about the waiting times of hands."""

from meldlab.schemas import Answer, Text


class DrawAnswer(Answer):
    """A card that may be drawn, the best discard then, and the expected turns after it."""

    draw: Text
    discard: Text
    expected: float


class UpcardAnswer(Answer):
    """Whether to take the upcard, and the expected turns if it is taken and if a card is drawn."""

    take: bool
    taken: float
    drawn: float


class HandAnswer(Answer):
    """The expected turns of a hand, their distribution, and the best discard for every draw."""

    expected: float
    sd: float | None
    """Standard deviation; None if it takes too long to compute here."""
    quantiles: dict[str, int] | None
    """Turns within which these shares of all games end."""
    draws: list[DrawAnswer]
    upcard: UpcardAnswer | None = None


class DiscardAnswer(Answer):
    """A discard, the expected turns after it, and its cost against the best discard."""

    discard: Text
    expected: float
    cost: float
