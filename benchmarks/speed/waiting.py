"""CPU seconds to solve the waiting games, summed over threads, next to what has been published."""

import json as text
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Annotated, Any

import typer

from meldlab.cli.options import JsonOption
from meldlab.cli.output import print_json
from meldlab.cost import peak_memory

# Seconds of the thesis's programs: its own, rebuilt from its appendix and run on one core for 3 cards; as it prints for 4.
PUBLISHED = {"three": 101.0, "four": 121 * 3600.0, "approximate": 27_108.0}


def bench_waiting(
    seven: Annotated[bool, typer.Option("--seven/--no-seven", help="Solve seven cards too: about a minute and 0.5 GB.")] = True,
    cuda: Annotated[bool, typer.Option("--cuda", help="Solve ten cards on the GPU too.")] = False,
    json: JsonOption = False,
) -> None:
    """Time the exact solutions for three to seven cards, and the thesis's algorithm for four.

    Example: python benchmarks/speed waiting --no-seven
    """
    from meldlab.reproduce.cohorts import approximate
    from meldlab.waiting import WaitingGame, solve

    solve(WaitingGame(3), device="cpu")
    exact = solve(WaitingGame(4), device="cpu")
    approximate(WaitingGame(3), 1.0)
    answer: dict[str, Any] = {}
    for rule in ("low", "both", "round"):
        answer |= _timed(f"3_{rule}", partial(solve, WaitingGame(3, rule), device="cpu"), 7)
    for cards, times in ((4, 5), (5, 3), (6, 2)):
        answer |= _timed(str(cards), partial(solve, WaitingGame(cards), device="cpu"), times)
    answer |= _timed("4_approximate", partial(approximate, WaitingGame(4), 0.001, exact), 5)
    run = approximate(WaitingGame(4), 0.001, exact)
    answer |= {"cohorts": len(run.cohorts), "bound": run.cohorts[-1].expected}
    answer |= _timed("3_with_summary", lambda: solve(WaitingGame(3), device="cpu").summary(), 5)
    answer["mean_3_low"] = solve(WaitingGame(3), device="cpu").summary().mean
    if seven:
        # In a process of its own, so that the peak of its memory is its own.
        answer |= text.loads(subprocess.run([sys.executable, "-c", SEVEN], check=True, capture_output=True).stdout)
        answer["megabytes_7"] = peak_memory(children=True) / 2**20
    if cuda:
        solve(WaitingGame(3), device="cuda")
        ten = solve(WaitingGame(10), device="cuda")
        summary = ten.summary()
        answer |= {"wall_10_cuda": ten.seconds, "mean_10": summary.mean, "max_10": summary.max, "goal_hands_10": summary.goal_hands}
    if json:
        print_json(answer)
        return
    for rule in ("low", "both", "round"):
        line(f"3 cards, aces {rule}", answer, f"3_{rule}", PUBLISHED["three"] if rule == "low" else None)
    line("4 cards, aces low", answer, "4", PUBLISHED["four"])
    line("4 cards, tolerance 0.001", answer, "4_approximate", PUBLISHED["approximate"])
    print(f"  {answer['cohorts']} cohorts, bound {answer['bound']:.5f}; the thesis prints 2609, the complete hands counted, and 41.88666")
    for cards in (5, 6):
        line(f"{cards} cards, aces low", answer, str(cards), None)
    if seven:
        line("7 cards, aces low", answer, "7", None)
        print(f"  mean {answer['mean_7']:.10f}, max {answer['max_7']:.10f}, residual {answer['residual_7']:.0e}")
        print(f"  {answer['megabytes_7']:.0f} MB of memory at most")
    if cuda:
        print(f"{'10 cards, aces low, GPU':26} {answer['wall_10_cuda']:9.3f} s by the clock")
        print(f"  mean {answer['mean_10']:.10f}, max {answer['max_10']:.10f}, {answer['goal_hands_10']:,} complete hands")


# In a new interpreter: the kernels are loaded by a small game, then seven cards are solved.
SEVEN = """
import json, time
from meldlab.waiting import WaitingGame, solve
solve(WaitingGame(3), device="cpu")
start = time.process_time()
solved = solve(WaitingGame(7), device="cpu")
spent, all = time.process_time() - start, solved.summary()
print(json.dumps({"cpu_7": spent, "wall_7": solved.seconds, "mean_7": all.mean, "max_7": all.max, "residual_7": solved.residual,
    "goal_hands_7": all.goal_hands}))
"""


def _timed(name: str, job: Callable[[], object], times: int) -> dict[str, float]:
    """Return the medians of CPU seconds, summed over threads, and of seconds by the clock."""
    spent: list[tuple[float, float]] = []
    for _ in range(times):
        start = time.process_time(), time.perf_counter()
        job()
        spent.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    cpu, wall = map(median, zip(*spent, strict=True))
    return {f"cpu_{name}": cpu, f"wall_{name}": wall}


def line(what: str, answer: Mapping[str, Any], name: str, published: float | None) -> None:
    """Print one figure, with its ratio to the published one, which was measured on another day."""
    cpu, wall = answer[f"cpu_{name}"], answer[f"wall_{name}"]
    ratio = f"   {published / cpu:,.0f} x less than {published:,.0f} s, the thesis's program on another day" if published else ""
    print(f"{what:26} {cpu:9.3f} CPU-s {wall:9.3f} s by the clock{ratio}")
