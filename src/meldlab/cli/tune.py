"""``meldlab tune``: the paper's experiments, and CMA-ES over all parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from meldlab.cli.options import Commands, RunOptions, open_store, out_file, out_folder
from meldlab.cli.output import print_estimate, print_json, score_text
from meldlab.cli.progress import metered

if TYPE_CHECKING:
    from meldlab.tuning.experiment import Experiment

app = Commands(epilog="Example: meldlab tune knock --quick")

FullOption = Annotated[bool, typer.Option("--full/--quick", help="The paper's size, or a smaller one of about two minutes.")]
OutOption = Annotated[Path | None, out_folder("Folder for the figure, as SVG and PNG with its data as CSV.")]


@dataclass(frozen=True)
class ExperimentOptions(RunOptions):
    """Options of the paper's experiments."""

    full: FullOption = False
    out: OutOption = None

    @property
    def size(self) -> str:
        """Return the name of the size."""
        return "full" if self.full else "quick"


@app.command()
def track(
    options: ExperimentOptions,
    generations: Annotated[
        int, typer.Option("--generations", min=0, help="Generations of each run; 0: 15 quick, 50 full (the paper gives no number).")
    ] = 0,
) -> None:
    """Tune state tracking by a genetic algorithm (section 5.1, Figure 1).

    Example: meldlab tune track --quick --out figures
    """
    from dataclasses import replace

    from meldlab.reproduce.nagai.tracking import SIZES, track_experiment

    size = SIZES[options.size]
    size = replace(size, generations=generations or size.generations)
    _print(_run(track_experiment(size, options.seed), options), options)


@app.command()
def knock(options: ExperimentOptions) -> None:
    """Search the knocking thresholds, one stage and two (section 5.2, Figure 2).

    Example: meldlab tune knock --quick --out figures
    """
    from meldlab.reproduce.nagai.knocking import SIZES, knock_experiment

    experiment = knock_experiment(SIZES[options.size], options.seed)
    _print(_run(experiment, options), options)


@app.command()
def ensemble(
    options: ExperimentOptions,
    base: Annotated[str, typer.Option("--base", help="Preset to start from; the paper's is not published.")] = "base",
) -> None:
    """Run the five grid searches: three iterations over whole grids, or one by successive halving (section 5.3).

    Example: meldlab tune ensemble --quick --out figures
    """
    from meldlab.reproduce.nagai.ensemble import SIZES, ensemble_experiment

    experiment = ensemble_experiment(SIZES[options.size], options.seed, base)
    _print(_run(experiment, options), options)


def _run(experiment: "Experiment", options: RunOptions) -> dict[str, Any] | None:
    """Run an experiment through the store and return its answer; for ``--dry-run`` print its expected time and return None."""
    if options.dry_run:
        from meldlab.dry_run import TYPICAL, tuning_cost

        cost = tuning_cost(TYPICAL[experiment.name], experiment.planned, options.threads)
        print_estimate(f"tune {experiment.name}", cost, options.json)
        return None
    run, result = experiment.run(open_store(options.store), options.threads, options.cluster, partial(metered, experiment.name))
    return {"run": run.number, "settings": experiment.settings, **result}


def _print(answer: dict[str, Any] | None, options: ExperimentOptions) -> None:
    """Draw the figure of an experiment of the paper, and print its outcomes."""
    if answer is None:
        return
    if options.out is not None:
        from meldlab.reproduce.nagai.figures import save_figure

        answer["files"] = [str(path) for path in save_figure(answer, options.out)]
    if options.json:
        print_json(answer)
        return
    _print_outcomes(answer)
    for path in answer.get("files", ()):
        print(f"wrote {path}")


def _print_outcomes(result: Mapping[str, Any]) -> None:
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
    options: RunOptions,
    generations: Annotated[int, typer.Option("--generations", min=1, help="Generations of CMA-ES.")] = 20,
    population: Annotated[int, typer.Option("--population", min=4, help="Players of a generation.")] = 20,
    games: Annotated[int, typer.Option("--games", min=10, help="Games per player in the first generation; later ones play more.")] = 1000,
    test_games: Annotated[int, typer.Option("--test-games", min=2, help="Held-out games of the winner per opponent; even.")] = 20_000,
    out: Annotated[Path | None, out_file("TOML file for the player, which ensemble:FILE.toml plays.", "FILE.toml")] = None,
) -> None:
    """Search all parameters at once by CMA-ES, and measure the winner on held-out deals.

    Example: meldlab tune best --generations 5 --games 200 --test-games 2000
    """
    from meldlab.cache import replace_file
    from meldlab.tuning.cma_es import CMAConfig, tuning_experiment

    config = CMAConfig(population=population, games=games, seed=options.seed)
    answer = _run(tuning_experiment(config, generations, test_games), options)
    if answer is None:
        return
    if out is not None:
        with replace_file(out) as file:
            file.write(answer["player"].encode())
        answer["files"] = [str(out)]
    if options.json:
        print_json(answer)
        return
    means = answer["generation_scores"]
    print(f"{len(means)} generations of {population} players; mean of the last {means[-1]:.4f}")
    print(f"the winner won {answer['selection_score']:.4f} when it was chosen, and on held-out deals")
    for opponent, score in answer["test_scores"].items():
        print(f"  against {opponent:16} {score_text(score)}")
    print(f"wrote {out}" if out is not None else answer["player"], end="\n" if out is not None else "")
