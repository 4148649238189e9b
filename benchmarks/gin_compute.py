"""Compute the table-driven gin player on a GPU and print what docs/computed.md quotes.

python benchmarks/gin_compute.py [timing] [ingredients] [quantised]

Every figure is the share of games won against the simple player on the same mirrored deals, with its 95 % interval.
"""

import sys
import time

import numpy as np

from meldlab.gin.batch import rule_vector
from meldlab.gin.book import NO_BOOK, NO_VALUES
from meldlab.gin.kernel_layout import COMPUTED, KIND, KNOWNS, PARAMETERS, TURNS, Pair
from meldlab.gin.rules import Rules
from meldlab.gin.values.odds import Odds
from meldlab.gin.values.recursion import Engine, Field, Solved, solve, values_of
from meldlab.gpu import gpu_name

START = time.perf_counter()
SIMPLE, PLAYER = np.zeros(PARAMETERS), np.zeros(PARAMETERS)
SIMPLE[1:4], PLAYER[KIND] = (10, 10, 0), COMPUTED
RULES = rule_vector(Rules())
ZERO, FLAT = np.zeros(TURNS + 2), np.zeros((TURNS + 2, KNOWNS))
KEPT = {"16 turns": range(1, 17), "8 turns": (2, 3, 4, 5, 6, 8, 10, 13), "6 turns": (2, 3, 5, 7, 10, 13)}


def say(*words):
    print(f"[{time.perf_counter() - START:6.1f}]", *words, flush=True)


class Bench:
    """A GPU with the classes laid out, and the simple player to beat."""

    def __init__(self):
        self.engine = Engine("cuda")
        self.field = Field(10, device="cuda")
        blank = {kind: NO_VALUES._replace(codes=np.zeros((1, 1), kind)) for kind in (np.uint16, np.uint8)}
        self.none = {kind: self.engine.book(NO_BOOK._replace(values=values)) for kind, values in blank.items()}

    def pair(self, player, values, kind):
        none = self.none[kind]
        return Pair(np.array([player, SIMPLE]), (none if values is None else none._replace(values=values), none))

    def tally(self, player, book, seed, rounds=1 << 20):
        return Odds.of(self.engine.tally(self.pair(player, book, np.uint16), RULES, seed, rounds))

    def rate(self, book, games=200_000, kind=np.uint16):
        won = self.engine.won(self.pair(PLAYER, book, kind), RULES, 200, games // 2).mean(1)
        return f"{won.mean():.4f} +- {1.96 * won.std() / len(won) ** 0.5:.4f}"

    def compute(self, upcard, price, loops=4, by_known=True):
        """Statistics, solve, repeat."""
        odds = self.tally(SIMPLE, None, 1)
        for loop in range(loops):
            solved = solve(self.field, odds, upcard=upcard)
            book = values_of(self.field, solved, odds, ZERO + price, FLAT, by_known)
            say(f"  pass {loop}: {solved.seconds:.2f} s, value {solved.value:.2f} points a round")
            if loop < loops - 1:
                odds = self.tally(PLAYER, book, 10 + loop)
        return book, solved, odds


def ingredients(bench):
    _, solved, odds = bench.compute(0.0, 0.0)
    for name, price, by_known in [("the model", 0, False), ("odds by known cards", 0, True), ("price 5", 5, False), ("both", 5, True)]:
        say(name, bench.rate(values_of(bench.field, solved, odds, ZERO + price, FLAT, by_known)))
    del _, solved  # 21 GB, needed for the next values
    for upcard in (0.3, 0.6):
        say("both, upcard", upcard, bench.rate(bench.compute(upcard, 5.0)[0]))


def quantised(bench):
    odds = bench.compute(0.3, 5.0, loops=3)[2]
    field, engine = bench.field, bench.engine
    small, scale = engine.array((TURNS, field.count), np.uint8), np.zeros((TURNS + 2, 3))

    def keep(turn, value):
        low, high = engine.ends(value)
        scale[turn] = turn - 1, low, (high - low) / 255
        engine.sweep("encode", small[turn - 1], value, np.float32(low), np.float32(scale[turn, 2]))

    solved = solve(field, odds, upcard=0.3, each=keep)
    say("16 bits, 16 turns", bench.rate(values_of(field, solved, odds, ZERO + 5, FLAT)))
    for name, turns in KEPT.items():
        rows = scale.copy()
        for turn in range(1, TURNS + 1):
            rows[turn] = scale[min(turns, key=lambda one: (abs(one - turn), one))]
        book = values_of(field, Solved(small, rows, solved.value, 0.0), odds, ZERO + 5, FLAT)
        say(f"8 bits, {name}, {len(turns) * field.count / 1e9:.1f} GB", bench.rate(book, kind=np.uint8))


def main(words):
    say(gpu_name())
    bench = Bench()
    bench.tally(SIMPLE, None, 1, 64)
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
