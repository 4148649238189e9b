"""``meldlab rummikub``: the best move, puzzles, a game in the terminal, and contests between players."""

from typing import Annotated

import typer

from meldlab.cli.arena import ArenaOptions, GamesOption, PlayersArgument, run_arena
from meldlab.cli.options import Commands, RummikubRulesOption, TerminalOptions
from meldlab.cli.rummikub import puzzle, solve
from meldlab.cli.rummikub.solve import OFFICIAL, JokersOption, read_rules

__all__ = ["app"]

app = Commands(epilog='Example: meldlab rummikub solve --table "R5 R6 R7 | K9 B9 O9" --rack "R8 J"')
app.command()(solve.solve)
app.command()(puzzle.puzzle)


@app.command()
def arena(
    players: PlayersArgument,
    options: ArenaOptions,
    games: GamesOption = 100,
    rules: RummikubRulesOption = "paper",
    jokers: JokersOption = None,
) -> None:
    """Play games between players at one table; every deal is played once for each seating.

    Players: random, greedy, optimal or patient.

    Example: meldlab rummikub arena patient optimal --games 200 --seed 1
    """
    from meldlab.rummikub.game import Rummikub

    run_arena(Rummikub(read_rules(rules, joker_rule=jokers)), players, games, options)


@app.command()
def play(
    options: TerminalOptions,
    against: Annotated[str, typer.Option(help="Player of the other seats: random, greedy, optimal or patient.")] = "optimal",
    seats: Annotated[int, typer.Option(min=2, max=4, help="Number of seats; yours is the first.")] = 2,
    rules: RummikubRulesOption = OFFICIAL,
    jokers: JokersOption = None,
) -> None:
    """Play a game in the terminal; 'help' lists the words to type, '?' gives advice.

    Example: meldlab rummikub play --against greedy --seed 7
    """
    from meldlab.cli.rummikub.screen import RummikubScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.rummikub.game import Rummikub
    from meldlab.rummikub.players import find_player

    others = [find_player(against)] * (seats - 1)
    game = Rummikub(read_rules(rules, joker_rule=jokers))
    play_in_terminal(game, others, RummikubScreen, options.seed, save=options.save, resume=options.resume)
