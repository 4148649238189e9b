"""``meldlab recycle analyse`` and ``compare``: the picture of a game, and games side by side."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import (
    ClusterOption,
    DryRunOption,
    JsonOption,
    SeedOption,
    StoreOption,
    ThreadsOption,
    one_of,
    open_store,
    print_cost,
    print_json,
    taking,
)
from meldlab.cli.outputs import out_folder
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, merged, read_game
from meldlab.errors import NotLegalHere
from meldlab.formatting import time_text

if TYPE_CHECKING:
    from meldlab.analysis.forecast import Forecast
    from meldlab.analysis.study import Analysis, Effort, Subject
    from meldlab.recycle.game import Described

WORTH_TELLING = 5.0  # seconds of computing
Study = Callable[["Subject", "Effort", bool], "Analysis | None"]
OutOption = Annotated[Path | None, out_folder("Write page, tables and figures into this folder.")]


def read_effort(
    games: Annotated[
        int | None,
        typer.Option("--games", min=1, help="Games of each line-up.", show_default="100; quick 30, random ones 100"),
    ] = None,
    player: Annotated[str, typer.Option("--player", **one_of("player", "random", "pimc", "mcts", "ismcts"), help="Who searches.")] = "mcts",
    simulations: Annotated[
        int | None, typer.Option("--simulations", min=1, help="Simulations for each option.", show_default="1000; quick 20")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A first look: few games, weak players.")] = False,
    seed: SeedOption = 0,
) -> "Effort":
    """Return how much is played, by whom."""
    from meldlab.analysis.study import Effort

    return Effort.of(games, simulations, quick, player, seed)


def read_study(
    store: StoreOption = None, cluster: ClusterOption = None, threads: ThreadsOption = 0, dry_run: DryRunOption = False
) -> Study:
    """Return how a game is analysed: where its games are kept and played, or only what that would take."""

    def study(subject: "Subject", effort: "Effort", json: bool) -> "Analysis | None":
        if dry_run:
            from meldlab.analysis.study import EXPERIMENT, missing_games, settings_of
            from meldlab.dry_run import study_cost
            from meldlab.runs.store import Store

            missing = missing_games(subject, effort, Store.find_run(store, EXPERIMENT, settings_of(subject, effort)))
            print_cost(subject.title, study_cost(subject, effort, missing, threads), json)
            return None

        from meldlab.analysis.study import analyse
        from meldlab.parallel import core_count

        def foretell(forecast: "Forecast") -> None:
            _foretell(forecast, subject.title, 0 if cluster else threads or core_count())

        with progress_bar(subject.title) as show:
            return analyse(subject, effort, open_store(store), jobs=threads, cluster=cluster, progress=show, foretell=foretell)

    return study


def _foretell(forecast: "Forecast", title: str, cores: int) -> None:
    """Say what the random games were like and how long the rest will take; where none of them went by its rules, stop."""
    import numpy as np

    random = forecast.random
    for why, many in random.reasons.items():
        print(f"{title}: {many} of {random.games} random games did not end: {why}", file=sys.stderr)
    if random.failed == random.games:
        print("error: every random game failed ('meldlab recycle run' shows where); nothing else was played", file=sys.stderr)
        raise typer.Exit(1)
    if forecast.seconds > WORTH_TELLING:
        length = f"{np.median(random.decisions):.0f} decisions in the median of {random.games} random games"
        where = f"on {cores} core{'s' if cores > 1 else ''}" if cores else "of one core"
        print(f"{title}: {length}; the rest will take about {time_text(forecast.seconds / max(1, cores))} {where}", file=sys.stderr)


def _end(analyses: "Sequence[Analysis]") -> None:
    """Say which games failed and why; where any did, the status is 1."""
    failed = False
    for analysis in analyses:
        for name, sample in analysis.samples.items():
            if sample.failed:
                failed = True
                whys = ", ".join(f"{why} ({many})" for why, many in sample.reasons.items())
                line = f"error: {analysis.subject.title}, {name}: {sample.failed} of {sample.games} games failed: {whys}"
                print(line, file=sys.stderr)
    if failed:
        raise typer.Exit(1)


@taking(effort=read_effort, study=read_study)
def analyse(
    game: GameArgument,
    effort: "Effort",
    study: "Study",
    out: OutOption = None,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    json: JsonOption = False,
) -> None:
    """Play a game many times and show what it is like: movement graph, branching, spread, lead, heuristics, on one page.

    Finished games are kept, so an interrupted analysis goes on where it stopped.

    Example: meldlab recycle analyse block_rummy --quick --out block_rummy
    """
    from numpy import median

    from meldlab.analysis.heuristics import PUBLISHED_RULES
    from meldlab.analysis.study import Subject

    analysis = study(Subject.of(read_game(game, dialect, limits), merged(settings)), effort, json)
    if analysis is None:
        return
    files: list[Path] = []
    if out is not None:
        from meldlab.analysis.page import write_analysis

        files = write_analysis(analysis, out)
    if json:
        print_json({**analysis.as_json(), "files": list(map(str, files))})
        _end([analysis])
        return
    print(f"{analysis.subject.title}: {analysis.random.seats} players, {analysis.seconds:.1f} s")
    for name, sample in analysis.samples.items():
        ends = f"{sample.games} games: finished {sample.finished}, capped {sample.capped}, failed {sample.failed}"
        wins = ", ".join(f"p{seat + 1} {share:.3f}" for seat, share in enumerate(sample.win_shares.mean(axis=0)))
        print(f"{name:28} {ends}; {median(sample.decisions):.0f} decisions in the median; wins {wins}")
    for each in analysis.heuristics:
        print(f"{each.name:13} {each.interval or 'not defined'!s:28}  {each.meaning}")
        if each.published:
            print(f"{'as published':>13} {each.published!s:28}  {PUBLISHED_RULES[each.name]}")
    if analysis.determinizations:
        print(f"an estimate rests on {analysis.determinizations_text}")
    if files:
        print(f"the page is {files[0]}")
    _end([analysis])


@taking(effort=read_effort, study=read_study)
def compare(
    names: Annotated[list[str], typer.Argument(metavar="FILE|NAME ...", help="Files or games of the library.")],
    effort: "Effort",
    study: "Study",
    out: OutOption = None,
    settings: SetOption = None,
    dialect: DialectOption = "0.6",
    limits: LimitsOption = "",
    json: JsonOption = False,
) -> None:
    """Put games, or a game and its variants, side by side: heuristics in a table, on parallel axes, and as a tree.

    Each --set adds a variant of every game that declares all of its names (several: --set A=1,B=2).

    Example: meldlab recycle compare gin_rummy --set LIMIT=0 --set LIMIT=25 --quick --out knocking
    """
    from numpy import median

    from meldlab.analysis.comparison import Comparison, arrow, write_comparison

    subjects = _subjects([read_game(name, dialect, limits) for name in names], settings or [])
    analyses = [study(subject, effort, json) for subject in subjects]
    if None in analyses:
        return
    comparison = Comparison([one for one in analyses if one is not None])
    files = write_comparison(comparison, out) if out is not None else []
    if json:
        print_json({**comparison.as_json(), "files": list(map(str, files))})
        _end(comparison.analyses)
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table("", *comparison.names)
    for name, row in comparison.intervals.items():
        shown.add_row(name, *(f"{each}{arrow(each, row[0])}" if each else "not defined" for each in row))
    # Beside the heuristics, what is asked first: how long a game is, and whether it matters where one sits.
    plain = [analysis.random for analysis in comparison.analyses]
    shown.add_row("decisions, median", *(f"{median(sample.decisions):.0f}" for sample in plain))
    shown.add_row("wins by seat", *(" ".join(f"{share:.2f}" for share in sample.win_shares.mean(axis=0)) for sample in plain))
    Console(width=None if Console().is_terminal else 40 + 30 * len(subjects)).print(shown)
    if len(subjects) > 1:
        print(f"▲ ▼: more, or less, than {comparison.names[0]} by more than chance; the last two rows are of random games")
    if files:
        print(f"the page is {files[0]}")
    _end(comparison.analyses)


def _subjects(games: "list[Described]", settings: list[dict[str, int]]) -> "list[Subject]":
    """Return every game followed by its variants."""
    from meldlab.analysis.study import Subject
    from meldlab.recycle.language.variants import declared_numbers

    declared = [declared_numbers(game.text, game.dialect) for game in games]
    for variant in settings:
        if not any(variant.keys() <= numbers.keys() for numbers in declared):
            known = "; ".join(f"{game.name}: {', '.join(numbers) or 'none'}" for game, numbers in zip(games, declared, strict=True))
            wanted = ",".join(f"{name}={value}" for name, value in variant.items())
            raise NotLegalHere(f"no game declares all numbers of {wanted} ({known})")
    return [
        Subject.of(game, variant)
        for game, numbers in zip(games, declared, strict=True)
        for variant in [{}, *settings]
        if variant.keys() <= numbers.keys()
    ]
