"""The tidy tables of an analysis, with the published column names; runs, moves and players count from 1.

>>> sample = Sample.from_scores("max", np.array([[3, 1]]))
>>> print(csv_text(table_rows("results.csv", "tiny", [Labelled("RR", sample)]), DIGITS), end="")
game,numPlayers,ai,imperfect,samples,tests,run,player,score,rank,time
tiny,2,RR,,,,1,1,3,1,0
tiny,2,RR,,,,1,2,1,2,0
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from meldlab.analysis.sample import Sample
from meldlab.reports.rows import csv_text

COMMON = ("game", "numPlayers", "ai", "imperfect", "samples", "tests")
Rows = Iterator[Sequence[Any]]
DIGITS = 5


@dataclass(frozen=True)
class Labelled:
    """Games of one line-up: a letter for each seat (R random, M mcts ..), and the settings of the searching players."""

    ai: str
    sample: Sample
    level: str = ""  # of knowledge of a determinization
    samples: int | None = None  # determinizations of a decision
    tests: int | None = None  # simulations for each option

    def common(self, game: str) -> tuple[Any, ...]:
        """Return the first columns of every table."""
        return game, self.sample.seats, self.ai, self.level.upper(), self.samples, self.tests


def tables(game: str, played: Sequence[Labelled]) -> dict[str, str]:
    """Return the text of every table by its file name."""
    return {name: csv_text(table_rows(name, game, played), DIGITS) for name in TABLES}


def table_rows(name: str, game: str, played: Sequence[Labelled]) -> Rows:
    """Yield the headings and the rows of a table."""
    headings, make = TABLES[name]
    yield [*COMMON, *headings]
    for labelled in played:
        common = labelled.common(game)
        yield from ([*common, *row] for row in make(labelled.sample))


def choice_rows(sample: Sample) -> Rows:
    """Yield every decision: the number of options and the option taken, from 0; games are timed, decisions are not."""
    for i in range(len(sample.game)):
        yield sample.game[i] + 1, sample.move[i] + 1, sample.seat[i] + 1, sample.options[i], sample.chosen[i], None


def result_rows(sample: Sample) -> Rows:
    """Yield the final scores; ties share the better rank, time is milliseconds for the game. A failed game has neither score nor rank."""
    for run, seat in np.ndindex(sample.games, sample.seats):
        result = (sample.scores[run, seat], sample.ranks[run, seat] + 1) if sample.ended[run] else (None, None)
        yield run + 1, seat + 1, *result, 1000 * sample.seconds[run]


def lead_rows(sample: Sample) -> Rows:
    """Yield the estimates of every decision's player for each player, and after the last decision the true result.

    ``rank`` is the final rank with ties broken by seat; ``rankestimate`` is the mean estimated rank, 0 for first. The recorder of the true
    result is 0.
    """
    for run in np.flatnonzero(sample.ended):
        mine = np.flatnonzero((sample.game == run) & sample.estimated)
        for i, seat in product(mine, range(sample.seats)):
            estimates = sample.score_estimates[i, seat], sample.places[run, seat] + 1, sample.rank_estimates[i, seat]
            yield run + 1, sample.move[i] + 1, sample.seat[i] + 1, seat + 1, *estimates
        for seat in range(sample.seats) if len(mine) else ():
            truth = sample.scores[run, seat], sample.places[run, seat] + 1, sample.ranks[run, seat]
            yield run + 1, sample.decisions[run] + 1, 0, seat + 1, *truth


def spread_rows(sample: Sample) -> Rows:
    """Yield best minus worst estimate for each decision, counted for each player in ``pmove``."""
    moves = Counter[tuple[int, int]]()
    for i in np.flatnonzero(sample.estimated):
        run, seat = int(sample.game[i]), int(sample.seat[i])
        moves[run, seat] += 1
        yield run + 1, moves[run, seat], seat + 1, abs(sample.best[i] - sample.worst[i])


TABLES: dict[str, tuple[tuple[str, ...], Callable[[Sample], Rows]]] = {
    "choice.csv": (("run", "move", "player", "choices", "choice", "time"), choice_rows),
    "results.csv": (("run", "player", "score", "rank", "time"), result_rows),
    "lead.csv": (("run", "move", "recorder", "player", "score", "rank", "rankestimate"), lead_rows),
    "spread.csv": (("run", "pmove", "player", "spread"), spread_rows),
}
