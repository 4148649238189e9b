"""The policy network, its critic, and the value network in PyTorch; the kernels of ``meldlab.gin`` play the same weights.

>>> ValueNetwork().arrays()["last"].shape
(33, 3)
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from meldlab.errors import NotLegalHere
from meldlab.gin import kernel_value_network as light
from meldlab.gin import players
from meldlab.gin.kernel_policy import POSITION_SCALE
from meldlab.gin.kernel_state import FLOAT_PLANES, NARROW, PRIOR_DISCARD, PRIOR_KNOCK, WIDE, PolicyWeights, ValueWeights
from meldlab.gin.network_files import VALUE_SHAPES, file_name
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.vector import PLANES, SCALARS

KNOCKS = slice(55, 107)  # of the action mask
# The planes and numbers of the vector environment's observation that the policy reads, and the scales of the numbers, as in kernel_policy.
CARD_PLANES = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard")
SCALES = {"turn": 16, "other_turn": 16, "stock": 32, "own_score": 100, "other_score": 100, "knock_limit": 10, "deadwood": 50}
PHASES = (0, 1, 2, 3)  # upcard offered, draw required, draw, discard
PRIOR_SCALE = 20.0  # initial; a difference of ten points makes an action exp(20) times likelier
POINTS = 10.0  # scale of the value network's outputs
RUN_STEPS = (-2, 1), (-1, 5), (1, 25), (2, 125)
SET_STEPS = (1, 1), (2, 5), (3, 25)


class KernelNetwork(nn.Module):
    """A network whose parameters are the arrays of a kernel, and of a file."""

    scales: ClassVar[Mapping[str, float]] = {}
    """Factors between a parameter and its array."""

    def parts(self) -> dict[str, Sequence[Tensor]]:
        """Return, for each array, the views of parameters that it concatenates: inputs first, biases last."""
        raise NotImplementedError

    def constants(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays that are not trained."""
        return {}

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of the kernel."""
        arrays = {}
        for name, parts in self.parts().items():
            joined = torch.cat([part.detach().float() for part in parts]) * self.scales.get(name, 1)
            arrays[name] = np.ascontiguousarray(joined.cpu().numpy())
        return {**self.constants(), **arrays}

    @torch.no_grad()
    def set_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Copy arrays into the parameters."""
        for name, parts in self.parts().items():
            array = torch.from_numpy(np.asarray(arrays[name], np.float32)) / self.scales.get(name, 1)
            for part, values in zip(parts, array.split([len(part) for part in parts]), strict=True):
                part.copy_(values)

    def file_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, in half precision."""
        return {file_name(name): array.astype(np.float16) for name, array in self.arrays().items()}

    def save(self, path: Any, metadata: dict[str, Any]) -> None:
        """Write the network with metadata of its training."""
        np.savez_compressed(path, **self.file_arrays(), notes=json.dumps(metadata))  # type: ignore[arg-type]


def policy_inputs(features: Tensor, mask: Tensor, prior_logits: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return the input of a policy: [n, 4, planes * 13] by suit, and [n, numbers]; ``hidden``: the opponent's hand, for a critic."""
    planes = [features[:, PLANES[name]] for name in CARD_PLANES] + [mask[:, KNOCKS].view(torch.uint8)]
    order = features[:, PLANES["order"]].to(prior_logits.dtype) / POSITION_SCALE
    float_planes = [order, prior_logits[:, PRIOR_DISCARD:PRIOR_KNOCK], prior_logits[:, PRIOR_KNOCK:]]
    stacked = torch.cat([torch.stack(planes, 1).to(prior_logits.dtype), torch.stack(float_planes, 1)], 1)
    if hidden is not None:
        stacked = torch.cat([stacked, hidden[:, None].to(prior_logits.dtype)], 1)
    cards = stacked.view(len(features), -1, 4, 13).transpose(1, 2).reshape(len(features), 4, -1)
    phase = features[:, SCALARS["phase"], None] == torch.tensor(PHASES, device=features.device, dtype=torch.uint8)
    numbers = torch.stack([features[:, SCALARS[name]].float() / scale for name, scale in SCALES.items()], 1)
    return cards, torch.cat([phase.float(), numbers, prior_logits[:, :PRIOR_DISCARD].float()], 1)


def load_prior(name: str) -> ValueWeights | None:
    """Return the weights of a light player by its name, None without a name."""
    if not name:
        return None
    player = players.parse(name)
    if not isinstance(player, LightPlayer):
        raise NotLegalHere(f"{name!r} is not a light network (use network:light or network:FILE.npz)")
    return player.network


class PolicyNetwork(KernelNetwork):
    """Returns [n, 108] logits of actions, [n] values and [n, 52] logits that the opponent holds a card.

    All suits share their layers, which see that suit and the mean of all four, so renaming suits renames the actions. The logits start as
    those of the prior, scaled, to which the layers add little at first. A critic returns only values, and sees one plane more.
    """

    def __init__(self, hidden_size: int = 256, num_layers: int = 2, *, critic: bool = False, prior: ValueWeights | None = None) -> None:
        super().__init__()
        self.prior = prior or ValueWeights(*(np.zeros(shape, np.float32) for shape in VALUE_SHAPES))
        self.prior_player = LightPlayer(self.prior) if self.prior.rows.any() else None
        planes = 13 * (len(CARD_PLANES) + 1 + FLOAT_PLANES + critic)
        self.own, self.every = nn.Linear(planes, hidden_size, bias=False), nn.Linear(planes, hidden_size, bias=False)
        self.scalars = nn.Linear(len(PHASES) + len(SCALES) + PRIOR_DISCARD, hidden_size)
        self.prior_scale = nn.Parameter(torch.full((3,), PRIOR_SCALE))
        self.deep_own = nn.ModuleList(nn.Linear(hidden_size, hidden_size, bias=False) for _ in range(num_layers))
        self.deep_every = nn.ModuleList(nn.Linear(hidden_size, hidden_size) for _ in range(num_layers))
        self.plain = nn.Linear(hidden_size, 5)
        self.cards = None if critic else nn.Linear(hidden_size, 39)
        with torch.no_grad():
            self.plain.weight.mul_(0.1)
            if self.cards is not None:
                self.cards.weight.mul_(0.1)

    def forward(self, cards: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of all actions, legal or not, the values, and the logits of the opponent's cards; of a critic only values."""
        card_priors = cards[:, :, 13 * (len(CARD_PLANES) + 2) : 13 * (len(CARD_PLANES) + 1 + FLOAT_PLANES)].float()
        cards = cards.to(torch.bfloat16 if torch.is_autocast_enabled(cards.device.type) else self.own.weight.dtype)
        hidden = torch.relu(self.own(cards) + (self.every(cards.mean(1)) + self.scalars(numbers))[:, None])
        for own, every in zip(self.deep_own, self.deep_every, strict=True):
            hidden = torch.relu(own(hidden) + every(hidden.mean(1))[:, None])
        plain = self.plain(hidden.mean(1)).float()
        if self.cards is None:
            return plain[:, :0], plain[:, 4], plain[:, :0]
        by_card, upcard_priors = self.cards(hidden).float(), numbers[:, -PRIOR_DISCARD:].float()
        discards, knocks, belief = (by_card[:, :, part : part + 13].flatten(1) for part in (0, 13, 26))
        discards = discards + self.prior_scale[1] * card_priors[:, :, :13].flatten(1)
        knocks = knocks + self.prior_scale[2] * card_priors[:, :, 13:].flatten(1)
        draws = plain[:, :2] + self.prior_scale[0] * upcard_priors[:, :1]
        takes = plain[:, 2:3] + self.prior_scale[0] * upcard_priors[:, 1:2]
        return torch.cat([draws, takes, discards, knocks, plain[:, 3:4]], 1), plain[:, 4], belief

    def parts(self) -> dict[str, Sequence[Tensor]]:
        """Return the views of parameters by array of ``PolicyWeights``."""
        assert self.cards is not None
        none = self.prior_scale.new_zeros((0, self.own.out_features, self.own.out_features))
        return {
            "prior_scale": [self.prior_scale],
            "own": [self.own.weight.T],
            "every": [self.every.weight.T],
            "scalars": _with_bias(self.scalars),
            "deep_own": [none, *(layer.weight.T[None] for layer in self.deep_own)],
            "deep_every": [none, *(layer.weight.T[None] for layer in self.deep_every)],
            "deep_bias": [none[:, 0], *(layer.bias[None] for layer in self.deep_every)],
            "cards": _with_bias(self.cards),
            "plain": _with_bias(self.plain),
        }

    def constants(self) -> dict[str, NDArray[np.float32]]:
        """Return the arrays of the prior network."""
        return self.prior._asdict()

    @classmethod
    def from_weights(cls, weights: PolicyWeights) -> "PolicyNetwork":
        """Return the network of a player."""
        prior = ValueWeights(*(np.ascontiguousarray(getattr(weights, name), np.float32) for name in ValueWeights._fields))
        network = cls(weights.own.shape[1], len(weights.deep_bias), prior=prior)
        network.set_arrays(weights._asdict())
        return network


class ValueNetwork(KernelNetwork):
    """Returns [n, 3]: the value of waiting after a discard, of knocking after it, and of drawing from stock, in points."""

    scales: ClassVar[Mapping[str, float]] = {"last": POINTS}

    def __init__(self) -> None:
        super().__init__()
        self.rows = nn.EmbeddingBag(light.ROWS, WIDE, mode="sum")
        nn.init.normal_(self.rows.weight, std=0.05)
        self.first, self.last = nn.Linear(WIDE, NARROW), nn.Linear(NARROW, 3)

    def forward(self, planes: Tensor, numbers: Tensor) -> Tensor:
        """Evaluate positions: ``planes``, [n, 3] int64, own and gone, known and gone, discarded by the opponent;
        ``numbers``, [n, 6]: discard, turn, deadwood, both scores, and 1 after a discard, 0 before a draw.
        """
        first, second, discarded = planes.unbind(1)
        card, turn, deadwood, own, other, waiting = numbers.long().unbind(1)
        phase = turn + torch.where(waiting > 0, light.WAIT_ROWS, light.DRAW_ROWS)
        deadwood = light.DEADWOOD_ROWS + deadwood.clamp(max=light.MAX_DEADWOOD)
        last = light.SCORE_STEPS - 1
        scores = light.OWN_SCORE_ROWS + (own // 10).clamp(max=last), light.OTHER_SCORE_ROWS + (other // 10).clamp(max=last)
        # Before a draw there is no discard: deadwood and the cards around it do not count.
        others = torch.stack([phase, *scores, deadwood, *neighbour_rows(first, second, discarded, card)], 1)
        index = torch.cat([card_rows(first, second), others], 1)
        weights = torch.ones(index.shape, device=planes.device)
        weights[:, -3:] = waiting.float()[:, None]
        total = self.rows(index, per_sample_weights=weights)
        values: Tensor = self.last(torch.relu(self.first(torch.relu(total)))) * POINTS
        return values

    def parts(self) -> dict[str, Sequence[Tensor]]:
        """Return the views of parameters by array of ``ValueWeights``."""
        return {"rows": [self.rows.weight], "first": _with_bias(self.first), "last": _with_bias(self.last)}

    def file_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, the rows in half precision."""
        arrays = self.arrays()
        return {**arrays, "rows": arrays["rows"].astype(np.float16)}

    @classmethod
    def from_weights(cls, weights: ValueWeights) -> "ValueNetwork":
        """Return the network of a player."""
        network = cls()
        network.set_arrays(weights._asdict())
        return network


def card_rows(first: Tensor, second: Tensor) -> Tensor:
    """Return [n, 53] int64, the rows that the cards of both planes add, as in ``kernel_value_network``."""
    suits, starts, ranks = (torch.arange(count, device=first.device) for count in (4, light.STRETCHES, 13))
    index = 13 * suits[:, None] + starts
    stretches = starts * light.PATTERNS + ((first[:, None, None] >> index) & 15) + ((second[:, None, None] >> index) & 15) * 16
    bits, weights = 13 * suits[:, None] + ranks, (1 << suits)[:, None]
    held, known = ((((plane[:, None, None] >> bits) & 1) * weights).sum(1) for plane in (first, second))
    return torch.cat([stretches.flatten(1), light.COLUMN_ROWS + ranks * light.PATTERNS + held + known * 16], 1)


def neighbour_rows(first: Tensor, second: Tensor, discarded: Tensor, card: Tensor) -> tuple[Tensor, Tensor]:
    """Return [n] each, the rows of a discard's neighbours in its suit and of its rank, as in ``kernel_value_network``."""
    suit, rank = card // 13, card % 13

    def state(index: Tensor, exists: Tensor) -> Tensor:
        index = index.clamp(0, 51)
        plain = ((first >> index) & 1) + 2 * ((second >> index) & 1)
        return torch.where(exists, plain + ((plain == light.GONE) & ((discarded >> index) & 1).bool()), light.GONE)

    run, same_rank = torch.full_like(card, light.RUN_ROWS), torch.full_like(card, light.SET_ROWS)
    for step, weight in RUN_STEPS:
        run = run + state(card + step, (rank + step >= 0) & (rank + step <= 12)) * weight
    for step, weight in SET_STEPS:
        same_rank = same_rank + state(13 * ((suit + step) & 3) + rank, rank >= 0) * weight
    return run, same_rank


def _with_bias(layer: nn.Linear) -> list[Tensor]:
    return [layer.weight.T, layer.bias[None]]
