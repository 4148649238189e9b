"""Long work: each piece in a process of its own, with progress, cancelled by ending it, saved in the store and started again after a crash.

A job is a function ``f(progress, **arguments) -> JSON``; ``progress(done, total, says)`` tells how far it is. What it has found it may
keep by ``progress.keep(piece)``, and has it in ``progress.pieces`` when it begins again; or it keeps runs at ``progress.store``.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection
from typing import Any

from meldlab.digests import load_object
from meldlab.errors import MeldlabError
from meldlab.runs.store import canonical
from meldlab.web.errors import QueueFull
from meldlab.web.repository import Job, Repository
from meldlab.web.settings import Settings
from meldlab.web.workers import SPAWN, bound_process

ENDED = ("done", "failed", "cancelled")
# What can be asked for, by the name that the store has of it.
KINDS: dict[str, str] = {}
LOOK = 0.2  # seconds between two looks at what has changed


class Reporter:
    """Progress of a job, sent to the server, but not more often than the page updates; the results saved before, and where the store is."""

    def __init__(self, ours: Connection, store: str | None, pieces: list[Any]) -> None:
        self.ours, self.store, self.pieces, self.last = ours, store, pieces, 0.0

    def __call__(self, done: float, total: float, says: str = "") -> None:
        """Tell what is done of a total, and what the person may read."""
        if time.monotonic() > self.last + LOOK or done >= total:
            self.last = time.monotonic()
            self.ours.send(("progress", (float(done), float(total), says)))

    def keep(self, piece: Any) -> None:
        """Keep a piece, plain JSON, until the work has ended; one that begins again has it."""
        self.ours.send(("piece", canonical(piece)))


def _work(ours: Connection, name: str, arguments: dict[str, Any], memory: int, store: str | None, pieces: list[Any]) -> None:
    bound_process(memory, niceness=5)
    progress = Reporter(ours, store, pieces)
    try:
        ours.send(("done", canonical(load_object(name)(progress, **arguments))))
    except MeldlabError as error:
        ours.send(("failed", str(error)))
    except MemoryError:
        ours.send(("failed", "there was not enough memory"))
    except (BrokenPipeError, ConnectionError):
        os._exit(1)  # the server is gone
    except Exception as bug:
        print(f"meldlab serve: {name}: {type(bug).__name__}: {bug}", file=sys.stderr, flush=True)
        ours.send(("failed", f"a mistake of the laboratory: {type(bug).__name__}"))


class Jobs:
    """The work of a server: some of it runs, some waits."""

    def __init__(self, repository: Repository, settings: Settings) -> None:
        self.repository, self.settings = repository, settings
        self.running: dict[str, Any] = {}
        self.job_added = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Resume what was unfinished when the server stopped."""
        for job in self.repository.jobs("running", "waiting"):
            self.repository.change_job(job.id, state="waiting")
        self.tasks = [asyncio.create_task(self._run_all()) for _ in range(self.settings.jobs)]
        self.job_added.set()

    def stop(self) -> None:
        """End all processes; the store still says that they are running."""
        for task in self.tasks:
            task.cancel()
        for process in self.running.values():
            process.kill()

    def add(self, owner: str, kind: str, arguments: dict[str, Any]) -> Job:
        """Take on work, or say that there is too much of it."""
        if len(list(self.repository.jobs("waiting"))) >= self.settings.job_queue:
            raise QueueFull(30)
        job = self.repository.add_job(owner, kind, arguments)
        self.job_added.set()
        return job

    def cancel(self, id: str) -> Job:
        """End work, or keep it from beginning."""
        self.repository.change_job(self.repository.job(id).id, state="cancelled")
        process = self.running.get(id)
        if process is not None:
            process.kill()
        return self.repository.job(id)

    async def changes(self, id: str, since: int = -1) -> AsyncIterator[Job]:
        """Give the work each time it has changed, until it has ended."""
        while True:
            job = self.repository.job(id)
            if job.version > since:
                since = job.version
                yield job
            if job.state in ENDED:
                return
            await asyncio.sleep(LOOK)

    async def _run_all(self) -> None:
        while True:
            waiting = [job for job in self.repository.jobs("waiting") if job.id not in self.running]
            if not waiting:
                self.job_added.clear()
                await self.job_added.wait()
                continue
            await self._run(min(waiting, key=lambda job: job.begun))

    async def _run(self, job: Job) -> None:
        self.repository.change_job(job.id, state="running")
        ours, theirs = SPAWN.Pipe(duplex=False)
        arguments, pieces = json.loads(job.arguments), self.repository.pieces_of(job.id)
        process = SPAWN.Process(
            target=_work,
            args=(theirs, KINDS[job.kind], arguments, self.settings.memory, self.settings.store, pieces),
            daemon=True,
            name="meldlab job",
        )
        self.running[job.id] = process
        process.start()
        theirs.close()
        end = time.monotonic() + self.settings.job_seconds
        try:
            while await self._heard(job.id, ours):
                if time.monotonic() > end:
                    self.repository.change_job(job.id, state="failed", says=f"stopped after {self.settings.job_seconds:.0f} seconds")
                    break
        finally:
            process.kill()
            await asyncio.to_thread(process.join)
            ours.close()
            del self.running[job.id]

    async def _heard(self, id: str, ours: Connection) -> bool:
        """Write down what the process says; False when it has nothing more to say."""
        try:
            if not ours.poll():
                await asyncio.sleep(LOOK)
                return True
            # Elsewhere: a process that stands still in the middle of a message must not make the server stand still.
            kind, what = await asyncio.to_thread(ours.recv)
        except (EOFError, OSError):
            self.repository.change_job(id, state="failed", says="the process that worked on it died, out of memory perhaps")
            return False
        if kind == "progress":
            done, total, says = what
            self.repository.change_job(id, done=done, total=total, says=says)
            return True
        if kind == "piece":
            self.repository.add_piece(id, what)
            return True
        self.repository.change_job(id, state=kind, **({"result": what} if kind == "done" else {"says": what}))
        return False
