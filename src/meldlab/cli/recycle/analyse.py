"""``meldlab recycle analyse`` and ``compare``: the picture of a game, and games side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import ClusterOption, JobsOption, JsonOption, SeedOption, StoreOption, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.recycle.options import SetOption
from meldlab.errors import NoSuchThing, NotLegalHere

if TYPE_CHECKING:
    from meldlab.lab.analysis.study import Analysis, Effort, Subject

__all__ = ["GamesOption", "PlayerOption", "QuickOption", "SimulationsOption", "analyse", "compare"]

GamesOption = Annotated[
    int | None, typer.Option("--games", min=1, help="Games of each line-up. [default: 100; quick: 30, random ones 100]", show_default=False)
]
PlayerOption = Annotated[str, typer.Option("--player", help="Who searches: random, pimc, mcts or ismcts.")]
SimulationsOption = Annotated[
    int | None, typer.Option("--simulations", min=1, help="Simulations for each option. [default: 1000, quick 20]", show_default=False)
]
QuickOption = Annotated[bool, typer.Option("--quick", help="A first look: few games, weak players.")]


def analyse(
    game: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A file (.rcy, .gdl) or a game of the library.")],
    games: GamesOption = None,
    player: PlayerOption = "mcts",
    simulations: SimulationsOption = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write page, tables and figures into this folder.")] = None,
    quick: QuickOption = False,
    settings: SetOption = None,
    seed: SeedOption = 0,
    dialect: Annotated[str, typer.Option("--dialect", help="0.6, or 0.5 for older programs.")] = "0.6",
    limits: Annotated[str, typer.Option("--limits", help="Limits to change, such as decisions=500.")] = "",
    store: StoreOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = 0,
    json: JsonOption = False,
) -> None:
    """Play a game many times and show what it is like: movement graph, branching, spread, lead, heuristics, on one page.

    Finished games are kept, so an interrupted analysis goes on where it stopped.

    Example: meldlab recycle analyse block_rummy --quick --out block_rummy
    """
    from meldlab.recycle.language.variants import parse_settings

    subject = _subject(game, parse_settings(settings or []), dialect, limits)
    analysis = _analysed(subject, _effort(games, simulations, quick, player, seed), store, cluster, jobs)
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


def compare(
    names: Annotated[list[str], typer.Argument(metavar="FILE|NAME ...", help="Files or games of the library.")],
    games: GamesOption = None,
    player: PlayerOption = "mcts",
    simulations: SimulationsOption = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Write page, table and figures into this folder.")] = None,
    quick: QuickOption = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Add a variant with this declared number (several: A=1,B=2); can be repeated."),
    ] = None,
    seed: SeedOption = 0,
    dialect: Annotated[str, typer.Option("--dialect", help="0.6, or 0.5 for older programs.")] = "0.6",
    limits: Annotated[str, typer.Option("--limits", help="Limits to change, such as decisions=500.")] = "",
    store: StoreOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = 0,
    json: JsonOption = False,
) -> None:
    """Put games, or a game and its variants, side by side: heuristics in a table, on parallel axes, and as a tree.

    Each --set adds a variant of every game that declares all of its names.

    Example: meldlab recycle compare gin_rummy --set LIMIT=0 --set LIMIT=25 --quick --out knocking
    """
    from meldlab.lab.analysis.comparison import Comparison, write_comparison

    subjects = _subjects(names, settings or [], dialect, limits)
    effort = _effort(games, simulations, quick, player, seed)
    comparison = Comparison([_analysed(subject, effort, store, cluster, jobs) for subject in subjects])
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


def _subject(name: str, settings: dict[str, int], dialect: str, limits: str) -> "Subject":
    from meldlab.lab.analysis.study import Subject
    from meldlab.recycle.game import Described
    from meldlab.recycle.language.limits import Limits
    from meldlab.recycle.language.reader import DIALECTS

    # Before a run is begun in the store; the reader would refuse it too.
    if dialect not in DIALECTS:
        raise NoSuchThing("dialect", dialect, DIALECTS)
    return Subject.of(Described.named(name, dialect, Limits.parse(limits)), settings)


def _subjects(names: list[str], settings: list[str], dialect: str, limits: str) -> "list[Subject]":
    """Return every game followed by its variants."""
    from meldlab.recycle.language.variants import declared_numbers, parse_settings

    found, variants = [], [parse_settings([text]) for text in settings]
    for name in names:
        plain = _subject(name, {}, dialect, limits)
        numbers = declared_numbers(plain.described.text, dialect)
        found += [plain, *(_subject(name, variant, dialect, limits) for variant in variants if variant.keys() <= numbers.keys())]
    for text, variant in zip(settings, variants, strict=True):
        if not any(subject.settings == variant for subject in found):
            known = {name: list(declared_numbers(_subject(name, {}, dialect, limits).described.text, dialect)) for name in names}
            told = "; ".join(f"{name}: {', '.join(numbers) or 'none'}" for name, numbers in known.items())
            raise NotLegalHere(f"no game declares all numbers of {text} ({told})")
    return found


def _effort(games: int | None, simulations: int | None, quick: bool, player: str, seed: int) -> "Effort":
    from meldlab.lab.analysis.study import Effort

    return Effort.of(games, simulations, quick, player, seed)


def _analysed(subject: "Subject", effort: "Effort", store: str | None, cluster: str | None, jobs: int) -> "Analysis":
    from meldlab.lab.analysis.study import analyse as study
    from meldlab.lab.runs.store import Store

    with progress_bar(subject.title) as bar:
        how: dict[str, Any] = {} if bar is None else {"progress": bar}
        return study(subject, effort, Store.open(store), jobs=jobs, cluster=cluster, **how)
