"""Fit the small networks that estimate the turns to a knock and to gin where no tables are.

python benchmarks/fit_turns.py sample knock|gin SAMPLE.npz          solves all hands of ten cards (a GPU), keeps a million and their turns
python benchmarks/fit_turns.py fit knock|gin SAMPLE.npz OUT.npz     fits a network to them (PyTorch), and writes into it what it is off by
python benchmarks/fit_turns.py check knock|gin SAMPLE.npz           prints what the shipped network is off by, on other hands

The hands are those on the way from a deal to the goal by best play, and what a discard at random would leave there, since an estimate looks
at every card that may come and every discard. It is measured on hands of played rounds, and on hands as they are dealt.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch

from meldlab.cards import Hand
from meldlab.gin.turn_estimate import GOALS, ROWS, estimate_turns, network_rows, read_network, shipped_network
from meldlab.melds import deadwoods
from meldlab.waiting import WaitingGame, solve
from meldlab.waiting.storage import TABLE_GOALS

START = time.perf_counter()
WIDE, INNER = 32, 32
AT_ONCE, MANY, CARDS = 50_000, 1_000_000, 10
BATCH, STEPS = 2048, 10_000
BANDS = 6


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


def dealt(many, dice):
    """Return hands of ten cards at random."""
    cards = dice.random((many, 52)).argpartition(CARDS, axis=1)[:, :CARDS]
    return (np.int64(1) << cards).sum(axis=1)


def played(many, seed):
    """Return hands of ten cards before a draw, out of rounds between two network:light, which are like those that people ask about."""
    from meldlab.gin import Gin, Rules, players
    from meldlab.gin.view import Phase
    from meldlab.play import Deal, Table

    found, number, dice = [], 0, np.random.default_rng(seed)
    table = Table(Gin(Rules(match_points=0)), [players.parse("network:light")] * 2)
    while len(found) < many:
        for step in table.steps(Deal(seed, number)):
            if step.before.round.phase in (Phase.DRAW, Phase.OFFER) and dice.random() < 0.3:
                found.append(step.before.round.masks[step.seat])
        number += 1
    return np.array(found[:many], np.int64)


def on_the_way(solution, many, dice):
    """Return hands and their turns, [many] each: after the best discard where that changes a hand, and after one at random."""
    hands, turns = dealt(AT_ONCE, dice), np.zeros(AT_ONCE)
    found, exact = [], []
    while sum(map(len, found)) < many:
        drawn = dice.random((AT_ONCE, 52))
        drawn[hands[:, None] >> np.arange(52) & 1 == 1] = 2
        eleven = hands | np.int64(1) << drawn.argmin(axis=1)
        held = np.nonzero(eleven[:, None] >> np.arange(52) & 1)[1].reshape(AT_ONCE, CARDS + 1)
        left = eleven[:, None] ^ (np.int64(1) << held)
        values = solution.values(left.ravel()).reshape(left.shape)
        rows, best, any_one = np.arange(AT_ONCE), values.argmin(axis=1), dice.integers(CARDS + 1, size=AT_ONCE)
        changed = (left[rows, best] != hands) & (values[rows, best] > 0)
        some = values[rows, any_one] > 0
        found += [left[rows, best][changed], left[rows, any_one][some]]
        exact += [values[rows, best][changed], values[rows, any_one][some]]
        hands, turns = left[rows, best], values[rows, best]
        # Who has arrived is dealt another hand.
        hands = np.where(turns == 0, dealt(AT_ONCE, dice), hands)
    return np.concatenate(found)[:many], np.concatenate(exact)[:many].astype(np.float32)


def sample(name, out):
    """Keep hands with their exact turns: ``hands`` to learn from, ``tried`` to find errors with, ``asked`` to check these."""
    solution = solve(WaitingGame(CARDS, goal=TABLE_GOALS[name]), device="cuda")
    say(f"{name}: solved in {solution.seconds:.1f} s, {solution.summary().mean:.6f} turns on average over all hands")
    dice, parts = np.random.default_rng(18), {}
    parts["hands"], parts["turns"] = on_the_way(solution, MANY, dice)
    for kind, seed in (("tried", 5), ("asked", 6)):
        for way, hands in (("played", played(1000, seed)), ("dealt", dealt(500, dice))):
            hands = hands[deadwoods(hands) > GOALS[name]]
            parts[f"{kind}_{way}"], parts[f"{kind}_{way}_turns"] = hands, solution.values(hands)
    np.savez_compressed(out, **parts)
    say(f"{name}: {len(parts['hands']):,} hands kept")


class TorchNetwork(torch.nn.Module):
    """The network, to be fitted."""

    def __init__(self):
        super().__init__()
        self.rows = torch.nn.EmbeddingBag(ROWS, WIDE, mode="sum")
        torch.nn.init.normal_(self.rows.weight, std=0.05)
        self.first, self.last = torch.nn.Linear(WIDE, INNER), torch.nn.Linear(INNER, 1)
        torch.nn.init.constant_(self.last.bias, 2.0)

    def forward(self, rows):
        return self.last(torch.relu(self.first(torch.relu(self.rows(rows)))))[:, 0].exp()

    def arrays(self):
        first = torch.cat([self.first.weight.T, self.first.bias[None]])
        last = torch.cat([self.last.weight[0], self.last.bias])
        return {
            name: part.detach().numpy().astype(np.float16) for name, part in (("rows", self.rows.weight), ("first", first), ("last", last))
        }


def fit(name, given, out):
    """Fit a network to the hands of a sample, its running mean following behind, and write it with its errors."""
    torch.manual_seed(18)
    torch.set_num_threads(1)
    rows, turns = (
        torch.from_numpy(network_rows(given["hands"], deadwoods(given["hands"]).astype(np.int64))),
        torch.from_numpy(given["turns"]),
    )
    network = TorchNetwork()
    mean = torch.optim.swa_utils.AveragedModel(network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.999))
    optimiser = torch.optim.Adam(network.parameters(), lr=6e-3)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for step in range(STEPS):
        pick = torch.randint(len(rows), (BATCH,))
        found, right = network(rows[pick]), turns[pick]
        # A turn more or less matters more where few are left.
        loss = ((found - right) ** 2 / (2 + right)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        falling.step()
        mean.update_parameters(network)
        if step % 1000 == 999:
            say(f"{name}: {step + 1:,} steps, loss {loss.item():.4f}")
    parts = mean.module.arrays()
    np.savez_compressed(out, **parts, bands=np.ones(1), errors=np.ones(1))
    said, exact = (
        np.concatenate(two) for two in zip(*(compared(name, given, read_network(out), f"tried_{way}") for way in WAYS), strict=True)
    )
    edges = np.quantile(said, np.linspace(0, 1, BANDS + 1)[1:])
    places = np.minimum(np.searchsorted(edges, said), BANDS - 1)
    errors = [float(np.quantile(np.abs(said - exact)[places == at], 0.95)) for at in range(BANDS)]
    np.savez_compressed(out, **parts, bands=edges, errors=np.array(errors))
    say(f"{name}: up to {np.round(edges, 1)} turns 95 of 100 are off by less than {np.round(errors, 2)}")


WAYS = ("played", "dealt")


def compared(name, given, network, part):
    """Return (estimates, exact turns) of hands of a sample."""
    said = np.array([estimate_turns(Hand.from_mask(int(hand)), name, network).value for hand in given[part]])
    return said, given[f"{part}_turns"]


def check(name, given):
    """Print what docs/computed.md quotes."""
    network = shipped_network(name)
    for way in WAYS:
        said, exact = compared(name, given, network, f"asked_{way}")
        off = np.abs(said - exact)
        told = network.errors[np.minimum(np.searchsorted(network.bands, said), len(network.bands) - 1)]
        print(
            f"{name}, {way}: {len(said)} hands, {exact.mean():.2f} turns, estimate {said.mean():.2f}; off by {off.mean():.2f} "
            f"in the mean, 95 of 100 by less than {np.quantile(off, 0.95):.2f}; within the error told: {np.mean(off <= told):.3f}"
        )


if __name__ == "__main__":
    verb, goal, *paths = sys.argv[1:]
    if verb == "sample":
        sample(goal, Path(paths[0]))
    else:
        with np.load(paths[0]) as kept:
            known = dict(kept)
        if verb == "fit":
            fit(goal, known, Path(paths[1]))
        else:
            check(goal, known)
