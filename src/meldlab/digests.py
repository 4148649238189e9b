"""Digests of the sources and data files that a stored result depends on.

A stored result must never pass for a result of other code. Whole files count, so a changed comment costs one computation.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent
LENGTH = 16  # hexadecimal digits
LARGE = 10_000_000  # bytes; the digests of larger files are cached
IMPORT = re.compile(r"^ *from (meldlab[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
LOADED = re.compile(r"\"(meldlab[\w.]+):\w+\"")
REGISTRIES = ("runs/queue.py", "runs/tasks.py")
DEPENDENCIES = ("numba", "numpy")  # whose versions count, too


@cache
def import_digest(*modules: str) -> str:
    """Return a digest of modules below ``meldlab``, all that they import, directly or not, and the data files in folders of these.

    An import inside a function counts, and so does a path ``"meldlab.module:name"`` in a text.

    >>> import_digest("cards") == import_digest("cards"), import_digest("cards") == import_digest("melds")
    (True, False)
    """
    sources = import_closure(path for name in modules if (path := module_file(f"meldlab.{name}")))
    folders = {path.parent for path in sources} - {PACKAGE}
    data = {path for folder in folders for path in folder.rglob("*") if path.suffix not in (".py", ".pyc") and path.is_file()}
    digest = hashlib.sha256(" ".join(version(name) for name in DEPENDENCIES).encode())
    for path in sorted(sources | data):
        digest.update(f"{path.relative_to(PACKAGE).as_posix()} {_file_digest(path)} ".encode())
    return digest.hexdigest()[:LENGTH]


def import_closure(paths: Iterable[Path], follows: Callable[[Path], bool] = lambda path: True) -> set[Path]:
    """Return files of the package and all that they import, directly or not; imports of a file count only where ``follows`` is true."""
    pending, sources = list(paths), set[Path]()
    while pending:
        path = pending.pop()
        if path not in sources:
            sources.add(path)
            pending += imported_files(path) if follows(path) else ()
    return sources


@cache
def imported_files(path: Path) -> tuple[Path, ...]:
    """Return the files of the package that a file imports, or loads by a path that it contains."""
    text = path.read_text("utf-8")
    # Tables of functions for all kinds of work: what runs one of them names its module.
    loaded = [] if path.relative_to(PACKAGE).as_posix() in REGISTRIES else LOADED.findall(text)
    files = [file for module in loaded if (file := module_file(module))]
    for module, block, line in IMPORT.findall(text):
        names = [name.split(" as ")[0].strip() for name in (block or line).split(",")]
        submodules = [module_file(f"{module}.{name}") for name in names]
        files += [file for file in submodules if file]
        if not all(submodules) and (file := module_file(module)):
            files.append(file)
    return tuple(files)


def module_file(module: str) -> Path | None:
    """Return the file of a module of the package by its full name; None if there is no such module."""
    name, *parts = module.split(".")
    if name != "meldlab" or not parts:
        return None
    path = PACKAGE.joinpath(*parts)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


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
