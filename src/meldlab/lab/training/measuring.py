"""How strong a network is: games on mirrored deals, all at once on the vector environment.

The same deals are played in both seats, so a pair of games counts as one in the interval.
"""

from dataclasses import dataclass

import numpy as np
import torch

from meldlab.gin.kernel_layout import ADVICE
from meldlab.gin.rules import Rules
from meldlab.gin.vector import GinVector
from meldlab.lab.training.lessons import Device, act, advice_for, network_of, tensor_of
from meldlab.lab.training.network import PolicyNetwork
from meldlab.statistics import Interval, of_pairs

__all__ = ["Strength", "measure"]

MOST_STEPS = 20_000
TABLES = 1 << 16


@dataclass(frozen=True)
class Strength:
    """The share of games that a network won against an opponent."""

    against: str
    games: int
    wins: int
    swept: int
    """Deals that were won in both seats."""

    @property
    def rate(self) -> Interval:
        """Return the share of games won, with its interval."""
        return of_pairs(self.games, self.wins, self.swept)

    def __str__(self) -> str:
        return f"{self.rate} won against {self.against}, {self.games:,} games"


@torch.no_grad()
def measure(
    network: PolicyNetwork, against: str, games: int, seed: int, *, device: Device = "cpu", mixing: bool = True, rules: Rules | None = None
) -> Strength:
    """Play ``games`` games, each deal in both seats; with ``mixing`` the network draws its actions, else it takes the likeliest."""
    half, wins, swept = max(1, games // 2), 0, 0
    dice = torch.Generator(device).manual_seed(seed % 2**32) if mixing else None
    for first in range(0, half, TABLES // 2):
        deals = np.arange(first, min(half, first + TABLES // 2), dtype=np.int64)
        won = _play(network, against, deals, seed, dice, device, rules or Rules())
        wins += int(won.sum())
        swept += int((won[: len(deals)] & won[len(deals) :]).sum())
    return Strength(against, 2 * half, wins, swept)


def _play(
    network: PolicyNetwork,
    against: str,
    deals: "np.ndarray[tuple[int], np.dtype[np.int64]]",
    seed: int,
    dice: torch.Generator | None,
    device: Device,
    rules: Rules,
) -> torch.Tensor:
    """Return [2 * deals] whether the network won the game of each deal, in seat 0 and in seat 1."""
    seats = np.repeat(np.arange(2), len(deals))
    frozen = network_of(against, device)
    opponent, own_seats = (None, None) if frozen else (against, seats)
    env = GinVector(2 * len(deals), rules, seed + np.tile(deals, 2), opponent, device, seats=own_seats)
    features, mask, to_move = (tensor_of(array, device) for array in env.observe())
    own, won = torch.as_tensor(seats, device=device), torch.zeros(2 * len(deals), dtype=torch.bool, device=device)
    playing, none = torch.ones_like(won), torch.zeros((env.n, ADVICE), dtype=torch.float16, device=device)
    for step in range(MOST_STEPS):
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            actions, _ = act(network, features, mask, advice_for(env, network, device, none), dice)
            if frozen:
                heard = advice_for(env, frozen, device, none)
                actions = torch.where(to_move == own, actions, act(frozen, features, mask, heard, dice)[0])
        told = env.step(actions if device != "cpu" else actions.numpy())
        done, winner = tensor_of(told.done, device), tensor_of(told.winner, device)
        won |= playing & done & (winner == own)
        playing &= ~done
        if step % 32 == 31 and not bool(playing.any()):
            break
    return won
