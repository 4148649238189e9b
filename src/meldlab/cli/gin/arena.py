"""``meldlab gin arena``: many games between players, with intervals."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.gin.options import RulesOption
from meldlab.cli.options import (
    GameSecondsOption,
    JsonOption,
    MoveSecondsOption,
    RaiseOption,
    SeedOption,
    ThreadsOption,
    print_json,
    tracebacks,
)
from meldlab.cli.progress import progress_bar

if TYPE_CHECKING:
    from meldlab.lab.arena.gin import Duel, RoundRobin


def arena(
    players: Annotated[list[str], typer.Argument(help="Two players, or more for a round robin: simple, ensemble:paper, mc:64 ...")],
    games: Annotated[int, typer.Option("--games", min=1, help="Games of each pairing; even, as a mirrored pair counts two.")] = 10_000,
    seed: SeedOption = 0,
    rules: RulesOption = "eaai",
    mirror: Annotated[bool, typer.Option("--mirror/--no-mirror", help="Play each deal twice, the starter swapped.")] = True,
    threads: ThreadsOption = 0,
    seconds_per_move: MoveSecondsOption = None,
    seconds_per_game: GameSecondsOption = None,
    raising: RaiseOption = False,
    json: JsonOption = False,
) -> None:
    """Let players fight on mirrored deals; wins and rates are those of the first.

    Example: meldlab gin arena ensemble:paper simple --games 20000 --seed 1
    """
    from meldlab.errors import NotLegalHere
    from meldlab.lab.arena.gin import duel, round_robin
    from meldlab.play import TimeLimit

    if len(players) < 2:
        raise NotLegalHere("an arena needs two players or more")
    pairings = len(players) * (len(players) - 1) // 2
    answer: Duel | RoundRobin
    limit = TimeLimit(seconds_per_move, seconds_per_game)
    with tracebacks(raising), progress_bar("games") as bar:

        def show(done: int) -> None:
            bar(done, games * pairings)

        if len(players) == 2:
            answer = duel(players[0], players[1], games, seed, rules, mirror=mirror, threads=threads,
                          time_limit=limit, raising=raising, progress=show)  # fmt: skip
        else:
            answer = round_robin(players, games, seed, rules, mirror=mirror, threads=threads,
                                 time_limit=limit, raising=raising, progress=show)  # fmt: skip
    if json:
        print_json(answer.as_json())
    elif len(players) == 2:
        print_duel(answer)  # type: ignore[arg-type]
    else:
        print_round_robin(answer)  # type: ignore[arg-type]


def print_duel(fight: "Duel") -> None:
    """Print one fight; every rate with its 95 % interval."""
    from meldlab.lab.arena import gin as kinds
    from meldlab.lab.arena.fight import GAMES

    print(f"{fight.players[0]} against {fight.players[1]}: {fight.games:,} games{', mirrored' if fight.mirror else ''}")
    print(f"  won           {fight.win_rate}   {fight.wins:,} games")
    if fight.mirror:
        p = f"{fight.sign_test:.2g}" if fight.sign_test >= 1e-12 else "below 1e-12"
        print(f"  pairs swept   {fight.swept[0]:,} to {fight.swept[1]:,}   exact sign test p = {p}")
    rows = (
        ("rounds/game", fight.moments.mean(kinds.ROUNDS, GAMES)),
        ("turns/round", fight.per_round(kinds.TURNS)),
        ("points/round", fight.per_round(kinds.POINTS)),
        ("  the other's", fight.per_round(kinds.POINTS_OF_OTHER)),
        ("gin", fight.per_round(kinds.GINS)),
        ("undercuts", fight.per_round(kinds.UNDERCUTS)),
        ("void rounds", fight.per_round(kinds.VOIDS)),
    )
    for name, interval in rows:
        print(f"  {name:13} {interval}")
    rounds = int(fight.moments.sums[kinds.ROUNDS])
    print(f"  {fight.seconds:.1f} s, {fight.games / fight.seconds:,.0f} games/s, {rounds / fight.seconds:,.0f} rounds/s")
    for line in fight.troubles():
        print(f"  {line}")


def print_round_robin(robin: "RoundRobin") -> None:
    """Print ratings, then every pairing."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table("player", "rating", title="Bradley-Terry, 95 %, by deals", title_justify="left")
    for one in robin.ratings:
        table.add_row(Text(one.name), f"{one.points.value:+.0f} ({one.points.low:+.0f} to {one.points.high:+.0f})")
    console.print(table)
    worst = robin.misfit
    told = f"the ratings fit {worst.first} against {worst.second} worst: {worst.played} won, {worst.expected:.3f} by the ratings"
    verdict = "; one number for each player does not explain these games" if worst.significant else ""
    console.print(f"{told}{verdict}", markup=False, soft_wrap=True)
    pairs = Table("first", "second", "won by the first", "sign test p")
    for fight in robin.duels:
        pairs.add_row(*map(Text, fight.players), str(fight.win_rate), f"{fight.sign_test:.2g}" if fight.mirror else "-")
    console.print(pairs)
    for fight in robin.duels:
        for line in fight.troubles():
            print(f"  {line}")
