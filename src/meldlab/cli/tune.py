"""``meldlab tune``: the paper's experiments, and CMA-ES over all parameters."""

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
    out_file,
    out_folder,
)
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import metered

if TYPE_CHECKING:
    from meldlab.arena.evaluation import RunEvaluator

app = typer.Typer(epilog="Example: meldlab tune knock --quick", no_args_is_help=True, rich_markup_mode=None)

FullOption = Annotated[bool, typer.Option("--full/--quick", help="The paper's size, or a smaller one of about two minutes.")]
OutOption = Annotated[Path | None, out_folder("Folder for the figure, as SVG and PNG with its data as CSV.")]


@app.command()
def track(
    full: FullOption = False,
    seed: SeedOption = 0,
    generations: Annotated[
        int, typer.Option("--generations", min=0, help="Generations of each run; 0: 15 quick, 50 full (the paper gives no number).")
    ] = 0,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: OutOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Tune state tracking by a genetic algorithm (section 5.1, Figure 1).

    Example: meldlab tune track --quick --out figures
    """
    from dataclasses import asdict, replace

    from meldlab.reproduce.nagai.tracking import FULL, QUICK, search_trackers

    size = FULL if full else QUICK
    size = replace(size, generations=generations or size.generations)

    def search(work: "RunEvaluator") -> dict[str, Any]:
        return search_trackers(work, size, seed)

    _run("track", {**asdict(size), "seed": seed}, size.planned(), search, store, threads, cluster, out, dry_run=dry_run, json=json)


@app.command()
def knock(
    full: FullOption = False,
    seed: SeedOption = 0,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: OutOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search the knocking thresholds, one stage and two (section 5.2, Figure 2).

    Example: meldlab tune knock --quick --out figures
    """
    from dataclasses import asdict

    from meldlab.reproduce.nagai.knocking import FULL, QUICK, search_knocks

    size = FULL if full else QUICK

    def search(work: "RunEvaluator") -> dict[str, Any]:
        return search_knocks(work, size, seed)

    _run("knock", {**asdict(size), "seed": seed}, size.planned(), search, store, threads, cluster, out, dry_run=dry_run, json=json)


@app.command()
def ensemble(
    full: FullOption = False,
    seed: SeedOption = 0,
    base: Annotated[str, typer.Option("--base", help="Preset to start from; the paper's is not published.")] = "base",
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: OutOption = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Run the five grid searches: three iterations of whole grids and races, or one iteration raced (section 5.3).

    Example: meldlab tune ensemble --quick --out figures
    """
    from dataclasses import asdict

    from meldlab.gin.players import Ensemble
    from meldlab.reproduce.nagai.ensemble import FULL, QUICK, search_ensembles

    size = FULL if full else QUICK
    Ensemble.preset(base)

    def search(work: "RunEvaluator") -> dict[str, Any]:
        return search_ensembles(work, size, seed, base)

    settings = {**asdict(size), "base": base, "seed": seed}
    _run("ensemble", settings, size.planned(), search, store, threads, cluster, out, dry_run=dry_run, json=json)


def _run(
    name: str,
    settings: dict[str, Any],
    planned: int,
    search: "Callable[[RunEvaluator], dict[str, Any]]",
    store: str | None,
    threads: int,
    cluster: str | None,
    out: Path | None,
    *,
    dry_run: bool,
    json: bool,
) -> None:
    """Run a search through the store, print its outcomes, and draw its figure; or print what it would take."""
    if dry_run:
        from meldlab.dry_run import TYPICAL, tuning_cost

        print_estimate(f"tune {name}", tuning_cost(TYPICAL[name], planned, threads), json)
        return
    from meldlab.arena.evaluation import RunEvaluator, warm_up

    with open_store(store).start_run(name, settings) as run:
        warm_up()
        evaluator = RunEvaluator(run, planned, threads, cluster)
        with metered(name, evaluator):
            result = search(evaluator)
        run.finish(result)
    answer = {"run": run.number, "settings": settings, **result}
    if out is not None:
        from meldlab.reproduce.nagai.figures import save_figure

        answer["files"] = [str(path) for path in save_figure(result, out)]
    if json:
        print_json(answer)
        return
    _print_outcomes(result)
    for path in answer.get("files", ()):
        print(f"wrote {path}")


def _print_outcomes(result: dict[str, Any]) -> None:
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


@app.command()
def best(
    generations: Annotated[int, typer.Option("--generations", min=1, help="Generations of CMA-ES.")] = 20,
    population: Annotated[int, typer.Option("--population", min=4, help="Players of a generation.")] = 20,
    games: Annotated[int, typer.Option("--games", min=10, help="Games per player in the first generation; later ones play more.")] = 1000,
    test_games: Annotated[int, typer.Option("--test-games", min=2, help="Held-out games of the winner per opponent; even.")] = 20_000,
    seed: SeedOption = 0,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, out_file("TOML file for the player, which ensemble:FILE.toml plays.", "FILE.toml")] = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search all parameters at once by CMA-ES, and measure the winner on held-out deals.

    Example: meldlab tune best --generations 5 --games 200 --test-games 2000
    """
    from dataclasses import asdict

    from meldlab.arena.evaluation import RunEvaluator, warm_up
    from meldlab.cache import replace_file
    from meldlab.errors import NotLegalHere
    from meldlab.tuning.cma_es import CMAConfig, tune

    if test_games % 2:
        raise NotLegalHere(f"{test_games} games cannot be played in mirrored pairs")
    config = CMAConfig(population=population, games=games, seed=seed)
    if dry_run:
        from meldlab.dry_run import TYPICAL, tuning_cost

        print_estimate("tune best", tuning_cost(TYPICAL["best"], config.planned(generations, test_games), threads), json)
        return
    settings = {**asdict(config), "generations": generations, "test_games": test_games}
    with open_store(store).start_run("best", settings) as run:
        warm_up()
        evaluator = RunEvaluator(run, config.planned(generations, test_games), threads, cluster)
        with metered("best", evaluator):
            winner = tune(evaluator.scores, config, generations, test_games)
        run.finish(winner.as_json())
    answer = {"run": run.number, "settings": settings, **winner.as_json()}
    if out is not None:
        with replace_file(out) as file:
            file.write(str(winner.player).encode())
        answer["files"] = [str(out)]
    if json:
        print_json(answer)
        return
    print(f"{len(winner.generation_scores)} generations of {population} players; mean of the last {winner.generation_scores[-1]:.4f}")
    print(f"the winner won {winner.selection_score:.4f} when it was chosen, and on held-out deals")
    for opponent, measured in winner.test_scores.items():
        print(f"  against {opponent:16} {measured.win_rate()}")
    print(f"wrote {out}" if out is not None else str(winner.player), end="\n" if out is not None else "")
