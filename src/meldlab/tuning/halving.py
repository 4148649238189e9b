"""Racing by successive halving: everybody plays a little, the better part plays more, until few have played a lot.

>>> from random import Random
>>> from meldlab.arena.evaluation import Measured
>>> strength = [each / 100 for each in range(100)]
>>> def play(players: Sequence[float], first: int, games: int) -> list[Measured]:
...     chance = Random(first)
...     luck = [chance.random() for _ in range(games)]
...     return [Measured(games, sum(one < player for one in luck)) for player in players]
>>> found = race(strength, play, Heats(start=20, most=320, keep=4))
>>> max(strength) in [strength[place] for place in found.order[:3]], found.games
(True, 5420)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from meldlab.errors import NotLegalHere

__all__ = ["Heats", "Race", "race"]


class Tally(Protocol):
    """What a runner has done; it adds up over heats."""

    @property
    def wins(self) -> float:
        """Return what runners are compared by."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T")
M = TypeVar("M", bound=Tally)


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
class Race(Generic[M]):
    """How a race ended: places in the list of candidates, the best first, those that left early last."""

    order: tuple[int, ...]
    measured: Mapping[int, M]
    """Everything that was measured of each candidate, by its place in the list."""
    games: int

    @property
    def best(self) -> int:
        """Return the winner's place in the list of candidates."""
        return self.order[0]


def race(candidates: Sequence[T], play: Callable[[Sequence[T], int, int], Sequence[M]], heats: Heats) -> Race[M]:
    """Race candidates; ``play(some, first, games)`` measures them on games ``first`` and following, the same deals for all of a heat.

    Those that stay play on: a heat adds only the games that are new. Of equals the earlier candidate goes on.
    """
    if not candidates:
        raise NotLegalHere("a race needs somebody who runs")
    staying, before, total = list(range(len(candidates))), 0, 0
    so_far: dict[int, M] = {}
    left: list[int] = []
    for many, games in heats.rungs(len(candidates)):
        left = staying[many:] + left
        staying = sorted(staying[:many])
        for place, found in zip(staying, play([candidates[place] for place in staying], before, games - before), strict=True):
            so_far[place] = so_far[place] + found if place in so_far else found
        total += len(staying) * (games - before)
        before = games
        staying.sort(key=lambda place: (-so_far[place].wins, place))
    return Race(tuple(staying + left), so_far, total)
