"""``meldlab recycle arena``: players of a described game against each other, with intervals."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption, print_json, taking
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import LevelOption, read_game

if TYPE_CHECKING:
    from meldlab.lab.arena.recycle import Contest
    from meldlab.recycle.game import Described


@taking(described=read_game)
def arena(
    described: "Described",
    players: Annotated[
        str, typer.Option("--players", help="random, pimc, mcts or ismcts, with commas; as in mcts:200:taken:rank. The last one fills up.")
    ] = "mcts,random",
    games: Annotated[int, typer.Option("--games", min=1, help="How many games, rounded up to whole deals.")] = 100,
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="Simulations per option, where a player does not say.")] = 1000,
    level: LevelOption = "private",
    seed: SeedOption = 0,
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Let players fight; every deal is played once for each way to seat them.

    Where as many players as teams are named, each plays for a team. A tied win is shared.

    Example: meldlab recycle arena block_rummy --players mcts,random --games 20 --simulations 50 --seed 1
    """
    from meldlab.lab.arena.recycle import contest

    with progress_bar(f"{described.name}, games") as show:
        fight = contest(
            described,
            players,
            games,
            seed,
            simulations=simulations,
            level=level,
            threads=threads,
            progress=lambda done: show(done, games),
        )
    if json:
        print_json(fight.as_json())
    else:
        print_contest(fight)


def print_contest(fight: "Contest") -> None:
    """Print who won how often; every rate with its 95 % interval."""
    print(f"{fight.game}: {fight.games:,} games, {fight.deals:,} deals, {fight.decisions / fight.games:.0f} decisions a game")
    for name, seats, rate, fair, score in zip(fight.players, fight.seats, fight.rates, fight.fair, fight.scores, strict=True):
        print(f"  {name:20} {seats} {'seat ' if seats == 1 else 'seats'}  won {rate}, by chance {fair:.3f}   score {score}")
    more, less = fight.ahead
    print(f"  {fight.players[0]} won more than its share in {more} deals, less in {less}; sign test p = {fight.sign_test:.2g}")
    print(f"  its seats score better than the others by {fight.lead}")
    if fight.capped or fight.failed:
        print(f"  {fight.capped} games stopped by the limit on decisions, {fight.failed} failed")
    if fight.changed or fight.broken:
        print(f"  of {fight.simulations:,} simulations {fight.changed:,} had other options than the game, {fight.broken:,} broke off")
    print(f"  {fight.seconds:,.1f} s of CPU time")
