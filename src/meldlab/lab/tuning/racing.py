"""Racing by successive halving: everybody plays a little, the better part plays more, until few have played a lot.

>>> from random import Random
>>> strength = [each / 100 for each in range(100)]
>>> def play(players: Sequence[float], first: int, games: int) -> list[Measured]:
...     chance = Random(first)
...     luck = [chance.random() for _ in range(games)]
...     return [Measured(games, sum(one < player for one in luck), 0) for player in players]
>>> outcome = race(strength, play, Heats(start=20, most=320, keep=4))
>>> max(strength) in [strength[place] for place in outcome.order[:3]], outcome.games
(True, 5420)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from meldlab.errors import NotLegalHere
from meldlab.lab.tuning.measuring import Measured

__all__ = ["Heat", "Heats", "Outcome", "race"]

T = TypeVar("T")
Play = Callable[[Sequence[T], int, int], list[Measured]]


@dataclass(frozen=True)
class Heats:
    """How a race goes: games of the first heat, the most games of anyone, and one in how many goes on."""

    start: int
    most: int
    keep: int = 4
    least: int = 8
    """Nobody is dropped below so many, so that the last heat has a group to compare."""

    def __post_init__(self) -> None:
        if self.start < 2 or self.start % 2 or self.most < self.start or self.keep < 2 or self.least < 1:
            raise NotLegalHere(f"no race of {self}")

    def rungs(self, runners: int) -> list[tuple[int, int]]:
        """Return (runners, games of each by the end) of each heat.

        >>> Heats(start=100, most=5000).rungs(1331)
        [(1331, 100), (333, 400), (84, 1600), (21, 5000)]
        """
        heats, games = [(runners, self.start)], self.start
        while games < self.most and runners > self.least:
            runners = max(self.least, -(-runners // self.keep))
            games = min(self.most, games * self.keep)
            heats.append((runners, games))
        if games < self.most:
            heats.append((runners, self.most))
        return heats

    def cost(self, runners: int) -> int:
        """Return the games of a whole race."""
        total, before = 0, 0
        for many, games in self.rungs(runners):
            total += many * (games - before)
            before = games
        return total


@dataclass(frozen=True)
class Heat:
    """One heat: who ran, by place in the list of candidates, and what each has done so far."""

    runners: tuple[int, ...]
    measured: tuple[Measured, ...]


@dataclass(frozen=True)
class Outcome:
    """How a race ended: places in the list of candidates, the best first, those that left early last."""

    order: tuple[int, ...]
    heats: tuple[Heat, ...]
    games: int

    @property
    def best(self) -> int:
        """Return the winner's place in the list of candidates."""
        return self.order[0]

    @property
    def measured(self) -> dict[int, Measured]:
        """Return everything that was measured of each candidate."""
        found: dict[int, Measured] = {}
        for heat in self.heats:
            found |= dict(zip(heat.runners, heat.measured, strict=True))
        return found


def race(candidates: Sequence[T], play: Play[T], heats: Heats) -> Outcome:
    """Race candidates; ``play(some, first, games)`` measures them on games ``first`` and following, the same deals for all of a heat.

    Those that stay play on: a heat adds only the games that are new. Of equals the earlier candidate goes on.
    """
    if not candidates:
        raise NotLegalHere("a race needs somebody who runs")
    staying, before, total = list(range(len(candidates))), 0, 0
    so_far = [Measured()] * len(candidates)
    done: list[Heat] = []
    left: list[int] = []
    for many, games in heats.rungs(len(candidates)):
        left = staying[many:] + left
        staying = sorted(staying[:many])
        for place, found in zip(staying, play([candidates[place] for place in staying], before, games - before), strict=True):
            so_far[place] += found
        total += len(staying) * (games - before)
        before = games
        done.append(Heat(tuple(staying), tuple(so_far[place] for place in staying)))
        staying.sort(key=lambda place: (-so_far[place].wins, place))
    return Outcome(tuple(staying + left), tuple(done), total)
