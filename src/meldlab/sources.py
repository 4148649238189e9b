"""What a kept result depends on, as digests: the source of the package with its data files, and files that a name leads to.

Results of other code must never be taken for results of this code. Which lines decide a number nobody can tell, so whole files count: a
comment that changes costs the time to compute again, and nothing else.
"""

import hashlib
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["code_digest", "content_digest", "files_named", "named"]

ROOT = Path(__file__).parent
LENGTH = 16  # hexadecimal digits
LARGE = 10_000_000  # bytes of a file that is not read for every question
UNDER = ("numba", "numpy")  # what computes for us


@cache
def code_digest(*without: str) -> str:
    """Return a digest of every file of the package but those in the rooms named, which decide nothing in question.

    >>> code_digest() == code_digest(), code_digest() == code_digest("cli")
    (True, False)
    """
    digest = hashlib.sha256(" ".join(version(name) for name in UNDER).encode())
    for path in sorted(ROOT.rglob("*")):
        part = path.relative_to(ROOT)
        if path.is_file() and part.parts[0] not in without and "__pycache__" not in part.parts:
            digest.update(f"{part.as_posix()} {_file_digest(path)} ".encode())
    return digest.hexdigest()[:LENGTH]


def named(path: str) -> Any:
    """Return what ``module:name`` names; its module is loaded if need be.

    >>> named("meldlab.errors:MeldlabError").__name__
    'MeldlabError'
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def files_named(name: str) -> list[Path]:
    """Return the files and folders outside the package that a player or a worker is read from, by its name.

    ``KIND:FILE`` and ``KIND:FOLDER`` name them behind the colon, ``FILE.py:CLASS`` and ``module:NAME`` before it. Of a module the one
    file counts, not what it imports.

    >>> files_named("ensemble:paper"), [path.name for path in files_named("json.decoder:JSONDecoder")]
    ([], ['decoder.py'])
    """
    before, _, last = name.rpartition(":")
    found = [Path(part) for part in (name.partition(":")[2], before if before.endswith(".py") else "") if part and Path(part).exists()]
    if not found and before and last.isidentifier() and all(part.isidentifier() for part in before.split(".")):
        found += _module_files(before)
    return [path for path in found if ROOT not in path.resolve().parents]


@cache
def _module_files(name: str) -> list[Path]:
    with suppress(ImportError, ValueError):
        module = find_spec(name)
        if module is not None and module.has_location and module.origin:
            return [Path(module.origin)]
    return []


def content_digest(path: Path) -> str:
    """Return a digest of a file, or of everything in a folder; what it is called and where it lies does not count."""
    if not path.is_dir():
        return _file_digest(path)
    inside = sorted(each for each in path.rglob("*") if each.is_file())
    told = " ".join(f"{each.relative_to(path).as_posix()} {_file_digest(each)}" for each in inside)
    return hashlib.sha256(told.encode()).hexdigest()[:LENGTH]


def _file_digest(path: Path) -> str:
    told = path.stat()
    return _read_once(path, told.st_mtime_ns, told.st_size) if told.st_size > LARGE else _read(path)


@lru_cache(maxsize=256)
def _read_once(path: Path, changed: int, size: int) -> str:
    # A computed player has hundreds of megabytes: it is read again only when the file has changed.
    return _read(path)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:LENGTH]
