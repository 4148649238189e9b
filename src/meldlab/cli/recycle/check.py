"""``meldlab recycle list``, ``check`` and ``show``: the games there are, what is wrong with one, what becomes of it."""

from typing import TYPE_CHECKING, Any

import typer

from meldlab.cli.options import JsonOption, print_json, taking
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, merged, read_game

if TYPE_CHECKING:
    from meldlab.recycle.game import Described
    from meldlab.recycle.language.findings import Finding


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
    """Check a program; errors stop (status 2), warnings do not.

    Example: meldlab recycle check block_rummy
    """
    from meldlab.recycle import library
    from meldlab.recycle.language.checker import check as check_text
    from meldlab.recycle.language.findings import Finding, ProgramMistake
    from meldlab.recycle.language.variants import varied
    from meldlab.recycle.machine.compiler import compile_program

    _, text = library.load(game)
    players, constructs = 0, []
    findings: tuple[Finding, ...] = ()
    try:
        text = varied(text, merged(settings), dialect)
        checked = check_text(text, dialect, limits)
        findings, players, constructs = checked.findings, checked.players, _constructs(text)
        if not any(finding.stops for finding in findings):
            # Whether it fits into memory shows when its storage is laid out.
            compile_program(checked.program, limits, text)
    except ProgramMistake as mistake:
        findings = (mistake.finding, *findings)
    errors, warnings = [f for f in findings if f.stops], [f for f in findings if not f.stops]
    if json:
        answer = {"errors": [_finding(f, text) for f in errors], "warnings": [_finding(f, text) for f in warnings]}
        print_json({"ok": not errors, **answer, "players": players, "constructs": constructs})
    else:
        for finding in findings:
            print(f"{'error' if finding.stops else 'warning'}: {finding.mistake(text)}")
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


def _finding(finding: "Finding", text: str) -> dict[str, Any]:
    line, column = finding.line_and_column(text)
    return {"code": finding.code, "line": line, "column": column, "message": finding.problem}


def _constructs(text: str) -> list[str]:
    from meldlab.recycle.language.lexer import words

    return sorted({word.text for word in words(text) if word.sort == "keyword" or (word.sort == "sign" and word.text not in "(),:")})
