"""Digests of the sources and data files that a stored result depends on.

A stored result must never pass for a result of other code. Whole files count, so a changed comment costs one computation.
"""

import hashlib
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["PACKAGE", "code_digest", "content_digest", "load_object", "module_files"]

PACKAGE = Path(__file__).parent
LENGTH = 16  # hexadecimal digits
LARGE = 10_000_000  # bytes; the digests of larger files are cached
DEPENDENCIES = ("numba", "numpy")  # whose versions count, too


@cache
def code_digest(*packages: str) -> str:
    """Return a digest of the packages and modules that a result depends on, by their names below ``meldlab``, data files included.

    The list must be closed under imports; ``tests/test_digests.py`` checks it for every caller.

    >>> code_digest("cards") == code_digest("cards"), code_digest("cards") == code_digest("cards", "melds")
    (True, False)
    """
    digest = hashlib.sha256(" ".join(version(name) for name in DEPENDENCIES).encode())
    for path in sorted(PACKAGE.rglob("*")):
        part = path.relative_to(PACKAGE)
        if path.is_file() and part.parts[0].removesuffix(".py") in packages and "__pycache__" not in part.parts:
            digest.update(f"{part.as_posix()} {_file_digest(path)} ".encode())
    return digest.hexdigest()[:LENGTH]


def load_object(path: str) -> Any:
    """Return the object ``module:name``; import its module if needed.

    >>> load_object("meldlab.errors:MeldlabError").__name__
    'MeldlabError'
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@cache
def module_files(name: str) -> list[Path]:
    """Return the file of a module outside the package; an empty list for other names.

    >>> [path.name for path in module_files("json.decoder")], module_files("meldlab.errors"), module_files("no.such.module")
    (['decoder.py'], [], [])
    """
    with suppress(ImportError, ValueError):
        module = find_spec(name)
        if module is not None and module.has_location and module.origin:
            return [path for path in [Path(module.origin)] if PACKAGE not in path.resolve().parents]
    return []


def content_digest(path: Path) -> str:
    """Return a digest of a file or of all files in a folder; its own name and location do not count."""
    if not path.is_dir():
        return _file_digest(path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    text = " ".join(f"{file.relative_to(path).as_posix()} {_file_digest(file)}" for file in files)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def _file_digest(path: Path) -> str:
    status = path.stat()
    return _cached_digest(path, status.st_mtime_ns, status.st_size) if status.st_size > LARGE else _compute_digest(path)


@lru_cache(maxsize=256)
def _cached_digest(path: Path, modified: int, size: int) -> str:
    # The tables of a player have hundreds of megabytes: they are read again only after a change.
    return _compute_digest(path)


def _compute_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:LENGTH]
