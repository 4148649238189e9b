"""``meldlab recycle list``, ``check`` and ``show``: the games there are, what is wrong with one, what becomes of it."""

from typing import TYPE_CHECKING, Any

import typer

from meldlab.cli.options import JsonOption, print_json, taking
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, merged, read_game

if TYPE_CHECKING:
    from meldlab.recycle.game import Described
    from meldlab.recycle.language.diagnostics import Diagnostic


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
    game: GameArgument, dialect: DialectOption = "0.6", limits: LimitsOption = "", settings: SetOption = None, json: JsonOption = False
) -> None:
    """Check a program and play 300 random games of it; errors stop (status 2), warnings do not.

    Example: meldlab recycle check block_rummy
    """
    from meldlab.recycle import library
    from meldlab.recycle.language.diagnostics import ProgramError
    from meldlab.recycle.language.settings import with_settings
    from meldlab.recycle.playtest import CheckReport, check_and_play

    _, text = library.load(game)
    try:
        text = with_settings(text, merged(settings), dialect)
        report = check_and_play(text, dialect, limits)
    except ProgramError as error:
        report = CheckReport((error.diagnostic,))
    diagnostics, checked, played = report.diagnostics, report.checked, report.played
    players = checked.players if checked else 0
    errors, warnings = [f for f in diagnostics if f.is_error], [f for f in diagnostics if not f.is_error]
    if json:
        answer = {"errors": [_diagnostic(f, text) for f in errors], "warnings": [_diagnostic(f, text) for f in warnings]}
        numbers = {name: getattr(played, name, 0) for name in ("games", "finished", "capped", "failed")}
        constructs = _constructs(text) if checked else []
        print_json({"ok": report.ok, **answer, "players": players, "constructs": constructs, "random_games": numbers})
    else:
        for diagnostic in diagnostics:
            print(f"{'error' if diagnostic.is_error else 'warning'}: {diagnostic.error(text)}")
        count = f"{len(errors)} error{'s' * (len(errors) != 1)}, {len(warnings)} warning{'s' * (len(warnings) != 1)}"
        print(f"{game}: {'not to be run' if errors else f'{players} players'}; {count}")
    if errors:
        raise typer.Exit(2)


@taking(described=read_game)
def show(described: "Described", json: JsonOption = False) -> None:
    """Show what a program becomes: its tree, its instructions, and where its storage lies.

    Example: meldlab recycle show kuhn_poker
    """
    from meldlab.recycle.machine.disassembly import instructions, storage, tree

    parts = {name: part(described.machine) for name, part in (("tree", tree), ("instructions", instructions), ("storage", storage))}
    if json:
        print_json({"game": described.name, **parts})
    else:
        print("\n\n".join("\n".join([name, *lines]) for name, lines in parts.items()))


def _diagnostic(diagnostic: "Diagnostic", text: str) -> dict[str, Any]:
    line, column = diagnostic.line_and_column(text)
    return {"code": diagnostic.code, "line": line, "column": column, "message": diagnostic.message}


def _constructs(text: str) -> list[str]:
    from meldlab.recycle.language.lexer import tokenize

    return sorted(
        {token.text for token in tokenize(text) if token.kind == "keyword" or (token.kind == "sign" and token.text not in "(),:")}
    )
