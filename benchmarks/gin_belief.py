"""How often the champion's belief is right: ``python benchmarks/gin_belief.py [ROUNDS]``.

Over rounds between two champions, before every draw: how likely it said that the other holds a card and how often that was so, and of
imagined hands how many of the hidden cards were the real ones and how much deadwood they had.
"""

import sys

import numpy as np

from meldlab.gin import Gin, Rules
from meldlab.gin.kernel_hand import LEFT
from meldlab.gin.kernel_sampling import sampled_deal
from meldlab.gin.players import PolicyPlayer
from meldlab.gin.sampling import NO_ODDS, position_of
from meldlab.gin.view import Phase
from meldlab.melds.kernel import deadwood
from meldlab.play import Deal, Table

SEED, KEY, WORLDS, BINS, LAST_TURN = 77, np.uint64(5), 20, 10, 8


def main(rounds: int) -> None:
    """Print the tables."""
    champion = PolicyPlayer.parse("champion")
    bins = np.zeros((BINS, 3))
    hands: dict[str, list[tuple[int, float, float, float]]] = {"believed": [], "developed": []}
    for game in range(rounds):
        for step in Table(Gin(Rules(match_points=0)), [champion, champion]).steps(Deal(SEED, game)):
            view = step.before.view(step.seat)
            if view.phase is not Phase.DRAW:
                continue
            theirs, odds = step.before.round.masks[1 - step.seat], champion.odds(view)
            seen = view.mask | view.known_mask | sum(1 << card for card in view.pile_indices)
            for card in range(52):
                if not seen >> card & 1:
                    said = odds[card] / (1 + odds[card])
                    bins[min(int(BINS * said), BINS - 1)] += 1, said, theirs >> card & 1
            for name, believed in (("believed", odds), ("developed", NO_ODDS)):
                position = position_of(view, odds=believed)
                imagined = [int(sampled_deal(position, champion.parameters(), KEY, world)[0]) for world in range(WORLDS)]
                hidden = theirs & ~view.known_mask
                right = np.mean([(hand & hidden).bit_count() for hand in imagined]) / max(1, hidden.bit_count())
                left = np.mean([deadwood(hand, LEFT) for hand in imagined])
                hands[name].append((min(view.turn, LAST_TURN), float(right), float(left), float(deadwood(theirs, LEFT))))
    print("it says   cards  holds it")
    for many, said, held in bins:
        if many:
            print(f"{said / many:7.3f} {many:7,.0f} {held / many:9.3f}")
    for name, found in hands.items():
        rows = np.array(found)
        print(f"{name}: {rows[:, 1].mean():.3f} of the hidden cards; deadwood by own draws, imagined and real:", end="")
        for turn in range(LAST_TURN + 1):
            some = rows[rows[:, 0] == turn]
            print(f" {turn}: {some[:, 2].mean():.0f}, {some[:, 3].mean():.0f};" if len(some) else "", end="")
        print()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 25)
