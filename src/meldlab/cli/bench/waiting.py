"""``meldlab bench waiting``: seconds to solve the waiting games, beside what has been published."""

import json as text
import resource
import subprocess
import sys
import time
from statistics import median
from typing import Annotated, Any

import typer

from meldlab.cli.options import JsonOption, print_json

# Seconds of the thesis's programs: its own, rebuilt from its appendix and run on one core for 3 cards; as it prints for 4.
PUBLISHED = {"three": 101.0, "four": 121 * 3600.0, "approximate": 27_108.0}


def bench_waiting(
    seven: Annotated[bool, typer.Option("--seven/--no-seven", help="Solve seven cards too: about a minute and 0.5 GB.")] = True,
    cuda: Annotated[bool, typer.Option("--cuda", help="Solve ten cards on the GPU too.")] = False,
    json: JsonOption = False,
) -> None:
    """Time the exact solutions for three, four and seven cards, and the thesis's algorithm for four.

    Example: meldlab bench waiting --no-seven
    """
    from meldlab.waiting import Waiting, solve
    from meldlab.waiting.cohorts import approximate

    solve(Waiting(3), device="cpu")
    exact = solve(Waiting(4), device="cpu")
    approximate(Waiting(3), 1.0)
    answer: dict[str, Any] = {
        f"seconds_3_{rule}": median(solve(Waiting(3, rule), device="cpu").seconds for _ in range(7)) for rule in ("low", "both", "round")
    }
    answer["seconds_4"] = median(solve(Waiting(4), device="cpu").seconds for _ in range(5))
    run = approximate(Waiting(4), 0.001, exact)
    answer |= {"seconds_4_approximate": run.seconds, "cohorts": len(run.cohorts), "bound": run.cohorts[-1].expected}
    start = time.perf_counter()
    answer["mean_3_low"] = solve(Waiting(3), device="cpu").summary().mean
    answer["seconds_3_with_summary"] = time.perf_counter() - start
    if seven:
        # In a process of its own, so that the peak of its memory is its own.
        command = [sys.executable, "-m", "meldlab", "waiting", "solve", "--cards", "7", "--device", "cpu", "--json"]
        solved = text.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        answer |= {f"{key}_7": solved[key] for key in ("seconds", "mean", "max", "residual", "goal_hands")}
        answer["megabytes_7"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if cuda:
        solve(Waiting(3), device="cuda")
        ten = solve(Waiting(10), device="cuda")
        summary = ten.summary()
        answer |= {"seconds_10_cuda": ten.seconds, "mean_10": summary.mean, "max_10": summary.max, "goal_hands_10": summary.goal_hands}
    if json:
        print_json(answer)
        return
    for rule in ("low", "both", "round"):
        line(f"3 cards, aces {rule}", answer[f"seconds_3_{rule}"], PUBLISHED["three"] if rule == "low" else None)
    line("4 cards, aces low", answer["seconds_4"], PUBLISHED["four"])
    line("4 cards, tolerance 0.001", answer["seconds_4_approximate"], PUBLISHED["approximate"])
    print(f"  {answer['cohorts']} cohorts, bound {answer['bound']:.5f}; the thesis prints 2609 and 41.88666")
    if seven:
        line("7 cards, aces low", answer["seconds_7"], None)
        print(f"  mean {answer['mean_7']:.10f}, max {answer['max_7']:.10f}, residual {answer['residual_7']:.0e}")
        print(f"  {answer['megabytes_7']:.0f} MB of memory at most")
    if cuda:
        line("10 cards, aces low, GPU", answer["seconds_10_cuda"], None)
        print(f"  mean {answer['mean_10']:.10f}, max {answer['max_10']:.10f}, {answer['goal_hands_10']:,} complete hands")


def line(what: str, seconds: float, published: float | None) -> None:
    """Print one figure, with its ratio to the published one."""
    ratio = f"   {published / seconds:,.0f} x the thesis's {published:,.0f} s" if published else ""
    print(f"{what:26} {seconds:9.3f} s{ratio}")
