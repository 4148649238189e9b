"""``meldlab recycle play``: a person at one seat."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import SaveOption, SeedOption, taking
from meldlab.cli.recycle.options import read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described


@taking(described=read_game)
def play(
    described: "Described",
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Who sits at the other seats: random, pimc:100, mcts:100 ...")] = "random",
    seed: SeedOption = 0,
    save: SaveOption = None,
) -> None:
    """Play a game yourself against random players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1
    """
    from meldlab.cli.recycle.screen import DescribedScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.play import Deal
    from meldlab.recycle.players import parse

    other = parse(against)
    if seat > described.machine.players:
        raise NotLegalHere(f"{described.name} has seats 1 to {described.machine.players}, not {seat}")
    play_in_terminal(described, [other] * (described.machine.players - 1), DescribedScreen, Deal(seed), seat - 1, save)
