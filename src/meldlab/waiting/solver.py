"""Solving a waiting game on this machine: settle all hands once, then sweep until the equation holds."""

import json
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.cache import replace_file
from meldlab.cost import Cost, machine_memory, memory_text
from meldlab.digests import code_digest
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gpu import has_gpu
from meldlab.parallel import run_on_cores
from meldlab.waiting import kernel
from meldlab.waiting.forecast import cpu_cost, cpu_memory, gpu_cost
from meldlab.waiting.game import PIECE, Waiting
from meldlab.waiting.settling import Settling
from meldlab.waiting.solution import Solution

__all__ = ["MAX_AUTO_CPU", "RESIDUAL", "Checkpoint", "on_gpu", "solve", "solve_cost", "solver_digest"]

MAX_AUTO_CPU = 8  # cards up to which a CPU is taken without being asked for: nine take minutes and 7 GB
RESIDUAL = 1e-12  # E is some tens of turns, so this is a few hundred units in the last place
MOST_SWEEPS = 60

Progress = Callable[[int, int], None]


def solve(
    game: Waiting,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
    every: float = 20.0,
) -> Solution:
    """Return the exact solution of a game (to the rounding of doubles).

    ``device`` is cpu, cuda or auto: a GPU, if there is one, for 8 cards and more, unless ``threads`` are asked for; without a GPU and
    ``threads``, up to 8 cards on the CPU. A CPU that lacks the memory for the game is refused. ``progress`` is told
    (hands done, hands in all), on a GPU (digits that are right, all of them). With ``checkpoint`` a file there keeps the state every
    ``every`` seconds, and a solve that was killed goes on from it; a GPU needs none, and has no threads of that kind.

    >>> solution = solve(Waiting(3))
    >>> round(solution.turns("AC QH KD"), 8), solution.residual < 1e-12
    (19.1800551, True)
    """
    if on_gpu(game, device, threads):
        for name, given in (("threads", threads), ("checkpoint", checkpoint)):
            if given is not None:
                raise NotLegalHere(f"{name}={given!s} is for the CPU; a game that is solved on the GPU takes none")
        from meldlab.waiting.solver_cuda import solve_on_gpu

        return solve_on_gpu(game, progress)
    _verify_cpu(game, device, threads)
    with _threads(threads):
        return _solve_on_cpu(game, progress, Checkpoint(checkpoint, game, every))


def on_gpu(game: Waiting, device: str, threads: int | None) -> bool:
    """Tell whether a game is solved on a GPU."""
    if device not in ("auto", "cpu", "cuda"):
        raise NoSuchThing("device", device, ["auto", "cpu", "cuda"])
    return device == "cuda" or (device == "auto" and threads is None and game.cards >= MAX_AUTO_CPU and has_gpu())


def _verify_cpu(game: Waiting, device: str, threads: int | None) -> None:
    """Raise unless the CPU may solve a game: larger ones only if it was asked for, and none that its memory cannot hold."""
    needed, memory = cpu_memory(game), machine_memory()
    lacking = f"this machine has {memory_text(memory)}" if needed > memory else ""
    if game.cards > MAX_AUTO_CPU and device == "auto" and threads is None:
        # Not tried: an error must not wait for kernels to be compiled.
        cost = cpu_cost(game, threads, tried=False)
        raise NotPossible(
            f"there is no GPU for {game.cards} cards; --device cpu takes {cost} (--dry-run measures it)"
            + f", but {lacking}" * bool(lacking)
        )
    if lacking:
        raise NotPossible(f"{game.cards} cards need {memory_text(needed)} of memory on the CPU; {lacking}")


def solve_cost(game: Waiting, device: str = "auto", threads: int | None = None) -> Cost:
    """Return what ``solve`` would take, without solving anything; larger games without a GPU as the CPU would solve them if asked for."""
    if on_gpu(game, device, threads):
        return gpu_cost(game)
    cost = cpu_cost(game, threads)
    unasked = game.cards > MAX_AUTO_CPU and device == "auto" and threads is None
    return replace(cost, basis=cost.basis + "; there is no GPU, so this takes --device cpu" * unasked)


def solver_digest() -> str:
    """Return a digest of the code that solves: a result of other code is never taken for one of this code."""
    return code_digest(
        *("waiting", "melds", "cards", "chance"),
        *("cache", "compiling", "cost", "digests", "errors", "formatting", "gpu", "indexing", "linking", "parallel", "statistics"),
    )


class Checkpoint:
    """Keeps the state of one game's solve in ``path`` every ``every`` seconds, so that it survives being killed; nothing without a path."""

    def __init__(self, path: Path | None, game: Waiting, every: float) -> None:
        self.path, self.every = path, every
        self.name = json.dumps({"game": str(game), "code": solver_digest()})
        self.kept = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """Return what was kept for this very game and code, if anything was: a state of ``Settling``."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                return dict(kept) if str(kept["name"]) == self.name else None
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            # A damaged checkpoint costs the time it would have saved, nothing else.
            return None

    def keep(self, settling: Settling) -> None:
        """Write the state if the time has come; the old one stays until the new one is whole."""
        if self.path is None or time.monotonic() - self.kept < self.every:
            return
        with replace_file(self.path) as file:
            np.savez(file, name=np.array(self.name), **settling.state())
        self.kept = time.monotonic()

    def drop(self) -> None:
        """Remove the file: the work is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _solve_on_cpu(game: Waiting, progress: Progress | None, checkpoint: Checkpoint) -> Solution:
    start = time.perf_counter()
    settling = Settling(game, checkpoint.load())
    while settling.locked < game.small.classes:
        settling.settle_window()
        if progress is not None:
            progress(settling.locked, game.small.classes)
        checkpoint.keep(settling)
    expected = settling.bounds.total
    del settling
    residual, sweeps = _sweep(game, expected)
    checkpoint.drop()
    return Solution(game, expected, residual, sweeps, time.perf_counter() - start, "cpu")


def _sweep(game: Waiting, expected: NDArray[np.float64]) -> tuple[float, int]:
    """Sweep until the equation holds, usually at once, and return (residual, sweeps)."""
    after, changes = np.empty(game.large.classes), [0.0]

    def discards(first: int, many: int) -> None:
        kernel.sweep_discards(first, many, after, expected, game.space)

    def draws(first: int, many: int) -> None:
        changes.append(kernel.sweep_draws(first, many, expected, after, game.space))

    for sweeps in range(1, MOST_SWEEPS + 1):
        changes.clear()
        run_on_cores(discards, game.large.classes, size=PIECE)
        run_on_cores(draws, game.small.classes, size=PIECE)
        residual = max(changes)
        if residual <= RESIDUAL:
            return residual, sweeps
    raise NotPossible(f"the equation does not close after {MOST_SWEEPS} sweeps (residual {residual:.1e}): {game}")


@contextmanager
def _threads(threads: int | None) -> Iterator[None]:
    """Use this many threads within the block."""
    before, most = numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS
    if threads is not None and not 1 <= threads <= most:
        raise NotPossible(f"{threads} threads where this machine has 1 to {most}")
    numba.set_num_threads(threads or before)
    try:
        yield
    finally:
        numba.set_num_threads(before)
