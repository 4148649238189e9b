"""The policy network of kernel_policy as PyTorch trains it, and a critic that sees all cards.

Every suit goes through the same layers, which see that suit and the mean of all four, so that a hand with its suits renamed is played the
same way with the suits renamed: nothing has to be learned four times over. It begins as its adviser, a light network that is not taught
any further: the chances of actions are as the advice has it, and what the layers add to that is little at first.
"""

import json
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from meldlab.gin.kernel_policy import POSITION_SCALE
from meldlab.gin.kernel_state import FLOAT_PLANES, PRIOR_DISCARD, PRIOR_KNOCK, ValueWeights
from meldlab.gin.network_files import VALUE_SHAPES
from meldlab.gin.players.value_network import LightPlayer
from meldlab.gin.vector import PLANES, SCALARS

__all__ = ["PolicyNetwork", "follow", "inputs_of", "no_adviser"]

KNOCKS = slice(55, 107)
# The planes of the features of the vector environment that are read, and the scales of its numbers, as kernel_policy has them.
READ = ("own", "known", "dropped", "declined", "own_dropped", "pile", "upcard")
SCALED = {"turn": 16, "other_turn": 16, "stock": 32, "own_score": 100, "other_score": 100, "knock_limit": 10, "deadwood": 50}
PHASES = (0, 1, 2, 3)  # to be offered the first upcard, to have to draw, to draw, to drop
WIDE, DEEP = 256, 2
TRUST = 20.0  # at first: a point more makes an action e squared times likelier
ADVISED_PLAIN = slice(0, PRIOR_DISCARD)


def no_adviser() -> ValueWeights:
    """Return a network that finds all actions equal."""
    return ValueWeights(*(np.zeros(shape, np.float32) for shape in VALUE_SHAPES))


@torch.no_grad()
def follow(mean: nn.Module, network: nn.Module, share: float) -> None:
    """Move the running mean of a network by a share of the way to where it is now."""
    for slow, quick in zip(mean.parameters(), network.parameters(), strict=True):
        slow.lerp_(quick, share)


def inputs_of(features: Tensor, mask: Tensor, advice: Tensor, hidden: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return what a network reads: [n, 4, planes * 13] of each suit, and [n, numbers]; ``hidden``: the other's hand, for a critic."""
    planes = [features[:, PLANES[name]] for name in READ] + [mask[:, KNOCKS].view(torch.uint8)]
    shades = [features[:, PLANES["order"]].to(advice.dtype) / POSITION_SCALE, advice[:, PRIOR_DISCARD:PRIOR_KNOCK], advice[:, PRIOR_KNOCK:]]
    stacked = torch.cat([torch.stack(planes, 1).to(advice.dtype), torch.stack(shades, 1)], 1)
    if hidden is not None:
        stacked = torch.cat([stacked, hidden[:, None].to(advice.dtype)], 1)
    cards = stacked.view(len(features), -1, 4, 13).transpose(1, 2).reshape(len(features), 4, -1)
    phase = features[:, SCALARS["phase"], None] == torch.tensor(PHASES, device=features.device, dtype=torch.uint8)
    numbers = torch.stack([features[:, SCALARS[name]].float() / scale for name, scale in SCALED.items()], 1)
    return cards, torch.cat([phase.float(), numbers, advice[:, ADVISED_PLAIN].float()], 1)


class PolicyNetwork(nn.Module):
    """Returns [n, 108] of actions, [n] of what the position is worth and [n, 52] of whether the other holds a card.

    A critic returns only the worth, and sees one plane more.
    """

    def __init__(self, wide: int = WIDE, deep: int = DEEP, *, critic: bool = False, adviser: ValueWeights | None = None) -> None:
        super().__init__()
        self.adviser = adviser or no_adviser()
        self.speaker = LightPlayer(self.adviser) if self.adviser.rows.any() else None
        planes = 13 * (len(READ) + 1 + FLOAT_PLANES + critic)
        self.own, self.every = nn.Linear(planes, wide, bias=False), nn.Linear(planes, wide, bias=False)
        self.scalars = nn.Linear(len(PHASES) + len(SCALED) + PRIOR_DISCARD, wide)
        self.trust = nn.Parameter(torch.full((3,), TRUST))
        self.deep_own = nn.ModuleList(nn.Linear(wide, wide, bias=False) for _ in range(deep))
        self.deep_every = nn.ModuleList(nn.Linear(wide, wide) for _ in range(deep))
        self.plain = nn.Linear(wide, 5)
        self.cards = None if critic else nn.Linear(wide, 39)
        with torch.no_grad():
            self.plain.weight.mul_(0.1)
            if self.cards is not None:
                self.cards.weight.mul_(0.1)

    def forward(self, cards: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the logits of all actions, legal or not, the worth, and logits of who holds a card; of a critic only the worth."""
        advised = cards[:, :, 13 * (len(READ) + 2) : 13 * (len(READ) + 1 + FLOAT_PLANES)].float()
        cards = cards.to(torch.bfloat16 if torch.is_autocast_enabled(cards.device.type) else self.own.weight.dtype)
        hidden = torch.relu(self.own(cards) + (self.every(cards.mean(1)) + self.scalars(numbers))[:, None])
        for own, every in zip(self.deep_own, self.deep_every, strict=True):
            hidden = torch.relu(own(hidden) + every(hidden.mean(1))[:, None])
        plain = self.plain(hidden.mean(1)).float()
        if self.cards is None:
            return plain[:, :0], plain[:, 4], plain[:, :0]
        about, upcards = self.cards(hidden).float(), numbers[:, -PRIOR_DISCARD:].float()
        drops, knocks, belief = (about[:, :, part : part + 13].flatten(1) for part in (0, 13, 26))
        drops = drops + self.trust[1] * advised[:, :, :13].flatten(1)
        knocks = knocks + self.trust[2] * advised[:, :, 13:].flatten(1)
        draws = plain[:, :2] + self.trust[0] * upcards[:, :1]
        takes = plain[:, 2:3] + self.trust[0] * upcards[:, 1:2]
        return torch.cat([draws, takes, drops, knocks, plain[:, 3:4]], 1), plain[:, 4], belief

    def arrays(self) -> dict[str, Any]:
        """Return the numbers as kernel_policy reads them, inputs first, biases last."""

        def with_bias(layer: nn.Linear) -> Any:
            return torch.cat([layer.weight.T, layer.bias[None]]).detach().float().cpu().numpy()

        def plainly(weight: Tensor) -> Any:
            return weight.T.detach().float().cpu().numpy()

        def stacked(layers: list[Any], *shape: int) -> Any:
            return np.array(layers, np.float32).reshape(len(layers), *shape)  # also of no layers, where np.stack fails

        wide = self.own.out_features
        assert self.cards is not None
        return {
            **self.adviser._asdict(),
            "trust": self.trust.detach().float().cpu().numpy(),
            "own": plainly(self.own.weight),
            "every": plainly(self.every.weight),
            "scalars": with_bias(self.scalars),
            "deep_own": stacked([plainly(layer.weight) for layer in self.deep_own], wide, wide),
            "deep_every": stacked([plainly(layer.weight) for layer in self.deep_every], wide, wide),
            "deep_bias": stacked([layer.bias.detach().float().cpu().numpy() for layer in self.deep_every], wide),
            "cards": with_bias(self.cards),
            "plain": with_bias(self.plain),
        }

    def half_arrays(self) -> dict[str, Any]:
        """Return the arrays of the file, in half precision."""
        return {name: array.astype(np.float16) for name, array in self.arrays().items()}

    def save(self, path: Any, notes: dict[str, Any]) -> None:
        """Write the network in half precision, with notes on its training."""
        np.savez_compressed(path, **self.half_arrays(), notes=json.dumps(notes))

    def rounded(self) -> "PolicyNetwork":
        """Return the network that a file of this one plays."""
        found: PolicyNetwork = PolicyNetwork.load(self.half_arrays()).to(self.own.weight.device).requires_grad_(False)
        return found

    @classmethod
    def load(cls, arrays: Any) -> "PolicyNetwork":
        """Return the network of a file."""
        wide, deep = arrays["own"].shape[1], len(arrays["deep_bias"])
        adviser = ValueWeights(*(np.ascontiguousarray(arrays[name], np.float32) for name in ValueWeights._fields))
        found = cls(wide, deep, adviser=adviser)
        tensors = {name: torch.from_numpy(np.asarray(arrays[name], np.float32)) for name in found.arrays()}
        assert found.cards is not None
        with torch.no_grad():
            found.trust.copy_(tensors["trust"])
            found.own.weight.copy_(tensors["own"].T)
            found.every.weight.copy_(tensors["every"].T)
            for layer, name in ((found.scalars, "scalars"), (found.cards, "cards"), (found.plain, "plain")):
                layer.weight.copy_(tensors[name][:-1].T)
                layer.bias.copy_(tensors[name][-1])
            for at in range(deep):
                found.deep_own[at].weight.copy_(tensors["deep_own"][at].T)
                found.deep_every[at].weight.copy_(tensors["deep_every"][at].T)
                found.deep_every[at].bias.copy_(tensors["deep_bias"][at])
        return found
