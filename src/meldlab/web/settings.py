"""What the server may use, and for whom it answers."""

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cache
from itertools import pairwise
from typing import Any

from meldlab.cost import machine_memory
from meldlab.errors import NoSuchThing, NotLegalHere

OPTIONS = ("store", "hosts", "workers")  # have options of their own
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
    body_seconds: float = 15.0
    """Seconds within which the body of a request arrives; then 408."""
    header_seconds: float = 10.0
    """Seconds within which the headers of a request arrive; then 408."""
    request_seconds: float = 30.0
    """Seconds within which a request is answered, event streams excepted; then 503."""
    connections: int = 1000
    """Connections at the same time; more are answered by 503."""
    metrics: bool = False
    """Whether ``/metrics`` has figures for Prometheus."""
    matches: int = 10_000
    """Matches that are stored; beyond them the matches unchanged for longest are deleted."""
    warm: bool = True
    """Whether kernels are compiled and loaded ahead when the server starts."""

    def with_values(self, values: Iterable[str]) -> "Settings":
        """Return the settings with some values, each as ``NAME=VALUE``.

        >>> Settings().with_values(["queue=8", "metrics=yes"]).queue
        8
        """
        pairs = [value.partition("=")[::2] for value in values]
        return replace(self, **{name: _parse(name, text, getattr(self, name)) for name, text in pairs if _check(name)})


def descriptions() -> Iterator[tuple[str, Any, str]]:
    """Yield name, default and description of every setting that has a value of its own on the command line."""
    docs = _docs()
    for item in fields(Settings):
        if item.name not in OPTIONS:
            yield item.name, getattr(Settings(), item.name), docs.get(item.name, "")


@cache
def _docs() -> dict[str, str]:
    """Return the description below each field, which dataclasses do not keep."""
    (body,) = [node.body for node in ast.parse(inspect.getsource(Settings)).body if isinstance(node, ast.ClassDef)]
    pairs = pairwise(body)
    return {
        field.target.id: " ".join(str(text.value.value).split())
        for field, text in pairs
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def _check(name: str) -> bool:
    known = [known for known, _, _ in descriptions()]
    if name not in known:
        raise NoSuchThing("setting", name, known)
    return True


def _parse(name: str, text: str, default: Any) -> Any:
    try:
        if isinstance(default, bool):
            return {"yes": True, "no": False}[text]
        value = type(default)(text)
    except (KeyError, ValueError):
        kind = "yes or no" if isinstance(default, bool) else "a whole number" if isinstance(default, int) else "a number"
        raise NotLegalHere(f"setting {name}: expected {kind}, got {text!r}") from None
    if not 0 <= value < float("inf"):
        raise NotLegalHere(f"setting {name}: expected at least 0, got {text}")
    return value
