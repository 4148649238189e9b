"""Train a gin policy with PyTorch on the vector environment: self-play, policy gradient with a value as baseline, two minutes on a CPU.

    python examples/train_with_pytorch.py            # two minutes
    python examples/train_with_pytorch.py 600 2e6    # two million steps, or ten minutes

On a machine with CUDA the tables and the network stay on the GPU, and nothing is copied.
"""

import sys
import time

import torch
from torch import nn

from meldlab.gin.rules import Rules
from meldlab.gin.vector import GinVector

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TABLES, STEPS = (16_384, 64) if DEVICE == "cuda" else (512, 64)
ROUND = Rules(match_points=0)  # a single round, rewarded by its points / 100


def tensor(array):
    """Return an array of the environment as a tensor that shares its memory."""
    return torch.as_tensor(array, device=DEVICE)


class Network(nn.Module):
    """Features -> logits of the actions, and what the position is worth."""

    def __init__(self, features, actions, wide=128):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, wide), nn.ReLU(), nn.Linear(wide, wide), nn.ReLU())
        self.policy, self.value = nn.Linear(wide, actions), nn.Linear(wide, 1)

    def forward(self, features, mask):
        """Return the distribution of legal actions, and [n] values."""
        scale = torch.ones(features.shape[1], device=features.device)
        scale[364:416], scale[416:] = 32, 50  # the order of the pile, and the scalars
        inner = self.body(features / scale)
        logits = self.policy(inner).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(inner)[:, 0]


@torch.no_grad()
def play(env, network):
    """Play STEPS steps at every table with the network in both seats; return what there is to learn from."""
    features, mask, to_move = map(tensor, env.observe())
    kept = []
    for _ in range(STEPS):
        actions = network(features, mask)[0].sample()
        row = [features.clone(), mask.clone(), actions, to_move.long()]
        told = env.step(actions if DEVICE == "cuda" else actions.numpy())
        kept.append((*row, tensor(told.rewards).clone(), tensor(told.over).clone()))
    features, mask, actions, seats, gains, over = (torch.stack(column) for column in zip(*kept, strict=True))
    later, known = torch.zeros_like(gains[0]), torch.zeros_like(over[0])
    found, sure = torch.zeros(actions.shape, device=DEVICE), torch.zeros_like(over)
    for at in range(STEPS - 1, -1, -1):
        later, known = torch.where(over[at, :, None], gains[at], later), known | over[at]
        found[at], sure[at] = later.gather(1, seats[at, :, None])[:, 0], known
    return features[sure], mask[sure], actions[sure], found[sure]


@torch.no_grad()
def share_won(network, opponent, rounds=4000):
    """Return the share of scored rounds that the network wins; the environment plays the opponent, or random moves are made for it."""
    env = GinVector(TABLES, ROUND, seed=999, opponent=opponent, device=DEVICE)
    features, mask, to_move = map(tensor, env.observe())
    own = torch.arange(TABLES, device=DEVICE) % 2
    won = lost = 0
    while won + lost < rounds:
        actions = network(features, mask)[0].sample()
        if opponent is None:
            actions = torch.where(to_move == own, actions, tensor(env.random_actions()))
        else:
            own = to_move.long()
        points = tensor(env.step(actions if DEVICE == "cuda" else actions.numpy()).points)
        gained = points.gather(1, own[:, None])[:, 0] * 2 - points.sum(1)
        won, lost = won + int((gained > 0).sum()), lost + int((gained < 0).sum())
    return won / (won + lost)


def main(seconds=120.0, most=float("inf")):
    """Train for some seconds and at most so many steps, and tell how it goes."""
    torch.manual_seed(0)
    env = GinVector(TABLES, ROUND, seed=1, device=DEVICE)
    network = Network(env.observe().features.shape[1], env.observe().mask.shape[1]).to(DEVICE)
    optimiser, steps, begun, told = torch.optim.Adam(network.parameters(), lr=1e-3), 0, time.monotonic(), 0.0
    while (spent := time.monotonic() - begun) < seconds and steps < most:
        features, mask, actions, found = play(env, network)
        for part in torch.randperm(len(actions), device=DEVICE).chunk(8):
            policy, value = network(features[part], mask[part])
            better = found[part] - value.detach()
            gain = (policy.log_prob(actions[part]) * better / (better.std() + 1e-6)).mean() + 0.01 * policy.entropy().mean()
            loss = -gain + ((value - found[part]) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        steps += TABLES * STEPS
        if spent - told >= seconds / 10:
            told = spent
            share = share_won(network, None, 500)
            print(f"{spent:4.0f} s, {steps:12,} steps: wins {share:.2f} of scored rounds against random", flush=True)
    for name, opponent in (("random", None), ("simple", "simple")):
        print(f"wins {share_won(network, opponent):.3f} of scored rounds against {name}")
    return share_won(network, None)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
