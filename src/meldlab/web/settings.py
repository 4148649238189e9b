"""What the server may use, and for whom it answers."""

from dataclasses import dataclass, field

from meldlab.cost import machine_memory

LOCAL = ("localhost", "127.0.0.1", "[::1]")


def fair_memory() -> int:
    """Return what one process may have: a quarter of the machine's memory, as four of ours may work at a time; 2 GiB at least, 8 at most.

    Loaded and compiled, a worker uses about 0.8 GiB of address space.

    >>> 2 << 30 <= fair_memory() <= 8 << 30
    True
    """
    return int(min(max(machine_memory() // 4, 2 << 30), 8 << 30))


@dataclass(frozen=True)
class Settings:
    """The bounds of one server; the defaults suit two cores and people one knows."""

    store: str | None = None
    """Where games and experiments are stored: a file or a URL, by default the store in the cache."""
    hosts: tuple[str, ...] = LOCAL
    """Names by which the server may be called; others are rejected, against DNS rebinding."""
    workers: int = 2
    """Processes that answer questions."""
    queue: int = 64
    """Calls that may wait for a worker, short and long ones each; more are answered by 503."""
    visitor_queue: int = 8
    """Calls of one visitor that may wait; more are answered by 429."""
    seconds: float = 10.0
    """What one question may take before its worker is ended."""
    jobs: int = 1
    """Background runs at the same time, besides one review; 0: none is executed here."""
    job_queue: int = 8
    """Background runs that may wait; more are answered by 503."""
    job_seconds: float = 3600.0
    """Seconds after which a background run is stopped."""
    lock_seconds: float = 2.0
    """Seconds that a query waits for another process that writes to the store."""
    sql_threads: int = 8
    """Queries of the store at the same time."""
    poll_seconds: float = 15.0
    """Seconds between two looks for changes by other servers on the store."""
    memory: int = field(default_factory=fair_memory)
    """Bytes of address space that a worker, or a piece of long work, may have."""
    body: int = 1 << 18
    """Bytes that a request may send."""
    request_seconds: float = 30.0
    matches: int = 10_000
    """Matches that are stored; beyond them the matches unchanged for longest are deleted."""
    warm: bool = True
    """Whether kernels are compiled and loaded ahead when the server starts."""
