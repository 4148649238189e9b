"""``meldlab recycle list``, ``check`` and ``show``: the library, the errors of a program, the compiled program."""

from typing import TYPE_CHECKING, Any

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, read_game, read_limits, read_settings

if TYPE_CHECKING:
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
    """Check a program and play 300 random games of it; errors stop (status 2), warnings do not.

    Example: meldlab recycle check block_rummy
    """
    from meldlab.recycle import library
    from meldlab.recycle.language.findings import ProgramMistake
    from meldlab.recycle.language.variants import varied
    from meldlab.recycle.playtest import CheckReport, check_and_play

    _, text = library.load(game)
    try:
        text = varied(text, read_settings(settings), dialect)
        report = check_and_play(text, dialect, read_limits(limits))
    except ProgramMistake as error:
        report = CheckReport((error.finding,))
    findings, checked, played = report.findings, report.checked, report.played
    players = checked.players if checked else 0
    errors, warnings = [f for f in findings if f.stops], [f for f in findings if not f.stops]
    if json:
        answer = {"errors": [_finding(f, text) for f in errors], "warnings": [_finding(f, text) for f in warnings]}
        numbers = {name: getattr(played, name, 0) for name in ("games", "finished", "capped", "failed")}
        constructs = _constructs(text) if checked else []
        print_json({"ok": report.ok, **answer, "players": players, "constructs": constructs, "random_games": numbers})
    else:
        for finding in findings:
            print(f"{'error' if finding.stops else 'warning'}: {finding.mistake(text)}")
        count = f"{len(errors)} error{'s' * (len(errors) != 1)}, {len(warnings)} warning{'s' * (len(warnings) != 1)}"
        print(f"{game}: {'not to be run' if errors else f'{players} players'}; {count}")
    if errors:
        raise typer.Exit(2)


def show(
    game: GameArgument, settings: SetOption = None, dialect: DialectOption = "0.6", limits: LimitsOption = "", json: JsonOption = False
) -> None:
    """Show the compiled program: its tree, its instructions, and its storage.

    Example: meldlab recycle show kuhn_poker
    """
    from meldlab.recycle.machine.disassembly import instructions, storage, tree

    described = read_game(game, dialect, limits, settings)
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
