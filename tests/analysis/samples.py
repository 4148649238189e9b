"""Small samples to analyse: written down game by game, one by hand, many made up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from meldlab.analysis.sample import WHOLE, Sample
from meldlab.recycle.machine import kernel_layout as k

NOTHING = float("nan")


@dataclass(frozen=True)
class Decision:
    """One decision: who (from 0), how many options, which was taken, and what the player estimated."""

    seat: int
    options: int
    chosen: int = 0
    best: float = NOTHING
    worst: float = NOTHING
    value: float = NOTHING
    mean: float = NOTHING
    scores: tuple[float, ...] = ()  # of every seat, if the best option is taken
    ranks: tuple[float, ...] = ()  # likewise, 0 is first
    halves: tuple[float, float] | None = None  # own rank by either half of the determinizations; if None both say the same

    @property
    def own_halves(self) -> tuple[float, float]:
        own = self.ranks[self.seat] if self.ranks else NOTHING
        return self.halves or (own, own)


@dataclass(frozen=True)
class Row:
    """One game: final scores, its decisions, how it ended, how long it took."""

    scores: tuple[int, ...]
    decisions: tuple[Decision, ...] = ()
    status: int = k.FINISHED
    seconds: float = 0.0


def sample_of(goal: str, seats: int, rows: Sequence[Row]) -> Sample:
    """Return games that were written down one by one."""
    flat = [(number, decision) for number, row in enumerate(rows) for decision in row.decisions]
    names = ("seat", "options", "chosen", "best", "worst", "value", "mean")
    columns: list[Any] = [np.array([getattr(each, name) for _, each in flat], WHOLE.get(name, np.float64)) for name in names]
    halves = np.array([each.own_halves for _, each in flat], np.float64).reshape(-1, 2)
    columns += [np.where(np.isnan(halves).any(axis=1), 0, 10), *halves.T]
    by_seat = [
        np.array([getattr(each, name) or (NOTHING,) * seats for _, each in flat], np.float64).reshape(-1, seats)
        for name in ("scores", "ranks")
    ]
    return Sample(
        goal,
        np.array([row.scores for row in rows], np.int64).reshape(-1, seats),
        np.array([row.status for row in rows], np.int64),
        np.array([row.seconds for row in rows], np.float64),
        np.array([number for number, _ in flat], np.int64),
        *columns,
        *by_seat,
    )


def thought(
    seat: int, own: float, options: int = 2, best: float = 0.0, worst: float = 0.0, value: float = 0.5, mean: float = 0.5
) -> Decision:
    """One decision of two players: the mover expects ``own`` (1 first, 0 last) for itself and the rest for the other."""
    ranks = (1 - own, own) if seat == 0 else (own, 1 - own)
    return Decision(seat, options, 0, best, worst, value, mean, (best, worst), ranks)


# The first player wins the first game, the second the other two; the third game failed.
BY_HAND = sample_of(
    "max",
    2,
    [
        Row((9, 1), (thought(0, 0.25, 4, 3, 1, 0.9, 0.5), thought(1, 0.6, 2, 2, 2), thought(0, 0.9, 1, 5, 5), thought(1, 0.1, 3, 6, 2))),
        Row((2, 8), (thought(0, 0.6, 3), thought(1, 0.34, 3, 4, 3, 0.8, 0.5), thought(0, 0.5, 3), thought(1, 0.85, 3), thought(1, 0.8, 3))),
        Row((0, 0), (thought(0, 0.5), thought(1, 0.5)), status=k.NO_CARD),
    ],
)


@st.composite
def rows(draw: st.DrawFn, seats: int) -> Row:
    share = st.integers(0, 20).map(lambda part: part / 20)
    decisions = []
    for _ in range(draw(st.integers(1, 9))):
        worst, apart, low, up = draw(st.integers(-9, 9)), draw(st.integers(0, 9)), draw(share), draw(share)
        ranks = tuple(draw(share) * (seats - 1) for _ in range(seats))
        scores = tuple(float(draw(st.integers(-9, 9))) for _ in range(seats))
        seat = draw(st.integers(0, seats - 1))
        halves = (draw(share) * (seats - 1), draw(share) * (seats - 1))
        decisions.append(
            Decision(
                seat, draw(st.integers(1, 12)), 0, float(worst + apart), float(worst), max(low, up), min(low, up), scores, ranks, halves
            )
        )
    status = draw(st.sampled_from([k.FINISHED, k.FINISHED, k.CAPPED, k.NO_CARD]))
    return Row(tuple(draw(st.integers(-3, 3)) for _ in range(seats)), tuple(decisions), status, draw(share))


@st.composite
def games(draw: st.DrawFn) -> tuple[str, int, list[Row]]:
    """Some games: what wins, how many play, and the rows."""
    seats = draw(st.integers(2, 4))
    return draw(st.sampled_from(["max", "min"])), seats, draw(st.lists(rows(seats), min_size=1, max_size=6))
