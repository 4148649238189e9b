"""Solutions by name: from a file, from the cache, or solved now and kept for the next time."""

from collections.abc import Callable
from pathlib import Path

from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.waiting.game import Waiting
from meldlab.waiting.solution import Solution
from meldlab.waiting.solve import MOST_ON_CPU, on_gpu, solve
from meldlab.waiting.table import cached_path, load, save

__all__ = ["checkpoint_path", "find", "solve_and_keep"]


def find(game: Waiting, file: Path | None = None, progress: Callable[[int, int], None] | None = None) -> Solution:
    """Return the solution of a game: out of ``file`` if given, else out of the cache, else solved and kept there."""
    if file is not None:
        loaded = load(file)
        if loaded.game != game:
            raise NotLegalHere(f"{file} holds {loaded.game}, not {game}")
        return loaded
    try:
        return load(cached_path(game))
    except MeldlabError:
        # Not there, or damaged: solve anew; the new file takes the place of the old.
        return solve_and_keep(game, progress=progress)


def solve_and_keep(
    game: Waiting, device: str = "auto", threads: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Solution:
    """Solve a game, going on from where a killed solve stopped, and keep the table in the cache unless it is too large for that."""
    solution = solve(game, device, threads, progress, None if on_gpu(game, device, threads) else checkpoint_path(game))
    if game.cards <= MOST_ON_CPU:
        save(solution, cached_path(game))
    return solution


def checkpoint_path(game: Waiting) -> Path:
    """Return where a long solve of a game keeps its state."""
    return cached_path(game).with_suffix(".checkpoint")
