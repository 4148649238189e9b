"""Solve waiting games on a GPU and print what docs/benchmarks/waiting.md quotes: python benchmarks/waiting_cuda.py [cards ...]

Three cards come first and compile. Ten cards are also solved by the command line, by the clock, and saved as u16 and loaded again.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from meldlab.cards import Hand
from meldlab.gpu import gpu_name
from meldlab.waiting import Solution, WaitingGame, solve
from meldlab.waiting.storage import load, save

KNOWN = {3: 17.5142727492, 4: 38.6612233676, 5: 50.2104206592, 7: 27.3927720466, 8: 34.1894024709, 9: 21.2873574458, 10: 23.0505173345}


def main(sizes: list[int]) -> None:
    print("device", gpu_name(), flush=True)
    solve(WaitingGame(3), device="cuda")
    for cards in sizes:
        start = time.perf_counter()
        solution = solve(WaitingGame(cards), device="cuda")
        summary = solution.summary()
        print(
            f"{cards:2} cards low: {solution.seconds:7.3f} s, {time.perf_counter() - start:.3f} s with the summary, "
            f"{solution.sweeps} sweeps, residual {solution.residual:.1e}, mean {summary.mean:.10f}, max {summary.max:.10f}, "
            f"complete {summary.goal_hands:,}, worst {summary.worst} ({summary.worst_hands} hands)",
            flush=True,
        )
        if cards in KNOWN and abs(summary.mean - KNOWN[cards]) > 1e-9:
            sys.exit(f"mean differs from the known {KNOWN[cards]}")
        if cards <= 5:
            print("   largest difference to the CPU:", np.abs(solution.expected - solve(WaitingGame(cards), device="cpu").expected).max())
    if 10 in sizes:
        for _ in range(2):
            by_the_clock()
    dead = solve(WaitingGame(7, dead=Hand.parse("2H 2D 9S")), device="cuda")
    print(f" 7 cards without 2D 2H 9S: {dead.seconds:.2f} s, {dead.sweeps} sweeps, mean {dead.summary().mean:.10f}")
    if cards == 10:
        rounded(solution)


def by_the_clock() -> None:
    """Print how long the command line takes from start to end."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "meldlab", "waiting", "solve", "--cards", "10", "--device", "cuda"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
    print(f"   command line: {time.perf_counter() - start:.1f} s by the clock, {said}", flush=True)


def rounded(solution: Solution) -> None:
    """Save a solution in 16 bits, load it again and compare a hand."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ten.table"
        start = time.perf_counter()
        error = save(solution, path, "u16")
        print(f"   u16: {path.stat().st_size:,} bytes, error {error:.2e}, saved in {time.perf_counter() - start:.1f} s", flush=True)
        start = time.perf_counter()
        again = load(path)
        hand = Hand.parse("AC 2D 4H 6S 8C TD QH KS 3C 7D")
        print(f"   loaded in {time.perf_counter() - start:.1f} s; E({hand}) = {solution.turns(hand):.6f}, u16 {again.turns(hand):.6f}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [3, 5, 7, 8, 9, 10])
