"""The worker pool: processes that run calls under limits of time and memory; visitors take turns.

Short and long calls wait in queues of their own. One worker is always left to short calls, and a visitor has at most one long call
running. A call is a function of a module with arguments that pickle; a ``MeldlabError`` comes back as it is.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Container
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, cast

from meldlab.errors import MeldlabError
from meldlab.web.errors import QueueFull, TimedOut, TooManyCalls, WorkerDied

P = ParamSpec("P")
T = TypeVar("T")
POLL_SECONDS = 0.2  # between two looks at a worker that compiles
RETRY_SECONDS = 1.0  # after a worker that failed to start
SPAWN = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang


@dataclass(eq=False)
class Call:
    """A call that waits or runs; ``result`` is cancelled when its request ends."""

    visitor: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    long: bool
    result: asyncio.Future[Any] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class FairQueue:
    """Waiting calls; visitors take turns, the calls of one visitor stay in order."""

    def __init__(self) -> None:
        self.waiting: OrderedDict[str, deque[Call]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self.waiting.values()))

    def count(self, visitor: str) -> int:
        """Return the number of waiting calls of a visitor."""
        return len(self.waiting.get(visitor, ()))

    def add(self, call: Call) -> None:
        """Append a call."""
        self.waiting.setdefault(call.visitor, deque()).append(call)

    def remove(self, call: Call) -> None:
        """Remove a call that is not required any more, if it still waits."""
        with suppress(KeyError, ValueError):
            self.waiting[call.visitor].remove(call)
            self._drop_if_empty(call.visitor)

    def next(self, blocked: Container[str] = ()) -> Call | None:
        """Remove and return the next call of a visitor who is not blocked."""
        for visitor, calls in self.waiting.items():
            if visitor not in blocked:
                call = calls.popleft()
                self.waiting.move_to_end(visitor)
                self._drop_if_empty(visitor)
                return call
        return None

    def _drop_if_empty(self, visitor: str) -> None:
        if not self.waiting[visitor]:
            del self.waiting[visitor]


class Worker:
    """One process and the executor that feeds it; both are replaced after a kill."""

    def __init__(self, memory: int, prepare: Callable[[], None] | None) -> None:
        self.memory, self.prepare, self.ready = memory, prepare, False
        self.call: Call | None = None
        self.executor: ProcessPoolExecutor | None = None
        self.processes: list[Any] = []
        # Written by the process: seconds of finished compilations, start of the current one or 0, start of the current call or 0.
        self.clock: Any = SPAWN.Array("d", 3, lock=False)

    def start(self) -> "Future[int]":
        """Start a process; the future is done when it is ready for calls."""
        self.ready = False
        self.clock[:] = [0.0, 0.0, 0.0]
        setup = (self.memory, self.prepare, self.clock)
        self.executor = ProcessPoolExecutor(1, SPAWN, _prepare_process, setup)
        before = {process.pid for process in multiprocessing.active_children()}
        started = self.executor.submit(os.getpid)
        self.processes = [process for process in multiprocessing.active_children() if process.pid not in before]
        return started

    def submit(self, call: Call) -> "Future[Any]":
        """Run a call in the process."""
        assert self.executor is not None  # a worker gets calls after its start
        self.clock[:] = [0.0, 0.0, 0.0]
        return self.executor.submit(_run_call, call.function, call.args, call.kwargs)

    def kill(self) -> None:
        """Kill the process, whatever it does."""
        self.ready = False
        for process in self.processes:
            process.kill()
        if self.executor is not None:
            self.executor.shutdown(wait=False, cancel_futures=True)

    def call_seconds(self) -> float:
        """Return how long the current call has run; the import of its function and compilations do not count."""
        compiled, compiling, started = self.clock
        return (compiling or time.monotonic()) - started - compiled if started else 0.0


class WorkerPool:
    """A fixed number of workers; lives in one event loop."""

    def __init__(
        self, number: int, *, memory: int, seconds: float = 10.0, queue: int = 64, visitor_queue: int = 8,
        prepare: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        """``seconds``: limit of a call; ``queue``: limit of all waiting calls; ``prepare`` runs in a process before its first call."""
        self.seconds, self.max_waiting, self.max_waiting_per_visitor = seconds, queue, visitor_queue
        self.short, self.long = FairQueue(), FairQueue()
        self.workers = [Worker(memory, prepare) for _ in range(number)]
        self.restarts, self.closed = 0, False
        self.tasks = set[asyncio.Task[None]]()

    def start(self) -> None:
        """Start all workers."""
        for worker in self.workers:
            self._spawn(self._start(worker))

    def stop(self) -> None:
        """Kill all workers."""
        self.closed = True
        for task in self.tasks:
            task.cancel()
        for worker in self.workers:
            worker.kill()

    @property
    def num_waiting(self) -> int:
        """Return the number of waiting calls."""
        return len(self.short) + len(self.long)

    async def run(self, visitor: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a short call."""
        return cast(T, await self._result(Call(visitor, function, args, kwargs, long=False)))

    async def run_long(self, visitor: str, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the result of a long call; it never takes the last free worker."""
        return cast(T, await self._result(Call(visitor, function, args, kwargs, long=True)))

    async def _result(self, call: Call) -> Any:
        """Wait for a call; raise TooManyCalls, QueueFull, TimedOut or WorkerDied. A call whose request ends is stopped."""
        queue = self.long if call.long else self.short
        if queue.count(call.visitor) >= self.max_waiting_per_visitor:
            raise TooManyCalls
        if len(queue) >= self.max_waiting:
            raise QueueFull
        queue.add(call)
        self._dispatch()
        try:
            return await call.result
        finally:
            queue.remove(call)

    def _dispatch(self) -> None:
        """Give waiting calls to free workers, short calls first."""
        while free := [worker for worker in self.workers if worker.ready and worker.call is None]:
            long = [worker.call.visitor for worker in self.workers if worker.call is not None and worker.call.long]
            call = self.short.next()
            if call is None and len(long) < max(1, len(self.workers) - 1):
                call = self.long.next(blocked=long)
            if call is None:
                return
            # Always the same worker for a visitor, if it is free: its caches hold the visitor's matches.
            preferred = self.workers[hash(call.visitor) % len(self.workers)]
            worker = preferred if preferred in free else free[0]
            worker.call = call
            self._spawn(self._execute(worker, call))

    async def _execute(self, worker: Worker, call: Call) -> None:
        running = asyncio.wrap_future(worker.submit(call))
        try:
            await self._wait(running, worker, call)
        except BrokenProcessPool:
            _fail(call, WorkerDied())
        except TimedOut as error:
            _fail(call, error)
        except Exception as error:
            worker.call = None
            _fail(call, error)
        else:
            worker.call = None
            if not call.result.done():
                call.result.set_result(running.result())
        if worker.call is not None:
            worker.call = None
            worker.kill()
            self.restarts += 1
            self._spawn(self._start(worker))
        self._dispatch()

    async def _wait(self, running: asyncio.Future[Any], worker: Worker, call: Call) -> None:
        """Wait until a call ends, raise its error; TimedOut past its seconds or when its request has ended, but not while it compiles."""
        while True:
            waits = {running} if call.result.done() else {running, call.result}
            left = max(self.seconds - worker.call_seconds(), POLL_SECONDS)
            await asyncio.wait(waits, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
                return
            if not worker.clock[1] and (worker.call_seconds() >= self.seconds or call.result.done()):
                running.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # the kill breaks it; its error is known
                raise TimedOut(self.seconds)

    async def _start(self, worker: Worker) -> None:
        """Start a worker, and again as long as that fails; the wait is not part of any call."""
        while not self.closed:
            try:
                await asyncio.wrap_future(worker.start())
            except BrokenProcessPool:
                print("meldlab serve: a worker process ended while it started", file=sys.stderr, flush=True)
                worker.kill()
                await asyncio.sleep(RETRY_SECONDS)
                continue
            worker.ready = True
            self._dispatch()
            return

    def _spawn(self, coroutine: Any) -> None:
        if self.closed:
            coroutine.close()
            return
        task = asyncio.ensure_future(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


def _fail(call: Call, error: Exception) -> None:
    if not call.result.done():
        call.result.set_exception(error)


def bound_process(memory: int, niceness: int = 0) -> None:
    """Limit the memory of this process, ignore Ctrl-C, and end it with its parent; Windows has neither limits nor niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if hasattr(os, "nice"):
        os.nice(niceness)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_CLOCK: list[Any] = []  # of this worker process


def _prepare_process(memory: int, prepare: Callable[[], None] | None, clock: Any) -> None:
    """Set the limits of a worker process and load what its calls need."""
    bound_process(memory)
    from meldlab.web.work.start import time_compilations

    _CLOCK.append(clock)
    time_compilations(clock)
    if prepare is not None:
        prepare()


def _run_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    _CLOCK[0][2] = time.monotonic()
    try:
        return function(*args, **kwargs)
    except MeldlabError:
        raise
    except MemoryError:
        os._exit(1)  # the state of its caches is unknown
    except Exception as error:
        print(f"meldlab serve: {function.__name__}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        raise RuntimeError(f"{type(error).__name__} in {function.__name__}") from None
