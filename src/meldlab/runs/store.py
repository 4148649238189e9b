"""The store: every evaluation of every search is a row, so that a search killed at any moment goes on where it was.

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
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from meldlab import __version__
from meldlab.cache import cache_folder
from meldlab.digests import code_digest
from meldlab.errors import NoSuchThing, NotLegalHere, NotPossible

__all__ = ["LEASE", "Counts", "Done", "Run", "Store", "canonical", "claimant"]

Counts = dict[str, Any]
LEASE = 60.0  # seconds after which a claim that nobody renews is free again
PATIENCE = 60  # seconds to wait for others who write
MANY = 400  # keys in one question; databases limit the number of parameters
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
    sa.Column("piece", sa.String(64), primary_key=True),
    sa.Column("label", sa.Text, nullable=False),
    sa.Column("worker", sa.Text, nullable=False),
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
ROW = EVALUATIONS.c
COLUMNS = ("games", "wins", "swept", "score")  # what a worker counts and a question can sum up; everything else is payload


def canonical(value: Any) -> str:
    """Return the one JSON text of a value, whatever the order of its keys.

    >>> canonical({"b": (1, 2.5), "a": None})
    '{"a":null,"b":[1,2.5]}'
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as problem:
        raise NotLegalHere(f"only plain JSON can be kept in the store: {problem}") from None


def claimant(process: int | None = None) -> str:
    """Return a new name for who works in this process, or in another of this machine, to tell the others on the same store."""
    return f"{_machine()}:{os.getpid() if process is None else process}:{secrets.token_hex(3)}"


@dataclass(frozen=True)
class Done:
    """One piece that came back from its worker."""

    piece: str
    counts: str
    """What was counted, as canonical JSON."""
    seconds: float


@dataclass(frozen=True)
class Run:
    """One search in the store, as it stood when it was read."""

    store: "Store" = field(repr=False, compare=False)
    number: int
    experiment: str
    settings: Mapping[str, Any]
    version: str
    started: float
    finished: float | None = None
    planned: int = 0
    """Games of the whole search, as far as it is known."""
    notes: str = ""
    result: Any = None

    def note(self, text: str) -> None:
        """Keep a remark with the run, below those it has."""
        with self.store.writing() as connection:
            connection.execute(RUNS.update().where(RUNS.c.number == self.number).values(note=RUNS.c.note + text.rstrip("\n") + "\n"))

    def plan(self, games: int) -> None:
        """Say how many games the whole search takes, for those who watch it; the largest number said counts."""
        where = (RUNS.c.number == self.number) & (RUNS.c.planned < games)
        with self.store.writing() as connection:
            connection.execute(RUNS.update().where(where).values(planned=games))

    def finish(self, result: Any) -> None:
        """Keep the answer of the search."""
        text = canonical(result)
        with self.store.writing() as connection:
            values = {"finished": self.store.clock(connection), "result": text}
            connection.execute(RUNS.update().where(RUNS.c.number == self.number).values(values))

    def games(self) -> int:
        """Return how many games are done."""
        question = sa.select(sa.func.sum(ROW.games)).where(ROW.run == self.number, ROW.done_at.is_not(None))
        with self.store.reading() as connection:
            return int(connection.execute(question).scalar_one() or 0)

    def evaluations(self) -> Iterator[sa.Row[Any]]:
        """Yield the rows that are done, in the order in which they were done."""
        question = sa.select(EVALUATIONS).where(ROW.run == self.number, ROW.done_at.is_not(None)).order_by(ROW.done_at, ROW.piece)
        with self.store.reading() as connection:
            yield from connection.execution_options(yield_per=1000).execute(question)

    def done(self, pieces: Sequence[str]) -> dict[str, Counts]:
        """Return what was counted in those of the pieces that are done."""
        found: dict[str, Counts] = {}
        with self.store.reading() as connection:
            for some in _groups(pieces):
                where = (ROW.run == self.number) & ROW.piece.in_(some) & ROW.done_at.is_not(None)
                for row in connection.execute(sa.select(EVALUATIONS).where(where)):
                    found[row.piece] = counts_of(row)
        return found

    def claim(self, rows: Sequence[Mapping[str, Any]], owner: str, lease: float = LEASE) -> list[str]:
        """Claim pieces that nobody has done and nobody holds, or whose holder is gone; return the keys that are the owner's now.

        A row is what ``Shard.row`` gives. Two processes that claim the same piece at the same time do not both get it: the key
        (run, piece) is unique.
        """
        mine: list[str] = []
        with self.store.writing() as connection:
            now = self.store.clock(connection)
            mark = {"run": self.number, "version": self.version, "claimed_by": owner, "claimed_at": now}
            # Sorted, so that two claims of the same rows wait for each other in one order.
            fresh = sorted(({**row, **mark} for row in rows), key=lambda row: str(row["piece"]))
            connection.execute(self.store.insert(EVALUATIONS).on_conflict_do_nothing(), fresh)
            for some in _groups([row["piece"] for row in fresh]):
                open_ = (ROW.run == self.number) & ROW.piece.in_(some) & ROW.done_at.is_(None)
                holders = connection.execute(sa.select(ROW.claimed_by).where(open_).distinct()).scalars()
                gone = [holder for holder in holders if holder != owner and not _lives(holder)]
                left = open_ & ((ROW.claimed_at < now - lease) | ROW.claimed_by.in_(gone))
                stale = list(connection.execute(sa.select(ROW.piece).where(left).with_for_update(skip_locked=True)).scalars())
                again = (ROW.run == self.number) & ROW.piece.in_(stale)
                connection.execute(EVALUATIONS.update().where(again).values(claimed_by=owner, claimed_at=now))
                mine += connection.execute(sa.select(ROW.piece).where(open_, ROW.claimed_by == owner)).scalars()
        return mine

    def renew(self, owner: str) -> None:
        """Say that the owner is alive and still holds its claims."""
        with self.store.writing() as connection:
            connection.execute(EVALUATIONS.update().where(self._held(owner)).values(claimed_at=self.store.clock(connection)))

    def release(self, owner: str) -> None:
        """Give back every claim that is not done."""
        with self.store.writing() as connection:
            connection.execute(EVALUATIONS.delete().where(self._held(owner)))

    def write(self, pieces: Iterable[Done]) -> None:
        """Write finished pieces, all or none; a piece that somebody else has finished stays as it is."""
        rows = []
        for one in pieces:
            counts = json.loads(one.counts)
            columns = {name: counts.pop(name, None) for name in COLUMNS[1:]}
            counts.pop("games", None)
            rows.append({"a_run": self.number, "a_piece": one.piece, "payload": canonical(counts), "seconds": one.seconds, **columns})
        where = (ROW.run == sa.bindparam("a_run")) & (ROW.piece == sa.bindparam("a_piece")) & ROW.done_at.is_(None)
        if rows:
            with self.store.writing() as connection:
                connection.execute(EVALUATIONS.update().where(where).values(done_at=self.store.clock(connection)), rows)

    def _held(self, owner: str) -> sa.ColumnElement[bool]:
        return sa.and_(ROW.run == self.number, ROW.claimed_by == owner, ROW.done_at.is_(None))


@dataclass(frozen=True)
class Store:
    """Runs and their evaluations in a database."""

    engine: sa.Engine
    insert: Any
    """How rows are inserted that may exist already; each database has its own words for it."""

    @classmethod
    def open(cls, url: str | Path | None = None) -> "Store":
        """Open the store of a URL or of a file, by default ``runs.sqlite`` in the cache; tables are made if there are none."""
        engine = _engine(_url(url))
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "connect", _prepare)
        store = cls(engine, INSERT[engine.dialect.name])
        with store.writing() as connection:
            if engine.dialect.name == "postgresql":
                # Two processes that make the tables at the same time would trip over each other.
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7266)"))
            for table in TABLES.sorted_tables:
                connection.execute(sa.schema.CreateTable(table, if_not_exists=True))
            store._verify(connection)
        return store

    @classmethod
    def look(cls, url: str | Path | None = None) -> "Store":
        """Open a store that is there, to read only: nothing is made or changed, and it may lie where nobody can write."""
        place = _url(url)
        if place.get_backend_name() == "sqlite" and not (place.database and Path(place.database).is_file()):
            raise NotPossible(f"no store in {place.database}")
        for engine in _reading_engines(place):
            store = cls(engine, INSERT[engine.dialect.name])
            try:
                with store.reading() as connection:
                    store._verify(connection)
                return store
            except NotPossible as problem:
                last = problem
        raise last

    def _verify(self, connection: sa.Connection) -> None:
        looked = sa.inspect(connection)
        known = set(looked.get_table_names())
        for table in TABLES.sorted_tables:
            if table.name not in known:
                raise NotPossible(f"{self} is no store: it has no table {table.name}")
            if not {column["name"] for column in looked.get_columns(table.name)} >= set(table.columns.keys()):
                raise NotPossible(f"the table {table.name} in {self} is of another version of meldlab; name another store")

    def writing(self) -> AbstractContextManager[sa.Connection]:
        """Give a connection whose changes are kept all together or not at all."""
        return self._connected(self.engine.begin)

    def reading(self) -> AbstractContextManager[sa.Connection]:
        """Give a connection to ask with."""
        return self._connected(self.engine.connect)

    @contextmanager
    def _connected(self, connect: Callable[[], AbstractContextManager[sa.Connection]]) -> Iterator[sa.Connection]:
        try:
            with connect() as connection:
                yield connection
        except SQLAlchemyError as problem:
            raise NotPossible(f"the store {self} does not answer: {_first_line(problem)}") from problem

    def clock(self, connection: sa.Connection) -> float:
        """Return the seconds since 1970, from the one clock that all who share the store go by."""
        if self.engine.dialect.name == "postgresql":
            return float(connection.execute(sa.select(sa.extract("epoch", sa.func.clock_timestamp()))).scalar_one())
        return time.time()

    def run(self, experiment: str, settings: Mapping[str, Any]) -> Run:
        """Return the run of this experiment, these settings and this version, started now if it is new: so a search resumes."""
        key, kept = _key(experiment, settings), canonical(dict(settings))
        with self.writing() as connection:
            row = {"key": key, "experiment": experiment, "settings": kept, "version": code_version(), "started": self.clock(connection)}
            connection.execute(self.insert(RUNS).on_conflict_do_nothing(index_elements=["key"]), row)
            found = connection.execute(sa.select(RUNS).where(RUNS.c.key == key)).one()
        return self._run(found)

    @classmethod
    def known(cls, url: str | Path | None, experiment: str, settings: Mapping[str, Any]) -> Run | None:
        """Return the run that ``run`` would go on with, if there is a store and it has one; nothing is made or started."""
        place = _url(url)
        if place.get_backend_name() == "sqlite" and not (place.database and Path(place.database).is_file()):
            return None
        store = cls.look(url)
        with store.reading() as connection:
            found = connection.execute(sa.select(RUNS).where(RUNS.c.key == _key(experiment, settings))).one_or_none()
        return None if found is None else store._run(found)

    @contextmanager
    def search(self, experiment: str, settings: Mapping[str, Any]) -> Iterator[Run]:
        """Give the run of a search; one that fails before it has done anything leaves none behind."""
        run = self.run(experiment, settings)
        try:
            yield run
        except BaseException:
            empty = ~sa.exists().where(ROW.run == run.number)
            with self.writing() as connection:
                connection.execute(RUNS.delete().where(RUNS.c.number == run.number, RUNS.c.finished.is_(None), empty))
            raise

    def runs(self) -> list[Run]:
        """Return every run, the oldest first."""
        with self.reading() as connection:
            return [self._run(row) for row in connection.execute(sa.select(RUNS).order_by(RUNS.c.number))]

    def find(self, number: int) -> Run:
        """Return the run of a number."""
        runs = {run.number: run for run in self.runs()}
        if number not in runs:
            raise NoSuchThing("run", number, [str(each) for each in runs][-10:] or ["another store: this one is empty"])
        return runs[number]

    def __str__(self) -> str:
        return self.engine.url.render_as_string()

    def _run(self, row: Any) -> Run:
        settings, result = json.loads(row.settings), None if row.result is None else json.loads(row.result)
        return Run(self, row.number, row.experiment, settings, row.version, row.started, row.finished, row.planned, row.note, result)


@cache
def code_version() -> str:
    """Return the version of the code that plays: that of the package, and a digest of what plays, analyses and tunes."""
    digest = code_digest(
        *("analysis", "arena", "games", "reports", "reproduce", "runs", "tuning"),
        *("gin", "play", "recycle", "rummikub", "stopping", "waiting", "melds", "cards", "chance"),
        *("cache", "compiling", "cost", "digests", "errors", "formatting", "gpu", "indexing", "linking", "parallel", "statistics"),
    )
    return f"{__version__}+{digest[:8]}"


def _key(experiment: str, settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical([experiment, canonical(dict(settings)), code_version()]).encode()).hexdigest()


def default_store() -> Path:
    """Return the file that is the store where none is named."""
    return cache_folder() / "runs.sqlite"


def counts_of(row: Any) -> Counts:
    """Return what a worker counted, from its row."""
    columns = {name: getattr(row, name) for name in COLUMNS if getattr(row, name) is not None}
    return {**json.loads(row.payload), **columns}


def _url(url: str | Path | None) -> sa.URL:
    text = str(url if url is not None else default_store())
    if "://" not in text:
        return sa.URL.create("sqlite", database=text)
    try:
        place = sa.make_url(text)
        place.get_dialect()
    except (ArgumentError, NoSuchModuleError, ValueError) as problem:
        raise NotPossible(f"{text} is no store: {_first_line(problem)}") from None
    except ModuleNotFoundError as problem:
        raise NotPossible(f"a store of this kind needs {problem.name}: pip install 'meldlab[cluster]'") from None
    return place


def _engine(place: sa.URL, **options: Any) -> sa.Engine:
    if place.get_backend_name() not in INSERT:
        raise NoSuchThing("kind of store", place.get_backend_name(), ["FILE.sqlite", "sqlite:///FILE", "postgresql+psycopg://HOST/NAME"])
    if place.get_backend_name() == "sqlite" and place.database in (None, "", ":memory:"):
        raise NotLegalHere("a store is a file or a server; memory would be gone with the process")
    try:
        return sa.create_engine(place, pool_pre_ping=place.get_backend_name() == "postgresql", **options)
    except ModuleNotFoundError as problem:
        raise NotPossible(f"a store of this kind needs {problem.name}: pip install 'meldlab[cluster]'") from None


def _reading_engines(place: sa.URL) -> Iterator[sa.Engine]:
    """Yield ways to open a store to read, the next one where the one before fails."""
    if place.get_backend_name() != "sqlite":
        yield _engine(place)
        return
    # SQLite keeps a log beside the file, even to read; where it cannot, nobody writes either, and the file may be taken as it is.
    for how in ("mode=ro", "mode=ro&immutable=1"):
        file = f"{Path(str(place.database)).resolve().as_uri()}?{how}"
        yield _engine(place, creator=lambda file=file: sqlite3.connect(file, uri=True, timeout=PATIENCE, check_same_thread=False))


def _prepare(connection: Any, _: Any) -> None:
    # Readers do not wait for writers; a commit survives the end of the process, if not that of the machine's power.
    connection.execute("PRAGMA busy_timeout = 20")
    patience = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as problem:
            # Two who change a new file at the same time may each hold what the other waits for: step back and try again.
            if "locked" not in str(problem) or time.monotonic() > patience:
                raise
            time.sleep(secrets.randbelow(50) / 1000)
    for pragma in (f"busy_timeout = {1000 * PATIENCE}", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _lives(holder: str) -> bool:
    """Tell whether a holder may be alive: on another machine it may, on this one its process says so."""
    machine, number, _ = holder.rsplit(":", 2)
    if machine != _machine() or os.name != "posix":
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@cache
def _machine() -> str:
    # Machines may share a name, and containers a machine; what numbers processes here has marks of its own.
    marks = [Path(name).read_text() for name in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id") if os.access(name, os.R_OK)]
    marks += [os.readlink(name) for name in ("/proc/self/ns/pid",) if os.path.islink(name)]
    return f"{socket.gethostname()}/{hashlib.sha256(canonical(marks).encode()).hexdigest()[:8]}"


def _groups(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + MANY] for start in range(0, len(keys), MANY))


def _first_line(problem: Exception) -> str:
    told = str(getattr(problem, "orig", None) or problem)
    return told.strip().splitlines()[0] if told.strip() else type(problem).__name__
