"""Options of the waiting commands: the game."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.interruption import AGAIN, NOTHING, on_interrupt

if TYPE_CHECKING:
    from meldlab.waiting import WaitingGame

CardsOption = Annotated[int, typer.Option("--cards", help="Cards in a hand, 3 to 10.")]
GoalOption = Annotated[str, typer.Option("--goal", metavar="gin|knock:K", help="Every card melded, or deadwood at most K.")]
DeadOption = Annotated[str, typer.Option("--dead", metavar="CARDS", help="Cards out of play, such as '2H 2D'.")]
LoadOption = Annotated[Path | None, typer.Option("--load", help="File with a solved table, read instead of solving.")]


def read_game(cards: int, aces: str, goal: str, dead: str = "") -> "WaitingGame":
    """Return the game of the options."""
    from meldlab.cards import Hand
    from meldlab.waiting import Goal, WaitingGame

    return WaitingGame(cards, aces, Goal.parse(goal), Hand.parse(dead))


def say_checkpoint(game: "WaitingGame", otherwise: str = NOTHING) -> None:
    """Let the line of an interrupt name the checkpoint of the solve; without one it is ``otherwise``."""
    from meldlab.waiting.storage import checkpoint_path

    on_interrupt(lambda: f"a checkpoint is saved in the cache; {AGAIN}" if checkpoint_path(game).exists() else otherwise)
