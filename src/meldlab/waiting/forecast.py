"""What it takes to solve a waiting game, told from the numbers of classes before anything is solved.

>>> from meldlab.waiting import Waiting
>>> seven, eight = (cpu_cost(Waiting(cards), threads=2) for cards in (7, 8))
>>> 4 < eight.seconds / seven.seconds < 8, eight.memory < 4e9
(True, True)
"""

from functools import cache
from time import perf_counter

import numba
import numpy as np

from meldlab.cost import Cost
from meldlab.waiting import kernel
from meldlab.waiting.game import Waiting

__all__ = ["cpu_cost", "gpu_cost"]

# Nanoseconds for each pair of a hand and a hand with one card more, on a core that sweeps the five-card game in SWEEP seconds: what is
# shared by all cores, and what one core does alone. Between what seven cards (10.8 s) and eight (76 s) took on two cores taking 0.0085 s.
SHARED, ALONE, SWEEP = 45.0, 13.0, 0.013
GPU_NANOSECONDS = 0.13  # the same on an H200, from eight to ten cards
PROGRAM = 2.5e8  # bytes that the program takes with its kernels, and a window of hands


def cpu_cost(game: Waiting, threads: int | None = None) -> Cost:
    """Return what a game takes on this machine, with ``threads`` cores or all; a sweep of a small game says how fast they are."""
    cores, small, large = threads or numba.get_num_threads(), game.small.classes, game.large.classes
    speed = _sweep_seconds() / SWEEP
    seconds = speed * _pairs(game) * (SHARED / cores + ALONE) / 1e9
    # While hands are settled: total, weight, place and near bit of each, and what windows write to; then F of every larger hand.
    memory = max(small * (8 + 2 + 4 + 1 / 8 + 8) + large, small * 8 + large * 8) + PROGRAM
    where = f"{cores} core{'s' if cores > 1 else ''}"
    return Cost(seconds, memory, where, f"{small:,} and {large:,} classes of hands and a sweep of a small game on this machine")


def gpu_cost(game: Waiting) -> Cost:
    """Return what a game takes on an H200, the GPU that was measured."""
    small, large = game.small.classes, game.large.classes
    seconds = _pairs(game) * GPU_NANOSECONDS / 1e9
    return Cost(seconds, small * 16 + large * 17, "a GPU", f"{small:,} and {large:,} classes of hands and what an H200 took for others")


def _pairs(game: Waiting) -> int:
    return game.small.classes * game.bag + game.large.classes * (game.cards + 1)


@cache
def _sweep_seconds() -> float:
    """Return how long a core takes to sweep the discards of the five-card game, the best of five: others can only slow it down."""
    game, times = Waiting(5), []
    after, expected = np.empty(game.large.classes), np.ones(game.small.classes)
    kernel.sweep_discards(0, 0, after, expected, game.space)
    for _ in range(5):
        begun = perf_counter()
        kernel.sweep_discards(0, len(after), after, expected, game.space)
        times.append(perf_counter() - begun)
    return min(times)
