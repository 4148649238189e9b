"""The store: each task of each run is a row of a database, so that a run that is killed at any moment can be resumed.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     store = Store.open(f"{folder}/runs.sqlite")
...     [store.run("knock", settings).number for settings in ({"games": 20, "seed": 1}, {"seed": 1, "games": 20}, {"games": 20, "seed": 2})]
[1, 1, 2]
"""

import hashlib
import json
import os
import secrets
import socket
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from meldlab import __version__
from meldlab.cache import cache_folder
from meldlab.digests import import_digest
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible

Counts = dict[str, Any]
LEASE = 20.0  # seconds after which a claim that is not renewed expires
LOCK_TIMEOUT = 60  # seconds to wait for another writer
MAX_KEYS = 400  # in one query; databases limit the number of parameters
INSERT = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}

TABLES = sa.MetaData()
RUNS = sa.Table(
    "runs",
    TABLES,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("key", sa.String(64), nullable=False, unique=True),
    sa.Column("experiment", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("started", sa.Double, nullable=False),
    sa.Column("finished", sa.Double),
    sa.Column("planned", sa.BigInteger, nullable=False, default=0),
    sa.Column("note", sa.Text, nullable=False, default=""),
    sa.Column("result", sa.Text),
)
EVALUATIONS = sa.Table(
    "evaluations",
    TABLES,
    sa.Column("run", sa.ForeignKey(RUNS.c.number), primary_key=True),
    sa.Column("piece", sa.String(64), primary_key=True, key="task"),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("worker", sa.Text, nullable=False, key="function"),
    sa.Column("player", sa.Text, nullable=False),
    sa.Column("opponent", sa.Text, nullable=False),
    sa.Column("rules", sa.Text, nullable=False),
    sa.Column("arguments", sa.Text, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("first", sa.BigInteger, nullable=False),
    sa.Column("games", sa.BigInteger, nullable=False),
    sa.Column("wins", sa.BigInteger),
    sa.Column("swept", sa.BigInteger),
    sa.Column("score", sa.Double),
    sa.Column("payload", sa.Text),
    sa.Column("seconds", sa.Double),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("claimed_by", sa.Text, nullable=False),
    sa.Column("claimed_at", sa.Double, nullable=False),
    sa.Column("done_at", sa.Double),
)
QUEUE = sa.Table(
    "run_queue",
    TABLES,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("run", sa.Integer),
    sa.Column("message", sa.Text, nullable=False, default=""),
    sa.Column("claimed_by", sa.Text, nullable=False, default=""),
    sa.Column("claimed_at", sa.Double, nullable=False, default=0.0),
    sa.Column("created", sa.Double, nullable=False),
)
ADDED = {QUEUE.name}  # tables that a store of an earlier version lacks; reading it needs none of them
ROW = EVALUATIONS.c
# The modules of an experiment: the stored games, and the result where it is not computed again, are those of their code.
MODULES = {
    "contest": ("arena.tasks",),
    "track": ("reproduce.nagai.tracking",),
    "knock": ("reproduce.nagai.knocking",),
    "ensemble": ("reproduce.nagai.ensemble",),
    "best": ("tuning.cma_es", "arena.tasks"),
    "recycle analyse": ("analysis.playing",),
    "recycle search": ("analysis.playing",),
    "train": ("training.train",),
    "exploit": ("training.train",),
}
COLUMNS = ("games", "wins", "swept", "score")  # counts that a query can sum; the other ones are the payload


class StoreError(NotPossible):
    """The database does not answer: it is locked, full, or gone."""


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: sorted keys, no spaces.

    >>> canonical({"b": (1, 2.5), "a": None})
    '{"a":null,"b":[1,2.5]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise NotLegalHere(f"only plain JSON can be stored: {error}") from None


def worker_id() -> str:
    """Return a new id of a worker in this process, unique among those of the store."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(3)}"


@dataclass(frozen=True)
class TaskResult:
    """The result of a task."""

    task: str
    """The key of the task."""
    counts: str
    """Canonical JSON."""
    seconds: float


@dataclass(frozen=True)
class Run:
    """A run in the store, as it was when it was read: an experiment, its settings, and the version of the code."""

    store: "Store" = field(repr=False, compare=False)
    number: int
    experiment: str
    settings: Mapping[str, Any]
    version: str
    started: float
    finished: float | None = None
    planned: int = 0
    """The number of games of the whole run, as far as it is known."""
    notes: str = ""
    result: Any = None

    def note(self, text: str) -> None:
        """Append a line to the notes of the run."""
        with self.store.writing() as connection:
            connection.execute(RUNS.update().where(RUNS.c.number == self.number).values(note=RUNS.c.note + text.rstrip("\n") + "\n"))

    def set_total(self, games: int) -> None:
        """Set the number of games of the whole run, for its progress; the largest number counts."""
        where = (RUNS.c.number == self.number) & (RUNS.c.planned < games)
        with self.store.writing() as connection:
            connection.execute(RUNS.update().where(where).values(planned=games))

    def finish(self, result: Any) -> None:
        """Store the result of the run."""
        text = canonical(result)
        with self.store.writing() as connection:
            values = {"finished": self.store.clock(connection), "result": text}
            connection.execute(RUNS.update().where(RUNS.c.number == self.number).values(values))

    def games(self) -> int:
        """Return the number of finished games."""
        query = sa.select(sa.func.sum(ROW.games)).where(ROW.run == self.number, ROW.done_at.is_not(None))
        with self.store.reading() as connection:
            return int(connection.execute(query).scalar_one() or 0)

    def evaluations(self) -> Iterator[sa.Row[Any]]:
        """Yield the rows of finished tasks in the order in which they were finished."""
        query = sa.select(EVALUATIONS).where(ROW.run == self.number, ROW.done_at.is_not(None)).order_by(ROW.done_at, ROW.task)
        with self.store.reading() as connection:
            yield from connection.execution_options(yield_per=1000).execute(query)

    def done(self, tasks: Sequence[str]) -> dict[str, Counts]:
        """Return the counts of those of the tasks that are finished."""
        counts: dict[str, Counts] = {}
        with self.store.reading() as connection:
            for keys in _groups(tasks):
                where = (ROW.run == self.number) & ROW.task.in_(keys) & ROW.done_at.is_not(None)
                for row in connection.execute(sa.select(EVALUATIONS).where(where)):
                    counts[row.task] = counts_from_row(row)
        return counts

    def claim(self, rows: Sequence[Mapping[str, Any]], worker: str, lease: float = LEASE) -> list[str]:
        """Claim tasks that are not finished and not held, or whose lease has expired; return the keys of those that the worker holds now.

        ``rows``: see ``Task.row``. Two workers never claim the same task: the key (run, task) is unique.
        """
        claimed: list[str] = []
        with self.store.writing() as connection:
            now = self.store.clock(connection)
            mark = {"run": self.number, "version": self.version, "claimed_by": worker, "claimed_at": now}
            # Sorted, so that two claims of the same rows wait for each other in one order.
            new = sorted(({**row, **mark} for row in rows), key=lambda row: str(row["task"]))
            connection.execute(self.store.insert(EVALUATIONS).on_conflict_do_nothing(), new)
            for keys in _groups([row["task"] for row in new]):
                open_ = (ROW.run == self.number) & ROW.task.in_(keys) & ROW.done_at.is_(None)
                expired = sa.select(ROW.task).where(open_, ROW.claimed_at < now - lease).with_for_update(skip_locked=True)
                stale = list(connection.execute(expired).scalars())
                again = (ROW.run == self.number) & ROW.task.in_(stale)
                connection.execute(EVALUATIONS.update().where(again).values(claimed_by=worker, claimed_at=now))
                claimed += connection.execute(sa.select(ROW.task).where(open_, ROW.claimed_by == worker)).scalars()
        return claimed

    def renew(self, worker: str) -> None:
        """Renew the leases of the worker."""
        with self.store.writing() as connection:
            connection.execute(EVALUATIONS.update().where(self._held(worker)).values(claimed_at=self.store.clock(connection)))

    def release(self, worker: str) -> None:
        """Release the claims of the worker on unfinished tasks."""
        with self.store.writing() as connection:
            connection.execute(EVALUATIONS.delete().where(self._held(worker)))

    def write(self, results: Iterable[TaskResult]) -> None:
        """Write results, all or none; a task that another worker has finished stays unchanged."""
        rows = []
        for result in results:
            counts = json.loads(result.counts)
            columns = {name: counts.pop(name, None) for name in COLUMNS[1:]}
            counts.pop("games", None)
            rows.append({"a_run": self.number, "a_task": result.task, "payload": canonical(counts), "seconds": result.seconds, **columns})
        where = (ROW.run == sa.bindparam("a_run")) & (ROW.task == sa.bindparam("a_task")) & ROW.done_at.is_(None)
        if rows:
            with self.store.writing() as connection:
                connection.execute(EVALUATIONS.update().where(where).values(done_at=self.store.clock(connection)), rows)

    def save_part(self, key: str, number: int, payload: Mapping[str, Any]) -> None:
        """Save a part of a run that does not play games, such as a decision of a review; one that is saved stays unchanged."""
        texts = dict.fromkeys(("label", "player", "opponent", "rules", "claimed_by"), "")
        numbers = {"seed": 0, "first": number, "games": 1, "seconds": 0.0}
        texts |= {"function": "part", "arguments": "{}", "payload": canonical(payload), "version": self.version}
        with self.store.writing() as connection:
            now = self.store.clock(connection)
            values = {"run": self.number, "task": key, **texts, **numbers, "claimed_at": now, "done_at": now}
            connection.execute(self.store.insert(EVALUATIONS).on_conflict_do_nothing(), values)

    def parts(self) -> list[Counts]:
        """Return the saved parts in the order of their numbers."""
        query = sa.select(ROW.payload).where(ROW.run == self.number, ROW.function == "part", ROW.done_at.is_not(None)).order_by(ROW.first)
        with self.store.reading() as connection:
            return [json.loads(payload) for payload in connection.execute(query).scalars()]

    def _held(self, worker: str) -> sa.ColumnElement[bool]:
        return sa.and_(ROW.run == self.number, ROW.claimed_by == worker, ROW.done_at.is_(None))


@dataclass(frozen=True)
class Store:
    """Runs and their evaluations in a database."""

    engine: sa.Engine
    insert: Any
    """The insert of the dialect, which can ignore rows that exist."""

    @classmethod
    def open(cls, url: str | Path | None = None, lock_timeout: float = LOCK_TIMEOUT) -> "Store":
        """Open the store of a URL or of a file, by default ``runs.sqlite`` in the cache; create missing tables.

        ``lock_timeout``: seconds that a query waits for a writer of SQLite.
        """
        engine = _engine(_url(url))
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "connect", partial(_prepare, lock_timeout))
        store = cls(engine, INSERT[engine.dialect.name])
        with store.writing() as connection:
            if engine.dialect.name == "postgresql":
                # Two processes that create the tables at the same time would fail.
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7266)"))
            for table in TABLES.sorted_tables:
                connection.execute(sa.schema.CreateTable(table, if_not_exists=True))
            store._verify(connection)
        return store

    @classmethod
    def open_read_only(cls, url: str | Path | None = None) -> "Store":
        """Open an existing store without write access; the file may be in a folder that is read-only."""
        address = _url(url)
        if not _exists(address):
            raise NotPossible(f"no store in {address.database}")
        for engine in _reading_engines(address):
            store = cls(engine, INSERT[engine.dialect.name])
            try:
                with store.reading() as connection:
                    store._verify(connection)
                return store
            except NotPossible as error:
                last = error
        raise last

    def _verify(self, connection: sa.Connection) -> None:
        inspector = sa.inspect(connection)
        known = set(inspector.get_table_names())
        for table in TABLES.sorted_tables:
            if table.name not in known and table.name not in ADDED:
                raise NotPossible(f"{self} is not a store: it has no table {table.name}")
            if table.name in known and not {column["name"] for column in inspector.get_columns(table.name)} >= {
                c.name for c in table.columns
            }:
                raise NotPossible(f"the table {table.name} in {self} is of another version of meldlab; name another store")

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """Return a connection in a transaction."""
        return self._connected(self.engine.begin)

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """Return a connection for queries."""
        return self._connected(self.engine.connect)

    @contextmanager
    def _connected(self, connect: Callable[[], AbstractContextManager[sa.Connection]]) -> Iterator[sa.Connection]:
        try:
            with connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreError(f"the store {self} does not answer: {_first_line(error)}") from error

    def clock(self, connection: sa.Connection) -> float:
        """Return the seconds since 1970 by the clock that all processes on the store share."""
        if self.engine.dialect.name == "postgresql":
            return float(connection.execute(sa.select(sa.extract("epoch", sa.func.clock_timestamp()))).scalar_one())
        return time.time()

    def run(self, experiment: str, settings: Mapping[str, Any]) -> Run:
        """Return the run of this experiment, settings and code version; create it if it is new."""
        key, text = _key(experiment, settings), canonical(dict(settings))
        with self.writing() as connection:
            new = {
                "key": key,
                "experiment": experiment,
                "settings": text,
                "version": code_version(experiment),
                "started": self.clock(connection),
            }
            connection.execute(self.insert(RUNS).on_conflict_do_nothing(index_elements=["key"]), new)
            row = connection.execute(sa.select(RUNS).where(RUNS.c.key == key)).one()
        return self._run(row)

    @classmethod
    def find_run(cls, url: str | Path | None, experiment: str, settings: Mapping[str, Any]) -> Run | None:
        """Return the run that ``run`` would resume, or None; create neither a store nor a run."""
        if not _exists(_url(url)):
            return None
        store = cls.open_read_only(url)
        with store.reading() as connection:
            row = connection.execute(sa.select(RUNS).where(RUNS.c.key == _key(experiment, settings))).one_or_none()
        return None if row is None else store._run(row)

    @contextmanager
    def start_run(self, experiment: str, settings: Mapping[str, Any]) -> Iterator[Run]:
        """Yield a new or resumed run; delete it if it fails before its first task and its first note."""
        run = self.run(experiment, settings)
        try:
            yield run
        except BaseException:
            empty = ~sa.exists().where(ROW.run == run.number) & (RUNS.c.note == "")
            with self.writing() as connection:
                connection.execute(RUNS.delete().where(RUNS.c.number == run.number, RUNS.c.finished.is_(None), empty))
            raise

    def runs(self) -> list[Run]:
        """Return all runs, oldest first."""
        with self.reading() as connection:
            return [self._run(row) for row in connection.execute(sa.select(RUNS).order_by(RUNS.c.number))]

    def find(self, number: int) -> Run:
        """Return the run with this number."""
        with self.reading() as connection:
            row = connection.execute(sa.select(RUNS).where(RUNS.c.number == number)).one_or_none()
            if row is not None:
                return self._run(row)
            known = connection.execute(sa.select(RUNS.c.number).order_by(RUNS.c.number.desc()).limit(10)).scalars()
            raise NoSuchThing("run", number, [*map(str, reversed([*known]))] or ["another store: this one is empty"])

    def __str__(self) -> str:
        return self.engine.url.render_as_string()

    def _run(self, row: Any) -> Run:
        settings, result = json.loads(row.settings), None if row.result is None else json.loads(row.result)
        return Run(self, row.number, row.experiment, settings, row.version, row.started, row.finished, row.planned, row.note, result)


@cache
def code_version(experiment: str = "") -> str:
    """Return the version of the package with a digest of the code that results of an experiment depend on; without a name, of all."""
    modules = MODULES.get(experiment) or sorted(set(chain(*MODULES.values())))
    return f"{__version__}+{import_digest(*modules)[:8]}"


def _key(experiment: str, settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical([experiment, canonical(dict(settings)), code_version(experiment)]).encode()).hexdigest()


def default_store() -> Path:
    """Return the path of the default store."""
    return cache_folder() / "runs.sqlite"


def counts_from_row(row: Any) -> Counts:
    """Return the counts of a finished task."""
    columns = {name: getattr(row, name) for name in COLUMNS if getattr(row, name) is not None}
    return {**json.loads(row.payload), **columns}


def _url(url: str | Path | None) -> sa.URL:
    text = str(url if url is not None else default_store())
    if "://" not in text:
        return sa.URL.create("sqlite", database=text)
    try:
        address = sa.make_url(text)
        address.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise NotPossible(f"{text} is not a store: {_first_line(error)}") from None
    except ModuleNotFoundError as error:
        raise _missing_driver(error) from None
    return address


def _exists(address: sa.URL) -> bool:
    return address.get_backend_name() != "sqlite" or bool(address.database and Path(address.database).is_file())


def _missing_driver(error: ModuleNotFoundError) -> NotPossible:
    return NotPossible(f"a store of this kind needs {error.name}: pip install 'meldlab[cluster]'")


def _engine(address: sa.URL, **options: Any) -> sa.Engine:
    if address.get_backend_name() not in INSERT:
        raise NoSuchThing("kind of store", address.get_backend_name(), ["FILE.sqlite", "sqlite:///FILE", "postgresql+psycopg://HOST/NAME"])
    if address.get_backend_name() == "sqlite" and address.database in (None, "", ":memory:"):
        raise NotLegalHere("expected a file or a server as the store, got memory, which is lost with the process")
    try:
        return sa.create_engine(address, pool_pre_ping=address.get_backend_name() == "postgresql", **options)
    except ModuleNotFoundError as error:
        raise _missing_driver(error) from None


def _reading_engines(address: sa.URL) -> Iterator[sa.Engine]:
    """Yield engines to read a store with; the next is for the case that the one before fails."""
    if address.get_backend_name() != "sqlite":
        yield _engine(address)
        return
    # SQLite writes a log next to the file even to read it. Where it cannot, no process writes, and the file can be read as immutable.
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        file = f"{Path(str(address.database)).resolve().as_uri()}?{mode}"
        yield _engine(address, creator=lambda file=file: sqlite3.connect(file, uri=True, timeout=LOCK_TIMEOUT, check_same_thread=False))


def _prepare(lock_timeout: float, connection: Any, _: Any) -> None:
    # Readers do not wait for writers; a commit survives the end of the process, but not a power failure.
    connection.execute("PRAGMA busy_timeout = 20")
    deadline = time.monotonic() + lock_timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Two processes that change a new file at the same time may wait for each other: try again.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(secrets.randbelow(50) / 1000)
    for pragma in (f"busy_timeout = {round(1000 * lock_timeout)}", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _groups(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + MAX_KEYS] for start in range(0, len(keys), MAX_KEYS))


def _first_line(error: Exception) -> str:
    text = str(getattr(error, "orig", None) or error).strip()
    return text.splitlines()[0] if text else type(error).__name__
