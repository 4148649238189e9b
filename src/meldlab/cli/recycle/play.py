"""``meldlab recycle play``: a person at one seat."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import NewDealOption, ResumeOption, SaveOption, taking
from meldlab.cli.recycle.options import read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described


@taking(described=read_game)
def play(
    described: "Described",
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Player of the other seats: mcts:100, pimc:100, random ...")] = "mcts:100",
    seed: NewDealOption = None,
    save: SaveOption = None,
    resume: ResumeOption = None,
    no_auto: Annotated[bool, typer.Option("--no-auto", help="Ask also where there is only one option.")] = False,
) -> None:
    """Play a game yourself against searching players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1
    """
    from meldlab.cli.recycle.screen import Asking, DescribedScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.recycle.players import parse

    other = parse(against)
    if seat > described.machine.players:
        raise NotLegalHere(f"{described.name} has seats 1 to {described.machine.players}, not {seat}")
    screen = Asking if no_auto else DescribedScreen
    play_in_terminal(described, [other] * (described.machine.players - 1), screen, seed, seat - 1, save, resume)
