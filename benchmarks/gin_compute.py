"""Compute the gin player on a GPU and print what docs/computed.md quotes: python benchmarks/gin_compute.py"""

import sys
import time

import numpy as np

from meldlab.gin import kernel_batch as place
from meldlab.gin.book import NO_BOOK
from meldlab.gin.compute import Engine, Field, open_book, solve
from meldlab.gin.kernel_computed import KNOWNS, TURNS
from meldlab.gin.kernel_ensemble import COMPUTED, KIND, PARAMETERS
from meldlab.gin.odds import Odds
from meldlab.gin.rules import Rules
from meldlab.gin.vectors import rule_vector
from meldlab.gpu import gpu_name

np.set_printoptions(precision=2, suppress=True, linewidth=200)
SIMPLE = np.zeros(PARAMETERS)
SIMPLE[1:4] = 10, 10, 0
PLAYER = np.zeros(PARAMETERS)
PLAYER[KIND] = COMPUTED
start = time.perf_counter()


def say(*words):
    print(f"[{time.perf_counter() - start:6.1f}]", *words, flush=True)


def rate(counts):
    won = (counts[:, place.WINNER_SEAT] == 0).reshape(-1, 2).sum(1) / 2
    return f"{won.mean():.4f} +- {1.96 * won.std() / len(won) ** 0.5:.4f}"


def main():
    say(gpu_name())
    rules = rule_vector(Rules())
    engine = Engine("cuda")
    up = lambda book: type(book)(*(engine.up(a) for a in book))
    none = up(NO_BOOK._replace(codes=np.zeros((1, 1), np.uint16)))
    t = time.perf_counter()
    field = Field(10, device="cuda")
    engine.cuda.synchronize()
    say("field", time.perf_counter() - t)
    tally = engine.tally(np.array([SIMPLE, SIMPLE]), (none, none), rules, 1, 1 << 16)
    say("compiled play")
    t = time.perf_counter()
    tally = engine.tally(np.array([SIMPLE, SIMPLE]), (none, none), rules, 1, 1 << 21)
    say("simple rounds/s", (1 << 21) / (time.perf_counter() - t))
    odds = Odds.of(tally)
    zero, flat = np.zeros(TURNS + 2), np.zeros((TURNS + 2, KNOWNS))
    players = np.array([PLAYER, SIMPLE])
    for loop in range(4):
        solved = solve(field, odds)
        engine.cuda.synchronize()
        say("solved", solved.seconds, "value", solved.value)
        book = open_book(field, solved, odds, zero, flat, by_known=False)
        t = time.perf_counter()
        counts = engine.play(players, (book, none), rules, 100 + loop, 0, 100_000, True)
        say("loop", loop, rate(counts), "rounds/s", counts[:, place.ROUNDS].sum() / (time.perf_counter() - t))
        if loop < 3:
            tally = engine.tally(players, (book, none), rules, 10 + loop, 1 << 20)
            odds = Odds.of(tally)
    print(odds.hazard[1:17].T)
    print(odds.share[1:17].T)
    print("knock", odds.knock[1:17, 0, :11])
    print("caught", odds.caught[4, :, :60:5])
    print("surprise", odds.surprise[1:17, :3].reshape(16, -1).T)
    print("taken", odds.taken)
    for name, price, bias, by_known in [
        ("known", 0, 0, True),
        ("price 3", 3, 0, False),
        ("price 6", 6, 0, False),
        ("price 9", 9, 0, False),
        ("price 6 known", 6, 0, True),
    ]:
        book = open_book(field, solved, odds, zero + price, flat + bias, by_known)
        counts = engine.play(players, (book, none), rules, 200, 0, 200_000, True)
        say(name, rate(counts))
    book = open_book(field, solved, odds, zero + 6, flat, True)
    odds2 = Odds.of(engine.tally(players, (book, none), rules, 20, 1 << 21))
    print("surprise at price 6", odds2.surprise[1:17, :3].reshape(16, -1).T)
    print("taken", odds2.taken)
    price = zero.copy()
    fed = odds2.surprise
    share = odds2.share
    price[1:17] = ((fed[:, :, 0] - fed[:, :, 1]) * share).sum(1)[1:17]
    print("derived price", price)
    for name, prices in [("derived", price), ("half derived", price / 2)]:
        counts = engine.play(players, (open_book(field, solved, odds2, prices, flat, True), none), rules, 200, 0, 200_000, True)
        say(name, rate(counts))
    solved = solve(field, odds2)
    for name, prices in [("resolved 6", zero + 6), ("resolved derived", price)]:
        counts = engine.play(players, (open_book(field, solved, odds2, prices, flat, True), none), rules, 200, 0, 200_000, True)
        say(name, rate(counts))
    if "waiting" in sys.argv:
        del field, solved, book
        from meldlab.waiting import Waiting, solve as wait

        wait(Waiting(3), device="cuda")
        say("waiting 10 cards", wait(Waiting(10), device="cuda").seconds)


if __name__ == "__main__":
    main()
