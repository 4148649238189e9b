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

from meldlab.cost import Cost, cores_text
from meldlab.waiting import kernel
from meldlab.waiting.game import Waiting

__all__ = ["cpu_cost", "cpu_memory", "gpu_cost", "pairs"]

# Nanoseconds for each pair of a hand and a hand with one card more, on a core that sweeps the five-card game in SWEEP seconds: what is
# shared by all cores, and what one core does alone. Between what seven cards (10.8 s) and eight (76 s) took on two cores taking 0.0085 s.
SHARED, ALONE, SWEEP = 45.0, 13.0, 0.013
GPU_NANOSECONDS = 0.13  # the same on an H200, from eight to ten cards
PROGRAM = 2.5e8  # bytes that the program takes with its kernels, and a window of hands


def cpu_cost(game: Waiting, threads: int | None = None, *, tried: bool = True) -> Cost:
    """Return what a game takes on this machine, with ``threads`` cores or all.

    A sweep of a small game says how fast they are; without ``tried`` they are taken for those that were measured, and no kernel is needed.
    """
    cores, small, large = threads or numba.get_num_threads(), game.small.classes, game.large.classes
    speed, how = (_sweep_seconds() / SWEEP, "a sweep of a small game on this machine") if tried else (1.0, "what other cores took")
    seconds = speed * pairs(game) * (SHARED / cores + ALONE) / 1e9
    return Cost(seconds, cpu_memory(game), cores_text(cores), f"{small:,} and {large:,} classes of hands and {how}")


def cpu_memory(game: Waiting) -> float:
    """Return the bytes that a game takes on a CPU; nothing has to be tried for that."""
    small, large = game.small.classes, game.large.classes
    # While hands are settled: total, weight, place and near bit of each, and what windows write to; then F of every larger hand.
    return max(small * (8 + 2 + 4 + 1 / 8 + 8) + large, small * 8 + large * 8) + PROGRAM


def gpu_cost(game: Waiting) -> Cost:
    """Return what a game takes on an H200, the GPU that was measured."""
    small, large = game.small.classes, game.large.classes
    seconds = pairs(game) * GPU_NANOSECONDS / 1e9
    # E and the hand of each class, and F of every larger one.
    return Cost(seconds, small * (8 + 8) + large * 8, "a GPU", f"{small:,} and {large:,} classes of hands and what an H200 took for others")


def pairs(game: Waiting) -> int:
    """Return how many pairs there are of a class of hands and one with a card more or less: what a solve looks at."""
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
