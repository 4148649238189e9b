"""``meldlab waiting solve``, ``table``, ``classes`` and ``approximate``: all hands at once."""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

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
    dry_run: DryRunOption = False,
    json: JsonOption = False,
) -> None:
    """Solve the game for every hand and print what comes out. A solve that was killed goes on where it stopped.

    Example: meldlab waiting solve --cards 4 --aces both
    """
    from meldlab.waiting import kept
    from meldlab.waiting.kept import cached_solution, solve_and_keep
    from meldlab.waiting.solver import solve_cost

    game = read_game(cards, aces, goal, dead)
    if load is not None and (device != "auto" or threads):
        raise NotLegalHere("--load reads what is solved already: leave out --device and --threads")
    if save is None and precision != "f64":
        raise NotLegalHere("--precision is that of the file: name one with --save")
    if dry_run:
        if load is not None or save is not None:
            raise NotLegalHere("--dry-run solves nothing: leave out --load and --save")
        print_estimate(f"solving {game}", solve_cost(game, device, threads or None), json)
        return
    say_checkpoint(game, DRY_RUN)
    with progress_bar(f"solving {game}") as progress:
        solution = cached_solution(game, load) if load is not None else solve_and_keep(game, device, threads or None, progress)
    if save is not None:
        error = kept.save(solution, save, precision)
        print(f"saved {save} ({precision}, {save.stat().st_size:,} bytes, rounded by at most {error:.1e})", file=sys.stderr)
    summary = solution.summary()
    answer: dict[str, Any] = {
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
    }
    if json:
        print_json(answer)
        return
    print(f"{game}: {summary.hands:,} hands, {summary.goal_hands:,} at the goal")
    print(f"mean {summary.mean:.10f} turns, at most {summary.max:.10f} ({summary.worst_hands} hands like {summary.worst})")
    # Doubles cannot tell all values apart; 'waiting classes' counts those of three cards in fractions.
    counted = f"; {summary.distinct_values:,} values more than 1e-9 apart" if summary.distinct_values is not None else ""
    print(f"best hand on the way: {summary.best}, {solution.turns(summary.best):.4f}{counted}")
    print(f"solved in {solution.seconds:.2f} s on {solution.device}, residual {solution.residual:.1e}")


def approximate(
    cards: CardsOption,
    aces: AcesOption = "low",
    tolerance: Annotated[float, typer.Option("--tolerance", help="Difference in turns up to which hands are locked in together.")] = 1.0,
    json: JsonOption = False,
) -> None:
    """Run the thesis's own algorithm: lock in cohorts of hands within a tolerance, and compare with the exact values.

    Example: meldlab waiting approximate --cards 3 --tolerance 0.5
    """
    from meldlab.waiting import Waiting
    from meldlab.waiting.cohorts import approximate as run
    from meldlab.waiting.cohorts import verify
    from meldlab.waiting.kept import cached_solution

    game = Waiting(cards, aces)
    verify(game, tolerance)
    done = run(game, tolerance, cached_solution(game))
    if json:
        cohorts = [{"hands": one.hands, "like": str(one.like), "expected": one.expected} for one in done.cohorts]
        print_json(
            {
                "cohorts": cohorts,
                "count": len(cohorts),
                "max_error": done.max_error,
                "mean_error": done.mean_error,
                "seconds": done.seconds,
            }
        )
        return
    total = 0
    for one in done.cohorts:
        total += one.hands
        print(f"{one.hands:7,} hands like {one.like!s:12} with E = {one.expected:.10f} ({total:,} in all)")
    print(f"{len(done.cohorts)} cohorts in {done.seconds:.2f} s; error at most {done.max_error:.3g}, on average {done.mean_error:.3g}")


def classes(aces: AcesOption = "low", json: JsonOption = False) -> None:
    """Count the classes of equal E of the three-card game, in exact fractions.

    Example: meldlab waiting classes --aces both
    """
    from meldlab.waiting import Waiting
    from meldlab.waiting.rational import exact_values

    values = sorted(set(exact_values(Waiting(3, aces))))
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
    from meldlab.waiting.kept import cached_solution
    from meldlab.waiting.waiting_time import MOST_AT_ONCE, WaitingTime

    game = read_game(cards, aces, goal, dead)
    if cards > MOST_AT_ONCE:
        raise NotPossible(f"all hands are listed up to {MOST_AT_ONCE} cards; ask for one of {cards} with 'waiting hand'")
    solution = cached_solution(game)
    waited = WaitingTime.of_all_hands(solution)
    masks, hands, expected = solution.rows()
    columns = (map(Hand.from_mask, masks.tolist()), hands, expected, waited.deviations(), waited.quantiles(0.5))
    text = csv_text([("hand", "hands", "expected", "sd", "median"), *zip(*columns, strict=True)], digits=12)
    if out is None:
        print(text, end="")
        return
    with replace_file(out) as file:
        file.write(text.encode())
