"""A real Dask scheduler and two worker processes on this machine, one of which is killed in the middle."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from meldlab.arena.tasks import contest_task
from meldlab.errors import NotPossible
from meldlab.runs.pool import Pool
from meldlab.runs.store import Store
from meldlab.runs.tasks import run_tasks
from tests.runs.search import PIECES, pieces, warm

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
ROOT = Path(__file__).parents[2]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Cluster:
    """A scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, f"tcp://127.0.0.1:{free_port()}"
        self.scheduler = self._start("dask_scheduler", "--host", self.address)
        worker = ("--nthreads", "1", "--no-nanny", "--host", "127.0.0.1", "--local-directory", str(folder))
        self.workers = [self._start("dask_worker", self.address, *worker) for _ in range(2)]

    def _start(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "SEARCH_PACE": "0.1"}
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"]
        with (self.folder / "said").open("ab") as said:
            return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=said, stderr=said)

    def wait(self) -> None:
        """Wait until all workers have joined and loaded their kernels."""
        with distributed.Client(self.address, timeout=60) as client:
            client.wait_for_workers(len(self.workers), timeout=60)
            client.run(warm)

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def started(folder: Path) -> Iterator[Cluster]:
    folder.mkdir()
    found = Cluster(folder)
    try:
        found.wait()
        yield found
    finally:
        found.stop()


def test_one_of_two_workers_is_killed_and_nothing_is_lost_or_counted_twice(tmp_path: Path) -> None:
    with started(tmp_path / "cluster") as cluster:
        lose_a_worker(tmp_path, cluster)


def lose_a_worker(tmp_path: Path, cluster: Cluster) -> None:
    run, log = Store.open(tmp_path / "runs.sqlite").run("on a cluster", {}), tmp_path / "log"
    shards, seen = pieces(str(log)), list[float]()

    def kill_in_the_middle(games: float, whole: float, message: str) -> None:
        seen.append(games)
        victim = cluster.workers[0]
        # Only when it has shown that it works; the search is far from over then.
        if games < whole and victim.poll() is None and f" {victim.pid}\n" in (log.read_text() if log.exists() else ""):
            victim.send_signal(signal.SIGKILL)
            victim.wait()

    counts = run_tasks(shards, run, cluster=cluster.address, progress=kill_in_the_middle)
    assert cluster.workers[0].returncode == -signal.SIGKILL
    assert list(counts) == [shard.key for shard in shards]
    # What the pieces are worth is worked out here, without store or cluster.
    assert list(counts.values()) == [contest_task(shard) for shard in shards]
    assert run.games() == sum(shard.games for shard in shards)
    assert seen == sorted(seen)
    lines = log.read_text().splitlines()
    assert len(lines) >= PIECES
    assert {line.split()[1] for line in lines} == {str(worker.pid) for worker in cluster.workers}
    # A cluster of one core is used, not this process.
    assert set(Pool(cluster=cluster.address).map(pid_of, [(n,) for n in range(4)])) == {cluster.workers[1].pid}


def pid_of(call: int) -> int:
    return os.getpid()


def test_a_search_outlives_its_scheduler(tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    shards, run = pieces(), Store.open(tmp_path / "runs.sqlite").run("on a cluster", {})
    with started(tmp_path / "cluster") as lost, pytest.raises(NotPossible, match=r"the Dask cluster is lost: .*scheduler"):
        run_tasks(shards, run, cluster=lost.address, progress=lambda games, total, message: lost.scheduler.kill() if games else None)
    # One line says it; what the libraries below have to say about it is left out.
    said = capfd.readouterr()
    assert said.out + said.err == ""
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    done = run.done([shard.key for shard in shards])
    assert 0 < len(done) < PIECES
    assert list(run_tasks(shards, run).values()) == [contest_task(shard) for shard in shards]


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meldlab.runs.pool.CONNECT_SECONDS", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(NotPossible, match=f"no Dask cluster answers at {address}"):
        Pool(cluster=address)
    with pytest.raises(NotPossible, match="no Dask cluster answers at nonsense"):
        Pool(cluster="nonsense")
