"""What each change of numba is worth: CPU seconds to compile, and speed of compiled games, with single changes switched off.

    python benchmarks/numba_patches.py
    python benchmarks/numba_patches.py linking --turns 1

Works on copies of the source tree, in turns. Compile times are CPU seconds of a command with an empty cache, speeds are games per CPU
second of one core; both are the best of all turns.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SRC = Path(__file__).parents[1] / "src"
# File, text, and what replaces it.
CHANGES = {
    "none": (),
    "linking": (
        (
            "compiling.py",
            "pipeline_class=linking.Pipeline, _nrt=allocates, **options)",
            "pipeline_class=linking.indexing.IndexingPipeline)",
        ),
        ("compiling.py", "compiled.get_call_template, compiled.get_overload =", "_ ="),
    ),
    "call types": (("linking.py", "functions.BaseFunction.get_call_type = _cached_call_type\n", ""),),
    "stack slots": (("linking.py", "callconv.cgutils = _SharedSlots()\n", ""),),
    "unsigned indices": (("indexing.py", "manager.add_pass_after(UnsignedIndices, NopythonRewrites)\n", "pass\n"),),
}
COMMANDS = ("gin arena simple ensemble --games 2", "recycle run block_rummy --games 10", "rummikub solve --table R7-9|R10-12 --rack K1")
RUN = "from meldlab.cli.app import main; main()"
SPEED = """
import sys, time
{setup}
play(2)
best = 0.0
for _ in range(5):
    start = time.process_time()
    play({games})
    best = max(best, {games} / (time.process_time() - start))
print(best)
"""
GIN = """
from meldlab.gin import Rules, players
from meldlab.gin.batch import play_batch
first, second = players.parse("simple"), players.parse("ensemble")
play = lambda games: play_batch(first, second, Rules(), 1, 0, games, threads=1)
"""
RECYCLE = """
from meldlab.recycle import RecycleGame
machine = RecycleGame.load("block_rummy").machine
play = lambda games: machine.random_games(games, 1)
"""
SPEEDS = {"gin simple, ensemble": (GIN, 1000), "block_rummy": (RECYCLE, 1000)}


def run(tree: Path, cache: Path, code: str, *arguments: str) -> tuple[float, str]:
    """Return the CPU seconds and the output of a process."""
    known = os.environ | {"PYTHONPATH": str(tree), "MELDLAB_CACHE": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=known, cwd=cache, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def tree_without(change: str, folder: Path) -> Path:
    """Return a copy of the sources with a change switched off."""
    shutil.copytree(SRC / "meldlab", folder / "meldlab", ignore=shutil.ignore_patterns("__pycache__", "static"))
    for name, old, new in CHANGES[change]:
        text = (folder / "meldlab" / name).read_text()
        if old not in text:
            sys.exit(f"{name} has no {old!r}")
        (folder / "meldlab" / name).write_text(text.replace(old, new))
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("changes", nargs="*", help=f"of {', '.join(CHANGES)}; default: all")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    names = list(dict.fromkeys(["none", *(given.changes or CHANGES)]))
    seconds: dict[tuple[str, str], float] = {}
    speeds: dict[tuple[str, str], float] = {}
    with TemporaryDirectory() as folder:
        trees = {name: tree_without(name, Path(folder, name.replace(" ", "_"))) for name in names}
        for _ in range(given.turns):
            for name, tree in trees.items():
                for command in COMMANDS:
                    with TemporaryDirectory() as cache:
                        cpu, _ = run(tree, Path(cache), RUN, *command.split())
                    seconds[name, command] = min(cpu, seconds.get((name, command), cpu))
                for game, (setup, games) in SPEEDS.items():
                    speed = float(run(tree, tree, SPEED.format(setup=setup, games=games))[1])
                    speeds[name, game] = max(speed, speeds.get((name, game), 0.0))
    print(f"{'switched off':18}" + "".join(f"{what[:22]:>24}" for what in (*COMMANDS, *SPEEDS)))
    for name in names:
        cold = [f"{seconds[name, command]:.1f} s" for command in COMMANDS]
        print(f"{name:18}" + "".join(f"{text:>24}" for text in (*cold, *(f"{speeds[name, game]:,.0f}/s" for game in SPEEDS))))


if __name__ == "__main__":
    main()
