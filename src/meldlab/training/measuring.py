"""The strength of a network: games on mirrored deals, all at once on the vector environment.

The same deals are played in both seats, so a pair of games counts as one in the interval.
"""

from dataclasses import dataclass

import numpy as np
import torch

from meldlab.chance import Purpose, derive_seed
from meldlab.gin.kernel_state import PRIOR
from meldlab.gin.rules import Rules
from meldlab.gin.vector import GinVector
from meldlab.statistics import Interval, paired_rate
from meldlab.training.lessons import Device, act, advice_for, network_of, tensor_of
from meldlab.training.network import PolicyNetwork

__all__ = ["Strength", "measure", "mirrored_deals"]

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
        return paired_rate(self.games, self.wins, self.swept)

    def __str__(self) -> str:
        return f"{self.rate} won against {self.against}, {self.games:,} games"


@torch.no_grad()
def measure(network: PolicyNetwork, against: str, games: int, seed: int, *, device: Device = "cpu", rules: Rules | None = None) -> Strength:
    """Play ``games`` games, rounded up to an even number: each deal in both seats, both players with their likeliest actions."""
    deals, wins, swept = mirrored_deals(games), 0, 0
    for first in range(0, deals, TABLES // 2):
        places = range(first, min(deals, first + TABLES // 2))
        seeds = np.array([derive_seed(seed, Purpose.FRESH, place) for place in places], np.int64)
        won = _play(network, against, seeds, device, rules or Rules())
        wins += int(won.sum())
        swept += int((won[: len(seeds)] & won[len(seeds) :]).sum())
    return Strength(against, 2 * deals, wins, swept)


def mirrored_deals(games: int) -> int:
    """Return the number of deals that give this number of games, rounded up, if each is played in both seats.

    >>> mirrored_deals(2000), mirrored_deals(2001)
    (1000, 1001)
    """
    return (games + 1) // 2


def _play(
    network: PolicyNetwork, against: str, seeds: "np.ndarray[tuple[int], np.dtype[np.int64]]", device: Device, rules: Rules
) -> torch.Tensor:
    """Return [2 * deals] whether the network won the game of each seed, in seat 0 and in seat 1."""
    seats = np.repeat(np.arange(2), len(seeds))
    frozen = network_of(against, device)
    opponent, own_seats = (None, None) if frozen else (against, seats)
    env = GinVector(2 * len(seeds), rules, np.tile(seeds, 2), opponent, device, seats=own_seats)
    features, mask, to_move = (tensor_of(array, device) for array in env.observe())
    own, won = torch.as_tensor(seats, device=device), torch.zeros(2 * len(seeds), dtype=torch.bool, device=device)
    playing, none = torch.ones_like(won), torch.zeros((env.n, PRIOR), dtype=torch.float16, device=device)
    for step in range(MOST_STEPS):
        # Without autocast: a file plays in 32 bits.
        actions, _ = act(network, features, mask, advice_for(env, network, device, none), None)
        if frozen:
            advice = advice_for(env, frozen, device, none)
            actions = torch.where(to_move == own, actions, act(frozen, features, mask, advice, None)[0])
        told = env.step(actions if device != "cpu" else actions.numpy())
        done, winner = tensor_of(told.done, device), tensor_of(told.winner, device)
        won |= playing & done & (winner == own)
        playing &= ~done
        if step % 32 == 31 and not bool(playing.any()):
            break
    return won
