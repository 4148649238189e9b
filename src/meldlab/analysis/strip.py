"""A game among others: where a heuristic of it lies on a line with those of the library's games.

The library's values are in ``library.csv``, which is ``comparison.csv`` as ``meldlab recycle compare`` writes it for all games of the
library with ``--quick``.

>>> strip = Strip.of("drama", "hearts", Interval(0.3, 0.2, 0.4))
>>> len(strip.others), strip.lowest.game, 0 < strip.at(0.3) < 100
(18, 'gin_rummy', True)
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log

from meldlab.statistics import Interval

__all__ = ["Mark", "Strip"]


@dataclass(frozen=True)
class Mark:
    """One game of the library and what it has there."""

    game: str
    value: float

    @property
    def title(self) -> str:
        """Return the name for people."""
        return self.game.replace("_", " ").title()


@dataclass(frozen=True)
class Strip:
    """One heuristic of a game, and the same of the library's other games, the smallest first."""

    own: Interval
    others: tuple[Mark, ...]
    in_points: bool = False
    """Points of a score differ from game to game by their size: then equal steps are equal factors."""

    @classmethod
    def of(cls, heuristic: str, game: str, own: Interval | None) -> "Strip | None":
        """Return the strip, or nothing for a heuristic that the game does not define."""
        return cls(own, tuple(mark for mark in _library()[heuristic] if mark.game != game), heuristic == "spread") if own else None

    @property
    def lowest(self) -> Mark:
        """Return the other game that has least."""
        return self.others[0]

    @property
    def highest(self) -> Mark:
        """Return the other game that has most."""
        return self.others[-1]

    def at(self, value: float) -> float:
        """Return where a value stands between the lowest, 0, and the highest, 100; what lies beyond the other games stands at the end."""
        low, high = self.lowest.value, self.highest.value
        inside = min(high, max(low, value))
        return 100 * log(inside / low) / log(high / low) if self.in_points else 100 * (inside - low) / (high - low)


@cache
def _library() -> dict[str, list[Mark]]:
    found: dict[str, list[Mark]] = {}
    for row in csv.DictReader(files("meldlab.analysis").joinpath("library.csv").read_text("utf-8").splitlines()):
        found.setdefault(row["heuristic"], []).extend([Mark(row["game"], float(row["value"]))] if row["value"] else [])
    return {name: sorted(marks, key=lambda mark: mark.value) for name, marks in found.items()}
