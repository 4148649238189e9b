"""What the routes share: workers, the store, long work, which rooms are ready, and who asks."""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from fastapi import Depends, Request

from meldlab.errors import MeldlabError
from meldlab.precompile import compile_package, compiled_packages
from meldlab.runs.store import Store
from meldlab.web.background import BackgroundRuns
from meldlab.web.errors import HttpError
from meldlab.web.notifier import Notifier
from meldlab.web.repository import Repository
from meldlab.web.run_repository import RunRepository
from meldlab.web.settings import Settings
from meldlab.web.visitors import Visitor
from meldlab.web.work.start import load_kernels
from meldlab.web.workers import WorkerPool

P = ParamSpec("P")
T = TypeVar("T")

# What compiling takes on two cores when nothing is cached, in seconds; the pages say so.
COLD = {"cards": 8, "melds": 12, "stopping": 4, "rummikub": 25, "gin": 60, "waiting": 30, "recycle": 25}


@dataclass
class WarmUp:
    """Which rooms have their kernels compiled; until then pages say how long it takes."""

    ready: set[str] = field(default_factory=set)
    package: str | None = None
    since: float = 0.0

    def seconds_left(self, room: str) -> int:
        """Return about how many seconds it takes until a room is ready."""
        order = list(COLD)
        waiting = [name for name in order[: order.index(room) + 1] if name not in self.ready]
        seconds = {name: COLD[name] for name in waiting}
        if self.package in seconds:
            # A package that takes longer than expected takes nothing from the time of the next ones.
            seconds[self.package] = max(1, seconds[self.package] - round(time.monotonic() - self.since))
        return max(1, sum(seconds.values()))


class Services:
    """What the routes of one server share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        store = Store.open(settings.store, settings.lock_seconds)
        self.store_address = settings.store, settings.lock_seconds  # for workers
        self.repository, self.runs = Repository(store, settings.matches), RunRepository(store)
        self.runs.import_jobs()
        self.limiter = anyio.CapacityLimiter(settings.sql_threads)
        self.notifier = Notifier()
        prepare = load_kernels if settings.warm else None
        self.workers = WorkerPool(
            settings.workers, memory=settings.memory, seconds=settings.seconds, queue=settings.queue,
            visitor_queue=settings.visitor_queue, prepare=prepare,
        )  # fmt: skip
        self.compiler = WorkerPool(1, memory=settings.memory)
        self.background = BackgroundRuns(self.runs, settings, self.notifier)
        self.warming = WarmUp()
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start processes, resume unfinished work, compile what is cold."""
        self.workers.start()
        self.tasks.append(asyncio.create_task(self._poll_store()))
        self.background.start()
        if self.settings.warm:
            self.warming.ready |= compiled_packages()
        if self.settings.warm and self.warming.ready != set(COLD):
            self.compiler.start()
            self.tasks.append(asyncio.create_task(self._warm()))
        else:
            self.warming.ready |= set(COLD)

    def stop(self) -> None:
        """End everything at once."""
        for task in self.tasks:
            task.cancel()
        self.background.stop()
        self.workers.stop()
        self.compiler.stop()

    async def run(self, visitor: Visitor, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a short call in a worker process."""
        return await self.workers.run(visitor.queue, function, *args, **kwargs)

    async def run_long(self, visitor: Visitor, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a call that may take seconds; each visitor has at most one at a time."""
        return await self.workers.run_long(visitor.queue, function, *args, **kwargs)

    async def sql(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a function that queries the store, in a thread."""
        return await anyio.to_thread.run_sync(partial(function, *args, **kwargs), limiter=self.limiter)

    async def _poll_store(self) -> None:
        """Wake streams of matches and runs that another server on the store has changed."""
        while True:
            await asyncio.sleep(self.settings.poll_seconds)
            ids = list(self.notifier.events)
            if not ids:
                continue
            try:
                versions = await self.sql(self.repository.versions, ids) | await self.sql(self.runs.versions, ids)
            except MeldlabError as error:
                print(f"meldlab serve: {error}", file=sys.stderr, flush=True)
                continue
            self.notifier.notify_changed(versions)

    def need(self, room: str) -> None:
        """Raise 503 if kernels have to be compiled first."""
        if room not in self.warming.ready:
            seconds = self.warming.seconds_left(room)
            raise HttpError(503, f"kernels are being compiled; {room} is ready in about {seconds} seconds", {"Retry-After": str(seconds)})

    async def _warm(self) -> None:
        for room in [room for room in COLD if room not in self.warming.ready]:
            self.warming.package, self.warming.since = room, time.monotonic()
            try:
                await self.compiler.run("", compile_package, room)
            except Exception as error:  # the room will compile as it is used, and say what is wrong
                print(f"meldlab serve: {room} could not be compiled ahead: {error}", file=sys.stderr, flush=True)
            self.warming.ready.add(room)
        self.warming.package = None
        self.compiler.stop()


def services(request: Request) -> Services:
    """Return what routes share in the server of a request."""
    result: Services = request.app.state.services
    return result


ServicesDep = Annotated[Services, Depends(services)]
