"""The folder of compiled kernels and solved tables, and atomic replacement of files."""

import errno
import hashlib
import os
import platform
import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, cast

from meldlab.digests import import_closure, module_file
from meldlab.errors import NotPossible

PACKAGE = Path(__file__).parent
COMPILER = ("compiling", "gpu", "indexing", "linking")  # modules that decide how kernels are compiled
SYMBOL_PREFIX = "_ZN7meldlab"  # of compiled functions of this package
PROCESSOR = re.compile(r"^((?:model name|flags|Features|CPU implementer|CPU part)\s*:.*)$", re.MULTILINE)  # lines of /proc/cpuinfo
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def cache_folder(*parts: str) -> Path:
    """Return a folder below the cache, created if need be; ``MELDLAB_CACHE`` moves it elsewhere."""
    setting = os.environ.get("MELDLAB_CACHE")
    root = Path(setting) if setting else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "meldlab"
    folder = root.joinpath(*parts)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NotPossible(f"cannot create the cache folder {folder} ({error.strerror}); set MELDLAB_CACHE to another folder") from None
    return folder


def kernel_folder() -> Path:
    """Return the folder of kernels compiled by this Python and numba, with or without bounds checks."""
    bounds = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")  # read from the environment, since numba may not be loaded
    python = ".".join(map(str, sys.version_info[:2]))
    tools = f"python {python} numba {version('numba')} {version('llvmlite')} bounds {bounds}"
    return cache_folder("kernels", hashlib.sha256(tools.encode()).hexdigest()[:16])


@cache
def kernel_digest(module: str = "") -> str:
    """Return a digest of the sources that the compiled code of a kernel module depends on; for other modules, of all kernels."""
    digest = hashlib.sha256()
    for path in kernel_sources(module):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def processor_digest() -> str:
    """Return a digest of the processor that numba compiles for; numba is not loaded for it."""
    chosen = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    return hashlib.sha256("\n".join([*chosen, _processor()]).encode()).hexdigest()[:8]


@cache
def _processor() -> str:
    try:
        cores = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(sorted(set(PROCESSOR.findall(cores))))


def kernel_sources(module: str = "") -> list[Path]:
    """Return the files that the compiled code of a kernel module depends on; for other modules, those of all kernels.

    They are the file itself, the kernel files that it imports, directly or not, modules that these import, and those of the compiler.

    >>> [path.name for path in kernel_sources("meldlab.chance.kernel")]
    ['kernel.py', 'kernel_purpose.py', 'compiling.py', 'gpu.py', 'indexing.py', 'linking.py']
    """
    path = module_file(module)
    paths = [path] if path else PACKAGE.rglob("kernel*.py")
    sources = import_closure(paths, lambda path: path.name.startswith("kernel"))
    compiler = [PACKAGE / f"{name}.py" for name in COMPILER]
    return sorted(sources.difference(compiler)) + compiler


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that replaces ``path`` when it is complete; the old file stays until then.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replace_file(Path(folder, "greeting")) as file:
    ...         _ = file.write(b"hello")
    ...     Path(folder, "greeting").read_bytes()
    b'hello'
    """
    if path.exists() and not path.is_file():
        # A terminal or a pipe cannot be replaced, and the one behind /dev/stdout has no other path; opening a folder raises.
        with _open(path, path, "wb") as file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with _open(path, part, "xb") as file:
            yield file
            with write_errors(path):
                file.flush()
                os.fsync(file.fileno())
        with write_errors(path):
            part.replace(target)
    finally:
        # Renamed already on success.
        with suppress(OSError):
            part.unlink()


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Turn an error of the system into NotPossible with the path that cannot be written."""
    try:
        yield
    except OSError as error:
        raise NotPossible(f"{path} cannot be written: {error.strerror or error}") from None


@contextmanager
def _open(path: Path, target: Path, mode: str) -> Iterator[BinaryIO]:
    with write_errors(path):
        file = cast(BinaryIO, target.open(mode))
    try:
        yield file
    except OSError as error:
        # The caller's block can fail on other files, too; only a full disk is certainly about this one.
        if error.errno in FULL_DISK or (error.errno is None and "written" in str(error)):
            raise NotPossible(f"{path} cannot be written: {error.strerror or error}") from None
        raise
    else:
        with write_errors(path):
            file.close()
    finally:
        with suppress(OSError):
            file.close()
