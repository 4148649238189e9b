"""``meldlab recycle``: card games described in RECYCLE, checked, run, played, analysed and searched."""

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
    SaveOption,
    SeedOption,
    ThreadsOption,
)
from meldlab.cli.recycle import analyse, programs, run, search
from meldlab.cli.recycle.programs import (
    DealsOption,
    DialectOption,
    GameArgument,
    LimitsOption,
    SetOption,
    TargetOption,
    read_game,
    read_match,
)
from meldlab.errors import NotLegalHere

__all__ = ["app"]

app = typer.Typer(epilog="Example: meldlab recycle list", no_args_is_help=True, rich_markup_mode=None)
app.command("list")(programs.list_games)
app.command()(programs.new)
app.command()(programs.check)
app.command()(programs.show)
app.command("format")(programs.format_program)
app.command()(programs.migrate)
app.command()(run.run)


@app.command()
def play(
    game: GameArgument,
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Player of the other seats: mcts:100, pimc:100, random ...")] = "mcts:100",
    seed: NewDealOption = None,
    save: SaveOption = None,
    resume: ResumeOption = None,
    no_auto: Annotated[bool, typer.Option("--no-auto", help="Ask even if there is only one option.")] = False,
    target: TargetOption = None,
    deals: DealsOption = None,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
) -> None:
    """Play a game, or a match of several deals, in the terminal against searching players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1 --deals 4
    """
    from meldlab.cli.recycle.match_screen import AskingMatchScreen, MatchScreen
    from meldlab.cli.recycle.screen import Asking, RecycleScreen
    from meldlab.cli.table import play_in_terminal, read_unfinished
    from meldlab.recycle.match import RecycleMatch
    from meldlab.recycle.players import parse

    recycle_game, opponent = read_game(game, dialect, limits, settings), parse(against)
    if seat > recycle_game.machine.players:
        raise NotLegalHere(f"{recycle_game.name} has seats 1 to {recycle_game.machine.players}, not {seat}")
    unfinished = read_unfinished(save, resume)
    if unfinished is None:
        played = read_match(recycle_game, target, deals)
    else:
        played = RecycleMatch.read(unfinished.rules) if "match" in unfinished.rules else recycle_game
    screens = (MatchScreen, AskingMatchScreen) if isinstance(played, RecycleMatch) else (RecycleScreen, Asking)
    play_in_terminal(played, [opponent] * (recycle_game.machine.players - 1), screens[no_auto], seed, seat - 1, save, resume)


app.command()(run.transcript)
app.command()(run.perft)


@app.command()
def arena(
    game: GameArgument,
    players: PlayersArgument,
    games: GamesOption = 100,
    seed: SeedOption = 0,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    threads: ThreadsOption = 0,
    pairs: PairsOption = False,
    target: TargetOption = None,
    deals: DealsOption = None,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raise_errors: RaiseOption = False,
    save: RecordsOption = None,
    save_games: NumRecordsOption = 10,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Play games between players at one table; every deal is played once for each seating. In a team game a player is a team.

    Players: random, pimc, mcts or ismcts, as in mcts:200:taken:rank:visits (simulations of an option, what is remembered,
    what is rewarded, the final policy).

    Example: meldlab recycle arena block_rummy mcts:50 random --games 20 --seed 1
    """
    run_arena(
        read_match(read_game(game, dialect, limits, settings), target, deals), players, games, seed=seed, pairs=pairs, threads=threads,
        seconds_per_move=seconds_per_move, seconds_per_game=seconds_per_game, raise_errors=raise_errors, save=save,
        save_games=save_games, dry_run=dry_run, json=json,
    )  # fmt: skip


app.command()(analyse.analyse)
app.command()(analyse.compare)
app.command()(search.search)
