"""What racing loses and common deals bring, in a search for variants: every variant of Leduc Poker plays all of its deals.

``python benchmarks/racing_variants.py``: the winner of the whole grid beside that of the race, and for each measure how many times as many
deals two variants would need if each had deals of its own.
"""

import tempfile
from pathlib import Path

import numpy as np

from meldlab.analysis.study import StudyConfig
from meldlab.recycle import RecycleGame
from meldlab.runs.store import Store
from meldlab.runs.tasks import TaskRunner
from meldlab.variants.runner import VariantRunner
from meldlab.variants.search import SearchBudget, SearchResult, search
from meldlab.variants.spec import Constraint, IntRange, Objective, SearchSpec

GAMES, SIMULATIONS, SEED = 100, 200, 1


class Unraced(SearchBudget):
    """One rung of all deals, in which no variant is stopped."""

    @property
    def rungs(self) -> list[int]:
        return [self.games]


def found(budget: SearchBudget, folder: str) -> SearchResult:
    game = RecycleGame.load("leduc_poker")
    spec = SearchSpec.for_game(
        game, [IntRange("BET", 1, 4), IntRange("RAISES", 1, 5)], Objective("drama"), [Constraint.parse("fairness > 0.9")], True
    )
    run = Store.open(Path(folder, "runs.sqlite")).run("benchmark", {})
    return search(game, spec, budget, VariantRunner(StudyConfig(GAMES, simulations=SIMULATIONS, seed=SEED), TaskRunner(run, 0)))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole, raced = (found(budget(trials=20, games=GAMES, test_games=2), folder) for budget in (Unraced, SearchBudget))
    for title, result in (("all deals", whole), ("raced", raced)):
        assert result.winner is not None
        print(f"{title:10} winner {result.winner.variant.settings_text}, {result.games_played:,} games of searching players")
    for measure in ("drama", "spread", "order", "decisions", "clarity"):
        ratios = []
        parts = [trial.played.contributions(measure) for trial in whole.trials if trial.played is not None and not trial.stopped]
        known = [each for each in parts if each is not None]
        for i, mine in enumerate(known):
            for theirs in known[:i]:
                apart = np.var(mine - theirs, ddof=1)
                if apart > 0:
                    ratios.append((np.var(mine, ddof=1) + np.var(theirs, ddof=1)) / apart)
        print(f"{measure:10} {np.median(ratios):.1f} times as many deals, in the median of {len(ratios)} pairs")


if __name__ == "__main__":
    main()
