"""The tidy tables of an analysis, with the published column names; runs, moves and players count from 1.

>>> from meldlab.lab.analysis.record import Decision, Record, Row
>>> record = Record.of_rows("max", 2, [Row((3, 1), (Decision(0, 2, 1), Decision(1, 3, 0)))])
>>> print(text(choice_rows("tiny", [Played("RR", record)])), end="")
game,numPlayers,ai,imperfect,samples,tests,run,move,player,choices,choice,time
tiny,2,RR,,,,1,1,1,2,1,
tiny,2,RR,,,,1,2,2,3,0,
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meldlab.lab.analysis.record import Record

__all__ = ["Played", "choice_rows", "lead_rows", "result_rows", "spread_rows", "tables", "text"]

COMMON = ("game", "numPlayers", "ai", "imperfect", "samples", "tests")
Table = Iterator[Sequence[Any]]


@dataclass(frozen=True)
class Played:
    """Games of one line-up: a letter for each seat (R random, M mcts ..), and what the searching players were given."""

    ai: str
    record: Record
    level: str = ""  # what a determinization knows
    samples: int | None = None  # determinizations of a decision
    tests: int | None = None  # simulations for each option

    def common(self, game: str) -> tuple[Any, ...]:
        """Return the columns that every table begins with."""
        return game, self.record.seats, self.ai, self.level.upper(), self.samples, self.tests


def tables(game: str, played: Sequence[Played]) -> dict[str, str]:
    """Return the text of every table by its file name."""
    rows = {"choice.csv": choice_rows, "results.csv": result_rows, "lead.csv": lead_rows, "spread.csv": spread_rows}
    return {name: text(make(game, played)) for name, make in rows.items()}


def text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as comma-separated text; what is unknown stays empty."""
    paper = io.StringIO()
    csv.writer(paper, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return paper.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:.5g}"
    return "" if value is None else value


def choice_rows(game: str, played: Sequence[Played]) -> Table:
    """Yield every decision: how many options there were and which was taken, from 0."""
    yield [*COMMON, "run", "move", "player", "choices", "choice", "time"]
    for each in played:
        record, common = each.record, each.common(game)
        for i in range(len(record.game)):
            # Games are timed, decisions are not.
            yield [*common, record.game[i] + 1, record.move[i] + 1, record.seat[i] + 1, record.options[i], record.chosen[i], None]


def result_rows(game: str, played: Sequence[Played]) -> Table:
    """Yield the final scores; ties share the better rank, time is milliseconds for the game. A failed game has neither score nor rank."""
    yield [*COMMON, "run", "player", "score", "rank", "time"]
    for each in played:
        record, common = each.record, each.common(game)
        for run in range(record.games):
            for seat in range(record.seats):
                result = (record.scores[run, seat], record.ranks[run, seat] + 1) if record.ended[run] else (None, None)
                yield [*common, run + 1, seat + 1, *result, 1000 * record.seconds[run]]


def lead_rows(game: str, played: Sequence[Played]) -> Table:
    """Yield what every decision's player expected for each player, and after the last decision the true result.

    ``rank`` is the final rank with ties broken by seat; ``rankestimate`` is the mean estimated rank, 0 for first. The recorder of the true
    result is 0.
    """
    yield [*COMMON, "run", "move", "recorder", "player", "score", "rank", "rankestimate"]
    for each in played:
        record, common = each.record, each.common(game)
        for run in range(record.games):
            if not record.ended[run]:
                continue
            place = record.places[run] + 1
            mine = np.flatnonzero((record.game == run) & record.estimated)
            for i in mine:
                for seat in range(record.seats):
                    estimates = place[seat], record.rank_estimates[i, seat]
                    at = run + 1, record.move[i] + 1, record.seat[i] + 1, seat + 1
                    yield [*common, *at, record.score_estimates[i, seat], *estimates]
            if len(mine):
                for seat in range(record.seats):
                    truth = record.scores[run, seat], place[seat], record.ranks[run, seat]
                    yield [*common, run + 1, record.decisions[run] + 1, 0, seat + 1, *truth]


def spread_rows(game: str, played: Sequence[Played]) -> Table:
    """Yield best minus worst estimate for each decision, counted for each player in ``pmove``."""
    yield [*COMMON, "run", "pmove", "player", "spread"]
    for each in played:
        record, common = each.record, each.common(game)
        made: dict[tuple[int, int], int] = {}
        for i in np.flatnonzero(record.estimated):
            who = int(record.game[i]), int(record.seat[i])
            made[who] = made.get(who, 0) + 1
            yield [*common, who[0] + 1, made[who], who[1] + 1, abs(record.best[i] - record.worst[i])]
