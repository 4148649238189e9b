"""A computed player in a folder: values of all hands, memory-mapped, what is known of the opponent, and a head that says what it is.

``values.npy`` holds V in steps, [slots, classes] of 8 or 16 bits; ``book.npz`` the small arrays of the book; ``head.toml`` the rest.
"""

import os
import shutil
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from meldlab import __version__
from meldlab.cards import CARDS, Hand, classes
from meldlab.errors import MeldlabError, NotPossible
from meldlab.gin.book import NO_BOOK, Book, check_tables, on_host
from meldlab.play.record import toml
from meldlab.sources import code_digest

__all__ = ["FORMAT", "check_folder", "dead_cards", "load", "save"]

FORMAT = "meldlab computed player 1"
HEAD, VALUES, BOOK = "head.toml", "values.npy", "book.npz"
KEPT = ("turns", "odds", "knock", "caught", "deck")  # fields of a book that are saved beside the values


def dead_cards(ranks: int) -> Hand:
    """Return the cards that a deck with so many ranks lacks.

    >>> len(dead_cards(6))
    28
    """
    return Hand(card for card in CARDS if card.rank >= ranks)


def check_folder(folder: Path) -> None:
    """Raise unless a player can be saved there: in a new folder, an empty one, or in the place of another saved player."""
    if folder.exists() and not folder.is_dir():
        raise NotPossible(f"{folder} is a file; a computed player is saved in a folder")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / HEAD).is_file():
        raise NotPossible(f"{folder} holds something else; a computed player is saved in a folder of its own")
    if not folder.absolute().parent.is_dir():
        raise NotPossible(f"there is no folder {folder.absolute().parent}")


def save(book: Book, facts: Mapping[str, Any], folder: Path) -> int:
    """Write a player whole or not at all, and return the bytes of its values.

    ``facts`` go into the head beside what a reader of the file needs; ``cards`` and ``ranks`` must be among them.
    """
    check_folder(folder)
    codes = book.codes
    head = {
        "format": FORMAT,
        "version": __version__,
        "code": code_digest("cli"),
        "slots": codes.shape[0],
        "classes": codes.shape[1],
        **facts,
    }
    # Values of the full game take minutes to write: they grow under another name beside the place where they belong.
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", suffix=".part", dir=folder.absolute().parent))
    except OSError as problem:
        raise NotPossible(f"{folder} cannot be written: {problem.strerror or problem}") from None
    try:
        values = np.lib.format.open_memmap(part / VALUES, "w+", codes.dtype, codes.shape)
        for slot in range(codes.shape[0]):
            values[slot] = on_host(codes[slot])
        values.flush()
        del values
        arrays: dict[str, Any] = {name: on_host(getattr(book, name)) for name in KEPT}
        np.savez(part / BOOK, **arrays)
        (part / HEAD).write_text("".join(f"{name} = {toml(value)}\n" for name, value in head.items()), encoding="utf-8")
        part.chmod(0o777 & ~_umask())
        _put(part, folder)
    except OSError as problem:
        raise NotPossible(f"{folder} cannot be written: {problem.strerror or problem}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return (folder / VALUES).stat().st_size


def load(folder: Path) -> tuple[Book, dict[str, Any]]:
    """Return the book of a saved player, its values memory-mapped, and its head."""
    try:
        head = tomllib.loads((folder / HEAD).read_text(encoding="utf-8"))
        if head.get("format") != FORMAT:
            raise NotPossible(f"{folder} is no computed player of this format")
        # Copied on write, which never happens: the kernels are compiled for arrays that can be written to, and would be again for others.
        values = np.asarray(np.load(folder / VALUES, mmap_mode="c"))
        with np.load(folder / BOOK, allow_pickle=False) as kept:
            arrays: dict[str, Any] = {name: kept[name] for name in KEPT}
        size = classes.numbering(head["cards"], dead_cards(head["ranks"]))
        if values.dtype not in (np.uint8, np.uint16) or values.shape != (head["slots"], size.classes):
            raise NotPossible(f"{folder} is damaged: {VALUES} does not hold {head['slots']} x {size.classes:,} values")
        if arrays["deck"].tolist() != [((1 << 52) - 1) & ~dead_cards(head["ranks"]).mask, head["cards"]]:
            raise NotPossible(f"{folder} is damaged: {BOOK} is for another deck than {HEAD}")
        book = NO_BOOK._replace(codes=values, keys=size.keys, patterns=size.patterns, **{name: arrays[name] for name in KEPT})
        try:
            check_tables(book)
        except MeldlabError as problem:
            raise NotPossible(f"{folder} is damaged: {problem}") from None
        return book, head
    except FileNotFoundError:
        raise NotPossible(f"no computed player in {folder} ('meldlab gin compute --save' makes one)") from None
    except MeldlabError:
        raise
    except (OSError, EOFError, KeyError, TypeError, ValueError, OverflowError, zipfile.BadZipFile, zlib.error) as problem:
        raise NotPossible(f"{folder} is damaged: {problem}") from None


def _umask() -> int:
    # The only way to ask is to set; a temporary folder is closed to others, the saved player need not be.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _put(part: Path, folder: Path) -> None:
    """Move a finished folder to its place; one that stands there goes first, and comes back if that fails."""
    if not folder.exists():
        part.rename(folder)
        return
    old = part.with_suffix(".old")
    folder.rename(old)
    try:
        part.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old)
