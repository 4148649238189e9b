"""``meldlab waiting solve``, ``table``, ``classes`` and ``approximate``: all hands at once."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

import typer

from meldlab.cache import replace_file
from meldlab.cli.interruption import DRY_RUN
from meldlab.cli.options import AcesOption, DeviceOption, DryRunOption, JsonOption, ThreadsOption, out_file
from meldlab.cli.output import print_estimate, print_json
from meldlab.cli.progress import progress_bar
from meldlab.cli.waiting.options import CardsOption, DeadOption, GoalOption, LoadOption, read_game, say_checkpoint
from meldlab.errors import NotLegalHere, NotPossible


def solve(
    cards: CardsOption,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    device: DeviceOption = "auto",
    threads: ThreadsOption = 0,
    save: Annotated[Path | None, out_file("File for the table of all hands.", name="--save")] = None,
    precision: Annotated[Literal["f64", "f32", "u16"], typer.Option("--precision", help="Number format of the file of --save.")] = "f64",
    load: LoadOption = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Solve again, even if the table is in the cache.")] = False,
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Solve the game for every hand, or read its table from the cache, and print a summary. A killed solve resumes.

    Example: meldlab waiting solve --cards 4 --aces both
    """
    from meldlab.waiting import storage
    from meldlab.waiting.solver import solve_cost, verify_device

    game = read_game(cards, aces, goal, dead)
    if load is not None and (device != "auto" or threads or refresh):
        raise NotLegalHere("--load reads a solved table: leave out --device, --threads and --refresh")
    if save is None and precision != "f64":
        raise NotLegalHere("--precision is that of the file: name one with --save")
    if dry_run:
        if load is not None or save is not None:
            raise NotLegalHere("--dry-run solves nothing: leave out --load and --save")
        print_estimate(f"solving {game}", solve_cost(game, device, threads or None), json)
        return
    verify_device(device, threads or None)
    solution, source = None, ""
    if load is not None:
        solution = storage.load(load, game)
    elif not refresh and (cached := storage.load_cached(game)):
        solution, source = cached[0], f", on {cached[1]}; from the cache, --refresh solves again"
    if solution is None:
        say_checkpoint(game, DRY_RUN)
        with progress_bar(f"solving {game}") as progress:
            solution = storage.solve_cached(game, device, threads or None, progress, refresh=True)
    if save is not None:
        error = storage.save(solution, save, precision)
        print(f"saved {save} ({precision}, {save.stat().st_size:,} bytes, rounded by at most {error:.1e})", file=sys.stderr)
    summary = solution.summary()
    if json:
        print_json(
            {
                "cards": cards,
                "aces": str(game.aces),
                "goal": str(game.goal),
                "hands": summary.hands,
                "goal_hands": summary.goal_hands,
                "distinct_values": summary.distinct_values,
                "mean": summary.mean,
                "max": summary.max,
                "worst": str(summary.worst),
                "best": str(summary.best),
                "sweeps": solution.sweeps,
                "seconds": solution.seconds,
                "device": solution.device,
                "residual": solution.residual,
                "cached": bool(source),
            }
        )
        return
    print(f"{game}: {summary.hands:,} hands, {summary.goal_hands:,} at the goal")
    print(f"mean {summary.mean:.10f} turns, at most {summary.max:.10f} ({summary.worst_hands} hands like {summary.worst})")
    # Doubles cannot distinguish all values; 'waiting classes' counts those of three cards in fractions.
    distinct = f"; {summary.distinct_values:,} values more than 1e-9 apart" if summary.distinct_values is not None else ""
    print(f"best hand short of the goal: {summary.best}, {solution.turns(summary.best):.4f}{distinct}")
    print(f"solved in {solution.seconds:.2f} s on {solution.device}, residual {solution.residual:.1e}{source}")


def approximate(
    cards: CardsOption,
    aces: AcesOption = "low",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Turns within which hands are locked together.")] = 1.0,
    json: JsonOption = False,
) -> None:
    """Run the thesis's own algorithm: lock cohorts of hands within a tolerance, and compare with the exact values.

    Example: meldlab waiting approximate --cards 3 --tolerance 0.5
    """
    from meldlab.reproduce.cohorts import approximate as run
    from meldlab.reproduce.cohorts import verify
    from meldlab.waiting import WaitingGame
    from meldlab.waiting.storage import solve_cached

    game = WaitingGame(cards, aces)
    verify(game, tolerance)
    result = run(game, tolerance, solve_cached(game))
    if json:
        cohorts = [{"hands": cohort.hands, "like": str(cohort.like), "expected": cohort.expected} for cohort in result.cohorts]
        errors = {"max_error": result.max_error, "mean_error": result.mean_error, "seconds": result.seconds}
        print_json({"cohorts": cohorts, "count": len(cohorts), **errors})
        return
    total = 0
    for cohort in result.cohorts:
        total += cohort.hands
        print(f"{cohort.hands:7,} hands like {cohort.like!s:12} with E = {cohort.expected:.10f} ({total:,} in all)")
    errors_text = f"error at most {result.max_error:.3g}, on average {result.mean_error:.3g}"
    print(f"{len(result.cohorts)} cohorts in {result.seconds:.2f} s; {errors_text}")


def classes(aces: AcesOption = "low", json: JsonOption = False) -> None:
    """Count the classes of equal E of the three-card game, in exact fractions.

    Example: meldlab waiting classes --aces both
    """
    from meldlab.waiting import WaitingGame
    from meldlab.waiting.exact import draw_graph, exact_values

    values = sorted(set(exact_values(draw_graph(WaitingGame(3, aces)))))
    gap = min(after - before for before, after in pairwise(values))
    if json:
        print_json({"classes": len(values), "smallest_gap": float(gap), "max": str(values[-1])})
        return
    print(
        f"{len(values)} classes of equal E in exact fractions, the hands at the goal included; the closest two are {float(gap):.2e} apart"
    )
    print(f"the largest is {values[-1]}")


def write_table(
    cards: CardsOption,
    aces: AcesOption = "low",
    goal: GoalOption = "gin",
    dead: DeadOption = "",
    out: Annotated[Path | None, out_file("File to write; the terminal by default.")] = None,
) -> None:
    """Print every class of hands as CSV: hand, number of hands, expected turns, standard deviation, median (up to 5 cards).

    Example: meldlab waiting table --cards 3 --out three.csv
    """
    from meldlab.cards import Hand
    from meldlab.reports.rows import csv_text
    from meldlab.waiting.distribution import MAX_CARDS_AT_ONCE, TurnDistribution
    from meldlab.waiting.storage import solve_cached

    game = read_game(cards, aces, goal, dead)
    if cards > MAX_CARDS_AT_ONCE:
        raise NotPossible(f"all hands are listed up to {MAX_CARDS_AT_ONCE} cards; ask for one of {cards} with 'waiting hand'")
    solution = solve_cached(game)
    turns = TurnDistribution.from_all_hands(solution)
    masks, hands, expected = solution.rows()
    columns = (map(Hand.from_mask, masks.tolist()), hands, expected, turns.sds(), turns.quantiles(0.5))
    text = csv_text([("hand", "hands", "expected", "sd", "median"), *zip(*columns, strict=True)], digits=12)
    if out is None:
        print(text, end="")
        return
    with replace_file(out) as file:
        file.write(text.encode())
