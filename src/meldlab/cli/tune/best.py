"""``meldlab tune best``: CMA-ES over all parameters at once, beyond the paper."""

from pathlib import Path
from typing import Annotated

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
)
from meldlab.cli.outputs import out_file
from meldlab.cli.tune.meter import metered


def best(
    generations: Annotated[int, typer.Option("--generations", min=1, help="Generations of CMA-ES.")] = 20,
    population: Annotated[int, typer.Option("--population", min=4, help="Players per generation.")] = 20,
    games: Annotated[int, typer.Option("--games", min=10, help="Games of each player in the first generation; they grow slowly.")] = 1000,
    test_games: Annotated[int, typer.Option("--test-games", min=2, help="Held-out games of the winner per opponent; even.")] = 20_000,
    seed: SeedOption = 0,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, out_file("Write the player to this TOML file, to play as ensemble:FILE.toml.", "FILE.toml")] = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search all parameters at once by CMA-ES, and test the winner on held-out deals.

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

        print_cost("tune best", tuning_cost(TYPICAL["best"], config.planned(generations, test_games), threads), json)
        return
    settings = {**asdict(config), "generations": generations, "test_games": test_games}
    with open_store(store).start_run("best", settings) as run:
        warm_up()
        evaluator = RunEvaluator(run, config.planned(generations, test_games), threads, cluster)
        with metered("best", evaluator):
            result = tune(evaluator.scores, config, generations, test_games)
        run.finish(result.as_json())
    answer = {"run": run.number, "settings": settings, **result.as_json()}
    if out is not None:
        with replace_file(out) as file:
            file.write(str(result.player).encode())
        answer["files"] = [str(out)]
    if json:
        print_json(answer)
        return
    print(f"{len(result.generation_scores)} generations of {population} players; mean of the last {result.generation_scores[-1]:.4f}")
    print(f"the winner won {result.selection_score:.4f} when it was chosen, and on held-out deals")
    for opponent, score in result.test_scores.items():
        print(f"  against {opponent:16} {score.win_rate()}")
    print(f"wrote {out}" if out is not None else str(result.player), end="\n" if out is not None else "")
