"""``meldlab recycle list``, ``new``, ``check``, ``show``, ``format`` and ``migrate``: the library and programs; the options of a game."""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json
from meldlab.errors import NotLegalHere, NotPossible

if TYPE_CHECKING:
    from meldlab.recycle import Limits
    from meldlab.recycle.game import RecycleGame
    from meldlab.recycle.match import RecycleMatch

GameArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help="File (.rcy, .gdl) or game of the library.")]
DialectOption = Annotated[Literal["0.6", "0.5"], typer.Option("--dialect", help="Dialect of the program; 0.5 for older ones.")]
LimitsOption = Annotated[str, typer.Option("--limits", metavar="NAME=NUMBER,...", help="Changed limits, such as decisions=500,cards=5000.")]
SetOption = Annotated[list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Declared number to change; may be repeated.")]
PlayerKindOption = Annotated[Literal["random", "pimc", "mcts", "ismcts"], typer.Option("--player", help="Kind of the searching players.")]
WriteOption = Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")]


@dataclass(frozen=True)
class ProgramOptions:
    """Options for the program of a game."""

    settings: SetOption = None
    dialect: DialectOption = "0.6"
    limits: LimitsOption = ""

    def read_limits(self) -> "Limits":
        """Return the limits."""
        from meldlab.recycle import Limits

        return Limits.parse(self.limits)

    def load(self, game: str, settings: dict[str, int] | None = None) -> "RecycleGame":
        """Return a game of the library or of a file with the changed numbers: those of the options, or ``settings``."""
        from meldlab.recycle.game import RecycleGame

        return RecycleGame.load(game, self.dialect, self.read_limits(), read_settings(self.settings) if settings is None else settings)


@dataclass(frozen=True)
class MatchOptions:
    """Options for matches of several deals."""

    target: Annotated[int | None, typer.Option("--target", min=1, help="Play matches until a total reaches this score.")] = None
    deals: Annotated[int | None, typer.Option("--deals", min=1, help="Play matches of this number of deals; 1: the program alone.")] = None

    def match(self, game: "RecycleGame", default: int | None = None) -> "RecycleMatch | RecycleGame":
        """Return a match of the game; without options one to the ``default`` target, or, if there is none, the game alone."""
        from meldlab.recycle.match import RecycleMatch

        if self.target is not None and self.deals is not None:
            raise NotLegalHere("--target and --deals exclude each other")
        target = default if self.target is None and self.deals is None else self.target
        return game if target is None and self.deals in (None, 1) else RecycleMatch(game, target, self.deals)


def read_settings(settings: list[str] | None) -> dict[str, int]:
    """Return the numbers of every ``--set``; for a repeated name the last one.

    >>> read_settings(["TARGET=100,ROUNDS=3", "ROUNDS=4"])
    {'TARGET': 100, 'ROUNDS': 4}
    """
    from meldlab.recycle.language.settings import parse_settings

    return {name: value for text in settings or [] for name, value in parse_settings(text).items()}


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


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write, such as my_game.rcy.")],
    like: Annotated[
        str, typer.Option("--like", metavar="NAME", help="Game of the library to copy; by default a small game with comments.")
    ] = "",
) -> None:
    """Write a complete small game to start from, each part of it explained, or a copy of a game of the library.

    Example: meldlab recycle new my_game.rcy --like block_rummy
    """
    from meldlab.recycle import library

    if file.suffix not in (".rcy", ".gdl", ".txt"):
        raise NotLegalHere(f"expected a file .rcy, got {file.name!r}")
    title = file.stem.replace("_", " ").replace("-", " ").title()
    text = library.entry(like).text if like else library.template(title)
    try:
        # "x" fails for an existing file, also if it appeared a moment ago.
        with file.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise NotPossible(f"{file} exists already; name a new file") from None
    except OSError as error:
        raise NotPossible(f"cannot write {file}: {error.strerror}") from None
    content = f"a copy of {like}" if like else "a small game with comments"
    print(f"{file} is {content}; next: meldlab recycle check {file}, meldlab recycle play {file}")


def check(
    game: GameArgument,
    program: ProgramOptions,
    games: Annotated[int, typer.Option("--games", min=0, help="Random games to play; 0 for none.")] = 300,
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
        text = with_settings(text, read_settings(program.settings), program.dialect)
        report = check_program(text, program.dialect, program.read_limits(), games)
    except ProgramError as error:
        report = Report((error.diagnostic,))
    errors = [diagnostic for diagnostic in report.diagnostics if diagnostic.is_error]
    warnings = [diagnostic for diagnostic in report.diagnostics if not diagnostic.is_error]
    options = ["--dialect", program.dialect] * (program.dialect != "0.6") + ["--limits", program.limits] * bool(program.limits)
    options += [word for setting in program.settings or [] for word in ("--set", setting)]
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
    game: GameArgument,
    program: ProgramOptions,
    compiled: Annotated[bool, typer.Option("--compiled", help="Print the tree, the instructions and the storage instead.")] = False,
    json: JsonOption = False,
) -> None:
    """Print the source of a game, or its compiled program.

    Example: meldlab recycle show kuhn_poker
    """
    from meldlab.recycle.machine.disassembly import instructions, storage, tree

    recycle_game = program.load(game)
    if not compiled:
        print_json({"game": recycle_game.name, "source": recycle_game.text}) if json else print(recycle_game.text.rstrip("\n"))
        return
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


def format_program(game: GameArgument, settings: SetOption = None, write: WriteOption = False) -> None:
    """Format a program; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    from meldlab.recycle import format_program as formatted
    from meldlab.recycle import parse

    text = _text(game, settings, "0.6")
    _print_or_write(formatted(parse(text), text), game, write)


def migrate(
    game: GameArgument,
    settings: SetOption = None,
    write: WriteOption = False,
    force: Annotated[bool, typer.Option("--force", help="Rewrite a program without any sign that it is of dialect 0.5.")] = False,
) -> None:
    """Rewrite a program of dialect 0.5 (players from 0, bare words in cycle, actual, tuples) as 0.6.

    Example: meldlab recycle migrate old_game.gdl
    """
    from meldlab.recycle import format_program, parse
    from meldlab.recycle.language import migration

    text = _text(game, settings, "0.5")
    tree = parse(text)
    if migration.is_new(tree) and not migration.is_old(tree):
        raise NotLegalHere(f"{game} is 0.6 already: it counts players from 1")
    if not (force or migration.is_old(tree)):
        marks = "no player or team 0, no bare word in cycle, no actual, no tuples"
        raise NotLegalHere(f"nothing in {game} is of 0.5: {marks}; if its players are counted from 0 all the same, --force rewrites it")
    _print_or_write(format_program(migration.migrate(tree), text), game, write)


def _text(game: str, settings: list[str] | None, dialect: str) -> str:
    from meldlab.recycle import library
    from meldlab.recycle.language.settings import with_settings

    return with_settings(library.load(game)[1], read_settings(settings), dialect)


def _print_or_write(text: str, game: str, write: bool) -> None:
    if not write:
        print(text, end="")
        return
    if not Path(game).is_file():
        raise NotPossible(f"{game} is not a file: only a file can be changed")
    Path(game).write_text(text, "utf-8")
