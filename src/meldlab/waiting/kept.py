"""Solutions in files and in the cache: a header that says what they are, a checksum, and the values, ready to be memory-mapped.

A file is the line ``meldlab waiting table 1``, one line of JSON, blanks up to a multiple of 4096 bytes, then the values.
"""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from meldlab import __version__
from meldlab.cache import cache_folder, replace_file
from meldlab.cards import Hand
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.waiting.game import Waiting
from meldlab.waiting.goal import Goal
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import MAX_AUTO_CPU, on_gpu, solve, solver_digest

__all__ = ["PRECISIONS", "cached_path", "cached_solution", "checkpoint_path", "load", "save", "solve_and_keep"]

MAGIC = b"meldlab waiting table 1\n"
PAGE = 4096
CHUNK = 1 << 24  # values checked or written at a time
PRECISIONS = {"f64": np.float64, "f32": np.float32, "u16": np.uint16}


def save(solution: Solution, path: Path, precision: str = "f64") -> float:
    """Write a solution to ``path``, whole or not at all, and return the most that rounding has changed a value."""
    if precision not in PRECISIONS:
        raise NoSuchThing("precision", precision, PRECISIONS)
    values, unit, error = _rounded(solution, precision)
    header = {
        "cards": solution.game.cards,
        "aces": str(solution.game.aces),
        "goal": str(solution.game.goal),
        "dead": str(solution.game.dead),
        "version": __version__,
        "code": solver_digest(),
        "precision": precision,
        "unit": unit,
        "error": error,
        "count": len(values),
        "crc32": _checksum(values),
        "residual": solution.residual,
        "sweeps": solution.sweeps,
        "seconds": solution.seconds,
        "device": solution.device,
    }
    head = MAGIC + json.dumps(header).encode() + b"\n"
    with replace_file(path) as file:
        file.write(head.ljust(-(-len(head) // PAGE) * PAGE))
        values.tofile(file)
    return error


def load(path: Path) -> Solution:
    """Return the solution in ``path``, its values memory-mapped; a damaged or foreign file is refused by name."""
    try:
        with path.open("rb") as file:
            header, start = _header(file, path)
        dtype = np.dtype(PRECISIONS[header["precision"]])
        game = Waiting(header["cards"], header["aces"], Goal.parse(header["goal"]), Hand.parse(header["dead"]))
        size = start + header["count"] * dtype.itemsize
        if header["count"] != game.small.classes or path.stat().st_size != size:
            raise NotPossible(f"{path} is cut short or padded: {path.stat().st_size:,} bytes where {size:,} are wanted")
        values: NDArray[Any] = np.memmap(path, dtype, "r", start, (header["count"],))
        if _checksum(values) != header["crc32"]:
            raise NotPossible(f"{path} is damaged: its checksum does not fit its values")
        return Solution(
            game, values, header["residual"], header["sweeps"], header["seconds"], header["device"], header["unit"], header["error"]
        )
    except FileNotFoundError:
        raise NotPossible(f"{path} does not exist") from None
    except MeldlabError:
        raise
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise NotPossible(f"{path} is not a waiting table: {problem}") from None


def cached_path(game: Waiting) -> Path:
    """Return where the solution of a game is kept in the cache."""
    dead = "-" + str(game.dead).replace(" ", "") if game.dead else ""
    name = f"{game.cards}-{game.aces}-{str(game.goal).replace(':', '')}{dead}.table"
    return cache_folder("waiting", f"{__version__}-{solver_digest()}") / name


def cached_solution(
    game: Waiting, file: Path | None = None, device: str = "auto", progress: Callable[[int, int], None] | None = None
) -> Solution:
    """Return the solution of a game: out of ``file`` if given, else out of the cache, else solved on a device and kept there."""
    if file is not None:
        loaded = load(file)
        if loaded.game != game:
            raise NotPossible(f"{file} holds {loaded.game}, not {game}")
        return loaded
    try:
        return load(cached_path(game))
    except MeldlabError:
        # Not there, or damaged: solve anew; the new file takes the place of the old.
        return solve_and_keep(game, device, progress=progress)


def solve_and_keep(
    game: Waiting, device: str = "auto", threads: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Solution:
    """Solve a game, going on from where a killed solve stopped, and keep the table in the cache, of 9 and 10 cards if the CPU solved it."""
    solution = solve(game, device, threads, progress, None if on_gpu(game, device, threads) else checkpoint_path(game))
    if game.cards <= MAX_AUTO_CPU or solution.device == "cpu":
        save(solution, cached_path(game))
    return solution


def checkpoint_path(game: Waiting) -> Path:
    """Return where a long solve of a game keeps its state."""
    return cached_path(game).with_suffix(".checkpoint")


def _checksum(values: NDArray[Any]) -> int:
    checksum = 0
    for first in range(0, len(values), CHUNK):
        checksum = zlib.crc32(values[first : first + CHUNK].tobytes(), checksum)
    return checksum


def _rounded(solution: Solution, precision: str) -> tuple[NDArray[Any], float, float]:
    """Return (values, unit, largest error) of a solution in a smaller type."""
    exact = solution.expected
    if precision == "f64" or exact.dtype == PRECISIONS[precision]:
        return exact, solution.unit, solution.error
    if exact.dtype == np.uint16:
        raise NotLegalHere("a u16 table cannot be saved more precisely than it is")
    dtype = PRECISIONS[precision]
    unit = float(np.max(exact)) / np.iinfo(np.uint16).max if precision == "u16" else 1.0
    values = np.empty(len(exact), dtype)
    error = 0.0
    for first in range(0, len(exact), CHUNK):
        piece = exact[first : first + CHUNK]
        small = np.rint(piece / unit).astype(dtype) if precision == "u16" else piece.astype(dtype)
        # A positive E must not become 0, which says that the goal is reached.
        if precision == "u16":
            small[(small == 0) & (piece > 0)] = 1
        values[first : first + CHUNK] = small
        error = max(error, float(np.max(np.abs(small.astype(np.float64) * unit - piece))))
    return values, unit, error


def _header(file: BinaryIO, path: Path) -> tuple[dict[str, Any], int]:
    if file.read(len(MAGIC)) != MAGIC:
        raise NotPossible(f"{path} is not a waiting table of this version of the format")
    line = file.readline(PAGE)
    try:
        header: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        raise NotPossible(f"{path} has a damaged header") from None
    used = len(MAGIC) + len(line)
    return header, -(-used // PAGE) * PAGE
