"""Options of the waiting commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.interruption import AGAIN, NOTHING, on_interrupt
from meldlab.cli.options import read_by

if TYPE_CHECKING:
    from meldlab.waiting import WaitingGame

CardsOption = Annotated[int, typer.Option("--cards", help="Cards in a hand, 3 to 10.")]
GoalOption = Annotated[
    Any, typer.Option("--goal", **read_by("meldlab.waiting:Goal.parse", "gin|knock:K"), help="Every card melded, or deadwood at most K.")
]
DeadOption = Annotated[
    Any, typer.Option("--dead", **read_by("meldlab.cards:Hand.parse", "CARDS"), help="Cards that are out of play, such as '2H 2D'.")
]
LoadOption = Annotated[Path | None, typer.Option("--load", help="Read the table from this file instead of solving.")]


def say_checkpoint(game: "WaitingGame", otherwise: str = NOTHING) -> None:
    """Let an interrupt say that a checkpoint of the solve is saved, and ``otherwise`` without one."""
    from meldlab.waiting.storage import checkpoint_path

    on_interrupt(lambda: f"a checkpoint is saved in the cache; {AGAIN}" if checkpoint_path(game).exists() else otherwise)
