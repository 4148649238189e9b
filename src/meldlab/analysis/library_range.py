"""Range of a heuristic over the library's games, and the position of one game in it.

The library's values are in ``library.csv``, which is ``comparison.csv`` as ``meldlab recycle compare`` writes it for all games of the
library with ``--quick``.

>>> values = LibraryRange.for_heuristic("drama", "hearts", Interval(0.3, 0.2, 0.4))
>>> len(values.others), values.lowest.game, 0 < values.position(0.3) < 100
(18, 'gin_rummy', True)
"""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log

from meldlab.statistics import Interval


@dataclass(frozen=True)
class LibraryValue:
    """The value of one game of the library."""

    game: str
    value: float

    @property
    def title(self) -> str:
        """Return the title of the game."""
        return self.game.replace("_", " ").title()


@dataclass(frozen=True)
class LibraryRange:
    """One heuristic of a game, and its values for the other games of the library in ascending order."""

    own: Interval
    others: tuple[LibraryValue, ...]
    in_points: bool = False
    """Whether the heuristic is in points of a score, which differ in size: then the scale is logarithmic."""

    @classmethod
    def for_heuristic(cls, heuristic: str, game: str, own: Interval | None) -> "LibraryRange | None":
        """Return the range, or None for a heuristic that the game does not define."""
        return cls(own, tuple(value for value in _library()[heuristic] if value.game != game), heuristic == "spread") if own else None

    @property
    def lowest(self) -> LibraryValue:
        """Return the other game with the least value."""
        return self.others[0]

    @property
    def highest(self) -> LibraryValue:
        """Return the other game with the largest value."""
        return self.others[-1]

    def position(self, value: float) -> float:
        """Return the position of a value from 0 (the lowest) to 100 (the highest); values beyond the other games are at an end."""
        low, high = self.lowest.value, self.highest.value
        inside = min(high, max(low, value))
        return 100 * log(inside / low) / log(high / low) if self.in_points else 100 * (inside - low) / (high - low)


@cache
def _library() -> dict[str, list[LibraryValue]]:
    values: dict[str, list[LibraryValue]] = {}
    for row in csv.DictReader(files("meldlab.analysis").joinpath("library.csv").read_text("utf-8").splitlines()):
        values.setdefault(row["heuristic"], []).extend([LibraryValue(row["game"], float(row["value"]))] if row["value"] else [])
    return {name: sorted(games, key=lambda game: game.value) for name, games in values.items()}
