"""Limits of one solution: states that the search visits, and seconds of processor time, never of wall time.

States are counted exactly: a solution that they bound is the same on every machine, busy or idle. Seconds are for the integer program, and
for callers that cannot wait; those of the solver's own process are included.

>>> budget = Budget(nodes=1000)
>>> budget.nodes -= 1000
>>> budget.exhausted
True
"""

from time import thread_time
from typing import TYPE_CHECKING

from meldlab.errors import NotLegalHere

if TYPE_CHECKING:
    from meldlab.rummikub.sets import TileSet

NODES = 3_000_000  # states visited, a few seconds' worth
SECONDS = 20.0


class Budget:
    """The rest of a limit: ``nodes`` to visit, ``seconds`` of processor time."""

    __slots__ = ("_until", "nodes")

    def __init__(self, nodes: int = NODES, seconds: float = SECONDS) -> None:
        self.nodes, self._until = nodes, thread_time() + seconds

    @property
    def seconds(self) -> float:
        """Return the seconds of this thread that are left."""
        return self._until - thread_time()

    def charge(self, seconds: float) -> None:
        """Count what another process has spent on this solution."""
        self._until -= seconds

    @property
    def exhausted(self) -> bool:
        """Return whether nothing is left of one of the two."""
        return self.nodes <= 0 or self.seconds <= 0


class BudgetExceeded(NotLegalHere):
    """A limit is reached; ``table`` is the best table so far, if any."""

    def __init__(self, table: "tuple[TileSet, ...] | None" = None) -> None:
        super().__init__("no answer was found within the states and the processor time allowed, and none was excluded")
        self.table = table
