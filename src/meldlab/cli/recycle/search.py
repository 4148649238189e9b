"""``meldlab recycle search``: the variant of a game that is best under a designer's objective and constraints."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import RunOptions, open_store, out_folder
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.programs import GameArgument, PlayerKindOption, ProgramOptions
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.analysis.study import StudyConfig
    from meldlab.recycle.game import RecycleGame
    from meldlab.variants.effects import Effect
    from meldlab.variants.search import SearchResult, Trial
    from meldlab.variants.spec import SearchSpec


def search(
    game: GameArgument,
    options: RunOptions,
    program: ProgramOptions,
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
    out: Annotated[Path | None, out_folder("Folder for the page, tables and figures.")] = None,
) -> None:
    """Search the variants of a game, over its declared numbers, for the best value of a measure under constraints.

    All variants play the same deals, poor ones are stopped early, and the best is measured again on held-out deals. Finished games are
    stored: an interrupted search continues.

    Example: meldlab recycle search leduc_poker --vary BET=1..4 --vary RAISES=1..4 --maximise drama --require "fairness > 0.9" --games 20
    """
    from meldlab.analysis.study import StudyConfig
    from meldlab.analysis.variant import Variant
    from meldlab.runs.tasks import TaskRunner
    from meldlab.variants.runner import VariantRunner
    from meldlab.variants.search import SearchBudget
    from meldlab.variants.search import search as search_variants

    recycle_game = program.load(game)
    config = StudyConfig(games, player=player, simulations=simulations, seed=options.seed)
    budget = SearchBudget(trials, games, test_games or 2 * games)
    spec = _read_spec(recycle_game, config, vary or [], maximise, minimise, require or [])
    variant = Variant(recycle_game)
    max_games = min(budget.trials, spec.size) * budget.games + 2 * budget.test_games
    if options.dry_run:
        from meldlab.dry_run import study_cost

        missing = {line_up: max_games for line_up in config.line_ups(variant.machine.players).values() if line_up.searches}
        cost = study_cost(variant, config, missing, options.threads)
        print_estimate(f"{recycle_game.name}, {spec.objective}, if none is stopped early or stored", cost, options.json)
        return
    identity = {**variant.identity, **spec.as_json(), "player": config.searcher.name, "seed": config.seed}
    identity |= {"trials": budget.trials, "games": budget.games, "fresh": budget.test_games}
    with open_store(options.store).start_run("recycle search", identity) as run:
        with progress_bar(f"{recycle_game.name}, {spec.objective}") as show:
            runner = VariantRunner(config, TaskRunner(run, 2 * max_games, options.threads, options.cluster, show))
            result = search_variants(recycle_game, spec, budget, runner, lambda trial: _print_trial(trial, spec.objective.measure))
        answer = result.as_json()
        run.finish({key: answer[key] for key in ("winner", "front", "searched_games")})
    files: list[Path] = []
    if out is not None:
        from meldlab.variants.page import write_search

        files = write_search(result, out)
    if options.json:
        print_json({**answer, "files": list(map(str, files))})
    else:
        print_search(result)
        if files:
            print(f"the page is {files[0]}")
    if result.winner is None:
        print(f"error: no variant {_why_none(result)}", file=sys.stderr)
        raise typer.Exit(1)


def _read_spec(
    game: "RecycleGame", config: "StudyConfig", vary: list[str], maximise: str | None, minimise: str | None, require: list[str]
) -> "SearchSpec":
    """Return the objective, the constraints and the declared numbers to vary."""
    from meldlab.variants.spec import Constraint, IntRange, Objective, SearchSpec, verified_measure

    ranges, constraints = list(map(IntRange.parse, vary)), list(map(Constraint.parse, require))
    if maximise is not None and minimise is None:
        objective = Objective(verified_measure(maximise))
    elif minimise is not None and maximise is None:
        objective = Objective(verified_measure(minimise), -1)
    else:
        raise NotLegalHere("expected one objective: --maximise MEASURE or --minimise MEASURE")
    return SearchSpec.for_game(game, ranges, objective, constraints, config.algorithm != "random")


def _print_trial(trial: "Trial", objective: str) -> None:
    """Print the result of a variant."""
    interval = trial.measures[objective]
    value = f"{objective} {interval}" if interval else ""
    ended = trial.problem or (f"stopped after {trial.games} games: {trial.stopped}" if trial.stopped else "")
    print(f"{trial.number:3}  {trial.variant.settings_text:28} {value:36} {ended}".rstrip(), file=sys.stderr)


def _why_none(result: "SearchResult") -> str:
    """Return the reason why there is no winner."""
    constraints = " and ".join(map(str, result.spec.constraints))
    return f"fulfils {constraints}" if constraints else f"is a game with {result.spec.objective.measure}"


def _change(effect: "Effect", among: int) -> str:
    """Return the effect of a number on a measure as text."""
    change = effect.change
    if change is None:
        return ""
    return f"{change}{' *' * effect.significant(among)}" if change.value or change.low or change.high else "nothing"


def print_search(result: "SearchResult") -> None:
    """Print the front, the effects of the numbers, and the winner."""
    from rich.console import Console
    from rich.table import Table

    from meldlab.variants.effects import effects
    from meldlab.variants.measures import MEASURES

    objective, console = result.spec.objective.measure, Console(highlight=False, width=None if Console().is_terminal else 140)
    names = result.spec.measures
    front = Table("", *names, "fulfils all", "", title=f"{result.game.name}: the front of the best", title_justify="left")
    for trial in [*result.pareto_front, *result.ties]:
        front.add_row(
            trial.variant.settings_text,
            *(str(trial.measures[name]) for name in names),
            "yes" if result.spec.satisfied_by(trial.measures) else "no",
            "front" if trial in result.pareto_front else "as good, or chance",
        )
    console.print(front)
    all_effects = effects(result)
    table = Table("", *map(str, result.spec.ranges), title="what the numbers do, from the least to the most", title_justify="left")
    for name in MEASURES:
        table.add_row(name, *(_change(effect, len(all_effects)) for effect in all_effects if effect.measure == name))
    console.print(table)
    console.print(f"* not by chance, as one of {len(all_effects)}")
    played = f"{result.games_played:,} of {result.max_games:,} games of searching players were played"
    problems = sum(bool(trial.problem) for trial in result.trials)
    variants = f"{len(result.trials)} variants"
    saved = f"racing saved {result.share_saved:.0%}"
    console.print(f"{variants}, {problems} of them not playable; {played}: {saved}" if result.max_games else variants)
    if result.winner is None:
        return
    console.print(
        f"the winner is {result.winner.variant.settings_text}: {objective} {result.winner.measures[objective]} when it was chosen"
    )
    for trial, title in ((result.winner, "on held-out deals"), (result.baseline, "the game as written")):
        if trial.number in result.tested:
            games = result.tested[trial.number]
            console.print(f"  {title}: " + ", ".join(f"{name} {games.measure(name)}" for name in names))
    if result.gain is not None:
        console.print(f"  the difference in {objective} on these deals: {result.gain}")
