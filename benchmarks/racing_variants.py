"""What racing loses and common deals bring, in a search for variants: every variant of Leduc Poker plays all of its deals.

``python benchmarks/racing_variants.py``: the winner of the whole grid beside that of the race, and for each measure how many times as many
deals two variants would need if each had deals of its own.
"""

import tempfile
from pathlib import Path

import numpy as np

from meldlab.analysis.study import Effort
from meldlab.recycle.game import Described
from meldlab.runs.store import Store
from meldlab.variants.runner import Workbench
from meldlab.variants.search import Discovery, Sizes, search
from meldlab.variants.spec import Aim, Demand, Span, Wishes

GAMES, SIMULATIONS, SEED = 100, 200, 1


class Unraced(Sizes):
    """One heat of all deals, in which nobody is stopped."""

    @property
    def heats(self) -> list[int]:
        return [self.games]


def found(sizes: Sizes, folder: str) -> Discovery:
    game = Described.named("leduc_poker")
    wishes = Wishes.of(game, [Span("BET", 1, 4), Span("RAISES", 1, 5)], Aim("drama"), [Demand.parse("fairness > 0.9")], True)
    run = Store.open(Path(folder, "runs.sqlite")).run("benchmark", {})
    return search(game, wishes, sizes, Workbench(Effort(GAMES, simulations=SIMULATIONS, seed=SEED), run))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole, raced = (found(sizes(trials=20, games=GAMES, fresh=2), folder) for sizes in (Unraced, Sizes))
    for says, one in (("all deals", whole), ("raced", raced)):
        assert one.winner is not None
        print(f"{says:10} winner {one.winner.variant.name}, {one.played:,} games of searching players")
    for measure in ("drama", "spread", "order", "decisions", "clarity"):
        ratios = []
        parts = [one.gathered.contributions(measure) for one in whole.attempts if one.gathered is not None and not one.stopped]
        known = [each for each in parts if each is not None]
        for i, mine in enumerate(known):
            for theirs in known[:i]:
                apart = np.var(mine - theirs, ddof=1)
                if apart > 0:
                    ratios.append((np.var(mine, ddof=1) + np.var(theirs, ddof=1)) / apart)
        print(f"{measure:10} {np.median(ratios):.1f} times as many deals, in the median of {len(ratios)} pairs")


if __name__ == "__main__":
    main()
