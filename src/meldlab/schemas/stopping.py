"""Answers about the stopping game."""

from pydantic import Field

from meldlab.schemas import Answer, Number

__all__ = ["StoppingAdvice"]


class StoppingAdvice(Answer):
    """The optimal decision in a position of the stopping game."""

    value: Number
    """Expected winnings of the optimal policy, in all."""
    stop_value: Number
    keep_drawing: bool = Field(serialization_alias="continue")
    next_black: Number | None
    """Probability that the next card is black; None if no card is left."""
