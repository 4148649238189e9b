"""Solutions in files and in the cache: a header that describes the game, a checksum, and the values, ready to be memory-mapped.

A file is the line ``meldlab waiting table 1``, one line of JSON, blanks up to a multiple of 4096 bytes, then the values.
"""

import json
import zlib
from pathlib import Path
from time import localtime, strftime
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from meldlab import __version__
from meldlab.cache import cache_folder, replace_file
from meldlab.cards import Hand
from meldlab.errors import MeldlabError, NoSuchThing, NotLegalHere, NotPossible
from meldlab.parallel import Progress, no_progress
from meldlab.waiting.game import Goal, WaitingGame
from meldlab.waiting.solution import Solution
from meldlab.waiting.solver import MAX_AUTO_CPU, on_gpu, solve, solver_digest, verify_device

MAGIC = b"meldlab waiting table 1\n"
PAGE = 4096
CHUNK = 1 << 24  # values checked or written at a time
PRECISIONS = {"f64": np.float64, "f32": np.float32, "u16": np.uint16}
TABLE_GOALS = {"knock": Goal(10), "gin": Goal()}  # of the tables of ten cards that gin's hints use


def save(solution: Solution, path: Path, precision: str = "f64") -> float:
    """Write a solution to ``path``, whole or not at all, and return the largest change of a value by rounding."""
    if precision not in PRECISIONS:
        raise NoSuchThing("precision", precision, PRECISIONS)
    values, unit, error = _round(solution, precision)
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


def load(path: Path, expected: WaitingGame | None = None) -> Solution:
    """Return the solution in ``path``, its values memory-mapped; raise for a damaged or foreign file, and for a game not ``expected``."""
    try:
        with path.open("rb") as file:
            header, start = _read_header(file, path)
        dtype = np.dtype(PRECISIONS[header["precision"]])
        game = WaitingGame(header["cards"], header["aces"], Goal.parse(header["goal"]), Hand.parse(header["dead"]))
        if expected is not None and game != expected:
            raise NotPossible(f"{path} holds {game}, not {expected}")
        size = start + header["count"] * dtype.itemsize
        if header["count"] != game.numbering.classes or path.stat().st_size != size:
            raise NotPossible(f"{path} is cut short or padded: expected {size:,} bytes, got {path.stat().st_size:,}")
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
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise NotPossible(f"{path} is not a waiting table: {error}") from None


def cached_path(game: WaitingGame) -> Path:
    """Return the path of the solution of a game in the cache."""
    dead = "-" + str(game.dead).replace(" ", "") if game.dead else ""
    name = f"{game.cards}-{game.aces}-{str(game.goal).replace(':', '')}{dead}.table"
    return cache_folder("waiting", f"{__version__}-{solver_digest()}") / name


def checkpoint_path(game: WaitingGame) -> Path:
    """Return the path of the checkpoint of a long solve of a game."""
    return cached_path(game).with_suffix(".checkpoint")


def load_cached(game: WaitingGame) -> tuple[Solution, str] | None:
    """Return the cached solution of a game and its date; None if there is none or the file is damaged."""
    path = cached_path(game)
    try:
        return load(path, game), strftime("%Y-%m-%d", localtime(path.stat().st_mtime))
    except (MeldlabError, OSError):
        return None


def solve_cached(
    game: WaitingGame,
    device: str = "auto",
    threads: int | None = None,
    progress: Progress = no_progress,
    *,
    refresh: bool = False,
) -> Solution:
    """Return the cached solution of a game, else solve it and save it to the cache; with ``refresh`` always solve it.

    A killed solve resumes from its checkpoint. Tables of 9 and 10 cards are saved only if the CPU solved them.
    """
    verify_device(device, threads)
    if not refresh and (cached := load_cached(game)):
        return cached[0]
    solution = solve(game, device, threads, progress, None if on_gpu(game, device, threads) else checkpoint_path(game))
    if game.cards <= MAX_AUTO_CPU or solution.device == "cpu":
        save(solution, cached_path(game))
    return solution


def table_path(goal: str) -> Path:
    """Return the path of the table that gin's hints use for a goal, knock or gin."""
    return cache_folder("gin") / f"{goal}.table"


def table_turns(hand: Hand, goal: str) -> float | None:
    """Return E of a ten-card hand from the table at ``table_path(goal)``; None without a table."""
    path = table_path(goal)
    return load(path, WaitingGame(10, goal=TABLE_GOALS[goal])).turns(hand) if path.is_file() else None


def _checksum(values: NDArray[Any]) -> int:
    checksum = 0
    for first in range(0, len(values), CHUNK):
        checksum = zlib.crc32(values[first : first + CHUNK].tobytes(), checksum)
    return checksum


def _round(solution: Solution, precision: str) -> tuple[NDArray[Any], float, float]:
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
        chunk = exact[first : first + CHUNK]
        rounded = np.rint(chunk / unit).astype(dtype) if precision == "u16" else chunk.astype(dtype)
        # A positive E must not become 0, which means that the goal is reached.
        if precision == "u16":
            rounded[(rounded == 0) & (chunk > 0)] = 1
        values[first : first + CHUNK] = rounded
        error = max(error, float(np.max(np.abs(rounded.astype(np.float64) * unit - chunk))))
    return values, unit, error


def _read_header(file: BinaryIO, path: Path) -> tuple[dict[str, Any], int]:
    if file.read(len(MAGIC)) != MAGIC:
        raise NotPossible(f"{path} is not a waiting table of this version of the format")
    line = file.readline(PAGE)
    try:
        header: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        raise NotPossible(f"{path} has a damaged header") from None
    used = len(MAGIC) + len(line)
    return header, -(-used // PAGE) * PAGE
