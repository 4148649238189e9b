"""``meldlab tune track|knock|ensemble``: the three experiments of the paper's section 5."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import (
    ClusterOption,
    DryRunOption,
    JsonOption,
    SeedOption,
    StoreOption,
    ThreadsOption,
    open_store,
    print_cost,
    print_json,
    taking,
)
from meldlab.cli.outputs import out_folder
from meldlab.cli.tune.meter import metered

if TYPE_CHECKING:
    from meldlab.arena.evaluation import RunEvaluator
    from meldlab.reproduce.nagai.report import Report

Run = Callable[[str, dict[str, Any], int, Callable[["RunEvaluator"], "Report"]], None]
SizeOption = Annotated[bool, typer.Option("--full/--quick", help="The paper's size, or the shape of the result in about two minutes.")]
OutOption = Annotated[Path | None, out_folder("A folder for the figure, as SVG and PNG with its data beside it.")]


def read_run(
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: OutOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> Run:
    """Return what runs a search through the store, prints its report, and draws its figure."""

    def run_search(name: str, settings: dict[str, Any], planned: int, search: Callable[["RunEvaluator"], "Report"]) -> None:
        if dry_run:
            from meldlab.dry_run import TYPICAL, tuning_cost

            print_cost(f"tune {name}", tuning_cost(TYPICAL[name], planned, threads), json)
            return
        from meldlab.arena.evaluation import RunEvaluator, warm_up

        with open_store(store).start_run(name, settings) as run:
            warm_up()
            evaluator = RunEvaluator(run, planned, threads, cluster)
            with metered(name, evaluator):
                report = search(evaluator)
            run.finish(report.as_json())
        answer = {"run": run.number, "settings": settings, **report.as_json()}
        if out is not None:
            from meldlab.reproduce.nagai.figures import draw

            answer["files"] = [str(path) for path in draw(report.as_json(), out)]
        if json:
            print_json(answer)
            return
        print_report(report)
        for path in answer.get("files", ()):
            print(f"wrote {path}")

    return run_search


@taking(run=read_run)
def track(
    run: Run,
    full: SizeOption = False,
    seed: SeedOption = 0,
    generations: Annotated[
        int, typer.Option("--generations", min=0, help="Of each run; 0: 15 quick, 50 full (the paper does not say).")
    ] = 0,
) -> None:
    """Tune state tracking by a genetic algorithm (section 5.1, Figure 1).

    Example: meldlab tune track --quick --out figures
    """
    from dataclasses import asdict, replace

    from meldlab.reproduce.nagai.tracking import FULL, QUICK, search_trackers

    size = FULL if full else QUICK
    size = replace(size, generations=generations or size.generations)

    def search(work: "RunEvaluator") -> "Report":
        return search_trackers(work, size, seed)

    run("track", {**asdict(size), "seed": seed}, size.planned(), search)


@taking(run=read_run)
def knock(
    run: Run,
    full: SizeOption = False,
    seed: SeedOption = 0,
) -> None:
    """Search the knocking thresholds, one stage and two (section 5.2, Figure 2).

    Example: meldlab tune knock --quick --out figures
    """
    from dataclasses import asdict

    from meldlab.reproduce.nagai.knocking import FULL, QUICK, search_knocks

    size = FULL if full else QUICK

    def search(work: "RunEvaluator") -> "Report":
        return search_knocks(work, size, seed)

    run("knock", {**asdict(size), "seed": seed}, size.planned(), search)


@taking(run=read_run)
def ensemble(
    run: Run,
    full: SizeOption = False,
    seed: SeedOption = 0,
    base: Annotated[str, typer.Option("--base", help="The preset to start from; the paper's is not published.")] = "base",
) -> None:
    """Run the five grid searches: three iterations of whole grids and races, or one iteration raced (section 5.3).

    Example: meldlab tune ensemble --quick --out figures
    """
    from dataclasses import asdict

    from meldlab.gin.players import Ensemble
    from meldlab.reproduce.nagai.ensemble import FULL, QUICK, search_ensembles

    size = FULL if full else QUICK
    Ensemble.preset(base)

    def search(work: "RunEvaluator") -> "Report":
        return search_ensembles(work, size, seed, base)

    run("ensemble", {**asdict(size), "base": base, "seed": seed}, size.planned(), search)


def print_report(report: "Report") -> None:
    """Print the paper's figures, ours, and whether they agree."""
    from rich.console import Console
    from rich.table import Table

    table = Table("what", "the paper", "ours (95 %)", "", title=f"tune {report.experiment}", title_justify="left")
    for one in report.findings:
        table.add_row(one.what, one.paper, one.ours, one.verdict)
    console = Console(highlight=False)
    console.print(table)
    for note in report.notes:
        console.print(note, soft_wrap=True)
