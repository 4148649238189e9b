"""How a search stands: who is best so far and by how much, how fast it goes, how long it will take."""

from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.runs.store import LEASE, ROW, Run
from meldlab.statistics import Interval, paired_rate, wilson

__all__ = ["Progress", "Reached", "leaders"]

WINDOW = 60.0  # seconds over which speed is measured
ENOUGH = 0.5  # share of the games of the most played player that it takes to lead


@dataclass(frozen=True)
class Reached:
    """What one player has reached against one opponent."""

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
        """Return the share of games won, its interval from mirrored pairs where they were counted."""
        if self.wins is None:
            return None
        if self.swept is None:
            return wilson(self.wins / self.games, self.games)
        return paired_rate(self.games, self.wins, self.swept)

    def merit(self, among: int) -> float:
        """Return what the search maximises: its score, or the lower end of its rate, the lower the more there are to be lucky."""
        rate = self.win_rate
        return self.score if self.score is not None else rate.bonferroni(among).low if rate is not None else 0.0

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rate = self.win_rate
        interval = {"win_rate": rate.value, "ci95": [rate.low, rate.high]} if rate else {"win_rate": None, "ci95": None}
        names = {"label": self.label, "player": self.player, "opponent": self.opponent, "rules": self.rules}
        return {**names, "games": self.games, "wins": self.wins, **interval, "score": self.score}

    def __str__(self) -> str:
        told = [f"{self.win_rate} won"] if self.win_rate else []
        told += [f"score {self.score:.6g}"] if self.score is not None else []
        against = f" against {self.opponent}" if self.opponent and len(self.opponent) <= 40 else ""
        name = self.label if len(self.label) <= 60 else self.label[:59] + "…"
        return f"{name}{against}: {', '.join(told) or 'done'}, {self.games:,} games"


def leaders(run: Run, top: int | None = None) -> list[Reached]:
    """Return every player of a run with what it has reached, the best first.

    Rates against different opponents have nothing in common: who played the opponent with the most games comes first. Among those, the
    best is one of the players with at least half as many games as anybody has; the others follow. Players are compared by ``merit``.
    """
    columns = (ROW.label, ROW.player, ROW.opponent, ROW.rules, ROW.games, ROW.wins, ROW.swept, ROW.score)
    apart = (ROW.worker, ROW.arguments, ROW.seed, ROW.first)
    by_player: defaultdict[tuple[str, ...], list[Any]] = defaultdict(list)
    with run.store.reading() as connection:
        for row in connection.execute(sa.select(*columns, *apart).where(ROW.run == run.number, ROW.done_at.is_not(None))):
            by_player[row.player, row.opponent, row.rules].append(row)
    by_opponent: defaultdict[tuple[str, str], list[Reached]] = defaultdict(list)
    for (_, opponent, rules), rows in by_player.items():
        by_opponent[opponent, rules].append(_reached(_once(rows)))
    found = []
    for _, group in sorted(by_opponent.items(), key=lambda one: (-sum(each.games for each in one[1]), one[0])):
        most, among = max(one.games for one in group), len(group)
        found += sorted(group, key=lambda one: (one.games < ENOUGH * most, -one.merit(among), one.label, one.player))
    return found[:top]


def _once(rows: Sequence[sa.Row[Any]]) -> list[sa.Row[Any]]:
    """Return rows that share no game: of those that do the larger counts, so that a game asked for twice is counted once."""
    taken: defaultdict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
    kept = []
    for row in sorted(rows, key=lambda row: (-row.games, row.first)):
        # Sorted by their first game; only the neighbours can share one.
        games, end = taken[row.worker, row.arguments, row.seed], row.first + row.games
        at = bisect(games, (row.first, end))
        if (at == 0 or games[at - 1][1] <= row.first) and (at == len(games) or end <= games[at][0]):
            games.insert(at, (row.first, end))
            kept.append(row)
    return kept


def _reached(rows: Sequence[sa.Row[Any]]) -> Reached:
    def total(name: str) -> int | None:
        known = [getattr(row, name) for row in rows if getattr(row, name) is not None]
        return sum(known) if known else None

    games = sum(row.games for row in rows)
    scored = [row for row in rows if row.score is not None]
    score = sum(row.score * row.games for row in scored) / sum(row.games for row in scored) if scored else None
    one = rows[0]
    return Reached(max(row.label for row in rows), one.player, one.opponent, one.rules, games, total("wins"), total("swept"), score)


@dataclass(frozen=True)
class Progress:
    """How far a run is, how fast it goes, and who works on it."""

    games: int
    planned: int
    workers: int
    games_per_second: float
    finished: bool

    @classmethod
    def of(cls, run: Run) -> "Progress":
        """Look at a run as it is now."""
        mine = ROW.run == run.number
        done = sa.case((ROW.done_at.is_not(None), ROW.games), else_=0)
        known = sa.select(sa.func.sum(ROW.games), sa.func.sum(done), sa.func.max(ROW.done_at))
        with run.store.reading() as connection:
            now = run.store.clock(connection)
            held = sa.select(sa.func.count(ROW.claimed_by.distinct())).where(mine, ROW.done_at.is_(None), ROW.claimed_at > now - LEASE)
            workers = connection.execute(held).scalar_one()
            claimed, games, last = connection.execute(known.where(mine)).one()
            # The speed of a search that is over is the one it had at its end.
            end = now if workers or last is None else last
            recent = sa.select(sa.func.sum(ROW.games), sa.func.min(ROW.claimed_at)).where(mine, ROW.done_at > end - WINDOW)
            lately, oldest = connection.execute(recent).one()
        speed = float(lately) / max(end - max(end - WINDOW, oldest), 1e-3) if lately else 0.0
        # A race that stopped early did not need the games that were planned for it.
        planned = int(games or 0) if run.finished is not None else max(run.planned, int(claimed or 0))
        return cls(int(games or 0), planned, workers, speed, run.finished is not None)

    @property
    def state(self) -> str:
        """Return ``finished``, ``running`` or ``stopped``."""
        return "finished" if self.finished else "running" if self.workers else "stopped"

    @property
    def seconds_left(self) -> float | None:
        """Return how long it will take at this speed, if it goes on at all."""
        if self.finished:
            return 0.0
        return max(0, self.planned - self.games) / self.games_per_second if self.workers and self.games_per_second else None

    def as_json(self) -> dict[str, object]:
        """Return the answer of the command line."""
        speed = {"games_per_second": self.games_per_second, "seconds_left": self.seconds_left}
        return {"state": self.state, "games": self.games, "planned": self.planned, "workers": self.workers, **speed}
