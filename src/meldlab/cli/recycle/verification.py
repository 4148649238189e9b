"""``meldlab recycle differ``, ``verify`` and ``cover``: two programs compared, a program against its rules, what games reach."""

from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json
from meldlab.cli.recycle.programs import GameArgument, ProgramOptions
from meldlab.errors import NotPossible

CompareOption = Annotated[int, typer.Option("--games", min=1, help="Random games to compare.")]


def differ(
    first: GameArgument,
    second: Annotated[str, typer.Argument(metavar="FILE|NAME", help="The other program.")],
    program: ProgramOptions,
    games: CompareOption = 1000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Play two programs with the same random draws and print the first history after which they differ.

    Compared are who decides, what the options do, the cards that each seat sees, and the scores; --set changes the first program.

    Example: meldlab recycle differ hearts hearts --games 100
    """
    from meldlab.recycle.differ import differ as compare

    result = compare(program.load(first), program.load(second, {}), games, seed)
    if json:
        print_json(result.as_json())
    else:
        print(result.text)


def verify(
    game: GameArgument,
    program: ProgramOptions,
    cases: Annotated[
        Path | None,
        typer.Option("--cases", metavar="FILE.toml", help="Positions, actions, and what must hold; default: the library's."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check a game against worked examples of its rules; status 1 if one does not hold.

    Example: meldlab recycle verify hearts
    """
    from meldlab.recycle import library
    from meldlab.recycle.verify import read_cases, verify_case

    recycle_game = program.load(game)
    try:
        text = library.cases(recycle_game.name) if cases is None else cases.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotPossible(f"cannot read {cases}: {getattr(error, 'strerror', None) or 'not a text in UTF-8'}") from None
    results = [(case.name, verify_case(recycle_game, case)) for case in read_cases(text)]
    failed = sum(bool(failures) for _, failures in results)
    if json:
        print_json({"ok": not failed, "cases": [{"name": name, "ok": not failures, "failures": failures} for name, failures in results]})
    else:
        for name, failures in results:
            print(f"{'failed' if failures else 'ok':6} {name}", *(f"       {failure}" for failure in failures), sep="\n")
        print(f"{len(results)} cases, {failed} failed")
    if failed:
        raise typer.Exit(1)


def cover(
    game: GameArgument,
    program: ProgramOptions,
    games: Annotated[int, typer.Option("--games", min=1, help="Games of random players.")] = 200,
    search_games: Annotated[int, typer.Option("--search-games", min=0, help="Games of searching players (mcts:20).")] = 10,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Print the actions and options of a program that random and searching players never reached.

    Example: meldlab recycle cover kuhn_poker
    """
    from meldlab.recycle.cover import cover as measure

    result = measure(program.load(game), games, search_games, seed)
    if json:
        print_json(result.as_json())
        return
    for gap in result.missed:
        print(f"line {gap.line:4}  {'option' if gap.is_option else 'action'}  {gap.text}")
    print(f"{result.actions - len(result.missed)} of {result.actions} actions reached in {result.games:,} games")
