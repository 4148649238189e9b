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
    from meldlab.arena.evaluation import Work

Run = Callable[[str, dict[str, Any], int, Callable[["Work"], dict[str, Any]]], None]
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
    """Return a function that runs a search through the store, prints its outcomes, and draws its figure."""

    def run_search(name: str, settings: dict[str, Any], planned: int, search: Callable[["Work"], dict[str, Any]]) -> None:
        if dry_run:
            from meldlab.dry_run import TYPICAL, tuning_cost

            print_cost(f"tune {name}", tuning_cost(TYPICAL[name], planned, threads), json)
            return
        from meldlab.arena.evaluation import Work, warm

        with open_store(store).search(name, settings) as run:
            warm()
            with metered(name) as meter:
                result = search(Work(run, planned, threads, cluster, meter))
            run.finish(result)
        answer = {"run": run.number, "settings": settings, **result}
        if out is not None:
            from meldlab.reproduce.nagai.figures import save_figure

            answer["files"] = [str(path) for path in save_figure(result, out)]
        if json:
            print_json(answer)
            return
        print_outcomes(result)
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

    def search(work: "Work") -> dict[str, Any]:
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

    def search(work: "Work") -> dict[str, Any]:
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

    def search(work: "Work") -> dict[str, Any]:
        return search_ensembles(work, size, seed, base)

    run("ensemble", {**asdict(size), "base": base, "seed": seed}, size.planned(), search)


def print_outcomes(result: dict[str, Any]) -> None:
    """Print the claims of the paper that an experiment decides: published, ours and the verdict; then the notes."""
    from rich.console import Console
    from rich.table import Table

    from meldlab.reproduce.claims import Outcome, Verdict, judge, publications

    claims = {claim.id: claim for claim in publications()["nagai"].claims}
    table = Table("claim", "the paper", "ours (95 %)", "", title=f"tune {result['experiment']}", title_justify="left")
    for id, outcome in result["outcomes"].items():
        verdict = judge(claims[id], Outcome(outcome["ours"], verdict=Verdict(outcome["verdict"])))
        table.add_row(claims[id].says, str(claims[id].published), outcome["ours"], verdict)
    console = Console(highlight=False)
    console.print(table)
    for note in result["notes"]:
        console.print(note, soft_wrap=True)
