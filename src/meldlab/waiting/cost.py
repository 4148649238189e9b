"""Time and memory to solve a waiting game, predicted from the numbers of classes.

>>> from meldlab.waiting import WaitingGame
>>> seven, eight = (cpu_cost(WaitingGame(cards), threads=2) for cards in (7, 8))
>>> 4 < eight.seconds / seven.seconds < 8, eight.memory < 4e9
(True, True)
"""

from functools import cache
from time import perf_counter

import numba
import numpy as np

from meldlab.cost import Cost, cores_text
from meldlab.waiting import kernel
from meldlab.waiting.game import WaitingGame

# Nanoseconds for each pair of a hand and a hand with one card more, on a core that sweeps the five-card game in SWEEP seconds: what is
# shared by all cores, and what one core does alone. Fitted to seven cards (10.8 s) and eight (76 s) on two cores with a sweep of 0.0085 s.
SHARED, ALONE, SWEEP = 45.0, 13.0, 0.013
GPU_NANOSECONDS = 0.13  # the same on an H200, from eight to ten cards
PROGRAM = 2.5e8  # bytes of the program with its kernels and a window of hands


def cpu_cost(game: WaitingGame, threads: int | None = None, *, measured: bool = True) -> Cost:
    """Return the cost of a game on this machine, with ``threads`` cores or all.

    A sweep of a small game measures the cores. Without ``measured``, the cores of the fit are assumed, and no kernel is compiled.
    """
    cores, hands, drawn = threads or numba.get_num_threads(), game.numbering.classes, game.drawn_numbering.classes
    speed, basis = (_sweep_seconds() / SWEEP, "a sweep of a small game on this machine") if measured else (1.0, "what other cores took")
    seconds = speed * num_pairs(game) * (SHARED / cores + ALONE) / 1e9
    return Cost(seconds, cpu_memory(game), cores_text(cores), f"{hands:,} and {drawn:,} classes of hands and {basis}")


def cpu_memory(game: WaitingGame) -> float:
    """Return the bytes that a game takes on a CPU, without a measurement."""
    hands, drawn = game.numbering.classes, game.drawn_numbering.classes
    # While hands are settled: total, weight, index and near bit of each, and the windows; then F of every larger hand.
    return max(hands * (8 + 2 + 4 + 1 / 8 + 8) + drawn, hands * 8 + drawn * 8) + PROGRAM


def gpu_cost(game: WaitingGame) -> Cost:
    """Return the cost of a game on an H200, the GPU that was measured."""
    hands, drawn = game.numbering.classes, game.drawn_numbering.classes
    seconds = num_pairs(game) * GPU_NANOSECONDS / 1e9
    # E and the hand of each class, and F of every larger one.
    return Cost(seconds, hands * (8 + 8) + drawn * 8, "a GPU", f"{hands:,} and {drawn:,} classes of hands and what an H200 took for others")


def num_pairs(game: WaitingGame) -> int:
    """Return the number of pairs of a class of hands and one with a card more or less, which a solve visits."""
    return game.numbering.classes * game.bag + game.drawn_numbering.classes * (game.cards + 1)


@cache
def _sweep_seconds() -> float:
    """Return the seconds in which a core sweeps the discards of the five-card game, the best of five: load can only slow it down."""
    game, times = WaitingGame(5), []
    after, expected = np.empty(game.drawn_numbering.classes), np.ones(game.numbering.classes)
    kernel.sweep_discards(0, 0, after, None, expected, game.space)
    for _ in range(5):
        started = perf_counter()
        kernel.sweep_discards(0, len(after), after, None, expected, game.space)
        times.append(perf_counter() - started)
    return min(times)
