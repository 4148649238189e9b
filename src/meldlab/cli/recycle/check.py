"""``meldlab recycle list``, ``check`` and ``show``: the library, diagnostics of a program, and its compiled form."""

from shlex import quote
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, read_game, read_limits, read_settings


def list_games(json: JsonOption = False) -> None:
    """List the games of the library.

    Example: meldlab recycle list
    """
    from meldlab.recycle import library

    entries = [library.entry(name) for name in library.names()]
    if json:
        print_json({"games": [{"name": game.name, "title": game.title, "players": game.players, "rules": game.rules} for game in entries]})
        return
    for game in entries:
        print(f"{game.name:18} {game.players} players   {game.title} ({game.rules})")


def check(
    game: GameArgument,
    games: Annotated[int, typer.Option("--games", min=0, help="Random games to play; 0 for none.")] = 300,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Check a program and play random games of it; errors stop (status 2), warnings do not.

    Example: meldlab recycle check block_rummy
    """
    from meldlab.recycle import library
    from meldlab.recycle.check import Report, check_program
    from meldlab.recycle.language.diagnostics import ProgramError
    from meldlab.recycle.language.settings import with_settings

    _, text = library.load(game)
    try:
        text = with_settings(text, read_settings(settings), dialect)
        report = check_program(text, dialect, read_limits(limits), games)
    except ProgramError as error:
        report = Report((error.diagnostic,))
    errors = [diagnostic for diagnostic in report.diagnostics if diagnostic.is_error]
    warnings = [diagnostic for diagnostic in report.diagnostics if not diagnostic.is_error]
    options = ["--dialect", dialect] * (dialect != "0.6") + ["--limits", limits] * bool(limits)
    options += [word for setting in settings or [] for word in ("--set", setting)]
    replays = {
        failure.diagnostic: " ".join(
            ["meldlab recycle transcript", *map(quote, [game, "--players", failure.players, "--seed", str(failure.seed), *options])]
        )
        for failure in (report.simulation.failures if report.simulation else ())
    }
    if json:
        print_json(
            {
                "ok": report.ok,
                "errors": [diagnostic.as_json(text) for diagnostic in errors],
                "warnings": [diagnostic.as_json(text) | {"replay": replays.get(diagnostic)} for diagnostic in warnings],
                "players": report.players,
                "constructs": _constructs(text) if report.checked else [],
                "random_games": {name: getattr(report.simulation, name, 0) for name in ("games", "finished", "capped", "failed")},
            }
        )
    else:
        for diagnostic in report.diagnostics:
            print(f"{'error' if diagnostic.is_error else 'warning'}: {diagnostic.error(text)}")
            if diagnostic in replays:
                print(f"  replay: {replays[diagnostic]}")
        count = f"{len(errors)} error{'s' * (len(errors) != 1)}, {len(warnings)} warning{'s' * (len(warnings) != 1)}"
        print(f"{game}: {'not to be run' if errors else f'{report.players} players'}; {count}")
    if errors:
        raise typer.Exit(2)


def show(
    game: GameArgument, settings: SetOption = None, dialect: DialectOption = "0.6", limits: LimitsOption = "", json: JsonOption = False
) -> None:
    """Show the compiled program: its tree, its instructions, and its storage.

    Example: meldlab recycle show kuhn_poker
    """
    from meldlab.recycle.machine.disassembly import instructions, storage, tree

    recycle_game = read_game(game, dialect, limits, settings)
    parts = {name: part(recycle_game.machine) for name, part in (("tree", tree), ("instructions", instructions), ("storage", storage))}
    if json:
        print_json({"game": recycle_game.name, **parts})
    else:
        print("\n\n".join("\n".join([name, *lines]) for name, lines in parts.items()))


def _constructs(text: str) -> list[str]:
    from meldlab.recycle.language.lexer import tokenize

    return sorted(
        {token.text for token in tokenize(text) if token.kind == "keyword" or (token.kind == "sign" and token.text not in "(),:")}
    )
