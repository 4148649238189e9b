"""What the server keeps in the store beside the runs: matches as records, and long work with how far it is."""

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.errors import NoSuchThing
from meldlab.lab.runs.store import Store, canonical
from meldlab.web.problems import HttpRefusal

__all__ = ["Job", "KeptMatch", "Shelf"]

TABLES = sa.MetaData()
MATCHES = sa.Table(
    "matches",
    TABLES,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("owner", sa.String(32), nullable=False, index=True),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("practice", sa.Text, nullable=False),
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("changed", sa.Double, nullable=False),
)
JOBS = sa.Table(
    "jobs",
    TABLES,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("owner", sa.String(32), nullable=False, index=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("done", sa.Double, nullable=False),
    sa.Column("total", sa.Double, nullable=False),
    sa.Column("says", sa.Text, nullable=False),
    sa.Column("result", sa.Text),
    sa.Column("begun", sa.Double, nullable=False),
    sa.Column("changed", sa.Double, nullable=False),
)


@dataclass(frozen=True)
class KeptMatch:
    """A match of one person, as far as it was played; ``version`` counts every change of it."""

    id: str
    owner: str
    """Whose it is: the browser's own token, which is in no answer but its cookie."""
    game: str
    record: str
    seat: int
    turn: int
    """How many actions its record has."""
    practice: str
    """Why the match does not count, if it does not."""
    over: bool
    version: int
    begun: float
    changed: float


@dataclass(frozen=True)
class Job:
    """Long work: waiting, running, done, failed or cancelled; ``version`` counts every change of it."""

    id: str
    owner: str
    kind: str
    arguments: str
    state: str
    version: int
    done: float
    total: float
    says: str
    result: str | None
    begun: float
    changed: float


class Shelf:
    """Matches and jobs in a store."""

    def __init__(self, store: Store, matches: int = 10_000) -> None:
        self.store, self.matches = store, matches
        with store.writing() as connection:
            for table in TABLES.sorted_tables:
                connection.execute(sa.schema.CreateTable(table, if_not_exists=True))

    def add_match(self, owner: str, game: str, record: str, seat: int, turn: int, over: bool, practice: str = "") -> KeptMatch:
        """Keep a new match; where there are too many, those that nobody has touched for longest make room."""
        now = time.time()
        match = KeptMatch(secrets.token_urlsafe(12), owner, game, record, seat, turn, practice, over, 0, now, now)
        with self.store.writing() as connection:
            connection.execute(MATCHES.insert().values(vars(match)))
            many = connection.execute(sa.select(sa.func.count()).select_from(MATCHES)).scalar_one()
            if many > self.matches:
                oldest = sa.select(MATCHES.c.id).order_by(MATCHES.c.changed).limit(many - self.matches)
                connection.execute(MATCHES.delete().where(MATCHES.c.id.in_(oldest)))
        return match

    def match(self, id: str) -> KeptMatch:
        """Return a match by its id."""
        with self.store.reading() as connection:
            row = connection.execute(sa.select(MATCHES).where(MATCHES.c.id == id)).one_or_none()
        if row is None:
            raise NoSuchThing("match", id[:24], [])
        return KeptMatch(**row._mapping)

    def matches_of(self, owner: str, game: str | None = None, over: bool | None = None, most: int = 100) -> list[KeptMatch]:
        """Return somebody's matches, the one last touched first."""
        question = sa.select(MATCHES).where(MATCHES.c.owner == owner).order_by(MATCHES.c.changed.desc()).limit(most)
        question = question if game is None else question.where(MATCHES.c.game == game)
        question = question if over is None else question.where(MATCHES.c.over == over)
        with self.store.reading() as connection:
            return [KeptMatch(**row._mapping) for row in connection.execute(question)]

    def change_match(self, before: KeptMatch, **values: Any) -> KeptMatch:
        """Keep what has changed in a match, if nobody else has changed it since it was read."""
        values |= {"version": before.version + 1, "changed": time.time()}
        where = (MATCHES.c.id == before.id) & (MATCHES.c.version == before.version)
        with self.store.writing() as connection:
            if connection.execute(MATCHES.update().where(where).values(values)).rowcount != 1:
                raise HttpRefusal(409, "the match has gone on in another window")
        return KeptMatch(**vars(before) | values)

    def add_job(self, owner: str, kind: str, arguments: dict[str, Any]) -> Job:
        """Keep new work."""
        now = time.time()
        job = Job(secrets.token_urlsafe(12), owner, kind, canonical(arguments), "waiting", 0, 0.0, 0.0, "", None, now, now)
        with self.store.writing() as connection:
            connection.execute(JOBS.insert().values(vars(job)))
        return job

    def job(self, id: str) -> Job:
        """Return work by its id."""
        with self.store.reading() as connection:
            row = connection.execute(sa.select(JOBS).where(JOBS.c.id == id)).one_or_none()
        if row is None:
            raise NoSuchThing("job", id[:24], [])
        return Job(**row._mapping)

    def jobs(self, *states: str, owner: str | None = None, most: int = 100) -> Iterator[Job]:
        """Give the work in these states, or all of it, the newest first; of everybody, or of one."""
        question = sa.select(JOBS).order_by(JOBS.c.begun.desc()).limit(most)
        question = question if owner is None else question.where(JOBS.c.owner == owner)
        question = question.where(JOBS.c.state.in_(states)) if states else question
        with self.store.reading() as connection:
            yield from [Job(**row._mapping) for row in connection.execute(question)]

    def change_job(self, id: str, **values: Any) -> None:
        """Keep what has changed about work; what has ended stays as it is."""
        values |= {"version": JOBS.c.version + 1, "changed": time.time()}
        with self.store.writing() as connection:
            connection.execute(JOBS.update().where(JOBS.c.id == id, JOBS.c.state.in_(("waiting", "running"))).values(values))
