"""Near names for "did you mean", within a fixed amount of work.

>>> Hints().near("HADN", ["HAND", "STOCK"])
'HAND'
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass
class Hints:
    """Search for near names; comparing two takes about the product of their lengths."""

    work: int = 500_000  # left; 200 suggestions in a program of usual size

    def near(self, name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
        """Return the known name nearest to a name; None if no name is near or the work is spent."""
        names = list(known)
        self.work -= len(name) * sum(map(len, names))
        near = get_close_matches(name, names, 1, cutoff) if self.work >= 0 else []
        return near[0] if near else None

    def text(self, name: str, known: Iterable[str], quote: str = "") -> str:
        """Return the end of a message that suggests the nearest name; empty without one."""
        near = self.near(name, known)
        return f"; did you mean {quote}{near}?" if near else ""
