"""The folder where compiled kernels and solved tables are kept between runs, and files that are never seen half-written."""

import errno
import hashlib
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, cast

from meldlab.errors import NotPossible

__all__ = ["OURS", "cache_folder", "kernel_folder", "kernel_sources", "replace_file"]

OURS = "_ZN7meldlab"  # how the name of a compiled function of this package begins
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def cache_folder(*parts: str) -> Path:
    """Return a folder below the cache, created if need be; ``MELDLAB_CACHE`` moves it elsewhere."""
    chosen = os.environ.get("MELDLAB_CACHE")
    root = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "meldlab"
    folder = root.joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NotPossible(f"no cache can be kept in {folder} ({problem.strerror}); set MELDLAB_CACHE to another folder") from None
    return folder


def kernel_sources() -> list[Path]:
    """Return all that compiled code depends on: the files of the kernels, what these import, and how they are compiled."""
    package = Path(__file__).parent
    return sorted({*package.rglob("kernel*.py"), *(package / f"{name}.py" for name in ("compiling", "gpu", "linking", "pieces"))})


def kernel_folder() -> Path:
    """Return the folder of the compiled kernels of exactly this source.

    numba looks only at the file of the function it loads, so a kernel that calls one in another file would run with the old
    callee after a change there, and code with bounds checks would pass for code without them. A folder named after all of it cannot
    go stale, and works where the package is read-only.
    """
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")  # asked of the environment: numba need not be loaded for this
    python = ".".join(map(str, sys.version_info[:2]))
    digest = hashlib.sha256(f"python {python} numba {version('numba')} {version('llvmlite')} bounds {bounds}".encode())
    for source in kernel_sources():
        digest.update(source.read_bytes())
    return cache_folder("kernels", digest.hexdigest()[:16])


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes the place of ``path`` when it is whole; what was there stays until then.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replace_file(Path(folder, "greeting")) as file:
    ...         _ = file.write(b"hello")
    ...     Path(folder, "greeting").read_bytes()
    b'hello'
    """
    place = path.resolve()
    if place.exists() and not place.is_file():
        # A terminal or a pipe has no place to take; a folder says so itself.
        with _opened(path, place, "wb") as file:
            yield file
        return
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        with _opened(path, part, "xb") as file:
            yield file
            with _said(path):
                file.flush()
                os.fsync(file.fileno())
        with _said(path):
            part.replace(place)
    finally:
        # Gone already when all went well.
        with suppress(OSError):
            part.unlink()


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """Turn what the system says into one line that names the file."""
    try:
        yield
    except OSError as problem:
        raise NotPossible(f"{path} cannot be written: {problem.strerror or problem}") from None


@contextmanager
def _opened(path: Path, place: Path, mode: str) -> Iterator[BinaryIO]:
    with _said(path):
        file = cast(BinaryIO, place.open(mode))
    try:
        yield file
    except OSError as problem:
        # Whoever writes may stumble over other files as well, which are not ours to explain; a full disk is.
        if problem.errno in FULL or (problem.errno is None and "written" in str(problem)):
            raise NotPossible(f"{path} cannot be written: {problem.strerror or problem}") from None
        raise
    else:
        with _said(path):
            file.close()
    finally:
        with suppress(OSError):
            file.close()
