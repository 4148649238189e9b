"""The state of a long solve on disk, so that it survives being killed."""

import json
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from meldlab.cache import write_whole
from meldlab.waiting.game import Waiting
from meldlab.waiting.table import solver_digest

__all__ = ["Checkpoint", "State"]


@dataclass(frozen=True, eq=False)
class State:
    """Where a solve stands: the arrays of waiting.kernel and how many hands are locked."""

    expected: NDArray[np.float64]
    weight: NDArray[np.int16]
    reached: NDArray[np.uint8]
    locked: int


class Checkpoint:
    """Keeps the state of one game's solve in ``path`` every ``every`` seconds; does nothing without a path."""

    def __init__(self, path: Path | None, game: Waiting, every: float) -> None:
        self.path, self.every = path, every
        self.name = json.dumps({"game": str(game), "code": solver_digest()})
        self.kept = time.monotonic()

    def load(self) -> State | None:
        """Return the state that was kept for this very game and code, if there is one."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                if str(kept["name"]) != self.name:
                    return None
                return State(kept["expected"], kept["weight"], kept["reached"], int(kept["locked"]))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile):
            # A damaged checkpoint costs the time it would have saved, nothing else.
            return None

    def keep(self, expected: NDArray[np.float64], weight: NDArray[np.int16], reached: NDArray[np.uint8], locked: int) -> None:
        """Write the state if the time has come; the old one stays until the new one is whole."""
        if self.path is None or time.monotonic() - self.kept < self.every:
            return
        with write_whole(self.path) as file:
            np.savez(file, name=np.array(self.name), expected=expected, weight=weight, reached=reached, locked=np.array(locked))
        self.kept = time.monotonic()

    def drop(self) -> None:
        """Remove the file: the work is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
