"""``meldlab rummikub``: the best move, puzzles, a game in the terminal, and contests between players."""

from typing import Annotated

import typer

from meldlab.cli.arena import GamesOption, NumRecordsOption, PairsOption, PlayersArgument, RecordsOption, run_arena
from meldlab.cli.options import (
    DryRunOption,
    GameSecondsOption,
    JsonOption,
    MoveSecondsOption,
    NewDealOption,
    RaiseOption,
    ResumeOption,
    RummikubRulesOption,
    SaveOption,
    SeedOption,
    ThreadsOption,
)
from meldlab.cli.rummikub import puzzle, solve
from meldlab.cli.rummikub.solve import OFFICIAL, JokersOption, read_rules

__all__ = ["app"]

app = typer.Typer(
    epilog='Example: meldlab rummikub solve --table "R5 R6 R7 | K9 B9 O9" --rack "R8 J"', no_args_is_help=True, rich_markup_mode=None
)
app.command()(solve.solve)
app.command()(puzzle.puzzle)


@app.command()
def arena(
    players: PlayersArgument,
    games: GamesOption = 100,
    seed: SeedOption = 0,
    pairs: PairsOption = False,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raise_errors: RaiseOption = False,
    save: RecordsOption = None,
    save_games: NumRecordsOption = 10,
    rules: RummikubRulesOption = "paper",
    jokers: JokersOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Play games between players at one table; every deal is played once for each seating.

    Players: random, greedy, optimal or patient.

    Example: meldlab rummikub arena patient optimal --games 200 --seed 1
    """
    from meldlab.rummikub.game import Rummikub

    run_arena(
        Rummikub(read_rules(rules, joker_rule=jokers)), players, games, seed=seed, pairs=pairs, threads=threads,
        seconds_per_move=seconds_per_move, seconds_per_game=seconds_per_game, raise_errors=raise_errors, save=save,
        save_games=save_games, dry_run=dry_run, json=json,
    )  # fmt: skip


@app.command()
def play(
    against: Annotated[str, typer.Option(help="Player of the other seats: random, greedy, optimal or patient.")] = "optimal",
    seats: Annotated[int, typer.Option(min=2, max=4, help="Number of seats; yours is the first.")] = 2,
    rules: RummikubRulesOption = OFFICIAL,
    jokers: JokersOption = None,
    seed: NewDealOption = None,
    save: SaveOption = None,
    resume: ResumeOption = None,
) -> None:
    """Play a game in the terminal; 'help' lists the words to type, '?' gives advice.

    Example: meldlab rummikub play --against greedy --seed 7
    """
    from meldlab.cli.rummikub.screen import RummikubScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.rummikub.game import Rummikub
    from meldlab.rummikub.players import find_player

    others = [find_player(against)] * (seats - 1)
    play_in_terminal(Rummikub(read_rules(rules, joker_rule=jokers)), others, RummikubScreen, seed, save=save, resume=resume)
