"""Answers about gin rummy."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, Field

from meldlab.schemas import Answer, Text

if TYPE_CHECKING:
    from meldlab.gin import View
    from meldlab.gin.advice import Advice
    from meldlab.gin.turn_estimate import TurnEstimate

Probability = Annotated[float, AfterValidator(lambda value: round(value, 5))]


class CandidateAnswer(Answer):
    """A move and its value on the sampled deals that all moves share."""

    move: Text
    chance: Probability = Field(validation_alias="win_probability")
    """Match-win probability."""
    cost: Probability
    """Loss against the best move, in match-win probability."""
    error: Probability
    """Standard error of the loss."""
    points: Annotated[float, AfterValidator(lambda value: round(value, 2))]
    """Expected points of the round."""


class GinAdvice(Answer):
    """The best move and the reason, with the value of every move."""

    move: str
    reason: str
    expected_turns: dict[str, float]
    """Turns to a knock and to gin from stock alone, of the ten cards before a draw or after the move."""
    expected_turns_error: dict[str, float]
    """Radius of the 95 % interval; 0 if the turns come from exact tables."""
    moves: list[CandidateAnswer]
    """The moves by rollouts, best first; empty if a player was asked."""

    @classmethod
    def fields_from(cls, advice: "Advice", turns: "Mapping[str, TurnEstimate]") -> dict[str, Any]:
        """Return the fields for advice and the turns that are left after its move."""
        return {
            "move": str(advice.move),
            "reason": advice.reason,
            "expected_turns": {name: round(estimate.value, 3) for name, estimate in turns.items()},
            "expected_turns_error": {name: round(estimate.error, 3) for name, estimate in turns.items()},
            "moves": [CandidateAnswer.model_validate(candidate) for candidate in advice.candidates],
        }


class HandAdvice(GinAdvice):
    """Advice with what is known about the hand and the unseen cards."""

    hand: str
    deadwood: int
    deadwood_after: dict[str, int]
    in_stock: dict[str, float]
    """Probability that each unseen card is in the stock."""
    meldability: dict[str, float]
    player_values: dict[str, float]
    """The values by the player that was asked, in its units."""

    @classmethod
    def from_advice(cls, view: "View", advice: "Advice", turns: "Mapping[str, TurnEstimate]") -> Self:
        """Return the advice on a view."""
        return cls(
            **cls.fields_from(advice, turns),
            hand=str(view.hand),
            deadwood=advice.deadwood,
            deadwood_after={str(card): left for card, left in advice.after.items()},
            in_stock={str(card): round(p, 4) for card, p in advice.belief.in_stock.items()},
            meldability={str(card): round(value, 3) for card, value in advice.belief.meldability.items()},
            player_values={str(move): round(value, 5) for move, value in advice.values},
        )
