"""The first minute on a new machine: how long each verb takes with no kernel compiled, in one source tree or in several by turns.

    python benchmarks/first_minute.py ../before/src src

CPU seconds count all processes and threads; the clock counts too where nothing else runs. Each verb gets an empty cache of its own.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

VERBS = {
    "gin play --seed 1": "the first card",
    "gin arena simple ensemble --games 2": "",
    "recycle run block_rummy --games 10": "",
    "recycle arena kuhn_poker mcts:5 random --games 2": "",
    "rummikub solve --table R7-9|R10-12 --rack K1": "",
    "waiting solve --cards 3": "",
    "doctor": "everything",
}
CODE = "from meldlab.cli.app import main; main()"


def cold(tree: Path, verb: str) -> tuple[float, float]:
    """Return the CPU seconds and the seconds of a verb, without any compiled kernel."""
    with TemporaryDirectory() as folder:
        known = os.environ | {"PYTHONPATH": str(tree.resolve()), "MELDLAB_CACHE": folder}
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-c", CODE, *verb.split()]
        subprocess.run(command, env=known, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--verb", action="append", help="only verbs that begin with this")
    given = parser.parse_args()
    for verb, what in VERBS.items():
        if not given.verb or verb.startswith(tuple(given.verb)):
            found = (f"{cpu:6.1f} CPU-s {seconds:6.1f} s" for cpu, seconds in (cold(tree, verb) for tree in given.trees))
            print(f"{verb:50} {what:15} {'   '.join(found)}", flush=True)


if __name__ == "__main__":
    main()
