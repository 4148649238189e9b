"""The longest that a best move takes among many fresh positions, CPU milliseconds of whole calls of ``solve``.

python benchmarks/worst_move.py --positions 10000 --seed 77
"""

import argparse
import time

from meldlab.rummikub import DIFFICULTIES, Objective, random_position, solve, warm_up


def main() -> None:
    parser = argparse.ArgumentParser(description="Find the slowest of many best moves.")
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    warm_up()
    for kind in DIFFICULTIES:
        taken: dict[str, list[float]] = {"count": [], "value": []}
        for nth in range(given.positions):
            position = random_position(kind, given.seed, nth)
            for measure, times in taken.items():
                begun = time.thread_time()
                solve(position, Objective(measure, "none"))
                times.append(1000 * (time.thread_time() - begun))
        for measure, times in taken.items():
            ranked = sorted(times)
            middle, late = ranked[len(ranked) // 2], ranked[len(ranked) * 99 // 100]
            print(
                f"{kind:5} {measure:6} median {middle:.3f}  p99 {late:.2f}  worst {ranked[-1]:.1f} ms (position {times.index(ranked[-1])})"
            )


if __name__ == "__main__":
    main()
