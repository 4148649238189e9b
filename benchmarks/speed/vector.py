"""Steps per second of the vector environments, features and mask written at every step."""

import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import typer

from meldlab.cli.options import DeviceOption, JsonOption, SeedOption
from meldlab.cli.output import print_json

PARTS = 5  # of the time of a row; the best one counts, since other programs on the machine can only slow it down

STRETCH = 8  # steps between two looks at the clock


class Speed(NamedTuple):
    """What a row says: steps per second by the clock, and microseconds of CPU for each."""

    steps_per_second: float
    cpu_microseconds: float


def bench_vector(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds per row.")] = 3.0,
    tables: Annotated[int, typer.Option(min=1, max=1 << 22, help="Tables stepped at once.")] = 4096,
    device: DeviceOption = "auto",
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Time random legal play, with features and mask written at every step, next to every other implementation that is installed.

    Random actions are drawn by a compiled function, so that no policy is measured; others draw theirs as they offer.

    Example: python benchmarks/speed vector --seconds 1 --json
    """
    from other_implementations import vector_programs

    from meldlab.gpu import has_gpu

    device = ("cuda" if has_gpu() else "cpu") if device == "auto" else device
    ours = {name: _speed(_stepping(env), seconds) for name, env in _environments(tables, seed, device).items()}
    others = {name: step and _speed(step, seconds) for name, step in vector_programs(tables, seed)}
    if json:
        rows = {name: speed and speed._asdict() for name, speed in {**ours, **others}.items()}
        print_json({"tables": tables, "device": device, "rows": rows})
        return
    for name, speed in ours.items():
        print(f"{name:30} {speed.steps_per_second:13,.0f} steps/s {speed.cpu_microseconds:9.3f} us of CPU each   {tables:,} at once")
    for name, found in others.items():
        told = f"{found.steps_per_second:13,.0f} steps/s {found.cpu_microseconds:9.3f} us of CPU each" if found else "not installed"
        print(f"  {name:28} {told}")


def _environments(tables: int, seed: int, device: str) -> dict[str, Any]:
    """Return our vector environments, by what the row is called."""
    from meldlab.gin.vector import GinVector
    from meldlab.recycle import RecycleVector

    # RECYCLE games are stepped by a machine that only the CPU has; Leduc poker is there for comparison: others have it too.
    recycle_games = {"Block Rummy": "block_rummy", "Leduc poker": "leduc_poker"} if device == "cpu" else {}
    return {
        "gin": GinVector(tables, seed=seed, device=device),
        "gin against simple": GinVector(tables, seed=seed, opponent="simple", device=device),
        **{title: RecycleVector(name, tables, seed=seed) for title, name in recycle_games.items()},
    }


def _stepping(env: Any) -> Callable[[], int]:
    """Return a function that steps all tables; on a GPU it waits for what it has asked for, now and then."""
    wait = getattr(env, "check", lambda: None)

    def step() -> int:
        for _ in range(STRETCH):
            env.step(env.random_actions())
        wait()
        return int(STRETCH * env.n)

    return step


def _speed(step: Callable[[], int], seconds: float) -> Speed:
    """Return the best of several stretches of steps; the first of all are not measured."""
    end = time.perf_counter() + seconds / PARTS
    while time.perf_counter() < end:
        step()
    measured = []
    for _ in range(PARTS):
        steps, start, cpu = 0, time.perf_counter(), time.process_time()
        while (spent := time.perf_counter() - start) < seconds / PARTS:
            steps += step()
        measured.append(Speed(steps / spent, 1e6 * (time.process_time() - cpu) / steps))
    return Speed(max(each.steps_per_second for each in measured), min(each.cpu_microseconds for each in measured))
