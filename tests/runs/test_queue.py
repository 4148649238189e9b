"""The queue of runs: claims, leases, fairness, and runs that are killed, cancelled or shared."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.runs import queue as queue_module
from meldlab.runs.leaderboard import RunProgress
from meldlab.runs.queue import COMMAND_LINE, KINDS, Lost, QueuedRun, RunQueue, execute, execute_here
from meldlab.runs.store import Run, Store
from tests.runs.servers import postgresql
from tests.runs.test_postgresql import database

ROOT = Path(__file__).parents[2]
NUMBERS = itertools.count()
CONTEST = {"players": ["ensemble", "simple"], "games": 40, "seed": 3}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    on_server = request.param == "postgresql"
    url = database(request.getfixturevalue("server"), f"queue{next(NUMBERS)}") if on_server else str(tmp_path / "runs.sqlite")
    opened = Store.open(url)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def queue(store: Store) -> RunQueue:
    return RunQueue(store)


def claimed(queue: RunQueue, worker: str = "worker", **settings: Any) -> QueuedRun:
    entry = queue.claim(worker, queue.submit("ann", "contest", {**CONTEST, **settings}).id)
    assert entry is not None
    return entry


def test_submit_returns_the_open_entry_with_the_same_settings(queue: RunQueue) -> None:
    first, again, other = (queue.submit("ann", "contest", settings) for settings in (CONTEST, CONTEST, {**CONTEST, "seed": 4}))
    assert first == again
    assert (first.id, first.state, first.settings) != (other.id, other.state, other.settings)
    assert queue.claim("worker", first.id) is not None
    assert queue.submit("ann", "contest", CONTEST).state == "running"
    queue.finish(first.id, "worker")
    assert queue.submit("ann", "contest", CONTEST).id not in (first.id, other.id)


def test_entries_are_claimed_once_by_many_workers(queue: RunQueue) -> None:
    ids = [queue.submit(f"owner {i % 3}", "contest", {"seed": i}).id for i in range(30)]

    def claim_all(worker: str) -> list[int]:
        found = []
        while (entry := queue.claim(worker)) is not None:
            found.append(entry.id)
        return found

    with ThreadPoolExecutor(3) as pool:
        found = [id for part in pool.map(claim_all, ("one", "two", "three")) for id in part]
    assert Counter(found) == Counter(ids)


def test_claim_serves_the_owner_with_the_fewest_running_entries(queue: RunQueue) -> None:
    for i in range(4):
        queue.submit("ann", "contest", {"seed": i})
    queue.submit("bob", "contest", {"seed": 9})
    queue.submit(COMMAND_LINE, "contest", {"seed": 10})
    claims = [queue.claim(f"worker {i}") for i in range(6)]
    assert [entry.owner for entry in claims if entry] == ["ann", "bob", "ann", "ann", "ann"]


def test_an_expired_lease_is_taken_over_once(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(Store, "clock", lambda self, connection: now[0])
    entry = claimed(queue)
    now[0] += queue.lease - 1
    assert queue.renew(entry.id, "worker")
    now[0] += queue.lease - 1
    assert queue.claim("other", entry.id) is None
    now[0] += 2
    assert queue.claim("other", entry.id) is not None
    assert queue.claim("third", entry.id) is None
    assert not queue.renew(entry.id, "worker")
    with pytest.raises(Lost):
        queue.finish(entry.id, "worker")
    queue.finish(entry.id, "other")
    assert queue.entry(entry.id).state == "finished"


def test_execute_stores_the_result_of_a_contest(queue: RunQueue) -> None:
    from meldlab.arena.contest import play_contest
    from meldlab.gin import Gin

    entry, reports = claimed(queue), list[tuple[float, float]]()
    result = execute(queue, entry, lambda done, total, message: reports.append((done, total)))
    played = play_contest(Gin(), ["ensemble", "simple"], 40, seed=3).as_json()
    timing = dict.fromkeys(("seconds", "games_per_second"))
    assert {**result, **timing} == {**played, **timing}
    assert reports[0] == (0, 40)
    stored = queue.entry(entry.id)
    assert (stored.state, stored.run is not None) == ("finished", True)
    assert queue.store.find(stored.run or 0).result == result


@pytest.fixture
def kinds() -> Iterator[None]:
    KINDS.update({name: f"tests.runs.test_queue:{name}" for name in ("rejected", "interrupted", "endless")})
    yield
    for name in ("rejected", "interrupted", "endless"):
        del KINDS[name]


def rejected(run: Run, settings: Any, progress: Any) -> None:
    raise NotLegalHere("game 6 cannot be played")


def interrupted(run: Run, settings: Any, progress: Any) -> None:
    run.note("halfway")
    raise KeyboardInterrupt


def endless(run: Run, settings: Any, progress: Any) -> None:
    for i in range(1000):
        progress(i, 1000, "")
        time.sleep(0.01)


@pytest.mark.usefixtures("kinds")
def test_execute_marks_a_failed_run_and_requeues_an_interrupted_one(queue: RunQueue) -> None:
    for kind, error, state, message in (
        ("rejected", NotLegalHere, "failed", "game 6 cannot be played"),
        ("interrupted", KeyboardInterrupt, "queued", "interrupted"),
    ):
        entry = queue.claim("worker", queue.submit("ann", kind, {}).id)
        assert entry is not None
        with pytest.raises(error):
            execute(queue, entry)
        assert (queue.entry(entry.id).state, queue.entry(entry.id).message) == (state, message)


@pytest.mark.usefixtures("kinds")
def test_execute_stops_when_its_entry_is_cancelled(store: Store) -> None:
    queue = RunQueue(store, lease=0.3)
    entry = queue.claim("worker", queue.submit("ann", "endless", {}).id)
    assert entry is not None
    timer = threading.Timer(0.2, queue.cancel, [entry.id])
    timer.start()
    with pytest.raises(Lost):
        execute(queue, entry)
    timer.join()
    assert queue.entry(entry.id).state == "cancelled"
    assert not queue.cancel(entry.id)


def test_execute_here_rejects_a_run_of_another_process_and_an_unknown_kind(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "RunQueue", lambda store: RunQueue(store, lease=30.0))
    monkeypatch.setattr(queue_module, "POLL_SECONDS", 0.0)
    monkeypatch.setattr("meldlab.runs.queue.time.monotonic", iter(range(0, 10_000, 100)).__next__)
    other = RunQueue(store)
    assert other.claim("another", other.submit(COMMAND_LINE, "contest", CONTEST).id) is not None
    with pytest.raises(NotPossible, match="in progress in another process"):
        execute_here(store, "contest", CONTEST)
    with pytest.raises(NoSuchThing, match="no kind of run 'fight'"):
        execute_here(store, "fight", {})


def test_a_running_entry_counts_as_a_worker_of_its_run(queue: RunQueue) -> None:
    run = queue.store.run("contest", {"worker": queue.store.engine.dialect.name})
    entry = claimed(queue)
    assert RunProgress.from_run(run).state == "stopped"
    queue.start(entry.id, "worker", run.number)
    assert RunProgress.from_run(run).state == "running"


@pytest.mark.slow
def test_a_killed_run_is_resumed_with_the_same_result(tmp_path: Path) -> None:
    program = """
import sys
from meldlab.runs.queue import execute_here
from meldlab.runs.store import Store
from meldlab.arena import tasks
tasks.TASK_DEALS = 5
settings = {"players": ["ensemble", "simple"], "games": 4000, "seed": 3, "threads": 1}
print(execute_here(Store.open(sys.argv[1]), "contest", settings)["players"])
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    results = []
    for name, kill in (("killed", True), ("alone", False)):
        path = tmp_path / f"{name}.sqlite"
        command = [sys.executable, "-c", program, str(path)]
        if kill:
            process = subprocess.Popen(command, env=environment)
            store = Store.open(path)
            while not store.runs() or not store.runs()[0].games():
                assert process.poll() is None
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            assert [entry.state for entry in RunQueue(store).entries()] == ["running"]
        results.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
        assert Store.open(path).runs()[0].games() == 4000
    assert results[0] == results[1]
