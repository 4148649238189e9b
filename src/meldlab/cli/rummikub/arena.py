"""``meldlab rummikub arena``: many games between players, with intervals."""

from meldlab.cli.contest import Contests, GamesOption, read_contests
from meldlab.cli.options import taking
from meldlab.cli.rummikub.options import JokersOption, RulesOption, changed


@taking(play=read_contests)
def arena(play: Contests, games: GamesOption = 100, rules: RulesOption = "paper", jokers: JokersOption = None) -> None:
    """Let players meet at one table; every deal is played once for each seating.

    Players: random, greedy, optimal or patient.

    Example: meldlab rummikub arena patient optimal --games 200 --seed 1
    """
    from meldlab.rummikub.game import Rummikub

    play(Rummikub(changed(rules, joker_rule=jokers)), games)
