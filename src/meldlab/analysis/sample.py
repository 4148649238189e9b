"""Sample of played games: one row per game, and one per decision with the estimates of the player.

>>> sample = Sample.from_scores("max", np.array([[3, 1], [2, 2]]))
>>> sample.games, sample.ranks.tolist(), sample.win_shares.tolist()
(2, [[0, 1], [0, 0]], [[1.0, 0.0], [0.5, 0.5]])
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from meldlab.recycle.machine import kernel_layout as k

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
NOTHING = float("nan")
WHOLE = dict.fromkeys(("game", "seat", "options", "chosen", "determinizations"), np.int64)  # the others are real


@dataclass(frozen=True, eq=False)
class Sample:
    """Games under one line-up: arrays by game, then arrays by decision in order of play.

    The estimates of a random player are NaN.
    """

    goal: str  # max or min
    scores: Whole  # [games, seats]
    statuses: Whole  # [games]
    seconds: Real  # [games]
    game: Whole  # [decisions], from 0
    seat: Whole  # [decisions], from 0
    options: Whole
    chosen: Whole
    best: Real  # estimated score of the best option, of the worst
    worst: Real
    value: Real  # the same estimates from 0 to 1: the best option, the mean of all
    mean: Real
    determinizations: Whole  # on which the estimates of the option chosen rest
    first_half: Real  # the player's estimate of its own rank from every second of them, and from the others
    second_half: Real
    score_estimates: Real  # [decisions, seats]
    rank_estimates: Real  # [decisions, seats]

    # --- conversions

    @classmethod
    def from_scores(cls, goal: str, scores: Whole, statuses: Whole | None = None) -> Self:
        """Return games without decisions, from their scores and statuses; without statuses all of them finished."""
        games, seats = scores.shape
        ends = np.full(games, k.FINISHED) if statuses is None else statuses
        by_decision = [part.name for part in fields(cls)][4:]
        none: dict[str, Any] = {
            name: np.zeros((0, seats) if name.endswith("_estimates") else 0, WHOLE.get(name, np.float64)) for name in by_decision
        }
        return cls(goal, scores, ends, np.zeros(games), **none)

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> Self:
        """Return the games of several samples as one, in their order."""
        first = np.cumsum([0] + [sample.games for sample in samples])
        moved = {part.name: [getattr(sample, part.name) for sample in samples] for part in fields(cls) if part.name != "goal"}
        moved["game"] = [sample.game + start for sample, start in zip(samples, first, strict=False)]
        return cls(samples[0].goal, **{name: np.concatenate(parts) for name, parts in moved.items()})

    def first(self, games: int) -> Self:
        """Return the first games of the sample."""
        return self.select(np.arange(self.games) < games)

    def select(self, mask: NDArray[np.bool_]) -> Self:
        """Return the games of a mask, [games] bool, numbered from 0."""
        decisions = mask[self.game]
        by_game = ("scores", "statuses", "seconds")
        arrays = {part.name: getattr(self, part.name) for part in fields(self)[1:]}
        selected = {name: array[mask if name in by_game else decisions] for name, array in arrays.items()}
        return type(self)(self.goal, **{**selected, "game": (np.cumsum(mask) - 1)[selected["game"]]})

    def as_json(self) -> dict[str, Any]:
        """Return the sample as lists; NaN becomes null."""
        answer: dict[str, Any] = {"goal": self.goal}
        for part in fields(self):
            if part.name != "goal":
                values = getattr(self, part.name)
                if values.dtype.kind == "f":
                    values = np.round(values, 5).astype(object)
                    values[values != values] = None  # nan differs from itself
                answer[part.name] = values.tolist()
        return answer

    @classmethod
    def from_json(cls, answer: Mapping[str, Any]) -> Self:
        """Return the sample from the result of ``as_json``."""
        seats = len(answer["scores"][0])
        parts: dict[str, NDArray[Any]] = {}
        for part in fields(cls):
            if part.name != "goal":
                values = np.array(answer[part.name], np.int64 if part.type is Whole else np.float64)
                parts[part.name] = values.reshape(-1, seats) if part.name in ("scores", "score_estimates", "rank_estimates") else values
        return cls(answer["goal"], **parts)

    # --- results

    @property
    def games(self) -> int:
        """Return the number of games, failed ones too."""
        return len(self.scores)

    @property
    def seats(self) -> int:
        """Return the number of seats."""
        return int(self.scores.shape[1])

    @cached_property
    def ended(self) -> NDArray[np.bool_]:
        """Return which games have scores: the finished and the capped ones, [games] bool."""
        return self.statuses <= k.CAPPED

    @cached_property
    def determinization_counts(self) -> dict[str, float] | None:
        """Return the number of determinizations of an estimate: median, least and most over decisions; None without estimates."""
        counts = self.determinizations[self.estimated]
        return {"median": float(np.median(counts)), "least": int(counts.min()), "most": int(counts.max())} if len(counts) else None

    @property
    def determinizations_text(self) -> str:
        """Return the same as text, empty without estimates."""
        counts = self.determinization_counts
        if counts is None:
            return ""
        least, most = counts["least"], counts["most"]
        return f"{most} determinizations" if least == most else f"{counts['median']:.0f} determinizations in the median ({least} to {most})"

    @property
    def finished(self) -> int:
        """Return the number of games that finished."""
        return int((self.statuses == k.FINISHED).sum())

    @property
    def capped(self) -> int:
        """Return the number of games stopped for their length."""
        return int((self.statuses == k.CAPPED).sum())

    @property
    def failed(self) -> int:
        """Return the number of games that stopped at an error."""
        return self.games - self.finished - self.capped

    @property
    def reasons(self) -> Counter[str]:
        """Return the number of games that did not finish, by reason."""
        return Counter(k.REASONS[int(status)] for status in self.statuses if status != k.FINISHED)

    @cached_property
    def ranks(self) -> Whole:
        """Return the final ranks, [games, seats] from 0; ties share the better one."""
        values = self.scores if self.goal == "max" else -self.scores
        better: Whole = (values[:, None, :] > values[:, :, None]).sum(axis=2)
        return better

    @cached_property
    def places(self) -> Whole:
        """Return the final ranks with ties broken by seat, [games, seats] from 0."""
        order = np.argsort(self.ranks, axis=1, kind="stable")
        places: Whole = np.argsort(order, axis=1, kind="stable")
        return places

    @cached_property
    def win_shares(self) -> Real:
        """Return the share of each seat in the win, [games, seats]; ties share it, a failed game has no winner."""
        first = (self.ranks == 0) & self.ended[:, None]
        shares: Real = first / np.maximum(1, first.sum(axis=1))[:, None]
        return shares

    @cached_property
    def move(self) -> Whole:
        """Return the number of each decision in its game, from 0."""
        starts = np.searchsorted(self.game, np.arange(self.games))
        move: Whole = np.arange(len(self.game)) - starts[self.game]
        return move

    @cached_property
    def decisions(self) -> Whole:
        """Return the number of decisions of each game."""
        return np.bincount(self.game, minlength=self.games)

    @cached_property
    def leads(self) -> Real:
        """Return the estimated ranks normalised, [decisions, seats]: 1 is first, 0 last; NaN with one player."""
        return self._leads(self.rank_estimates)

    def _leads(self, ranks: Real) -> Real:
        lead: Real = (self.seats - 1 - ranks) / (self.seats - 1) if self.seats > 1 else np.full_like(ranks, NOTHING)
        return lead

    @cached_property
    def own_leads(self) -> Real:
        """Return the deciding player's estimate of its own lead, [decisions]."""
        own: Real = self.leads[np.arange(len(self.seat)), self.seat]
        return own

    @cached_property
    def half_leads(self) -> Real:
        """Return the deciding player's estimate of its own lead from each half of its determinizations, [decisions, 2]."""
        return self._leads(np.column_stack((self.first_half, self.second_half)))

    @property
    def estimated(self) -> NDArray[np.bool_]:
        """Return which decisions have estimates, [decisions] bool."""
        return ~np.isnan(self.best)
