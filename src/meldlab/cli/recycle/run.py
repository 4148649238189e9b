"""``meldlab recycle run``, ``transcript`` and ``perft``: many games counted, one in words, all histories."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption, print_json, taking
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described

AT_ONCE = 5000  # random games that are played in one piece


@taking(described=read_game)
def run(
    described: "Described",
    games: Annotated[int, typer.Option("--games", min=1, help="How many games.")] = 1000,
    seed: SeedOption = 0,
    players: Annotated[str, typer.Option("--players", help="One for each seat, or one for all: random, pimc, mcts:200 ...")] = "random",
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Play many games and count.

    Example: meldlab recycle run hearts --games 10000 --seed 1 --json
    """
    from meldlab.lab.arena.outcome import Outcome
    from meldlab.recycle.players import parse

    machine = described.machine
    searchers = [parse(name) for name in players.split(",")]
    if len(searchers) not in (1, machine.players):
        raise NotLegalHere(f"{described.name} has {machine.players} seats, not {len(searchers)}")
    outcome = Outcome.start(described.name, machine, searchers * (machine.players // len(searchers)))
    cores = threads or os.cpu_count() or 1
    size = cores if outcome.searching else min(20_000, max(AT_ONCE, games // 50))
    with progress_bar(described.name) as show:
        for first in range(0, games, size):
            outcome.play(min(size, games - first), seed, cores, first)
            show(outcome.games, games)
    for count, why in outcome.failures():
        typer.echo(f"note: {count} failed, {why}", err=True)
    answer = outcome.answer()
    if json:
        print_json(answer)
        return
    print(f"{answer['game']}: {answer['players']} players, {answer['games']} games, {answer['games_per_second']:,.0f} a second")
    print(f"finished {answer['finished']}, capped {answer['capped']}, failed {answer['failed']}")
    print(f"{answer['decisions_per_game']:.1f} decisions a game, {answer['options_per_decision']:.2f} options a decision")
    for failure in answer["failures"]:
        print(f"{failure['games']} failed, {failure['reason']}")
    for seat, (score, wins) in enumerate(zip(outcome.scores, outcome.win_rates, strict=True), 1):
        print(f"p{seat}  score {score}  wins {wins}")


@taking(described=read_game)
def transcript(
    described: "Described",
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Print every move of one game between random players.

    Example: meldlab recycle transcript scopa --seed 3
    """
    from meldlab.recycle.telling.transcript import transcribe

    lines = transcribe(described, seed)
    if json:
        first, *moves, last = lines
        print_json({"game": described.name, "seed": seed, **first, "moves": moves, **last})
        return
    for line in lines:
        if "begins" in line:
            print(f"   0. {line['begins']}")
        elif "seat" in line:
            print(f"{line['decision'] + 1:4}. p{line['seat']} ({line['option']} of {line['options']}) {line['did']}")
            if line["then"]:
                print(f"      {line['then']}")
        else:
            print(f"{line['ended']}; scores " + ", ".join(map(str, line["scores"] or ["none"])))


@taking(described=read_game)
def perft(
    described: "Described",
    depth: Annotated[int, typer.Option("--depth", min=0, max=60, help="Decisions to look ahead.")] = 4,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Count the histories of a game: all ways to make so many decisions, or fewer where the game ends before.

    Example: meldlab recycle perft kuhn_poker --depth 3
    """
    counts = described.machine.histories(seed, depth)
    total = counts[depth][0] + sum(ended for _, ended in counts[:depth])
    if json:
        levels = [{"depth": level, "histories": histories, "ended": ended} for level, (histories, ended) in enumerate(counts)]
        print_json({"game": described.name, "seed": seed, "depth": depth, "histories": total, "levels": levels})
        return
    for level, (histories, ended) in enumerate(counts):
        print(f"{level:3} decisions {histories:15,} histories {ended:15,} of them end the game")
    print(f"{total:,} histories of {depth} decisions, or fewer and complete")
