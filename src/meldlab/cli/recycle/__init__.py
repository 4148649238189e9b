"""``meldlab recycle``: card games described in RECYCLE, checked, run, played, analysed and searched."""

from typing import Annotated

import typer

from meldlab.cli.arena import ArenaOptions, GamesOption, PlayersArgument, run_arena
from meldlab.cli.options import Commands, TerminalOptions
from meldlab.cli.recycle import analyse, programs, run, search, verification
from meldlab.cli.recycle.programs import GameArgument, MatchOptions, ProgramOptions
from meldlab.errors import NotLegalHere

__all__ = ["app"]

app = Commands(epilog="Example: meldlab recycle list")
app.command("list")(programs.list_games)
app.command()(programs.new)
app.command()(programs.check)
app.command()(programs.show)
app.command("format")(programs.format_program)
app.command()(programs.migrate)
app.command()(run.run)
app.command()(verification.differ)
app.command()(verification.verify)
app.command()(verification.cover)


@app.command()
def play(
    game: GameArgument,
    program: ProgramOptions,
    match: MatchOptions,
    options: TerminalOptions,
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Player of the other seats: mcts:100, pimc:100, random ...")] = "mcts:100",
    no_auto: Annotated[bool, typer.Option("--no-auto", help="Ask even if there is only one option.")] = False,
) -> None:
    """Play a game, or a match of several deals, in the terminal against searching players or others; you see what your seat may see.

    A program with the label "match" is played to that total, unless --target or --deals says otherwise.

    Example: meldlab recycle play kuhn_poker --seat 1 --deals 4
    """
    from meldlab.cli.recycle.match_screen import AskingMatchScreen, MatchScreen
    from meldlab.cli.recycle.screen import Asking, RecycleScreen
    from meldlab.cli.table import play_in_terminal, read_unfinished
    from meldlab.recycle.match import RecycleMatch
    from meldlab.recycle.players import parse

    recycle_game, opponent = program.load(game), parse(against)
    if seat > recycle_game.machine.players:
        raise NotLegalHere(f"{recycle_game.name} has seats 1 to {recycle_game.machine.players}, not {seat}")
    unfinished = read_unfinished(options.save, options.resume)
    if unfinished is None:
        played = match.match(recycle_game, recycle_game.machine.checked.labels.target)
    else:
        played = RecycleMatch.read(unfinished.rules) if "match" in unfinished.rules else recycle_game
    screens = (MatchScreen, AskingMatchScreen) if isinstance(played, RecycleMatch) else (RecycleScreen, Asking)
    others = [opponent] * (recycle_game.machine.players - 1)
    play_in_terminal(played, others, screens[no_auto], options.seed, seat - 1, options.save, options.resume)


app.command()(run.transcript)
app.command()(run.perft)


@app.command()
def arena(
    game: GameArgument,
    players: PlayersArgument,
    program: ProgramOptions,
    match: MatchOptions,
    options: ArenaOptions,
    games: GamesOption = 100,
) -> None:
    """Play games between players at one table; every deal is played once for each seating. In a team game a player is a team.

    Players: random, pimc, mcts or ismcts, as in mcts:200:taken:rank:visits (simulations of an option, what is remembered,
    what is rewarded, the final policy).

    Example: meldlab recycle arena block_rummy mcts:50 random --games 20 --seed 1
    """
    run_arena(match.match(program.load(game)), players, games, options)


app.command()(analyse.analyse)
app.command()(analyse.compare)
app.command()(search.search)
