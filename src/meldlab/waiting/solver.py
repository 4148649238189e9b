"""Solving a waiting game on this machine: settle all hands once, then sweep until the equation holds."""

import json
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from meldlab.cache import replace_file
from meldlab.cost import Cost, machine_memory, memory_text
from meldlab.digests import import_digest
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible
from meldlab.gpu import has_gpu
from meldlab.parallel import Progress, no_progress, run_on_cores
from meldlab.waiting import kernel
from meldlab.waiting.cost import cpu_cost, cpu_memory, gpu_cost
from meldlab.waiting.game import CHUNK, WaitingGame
from meldlab.waiting.settling import Settling, fits
from meldlab.waiting.solution import Solution

MAX_AUTO_CPU = 8  # cards up to which auto takes a CPU: nine take minutes and 7 GB
RESIDUAL = 1e-12  # E is some tens of turns, so this is a few hundred units in the last place
MAX_SWEEPS = 60


def solve(
    game: WaitingGame,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress = no_progress,
    checkpoint: Path | None = None,
    checkpoint_seconds: float = 20.0,
) -> Solution:
    """Return the exact solution of a game (to the rounding of doubles).

    ``device`` is cpu, cuda or auto: a GPU, if there is one, for 8 cards and more, unless ``threads`` are given; without a GPU and
    ``threads``, up to 8 cards on the CPU. Raises if the CPU lacks the memory for the game. ``progress`` receives (hands done, hands in
    all), on a GPU (correct digits, all of them). With ``checkpoint`` a file there saves the state every ``checkpoint_seconds``, and a
    killed solve resumes from it; a GPU takes neither a checkpoint nor threads.

    >>> solution = solve(WaitingGame(3))
    >>> round(solution.turns("AC QH KD"), 8), solution.residual < 1e-12
    (19.1800551, True)
    """
    if on_gpu(game, device, threads):
        if checkpoint is not None:
            raise NotLegalHere(f"checkpoint={checkpoint} is for the CPU; a game that is solved on the GPU takes none")
        from meldlab.waiting.solver_cuda import solve_on_gpu

        return solve_on_gpu(game, progress)
    _verify_cpu(game, device, threads)
    with _threads(threads):
        return _solve_on_cpu(game, progress, Checkpoint(checkpoint, game, checkpoint_seconds))


def on_gpu(game: WaitingGame, device: str, threads: int | None) -> bool:
    """Return whether a game is solved on a GPU."""
    verify_device(device, threads)
    return device == "cuda" or (device == "auto" and threads is None and game.cards >= MAX_AUTO_CPU and has_gpu())


def verify_device(device: str, threads: int | None) -> None:
    """Raise for an unknown device, and for threads on a GPU."""
    if device not in ("auto", "cpu", "cuda"):
        raise NoSuchThing("device", device, ["auto", "cpu", "cuda"])
    if device == "cuda" and threads is not None:
        raise NotLegalHere(f"threads={threads} is for the CPU; a game that is solved on the GPU takes none")


def _verify_cpu(game: WaitingGame, device: str, threads: int | None) -> None:
    """Raise unless the CPU may solve a game: larger ones only on request, and none that the memory cannot hold."""
    needed, memory = cpu_memory(game), machine_memory()
    lacking = f"this machine has {memory_text(memory)}" if needed > memory else ""
    if game.cards > MAX_AUTO_CPU and device == "auto" and threads is None:
        # Not measured: an error must not wait for kernels to be compiled.
        cost = cpu_cost(game, threads, measured=False)
        raise NotPossible(
            f"there is no GPU for {game.cards} cards; --device cpu takes {cost} (--dry-run measures it)"
            + f", but {lacking}" * bool(lacking)
        )
    if lacking:
        raise NotPossible(f"{game.cards} cards need {memory_text(needed)} of memory on the CPU; {lacking}")


def solve_cost(game: WaitingGame, device: str = "auto", threads: int | None = None) -> Cost:
    """Return the cost of ``solve`` without solving anything; for larger games without a GPU that of ``--device cpu``."""
    if on_gpu(game, device, threads):
        return gpu_cost(game)
    cost = cpu_cost(game, threads)
    unrequested = game.cards > MAX_AUTO_CPU and device == "auto" and threads is None
    return replace(cost, basis=cost.basis + "; there is no GPU, so this takes --device cpu" * unrequested)


def solver_digest() -> str:
    """Return a digest of the code that solves: a result of other code never passes for one of this code."""
    return import_digest("waiting.solver")


class Checkpoint:
    """The state of one game's solve in the file ``path``, saved every ``seconds``; without a path nothing is saved."""

    def __init__(self, path: Path | None, game: WaitingGame, seconds: float) -> None:
        self.path, self.game, self.seconds = path, game, seconds
        self.name = json.dumps({"game": str(game), "code": solver_digest()})
        self.saved = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """Return the saved state of ``Settling`` of this game and code; None without one."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as arrays:
                saved = dict(arrays)
            return saved if str(saved["name"]) == self.name and fits(self.game, saved) else None
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            # A damaged checkpoint costs the time it would have saved, nothing else.
            return None

    def save(self, settling: Settling) -> None:
        """Write the state if it is time; the old file stays until the new one is complete."""
        if self.path is None or time.monotonic() - self.saved < self.seconds:
            return
        with replace_file(self.path) as file:
            np.savez(file, name=np.array(self.name), **settling.state())
        self.saved = time.monotonic()

    def remove(self) -> None:
        """Remove the file: the work is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _solve_on_cpu(game: WaitingGame, progress: Progress, checkpoint: Checkpoint) -> Solution:
    start = time.perf_counter()
    settling = Settling(game, checkpoint.load())
    while settling.locked < game.numbering.classes:
        settling.settle_window()
        progress(settling.locked, game.numbering.classes, "")
        checkpoint.save(settling)
    expected = settling.bounds.total
    del settling
    residual, sweeps = _sweep(game, expected)
    checkpoint.remove()
    return Solution(game, expected, residual, sweeps, time.perf_counter() - start, "cpu")


def _sweep(game: WaitingGame, expected: NDArray[np.float64]) -> tuple[float, int]:
    """Sweep until the equation holds, usually once, and return (residual, sweeps)."""
    after, changes = np.empty(game.drawn_numbering.classes), [0.0]

    def draws(first: int, count: int) -> None:
        changes.append(kernel.sweep_draws(first, count, expected, after, game.space))

    for sweeps in range(1, MAX_SWEEPS + 1):
        changes.clear()
        run_on_cores(kernel.sweep_discards, game.drawn_numbering.classes, after, None, expected, game.space, size=CHUNK)
        run_on_cores(draws, game.numbering.classes, size=CHUNK)
        residual = max(changes)
        if residual <= RESIDUAL:
            return residual, sweeps
    raise NotPossible(f"the equation does not close after {MAX_SWEEPS} sweeps (residual {residual:.1e}): {game}")


@contextmanager
def _threads(threads: int | None) -> Iterator[None]:
    """Use this number of threads within the block."""
    before, available = numba.get_num_threads(), numba.config.NUMBA_NUM_THREADS
    if threads is not None and not 1 <= threads <= available:
        raise NotPossible(f"{threads} threads where this machine has 1 to {available}")
    numba.set_num_threads(threads or before)
    try:
        yield
    finally:
        numba.set_num_threads(before)
