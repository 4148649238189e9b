"""Games a second of pairs of gin players, two source trees in turns in one run, and whether both play the same games.

    git worktree add ../before HEAD~20
    python benchmarks/gin_pairs.py ../before/src src --turns 9
    python benchmarks/gin_pairs.py ../before/src src --turns 9 --decisions champion
    python benchmarks/gin_pairs.py ../before/src src --turns 9 --steps

CPU seconds of one core; the best of all turns counts, and the median of the ratios of neighbouring turns is told beside it. ``beside.py``
measures what ``benchmarks/speed`` prints, and that knows two pairs only. ``--decisions`` measures one player at the table instead:
microseconds of CPU time for one decision, the median over all draws and discards of one match. ``--steps`` measures one step of a single
table from Python: of ``GinVector(1)`` without an opponent and with two of them, and of Gymnasium's ``GinEnv``, the next games included.
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
MATCH = 7  # seed of the match whose decisions are measured
DECISIONS = """
import hashlib, statistics, sys, time
from meldlab.gin import Gin
from meldlab.gin.players import parse
from meldlab.play import Deal, Table

for line in sys.stdin:
    name, seed = line.split()
    player, deal, seen, moves = parse(name), Deal(int(seed)), [], hashlib.sha256()
    for step in Table(Gin(), [player, player]).steps(deal):
        view = step.before.view(step.seat)
        if len(view.legal_actions()) > 1 and not view.knock:
            seen.append((view, deal.chance(step.number, step.seat)))
        moves.update(step.line.encode())
    taken = []
    for view, chance in seen:
        start = time.process_time_ns()
        player.choose(view, chance)
        taken.append(time.process_time_ns() - start)
    print(statistics.median(taken) / 1000, len(taken), moves.hexdigest(), flush=True)
"""
STEPS = 3000  # of a table, random legal actions
TABLES = ("alone", "simple", "ensemble", "GinEnv")
STEPPING = """
import hashlib, sys, time
from meldlab.adapters.gymnasium import GinEnv
from meldlab.gin.vector import GinVector

for line in sys.stdin:
    name, number = line.split()
    env = GinEnv() if name == "GinEnv" else GinVector(1, seed=7, opponent=None if name == "alone" else name)
    tables, actions, ends, seen = getattr(env, "table", env), [], [], hashlib.sha256()
    env.reset(seed=7)
    for _ in range(int(number)):
        actions.append(tables.random_actions().copy() if tables is env else int(tables.random_actions()[0]))
        result = env.step(actions[-1])
        ends.append(tables is not env and result[2])
        if ends[-1]:
            env.reset()
        seen.update(tables.observe().features.tobytes())
    env.reset(seed=7)
    start = time.process_time()
    for action, ended in zip(actions, ends):
        env.step(action)
        if ended:
            env.reset()
    print((time.process_time() - start) / int(number) * 1e6, number, seen.hexdigest(), flush=True)
"""
WORKER = """
import hashlib, sys, time
from meldlab.gin import Rules
from meldlab.gin.batch import play_batch
from meldlab.gin.players import parse

try:
    from meldlab.gin.batch import kernel_parameters
except ImportError:  # an older tree; its rows are the same bytes, without names
    from meldlab.gin.batch import seat as kernel_parameters

for line in sys.stdin:
    first, second, games = line.split()
    one, two = kernel_parameters(parse(first)), kernel_parameters(parse(second))
    start = time.process_time()
    matches = play_batch(one, two, Rules(), 1, 0, int(games), threads=1)
    seconds = time.process_time() - start
    rounds = matches["rounds"] if matches.dtype.names else matches[:, 1]
    print(seconds, rounds.sum(), hashlib.sha256(matches.tobytes()).hexdigest(), flush=True)
"""


def start(tree: Path, program: str) -> subprocess.Popen[str]:
    known = os.environ | {"PYTHONPATH": str(tree.resolve())}
    return subprocess.Popen([sys.executable, "-c", program], env=known, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(worker: subprocess.Popen[str], name: str, number: int) -> tuple[float, int, str]:
    """Return the CPU time of a pair's games or a player's decisions, their number of rounds or decisions, and a digest of the games."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    print(name, number, file=worker.stdin, flush=True)
    taken, count, games_played = worker.stdout.readline().split()
    return float(taken), int(count), games_played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--decisions", metavar="PLAYER", help="Measure the decisions of one player at the table instead.")
    parser.add_argument("--steps", action="store_true", help="Measure steps of a single table instead.")
    given = parser.parse_args()
    program = STEPPING if given.steps else DECISIONS if given.decisions else WORKER
    workers = [start(tree, program) for tree in (given.before, given.after)]
    jobs = dict.fromkeys(TABLES, STEPS) if given.steps else {given.decisions: MATCH} if given.decisions else PAIRS
    for name, number in jobs.items():
        (_, count, old), (_, _, new) = [ask(worker, name, number) for worker in workers]  # compiles
        taken: list[list[float]] = [[], []]
        for turn in range(given.turns):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                taken[which].append(ask(workers[which], name, number)[0])
        before, after = map(min, taken)
        median = statistics.median(a / b for a, b in zip(*taken, strict=True))
        told = f"{number / before:9,.0f} {number / after:9,.0f} games/s {count / before:9,.0f} {count / after:9,.0f} rounds/s"
        if given.decisions:
            told = f"{before:9,.0f} {after:9,.0f} us for one of {count} decisions"
        if given.steps:
            told = f"{before:9.2f} {after:9.2f} us a step"
        same = "the same games" if old == new else "OTHER GAMES"
        print(f"{name:24} {told}   best {before / after:.2f}, median {median:.2f}   {same}", flush=True)
    for worker in workers:
        worker.communicate()


if __name__ == "__main__":
    main()
