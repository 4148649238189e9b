"""The cost of the store and its tasks, and how long the paper's searches take here."""

import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from meldlab.cli.options import JsonOption, SeedOption
from meldlab.cli.output import print_json

REPEATS = 9
SMALL = 200  # tasks of two games, for the cost of a task
FULL = (1331 + 36 + 187 + 187 + 3003) * 5000  # one iteration of the paper's five searches


def bench_tuning(
    games: Annotated[int, typer.Option(min=100, help="Games of a task; even.")] = 2000,
    tasks: Annotated[int, typer.Option("--tasks", "--shards", min=1, help="Tasks in a measurement.")] = 4,
    cores: Annotated[int, typer.Option(min=1, help="Cores for the last figure.")] = 2,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time ensemble v simple in the bare kernel and through the store as tasks, in CPU time, and project the paper's searches.

    The overhead is what tasks of two games cost beyond the games in them, as a part of the time that the kernel takes for a task of
    full size: the difference of two long measurements would be lost in their noise. Figures are the best of nine, as other programs
    can only slow them down.

    Example: python benchmarks/speed tuning --json
    """
    from meldlab.gin import Rules, players
    from meldlab.gin.batch import play_batch
    from meldlab.runs.store import Store
    from meldlab.runs.tasks import Task, run_tasks

    first, second = players.parse("ensemble:paper"), players.parse("simple")
    pieces = Task("contest", "ensemble:paper", "simple", seed=seed, games=games // 2 * 2 * tasks).split(games // 2 * 2)

    def bare() -> None:
        for piece in pieces:
            for both in ((first, second), (second, first)):
                play_batch(*both, Rules(), piece.seed, piece.first // 2, piece.games // 2, threads=1)

    small = Task("contest", "ensemble:paper", "simple", seed=seed, games=2 * SMALL).split(2)

    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder, "runs.sqlite"))
        numbers = count()

        def as_tasks(pieces: list[Task], jobs: int) -> Callable[[], object]:
            return lambda: run_tasks(pieces, store.run("bench", {"repeat": next(numbers)}), jobs=jobs)

        jobs: dict[str, Callable[[], object]] = {
            "kernel": bare,
            "tasks": as_tasks(pieces, 1),
            "cores": as_tasks(pieces, cores),
            "small": as_tasks(small, 1),
        }
        cpu, wall = in_turns(jobs)
    total = sum(piece.games for piece in pieces)
    kernel, one = total / min(cpu["kernel"]), total / min(cpu["tasks"])
    many, clocked = cores * total / min(cpu["cores"]), total / min(wall["cores"])
    cost = min(cpu["small"]) / SMALL - 2 / kernel
    overhead = cost * kernel / pieces[0].games
    hours = FULL / many / 3600
    if json:
        print_json(
            {
                "kernel_games_per_second": kernel,
                "sharded_games_per_second": one,
                "seconds_per_shard": cost,
                "overhead": overhead,
                "cores": cores,
                "games_per_second_on_cores": many,
                "games_per_second_by_the_clock": clocked,
                "projected_games": FULL,
                "projected_hours": hours,
            }
        )
        return
    size = f"{tasks} tasks of {pieces[0].games:,} games"
    print(f"kernel alone         {kernel:10,.0f} games/s   one core, ensemble v simple, {size}, CPU time")
    print(f"store and tasks      {one:10,.0f} games/s   one core; {1000 * cost:.1f} ms for each task, overhead {overhead:.1%}")
    print(
        f"on {cores} cores           {many:10,.0f} games/s   CPU time; {clocked:,.0f} by the clock, which others on the machine slow down"
    )
    print(f"projection           {hours:10.2f} hours     {FULL:,} games, one iteration of the paper's five searches, on {cores} cores")


def in_turns(jobs: dict[str, Callable[[], object]]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the CPU seconds and the seconds by the clock of each job, measured in turns after a first one for warmth."""
    for job in jobs.values():
        job()
    cpu: dict[str, list[float]] = {name: [] for name in jobs}
    wall: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(REPEATS):
        for name, job in jobs.items():
            start, clock = time.process_time(), time.perf_counter()
            job()
            cpu[name].append(time.process_time() - start)
            wall[name].append(time.perf_counter() - clock)
    return cpu, wall
