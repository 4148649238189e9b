"""A small search that can take its time, for tests that interrupt it; as a program it runs once: search STORE [LOG]."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from meldlab.arena.shards import gather, play_shard
from meldlab.runs.store import Counts, Store, canonical
from meldlab.runs.tasks import WORKERS, Shard, Worker, play

PLAYERS = [f"knock:{early},0,6" for early in (2, 4, 6, 8, 10)]
GAMES, PIECE = 200, 20
PIECES = len(PLAYERS) * GAMES // PIECE

# In threads, so that a test that kills the process kills the search.
WORKERS["test.slow"] = Worker("tests.runs.search:slow_shard", threads=True)


def slow_shard(shard: Shard) -> Counts:
    """Play a shard, slowly where the process was asked to, and leave a line that says so."""
    time.sleep(float(os.environ.get("SEARCH_PACE", "0")))
    if "log" in shard.arguments:
        with open(shard.arguments["log"], "a") as log:
            log.write(f"{shard.key} {os.getpid()}\n")
    return play_shard(shard)


def warm() -> None:
    """Load the kernels, so that no process is far behind another."""
    play_shard(pieces()[0])


def pieces(log: str | None = None) -> list[Shard]:
    """Return the shards of the whole search."""
    arguments = {"log": log} if log else {}
    players = [Shard("test.slow", player, seed=11, games=GAMES, arguments=arguments) for player in PLAYERS]
    return [piece for player in players for piece in player.split(PIECE)]


def search(store: str, log: str | None = None, cluster: str | None = None) -> str:
    """Find the best of the players and return the answer of the run as text."""
    run = Store.open(store).run("five players", {"games": GAMES})
    shards = pieces(log)
    counts = play(shards, run, jobs=2, cluster=cluster)
    rates: dict[str, Any] = {}
    for player in PLAYERS:
        rate = gather(counts[shard.key] for shard in shards if shard.player == player).rate()
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
    print(this.search(*sys.argv[1:]))
