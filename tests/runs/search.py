"""A small search that can take its time, for tests that interrupt it; as a program it runs once: search STORE [LOG]."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from meldlab.arena.contest import ContestResult
from meldlab.arena.tasks import contest_task
from meldlab.gin import Gin
from meldlab.runs.store import LEASE, Counts, Store, canonical
from meldlab.runs.tasks import TASKS, Task, TaskFunction, run_tasks

PLAYERS = [f"knock:{early},0,6" for early in (2, 4, 6, 8, 10)]
GAMES, PIECE = 200, 20
PIECES = len(PLAYERS) * GAMES // PIECE

# In threads, so that a test that kills the process kills the search.
TASKS["test.slow"] = TaskFunction("tests.runs.search:slow_shard", threads=True)


def slow_shard(shard: Task) -> Counts:
    """Play a shard, slowly where the process was asked to, and leave a line that says so."""
    time.sleep(float(os.environ.get("SEARCH_PACE", "0")))
    if "log" in shard.arguments:
        with open(shard.arguments["log"], "a") as log:
            log.write(f"{shard.key} {os.getpid()}\n")
    return contest_task(shard)


def warm() -> None:
    """Load the kernels, so that no process is far behind another."""
    contest_task(pieces()[0])


def pieces(log: str | None = None) -> list[Task]:
    """Return the shards of the whole search."""
    arguments = {"log": log} if log else {}
    players = [Task("test.slow", player, seed=11, games=GAMES, arguments=arguments) for player in PLAYERS]
    return [piece for player in players for piece in player.split(PIECE)]


def search(store: str, log: str | None = None, cluster: str | None = None, lease: float = LEASE) -> str:
    """Find the best of the players and return the answer of the run as text."""
    run = Store.open(store).run("five players", {"games": GAMES})
    shards = pieces(log)
    counts = run_tasks(shards, run, jobs=2, cluster=cluster, lease=lease)
    rates: dict[str, Any] = {}
    for player in PLAYERS:
        own = [counts[shard.key] for shard in shards if shard.player == player]
        rate = ContestResult.from_counts(Gin(), (player, "simple"), own).win_rate()
        rates[player] = [rate.value, rate.low, rate.high]
    answer = {"best": max(rates, key=lambda name: (rates[name], name)), "rates": rates, "counts": list(counts.values())}
    run.finish(answer)
    return canonical(answer)


def meet(log: str) -> None:
    """Wait until two processes with the same log are ready, so that neither is done before the other begins."""
    warm()
    Path(f"{log}.{os.getpid()}").touch()
    while len(list(Path(log).parent.glob(f"{Path(log).name}.*"))) < 2:
        time.sleep(0.005)


if __name__ == "__main__":
    # Under its own name, as any other process imports it.
    from tests.runs import search as this

    if len(sys.argv) > 2:
        this.meet(sys.argv[2])
    print(this.search(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
