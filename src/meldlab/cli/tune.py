"""``meldlab tune``: the paper's experiments, CMA-ES over all parameters, and a view of a running search."""

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.interruption import on_interrupt
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
    from meldlab.runs.store import Store

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


@app.command()
def watch(
    run: Annotated[int | None, typer.Argument(metavar="RUN", help="Number of the run; the latest by default.")] = None,
    every: Annotated[float, typer.Option("--every", min=0.1, help="Seconds between two updates.")] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Print the state once and stop.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Watch a search until it is finished: the best player with its interval, games per second, time left.

    Example: meldlab tune watch --once
    """
    from rich.console import Console
    from rich.live import Live

    from meldlab.runs.store import Store

    on_interrupt("the search itself is not affected; run the same command to watch it again")
    opened = Store.open_read_only(store)
    number = run if run is not None else _latest_run(opened)
    state = _run_state(opened, number)
    if json:
        print_json(state)
        return
    if not sys.stdout.isatty():
        print(_state_text(state), flush=True)
        while state["state"] != "finished" and not once:
            time.sleep(every)
            state = _run_state(opened, number)
            print(_state_text(state), flush=True)
        return
    with Live(_state_text(state), console=Console(highlight=False), auto_refresh=False) as picture:
        while state["state"] != "finished" and not once:
            time.sleep(every)
            state = _run_state(opened, number)
            picture.update(_state_text(state), refresh=True)


def _latest_run(store: "Store") -> int:
    from meldlab.errors import NotLegalHere

    runs = store.runs()
    if not runs:
        raise NotLegalHere(f"no runs in {store}")
    return runs[-1].number


def _run_state(store: "Store", number: int) -> dict[str, Any]:
    from meldlab.runs.leaderboard import RunProgress, leaderboard

    run = store.find(number)
    best = leaderboard(run, 1)
    line = str(best[0]) if best else "no player yet"
    answer = {"run": number, "experiment": run.experiment, "best": best[0].as_json() if best else None}
    return {**answer, **RunProgress.from_run(run).as_json(), "line": line}


def _state_text(state: dict[str, Any]) -> str:
    share = f" ({state['games'] / state['planned']:.1%})" if state["planned"] else ""
    head = f"run {state['run']}, {state['experiment']}, {state['state']}: {state['games']:,} of {state['planned']:,} games{share}"
    if state["state"] == "running":
        left = "not yet known" if state["seconds_left"] is None else str(timedelta(seconds=round(state["seconds_left"])))
        processes = f"{state['workers']} process{'es' * (state['workers'] > 1)}"
        head += f", {state['games_per_second']:,.0f} games/s from {processes}, time left {left}"
    return f"{head}\n  best so far {state['line']}"
