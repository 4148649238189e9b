"""``meldlab recycle run``, ``transcript`` and ``perft``: many games counted, one in words, all histories."""

from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.contest import GamesOption, print_contest
from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption, print_json, taking
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described

PlayersOption = Annotated[str, typer.Option("--players", help="One for each seat, or one for all: random, pimc, mcts:200 ...")]


@taking(described=read_game)
def run(
    described: "Described",
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    players: PlayersOption = "random",
    threads: ThreadsOption = 0,
    json: JsonOption = False,
) -> None:
    """Play many games, each player in its seat, and count.

    Example: meldlab recycle run hearts --games 10000 --seed 1 --json
    """
    from meldlab.arena.contest import play_contest
    from meldlab.recycle.machine.kernel_layout import CAPPED, REASONS

    everybody = _seated(described, players)
    with progress_bar(f"{described.name}, games") as show:
        found = play_contest(described, everybody, games, seed, mirrored=False, threads=threads, progress=show)
    if json:
        print_json(found.as_json())
    else:
        print_contest(found)
        if "capped" in found.count_types and (capped := found.total("capped")):
            print(f"{capped:,} of {found.games:,} games did not end: {REASONS[CAPPED]}")
    if found.failures:
        raise typer.Exit(1)


def _seated(described: "Described", players: str) -> list[str]:
    """Return the name of a player for each seat."""
    seats, named = described.machine.players, players.split(",")
    if len(named) not in (1, seats):
        raise NotLegalHere(f"{described.name} has {seats} seats, not {len(named)}")
    return named * (seats // len(named))


@taking(described=read_game)
def transcript(
    described: "Described",
    players: PlayersOption = "random",
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Print every move of one game.

    Example: meldlab recycle transcript scopa --seed 3 --players mcts:100,random
    """
    from meldlab.recycle.players import parse
    from meldlab.recycle.telling.transcript import transcribe

    lines = transcribe(described, [parse(name) for name in _seated(described, players)], seed)
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
