"""Games a second of pairs of gin players, two source trees in turns in one run, and whether both play the same games.

    git worktree add ../before HEAD~20
    python benchmarks/gin_pairs.py ../before/src src --turns 9

CPU seconds of one core; the best of all turns counts, and the median of the ratios of neighbouring turns is told beside it. ``beside.py``
measures what ``meldlab bench`` prints, and that knows two pairs only.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

PAIRS = {
    "simple simple": 2000,
    "ensemble simple": 400,
    "ensemble ensemble": 200,
    "marjj simple": 200,
    "computed:light simple": 100,
}
WORKER = """
import hashlib, sys, time
from meldlab.gin import Rules, kernel_layout
from meldlab.gin.batch import play_batch, seat
from meldlab.gin.players import parse

for line in sys.stdin:
    first, second, games = line.split()
    one, two = seat(parse(first)), seat(parse(second))
    start = time.process_time()
    counts = play_batch(one, two, Rules(), 1, 0, int(games), threads=1)
    seconds = time.process_time() - start
    print(seconds, counts[:, kernel_layout.ROUNDS].sum(), hashlib.sha256(counts.tobytes()).hexdigest(), flush=True)
"""


def start(tree: Path) -> subprocess.Popen[str]:
    known = os.environ | {"PYTHONPATH": str(tree.resolve())}
    return subprocess.Popen([sys.executable, "-c", WORKER], env=known, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(worker: subprocess.Popen[str], pair: str, games: int) -> tuple[float, int, str]:
    """Return the CPU seconds of so many games, their rounds, and what tells other games apart from them."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(pair, games, file=worker.stdin, flush=True)
    seconds, rounds, games_played = worker.stdout.readline().split()
    return float(seconds), int(rounds), games_played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--turns", type=int, default=9)
    given = parser.parse_args()
    workers = [start(given.before), start(given.after)]
    for pair, games in PAIRS.items():
        (_, rounds, old), (_, _, new) = [ask(worker, pair, games) for worker in workers]  # compiles
        seconds: list[list[float]] = [[], []]
        for turn in range(given.turns):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                seconds[which].append(ask(workers[which], pair, games)[0])
        before, after = map(min, seconds)
        median = statistics.median(a / b for a, b in zip(*seconds, strict=True))
        told = f"{games / before:9,.0f} {games / after:9,.0f} games/s {rounds / before:9,.0f} {rounds / after:9,.0f} rounds/s"
        same = "the same games" if old == new else "OTHER GAMES"
        print(f"{pair:24} {told}   best {before / after:.2f}, median {median:.2f}   {same}", flush=True)
    for worker in workers:
        worker.communicate()


if __name__ == "__main__":
    main()
