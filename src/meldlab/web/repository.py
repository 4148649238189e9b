"""Tables of the server in the store next to the runs: matches as records, jobs with their progress, tries at old mistakes."""

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.errors import NoSuchThing
from meldlab.runs.store import Store, canonical, code_version
from meldlab.web.errors import HttpError

GOING = ("waiting", "running")
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
PIECES = sa.Table(
    "job_pieces",
    TABLES,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("job", sa.String(24), nullable=False, index=True),
    sa.Column("code", sa.Text, nullable=False),
    sa.Column("piece", sa.Text, nullable=False),
)
TRIES = sa.Table(
    "tries",
    TABLES,
    sa.Column("owner", sa.String(32), primary_key=True),
    sa.Column("match", sa.String(24), primary_key=True),
    sa.Column("action", sa.Integer, primary_key=True),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("solved", sa.Boolean, nullable=False),
    sa.Column("changed", sa.Double, nullable=False),
)


@dataclass(frozen=True)
class StoredMatch:
    """A match of one visitor, as far as it was played; ``version`` counts every change of it."""

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


@dataclass(frozen=True)
class Attempt:
    """Tries of a user at a decision of a match; ``solved``: whether the last try was good."""

    tries: int
    solved: bool
    changed: float


class Repository:
    """Matches, jobs and tries in a store."""

    def __init__(self, store: Store, matches: int = 10_000) -> None:
        self.store, self.matches = store, matches
        with store.writing() as connection:
            for table in TABLES.sorted_tables:
                connection.execute(sa.schema.CreateTable(table, if_not_exists=True))

    def add_match(
        self, owner: str, game: str, record: str, seat: int, turn: int, over: bool, practice: str = "", *, id: str = ""
    ) -> StoredMatch:
        """Store a new match; beyond the limit the matches unchanged for longest are deleted."""
        now = time.time()
        match = StoredMatch(id or secrets.token_urlsafe(12), owner, game, record, seat, turn, practice, over, 0, now, now)
        with self.store.writing() as connection:
            connection.execute(MATCHES.insert().values(vars(match)))
            count = connection.execute(sa.select(sa.func.count()).select_from(MATCHES)).scalar_one()
            if count > self.matches:
                oldest = sa.select(MATCHES.c.id).order_by(MATCHES.c.changed).limit(count - self.matches)
                connection.execute(MATCHES.delete().where(MATCHES.c.id.in_(oldest)))
        return match

    def match(self, id: str) -> StoredMatch:
        """Return a match by its id."""
        with self.store.reading() as connection:
            row = connection.execute(sa.select(MATCHES).where(MATCHES.c.id == id)).one_or_none()
        if row is None:
            raise NoSuchThing("match", id[:24], [])
        return StoredMatch(**row._mapping)

    def matches_of(self, owner: str, game: str | None = None, over: bool | None = None, most: int = 100) -> list[StoredMatch]:
        """Return the matches of a user, the one last changed first."""
        question = sa.select(MATCHES).where(MATCHES.c.owner == owner).order_by(MATCHES.c.changed.desc()).limit(most)
        question = question if game is None else question.where(MATCHES.c.game == game)
        question = question if over is None else question.where(MATCHES.c.over == over)
        with self.store.reading() as connection:
            return [StoredMatch(**row._mapping) for row in connection.execute(question)]

    def change_match(self, before: StoredMatch, **values: Any) -> StoredMatch:
        """Store the changes of a match, unless it was changed since it was read."""
        values |= {"version": before.version + 1, "changed": time.time()}
        where = (MATCHES.c.id == before.id) & (MATCHES.c.version == before.version)
        with self.store.writing() as connection:
            if connection.execute(MATCHES.update().where(where).values(values)).rowcount != 1:
                raise HttpError(409, "the match has gone on in another window")
        return StoredMatch(**vars(before) | values)

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
        """Give the work in these states, or all of it, the newest first; of all users, or of one."""
        question = sa.select(JOBS).order_by(JOBS.c.begun.desc()).limit(most)
        question = question if owner is None else question.where(JOBS.c.owner == owner)
        question = question.where(JOBS.c.state.in_(states)) if states else question
        with self.store.reading() as connection:
            yield from [Job(**row._mapping) for row in connection.execute(question)]

    def same_job(self, owner: str, kind: str, arguments: dict[str, Any]) -> Job | None:
        """Return the user's newest job of this kind and these arguments that is done or in progress."""
        same = (JOBS.c.owner == owner) & (JOBS.c.kind == kind) & (JOBS.c.arguments == canonical(arguments))
        question = sa.select(JOBS).where(same & JOBS.c.state.in_(("waiting", "running", "done"))).order_by(JOBS.c.begun.desc()).limit(1)
        with self.store.reading() as connection:
            row = connection.execute(question).one_or_none()
        return None if row is None else Job(**row._mapping)

    def done_jobs(self, owner: str, kind: str, most: int = 100) -> list[str]:
        """Return the ids of the user's finished jobs of a kind, the newest first."""
        where = (JOBS.c.owner == owner) & (JOBS.c.kind == kind) & (JOBS.c.state == "done")
        with self.store.reading() as connection:
            return list(connection.execute(sa.select(JOBS.c.id).where(where).order_by(JOBS.c.begun.desc()).limit(most)).scalars())

    def note_try(self, owner: str, match: str, action: int, solved: bool) -> None:
        """Store a try at a decision."""
        where = (TRIES.c.owner == owner) & (TRIES.c.match == match) & (TRIES.c.action == action)
        values = {"solved": solved, "changed": time.time()}
        with self.store.writing() as connection:
            if not connection.execute(TRIES.update().where(where).values(tries=TRIES.c.tries + 1, **values)).rowcount:
                connection.execute(TRIES.insert().values(owner=owner, match=match, action=action, tries=1, **values))

    def tries_of(self, owner: str) -> dict[tuple[str, int], Attempt]:
        """Return the tries of a user, by match and action."""
        with self.store.reading() as connection:
            rows = connection.execute(sa.select(TRIES).where(TRIES.c.owner == owner)).all()
        return {(row.match, row.action): Attempt(row.tries, row.solved, row.changed) for row in rows}

    def change_job(self, id: str, **values: Any) -> None:
        """Keep what has changed about work; what has ended stays as it is."""
        values |= {"version": JOBS.c.version + 1, "changed": time.time()}
        with self.store.writing() as connection:
            connection.execute(JOBS.update().where(JOBS.c.id == id, JOBS.c.state.in_(GOING)).values(values))
            if values.get("state", "running") not in GOING:
                connection.execute(PIECES.delete().where(PIECES.c.job == id))

    def add_piece(self, id: str, piece: str) -> None:
        """Keep a piece of work, as JSON, until the work has ended."""
        with self.store.writing() as connection:
            connection.execute(PIECES.insert().values(job=id, code=code_version(), piece=piece))

    def pieces_of(self, id: str) -> list[Any]:
        """Return the saved parts of a job by this version of the code, in order."""
        where = (PIECES.c.job == id) & (PIECES.c.code == code_version())
        with self.store.reading() as connection:
            rows = connection.execute(sa.select(PIECES.c.piece).where(where).order_by(PIECES.c.number)).scalars()
            return [json.loads(row) for row in rows]
