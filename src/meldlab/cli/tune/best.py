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
    generations: Annotated[int, typer.Option("--generations", min=1, help="How often the cloud of players moves.")] = 20,
    population: Annotated[int, typer.Option("--population", min=4, help="Players of a generation.")] = 20,
    games: Annotated[int, typer.Option("--games", min=10, help="Games of each player in the first generation; they grow slowly.")] = 1000,
    fresh: Annotated[int, typer.Option("--fresh", min=2, help="Fresh games of the winner against each opponent; even.")] = 20_000,
    seed: SeedOption = 0,
    store: StoreOption = None,
    threads: ThreadsOption = 0,
    cluster: ClusterOption = None,
    out: Annotated[Path | None, out_file("Write the player to this TOML file, to play as ensemble:FILE.toml.", "FILE.toml")] = None,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Search all parameters at once by CMA-ES, and measure the winner on fresh deals.

    Example: meldlab tune best --generations 5 --games 200 --fresh 2000
    """
    from dataclasses import asdict

    from meldlab.arena.evaluation import Work, warm
    from meldlab.cache import replace_file
    from meldlab.errors import NotLegalHere
    from meldlab.tuning.cma_es import Champion, Evolution, best_player

    if fresh % 2:
        raise NotLegalHere(f"{fresh} games cannot be played in mirrored pairs")
    plan = Evolution(population=population, games=games, seed=seed)
    if dry_run:
        from meldlab.dry_run import TYPICAL, tuning_cost

        print_cost("tune best", tuning_cost(TYPICAL["best"], plan.planned(generations, fresh), threads), json)
        return
    settings = {**asdict(plan), "generations": generations, "fresh": fresh}
    with open_store(store).search("best", settings) as run:
        warm()
        with metered("best") as meter:
            work = Work(run, plan.planned(generations, fresh), threads, cluster, meter)
            found: Champion = best_player(work.measure, plan, generations, fresh)
        run.finish(found.as_json())
    answer = {"run": run.number, "settings": settings, **found.as_json()}
    if out is not None:
        with replace_file(out) as file:
            file.write(str(found.player).encode())
        answer["files"] = [str(out)]
    if json:
        print_json(answer)
        return
    print(f"{len(found.course)} generations of {population} players; mean of the last {found.course[-1]:.4f}")
    print(f"the winner won {found.inflated:.4f} when it was chosen, and on fresh deals")
    for opponent, measured in found.honest.items():
        print(f"  against {opponent:16} {measured.rate}")
    print(f"wrote {out}" if out is not None else str(found.player), end="\n" if out is not None else "")
