"""Folders of computed players: the values of all hands, memory-mapped, the model of the opponent, and a head with metadata.

``values.npy`` holds V in steps, [slots, classes] of 8 or 16 bits; ``book.npz`` the small arrays; ``head.toml`` the rest.
"""

import shutil
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from meldlab import __version__
from meldlab.cards import CARDS, Hand, classes
from meldlab.digests import import_digest
from meldlab.errors import BadText, MeldlabError, NotLegalHere, NotPossible
from meldlab.gin.kernel_state import DEADWOODS, KNOWNS, ODDS, TURNS, ValueTable
from meldlab.gin.network_files import check_arrays
from meldlab.gpu import on_host
from meldlab.play.record import read_toml, toml

FORMAT = "meldlab computed player 1"
HEAD, VALUES, BOOK = "head.toml", "values.npy", "book.npz"
SAVED = ("turns", "odds", "knock", "caught", "deck")  # fields that are saved next to the values
# Shape and type of every field but the codes.
SMALL_ARRAYS: Mapping[str, tuple[tuple[int, ...], type]] = {
    "turns": ((TURNS + 2, 3), np.float64),
    "keys": ((4, 8192), np.int32),
    "patterns": ((14 * 14 * 14, 6), np.int64),
    "odds": ((TURNS + 2, KNOWNS, ODDS), np.float64),
    "knock": ((TURNS + 2, KNOWNS, DEADWOODS), np.float64),
    "caught": ((TURNS + 2, KNOWNS, DEADWOODS), np.float64),
    "deck": ((2,), np.int64),
}


def dead_cards(ranks: int) -> Hand:
    """Return the cards of the higher ranks, which a deck with ``ranks`` ranks lacks.

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


def save(values: ValueTable, facts: Mapping[str, Any], folder: Path) -> int:
    """Write a player whole or not at all, and return the bytes of its values.

    ``facts`` are added to the head; ``cards`` and ``ranks`` must be among them.
    """
    check_folder(folder)
    codes = values.codes
    code, (slots, num_classes) = import_digest("gin.computing.compute"), codes.shape
    head = {"format": FORMAT, "version": __version__, "code": code, "slots": slots, "classes": num_classes, **facts}
    # Values of the full game take minutes to write: they are written to a temporary folder next to the final one.
    part = folder.absolute().with_name(f".{folder.name}-{token_hex(4)}.part")
    try:
        part.mkdir()
        written = np.lib.format.open_memmap(part / VALUES, "w+", codes.dtype, codes.shape)
        for slot in range(codes.shape[0]):
            written[slot] = on_host(codes[slot])
        written.flush()
        del written
        arrays: dict[str, Any] = {name: on_host(getattr(values, name)) for name in SAVED}
        np.savez(part / BOOK, **arrays)
        (part / HEAD).write_text("".join(f"{name} = {toml(value)}\n" for name, value in head.items()), encoding="utf-8")
        _put(part, folder)
    except OSError as error:
        raise NotPossible(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return (folder / VALUES).stat().st_size


def load(folder: Path) -> tuple[ValueTable, dict[str, Any]]:
    """Return the values of a saved player, memory-mapped, and its head."""
    try:
        head = read_toml((folder / HEAD).read_text(encoding="utf-8"))
        if head.get("format") != FORMAT:
            raise NotPossible(f"{folder} is not a computed player of this format")
        # Copied on write, which never happens: read-only arrays would compile the kernels again.
        codes = np.asarray(np.load(folder / VALUES, mmap_mode="c"))
        with np.load(folder / BOOK, allow_pickle=False) as stored:
            arrays: dict[str, Any] = {name: stored[name] for name in SAVED}
        size = classes.numbering(head["cards"], dead_cards(head["ranks"]))
        if codes.dtype not in (np.uint8, np.uint16) or codes.shape != (head["slots"], size.classes):
            raise NotPossible(f"{folder} is damaged: {VALUES} does not hold {head['slots']} x {size.classes:,} values")
        if arrays["deck"].tolist() != [((1 << 52) - 1) & ~dead_cards(head["ranks"]).mask, head["cards"]]:
            raise NotPossible(f"{folder} is damaged: {BOOK} is for another deck than {HEAD}")
        values = ValueTable(codes=codes, keys=size.keys, patterns=size.patterns, **{name: arrays[name] for name in SAVED})
        try:
            check_values(values)
        except MeldlabError as error:
            raise NotPossible(f"{folder} is damaged: {error}") from None
        return values, head
    except FileNotFoundError:
        raise NotPossible(f"no computed player in {folder} ('meldlab gin compute --save' makes one)") from None
    except BadText as error:
        raise NotPossible(f"{folder} is damaged: {HEAD}: {error.problem}") from None
    except MeldlabError:
        raise
    except (OSError, EOFError, KeyError, TypeError, ValueError, OverflowError, zipfile.BadZipFile, zlib.error) as error:
        raise NotPossible(f"{folder} is damaged: {error}") from None


def check_values(table: ValueTable) -> None:
    """Raise unless the arrays have their shapes, and every turn a slot; ``load`` checks the number of hands."""
    check_arrays(table, SMALL_ARRAYS, "value table")
    codes = table.codes
    if len(codes.shape) != 2 or codes.shape[1] < 2 or codes.dtype not in (np.uint8, np.uint16):
        got = f"{' x '.join(map(str, codes.shape))} codes of {codes.dtype}"
        raise NotLegalHere(f"not a value table: expected a row of 8 or 16 bits for each slot, got {got}")
    slots = on_host(table.turns)[:, 0]
    if not (np.isin(slots, np.arange(codes.shape[0]))).all():
        raise NotLegalHere(f"not a value table: turns name slots that are not among 0 to {codes.shape[0] - 1}")


def _put(part: Path, folder: Path) -> None:
    """Move a finished folder to its path; an old folder is moved away first, and restored on failure."""
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
