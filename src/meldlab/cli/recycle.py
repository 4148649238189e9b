"""``meldlab recycle``: card games described in RECYCLE, checked, run and played."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli import recycle_analysis, recycle_arena
from meldlab.cli.options import JsonOption, SeedOption, need_input, print_json
from meldlab.cli.recycle_analysis import SetOption
from meldlab.errors import MeldlabError, NotLegalHere

if TYPE_CHECKING:
    from meldlab.recycle.game import Described, State
    from meldlab.recycle.language.findings import Finding

app = typer.Typer(name="recycle", help="Card games described in RECYCLE: check, run and play them.", no_args_is_help=True)

GameArgument = Annotated[str, typer.Argument(metavar="FILE|NAME", help="A file (.rcy, .gdl) or a game of the library.")]
DialectOption = Annotated[str, typer.Option("--dialect", help="0.6, or 0.5 for older programs.")]
LimitsOption = Annotated[str, typer.Option("--limits", help="Limits to change, such as options=100000,cards=5000.")]

app.command("analyse")(recycle_analysis.analyse)
app.command("compare")(recycle_analysis.compare)
app.command("arena")(recycle_arena.arena)


@app.callback()
def recycle() -> None:
    """Card games described in RECYCLE: check, run and play them."""


@app.command("list")
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


@app.command()
def check(game: GameArgument, dialect: DialectOption = "0.6", limits: LimitsOption = "", json: JsonOption = False) -> None:
    """Check a program; errors stop (status 2), warnings do not.

    Example: meldlab recycle check block_rummy
    """
    from meldlab.recycle.game import load
    from meldlab.recycle.language.checker import check as check_text
    from meldlab.recycle.language.findings import Finding, ProgramMistake
    from meldlab.recycle.language.limits import Limits
    from meldlab.recycle.machine.compiler import compile_program

    _, text = load(game)
    sizes = Limits.parse(limits)
    players, constructs = 0, []
    findings: tuple[Finding, ...] = ()
    try:
        checked = check_text(text, dialect, sizes)
        findings, players, constructs = checked.findings, checked.players, _constructs(text)
        if not any(finding.stops for finding in findings):
            # Whether it fits into memory shows when its storage is laid out.
            compile_program(checked.program, sizes, text)
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


@app.command("format")
def format_program(
    game: GameArgument,
    write: Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")] = False,
) -> None:
    """Lay a program out anew; comments stay.

    Example: meldlab recycle format kuhn_poker
    """
    from meldlab.recycle.game import load
    from meldlab.recycle.language.printer import layout
    from meldlab.recycle.language.reader import read

    _, text = load(game)
    _print_or_write(layout(read(text), text), game, write)


@app.command()
def migrate(
    game: GameArgument,
    write: Annotated[bool, typer.Option("--write", help="Change the file instead of printing.")] = False,
) -> None:
    """Rewrite a program of dialect 0.5 (players from 0, bare words in cycle, actual, tuples) as 0.6.

    Example: meldlab recycle migrate old_game.gdl
    """
    from meldlab.recycle.game import load
    from meldlab.recycle.language.printer import layout
    from meldlab.recycle.language.reader import read

    _, text = load(game)
    _print_or_write(layout(read(text, "0.5"), text), game, write)


@app.command()
def show(game: GameArgument, dialect: DialectOption = "0.6", json: JsonOption = False) -> None:
    """Show what a program becomes: its tree, its instructions, and where its storage lies.

    Example: meldlab recycle show kuhn_poker
    """
    from meldlab.recycle.machine.disassembly import instructions, storage, tree

    described = _described(game, dialect, "")
    machine = described.machine
    if json:
        print_json({"game": described.name, "tree": tree(machine), "bytecode": instructions(machine), "storage": storage(machine)})
        return
    print("\n".join(["tree", *tree(machine), "", "instructions", *instructions(machine), "", "storage", *storage(machine)]))


@app.command()
def run(
    game: GameArgument,
    games: Annotated[int, typer.Option("--games", min=1, help="How many games.")] = 1000,
    seed: SeedOption = 0,
    players: Annotated[str, typer.Option("--players", help="One for each seat, or one for all: random, pimc, mcts:200 ...")] = "random",
    threads: Annotated[int, typer.Option("--threads", min=1, max=256, help="Threads to play on.")] = 1,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    settings: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Play many games and count.

    Example: meldlab recycle run hearts --games 10000 --seed 1 --json
    """
    from meldlab.lab.arena.outcome import Outcome
    from meldlab.recycle.players import parse

    described = _described(game, dialect, limits, settings)
    machine = described.machine
    searchers = [parse(name) for name in players.split(",")]
    if len(searchers) not in (1, machine.players):
        raise NotLegalHere(f"{described.name} has {machine.players} seats, not {len(searchers)}")
    outcome = Outcome.start(described.name, machine, searchers * (machine.players // len(searchers)))
    for first, many in _rounds(games, described.name, threads if outcome.searching else 20_000):
        outcome.play(many, seed, threads, first)
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


@app.command()
def play(
    game: GameArgument,
    seat: Annotated[int, typer.Option("--seat", min=1, help="Your seat.")] = 1,
    against: Annotated[str, typer.Option("--against", help="Who sits at the other seats: random, pimc:100, mcts:100 ...")] = "random",
    seed: SeedOption = 0,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
) -> None:
    """Play a game yourself against random players or others; you see what your seat may see.

    Example: meldlab recycle play kuhn_poker --seat 1
    """
    from meldlab.play import Deal
    from meldlab.recycle.players import parse

    need_input()
    described = _described(game, dialect, limits)
    other = parse(against)
    if seat > described.machine.players:
        raise NotLegalHere(f"{described.name} has seats 1 to {described.machine.players}, not {seat}")
    deal = Deal(seed)
    state, step = described.start(described.machine.players, deal), 0
    while (acting := state.seat) is not None:
        if acting == seat - 1:
            option = _ask(state, seat)
        else:
            option = other.choose(state.view(acting), deal.chance(step, acting))
            print(f"p{acting + 1}: {state.heard(option, seat - 1)}")
        state, step = state.apply(option), step + 1
    result = state.result
    assert result is not None
    print("scores " + ", ".join(f"p{number} {score}" for number, score in enumerate(result.scores, 1)))
    winners = ", ".join(f"p{winner + 1}" for winner in result.winners)
    print(f"won by {winners}" if winners else result.reason)


@app.command()
def transcript(
    game: GameArgument,
    seed: SeedOption = 0,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    json: JsonOption = False,
) -> None:
    """Print every move of one game between random players.

    Example: meldlab recycle transcript scopa --seed 3
    """
    from meldlab.recycle.telling.transcript import transcribe

    described = _described(game, dialect, limits)
    lines = transcribe(described.machine, seed)
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


@app.command()
def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Option("--depth", min=0, max=60, help="Decisions to look ahead.")] = 4,
    seed: SeedOption = 0,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    json: JsonOption = False,
) -> None:
    """Count the histories of a game: all ways to make so many decisions, or fewer where the game ends before.

    Example: meldlab recycle perft kuhn_poker --depth 3
    """
    described = _described(game, dialect, limits)
    counts = described.machine.histories(seed, depth)
    total = counts[depth][0] + sum(ended for _, ended in counts[:depth])
    if json:
        levels = [{"depth": level, "histories": histories, "ended": ended} for level, (histories, ended) in enumerate(counts)]
        print_json({"game": described.name, "seed": seed, "depth": depth, "histories": total, "levels": levels})
        return
    for level, (histories, ended) in enumerate(counts):
        print(f"{level:3} decisions {histories:15,} histories {ended:15,} of them end the game")
    print(f"{total:,} histories of {depth} decisions, or fewer and complete")


# --- what the verbs share


def _described(name: str, dialect: str, limits: str, settings: list[str] | None = None) -> "Described":
    from meldlab.recycle.game import Described
    from meldlab.recycle.language.limits import Limits
    from meldlab.recycle.language.variants import parse_settings, varied

    described = Described.named(name, dialect, Limits.parse(limits))
    return replace(described, text=varied(described.text, parse_settings(settings or []), dialect))


def _rounds(games: int, title: str, most: int) -> Iterator[tuple[int, int]]:
    """Cut a long run into pieces of (first game, games), with a bar on a terminal; games are cheap where a piece may be large."""
    from rich.console import Console
    from rich.progress import Progress

    size = min(most, games // 50) if games > 5000 else min(most, games)
    with Progress(console=Console(stderr=True), transient=True, disable=size == games or not sys.stderr.isatty()) as progress:
        bar = progress.add_task(title, total=games)
        for first in range(0, games, size):
            many = min(size, games - first)
            yield first, many
            progress.advance(bar, many)


def _finding(finding: "Finding", text: str) -> dict[str, Any]:
    line, column = finding.place(text)
    return {"code": finding.code, "line": line, "column": column, "message": finding.problem}


def _constructs(text: str) -> list[str]:
    from meldlab.recycle.language.words import words

    return sorted({word.text for word in words(text) if word.sort == "keyword" or (word.sort == "sign" and word.text not in "(),:")})


def _print_or_write(text: str, game: str, write: bool) -> None:
    if not write:
        print(text, end="")
        return
    if not Path(game).is_file():
        raise NotLegalHere(f"{game} is no file that could be written")
    Path(game).write_text(text, "utf-8")


def _ask(state: "State", seat: int) -> Any:
    """Show a person the table and the options, and read a choice."""
    view = state.view(seat - 1)
    print()
    for name, cards in view.places:
        print(f"  {name:24} {' '.join(cards) if len(set(cards)) > 1 or not cards[0].startswith('??') else f'{len(cards)} x {cards[0]}'}")
    if view.cells:
        print("  " + ", ".join(f"{name} {value}" for name, value in view.cells))
    for option in view.legal_actions():
        print(f"  {option.number:3}  {option}")
    while True:
        text = typer.prompt(f"p{seat}")
        try:
            return state.parse(text)
        except MeldlabError:
            print(f"  an option is a number from 1 to {len(view.legal_actions())}, or its words")
