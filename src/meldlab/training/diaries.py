"""Lessons about values: rounds kept as diaries by the kernels, and what each position of them was worth as it turned out.

What a round brought is the change of the chance to win the match, by the points of both before and after it, scaled to be about points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meldlab.gin import kernel_state as layout
from meldlab.gin.kernel_value_network import DRAW_HEAD, KNOCK_HEAD, WAIT_HEAD
from meldlab.gin.players.value_network import MATCH_WORTH
from meldlab.training.lessons import equity_gain

__all__ = ["DIARY_TURNS", "ValueLesson", "lesson_of", "points_of"]

DIARY_TURNS = layout.TURNS  # what the network tells apart
NUMBERS = (layout.DISCARDED, layout.LEFT_OVER, layout.OWN_SCORE, layout.OTHER_SCORE)


@dataclass(frozen=True)
class ValueLesson:
    """Samples: what the network reads, which of its answers is meant, and what it should have been."""

    planes: Tensor
    """[samples, 3] int64"""
    numbers: Tensor
    """[samples, 6] uint8"""
    which: Tensor
    """[samples] uint8"""
    wanted: Tensor
    """[samples] float32"""

    def __len__(self) -> int:
        return len(self.wanted)

    def first(self, many: int) -> "ValueLesson":
        """Return the first samples."""
        return ValueLesson(*(column[:many] for column in self._columns()))

    def picked(self, places: Tensor) -> "ValueLesson":
        """Return the samples of some places."""
        return ValueLesson(*(column[places] for column in self._columns()))

    @classmethod
    def join(cls, lessons: Sequence["ValueLesson"]) -> "ValueLesson":
        """Return all samples of some lessons."""
        return cls(*(torch.cat(parts) for parts in zip(*(one._columns() for one in lessons), strict=True)))

    def _columns(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.planes, self.numbers, self.which, self.wanted


def points_of(pages: Tensor) -> NDArray[np.int64]:
    """Return the points of the rounds whose diaries these are, [rounds, turns, TURN_WIDTH]; of rounds that ended before a discard none."""
    found = pages[:, 0, layout.RESULT]
    points: NDArray[np.int64] = found[found > layout.CANNOT_KNOCK].long().cpu().numpy()
    return points


def lesson_of(pages: Tensor, equity: Tensor, trace: float) -> ValueLesson:
    """Return what diaries teach, [rounds, turns, TURN_WIDTH].

    ``equity``: win probability by own score and the other's, an ``equity_table``.
    ``trace``: how much what came later counts against what was expected a turn later.
    """
    result, knock, knocked = pages[:, :, layout.RESULT], pages[:, :, layout.IF_KNOCK], pages[:, :, layout.KNOCKED] > 0
    real, able = result > layout.CANNOT_KNOCK, knock > layout.CANNOT_KNOCK
    scores = pages[:, :, layout.OWN_SCORE].long(), pages[:, :, layout.OTHER_SCORE].long()
    result, knock = (torch.where(real, _points_value(equity, points.long(), scores).double(), points) for points in (result, knock))
    # What each chosen action was worth to the player when it chose it; a knock is worth what it brings.
    seen = torch.where(knocked, knock, pages[:, :, layout.EXPECTED])
    later = result.clone()
    for row in range(pages.shape[1] - 2, -1, -1):
        follows = row + 1
        mixed = (1 - trace) * seen[:, follows] + trace * torch.where(knocked[:, follows], result[:, follows], later[:, follows])
        later[:, row] = torch.where(real[:, follows], mixed, result[:, row])
    now = torch.where(knocked, result, (1 - trace) * seen + trace * later)
    turn = torch.arange(1, pages.shape[1] + 1, device=pages.device).expand(real.shape)

    def part(mask: Tensor, plane: int, which: int, wanted: Tensor) -> ValueLesson:
        rows = pages[mask]
        planes = torch.stack([rows[:, plane], rows[:, plane + 1], rows[:, layout.OPPONENT_DISCARDS]], 1).long()
        card, left, *scores = (rows[:, kind] for kind in NUMBERS)
        waiting = torch.full_like(card, float(which != DRAW_HEAD))
        numbers = torch.stack([card, turn[mask].double(), left, *scores, waiting], 1).to(torch.uint8)
        return ValueLesson(planes, numbers, torch.full_like(card, which, dtype=torch.uint8), wanted[mask].float())

    return ValueLesson.join(
        [
            part(real & ~knocked, layout.PLANE, WAIT_HEAD, later),
            part(real & (pages[:, :, layout.DRAW_PLANE] >= 0), layout.DRAW_PLANE, DRAW_HEAD, now),
            part(real & able, layout.PLANE, KNOCK_HEAD, knock),
        ]
    )


def _points_value(equity: Tensor, points: Tensor, scores: Sequence[Tensor]) -> Tensor:
    """Return the change of the win probability by points, negative if lost, at the own and the other's score: in points of a network."""
    return MATCH_WORTH * equity_gain(equity, scores, (points.clamp(min=0), (-points).clamp(min=0)))
