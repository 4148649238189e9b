"""What the routes share: workers, the store, long work, which rooms are ready, and who asks."""

import asyncio
import re
import secrets
import sys
import time
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Request

from meldlab.precompile import compiled_packages
from meldlab.runs.store import Store
from meldlab.web.errors import HttpError
from meldlab.web.guard import COOKIE
from meldlab.web.jobs import Jobs
from meldlab.web.repository import Repository
from meldlab.web.settings import Settings
from meldlab.web.workers import Workers

__all__ = ["Lab", "Laboratory", "Person", "Warming"]

TOKEN = re.compile("[A-Za-z0-9_-]{24}")
# What compiling takes on two cores when nothing is cached, in seconds; the pages say so.
COLD = {"cards": 8, "melds": 12, "stopping": 4, "rummikub": 25, "gin": 60, "waiting": 30, "recycle": 25}


@dataclass
class Warming:
    """Which rooms have their kernels compiled; until then pages say how long it takes."""

    ready: set[str] = field(default_factory=set)
    room: str | None = None
    since: float = 0.0

    def left(self, room: str) -> int:
        """Return about how many seconds it takes until a room is ready."""
        order = list(COLD)
        waiting = [name for name in order[: order.index(room) + 1] if name not in self.ready]
        started = time.monotonic() - self.since if self.room in waiting else 0.0
        return max(1, round(sum(COLD[name] for name in waiting) - started))


class Laboratory:
    """One server's state."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.repository = Repository(Store.open(settings.store), settings.matches)
        ready = "meldlab.web.laboratory:get_ready" if settings.warm else None
        self.workers = Workers(settings.workers, settings.queue, settings.memory, ready)
        self.compiler = Workers(1, 1, settings.memory)
        self.jobs = Jobs(self.repository, settings)
        self.warming = Warming()
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start processes, resume unfinished work, compile what is cold."""
        self.workers.start()
        self.jobs.start()
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
        self.jobs.stop()
        self.workers.stop()
        self.compiler.stop()

    async def ask(self, name: str, /, **arguments: Any) -> Any:
        """Return what a worker answers within the time that a question may take."""
        return await self.workers.ask(name, self.settings.seconds, **arguments)

    def need(self, room: str) -> None:
        """Raise 503 if kernels have to be compiled first."""
        if room not in self.warming.ready:
            seconds = self.warming.left(room)
            raise HttpError(503, f"kernels are being compiled; {room} is ready in about {seconds} seconds", {"Retry-After": str(seconds)})

    async def _warm(self) -> None:
        for room in [room for room in COLD if room not in self.warming.ready]:
            self.warming.room, self.warming.since = room, time.monotonic()
            try:
                await self.compiler.ask("meldlab.precompile:compile_package", 600.0, room=room)
            except Exception as error:  # the room will compile as it is used, and say what is wrong
                print(f"meldlab serve: {room} could not be compiled ahead: {error}", file=sys.stderr, flush=True)
            self.warming.ready.add(room)
        self.warming.room = None
        self.compiler.stop()


def get_ready() -> None:
    """Load what the quick answers need, if it is compiled, before the first request; the initializer of a worker."""
    ready = compiled_packages()
    if "gin" in ready:
        from meldlab.web.playing import begin

        begin({}, "gin", ["champion"], 0, 0)
    if "rummikub" in ready:
        from meldlab.rummikub import warm_up

        warm_up()


def laboratory(request: Request) -> Laboratory:
    """Return the state of the server that has the request."""
    result: Laboratory = request.app.state.laboratory
    return result


def person(request: Request) -> str:
    """Return who asks: the token in the browser's cookie; without one a new token, which the guard gives to the browser."""
    token = request.cookies.get(COOKIE, "")
    if not TOKEN.fullmatch(token):
        token = request.scope["person"] = secrets.token_urlsafe(18)
    return token


Lab = Annotated[Laboratory, Depends(laboratory)]
Person = Annotated[str, Depends(person)]
