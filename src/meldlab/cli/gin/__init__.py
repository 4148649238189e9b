"""``meldlab gin``: play gin rummy, advice, review, arena, training, and records of decisions."""

import re
import sys
import traceback
from pathlib import Path
from typing import Annotated, Literal

import typer

from meldlab.cli.arena import ArenaOptions, GamesOption, PlayersArgument, run_arena
from meldlab.cli.gin import advise, compute, review, train
from meldlab.cli.options import (
    Commands,
    GameSecondsOption,
    GinRulesOption,
    JsonOption,
    MoveSecondsOption,
    SeedOption,
    TerminalOptions,
    out_file,
)
from meldlab.cli.output import print_json
from meldlab.cli.progress import tracked
from meldlab.errors import NotLegalHere

__all__ = ["app"]

app = Commands(epilog="Example: meldlab gin play --seed 7")
PLAYER_SEPARATOR = re.compile(r",(?!\s*\d+\s*(?:,|$))")  # not the commas inside knock:A,B,T


@app.command()
def play(
    options: TerminalOptions,
    against: Annotated[str, typer.Option("--against", help="Opponent: any player of the arena.")] = "champion",
    rules: GinRulesOption = "eaai",
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
) -> None:
    """Play a match in the terminal; 'help' lists the words to type, '?' gives advice.

    Example: meldlab gin play --seed 7
    """
    from meldlab.cli.gin.screen import GinScreen
    from meldlab.cli.table import play_in_terminal
    from meldlab.gin import Gin, Rules, players
    from meldlab.play import TimeLimit

    try:
        opponent = players.parse(against)
    except NotLegalHere as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        raise
    game, limit = Gin(Rules.named(rules)), TimeLimit(seconds_per_move, seconds_per_game)
    if limit:
        from meldlab.arena.processes import warm_up

        warm_up(game, (opponent, opponent))
    play_in_terminal(game, [opponent], GinScreen, options.seed, save=options.save, resume=options.resume, time=limit)


app.command()(advise.advise)
app.command()(review.review)


@app.command()
def arena(players: PlayersArgument, options: ArenaOptions, games: GamesOption = 10_000, rules: GinRulesOption = "eaai") -> None:
    """Play games between players; every deal is played once for each seating. Three or more players play in pairs and are rated.

    Players: simple, gin-only, knock:A,B,T, ensemble:paper, marjj, network:light, champion, mc:64, random, or FILE.py:CLASS.

    Example: meldlab gin arena ensemble:paper simple --games 20000 --seed 1
    """
    from meldlab.gin import Gin, Rules

    run_arena(Gin(Rules.named(rules)), players, games, options)


app.command()(compute.compute)
app.command()(train.train)
app.command()(train.exploit)


@app.command()
def export(
    players: Annotated[str, typer.Option("--players", metavar="A,B", help="Two players; every deal is played in both seatings.")],
    out: Annotated[Path, out_file("File to write; an existing one is replaced when the new one is complete.")],
    games: Annotated[int, typer.Option("--games", min=1, help="Number of games.")] = 100,
    seed: SeedOption = 0,
    format: Annotated[Literal["jsonl", "parquet"], typer.Option("--format", help="JSON Lines or Parquet.")] = "jsonl",
    features: Annotated[bool, typer.Option(help="Add the features and the mask of the vector environment.")] = True,
    rules: GinRulesOption = "eaai",
    json: JsonOption = False,
) -> None:
    """Write every decision of some games as a row: the seat's view, its legal moves, its move, and the result.

    Example: meldlab gin export --players network:light,simple --games 20 --format parquet --out games.parquet
    """
    from meldlab.cache import replace_file
    from meldlab.gin import Rules
    from meldlab.gin.trajectories import decisions, write_jsonl, write_parquet

    names = [name.strip() for name in PLAYER_SEPARATOR.split(players)]

    with replace_file(out) as file:
        rows = tracked(decisions(names, Rules.named(rules), games, seed, features=features), games, "gin, games")
        num_rows = write_parquet(rows, file, features=features) if format == "parquet" else write_jsonl(rows, file)
    if json:
        print_json({"out": str(out), "games": games, "rows": num_rows})
    else:
        print(f"{num_rows:,} rows of {games:,} games in {out}", file=sys.stderr)
