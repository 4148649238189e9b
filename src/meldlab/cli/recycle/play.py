"""``meldlab recycle play``: a person at one seat."""

from typing import Annotated

import typer

from meldlab.cli.options import SaveOption, SeedOption
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, read_game
from meldlab.errors import NotLegalHere

__all__ = ["play"]


def play(
    game: GameArgument,
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Who sits at the other seats: random, pimc:100, mcts:100 ...")] = "random",
    seed: SeedOption = 0,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    save: SaveOption = None,
) -> None:
    """Play a game yourself against random players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1
    """
    from meldlab.cli.recycle.screen import DescribedScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.play import Deal
    from meldlab.recycle.players import parse

    described = read_game(game, dialect, limits)
    players = described.machine.players
    if seat > players:
        raise NotLegalHere(f"{described.name} has seats 1 to {players}, not {seat}")
    play_in_terminal(described, [parse(against)] * (players - 1), DescribedScreen, Deal(seed), seat - 1, save)
