"""Answers about a review of a gin match; seats, rounds and actions are counted from 1."""

from typing import TYPE_CHECKING, Annotated, Self

from pydantic import AliasChoices, Field

from meldlab.schemas import Answer
from meldlab.schemas.gin import CandidateAnswer

if TYPE_CHECKING:
    from meldlab.gin.review import Review

Determinizations = Annotated[int, Field(validation_alias=AliasChoices("determinizations", "worlds"))]
"""Number of sampled deals; reviews of version 0.1 call them worlds."""


class DecisionAnswer(Answer):
    """A decision with all its candidates, best first."""

    action: int
    round: int
    seat: int
    phase: str
    scores: list[int]
    hand: str
    upcard: str | None
    stock: int
    done: str
    best: str
    chance: float
    """Match-win probability of the move made."""
    cost: float
    """Loss against the best move, in match-win probability."""
    error: float
    """Standard error of the loss."""
    kind: str | None
    is_mistake: bool = Field(alias="mistake")
    determinizations: Determinizations
    sure: bool
    """True if the move also loses against a best that was chosen on other sampled deals, or no card was hidden."""
    candidates: list[CandidateAnswer]


class SeatAnswer(Answer):
    """A reviewed seat, with its match-win probability by action."""

    seat: int
    name: str
    decisions: int
    mistakes: int
    cost: float
    curve: list[tuple[int, float]]


class ReviewAnswer(Answer):
    """A review of a match."""

    players: list[str]
    player: str
    determinizations: Determinizations
    seed: int
    least: float
    """Minimum loss of a mistake, in match-win probability."""
    seats: list[SeatAnswer]
    rounds: list[int]
    """Number of actions at the start of each round, and at the end."""
    kinds: dict[str, int]
    mistakes: list[int]
    """Actions of the mistakes, most costly first."""
    decisions: list[DecisionAnswer]

    @classmethod
    def from_review(cls, review: "Review", least: float) -> Self:
        """Return a review; ``least``: minimum loss of a mistake."""
        return cls.model_validate(review.as_json(least))
