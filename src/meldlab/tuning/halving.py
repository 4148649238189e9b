"""Successive halving: all candidates play a few games, the better ones play more, until few have played many.

>>> from random import Random
>>> from meldlab.statistics import Score
>>> strengths = [i / 100 for i in range(100)]
>>> def play(players: Sequence[float], first: int, games: int) -> list[Score]:
...     rng = Random(first)
...     noise = [rng.random() for _ in range(games)]
...     return [Score(games, sum(value < player for value in noise)) for player in players]
>>> result = successive_halving(strengths, play, HalvingConfig(start=20, most=320, keep=4))
>>> max(strengths) in [strengths[i] for i in result.order[:3]], result.games
(True, 5420)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from meldlab.errors import NotLegalHere
from meldlab.statistics import Score

T = TypeVar("T")


@dataclass(frozen=True)
class HalvingConfig:
    """The rungs: games of the first, most games of a candidate, and the fraction that each rung keeps."""

    start: int
    most: int
    keep: int = 4
    """One in ``keep`` candidates goes to the next rung."""
    least: int = 8
    """The number of candidates below which no one is dropped, so that the last rung has a group to compare."""

    def __post_init__(self) -> None:
        if self.start < 2 or self.start % 2:
            raise NotLegalHere(f"start: expected an even number of games, at least 2, got {self.start}")
        if self.most < self.start or self.keep < 2 or self.least < 1:
            raise NotLegalHere(f"expected most >= start, keep >= 2 and least >= 1, got {self}")

    def rungs(self, candidates: int) -> list[tuple[int, int]]:
        """Return (candidates, games of each by the end) of each rung.

        >>> HalvingConfig(start=100, most=5000).rungs(1331)
        [(1331, 100), (333, 400), (84, 1600), (21, 5000)]
        """
        rungs, games = [(candidates, self.start)], self.start
        while games < self.most and candidates > self.least:
            candidates = max(self.least, -(-candidates // self.keep))
            games = min(self.most, games * self.keep)
            rungs.append((candidates, games))
        if games < self.most:
            rungs.append((candidates, self.most))
        return rungs

    def cost(self, candidates: int) -> int:
        """Return the games of all candidates together."""
        total, before = 0, 0
        for num_left, games in self.rungs(candidates):
            total += num_left * (games - before)
            before = games
        return total


@dataclass(frozen=True)
class HalvingResult:
    """The ranking, as indices of the list of candidates: best first, those that were dropped early last."""

    order: tuple[int, ...]
    scores: Mapping[int, Score]
    """The score of each candidate in all of its games, by its index."""
    games: int

    @property
    def best(self) -> int:
        """Return the index of the best candidate."""
        return self.order[0]


def successive_halving(
    candidates: Sequence[T], play: Callable[[Sequence[T], int, int], Sequence[Score]], config: HalvingConfig
) -> HalvingResult:
    """Rank candidates; ``play(some, first, games)`` returns their scores in games ``first`` and following, on the same deals for all.

    A rung adds only its new games. Ties go to the earlier candidate.
    """
    if not candidates:
        raise NotLegalHere("successive halving needs at least one candidate")
    left, before, total = list(range(len(candidates))), 0, 0
    scores: dict[int, Score] = {}
    dropped: list[int] = []
    for num_left, games in config.rungs(len(candidates)):
        dropped = left[num_left:] + dropped
        left = sorted(left[:num_left])
        for index, score in zip(left, play([candidates[index] for index in left], before, games - before), strict=True):
            scores[index] = scores.get(index, Score()) + score
        total += len(left) * (games - before)
        before = games
        left.sort(key=lambda index: (-scores[index].wins, index))
    return HalvingResult(tuple(left + dropped), scores, total)
