"""``meldlab rummikub play``: a person at the first seat."""

from typing import Annotated

import typer

from meldlab.cli.options import NewDealOption, ResumeOption, SaveOption
from meldlab.cli.rummikub.options import OFFICIAL, JokersOption, RulesOption, changed


def play(
    against: Annotated[str, typer.Option(help="Who plays the other seats: random, greedy, optimal or patient.")] = "optimal",
    seats: Annotated[int, typer.Option(min=2, max=4, help="Players at the table; you are the first.")] = 2,
    rules: RulesOption = OFFICIAL,
    jokers: JokersOption = None,
    seed: NewDealOption = None,
    save: SaveOption = None,
    resume: ResumeOption = None,
) -> None:
    """Play a game in the terminal; 'help' lists what can be typed, '?' gives advice.

    Example: meldlab rummikub play --against greedy --seed 7
    """
    from meldlab.cli.rummikub.screen import RummikubScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.rummikub.game import Rummikub
    from meldlab.rummikub.players import find_player

    others = [find_player(against)] * (seats - 1)
    play_in_terminal(Rummikub(changed(rules, joker_rule=jokers)), others, RummikubScreen, seed, save=save, resume=resume)
