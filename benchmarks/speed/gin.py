"""Rounds and games per second of one core, in CPU time."""

import time
from collections.abc import Callable
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json

REPEATS = 7


def bench_gin(
    games: Annotated[int, typer.Option(min=100, help="Games per measurement in the batch kernel.")] = 2000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time simple v simple and ensemble v simple in the batch kernel, and random v random through the Python protocol.

    Each figure is the best of seven: other programs on the machine can only slow it down.

    Example: python benchmarks/speed gin --json
    """
    from dataclasses import replace

    from other_implementations import gin_programs

    from meldlab.gin import Gin, Rules
    from meldlab.gin.batch import play_batch
    from meldlab.gin.players import EnsemblePlayer, SimplePlayer
    from meldlab.play import Deal, RandomPlayer, Table

    def batch(first: object, second: object, games: int) -> Callable[[], int]:
        return lambda: int(play_batch(first, second, Rules(), seed, 0, games, threads=1)["rounds"].sum())

    one, two = SimplePlayer(), EnsemblePlayer()
    simple, ensemble = batch(one, one, games), batch(two, one, games // 2)
    table = Table(Gin(replace(Rules(), match_points=0)), [RandomPlayer()] * 2)
    rounds = 100

    def protocol() -> int:
        return sum(len(table.play(Deal(seed, game)).actions) for game in range(rounds))

    simple_rounds = simple() / best(simple)
    ensemble_games = games // 2 / best(ensemble)
    protocol_rounds = rounds / best(protocol)
    protocol_actions = protocol_rounds * protocol() / rounds
    others = {name: 1 / best(play, 20) for name, play in gin_programs(seed)}
    if json:
        print_json(
            {
                "simple_rounds_per_second": simple_rounds,
                "ensemble_games_per_second": ensemble_games,
                "protocol_rounds_per_second": protocol_rounds,
                "protocol_actions_per_second": protocol_actions,
                "others": others,
            }
        )
        return
    print(f"simple v simple      {simple_rounds:10,.0f} rounds/s   one core, {games:,} games, batch kernel")
    print(f"ensemble v simple    {ensemble_games:10,.0f} games/s    one core, {games // 2:,} games, batch kernel")
    print(f"random v random      {protocol_rounds:10,.0f} rounds/s   one core, {rounds} rounds, Python protocol")
    print(f"                     {protocol_actions:10,.0f} actions/s  the same")
    for name, rate in others.items():
        print(f"  {name:18} {rate:10,.0f} rounds/s   random v random; the protocol is {protocol_rounds / rate:.1f} x as fast")
    if not others:
        print("  no other implementation is installed (pip install open_spiel rlcard)")


def best(job: Callable[[], object], times: int = 1) -> float:
    """Return the CPU seconds of one run, the best of several repeats of ``times`` runs."""
    job()
    measured = []
    for _ in range(REPEATS):
        start = time.process_time()
        for _ in range(times):
            job()
        measured.append((time.process_time() - start) / times)
    return min(measured)
