"""The network of a light player (kernel_light) as PyTorch trains it: what waiting, knocking and drawing are worth.

>>> ValueNetwork().arrays()["last"].shape
(33, 3)
"""

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from meldlab.gin import kernel_value_network as light
from meldlab.gin.kernel_state import NARROW, WIDE, ValueWeights

__all__ = ["ValueNetwork"]

POINTS = 10.0  # what an answer of the last layer is multiplied by
RUN_STEPS = (-2, 1), (-1, 5), (1, 25), (2, 125)
SET_STEPS = (1, 1), (2, 5), (3, 25)


def cards_of(one: Tensor, two: Tensor) -> Tensor:
    """Return [positions, 53] int64, the rows that the cards of two planes add up, as kernel_light.add_cards does."""
    suits, starts, ranks = (torch.arange(many, device=one.device) for many in (4, light.STRETCHES, 13))
    at = 13 * suits[:, None] + starts
    stretches = starts * light.PATTERNS + ((one[:, None, None] >> at) & 15) + ((two[:, None, None] >> at) & 15) * 16
    bits, weights = 13 * suits[:, None] + ranks, (1 << suits)[:, None]
    held, known = ((((plane[:, None, None] >> bits) & 1) * weights).sum(1) for plane in (one, two))
    return torch.cat([stretches.flatten(1), light.COLUMN_ROWS + ranks * light.PATTERNS + held + known * 16], 1)


def around(one: Tensor, two: Tensor, dropped: Tensor, card: Tensor) -> tuple[Tensor, Tensor]:
    """Return [positions] each, the rows of the cards around a discard and of its rank, as kernel_light.run_row and set_row do."""
    suit, rank = card // 13, card % 13

    def state(at: Tensor, there: Tensor) -> Tensor:
        at = at.clamp(0, 51)
        plain = ((one >> at) & 1) + 2 * ((two >> at) & 1)
        return torch.where(there, plain + ((plain == light.GONE) & ((dropped >> at) & 1).bool()), light.GONE)

    run, equal = torch.full_like(card, light.RUN_ROWS), torch.full_like(card, light.SET_ROWS)
    for step, weight in RUN_STEPS:
        run = run + state(card + step, (rank + step >= 0) & (rank + step <= 12)) * weight
    for step, weight in SET_STEPS:
        equal = equal + state(13 * ((suit + step) & 3) + rank, rank >= 0) * weight
    return run, equal


class ValueNetwork(nn.Module):
    """Returns [positions, 3]: what it is worth to wait after a discard, to knock after it, and to draw from stock."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(light.ROWS, WIDE, mode="sum")
        nn.init.normal_(self.rows.weight, std=0.05)
        self.first, self.last = nn.Linear(WIDE, NARROW), nn.Linear(NARROW, 3)

    def forward(self, planes: Tensor, numbers: Tensor) -> Tensor:
        """Answer positions: ``planes``, [positions, 3] int64, own and gone, known and gone, dropped by the opponent;
        ``numbers``, [positions, 6]: discard, turn, deadwood, both scores, and 1 after a discard, 0 before a draw.
        """
        one, two, dropped = planes.unbind(1)
        card, turn, left, own, other, waiting = numbers.long().unbind(1)
        phase = turn + torch.where(waiting > 0, light.WAIT_ROWS, light.DRAW_ROWS)
        deadwood = light.DEADWOOD_ROWS + left.clamp(max=light.MAX_DEADWOOD)
        most = light.SCORE_STEPS - 1
        scores = light.OWN_SCORE_ROWS + (own // 10).clamp(max=most), light.OTHER_SCORE_ROWS + (other // 10).clamp(max=most)
        # Before a draw there is no discard: deadwood and what lies around it do not count.
        index = torch.cat([cards_of(one, two), torch.stack([phase, *scores, deadwood, *around(one, two, dropped, card)], 1)], 1)
        weights = torch.ones(index.shape, device=planes.device)
        weights[:, -3:] = waiting.float()[:, None]
        total = self.rows(index, per_sample_weights=weights)
        found: Tensor = self.last(torch.relu(self.first(torch.relu(total)))) * POINTS
        return found

    def arrays(self) -> dict[str, Any]:
        """Return the numbers as kernel_light reads them, inputs first, biases last."""

        def plainly(*parts: Tensor) -> Any:
            return np.ascontiguousarray(torch.cat(parts).detach().float().cpu().numpy())

        first, last = self.first, self.last
        return {
            "rows": plainly(self.rows.weight).copy(),
            "first": plainly(first.weight.T, first.bias[None]),
            "last": plainly(POINTS * last.weight.T, POINTS * last.bias[None]),
        }

    def half_arrays(self) -> dict[str, Any]:
        """Return the arrays of the file, the rows in half precision."""
        arrays = self.arrays()
        return {**arrays, "rows": arrays["rows"].astype(np.float16)}

    def save(self, path: Any, notes: dict[str, Any]) -> None:
        """Write the network, its rows in half precision, with notes on its training."""
        np.savez_compressed(path, **self.half_arrays(), notes=json.dumps(notes))

    def rounded(self) -> "ValueNetwork":
        """Return the network that a file of this one plays."""
        return ValueNetwork.load(ValueWeights(**self.half_arrays()))

    @classmethod
    def load(cls, network: ValueWeights) -> "ValueNetwork":
        """Return the network of a player."""
        found = cls()
        rows, first, last = (torch.from_numpy(np.array(part, np.float32)) for part in network)
        with torch.no_grad():
            found.rows.weight.copy_(rows)
            found.first.weight.copy_(first[:-1].T)
            found.first.bias.copy_(first[-1])
            found.last.weight.copy_(last[:-1].T / POINTS)
            found.last.bias.copy_(last[-1] / POINTS)
        return found
