"""``meldlab recycle analyse`` and ``compare``: the picture of a game, and games side by side."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meldlab.cli.options import ClusterOption, JsonOption, SeedOption, StoreOption, ThreadsOption, one_of, print_json, taking
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import DialectOption, GameArgument, LimitsOption, SetOption, merged, read_game
from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.lab.analysis.study import Analysis, Effort, Subject
    from meldlab.recycle.game import Described

Study = Callable[["Subject", "Effort"], "Analysis"]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write page, tables and figures into this folder.")]


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
    from meldlab.lab.analysis.study import Effort

    return Effort.of(games, simulations, quick, player, seed)


def read_study(store: StoreOption = None, cluster: ClusterOption = None, threads: ThreadsOption = 0) -> Study:
    """Return how a game is analysed: where its games are kept and played."""

    def study(subject: "Subject", effort: "Effort") -> "Analysis":
        from meldlab.lab.analysis.study import analyse
        from meldlab.lab.runs.store import Store

        with progress_bar(subject.title) as show:
            return analyse(subject, effort, Store.open(store), jobs=threads, cluster=cluster, progress=show)

    return study


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
    from meldlab.lab.analysis.study import Subject

    analysis = study(Subject.of(read_game(game, dialect, limits), merged(settings)), effort)
    files: list[Path] = []
    if out is not None:
        from meldlab.lab.analysis.page import write_analysis

        files = write_analysis(analysis, out)
    if json:
        print_json({**analysis.as_json(), "files": list(map(str, files))})
        return
    print(f"{analysis.subject.title}: {analysis.random.seats} players, {analysis.seconds:.1f} s")
    for name, sample in analysis.samples.items():
        ends = f"{sample.games} games: finished {sample.finished}, capped {sample.capped}, failed {sample.failed}"
        wins = ", ".join(f"p{seat + 1} {share:.3f}" for seat, share in enumerate(sample.win_shares.mean(axis=0)))
        print(f"{name:28} {ends}; {sample.decisions.mean():.1f} decisions; wins {wins}")
    for each in analysis.heuristics:
        print(f"{each.name:13} {each.interval or 'not defined'!s:28}  {each.meaning}")
        if each.published:
            print(f"{'as published':>13} {each.published!s:28}  The same by seats, a tie being a whole win for each.")
    if files:
        print(f"the page is {files[0]}")


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
    from meldlab.lab.analysis.comparison import Comparison, write_comparison

    subjects = _subjects([read_game(name, dialect, limits) for name in names], settings or [])
    comparison = Comparison([study(subject, effort) for subject in subjects])
    files = write_comparison(comparison, out) if out is not None else []
    if json:
        print_json({**comparison.as_json(), "files": list(map(str, files))})
        return
    from rich.console import Console
    from rich.table import Table

    shown = Table("", *comparison.names)
    for name, row in comparison.intervals.items():
        shown.add_row(name, *(str(each) if each else "not defined" for each in row))
    Console(width=None if Console().is_terminal else 40 + 30 * len(subjects)).print(shown)
    if files:
        print(f"the page is {files[0]}")


def _subjects(games: "list[Described]", settings: list[dict[str, int]]) -> "list[Subject]":
    """Return every game followed by its variants."""
    from meldlab.lab.analysis.study import Subject
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
