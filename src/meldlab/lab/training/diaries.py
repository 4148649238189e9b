"""Lessons about values: rounds kept as diaries by the kernels, and what each position of them was worth as it turned out.

What a round brought is the change of the chance to win the match, by the points of both before and after it, scaled to be about points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meldlab.gin import kernel_layout as layout
from meldlab.gin.players import kernel_light as light
from meldlab.gin.players.light import MATCH_WORTH
from meldlab.gin.review.kernel import fill_equity
from meldlab.gin.rules import Rules
from meldlab.lab.training.lessons import Device

__all__ = ["DIARY_TURNS", "PointsWorth", "ValueLesson", "lesson_of", "points_of"]

DIARY_TURNS = layout.TURNS  # what the network tells apart
MOST_POINTS = 200  # of a round that are told apart
OWN_STARTS = np.zeros((2, 2), np.int64)
NUMBERS = (layout.DISCARDED, layout.LEFT_OVER, layout.OWN_SCORE, layout.OTHER_SCORE)


class PointsWorth:
    """What points are worth at each score: the chance to win the match if rounds go on bringing such points to both."""

    def __init__(self, rules: Rules, device: Device) -> None:
        self.rules, self.device = rules, device
        self.table = torch.zeros(0, device=device)

    @property
    def measured(self) -> bool:
        """Tell whether there were rounds to go by."""
        return bool(self.table.numel() > 0)

    def measure(self, points: NDArray[np.int64], *, equals: bool) -> None:
        """Take the points of rounds, [rounds], negative where they were lost; ``equals``: both seats are as strong."""
        signed = np.concatenate([points, -points]) if equals else points
        counts = np.bincount(np.clip(signed, -MOST_POINTS, MOST_POINTS) + MOST_POINTS, minlength=2 * MOST_POINTS + 1) / len(signed)
        odds, wanted = np.stack([counts[MOST_POINTS:], counts[MOST_POINTS::-1]]), self.rules.match_points
        odds[:, 0] = 0.0  # a round without points changes nothing
        chances, table = np.zeros((wanted, wanted, 2)), np.zeros((wanted + 1, wanted + 1), np.float32)
        fill_equity(odds, OWN_STARTS, chances)
        table[:wanted, :wanted], table[wanted, :] = chances[:, :, 0], 1
        self.table = torch.from_numpy(table).to(self.device)

    def gain(self, points: Tensor, own: Tensor, other: Tensor) -> Tensor:
        """Return what points are worth that are won, or lost if negative, at the scores of both."""
        most = self.rules.match_points
        won, lost = points.clamp(min=0), (-points).clamp(min=0)
        return MATCH_WORTH * (self.table[(own + won).clamp(max=most), (other + lost).clamp(max=most)] - self.table[own, other])


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
    """Return the points of the rounds whose diaries these are, [rounds, turns, DIARY]; of rounds that ended before a discard none."""
    found = pages[:, 0, layout.RESULT]
    points: NDArray[np.int64] = found[found > layout.CANNOT_KNOCK].long().cpu().numpy()
    return points


def lesson_of(pages: Tensor, worth: PointsWorth, trace: float) -> ValueLesson:
    """Return what diaries teach, [rounds, turns, DIARY].

    ``trace``: how much what came later counts against what was expected a turn later.
    """
    result, knock, knocked = pages[:, :, layout.RESULT], pages[:, :, layout.IF_KNOCK], pages[:, :, layout.KNOCKED] > 0
    real, able = result > layout.CANNOT_KNOCK, knock > layout.CANNOT_KNOCK
    own, other = pages[:, :, layout.OWN_SCORE].long(), pages[:, :, layout.OTHER_SCORE].long()
    result, knock = (torch.where(real, worth.gain(points.long(), own, other).double(), points) for points in (result, knock))
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
        planes = torch.stack([rows[:, plane], rows[:, plane + 1], rows[:, layout.OF_OPPONENT]], 1).long()
        card, left, *scores = (rows[:, kind] for kind in NUMBERS)
        waiting = torch.full_like(card, float(which != light.DRAW_ANSWER))
        numbers = torch.stack([card, turn[mask].double(), left, *scores, waiting], 1).to(torch.uint8)
        return ValueLesson(planes, numbers, torch.full_like(card, which, dtype=torch.uint8), wanted[mask].float())

    return ValueLesson.join(
        [
            part(real & ~knocked, layout.PLANE, light.WAIT_ANSWER, later),
            part(real & (pages[:, :, layout.DRAW_PLANE] >= 0), layout.DRAW_PLANE, light.DRAW_ANSWER, now),
            part(real & able, layout.PLANE, light.KNOCK_ANSWER, knock),
        ]
    )
