"""``meldlab gin play``: gin rummy against a player, in the terminal."""

import traceback
from typing import Annotated

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import GameSecondsOption, MoveSecondsOption, NewDealOption, ResumeOption, SaveOption
from meldlab.errors import NotLegalHere


def play(
    against: Annotated[str, typer.Option("--against", help="Any player of the arena.")] = "champion",
    seed: NewDealOption = None,
    rules: RulesOption = "eaai",
    save: SaveOption = None,
    resume: ResumeOption = None,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
) -> None:
    """Play a match in the terminal; 'help' lists what can be typed, '?' gives advice.

    Example: meldlab gin play --seed 7
    """
    from meldlab.cli.gin.screen import GinScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.gin import Gin, players
    from meldlab.play import TimeLimit

    try:
        opponent = players.parse(against)
    except NotLegalHere as mistake:
        if mistake.__cause__ is not None:
            traceback.print_exception(mistake.__cause__)
        raise
    game, limit = Gin(rules), TimeLimit(seconds_per_move, seconds_per_game)
    if limit:
        from meldlab.arena.processes import warm_up

        warm_up(game, (opponent, opponent))
    play_in_terminal(game, [opponent], GinScreen, seed, save=save, resume=resume, time=limit)
