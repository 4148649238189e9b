"""Compute the table-driven gin player on a GPU and print what docs/computed.md quotes.

python benchmarks/gin_compute.py [timing] [ingredients] [quantised]

Every figure is the share of games won against the simple player on the same mirrored deals, with its 95 % interval.
"""

import sys
import time

import numpy as np

from meldlab.gin.computing import playing
from meldlab.gin.computing.kernel_sweeps import EncodeSweep
from meldlab.gin.computing.opponent_model import OpponentModel
from meldlab.gin.computing.solver import HandClasses, Solved, solve, values_of
from meldlab.gin.kernel_state import TURNS
from meldlab.gin.players import SimplePlayer
from meldlab.gin.rules import Rules, kernel_rules
from meldlab.gpu import gpu_name

START = time.perf_counter()
SIMPLE, RULES = SimplePlayer().parameters(), kernel_rules(Rules())
KEPT = {"16 turns": range(1, 17), "8 turns": (2, 3, 4, 5, 6, 8, 10, 13), "6 turns": (2, 3, 5, 7, 10, 13)}


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


class Bench:
    """A GPU with the classes laid out, and the simple player to beat."""

    def __init__(self):
        self.classes = HandClasses(10, device="cuda")

    def tally(self, player, seed, rounds=1 << 20):
        return OpponentModel.of(playing.tally(self.classes.device, (player, SIMPLE), RULES, seed, rounds))

    def rate(self, table, games=200_000):
        won = playing.mirrored_wins(self.classes.device, (table, SIMPLE), RULES, 200, games // 2).mean(1)
        return f"{won.mean():.4f} +- {1.96 * won.std() / len(won) ** 0.5:.4f}"

    def compute(self, upcard, price, loops=4, by_known=True):
        """Statistics, solve, repeat."""
        odds = self.tally(SIMPLE, 1)
        for loop in range(loops):
            solved = solve(self.classes, odds, upcard=upcard)
            table = values_of(self.classes, solved, odds, price, by_known)
            say(f"  pass {loop}: {solved.seconds:.2f} s, value {solved.value:.2f} points a round")
            if loop < loops - 1:
                odds = self.tally(table, 10 + loop)
        return table, solved, odds


def ingredients(bench):
    _, solved, odds = bench.compute(0.0, 0.0)
    for name, price, by_known in [("the model", 0, False), ("odds by known cards", 0, True), ("price 5", 5, False), ("both", 5, True)]:
        say(name, bench.rate(values_of(bench.classes, solved, odds, price, by_known)))
    del _, solved  # 21 GB, needed for the next values
    for upcard in (0.3, 0.6):
        say("both, upcard", upcard, bench.rate(bench.compute(upcard, 5.0)[0]))


def quantised(bench):
    odds = bench.compute(0.3, 5.0, loops=3)[2]
    hands = bench.classes
    small, scale = hands.device.empty((TURNS, hands.count), np.uint8), np.zeros((TURNS + 2, 3))

    def encode(turn, value):
        _, low, high = hands.summary(value)
        scale[turn] = turn - 1, low, (high - low) / 255
        hands.sweep(EncodeSweep(small[turn - 1], value, np.float32(low), np.float32(scale[turn, 2])))

    solved = solve(hands, odds, upcard=0.3, on_turn=encode)
    say("16 bits, 16 turns", bench.rate(values_of(hands, solved, odds, 5)))
    for name, turns in KEPT.items():
        rows = scale.copy()
        for turn in range(1, TURNS + 1):
            rows[turn] = scale[min(turns, key=lambda one: (abs(one - turn), one))]
        table = values_of(hands, Solved(small, rows, solved.value, 0.0), odds, 5)
        say(f"8 bits, {name}, {len(turns) * hands.count / 1e9:.1f} GB", bench.rate(table))


def main(words):
    say(gpu_name())
    bench = Bench()
    bench.tally(SIMPLE, 1, 64)
    say("laid out and compiled")
    if "timing" in words:
        began = time.perf_counter()
        bench.compute(0.0, 5.0)
        say(f"statistics and four passes: {time.perf_counter() - began:.1f} s")
    if "ingredients" in words:
        ingredients(bench)
    if "quantised" in words:
        quantised(bench)


if __name__ == "__main__":
    main(sys.argv[1:])
