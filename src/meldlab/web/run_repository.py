"""Background runs in the store: an entry of the queue of ``meldlab.runs``, with a public id and the progress that pages show."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.errors import NoSuchThing
from meldlab.runs.queue import OPEN, RunQueue
from meldlab.runs.store import QUEUE, RUNS, Store, canonical
from meldlab.web.errors import QueueFull, TooManyCalls
from meldlab.web.repository import TABLES

OPEN_PER_OWNER = 2  # one that runs and one that waits
RETRY_SECONDS = 30
LINKS = sa.Table(
    "web_runs",
    TABLES,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("entry", sa.Integer, nullable=False, unique=True),
    sa.Column("version", sa.Integer, nullable=False, default=0),
    sa.Column("done", sa.Double, nullable=False, default=0.0),
    sa.Column("total", sa.Double, nullable=False, default=0.0),
    sa.Column("progress", sa.Text, nullable=False, default=""),
)
OLD_STATES = {"done": "finished", "waiting": "queued", "running": "queued"}  # of the table jobs of earlier versions


@dataclass(frozen=True)
class BackgroundRun:
    """A background run as it was when it was read; ``version`` counts every change of it."""

    id: str
    entry: int
    owner: str
    kind: str
    settings: Mapping[str, Any]
    state: str
    """``queued``, ``running``, ``finished``, ``failed`` or ``cancelled``."""
    version: int
    done: float
    total: float
    message: str
    run: int | None
    """The number of the run in the store, once it has started."""


class RunRepository:
    """The background runs of a store."""

    def __init__(self, store: Store) -> None:
        self.store, self.queue = store, RunQueue(store)

    def submit(self, owner: str, kind: str, settings: Mapping[str, Any], max_waiting: int) -> BackgroundRun:
        """Return the owner's run with these settings that waits, runs or is finished, or add it to the queue."""
        same = (QUEUE.c.owner == owner) & (QUEUE.c.kind == kind) & (QUEUE.c.settings == canonical(dict(settings)))
        if known := self._select(same & QUEUE.c.state.in_((*OPEN, "finished")), 1):
            return known[0]
        open_ = self._select(QUEUE.c.state.in_(OPEN), max_waiting + OPEN_PER_OWNER + 100)
        if sum(run.owner == owner for run in open_) >= OPEN_PER_OWNER:
            raise TooManyCalls(RETRY_SECONDS)
        if sum(run.state == "queued" for run in open_) >= max_waiting:
            raise QueueFull(RETRY_SECONDS)
        entry = self.queue.submit(owner, kind, settings).id
        with self.store.writing() as connection:
            link = {"id": secrets.token_urlsafe(12), "entry": entry}
            connection.execute(self.store.insert(LINKS).on_conflict_do_nothing(index_elements=["entry"]), link)
        return self._select(QUEUE.c.id == entry, 1)[0]

    def run(self, id: str) -> BackgroundRun:
        """Return a run by its id."""
        runs = self._select(LINKS.c.id == id, 1)
        if not runs:
            raise NoSuchThing("job", id[:24], ["the id in the answer of POST"])
        return runs[0]

    def runs(
        self, owner: str | None = None, kinds: Sequence[str] = (), states: Sequence[str] = (), count: int = 100
    ) -> list[BackgroundRun]:
        """Return runs, newest first."""
        where = sa.true() if owner is None else QUEUE.c.owner == owner
        where = where & QUEUE.c.kind.in_(kinds) if kinds else where
        return self._select(where & QUEUE.c.state.in_(states) if states else where, count)

    def result(self, run: BackgroundRun) -> Any:
        """Return the result of a finished run, else None."""
        return self.store.find(run.run).result if run.state == "finished" and run.run is not None else None

    def cancel(self, id: str) -> BackgroundRun:
        """Cancel a run that waits or runs; one that has ended stays as it is."""
        run = self.run(id)
        if self.queue.cancel(run.entry):
            self.report(run.entry)
        return self.run(id)

    def fail(self, entry: int, message: str) -> None:
        """Mark a run as failed, whatever process holds it."""
        where = (QUEUE.c.id == entry) & QUEUE.c.state.in_(OPEN)
        with self.store.writing() as connection:
            connection.execute(QUEUE.update().where(where).values(state="failed", message=message))
        self.report(entry)

    def report(self, entry: int, **progress: Any) -> None:
        """Store the progress of a run, or only that it has changed."""
        with self.store.writing() as connection:
            connection.execute(LINKS.update().where(LINKS.c.entry == entry).values(version=LINKS.c.version + 1, **progress))

    def versions(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the version of each run."""
        with self.store.reading() as connection:
            rows = connection.execute(sa.select(LINKS.c.id, LINKS.c.version).where(LINKS.c.id.in_(list(ids))))
            return {row.id: row.version for row in rows}

    def version(self, entry: int) -> tuple[str, int]:
        """Return id and version of the run of an entry."""
        with self.store.reading() as connection:
            return tuple(connection.execute(sa.select(LINKS.c.id, LINKS.c.version).where(LINKS.c.entry == entry)).one())

    def count_open(self) -> int:
        """Return the number of runs that wait or run."""
        with self.store.reading() as connection:
            return int(connection.execute(sa.select(sa.func.count()).where(QUEUE.c.state.in_(OPEN))).scalar_one())

    def import_jobs(self) -> None:
        """Copy the rows of the table ``jobs`` of earlier versions into the queue, once; their unfinished work starts again."""
        with self.store.writing() as connection:
            connection.execute(LINKS.delete().where(sa.false()))  # takes the write lock of SQLite
            if not sa.inspect(connection).has_table("jobs"):
                return
            for row in connection.execute(sa.text("SELECT * FROM jobs ORDER BY begun")).all():
                values = {"owner": row.owner, "kind": row.kind, "settings": row.arguments, "message": row.says, "created": row.begun}
                state = OLD_STATES.get(row.state, row.state)
                if state == "finished":
                    run = {"key": f"job {row.id}", "experiment": row.kind, "settings": row.arguments, "version": "", "planned": 0}
                    times = {"started": row.begun, "finished": row.changed, "result": row.result, "note": ""}
                    values["run"] = connection.execute(RUNS.insert().values(run | times).returning(RUNS.c.number)).scalar_one()
                entry = connection.execute(QUEUE.insert().values(values | {"state": state}).returning(QUEUE.c.id)).scalar_one()
                connection.execute(LINKS.insert().values(id=row.id, entry=entry, done=row.done, total=row.total))
            for table in ("job_pieces", "jobs"):
                connection.execute(sa.text(f"DROP TABLE IF EXISTS {table}"))

    def _select(self, where: sa.ColumnElement[bool], count: int) -> list[BackgroundRun]:
        query = sa.select(QUEUE, LINKS).join(LINKS, LINKS.c.entry == QUEUE.c.id).where(where).order_by(QUEUE.c.id.desc()).limit(count)
        with self.store.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [
            BackgroundRun(
                row[LINKS.c.id], row[LINKS.c.entry], row["owner"], row["kind"], json.loads(row["settings"]), row["state"], row["version"],
                row["done"], row["total"], row["progress"] if row["state"] == "running" else row["message"] or row["progress"], row["run"],
            )
            for row in rows
        ]  # fmt: skip
