"""``meldlab recycle analyse`` and ``compare``: the picture of a game, and games side by side."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import RunOptions, open_store, out_folder
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.programs import GameArgument, PlayerKindOption, ProgramOptions, read_settings
from meldlab.errors import NotLegalHere
from meldlab.formatting import time_text

if TYPE_CHECKING:
    from meldlab.analysis.playing import Forecast
    from meldlab.analysis.study import Analysis, StudyConfig
    from meldlab.analysis.variant import Variant
    from meldlab.recycle.game import RecycleGame

WORTH_TELLING = 5.0  # seconds of computing
OutOption = Annotated[Path | None, out_folder("Folder for the page, tables and figures.")]


GamesOption = Annotated[
    int | None, typer.Option("--games", min=1, help="Games of each line-up.", show_default="100; quick 30, random ones 100")
]
SimulationsOption = Annotated[
    int | None, typer.Option("--simulations", min=1, help="Simulations per option.", show_default="1000; quick 20")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="Few games and weak players, for a first impression.")]


@dataclass(frozen=True)
class StudyOptions(RunOptions):
    """Options of studies of games."""

    games: GamesOption = None
    player: PlayerKindOption = "mcts"
    simulations: SimulationsOption = None
    quick: QuickOption = False
    out: OutOption = None

    @property
    def config(self) -> "StudyConfig":
        """Return the configuration of a study."""
        from meldlab.analysis.study import StudyConfig

        return StudyConfig.from_options(self.games, self.simulations, self.quick, self.player, self.seed)


def _estimate(variant: "Variant", options: StudyOptions) -> None:
    """Print the expected time and memory of the games of an analysis that are not in the store."""
    from meldlab.analysis.study import EXPERIMENT, missing_games, study_settings
    from meldlab.dry_run import study_cost
    from meldlab.runs.store import Store

    config = options.config
    missing = missing_games(variant, config, Store.find_run(options.store, EXPERIMENT, study_settings(variant, config)))
    print_estimate(variant.title, study_cost(variant, config, missing, options.threads), options.json)


def _analyse(variant: "Variant", options: StudyOptions) -> "Analysis":
    from meldlab.analysis.study import analyse
    from meldlab.parallel import core_count

    cores = 0 if options.cluster else options.threads or core_count()
    with progress_bar(variant.title) as show:
        return analyse(
            variant,
            options.config,
            open_store(options.store),
            jobs=options.threads,
            cluster=options.cluster,
            progress=show,
            on_forecast=lambda forecast: _print_forecast(forecast, variant.title, cores),
        )


def _print_forecast(forecast: "Forecast", title: str, cores: int) -> None:
    """Print the length of the random games and the expected time of the rest; exit if every random game failed."""
    import numpy as np

    random = forecast.random
    for why, count in random.reasons.items():
        print(f"{title}: {count} of {random.games} random games did not end: {why}", file=sys.stderr)
    if random.failed == random.games:
        print("error: every random game failed ('meldlab recycle run' shows where); nothing else was played", file=sys.stderr)
        raise typer.Exit(1)
    if forecast.seconds > WORTH_TELLING:
        length = f"{np.median(random.decisions):.0f} decisions in the median of {random.games} random games"
        where = f"on {cores} core{'s' if cores > 1 else ''}" if cores else "of one core"
        print(f"{title}: {length}; the rest will take about {time_text(forecast.seconds / max(1, cores))} {where}", file=sys.stderr)


def _end(analyses: "Sequence[Analysis]") -> None:
    """Print the failed games and their errors; the status is 1 if there are any."""
    failed = False
    for analysis in analyses:
        for name, sample in analysis.samples.items():
            if sample.failed:
                failed = True
                whys = ", ".join(f"{why} ({count})" for why, count in sample.reasons.items())
                line = f"error: {analysis.variant.title}, {name}: {sample.failed} of {sample.games} games failed: {whys}"
                print(line, file=sys.stderr)
    if failed:
        raise typer.Exit(1)


def analyse(game: GameArgument, options: StudyOptions, program: ProgramOptions) -> None:
    """Play a game many times and describe it: movement graph, branching, spread, lead, heuristics, on one page.

    Finished games are stored, so an interrupted analysis resumes.

    Example: meldlab recycle analyse block_rummy --quick --out block_rummy
    """
    from numpy import median

    from meldlab.analysis.heuristics import PUBLISHED_RULES
    from meldlab.analysis.variant import Variant

    variant = Variant(program.load(game, {}), read_settings(program.settings))
    if options.dry_run:
        _estimate(variant, options)
        return
    analysis = _analyse(variant, options)
    files: list[Path] = []
    if options.out is not None:
        from meldlab.analysis.page import write_analysis

        files = write_analysis(analysis, options.out)
    if options.json:
        print_json({**analysis.as_json(), "files": list(map(str, files))})
        _end([analysis])
        return
    print(f"{analysis.variant.title}: {analysis.random.seats} players, {analysis.seconds:.1f} s")
    for name, sample in analysis.samples.items():
        ends = f"{sample.games} games: finished {sample.finished}, capped {sample.capped}, failed {sample.failed}"
        wins = ", ".join(f"p{seat + 1} {share:.3f}" for seat, share in enumerate(sample.win_shares.mean(axis=0)))
        print(f"{name:28} {ends}; {median(sample.decisions):.0f} decisions in the median; wins {wins}")
    for heuristic in analysis.heuristics:
        print(f"{heuristic.name:13} {heuristic.interval or 'not defined'!s:28}  {heuristic.meaning}")
        if heuristic.published:
            print(f"{'as published':>13} {heuristic.published!s:28}  {PUBLISHED_RULES[heuristic.name]}")
    if resting := analysis.skilled.determinizations_text:
        print(f"an estimate rests on {resting}")
    if files:
        print(f"the page is {files[0]}")
    _end([analysis])


def compare(
    names: Annotated[list[str], typer.Argument(metavar="FILE|NAME", help="Files or games of the library.")],
    options: StudyOptions,
    program: ProgramOptions,
) -> None:
    """Put games, or a game and its variants, side by side: heuristics in a table, on parallel axes, and as a tree.

    Each --set adds a variant of every game that declares all of its names (several: --set A=1,B=2).

    Example: meldlab recycle compare gin_rummy --set LIMIT=0 --set LIMIT=25 --quick --out knocking
    """
    from numpy import median

    from meldlab.analysis.comparison import Comparison, arrow, write_comparison
    from meldlab.recycle.language.settings import parse_settings

    variants = _subjects([program.load(name, {}) for name in names], [parse_settings(text) for text in program.settings or []])
    if options.dry_run:
        for variant in variants:
            _estimate(variant, options)
        return
    comparison = Comparison([_analyse(variant, options) for variant in variants])
    files = write_comparison(comparison, options.out) if options.out is not None else []
    if options.json:
        print_json({**comparison.as_json(), "files": list(map(str, files))})
        _end(comparison.analyses)
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table("", *comparison.names)
    for name, row in comparison.intervals.items():
        shown.add_row(name, *(f"{cell}{arrow(cell, row[0])}" if cell else "not defined" for cell in row))
    # Next to the heuristics: the length of a game, and whether the seat matters.
    plain = [analysis.random for analysis in comparison.analyses]
    shown.add_row("decisions, median", *(f"{median(sample.decisions):.0f}" for sample in plain))
    shown.add_row("wins by seat", *(" ".join(f"{share:.2f}" for share in sample.win_shares.mean(axis=0)) for sample in plain))
    if any(rests_on := [analysis.skilled.determinizations_text for analysis in comparison.analyses]):
        shown.add_row("an estimate rests on", *rests_on)
    Console(width=None if Console().is_terminal else 40 + 30 * len(variants)).print(shown)
    if len(variants) > 1:
        print(f"▲ ▼: more, or less, than {comparison.names[0]} by more than chance; decisions and wins are of random games")
    if files:
        print(f"the page is {files[0]}")
    _end(comparison.analyses)


def _subjects(games: "list[RecycleGame]", settings: list[dict[str, int]]) -> "list[Variant]":
    """Return every game followed by its variants."""
    from meldlab.analysis.variant import Variant
    from meldlab.recycle.language.settings import declared_numbers

    declared = [declared_numbers(game.text, game.dialect) for game in games]
    for variant in settings:
        if not any(variant.keys() <= numbers.keys() for numbers in declared):
            known = "; ".join(f"{game.name}: {', '.join(numbers) or 'none'}" for game, numbers in zip(games, declared, strict=True))
            names = ",".join(f"{name}={value}" for name, value in variant.items())
            raise NotLegalHere(f"no game declares all numbers of {names} ({known})")
    return [
        Variant(game, variant)
        for game, numbers in zip(games, declared, strict=True)
        for variant in [{}, *settings]
        if variant.keys() <= numbers.keys()
    ]
