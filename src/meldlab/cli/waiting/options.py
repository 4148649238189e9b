"""What the waiting verbs share: which game, and the hand."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from meldlab.waiting import Waiting

__all__ = ["DeadOption", "GoalOption", "LoadOption", "read_game"]

GoalOption = Annotated[str, typer.Option("--goal", help="gin (every card melded) or knock:K (deadwood at most K).")]
DeadOption = Annotated[str, typer.Option("--dead", help="Cards that are out of play, such as '2H 2D'.")]
LoadOption = Annotated[Path | None, typer.Option("--load", help="Read the table from this file instead of solving.")]


def read_game(cards: int, aces: str, goal: str, dead: str) -> "Waiting":
    """Return the game of one size of hands."""
    from meldlab.cards import Hand
    from meldlab.waiting import Goal, Waiting

    return Waiting(cards, aces, Goal.parse(goal), Hand.parse(dead))
