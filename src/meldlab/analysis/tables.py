"""The tidy tables of an analysis, with the published column names; runs, moves and players count from 1.

>>> sample = Sample.from_scores("max", np.array([[3, 1]]))
>>> print(csv_text(result_rows("tiny", [Labelled("RR", sample)]), DIGITS), end="")
game,numPlayers,ai,imperfect,samples,tests,run,player,score,rank,time
tiny,2,RR,,,,1,1,3,1,0
tiny,2,RR,,,,1,2,1,2,0
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    rows = {"choice.csv": choice_rows, "results.csv": result_rows, "lead.csv": lead_rows, "spread.csv": spread_rows}
    return {name: csv_text(make(game, played), DIGITS) for name, make in rows.items()}


def choice_rows(game: str, played: Sequence[Labelled]) -> Rows:
    """Yield every decision: the number of options and the option taken, from 0."""
    yield [*COMMON, "run", "move", "player", "choices", "choice", "time"]
    for labelled in played:
        sample, common = labelled.sample, labelled.common(game)
        for i in range(len(sample.game)):
            # Games are timed, decisions are not.
            yield [*common, sample.game[i] + 1, sample.move[i] + 1, sample.seat[i] + 1, sample.options[i], sample.chosen[i], None]


def result_rows(game: str, played: Sequence[Labelled]) -> Rows:
    """Yield the final scores; ties share the better rank, time is milliseconds for the game. A failed game has neither score nor rank."""
    yield [*COMMON, "run", "player", "score", "rank", "time"]
    for labelled in played:
        sample, common = labelled.sample, labelled.common(game)
        for run in range(sample.games):
            for seat in range(sample.seats):
                result = (sample.scores[run, seat], sample.ranks[run, seat] + 1) if sample.ended[run] else (None, None)
                yield [*common, run + 1, seat + 1, *result, 1000 * sample.seconds[run]]


def lead_rows(game: str, played: Sequence[Labelled]) -> Rows:
    """Yield the estimates of every decision's player for each player, and after the last decision the true result.

    ``rank`` is the final rank with ties broken by seat; ``rankestimate`` is the mean estimated rank, 0 for first. The recorder of the true
    result is 0.
    """
    yield [*COMMON, "run", "move", "recorder", "player", "score", "rank", "rankestimate"]
    for labelled in played:
        sample, common = labelled.sample, labelled.common(game)
        for run in range(sample.games):
            if not sample.ended[run]:
                continue
            place = sample.places[run] + 1
            mine = np.flatnonzero((sample.game == run) & sample.estimated)
            for i in mine:
                for seat in range(sample.seats):
                    estimates = place[seat], sample.rank_estimates[i, seat]
                    keys = run + 1, sample.move[i] + 1, sample.seat[i] + 1, seat + 1
                    yield [*common, *keys, sample.score_estimates[i, seat], *estimates]
            if len(mine):
                for seat in range(sample.seats):
                    truth = sample.scores[run, seat], place[seat], sample.ranks[run, seat]
                    yield [*common, run + 1, sample.decisions[run] + 1, 0, seat + 1, *truth]


def spread_rows(game: str, played: Sequence[Labelled]) -> Rows:
    """Yield best minus worst estimate for each decision, counted for each player in ``pmove``."""
    yield [*COMMON, "run", "pmove", "player", "spread"]
    for labelled in played:
        sample, common = labelled.sample, labelled.common(game)
        moves: dict[tuple[int, int], int] = {}
        for i in np.flatnonzero(sample.estimated):
            game_and_seat = run, seat = int(sample.game[i]), int(sample.seat[i])
            moves[game_and_seat] = moves.get(game_and_seat, 0) + 1
            yield [*common, run + 1, moves[game_and_seat], seat + 1, abs(sample.best[i] - sample.worst[i])]
