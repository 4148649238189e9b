"""``meldlab recycle search``: the variant of a game that is best under a designer's objective and constraints."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import ClusterOption, DryRunOption, JsonOption, SeedOption, StoreOption, ThreadsOption, open_store, out_folder
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, PlayerKindOption, SetOption, read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.analysis.study import Effort
    from meldlab.recycle.game import Described
    from meldlab.variants.effects import Effect
    from meldlab.variants.search import Attempt, Discovery, Sizes
    from meldlab.variants.spec import Wishes


def search(
    game: GameArgument,
    vary: Annotated[
        list[str] | None, typer.Option("--vary", metavar="NAME=LOW..HIGH", help="Declared number and its values; may be repeated.")
    ] = None,
    maximise: Annotated[str | None, typer.Option("--maximise", metavar="MEASURE", help="Measure to maximise, such as drama.")] = None,
    minimise: Annotated[str | None, typer.Option("--minimise", metavar="MEASURE", help="Measure to minimise, such as decisions.")] = None,
    require: Annotated[
        list[str] | None, typer.Option("--require", metavar="MEASURE>NUMBER", help="Constraint on a measure; may be repeated.")
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="Maximum number of variants.")] = 40,
    games: Annotated[int, typer.Option("--games", min=2, max=100_000, help="Deals of a variant that is not stopped early.")] = 60,
    test_games: Annotated[
        int | None,
        typer.Option("--test-games", min=2, max=1_000_000, help="Held-out deals of the winner.", show_default="twice as many"),
    ] = None,
    player: PlayerKindOption = "mcts",
    simulations: Annotated[int, typer.Option("--simulations", min=1, help="Simulations per option.")] = 20,
    seed: SeedOption = 0,
    store: StoreOption = None,
    cluster: ClusterOption = None,
    threads: ThreadsOption = 0,
    out: Annotated[Path | None, out_folder("Folder for the page, tables and figures.")] = None,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search the variants of a game, over its declared numbers, for the best value of a measure under constraints.

    All variants play the same deals, poor ones are stopped early, and the best is measured again on held-out deals. Finished games are
    stored: an interrupted search continues.

    Example: meldlab recycle search leduc_poker --vary BET=1..4 --vary RAISES=1..4 --maximise drama --require "fairness > 0.9" --games 20
    """
    from meldlab.analysis.study import Effort
    from meldlab.variants.runner import Workbench
    from meldlab.variants.search import Sizes
    from meldlab.variants.search import search as search_variants

    described = read_game(game, dialect, limits, settings)
    effort = Effort(games, player=player, simulations=simulations, seed=seed)
    sizes = Sizes(trials, games, test_games or 2 * games)
    objective = _read_objective(described, effort, vary or [], maximise, minimise, require or [])
    if dry_run:
        from meldlab.analysis.study import Subject
        from meldlab.dry_run import study_cost

        subject, games = Subject(described), min(sizes.trials, objective.size) * sizes.games + 2 * sizes.fresh
        missing = {line_up: games for line_up in effort.line_ups(subject.machine.players).values() if line_up.searches}
        cost = study_cost(subject, effort, missing, threads)
        print_estimate(f"{described.name}, {objective.aim}, if none is stopped early or stored", cost, json)
        return
    with open_store(store).search("recycle search", _settings(described, objective, effort, sizes)) as run:
        with progress_bar(f"{described.name}, {objective.aim}") as show:
            whole = (min(sizes.trials, objective.size) * sizes.games + 2 * sizes.fresh) * 2
            bench = Workbench(effort, run, threads, cluster, lambda games: show(min(games, whole), whole))
            discovery = search_variants(described, objective, sizes, bench, lambda attempt: _print_attempt(attempt, objective.aim.measure))
        answer = discovery.as_json()
        run.finish({key: answer[key] for key in ("winner", "front", "searched_games")})
    files: list[Path] = []
    if out is not None:
        from meldlab.variants.page import write_discovery

        files = write_discovery(discovery, out)
    if json:
        print_json({**answer, "files": list(map(str, files))})
    else:
        print_discovery(discovery)
        if files:
            print(f"the page is {files[0]}")
    if discovery.winner is None:
        print(f"error: no variant {_why_none(discovery)}", file=sys.stderr)
        raise typer.Exit(1)


def _read_objective(
    game: "Described", effort: "Effort", vary: list[str], maximise: str | None, minimise: str | None, require: list[str]
) -> "Wishes":
    """Return the objective, the constraints and the declared numbers to vary."""
    from meldlab.variants.spec import Aim, Demand, Span, Wishes, verified_measure

    spans, demands = list(map(Span.parse, vary)), list(map(Demand.parse, require))
    if maximise is not None and minimise is None:
        aim = Aim(verified_measure(maximise))
    elif minimise is not None and maximise is None:
        aim = Aim(verified_measure(minimise), -1)
    else:
        raise NotLegalHere("expected one objective: --maximise MEASURE or --minimise MEASURE")
    return Wishes.of(game, spans, aim, demands, effort.searcher.kind != "random")


def _settings(game: "Described", objective: "Wishes", effort: "Effort", sizes: "Sizes") -> dict[str, Any]:
    """Return the settings that identify the search when it is started again."""
    from dataclasses import asdict
    from hashlib import sha256

    from meldlab.analysis.playing import limits_of

    program = sha256(game.text.encode()).hexdigest()[:16]
    described = {"game": game.name, "program": program, "dialect": game.dialect, "limits": limits_of(game.limits)}
    return {**described, **objective.as_json(), "player": str(effort.searcher), "seed": effort.seed, **asdict(sizes)}


def _print_attempt(attempt: "Attempt", aim: str) -> None:
    """Print the result of a variant."""
    interval = attempt.measures[aim]
    value = f"{aim} {interval}" if interval else ""
    ended = attempt.problem or (f"stopped after {attempt.games} games: {attempt.stopped}" if attempt.stopped else "")
    print(f"{attempt.number:3}  {attempt.variant.name:28} {value:36} {ended}".rstrip(), file=sys.stderr)


def _why_none(discovery: "Discovery") -> str:
    """Return why there is no winner."""
    demands = " and ".join(map(str, discovery.wishes.demands))
    return f"fulfils {demands}" if demands else f"is a game with {discovery.wishes.aim.measure}"


def _change(effect: "Effect", among: int) -> str:
    """Return the effect of a number on a measure as text."""
    change = effect.change
    if change is None:
        return ""
    return f"{change}{' *' * effect.significant(among)}" if change.value or change.low or change.high else "nothing"


def print_discovery(discovery: "Discovery") -> None:
    """Print the front, the effects of the numbers, and the winner."""
    from rich.console import Console
    from rich.table import Table

    from meldlab.variants.effects import effects
    from meldlab.variants.measures import MEASURES

    aim, console = discovery.wishes.aim.measure, Console(highlight=False, width=None if Console().is_terminal else 140)
    shown_names = list(dict.fromkeys([aim, *(demand.measure for demand in discovery.wishes.demands)]))
    front = Table("", *shown_names, "fulfils all", "", title=f"{discovery.game.name}: the front of the best", title_justify="left")
    for attempt in [*discovery.front, *discovery.equals]:
        fulfils = "yes" if discovery.wishes.kept_by(attempt.measures) else "no"
        front.add_row(
            attempt.variant.name,
            *(str(attempt.measures[name]) for name in shown_names),
            fulfils,
            "front" if attempt in discovery.front else "as good, or chance",
        )
    console.print(front)
    all_effects = effects(discovery)
    spans = discovery.wishes.spans
    moved = Table("", *map(str, spans), title="what the numbers do, from the least to the most", title_justify="left")
    for name in MEASURES:
        row = [effect for effect in all_effects if effect.measure == name]
        moved.add_row(name, *(_change(effect, len(all_effects)) for effect in row))
    console.print(moved)
    console.print(f"* not by chance, as one of {len(all_effects)}")
    played = f"{discovery.played:,} of {discovery.whole:,} games of searching players were played: racing saved {discovery.saved:.0%}"
    out = sum(bool(attempt.problem) for attempt in discovery.attempts)
    console.print(
        f"{len(discovery.attempts)} variants, {out} of them not playable; {played}"
        if discovery.whole
        else f"{len(discovery.attempts)} variants"
    )
    if discovery.winner is None:
        return
    console.print(f"the winner is {discovery.winner.variant.name}: {aim} {discovery.winner.measures[aim]} when it was chosen")
    for attempt, says in ((discovery.winner, "on held-out deals"), (discovery.written, "the game as written")):
        if attempt.number in discovery.fresh:
            gathered = discovery.fresh[attempt.number]
            console.print(f"  {says}: " + ", ".join(f"{name} {gathered.measure(name)}" for name in shown_names))
    if discovery.gain is not None:
        console.print(f"  the difference in {aim} on these deals: {discovery.gain}")
