"""Tasks: parts of a run that any process may do, in any order, and twice without harm.

>>> import tempfile
>>> from meldlab.runs.store import Store
>>> whole = Task("contest", "simple", "gin-only", seed=1, games=40)
>>> with tempfile.TemporaryDirectory() as folder:
...     run = Store.open(f"{folder}/runs.sqlite").run("example", {})
...     counts = run_tasks(whole.split(10), run)
...     at_once = run_tasks([whole], run)[whole.key]
>>> len(counts), sum(part["wins"] for part in counts.values()) == at_once["wins"]
(4, True)
"""

import hashlib
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from meldlab.chance import check_seed
from meldlab.digests import content_digest, load_object, module_files
from meldlab.errors import MeldlabError, NoSuchThing, NotPossible, whole_number
from meldlab.parallel import Progress, no_progress
from meldlab.runs.pool import Pool
from meldlab.runs.store import LEASE, Counts, Run, TaskResult, canonical, code_version, worker_id

Player = str | tuple[float, ...]
CLAIMS_PER_CORE = 4  # claimed at a time: few, so that two processes share the rest
POLL_SECONDS = 0.5  # between two queries for the tasks of other processes; results are written at least as often


@dataclass(frozen=True)
class TaskFunction:
    """A pure function from a task to its counts, by its import path, so that any process finds it."""

    path: str
    threads: bool = False
    """Whether it releases Python's lock, as compiled kernels do; else it runs in processes."""
    files: str = "meldlab.gin.players:files_of"
    """The path of a function that returns the files that a player's name reads; empty if names read none."""

    def load(self) -> Callable[["Task"], Counts]:
        """Import the function."""
        try:
            function: Callable[[Task], Counts] = load_object(self.path)
        except (ImportError, AttributeError) as error:
            raise NotPossible(f"no task function {self.path}: {error}") from None
        return function


TASKS: dict[str, TaskFunction] = {
    "contest": TaskFunction("meldlab.arena.tasks:contest_task", threads=True),
    "gin.track": TaskFunction("meldlab.reproduce.nagai.tracking:track_task", threads=True),
    "recycle.search": TaskFunction("meldlab.analysis.playing:search_task", threads=True, files=""),
    "recycle.count": TaskFunction("meldlab.analysis.playing:count_task", threads=True, files=""),
}


@dataclass(frozen=True)
class Task:
    """Some games of a player: function, opponent, rules, and the numbers of the games."""

    function: str
    """A name in ``TASKS``, or ``module:function``."""
    player: Player
    opponent: Player = "simple"
    rules: str = "eaai"
    seed: int = 0
    first: int = 0
    games: int = 2000
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Further arguments of the function, as plain JSON."""
    label: str = field(default="", compare=False)
    """A readable name of a player that is given by numbers."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed))
        for name, least in (("first", 0), ("games", 1)):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, least))
        for name in ("player", "opponent"):
            value = getattr(self, name)
            # Plain floats without a minus zero: equal players have equal keys.
            object.__setattr__(self, name, value if isinstance(value, str) else tuple(float(number) + 0.0 for number in value))

    @cached_property
    def key(self) -> str:
        """Return the key of the task: a digest of everything that its counts depend on."""
        return self.digest()

    def digest(self) -> str:
        """Return the key by the current contents of the files that the task reads."""
        row = {name: value for name, value in self._fields().items() if name != "arguments" or self.arguments}
        files = TASKS.get(self.function, TaskFunction(self.function)).files
        paths = {name: load_object(files)(name) for name in (self.player, self.opponent) if files and isinstance(name, str)}
        paths[self.function] = module_files(self.function.rpartition(":")[0])
        digests = {name: [content_digest(path) for path in read] for name, read in paths.items() if read}
        read = {"files": digests} if digests else {}
        return hashlib.sha256(canonical({**row, **read}).encode()).hexdigest()[:32]

    def split(self, games: int) -> list["Task"]:
        """Cut into tasks of at most ``games`` games; their counts add up to those of the whole."""
        starts = range(self.first, self.first + self.games, whole_number(games, "games of a task", 1))
        end = self.first + self.games
        return [replace(self, first=start, games=min(games, end - start)) for start in starts]

    def row(self) -> dict[str, Any]:
        """Return the columns of the task in the store."""
        texts = {name: value if isinstance(value, str) else canonical(value) for name, value in self._fields().items()}
        numbers = {"seed": self.seed, "first": self.first, "games": self.games}
        return {**texts, "task": self.key, "label": self.label or texts["player"], **numbers}

    def _fields(self) -> dict[str, Any]:
        names = ("function", "player", "opponent", "rules", "seed", "first", "games", "arguments")
        return {name: getattr(self, name) for name in names}


def task_function(name: str) -> TaskFunction:
    """Return the function of a name in ``TASKS`` or of a path ``module:function``."""
    if name in TASKS:
        return TASKS[name]
    if ":" not in name:
        raise NoSuchThing("task function", name, [*TASKS, "module:function"])
    return TaskFunction(name)


def run_tasks(
    tasks: Iterable[Task],
    run: Run,
    *,
    jobs: int = 0,
    cluster: str | None = None,
    progress: Progress = no_progress,
    lease: float = LEASE,
) -> dict[str, Counts]:
    """Return the counts of every task by its key, in the order of the tasks.

    Finished tasks are read from the store. The others are claimed a few at a time, run on ``jobs`` cores (0: all) or on the Dask cluster
    of that address, and written as they finish. Tasks that another process holds are waited for; ``lease`` seconds after its last sign of
    life they are taken over. ``progress`` counts games.
    """
    required = {task.key: task for task in tasks}
    counts = run.done(list(required))
    missing = [task for key, task in required.items() if key not in counts]
    num_games, done_games = sum(task.games for task in required.values()), 0
    run.set_total(run.games() + sum(task.games for task in missing))
    while missing:
        done_games = sum(required[key].games for key in counts)
        progress(done_games, num_games, "")
        # Closed in any case, so that an interrupted process holds no claims.
        with closing(_run_unclaimed(missing, run, jobs, cluster, lease)) as results:
            for result in results:
                done_games += required[result.task].games
                progress(done_games, num_games, "")
        counts |= run.done([task.key for task in missing])
        missing = [task for task in missing if task.key not in counts]
        if missing:
            time.sleep(POLL_SECONDS)
    progress(num_games, num_games, "")
    return {key: counts[key] for key in required}


@dataclass
class TaskRunner:
    """A run in the store, the cores that run its tasks, and the progress of a whole experiment over several calls."""

    run: Run
    planned: int
    """Games of the whole experiment."""
    jobs: int = 0
    cluster: str | None = None
    progress: Progress = no_progress
    done: int = 0
    """Finished games, those that the store had included."""
    played: int = 0
    """Games that were played, not found in the store."""
    known: set[str] = field(default_factory=set)

    def counts(self, tasks: Sequence[Task]) -> list[Counts]:
        """Return the counts of tasks, in their order."""
        # A task that was requested before is in the store; progress counts it once.
        new = {task.key: task.games for task in tasks if task.key not in self.known}
        repeated = sum({task.key: task.games for task in tasks}.values()) - sum(new.values())
        before, played, stored = self.done, self.played, -1.0

        def show(done: float, total: float, message: str) -> None:
            nonlocal stored
            stored = done if stored < 0 else stored
            self.done, self.played = before + max(0, round(done) - repeated), played + round(done - stored)
            self.progress(self.done, max(self.planned, self.done), message)

        self.run.set_total(self.planned)
        counts = run_tasks(tasks, self.run, jobs=self.jobs, cluster=self.cluster, progress=show)
        self.known |= new.keys()
        return [counts[task.key] for task in tasks]


def _run_unclaimed(tasks: Sequence[Task], run: Run, jobs: int, cluster: str | None, lease: float) -> Generator[TaskResult]:
    """Claim, run and write those of the tasks that no other process holds."""
    worker, unwritten, written = worker_id(), list[TaskResult](), time.monotonic()
    functions = {task.function: task_function(task.function) for task in tasks}
    pool = Pool(jobs, cluster, all(function.threads for function in functions.values()))
    claims = Claims(tasks, run, worker, CLAIMS_PER_CORE * pool.size, lease)
    calls = ((functions[task.function].path, task, run.experiment) for task in claims)
    try:
        with renewing(lambda: run.renew(worker), lease), closing(pool.map(_run_task, calls)) as answers:
            for result, version, key in answers:
                if version != run.version:
                    raise NotPossible(f"a worker of the cluster has version {version}, the run has version {run.version}")
                if key != result.task:
                    raise NotPossible("a worker read other files than this process; have the same files everywhere, and start again")
                unwritten.append(result)
                # A long task is written at once, short ones together, because each transaction takes time.
                if result.seconds > POLL_SECONDS or time.monotonic() - written > POLL_SECONDS:
                    run.write(unwritten)
                    unwritten, written = [], time.monotonic()
                yield result
        claims.raise_error()
    finally:
        run.write(unwritten)
        run.release(worker)


class Claims:
    """The tasks that could be claimed, a few at a time, on demand of the pool."""

    def __init__(self, tasks: Sequence[Task], run: Run, worker: str, size: int, lease: float) -> None:
        self.tasks, self.run, self.worker, self.size, self.lease = tasks, run, worker, size, lease
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[Task]:
        for start in range(0, len(self.tasks), self.size):
            group = self.tasks[start : start + self.size]
            try:
                claimed = set(self.run.claim([task.row() for task in group], self.worker, self.lease))
            except Exception as error:
                # The pool iterates in a thread of its own, where an error would be lost; it is raised at the end.
                self.error = error
                return
            yield from (task for task in group if task.key in claimed)

    def raise_error(self) -> None:
        """Raise the error of the claims, if there was one."""
        if self.error is not None:
            raise self.error


@contextmanager
def renewing(renew: Callable[[], object], lease: float = LEASE) -> Iterator[None]:
    """Call ``renew`` several times per lease, in a thread, until the block ends."""
    ended = threading.Event()

    def loop() -> None:
        while not ended.wait(lease / 6):
            # A locked database must not end the renewals: the next one may succeed, and the next write reports a lasting failure.
            with suppress(MeldlabError):
                renew()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _run_task(path: str, task: Task, experiment: str) -> tuple[TaskResult, str, str]:
    """Run a task in this process; return its result, the version of the code, and the key by the files read here."""
    function, start = TaskFunction(path).load(), time.perf_counter()
    counts = function(task)
    return TaskResult(task.key, canonical(counts), time.perf_counter() - start), code_version(experiment), task.digest()
