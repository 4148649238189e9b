"""What the waiting verbs share: which game."""

from pathlib import Path
from typing import Annotated, Any

import typer

from meldlab.cli.options import read_by

CardsOption = Annotated[int, typer.Option("--cards", help="Cards in a hand, 3 to 10.")]
GoalOption = Annotated[
    Any, typer.Option("--goal", **read_by("meldlab.waiting:Goal.parse", "gin|knock:K"), help="Every card melded, or deadwood at most K.")
]
DeadOption = Annotated[
    Any, typer.Option("--dead", **read_by("meldlab.cards:Hand.parse", "CARDS"), help="Cards that are out of play, such as '2H 2D'.")
]
LoadOption = Annotated[Path | None, typer.Option("--load", help="Read the table from this file instead of solving.")]
