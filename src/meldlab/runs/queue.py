"""The queue of runs: submitted by users and commands, claimed by workers under a lease.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     queue = RunQueue(Store.open(f"{folder}/runs.sqlite"))
...     first, second = (queue.submit("ann", "contest", {"seed": seed}) for seed in (1, 2))
...     other = queue.submit("bob", "contest", {"seed": 3})
...     [claimed.owner for claimed in (queue.claim("worker 1"), queue.claim("worker 2"))]
['ann', 'bob']
"""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from meldlab.digests import load_object
from meldlab.errors import MeldlabError, NoSuchThing, NotPossible
from meldlab.parallel import Progress, no_progress
from meldlab.runs.store import LEASE, QUEUE, Run, Store, canonical, worker_id
from meldlab.runs.tasks import POLL_SECONDS, renewing

KINDS = {"contest": "meldlab.arena.tasks:run_contest"} | dict.fromkeys(("train", "exploit"), "meldlab.training.train:run_training")
"""The function of each kind of run: ``f(run, settings, progress)`` returns its result as plain JSON."""
OPEN = ("queued", "running")
COMMAND_LINE = "command line"  # the owner of runs in the foreground of a command, which are claimed by id only


class Lost(NotPossible):
    """The run was cancelled, or its lease expired and another worker has claimed it."""


@dataclass(frozen=True)
class QueuedRun:
    """An entry of the queue as it was when it was read."""

    id: int
    owner: str
    kind: str
    settings: Mapping[str, Any]
    state: str
    """``queued``, ``running``, ``finished``, ``failed`` or ``cancelled``."""
    run: int | None
    """The number of its run in the store, once it has started."""
    message: str
    claimed_by: str
    claimed_at: float
    created: float


class RunQueue:
    """The queue of a store; every method is one transaction."""

    def __init__(self, store: Store, lease: float = LEASE) -> None:
        self.store, self.lease = store, lease

    def submit(self, owner: str, kind: str, settings: Mapping[str, Any]) -> QueuedRun:
        """Add a run; return the entry of the owner that waits or runs with the same settings if there is one."""
        text = canonical(dict(settings))
        same = (QUEUE.c.owner == owner) & (QUEUE.c.kind == kind) & (QUEUE.c.settings == text) & QUEUE.c.state.in_(OPEN)
        with self.store.writing() as connection:
            self._lock(connection)
            row = connection.execute(sa.select(QUEUE).where(same).order_by(QUEUE.c.id)).first()
            if row is None:
                values = {"owner": owner, "kind": kind, "settings": text, "state": "queued", "created": self.store.clock(connection)}
                row = connection.execute(QUEUE.insert().values(values).returning(QUEUE)).one()
        return _queued_run(row)

    def claim(self, worker: str, id: int | None = None, kinds: Sequence[str] | None = None) -> QueuedRun | None:
        """Claim an entry that is queued or whose lease has expired: that with ``id``, or the next one.

        The next one is the oldest of the owner with the fewest running entries, so that no owner waits for all runs of another.
        """
        with self.store.writing() as connection:
            now = self.store.clock(connection)
            expired = (QUEUE.c.state == "running") & (QUEUE.c.claimed_at < now - self.lease)
            open_ = (QUEUE.c.state == "queued") | expired
            open_ &= QUEUE.c.owner != COMMAND_LINE if id is None else QUEUE.c.id == id
            if kinds is not None:
                open_ &= QUEUE.c.kind.in_(kinds)
            other = QUEUE.alias()
            live = (other.c.owner == QUEUE.c.owner) & (other.c.state == "running") & (other.c.claimed_at >= now - self.lease)
            num_running = sa.select(sa.func.count()).select_from(other).where(live).correlate(QUEUE).scalar_subquery()
            best = sa.select(QUEUE.c.id).where(open_).order_by(num_running, QUEUE.c.id).limit(1).with_for_update(skip_locked=True)
            values = {"state": "running", "claimed_by": worker, "claimed_at": now}
            update = QUEUE.update().where(QUEUE.c.id == best.scalar_subquery()).values(values).returning(QUEUE)
            row = connection.execute(update).one_or_none()
        return None if row is None else _queued_run(row)

    def renew(self, id: int, worker: str) -> bool:
        """Renew the lease of a worker; return whether the worker still holds the entry."""
        with self.store.writing() as connection:
            return self._update(connection, id, worker, claimed_at=self.store.clock(connection))

    def start(self, id: int, worker: str, run: int) -> None:
        """Set the number of the run in the store."""
        self._end(id, worker, run=run)

    def finish(self, id: int, worker: str) -> None:
        """Mark an entry as finished."""
        self._end(id, worker, state="finished", message="")

    def fail(self, id: int, worker: str, message: str) -> None:
        """Mark an entry as failed, with the reason."""
        self._end(id, worker, state="failed", message=message)

    def release(self, id: int, worker: str, message: str = "") -> None:
        """Put an entry back into the queue."""
        self._end(id, worker, state="queued", claimed_by="", message=message)

    def cancel(self, id: int) -> bool:
        """Cancel an entry that is queued or running; return whether it was. Its worker stops at the next renewal."""
        where = (QUEUE.c.id == id) & QUEUE.c.state.in_(OPEN)
        with self.store.writing() as connection:
            return bool(connection.execute(QUEUE.update().where(where).values(state="cancelled")).rowcount)

    def entry(self, id: int) -> QueuedRun:
        """Return an entry."""
        with self.store.reading() as connection:
            row = connection.execute(sa.select(QUEUE).where(QUEUE.c.id == id)).one_or_none()
        if row is None:
            raise NotPossible(f"no entry {id} in the queue of {self.store}")
        return _queued_run(row)

    def entries(self, owner: str | None = None, states: Sequence[str] = OPEN) -> list[QueuedRun]:
        """Return the entries in some states, oldest first."""
        where = QUEUE.c.state.in_(states) & (sa.true() if owner is None else QUEUE.c.owner == owner)
        with self.store.reading() as connection:
            return [_queued_run(row) for row in connection.execute(sa.select(QUEUE).where(where).order_by(QUEUE.c.id))]

    def _end(self, id: int, worker: str, **values: Any) -> None:
        with self.store.writing() as connection:
            held = self._update(connection, id, worker, **values)
        if not held:
            raise Lost(f"the run {id} was cancelled, or another process has taken it over")

    def _update(self, connection: sa.Connection, id: int, worker: str, **values: Any) -> bool:
        held = (QUEUE.c.id == id) & (QUEUE.c.state == "running") & (QUEUE.c.claimed_by == worker)
        return bool(connection.execute(QUEUE.update().where(held).values(values)).rowcount)

    def _lock(self, connection: sa.Connection) -> None:
        """Let submissions wait for each other; SQLite has one writer, but only from its first write on."""
        if self.store.engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(7267)"))
        else:
            connection.execute(QUEUE.delete().where(sa.false()))


def execute(queue: RunQueue, queued: QueuedRun, progress: Progress = no_progress) -> Any:
    """Execute an entry that its worker has claimed, and return the result; renew the lease meanwhile.

    An interrupted run is put back into the queue, a failed one is marked.
    ``Lost`` is raised at the next call of ``progress`` after the entry was cancelled or taken over.
    """
    id, worker, lost = queued.id, queued.claimed_by, threading.Event()

    def renew() -> None:
        if not queue.renew(id, worker):
            lost.set()

    def report(done: float, total: float, message: str) -> None:
        if lost.is_set():
            raise Lost(f"the run {id} was cancelled, or another process has taken it over")
        progress(done, total, message)

    try:
        function = _load(queued.kind)
        with renewing(renew, queue.lease), queue.store.start_run(queued.kind, queued.settings) as run:
            queue.start(id, worker, run.number)
            result = function(run, queued.settings, report)
            report(1, 1, "")
            run.finish(result)
    except Lost:
        raise
    except MeldlabError as error:
        with suppress(MeldlabError):
            queue.fail(id, worker, str(error))
        raise
    except BaseException:
        with suppress(MeldlabError):
            queue.release(id, worker, "interrupted")
        raise
    queue.finish(id, worker)
    return result


def execute_here(store: Store, kind: str, settings: Mapping[str, Any], progress: Progress = no_progress) -> Any:
    """Submit a run of the command line, execute it in this process, and return its result.

    The lease of a process that was killed is waited for; a run that another process executes is an error.
    """
    queue, worker = RunQueue(store), worker_id()
    id = queue.submit(COMMAND_LINE, kind, settings).id
    deadline = time.monotonic() + queue.lease + POLL_SECONDS
    while (claimed := queue.claim(worker, id)) is None:
        if time.monotonic() > deadline:
            raise NotPossible(f"this run is in progress in another process ({queue.entry(id).claimed_by})")
        time.sleep(POLL_SECONDS)
    return execute(queue, claimed, progress)


def _load(kind: str) -> Callable[[Run, Mapping[str, Any], Progress], Any]:
    if kind not in KINDS:
        raise NoSuchThing("kind of run", kind, list(KINDS))
    function: Callable[[Run, Mapping[str, Any], Progress], Any] = load_object(KINDS[kind])
    return function


def _queued_run(row: Any) -> QueuedRun:
    return QueuedRun(**{**row._mapping, "settings": json.loads(row.settings)})
