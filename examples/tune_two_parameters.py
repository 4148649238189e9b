"""Tune two parameters of a gin player: the deadwood to knock with early, and the draw from which it waits for gin.

    python examples/tune_two_parameters.py 4000

Every candidate plays the same mirrored deals. The best of many is lucky, too: what it is worth is measured on deals that the search has
not seen.
"""

import sys

from meldlab.arena.contest import play_contest
from meldlab.gin import Gin

SEARCH, FRESH = 1, 2  # seeds: two sets of deals


def main(games: int = 4000) -> None:
    """Try all pairs against the simple player, then measure the best one anew."""
    found = {}
    for early in (4, 7, 10):
        for until in (4, 6, 8):
            player = f"knock:{early},0,{until}"
            found[player] = play_contest(Gin(), [player, "simple"], games=games, seed=SEARCH).win_rate(0)
            print(f"{player}: {found[player]}")
    best = max(found, key=lambda player: found[player].value)
    fresh = play_contest(Gin(), [best, "simple"], games=4 * games, seed=FRESH).win_rate(0)
    print(f"best {best}: {found[best].value:.3f} when it was chosen, {fresh} on fresh deals")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
