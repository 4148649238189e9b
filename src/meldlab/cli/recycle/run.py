"""``meldlab recycle run``, ``transcript`` and ``perft``: many games counted, one as text, all histories."""

from typing import Annotated

import typer

from meldlab.cli.arena import GamesOption, print_contest
from meldlab.cli.options import JsonOption, SeedOption, ThreadsOption
from meldlab.cli.output import print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.programs import GameArgument, MatchOptions, ProgramOptions

PlayersOption = Annotated[str, typer.Option("--players", help="One player for each seat, or one for all: random, pimc, mcts:200 ...")]


def run(
    game: GameArgument,
    program: ProgramOptions,
    match: MatchOptions,
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
    from meldlab.recycle.players import one_per_seat

    recycle_game = program.load(game)
    names = one_per_seat(players.split(","), recycle_game.machine.players)
    with progress_bar(f"{recycle_game.name}, games") as show:
        result = play_contest(match.match(recycle_game), names, games, seed, mirrored=False, threads=threads, progress=show)
    if json:
        print_json(result.as_json())
    else:
        print_contest(result)
        if "capped" in result.count_types and (capped := result.total("capped")):
            dealt = result.total("deals") if "deals" in result.count_types else result.games
            print(f"{capped:,} of {dealt:,} games did not end: {REASONS[CAPPED]}")
    if result.failures:
        raise typer.Exit(1)


def transcript(
    game: GameArgument,
    program: ProgramOptions,
    players: PlayersOption = "random",
    seed: SeedOption = 0,
    number: Annotated[int, typer.Option("--game", min=0, help="Number of the game within the seed, from 0.")] = 0,
    events: Annotated[bool, typer.Option("--events", help="Print every event of the machine, not the words of the labels.")] = False,
    json: JsonOption = False,
) -> None:
    """Print every move of one game.

    Example: meldlab recycle transcript scopa --seed 3 --players mcts:100,random
    """
    from meldlab.recycle.players import one_per_seat, parse
    from meldlab.recycle.transcript import transcript as describe_game

    recycle_game = program.load(game)
    names = one_per_seat(players.split(","), recycle_game.machine.players)
    lines = describe_game(recycle_game, [parse(name) for name in names], seed, number)
    if json:
        first, *moves, last = lines
        print_json({"game": recycle_game.name, "seed": seed, "number": number, **first, "moves": moves, **last})
        return
    for line in lines:
        if "begins" in line:
            print(f"   0. {line['begins'] if events else line['text']}")
        elif "seat" in line:
            done, then = (line["did"], line["then"]) if events else (line["text"], line["outcome"])
            print(f"{line['decision'] + 1:4}. p{line['seat']} ({line['option']} of {line['options']}) {done}")
            if then:
                print(f"      {then}")
        else:
            print(f"{line['ended']}; scores " + ", ".join(map(str, line["scores"] or ["none"])))


def perft(
    game: GameArgument,
    program: ProgramOptions,
    depth: Annotated[int, typer.Option("--depth", min=0, max=60, help="Number of decisions.")] = 4,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Count the histories of a game: all sequences of this number of decisions, or fewer if the game ends before.

    Example: meldlab recycle perft kuhn_poker --depth 3
    """
    recycle_game = program.load(game)
    counts = recycle_game.machine.perft(seed, depth)
    total = counts[depth][0] + sum(ended for _, ended in counts[:depth])
    if json:
        levels = [{"depth": level, "histories": histories, "ended": ended} for level, (histories, ended) in enumerate(counts)]
        print_json({"game": recycle_game.name, "seed": seed, "depth": depth, "histories": total, "levels": levels})
        return
    for level, (histories, ended) in enumerate(counts):
        print(f"{level:3} decisions {histories:15,} histories {ended:15,} of them end the game")
    print(f"{total:,} histories of {depth} decisions, or fewer and complete")
