"""Count the hands of ten cards that fall into melds, by asking every class of hands.

There are 15,820,024,220 hands in 671,225,412 classes; the answer with aces low is 136,694.

    python benchmarks/complete_hands.py [cards] [low|both|round] [threads]
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import comb

from rich.console import Console
from rich.progress import track

from meldlab.cards import classes
from meldlab.melds import Aces, deadwoods

PORTION = 1 << 20  # classes at a time: arrays that stay in the processor's cache


def complete_in(cards: int, aces: Aces, first: int) -> int:
    """Return the number of complete hands in one portion of the classes."""
    hands = classes.hands(cards, first, min(PORTION, classes.count(cards) - first))
    # One point a card: nothing left over means complete.
    complete = hands[deadwoods(hands, aces, (1,) * 13) == 0]
    return int(classes.orbit_sizes(complete, cards).sum())


def main(cards: int, aces: Aces, threads: int) -> None:
    """Count and print, with a progress bar on a terminal."""
    start, cpu = time.perf_counter(), time.process_time()
    firsts = range(0, classes.count(cards), PORTION)
    # Kernels release the interpreter, so that threads share the work.
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(partial(complete_in, cards, aces), firsts)
        found = sum(track(parts, "counting", len(firsts), console=Console(stderr=True)))
    print(f"{found:,} of {comb(52, cards):,} hands of {cards} cards are complete, aces {aces}")
    seconds = f"{time.process_time() - cpu:.0f} CPU-s, {time.perf_counter() - start:.0f} s"
    print(f"{classes.count(cards):,} classes, {seconds}, threads {threads}")


if __name__ == "__main__":
    given = dict(enumerate(sys.argv[1:]))
    main(int(given.get(0, "10")), Aces.parse(given.get(1, "low")), int(given.get(2, os.cpu_count() or 1)))
