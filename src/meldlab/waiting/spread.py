"""How much the waiting time of one hand spreads, kept in the cache: seven cards pass more than a million hands on the way.

>>> from meldlab.waiting import Waiting, solve
>>> spread = Spread.of(WaitingTime.from_hand(solve(Waiting(3)), "AC QH KD"))
>>> round(spread.deviation, 4), spread.quantiles
(13.5079, (4, 9, 16, 25, 46, 65))
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from meldlab.cache import replace_file
from meldlab.cards import Hand, classes
from meldlab.waiting.kept import cached_path
from meldlab.waiting.solution import Solution
from meldlab.waiting.waiting_time import QUANTILES, WaitingTime

__all__ = ["Spread", "keep_spread", "kept_spread"]


@dataclass(frozen=True)
class Spread:
    """The standard deviation of the turns that a hand takes, and the turns within which each part of ``QUANTILES`` has ended."""

    deviation: float
    quantiles: tuple[int, ...]

    @classmethod
    def of(cls, waited: WaitingTime, progress: Callable[[int, int], None] | None = None) -> "Spread":
        """Return the spread from the first hand, following the best policy turn by turn."""
        waited.quantile(max(QUANTILES), progress)
        return cls(waited.deviation(), tuple(waited.quantile(part) for part in QUANTILES))


def kept_spread(solution: Solution, hand: Hand) -> Spread | None:
    """Return what is kept of a hand, or of one that is the same but for its suits; nothing if it is not there or damaged."""
    try:
        found = json.loads(_path(solution, hand).read_text())
        return Spread(float(found["deviation"]), tuple(map(int, found["quantiles"])))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def keep_spread(solution: Solution, hand: Hand, spread: Spread) -> None:
    """Keep the spread of a hand of a solution that this very code has found."""
    path = _path(solution, hand)
    path.parent.mkdir(exist_ok=True)
    with replace_file(path) as file:
        file.write(json.dumps(asdict(spread)).encode())


def _path(solution: Solution, hand: Hand) -> Path:
    # The folder of the table is named after the code that all of this depends on.
    return cached_path(solution.game).with_suffix(".spreads") / f"{classes.number(hand, solution.game.dead)}.json"
