"""Measures of a variant: the ten heuristics and four counts, and the difference of two variants on the same deals.

>>> sample = Sample.from_scores("max", np.array([[3, 1], [2, 4]] * 8))
>>> variant = VariantGames(sample, sample)
>>> variant.measure("fairness").value, variant.difference(variant, "fairness").value
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
from meldlab.statistics import Interval, Moments, mean, mean_share

BLOCKS = 20  # of deals, for the jackknife
SCORES_PER_GAME = 100  # random games of which only the scores are stored, for each game of the others


@dataclass(frozen=True, eq=False)
class VariantGames:
    """Games of one variant by line-up; those of searching players are None until they have played."""

    random: Sample
    random_scores: Sample
    skilled: Sample | None = None
    single: Sample | None = None
    teams: tuple[int, ...] = ()

    @property
    def games(self) -> int:
        """Return the number of deals that every line-up has played."""
        return self.random.games

    def __add__(self, later: "VariantGames") -> "VariantGames":
        return self._map(lambda mine, others: Sample.joined([mine, others]), later)

    def first(self, games: int) -> "VariantGames":
        """Return the first deals."""
        return self._map(lambda sample, _: sample.first(games * sample.games // self.games), self)

    def without(self, block: int, blocks: int) -> "VariantGames":
        """Return the games without one of ``blocks`` blocks of deals."""

        def rest(sample: Sample, _: Sample) -> Sample:
            return sample.select(np.arange(sample.games) * blocks // sample.games != block)

        return self._map(rest, self)

    def _map(self, change: Callable[[Sample, Sample], Sample], other: "VariantGames") -> "VariantGames":
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in ("random", "random_scores", "skilled", "single")}
        changed: dict[str, Any] = {name: change(mine, theirs) for name, (mine, theirs) in pairs.items() if mine and theirs}
        return replace(self, **changed)

    @property
    def samples(self) -> dict[str, Sample]:
        """Return the samples by line-up."""
        return {name: sample for name in ("random", "skilled", "single") if (sample := getattr(self, name)) is not None}

    def measure(self, name: str) -> Interval | None:
        """Return a measure with its interval over games, None if it is not defined or its line-up has not played."""
        return MEASURES[name].estimate(self) if getattr(self, MEASURES[name].line_up) is not None else None

    def measures(self) -> dict[str, Interval | None]:
        """Return all measures."""
        return {name: self.measure(name) for name in MEASURES}

    def difference(self, other: "VariantGames", name: str) -> Interval | None:
        """Return the difference of a measure from another variant's on the same deals, with Student's interval over deals.

        The common variance of the deals cancels. The contributions of blocks of deals come from leaving them out one by one (Tukey's
        jackknife), for all measures alike, ratios too.
        """
        games = min(self.games, other.games)
        mine, theirs = (variant.first(games).contributions(name) for variant in (self, other))
        return None if mine is None or theirs is None else mean(mine - theirs)

    def contributions(self, name: str) -> NDArray[np.float64] | None:
        """Return the contribution of each block of deals to a measure, [blocks] float64."""
        whole, blocks = self.measure(name), min(BLOCKS, self.games)
        if whole is None or blocks < 2:
            return None
        partial = [self.without(block, blocks).measure(name) for block in range(blocks)]
        if any(value is None for value in partial):
            return None
        return blocks * whole.value - (blocks - 1) * np.array([value.value for value in partial if value])


@dataclass(frozen=True)
class Measure:
    """A measure: its line-up, its estimate from the games of a variant, and its meaning."""

    line_up: str
    estimate: Callable[[VariantGames], Interval | None]
    meaning: str
    needs_search: bool = True
    """Whether only players that search give it."""


def _decisions(variant: VariantGames) -> Interval | None:
    return mean(_skilled(variant).decisions)


def _options(variant: VariantGames) -> Interval | None:
    sample = _skilled(variant)
    if not len(sample.options):
        return None
    options = np.bincount(sample.game, sample.options, minlength=sample.games)
    return Moments.from_counts(np.column_stack((sample.decisions, options))).mean(1, 0)


def _finished(variant: VariantGames) -> Interval | None:
    return mean_share(_skilled(variant).statuses == k.FINISHED)


def _ties(variant: VariantGames) -> Interval | None:
    sample = _skilled(variant)
    return mean_share((sample.ranks == 0).sum(axis=1)[sample.ended] > 1) if sample.seats > 1 and sample.ended.any() else None


def _skilled(variant: VariantGames) -> Sample:
    assert variant.skilled is not None  # ``measure`` checks that the line-up has played
    return variant.skilled


def _by(heuristic: Callable[[Sample], h.Heuristic], line_up: str = "skilled") -> Callable[[VariantGames], Interval | None]:
    return lambda variant: heuristic(getattr(variant, line_up)).interval


def _gain(variant: VariantGames) -> Interval | None:
    assert variant.single is not None
    return h.gain(variant.single, variant.random_scores, variant.teams).interval


MEASURES: dict[str, Measure] = {
    "fairness": Measure(
        "random", lambda v: h.fairness(v.random_scores, v.teams).interval, "how near the first seat's win rate is to an equal share", False
    ),
    "order": Measure("single", lambda v: h.order(v.single, v.teams).interval if v.single else None, "how far skill beats chance"),
    "gain": Measure("single", _gain, "what searching adds to the win rate of the first seat"),
    "convergence": Measure("random", _by(h.convergence, "random"), "above 0.5 the options become fewer during a random game", False),
    "spread": Measure("skilled", _by(h.spread), "points between the best and the worst option of a decision"),
    "drama": Measure("skilled", _by(h.drama), "how far behind the later winner was"),
    "security": Measure("skilled", _by(h.security), "the share of the winner's decisions at which it was not behind"),
    "decisiveness": Measure("skilled", _by(h.decisiveness), "how little is left to play once the winner is sure to win"),
    "coolness": Measure("skilled", _by(h.coolness), "how rarely a player's own prospects fall"),
    "clarity": Measure("skilled", _by(h.clarity), "the share of decisions at which no option stands out"),
    "decisions": Measure("skilled", _decisions, "decisions of a game, of all players", False),
    "options": Measure("skilled", _options, "options of a decision", False),
    "ties": Measure("skilled", _ties, "the share of games that end with several winners", False),
    "finished": Measure("skilled", _finished, "the share of games that finish", False),
}
