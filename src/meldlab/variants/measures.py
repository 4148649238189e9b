"""What a variant is judged by: the ten heuristics and four plain counts, and how two variants differ on the same deals.

>>> sample = Sample.of_scores("max", np.array([[3, 1], [2, 4]] * 8))
>>> variant = Gathered(sample, sample)
>>> variant.measure("fairness").value, variant.compared(variant, "fairness").value
(1.0, 0.0)
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meldlab.analysis import heuristics as h
from meldlab.analysis.sample import Sample
from meldlab.recycle.machine import kernel_layout as k
from meldlab.statistics import Interval, Moments, mean

__all__ = ["COUNTED", "MEASURES", "Gathered", "Yardstick"]

BLOCKS = 20  # into which deals are cut to see how much an estimate owes to any of them
COUNTED = 100  # random games without their decisions for each game of the others, for the chances of the first seat


@dataclass(frozen=True, eq=False)
class Gathered:
    """Games of one variant by who played; searching players come later than random ones, or never."""

    random: Sample
    counted: Sample
    skilled: Sample | None = None
    single: Sample | None = None
    teams: tuple[int, ...] = ()

    @property
    def games(self) -> int:
        """Return how many deals everybody has played."""
        return self.random.games

    def __add__(self, later: "Gathered") -> "Gathered":
        return self._each(lambda mine, others: Sample.joined([mine, others]), later)

    def first(self, games: int) -> "Gathered":
        """Return the first deals alone."""
        return self._each(lambda sample, _: sample.first(games * sample.games // self.games), self)

    def without(self, block: int, blocks: int) -> "Gathered":
        """Return everything but one of so many blocks of deals."""

        def rest(sample: Sample, _: Sample) -> Sample:
            return sample.picked(np.arange(sample.games) * blocks // sample.games != block)

        return self._each(rest, self)

    def _each(self, change: Callable[[Sample, Sample], Sample], other: "Gathered") -> "Gathered":
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in ("random", "counted", "skilled", "single")}
        changed: dict[str, Any] = {name: change(mine, theirs) for name, (mine, theirs) in pairs.items() if mine and theirs}
        return replace(self, **changed)

    @property
    def played(self) -> dict[str, Sample]:
        """Return the samples that there are, by line-up."""
        return {name: sample for name in ("random", "skilled", "single") if (sample := getattr(self, name)) is not None}

    def measure(self, name: str) -> Interval | None:
        """Return a measure with its interval over games, None where it is not defined or not played yet."""
        return MEASURES[name].of(self) if getattr(self, MEASURES[name].line_up) is not None else None

    def measures(self) -> dict[str, Interval | None]:
        """Return all of them."""
        return {name: self.measure(name) for name in MEASURES}

    def compared(self, other: "Gathered", name: str) -> Interval | None:
        """Return by how much a measure is larger than that of another variant on the same deals, with Student's interval over deals.

        What chance deals to both of them drops out. An estimate is cut into what each block of deals contributes by leaving the
        blocks out one by one (Tukey's jackknife), so that all measures are treated alike, ratios too.
        """
        games = min(self.games, other.games)
        mine, theirs = (each.first(games).contributions(name) for each in (self, other))
        return None if mine is None or theirs is None else mean(mine - theirs)

    def contributions(self, name: str) -> NDArray[np.float64] | None:
        """Return what each block of deals contributes to a measure, [blocks] float64."""
        whole, blocks = self.measure(name), min(BLOCKS, self.games)
        if whole is None or blocks < 2:
            return None
        less = [self.without(block, blocks).measure(name) for block in range(blocks)]
        if any(each is None for each in less):
            return None
        return blocks * whole.value - (blocks - 1) * np.array([each.value for each in less if each])


@dataclass(frozen=True)
class Yardstick:
    """How something is measured: by whose games, and what it says."""

    line_up: str
    of: Callable[[Gathered], Interval | None]
    meaning: str
    searched: bool = True
    """Whether only players that search can tell it."""


def _decisions(variant: Gathered) -> Interval | None:
    return mean(_skilled(variant).decisions)


def _options(variant: Gathered) -> Interval | None:
    sample = _skilled(variant)
    if not len(sample.options):
        return None
    options = np.bincount(sample.game, sample.options, minlength=sample.games)
    return Moments.from_counts(np.column_stack((sample.decisions, options))).mean(1, 0)


def _finished(variant: Gathered) -> Interval | None:
    sample = _skilled(variant)
    return _share_of_games(sample.statuses == k.FINISHED)


def _ties(variant: Gathered) -> Interval | None:
    sample = _skilled(variant)
    return _share_of_games((sample.ranks == 0).sum(axis=1)[sample.ended] > 1) if sample.seats > 1 and sample.ended.any() else None


def _share_of_games(so: Any) -> Interval:
    return Moments.from_counts(np.column_stack((np.ones(len(so)), so))).rate(1, 0)


def _skilled(variant: Gathered) -> Sample:
    assert variant.skilled is not None  # a measure is only asked for when its line-up has played
    return variant.skilled


def _by(judge: Callable[[Sample], h.Heuristic], line_up: str = "skilled") -> Callable[[Gathered], Interval | None]:
    return lambda variant: judge(getattr(variant, line_up)).interval


def _gain(variant: Gathered) -> Interval | None:
    assert variant.single is not None
    return h.gain(variant.single, variant.counted, variant.teams).interval


MEASURES: dict[str, Yardstick] = {
    "fairness": Yardstick(
        "random", lambda v: h.fairness(v.counted, v.teams).interval, "how near the first seat's chance is to an equal share", False
    ),
    "order": Yardstick("single", lambda v: h.order(v.single, v.teams).interval if v.single else None, "how far skill beats chance"),
    "gain": Yardstick("single", _gain, "what searching adds to the win rate of the first seat"),
    "convergence": Yardstick("random", _by(h.convergence, "random"), "above 0.5 the options become fewer as a random game goes on", False),
    "spread": Yardstick("skilled", _by(h.spread), "points between the best and the worst option of a decision"),
    "drama": Yardstick("skilled", _by(h.drama), "how deep the later winner sat in trouble"),
    "security": Yardstick("skilled", _by(h.security), "the share of the winner's decisions at which it was not behind"),
    "decisiveness": Yardstick("skilled", _by(h.decisiveness), "how little is left to play once the winner is sure to win"),
    "coolness": Yardstick("skilled", _by(h.coolness), "how rarely a player's own prospects fall"),
    "clarity": Yardstick("skilled", _by(h.clarity), "the share of decisions at which no option stands out"),
    "decisions": Yardstick("skilled", _decisions, "decisions of a game, everybody's together", False),
    "options": Yardstick("skilled", _options, "options of a decision", False),
    "ties": Yardstick("skilled", _ties, "the share of games that end with several winners", False),
    "finished": Yardstick("skilled", _finished, "the share of games that come to their end by themselves", False),
}
