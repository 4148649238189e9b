"""Tables of the server in the store next to the runs: matches as records, and tries at old mistakes."""

import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.errors import NoSuchThing
from meldlab.runs.store import Store
from meldlab.web.errors import HttpError

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
class Attempt:
    """Tries of a user at a decision of a match; ``solved``: whether the last try was good."""

    tries: int
    solved: bool
    changed: float


class Repository:
    """Matches and tries in a store."""

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

    def count_matches(self) -> int:
        """Return the number of stored matches."""
        with self.store.reading() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(MATCHES)).scalar_one())

    def versions(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the version of each match."""
        with self.store.reading() as connection:
            rows = connection.execute(sa.select(MATCHES.c.id, MATCHES.c.version).where(MATCHES.c.id.in_(list(ids))))
            return {row.id: row.version for row in rows}

    def change_match(self, before: StoredMatch, **values: Any) -> StoredMatch:
        """Store the changes of a match, unless it was changed since it was read."""
        values |= {"version": before.version + 1, "changed": time.time()}
        where = (MATCHES.c.id == before.id) & (MATCHES.c.version == before.version)
        with self.store.writing() as connection:
            if connection.execute(MATCHES.update().where(where).values(values)).rowcount != 1:
                raise HttpError(409, "the match has gone on in another window")
        return StoredMatch(**vars(before) | values)

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
