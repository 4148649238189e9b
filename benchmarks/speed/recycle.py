"""RECYCLE games per CPU second, one core, random players."""

import time
from typing import Annotated, Any

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json

# The reference engine on one thread, games per CPU second, measured once, on another day than today's figures.
REFERENCE = {"block_rummy": 11, "hearts": 14, "euchre": 36, "cribbage": 24, "go_fish": 4}


def bench_recycle(
    seconds: Annotated[float, typer.Option(min=0.1, help="CPU seconds per game.")] = 2.0,
    everything: Annotated[bool, typer.Option("--all", help="Every game of the library.")] = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time whole random games, and the way from text to instructions.

    Example: python benchmarks/speed recycle --json
    """
    from meldlab.recycle import library
    from meldlab.recycle.machine.machine import Machine

    rows: dict[str, dict[str, Any]] = {}
    for name in library.names() if everything else REFERENCE:
        text = library.entry(name).text
        machine = Machine.compile(text)
        machine.random_games(games=20, seed=seed)
        start = time.process_time()
        for _ in range(5):
            Machine.compile(text)
        reading = (time.process_time() - start) / 5
        games, decisions, start = 0, 0, time.process_time()
        while (spent := time.process_time() - start) < seconds:
            played = machine.random_games(games=200, seed=seed, first=games)
            games, decisions = games + 200, decisions + int(played.decisions.sum())
        rows[name] = {
            "games_per_second": games / spent,
            "decisions_per_game": decisions / games,
            "microseconds_per_decision": 1e6 * spent / decisions,
            "compile_ms": 1000 * reading,
            "characters": len(text),
            "reference_of_another_day": REFERENCE.get(name),
        }
    if json:
        print_json({"games": rows})
        return
    for name, row in rows.items():
        other = f"   {row['games_per_second'] / REFERENCE[name]:,.0f} x the reference engine on another day" if name in REFERENCE else ""
        print(
            f"{name:18} {row['games_per_second']:9,.0f} games/s   {row['decisions_per_game']:6.1f} decisions"
            f"   {row['microseconds_per_decision']:5.2f} us each   compiled in {row['compile_ms']:4.0f} ms{other}"
        )
