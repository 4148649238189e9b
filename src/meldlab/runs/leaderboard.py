"""The players of a run, best first, and the progress of a run."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.runs.store import LEASE, QUEUE, ROW, Run
from meldlab.statistics import Interval, Score, wilson

SPEED_SECONDS = 60.0  # over which the speed is measured
MIN_SHARE = 0.5  # of the games of the player with the most games, to be first


@dataclass(frozen=True)
class LeaderboardRow:
    """The results of a player against one opponent."""

    label: str
    player: str
    opponent: str
    rules: str
    games: int
    wins: int | None
    swept: int | None
    score: float | None

    @property
    def win_rate(self) -> Interval | None:
        """Return the share of games won; a mirrored deal is one observation where sweeps were counted."""
        if self.wins is None:
            return None
        if self.swept is None:
            return wilson(self.wins / self.games, self.games)
        return Score(self.games, self.wins, self.swept).win_rate()

    def lower_bound(self, comparisons: int) -> float:
        """Return the score, or the lower end of the win rate as one of several comparisons."""
        rate = self.win_rate
        return self.score if self.score is not None else rate.bonferroni(comparisons).low if rate is not None else 0.0

    def __str__(self) -> str:
        parts = [f"{self.win_rate} won"] if self.win_rate else []
        parts += [f"score {self.score:.6g}"] if self.score is not None else []
        against = f" against {self.opponent}" if self.opponent and len(self.opponent) <= 40 else ""
        name = self.label if len(self.label) <= 60 else self.label[:59] + "…"
        return f"{name}{against}: {', '.join(parts) or 'done'}, {self.games:,} games"


def leaderboard(run: Run, top: int | None = None) -> list[LeaderboardRow]:
    """Return the players of a run, best first by ``lower_bound``.

    Rates against different opponents cannot be compared: players of the opponent with the most games come first. Among those, players
    with less than half as many games as the one with the most come last.
    """
    columns = (ROW.label, ROW.player, ROW.opponent, ROW.rules, ROW.games, ROW.wins, ROW.swept, ROW.score)
    deals = (ROW.function, ROW.arguments, ROW.seed, ROW.first)
    by_player: defaultdict[tuple[str, ...], list[Any]] = defaultdict(list)
    with run.store.reading() as connection:
        for row in connection.execute(sa.select(*columns, *deals).where(ROW.run == run.number, ROW.done_at.is_not(None))):
            by_player[row.player, row.opponent, row.rules].append(row)
    by_opponent: defaultdict[tuple[str, str], list[LeaderboardRow]] = defaultdict(list)
    for (_, opponent, rules), rows in by_player.items():
        by_opponent[opponent, rules].append(_leaderboard_row(_disjoint(rows)))
    ranked = []
    for _, group in sorted(by_opponent.items(), key=lambda item: (-sum(row.games for row in item[1]), item[0])):
        most, size = max(row.games for row in group), len(group)
        ranked += sorted(group, key=lambda row: (row.games < MIN_SHARE * most, -row.lower_bound(size), row.label, row.player))
    return ranked[:top]


def _disjoint(rows: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
    """Return rows without common games; of those that overlap the largest."""
    taken: defaultdict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
    disjoint = []
    for row in sorted(rows, key=lambda row: (-row.games, row.first)):
        # Sorted by their first game; only neighbours can overlap.
        games, end = taken[row.function, row.arguments, row.seed], row.first + row.games
        index = bisect(games, (row.first, end))
        if (index == 0 or games[index - 1][1] <= row.first) and (index == len(games) or end <= games[index][0]):
            games.insert(index, (row.first, end))
            disjoint.append(row)
    return disjoint


def _leaderboard_row(rows: Sequence[sa.Row[Any]]) -> LeaderboardRow:
    def total(name: str) -> int | None:
        known = [getattr(row, name) for row in rows if getattr(row, name) is not None]
        return sum(known) if known else None

    games = sum(row.games for row in rows)
    scored = [row for row in rows if row.score is not None]
    score = sum(row.score * row.games for row in scored) / sum(row.games for row in scored) if scored else None
    player, opponent, rules = rows[0].player, rows[0].opponent, rows[0].rules
    return LeaderboardRow(max(row.label for row in rows), player, opponent, rules, games, total("wins"), total("swept"), score)


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run, its speed, and the number of its workers."""

    games: int
    planned: int
    workers: int
    games_per_second: float
    finished: bool

    @classmethod
    def from_run(cls, run: Run) -> "RunProgress":
        """Return the current progress."""
        mine = ROW.run == run.number
        done = sa.case((ROW.done_at.is_not(None), ROW.games), else_=0)
        totals = sa.select(sa.func.sum(ROW.games), sa.func.sum(done), sa.func.max(ROW.done_at))
        with run.store.reading() as connection:
            now = run.store.clock(connection)
            held = sa.select(sa.func.count(ROW.claimed_by.distinct())).where(mine, ROW.done_at.is_(None), ROW.claimed_at > now - LEASE)
            workers = connection.execute(held).scalar_one()
            if not workers and sa.inspect(connection).has_table(QUEUE.name):
                queued = (QUEUE.c.run == run.number) & (QUEUE.c.state == "running") & (QUEUE.c.claimed_at > now - LEASE)
                workers = connection.execute(sa.select(sa.func.count()).select_from(QUEUE).where(queued)).scalar_one()
            claimed, games, last = connection.execute(totals.where(mine)).one()
            # The speed of a run that has ended is that at its end.
            end = now if workers or last is None else last
            recent = sa.select(sa.func.sum(ROW.games), sa.func.min(ROW.claimed_at)).where(mine, ROW.done_at > end - SPEED_SECONDS)
            recent_games, oldest = connection.execute(recent).one()
        speed = float(recent_games) / max(end - max(end - SPEED_SECONDS, oldest), 1e-3) if recent_games else 0.0
        # A search that ended early did not need all of its planned games.
        planned = int(games or 0) if run.finished is not None else max(run.planned, int(claimed or 0))
        return cls(int(games or 0), planned, workers, speed, run.finished is not None)

    @property
    def state(self) -> str:
        """Return ``finished``, ``running`` or ``stopped``."""
        return "finished" if self.finished else "running" if self.workers else "stopped"

    @property
    def seconds_left(self) -> float | None:
        """Return the remaining time at this speed, None if the run is stopped."""
        if self.finished:
            return 0.0
        return max(0, self.planned - self.games) / self.games_per_second if self.workers and self.games_per_second else None
