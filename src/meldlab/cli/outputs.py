"""The option ``--out``: a folder or a file whose place is tried when the command line is read, before any work starts."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import typer

from meldlab.cli.options import read_by
from meldlab.errors import NotPossible

__all__ = ["out_file", "out_folder", "writable_file", "writable_folder"]


def out_folder(words: str, name: str = "--out") -> Any:
    """Return the option ``--out DIR``, or another option that names a folder to write."""
    return _option(name, writable_folder, "DIR", words)


def out_file(words: str, metavar: str = "FILE", name: str = "--out", *, parents: bool = False) -> Any:
    """Return the option ``--out FILE``, or another option that names a file to write; ``parents``: its folder may be a new one."""
    return _option(name, partial(writable_file, parents=parents), metavar, words)


def _option(name: str, check: Callable[[Path], Path], metavar: str, words: str) -> Any:
    def read(text: str) -> Path:
        try:
            return check(Path(text))
        except OSError as error:
            raise NotPossible(f"{text} cannot be written: {error.strerror or error}") from None

    return typer.Option(name, **read_by(read, metavar), help=words)


def writable_folder(folder: Path) -> Path:
    """Return a folder in which files can be created, or that can be created itself; nothing is left behind by the trial."""
    created: list[Path] = []
    try:
        for part in [*reversed(folder.absolute().parents), folder.absolute()]:
            if part.is_dir():
                continue
            if part.exists():
                raise NotPossible(f"{folder} cannot be written: expected a folder, got the file {part}")
            part.mkdir()
            created.append(part)
        _try(folder)
    finally:
        for part in reversed(created):
            with suppress(OSError):  # another process may have put something into it
                part.rmdir()
    return folder


def writable_file(path: Path, *, parents: bool = False) -> Path:
    """Return a path at which a file can be created or replaced; a pipe or a terminal is written as it is.

    ``parents``: the folder of the file is created with it.
    """
    if path.is_dir():
        raise NotPossible(f"{path} cannot be written: expected a file, got a folder")
    if path.is_file() or not path.exists():
        # A file is replaced by a new one beside it, so its folder must be writable.
        folder = path.resolve().parent
        if not parents and not folder.is_dir():
            raise NotPossible(f"{path} cannot be written: there is no folder {folder}")
        writable_folder(folder)
    return path


def _try(folder: Path) -> None:
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".meldlab-"):
        pass
