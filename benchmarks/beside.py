"""Two source trees beside each other: every figure of ``benchmarks/speed``, measured in turns in one run.

    git worktree add ../before HEAD~20
    python benchmarks/beside.py ../before/src src --rounds 5 --bench melds --bench gin

Figures of one tree on one day say little about another day; taken in turns, both trees meet the same neighbours on the machine. Of each
figure the best of all rounds counts, since others can only slow a program down: the largest of a rate ("per_second"), else the smallest.
Seeds are given: versions differ in the one they take by themselves.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BENCHES = {
    "melds": ["--hands", "1000000", "--seed", "1"],
    "waiting": ["--no-seven"],
    "stopping": [],
    "gin": ["--seed", "1"],
    "vector": ["--seconds", "1", "--device", "cpu", "--seed", "1"],
    "rummikub": ["--program-positions", "0", "--seed", "1"],
    "recycle": ["--seconds", "1", "--seed", "1"],
    "analyse": ["--seed", "1"],
    "tuning": [],
}


def figures(answer: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Give every number in what a bench answers, with the way to it."""
    if isinstance(answer, dict):
        # Rows of a list are told apart by their words, not by their place.
        for key, value in answer.items():
            yield from figures(value, f"{name}.{key}" if name else key)
    elif isinstance(answer, list):
        for place, value in enumerate(answer):
            words = [str(each) for each in value.values() if isinstance(each, str)] if isinstance(value, dict) else []
            yield from figures(value, f"{name}[{words[0] if words else place}]")
    elif isinstance(answer, int | float) and not isinstance(answer, bool):
        yield name, float(answer)


def measure(tree: Path, bench: str) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(tree.resolve())}
    speed = tree.resolve().parent / "benchmarks" / "speed"
    # Older trees have the same measurements as a command.
    program = [str(speed)] if speed.exists() else ["-m", "meldlab", "bench"]
    command = [sys.executable, *program, bench, "--json", *BENCHES[bench]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(figures(json.loads(done.stdout)))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure two source trees in turns.")
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bench", action="append", choices=list(BENCHES))
    given = parser.parse_args()
    for bench in given.bench or BENCHES:
        seen: list[dict[str, list[float]]] = [{}, {}]
        for turn in range(given.rounds):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                for name, value in measure((given.before, given.after)[which], bench).items():
                    seen[which].setdefault(name, []).append(value)
        print(f"{bench}, best of {given.rounds} in turns")
        for name in seen[0].keys() & seen[1].keys():
            rate = "per_second" in name or "per_cpu_s" in name or name.endswith("/s")
            best = max if rate else min
            old, new = best(seen[0][name]), best(seen[1][name])
            if old and (old != new or rate):
                faster = new / old if best is max else old / new
                print(f"  {name:60} {old:14.6g} {new:14.6g}   {faster:6.3f}")


if __name__ == "__main__":
    main()
