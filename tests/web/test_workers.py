"""WorkerPool can be ended, die, and are never asked more than they can hold."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from meldlab.errors import NotLegalHere
from meldlab.web.errors import QueueFull, TimedOut, WorkerDied
from meldlab.web.settings import Settings
from meldlab.web.workers import WorkerPool
from tests.web.slow_to_load import answer


def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


def die() -> None:
    os._exit(3)


def eat() -> int:
    return len(bytearray(64 << 30))


def refuse() -> None:
    raise NotLegalHere("no")


@pytest.fixture
def workers() -> Iterator[WorkerPool]:
    made = WorkerPool(1, 2, 2 << 30)
    made.start()
    yield made
    made.stop()


def run(question: Coroutine[Any, Any, Any]) -> Any:
    """Wait for an answer in a thread of its own: a browser that other tests opened may have left a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, question).result()


def answers(workers: WorkerPool, *questions: tuple[Callable[..., Any], float, dict[str, Any]]) -> list[Any]:
    async def ask() -> list[Any]:
        asked = [workers.run(seconds, function, **arguments) for function, seconds, arguments in questions]
        return list(await asyncio.gather(*asked, return_exceptions=True))

    return list(run(ask()))


def test_what_takes_too_long_is_ended_and_the_next_is_answered(workers: WorkerPool) -> None:
    begun = time.monotonic()
    slow, quick = answers(workers, (sleep, 0.5, {"seconds": 60.0}), (sleep, 20.0, {"seconds": 0.0}))
    assert isinstance(slow, TimedOut)
    assert quick == "slept"
    assert time.monotonic() - begun < 30


def test_loading_is_not_the_time_of_a_question(workers: WorkerPool) -> None:
    assert run(workers.run(1.0, answer)) == "at last"


def test_a_worker_may_die(workers: WorkerPool) -> None:
    dead, hungry, alive = answers(workers, (die, 20.0, {}), (eat, 20.0, {})) + answers(workers, (sleep, 20.0, {"seconds": 0.0}))
    assert isinstance(dead, WorkerDied)
    assert isinstance(hungry, WorkerDied)
    assert alive == "slept"


def test_mistakes_come_back_as_they_are(workers: WorkerPool) -> None:
    (refused,) = answers(workers, (refuse, 20.0, {}))
    assert isinstance(refused, NotLegalHere)
    assert str(refused) == "no"


def test_the_line_is_bounded(workers: WorkerPool) -> None:
    found = answers(workers, *[(sleep, 20.0, {"seconds": 0.5})] * 6)
    assert sum(isinstance(one, QueueFull) for one in found) in (3, 4)
    assert found.count("slept") in (2, 3)


def test_who_stops_waiting_frees_the_worker(workers: WorkerPool) -> None:
    async def ask() -> str:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await workers.run(60.0, sleep, seconds=60.0)
        return str(await workers.run(20.0, sleep, seconds=0.0))

    assert run(ask()) == "slept"


@pytest.mark.parametrize(("machine", "process"), [(1, 2), (8, 2), (16, 4), (512, 8)])
def test_a_process_may_have_a_fair_part_of_the_memory(machine: int, process: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": (machine << 30) // 4096}.__getitem__)
    assert Settings().memory == process << 30
