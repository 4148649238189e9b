"""Processes that answer questions outside the server, can be ended at any moment, and never wait in a line longer than it may be.

A call is a function of a module with arguments that pickle. Errors (``MeldlabError``) come back as they are.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

from meldlab.errors import MeldlabError
from meldlab.web.errors import QueueFull, TimedOut, WorkerDied

P = ParamSpec("P")
T = TypeVar("T")
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

START = 120.0  # seconds within which a process is ready, and within which it has loaded what a question needs
spawned = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang


def bound_process(memory: int, niceness: int = 0) -> None:
    """Limit the memory of this process, and ignore Ctrl-C, which is for the server; Windows has neither limits nor niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if hasattr(os, "nice"):
        os.nice(niceness)


def _serve(questions: Connection, memory: int, ready: Callable[[], None] | None) -> None:
    """Answer requests until the pipe closes; the main loop of a worker."""
    bound_process(memory)
    if ready is not None:
        ready()
    with suppress(OSError):
        questions.send("ready")
    answer: tuple[bool, Any]
    while True:
        try:
            function, args, kwargs = questions.recv()
        except (EOFError, OSError):
            return  # the server is gone
        try:
            questions.send(None)  # the import of the function is not part of the call's time
            answer = True, function(*args, **kwargs)
        except MeldlabError as error:
            answer = False, error
        except MemoryError:
            os._exit(1)  # its other state cannot be trusted
        except Exception as bug:
            print(f"meldlab serve: {function.__name__}: {type(bug).__name__}: {bug}", file=sys.stderr, flush=True)
            answer = False, RuntimeError(f"{type(bug).__name__} in {function.__name__}")
        with suppress(OSError):
            questions.send(answer)


class _Worker(threading.Thread):
    """One process, and the thread that asks it and waits."""

    def __init__(self, workers: "WorkerPool") -> None:
        super().__init__(daemon=True, name="worker")
        self.workers = workers
        self.process: Any = None
        self.ours: Connection
        self.fresh = True
        self.asked: Future[Any] | None = None

    def run(self) -> None:
        while (question := self.workers.next_question()) is not None:
            self.asked, call, seconds = question
            if self.asked.set_running_or_notify_cancel():
                self._answer(self.asked, call, seconds)
            self.asked = None
        self.end()

    def _answer(self, future: "Future[Any]", call: Call, seconds: float) -> None:
        try:
            if self.process is None or not self.process.is_alive():
                self.start_process()
            if self.fresh:  # getting ready is not the question's time
                if not self.ours.poll(START):
                    raise EOFError
                self.ours.recv()
                self.fresh = False
            self.ours.send(call)
            # Either the modules are loaded and the clock begins, or that has failed and this is the answer.
            loaded = self.ours.recv() if self.ours.poll(START) else None
            if loaded is None and not self.ours.poll(seconds):
                self.end()
                future.set_exception(TimedOut(seconds))
                return
            fine, answer = loaded or self.ours.recv()
        except (EOFError, OSError):
            self.end()
            future.set_exception(WorkerDied())
            return
        if fine:
            future.set_result(answer)
        else:
            future.set_exception(answer)

    def start_process(self) -> None:
        """Start a process, or another in place of one that is gone."""
        self.ours, theirs = spawned.Pipe()
        self.fresh = True
        self.process = spawned.Process(
            target=_serve, args=(theirs, self.workers.memory, self.workers.ready), daemon=True, name="meldlab worker"
        )
        self.process.start()
        theirs.close()

    def end(self) -> None:
        """End the process whatever it is at."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.ours.close()
            self.process = None


class WorkerPool:
    """A fixed number of processes and a bounded line before them."""

    def __init__(self, number: int, queue: int, memory: int, ready: Callable[[], None] | None = None) -> None:
        """``ready`` runs in a process before its first call."""
        self.number, self.queue, self.memory, self.ready = number, queue, memory, ready
        self.waiting: deque[tuple[Future[Any], Call, float]] = deque()
        self.change, self.closed = threading.Condition(), False
        self.workers = [_Worker(self) for _ in range(number)]

    def start(self) -> None:
        """Start all processes."""
        for worker in self.workers:
            worker.start_process()
            worker.start()

    def stop(self) -> None:
        """End all of them at once."""
        with self.change:
            self.closed = True
            self.change.notify_all()
        for worker in self.workers:
            if worker.process is not None:
                worker.process.kill()

    async def run(self, seconds: float, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function answers; QueueFull if too many wait, TimedOut past the seconds, WorkerDied if the process did."""
        future: Future[T] = Future()
        with self.change:
            if len(self.waiting) >= self.queue:
                raise QueueFull
            self.waiting.append((future, (function, args, kwargs), seconds))
            self.change.notify()
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self._forget(future)
            raise

    def next_question(self) -> "tuple[Future[Any], Call, float] | None":
        """Wait for a question; None when all is over."""
        with self.change:
            while not self.waiting and not self.closed:
                self.change.wait()
            return None if self.closed else self.waiting.popleft()

    def _forget(self, future: "Future[Any]") -> None:
        """End the work on an abandoned request."""
        with self.change:
            self.waiting = deque(item for item in self.waiting if item[0] is not future)
        for worker in self.workers:
            if worker.asked is future and worker.process is not None:
                worker.process.kill()  # its thread notices and starts another
