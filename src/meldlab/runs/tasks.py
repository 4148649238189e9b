"""Shards: a search cut into pieces that can be done anywhere, in any order, and twice without harm.

>>> import tempfile
>>> from meldlab.runs.store import Store
>>> all_games = Shard("gin.contest", "simple", "gin-only", seed=1, games=40)
>>> with tempfile.TemporaryDirectory() as folder:
...     run = Store.open(f"{folder}/runs.sqlite").run("example", {})
...     counts = play(all_games.split(10), run)
...     at_once = play([all_games], run)[all_games.key]
>>> len(counts), sum(each["wins"] for each in counts.values()) == at_once["wins"]
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
from meldlab.errors import NoSuchThing, NotPossible, whole_number
from meldlab.runs.pool import Pool
from meldlab.runs.store import LEASE, Counts, Done, Run, canonical, claimant, code_version

__all__ = ["WORKERS", "Player", "Shard", "Worker", "play"]

Player = str | tuple[float, ...]
Progress = Callable[[int, int], None]
AHEAD = 4  # pieces claimed at a time for each core: few, so that two processes share what is left
PAUSE = 0.5  # seconds between two looks at what others do, and the most that finished pieces wait to be written


@dataclass(frozen=True)
class Worker:
    """A pure function from a shard to its counts, known by where it is imported from, so that any process can find it."""

    path: str
    threads: bool = False
    """Whether it lets other threads run, as compiled kernels do; else it gets processes."""
    files: str = "meldlab.gin.players:files_of"
    """The function that returns the files that the name of a player reads; empty where names read none."""

    def load(self) -> Callable[["Shard"], Counts]:
        """Return the function."""
        try:
            function: Callable[[Shard], Counts] = load_object(self.path)
        except (ImportError, AttributeError) as problem:
            raise NotPossible(f"no worker {self.path}: {problem}") from None
        return function


WORKERS: dict[str, Worker] = {
    "gin.contest": Worker("meldlab.arena.shards:play_shard", threads=True),
    "gin.track": Worker("meldlab.reproduce.nagai.tracking:play_shard", threads=True),
    "recycle.search": Worker("meldlab.analysis.playing:play_shard", threads=True, files=""),
    "recycle.count": Worker("meldlab.analysis.playing:count_shard", threads=True, files=""),
}


@dataclass(frozen=True)
class Shard:
    """Some games of one player: who against whom, by which rules, and the numbers of the deals."""

    worker: str
    """A name in ``WORKERS``, or ``module:function`` for one of your own."""
    player: Player
    opponent: Player = "simple"
    rules: str = "eaai"
    seed: int = 0
    first: int = 0
    games: int = 2000
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Whatever else the worker wants to know, as plain JSON."""
    label: str = field(default="", compare=False)
    """What people call the player, where its name is a row of numbers."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed))
        for name, least in (("first", 0), ("games", 1)):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, least))
        for name in ("player", "opponent"):
            given = getattr(self, name)
            # Every number as a plain float, and no minus zero: equal players have equal keys.
            object.__setattr__(self, name, given if isinstance(given, str) else tuple(float(each) + 0.0 for each in given))

    @cached_property
    def key(self) -> str:
        """Return the name of the piece: a digest of everything that its counts depend on."""
        return self.digest()

    def digest(self) -> str:
        """Return the key by what the files that it names hold now, here."""
        row = {name: value for name, value in self._fields().items() if name != "arguments" or self.arguments}
        files = WORKERS.get(self.worker, Worker(self.worker)).files
        paths = {name: load_object(files)(name) for name in (self.player, self.opponent) if files and isinstance(name, str)}
        paths[self.worker] = module_files(self.worker.rpartition(":")[0])
        digests = {name: [content_digest(path) for path in read] for name, read in paths.items() if read}
        read = {"files": digests} if digests else {}
        return hashlib.sha256(canonical({**row, **read}).encode()).hexdigest()[:32]

    def split(self, games: int) -> list["Shard"]:
        """Cut into pieces of ``games`` games, the last one maybe smaller; their counts add up to those of the whole."""
        starts = range(self.first, self.first + self.games, whole_number(games, "games of a piece", 1))
        end = self.first + self.games
        return [replace(self, first=start, games=min(games, end - start)) for start in starts]

    def row(self) -> dict[str, Any]:
        """Return the shard as columns of the store."""
        texts = {name: value if isinstance(value, str) else canonical(value) for name, value in self._fields().items()}
        numbers = {"seed": self.seed, "first": self.first, "games": self.games}
        return {**texts, "piece": self.key, "label": self.label or texts["player"], **numbers}

    def _fields(self) -> dict[str, Any]:
        names = ("worker", "player", "opponent", "rules", "seed", "first", "games", "arguments")
        return {name: getattr(self, name) for name in names}


def worker_of(name: str) -> Worker:
    """Return the worker of a name or of a path ``module:function``."""
    if name in WORKERS:
        return WORKERS[name]
    if ":" not in name:
        raise NoSuchThing("worker", name, [*WORKERS, "module:function"])
    return Worker(name)


def play(
    shards: Iterable[Shard],
    run: Run,
    *,
    jobs: int = 0,
    cluster: str | None = None,
    progress: Progress = lambda done, whole: None,
    lease: float = LEASE,
) -> dict[str, Counts]:
    """Return the counts of every shard by its key, in the order of the shards.

    What the store knows is read from it. The rest is claimed piece by piece, played on ``jobs`` cores (0: all), or on the Dask
    cluster of that address, and written as it comes. Pieces that another process holds are left to it, and waited for;
    if it dies they are taken over, at once on this machine, after ``lease`` seconds elsewhere. ``progress`` is told games.
    """
    wanted = {shard.key: shard for shard in shards}
    found = run.done(list(wanted))
    missing = [shard for key, shard in wanted.items() if key not in found]
    whole_games, done_games = sum(shard.games for shard in wanted.values()), 0
    run.plan(run.games() + sum(shard.games for shard in missing))
    while missing:
        done_games = sum(wanted[key].games for key in found)
        progress(done_games, whole_games)
        # Closed whatever happens, so that nobody who stops here keeps claims.
        with closing(_work(missing, run, jobs, cluster, lease)) as finished:
            for done in finished:
                done_games += wanted[done.piece].games
                progress(done_games, whole_games)
        found |= run.done([shard.key for shard in missing])
        missing = [shard for shard in missing if shard.key not in found]
        if missing:
            time.sleep(PAUSE)
    progress(whole_games, whole_games)
    return {key: found[key] for key in wanted}


def _work(shards: Sequence[Shard], run: Run, jobs: int, cluster: str | None, lease: float) -> Generator[Done]:
    """Claim, play and write as many of the shards as nobody else holds."""
    owner, unwritten, written = claimant(), list[Done](), time.monotonic()
    workers = {shard.worker: worker_of(shard.worker) for shard in shards}
    pool = Pool(jobs, cluster, all(worker.threads for worker in workers.values()))
    claims = Claims(shards, run, owner, AHEAD * pool.size, lease)
    calls = ((workers[shard.worker].path, shard) for shard in claims)
    try:
        with _alive(run, owner, lease / 6), closing(pool.work(_play_piece, calls)) as answers:
            for done, version, piece in answers:
                if version != run.version:
                    raise NotPossible(f"a worker of the cluster plays version {version}, the search is of version {run.version}")
                if piece != done.piece:
                    raise NotPossible("a worker read other files than the search began with; have them alike everywhere, and start again")
                unwritten.append(done)
                # A long piece is written at once, short ones together: each transaction has its price.
                if done.seconds > PAUSE or time.monotonic() - written > PAUSE:
                    run.write(unwritten)
                    unwritten, written = [], time.monotonic()
                yield done
        claims.verify()
    finally:
        run.write(unwritten)
        run.release(owner)


class Claims:
    """The shards that could be claimed, a few at a time, as the pool asks for them."""

    def __init__(self, shards: Sequence[Shard], run: Run, owner: str, many: int, lease: float) -> None:
        self.shards, self.run, self.owner, self.many, self.lease = shards, run, owner, many, lease
        self.problem: Exception | None = None

    def __iter__(self) -> Iterator[Shard]:
        for start in range(0, len(self.shards), self.many):
            some = self.shards[start : start + self.many]
            try:
                mine = set(self.run.claim([shard.row() for shard in some], self.owner, self.lease))
            except Exception as problem:
                # The pool asks from a thread of its own, where a mistake would be lost; it is raised when the work is over.
                self.problem = problem
                return
            yield from (shard for shard in some if shard.key in mine)

    def verify(self) -> None:
        """Raise what went wrong while claiming."""
        if self.problem is not None:
            raise self.problem


@contextmanager
def _alive(run: Run, owner: str, every: float) -> Iterator[None]:
    """While it lasts, the claims of the owner are renewed."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(every):
            # A locked database must not end the renewals: the next one may succeed, and the next write reports a lasting failure.
            with suppress(NotPossible):
                run.renew(owner)

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _play_piece(path: str, shard: Shard) -> tuple[Done, str, str]:
    """Play a shard, in whatever process this is; return its counts, the version that played, and the key by the files read here."""
    function, start = Worker(path).load(), time.perf_counter()
    counts = function(shard)
    return Done(shard.key, canonical(counts), time.perf_counter() - start), code_version(), shard.digest()
