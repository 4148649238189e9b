"""Train a gin policy with numpy alone: two minutes on a CPU, then see how it does against random play and the simple player.

python examples/train_with_numpy.py            # two minutes
python examples/train_with_numpy.py 600 2e6    # two million steps, or ten minutes
"""

import sys
import time

import numpy as np

from meldlab.gin.rules import Rules
from meldlab.gin.vector import GinVector

TABLES, STEPS, WIDE, RATE, MIXING = 512, 64, 64, 2e-3, 0.01
ROUND = Rules(match_points=0)  # a single round, rewarded by its points / 100


class Policy:
    """Two layers: features -> WIDE -> actions; Adam moves their weights."""

    def __init__(self, features, actions, rng):
        self.weights = [rng.normal(0, 0.05, (features, WIDE)), np.zeros(WIDE), rng.normal(0, 0.01, (WIDE, actions)), np.zeros(actions)]
        self.weights = [part.astype(np.float32) for part in self.weights]
        self.means, self.squares, self.updates = [0 * part for part in self.weights], [0 * part for part in self.weights], 0

    def chances(self, features, mask):
        """Return the inner layer, and the chance of every action: none for those that are not legal."""
        first, bias, last, other = self.weights
        inner = np.maximum(scaled(features) @ first + bias, 0)
        logits = np.where(mask, inner @ last + other, -1e9)
        chances = np.exp(logits - logits.max(1, keepdims=True))
        return inner, chances / chances.sum(1, keepdims=True)

    def act(self, features, mask, rng):
        """Draw an action for every table."""
        _, chances = self.chances(features, mask)
        return (chances.cumsum(1) > rng.random((len(chances), 1), np.float32) * 0.9999).argmax(1)

    def learn(self, features, mask, actions, advantages):
        """Make actions likelier that turned out better than expected, and keep the policy from settling too early."""
        inner, chances = self.chances(features, mask)
        entropy = -(chances * np.log(chances + 1e-9)).sum(1, keepdims=True)
        slope = chances * advantages[:, None] + MIXING * chances * (np.log(chances + 1e-9) + entropy)
        slope[np.arange(len(actions)), actions] -= advantages
        slope /= len(actions)
        back = (slope @ self.weights[2].T) * (inner > 0)
        self.updates += 1
        for at, change in enumerate((scaled(features).T @ back, back.sum(0), inner.T @ slope, slope.sum(0))):
            self.means[at] += 0.1 * (change - self.means[at])
            self.squares[at] += 0.01 * (change**2 - self.squares[at])
            mean, square = self.means[at] / (1 - 0.9**self.updates), self.squares[at] / (1 - 0.99**self.updates)
            self.weights[at] -= RATE * mean / (np.sqrt(square) + 1e-8)


def scaled(features):
    """Return features as numbers of about 1: planes of cards are that already, the scalars behind them are not."""
    numbers = features.astype(np.float32)
    numbers[:, 364:416] /= 32
    numbers[:, 416:] /= 50
    return numbers


def returns(seats, gains, over):
    """Return what every decision brought its seat by the end of the round, and whether that is known."""
    steps, tables = seats.shape
    later, known = np.zeros((tables, 2), np.float32), np.zeros(tables, bool)
    found, sure, all_tables = np.zeros((steps, tables), np.float32), np.zeros((steps, tables), bool), np.arange(tables)
    for at in range(steps - 1, -1, -1):
        later = np.where(over[at, :, None], gains[at], later)
        known |= over[at]
        found[at], sure[at] = later[all_tables, seats[at]], known
    return found, sure


def play(env, policy, rng):
    """Play STEPS steps at every table with the policy in both seats; return what there is to learn from."""
    kept = [[] for _ in range(6)]
    for _ in range(STEPS):
        seen = env.observe()
        actions = policy.act(seen.features, seen.mask, rng)
        row = [seen.features.copy(), seen.mask.copy(), actions, seen.to_move.copy()]
        told = env.step(actions)
        for column, value in zip(kept, (*row, told.rewards.copy(), told.over.copy()), strict=True):
            column.append(value)
    features, mask, actions, seats, gains, over = map(np.stack, kept)
    found, sure = returns(seats, gains, over)
    return features[sure], mask[sure], actions[sure], found[sure]


def share_won(policy, opponent, rng, rounds=4000):
    """Return the share of scored rounds that the policy wins, in seat 0 and in seat 1 alike."""
    env = GinVector(TABLES, ROUND, seed=999, opponent=opponent)
    own = np.arange(TABLES) % 2
    won = lost = 0
    while won + lost < rounds:
        seen = env.observe()
        seats = seen.to_move.copy()
        actions = policy.act(seen.features, seen.mask, rng)
        if opponent is None:
            actions = np.where(seats == own, actions, env.random_actions())
        else:
            own = seats  # the environment plays the other seat
        points = env.step(actions).points
        gained = points[np.arange(TABLES), own] - points[np.arange(TABLES), 1 - own]
        won, lost = won + int((gained > 0).sum()), lost + int((gained < 0).sum())
    return won / (won + lost)


def main(seconds=120.0, most=float("inf")):
    """Train for some seconds and at most so many steps, and tell how it goes."""
    rng = np.random.default_rng(0)
    env = GinVector(TABLES, ROUND, seed=1)
    policy, steps, begun, told = Policy(*(env.observe()[at].shape[1] for at in (0, 1)), rng), 0, time.monotonic(), 0.0
    while (spent := time.monotonic() - begun) < seconds and steps < most:
        features, mask, actions, found = play(env, policy, rng)
        advantages = (found - found.mean()) / (found.std() + 1e-6)
        for part in np.array_split(rng.permutation(len(actions)), 8):
            policy.learn(features[part], mask[part], actions[part], advantages[part])
        steps += TABLES * STEPS
        if spent - told >= seconds / 10:
            told = spent
            share = share_won(policy, None, rng, 500)
            print(f"{spent:4.0f} s, {steps:10,} steps: wins {share:.2f} of scored rounds against random", flush=True)
    for name, opponent in (("random", None), ("simple", "simple")):
        print(f"wins {share_won(policy, opponent, rng):.3f} of scored rounds against {name}")
    return share_won(policy, None, rng)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
