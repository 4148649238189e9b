"""Background runs: claimed from the queue of the store and executed by child processes, one each.

A server that is killed loses nothing: its leases expire, and the next server on the store resumes the runs after their last piece.
"""

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from meldlab.errors import MeldlabError
from meldlab.runs.queue import KINDS, Lost, QueuedRun, execute
from meldlab.runs.store import Store, worker_id
from meldlab.web.notifier import Notifier
from meldlab.web.run_repository import BackgroundRun, RunRepository
from meldlab.web.settings import Settings
from meldlab.web.workers import SPAWN, bound_process

POLL_SECONDS = 0.3  # between two looks at a child process and its progress
IDLE_SECONDS = 5.0  # between two looks for runs of a server that has died
WEB_KINDS = ("contest", "review", "analyse", "compare", "waiting")
QUICK_KINDS = ("review",)  # have a slot of their own, so that no contest holds them up
KINDS |= {
    "review": "meldlab.web.work.review:review",
    "analyse": "meldlab.web.work.studies:analyse",
    "compare": "meldlab.web.work.studies:compare",
    "waiting": "meldlab.web.work.waiting:solve_in_steps",
}


class BackgroundRuns:
    """The background runs that one server executes."""

    def __init__(self, runs: RunRepository, settings: Settings, notifier: Notifier) -> None:
        self.runs, self.settings, self.notifier = runs, settings, notifier
        self.processes: dict[int, tuple[Any, str]] = {}
        self.added = asyncio.Event()
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to claim runs."""
        slots = [WEB_KINDS] * self.settings.jobs + [QUICK_KINDS] * bool(self.settings.jobs)
        self.tasks = [asyncio.create_task(self._claim(kinds)) for kinds in slots]

    def stop(self) -> None:
        """Kill all child processes and put their runs back into the queue."""
        for task in self.tasks:
            task.cancel()
        for entry, (process, worker) in list(self.processes.items()):
            process.kill()
            process.join()
            try:
                with suppress(Lost):  # it had just ended
                    self.runs.queue.release(entry, worker)
            except MeldlabError as error:
                print(f"meldlab serve: run {entry} waits until its lease expires: {error}", file=sys.stderr, flush=True)

    async def submit(self, owner: str, kind: str, settings: Mapping[str, Any]) -> BackgroundRun:
        """Add a run, or return the same one; raise TooManyCalls or QueueFull."""
        run = await asyncio.to_thread(self.runs.submit, owner, kind, settings, self.settings.job_queue)
        self.added.set()
        return run

    async def cancel(self, id: str) -> BackgroundRun:
        """Cancel a run; a child process of this server is killed."""
        run = await asyncio.to_thread(self.runs.cancel, id)
        if run.state == "cancelled" and run.entry in self.processes:
            self.processes[run.entry][0].kill()
        self.notifier.notify(id)
        return run

    async def _claim(self, kinds: Sequence[str]) -> None:
        while True:
            self.added.clear()
            claimed = None
            try:
                claimed = await asyncio.to_thread(self.runs.queue.claim, worker_id(), None, kinds)
                if claimed is not None:
                    await self._execute(claimed)
            except MeldlabError as error:  # the store is locked, or full
                print(f"meldlab serve: {error}", file=sys.stderr, flush=True)
            if claimed is None:
                try:
                    async with asyncio.timeout(IDLE_SECONDS):
                        await self.added.wait()
                except TimeoutError:
                    continue

    async def _execute(self, claimed: QueuedRun) -> None:
        """Run a child process to its end, and wake the streams that show its progress."""
        arguments = (self.settings.store, claimed.id, self.settings.memory)
        process = SPAWN.Process(target=_work, args=arguments, daemon=True, name="meldlab run")
        process.start()
        self.processes[claimed.id] = process, claimed.claimed_by
        end, version = time.monotonic() + self.settings.job_seconds, -1
        try:
            while process.is_alive() and time.monotonic() < end:
                await asyncio.sleep(POLL_SECONDS)
                version = await self._notify(claimed.id, version)
        finally:
            process.kill()
            self.processes.pop(claimed.id, None)
        await asyncio.to_thread(process.join)
        entry = await asyncio.to_thread(self.runs.queue.entry, claimed.id)
        if entry.state == "running" and entry.claimed_by == claimed.claimed_by:
            seconds = self.settings.job_seconds
            late = time.monotonic() >= end
            why = f"stopped after {seconds:.0f} seconds" if late else "the process that worked on it died, out of memory perhaps"
            await asyncio.to_thread(self.runs.fail, claimed.id, why)
        await self._notify(claimed.id, version)

    async def _notify(self, entry: int, before: int) -> int:
        id, version = await asyncio.to_thread(self.runs.version, entry)
        if version != before:
            self.notifier.notify(id)
        return version


class _Report:
    """Stores the progress of a run, but not more often than pages show it."""

    def __init__(self, runs: RunRepository, entry: int) -> None:
        self.runs, self.entry, self.last = runs, entry, 0.0

    def __call__(self, done: float, total: float, message: str) -> None:
        if time.monotonic() > self.last + POLL_SECONDS:
            self.last = time.monotonic()
            self.runs.report(self.entry, done=float(done), total=float(total), progress=message)


def _work(store: str | None, entry: int, memory: int) -> None:
    """Execute a claimed run; the main function of a child process."""
    bound_process(memory, niceness=5)
    runs = RunRepository(Store.open(store))
    try:
        with suppress(MeldlabError):  # cancelled, or marked as failed by ``execute``
            execute(runs.queue, runs.queue.entry(entry), _Report(runs, entry))
    except MemoryError:
        runs.fail(entry, "there was not enough memory")
    except Exception as error:
        print(f"meldlab serve: run {entry}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        runs.fail(entry, f"an error of the program: {type(error).__name__}")
    runs.report(entry)
