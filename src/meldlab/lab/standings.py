"""How a search stands: who is best so far and by how much, how fast it goes, how long it will take."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from meldlab.lab.fight import GAMES, WINS
from meldlab.lab.store import LEASE, ROW, Run
from meldlab.statistics import Interval, Moments, wilson

__all__ = ["Progress", "Standing", "standings"]

WINDOW = 60.0  # seconds over which speed is measured


@dataclass(frozen=True)
class Standing:
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
        # A pair has 0, 1 or 2 wins: the sum of squares over pairs is that of the wins, and 2 more for each pair swept.
        sums, products = np.zeros(2), np.zeros((2, 2))
        sums[GAMES], sums[WINS] = self.games, self.wins
        products[GAMES, GAMES], products[WINS, WINS] = 2 * self.games, self.wins + 2 * self.swept
        products[GAMES, WINS] = products[WINS, GAMES] = 2 * self.wins
        return Moments(self.games // 2, sums, products).rate(WINS, GAMES)

    @property
    def merit(self) -> float:
        """Return what the search maximises, held low by the interval: a lucky start with few games is no lead."""
        rate = self.win_rate
        return self.score if self.score is not None else rate.low if rate is not None else 0.0

    def told(self) -> dict[str, object]:
        """Return the answer of the command line."""
        rate = self.win_rate
        interval = {"win_rate": rate.value, "ci95": [rate.low, rate.high]} if rate else {"win_rate": None, "ci95": None}
        names = {"label": self.label, "player": self.player, "opponent": self.opponent, "rules": self.rules}
        return {**names, "games": self.games, "wins": self.wins, **interval, "score": self.score}

    def __str__(self) -> str:
        told = [f"{self.win_rate} won"] if self.win_rate else []
        told += [f"score {self.score:.6g}"] if self.score is not None else []
        return f"{self.label if len(self.label) <= 60 else self.label[:59] + '…'}: {', '.join(told) or 'done'}, {self.games:,} games"


def standings(run: Run, top: int | None = None) -> list[Standing]:
    """Return every player of a run with what it has reached, the best first."""
    who = (ROW.player, ROW.opponent, ROW.rules)
    score = sa.func.sum(ROW.score * ROW.games) / sa.func.sum(ROW.games)
    sums = {"games": sa.func.sum(ROW.games), "wins": sa.func.sum(ROW.wins), "swept": sa.func.sum(ROW.swept), "score": score}
    columns = [sa.func.max(ROW.label).label("label"), *who, *(each.label(name) for name, each in sums.items())]
    question = sa.select(*columns).where(ROW.run == run.number, ROW.done_at.is_not(None)).group_by(*who)
    with run.store.reading() as connection:
        found = [_standing(row) for row in connection.execute(question)]
    return sorted(found, key=lambda one: (-one.merit, one.label, one.player))[:top]


def _standing(row: sa.Row[Any]) -> Standing:
    # PostgreSQL sums whole numbers to decimals.
    games, wins, swept = (None if number is None else int(number) for number in (row.games, row.wins, row.swept))
    return Standing(row.label, row.player, row.opponent, row.rules, games or 0, wins, swept, row.score)


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
        return cls(int(games or 0), max(run.planned, int(claimed or 0)), workers, speed, run.finished is not None)

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

    def told(self) -> dict[str, object]:
        """Return the answer of the command line."""
        speed = {"games_per_second": self.games_per_second, "seconds_left": self.seconds_left}
        return {"state": self.state, "games": self.games, "planned": self.planned, "workers": self.workers, **speed}
