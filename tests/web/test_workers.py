"""The worker pool: limits, fairness, and processes that die."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from meldlab.errors import NotLegalHere
from meldlab.web.errors import QueueFull, TimedOut, TooManyCalls, WorkerDied
from meldlab.web.settings import Settings
from meldlab.web.workers import WorkerPool
from tests.web.slow_to_load import answer

pytestmark = pytest.mark.slow


def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


def start_and_end(seconds: float) -> tuple[float, float]:
    start = time.monotonic()
    time.sleep(seconds)
    return start, time.monotonic()


def die() -> None:
    os._exit(3)


def eat() -> int:
    return len(bytearray(64 << 30))


def reject() -> None:
    raise NotLegalHere("no")


def compile_a_kernel(size: int) -> int:
    """Compile a function of many lines, which takes seconds."""
    import numba

    source = (
        "def f(x):\n"
        + "".join(f"    x = x * {k} + (x ^ {k})\n    if x > {k}:\n        x -= {k}\n" for k in range(1, size))
        + "    return x\n"
    )
    names: dict[str, Any] = {"__name__": "generated"}
    exec(source, names)
    return int(numba.njit(names["f"])(1))


def in_pool(use: Callable[[WorkerPool], Awaitable[Any]], workers: int = 1, **limits: Any) -> Any:
    """Return what ``use`` returns with a pool, in a thread of its own: a browser of other tests may have left a loop in this one."""

    async def main() -> Any:
        pool = WorkerPool(workers, memory=2 << 30, **limits)
        pool.start()
        try:
            return await use(pool)
        finally:
            pool.stop()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(main())).result()


async def gather(*calls: Awaitable[Any]) -> list[Any]:
    return list(await asyncio.gather(*calls, return_exceptions=True))


def test_pool_run_stops_a_call_after_its_seconds() -> None:
    begun = time.monotonic()
    slow, quick = in_pool(lambda pool: gather(pool.run("a", sleep, 60.0), pool.run("a", sleep, 0.0)), seconds=1.0)
    assert isinstance(slow, TimedOut)
    assert quick == "slept"
    assert time.monotonic() - begun < 50


def test_pool_run_counts_no_import_of_a_call_that_is_loaded_late() -> None:
    assert in_pool(lambda pool: pool.run("a", answer), seconds=1.0) == "at last"


def test_pool_run_counts_no_compilation() -> None:
    async def use(pool: WorkerPool) -> float:
        begun = time.monotonic()
        await pool.run("a", compile_a_kernel, 120)
        return time.monotonic() - begun

    assert in_pool(use, seconds=0.5) > 0.5


def test_pool_run_survives_workers_that_die() -> None:
    async def use(pool: WorkerPool) -> list[Any]:
        return [*await gather(pool.run("a", die), pool.run("a", eat)), await pool.run("a", sleep, 0.0), pool.restarts]

    dead, hungry, alive, restarts = in_pool(use)
    assert isinstance(dead, WorkerDied)
    assert isinstance(hungry, WorkerDied)
    assert (alive, restarts) == ("slept", 2)


def test_pool_run_returns_errors_unchanged() -> None:
    (rejected,) = in_pool(lambda pool: gather(pool.run("a", reject)))
    assert isinstance(rejected, NotLegalHere)
    assert str(rejected) == "no"


@pytest.mark.parametrize(("visitors", "error"), [(["a"] * 6, TooManyCalls), (["a", "b", "c", "d", "e", "f"], QueueFull)])
def test_pool_queue_is_bounded(visitors: list[str], error: type[Exception]) -> None:
    async def use(pool: WorkerPool) -> list[Any]:
        await pool.run("z", sleep, 0.0)
        return await gather(*[pool.run(visitor, sleep, 0.5) for visitor in visitors])

    results = in_pool(use, queue=3, visitor_queue=2 if error is TooManyCalls else 3)
    waiting = 2 if error is TooManyCalls else 3
    assert sum(isinstance(result, error) for result in results) == 6 - waiting - 1
    assert results.count("slept") == waiting + 1


def test_pool_run_frees_the_worker_of_an_abandoned_call() -> None:
    async def use(pool: WorkerPool) -> str:
        await pool.run("a", sleep, 0.0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await pool.run("a", sleep, 60.0)
        return await pool.run("a", sleep, 0.0)

    assert in_pool(use, seconds=60.0) == "slept"


def test_pool_does_not_kill_a_worker_that_starts() -> None:
    async def use(pool: WorkerPool) -> tuple[str, int]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await pool.run("a", sleep, 0.0)
        return await pool.run("a", sleep, 0.0), pool.restarts

    assert in_pool(use, seconds=0.5) == ("slept", 0)


def test_pool_keeps_a_worker_for_short_calls() -> None:
    async def use(pool: WorkerPool) -> list[Any]:
        await gather(*[pool.run("z", sleep, 0.1) for _ in range(4)])
        long = [asyncio.ensure_future(pool.run_long(visitor, sleep, 2.0)) for visitor in "abcdef"]
        await asyncio.sleep(0.1)
        begun = time.monotonic()
        await pool.run("g", sleep, 0.0)
        waited = time.monotonic() - begun
        for task in long:
            task.cancel()
        return [waited, await pool.run_long("h", sleep, 0.0)]

    waited, after = in_pool(use, workers=2)
    assert waited < 1.0
    assert after == "slept"


def test_pool_runs_one_long_call_of_a_visitor_at_a_time() -> None:
    times = in_pool(lambda pool: gather(*[pool.run_long("a", start_and_end, 0.3) for _ in range(3)]), workers=4)
    times.sort()
    assert all(end <= start for (_, end), (start, _) in pairwise(times))


def test_pool_serves_visitors_in_turn() -> None:
    async def use(pool: WorkerPool) -> list[str]:
        ended: list[str] = []

        async def call(visitor: str) -> None:
            await pool.run(visitor, sleep, 0.05)
            ended.append(visitor)

        await gather(*[call(visitor) for visitor in "aaaabb"])
        return ended

    assert "".join(in_pool(use)) == "ababaa"


def test_workers_end_with_a_server_that_is_killed() -> None:
    program = (
        "import asyncio, os, signal\n"
        "from meldlab.web.workers import WorkerPool\n"
        "async def main():\n"
        "    pool = WorkerPool(2, memory=2 << 30)\n"
        "    pool.start()\n"
        "    while not all(worker.ready for worker in pool.workers):\n"
        "        await asyncio.sleep(0.05)\n"
        "    print(*[process.pid for worker in pool.workers for process in worker.processes], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    pids = [int(pid) for pid in ended.stdout.split()]
    assert len(pids) == 2, ended.stderr
    deadline = time.monotonic() + 20
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize(("machine", "process"), [(1, 2), (8, 2), (16, 4), (512, 8)])
def test_a_process_may_have_a_fair_part_of_the_memory(machine: int, process: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": (machine << 30) // 4096}.__getitem__)
    assert Settings().memory == process << 30
