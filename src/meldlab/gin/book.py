"""The book of the computed player: values of hands and odds of the opponent, as the kernels read them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere
from meldlab.gin.kernel_computed import KNOWNS, ODDS, TURNS
from meldlab.gin.kernel_light import NARROW, ROWS, WIDE

__all__ = ["NO_BOOK", "Book", "check_network", "check_tables", "on_host"]

DEADWOODS = 100


class Book(NamedTuple):
    """What a computed player knows; kernels take it whole. Arrays may lie on a GPU."""

    codes: Any  # [slots, classes] of an unsigned type: V in steps
    turns: NDArray[np.float64]  # [TURNS + 2, 3]: slot, low, step of each turn
    keys: NDArray[np.int32]
    patterns: NDArray[np.int64]
    odds: NDArray[np.float64]  # [TURNS + 2, KNOWNS, ODDS]
    knock: NDArray[np.float64]  # [TURNS + 2, KNOWNS, DEADWOODS]
    caught: NDArray[np.float64]
    deck: NDArray[np.int64]  # all cards as a hand, and how many each player holds
    rows: NDArray[np.float32]  # [ROWS, WIDE], the network of a light player
    first: NDArray[np.float32]  # [WIDE + 1, NARROW]
    last: NDArray[np.float32]  # [NARROW + 1, 3]


NO_BOOK = Book(
    np.zeros((1, 1), np.uint8),
    np.zeros((TURNS + 2, 3)),
    np.zeros((4, 8192), np.int32),
    np.zeros((14 * 14 * 14, 6), np.int64),
    np.zeros((TURNS + 2, KNOWNS, ODDS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros(2, np.int64),
    np.zeros((1, 1), np.float32),
    np.zeros((1, 1), np.float32),
    np.zeros((1, 1), np.float32),
)
NETWORK = {"rows": (ROWS, WIDE), "first": (WIDE + 1, NARROW), "last": (NARROW + 1, 3)}


def check_network(book: Book) -> None:
    """Raise unless the network of a book is one: kernels look rows up without asking whether they are there."""
    for name, shape in NETWORK.items():
        array = on_host(getattr(book, name))
        if array.shape != shape or array.dtype != np.float32:
            raise NotLegalHere(f"no network: {name} has {_shape(array)} numbers, not {' x '.join(map(str, shape))} of 32 bits")
        if not np.isfinite(array).all():
            raise NotLegalHere(f"no network: {name} holds a number that is not finite")


def check_tables(book: Book) -> None:
    """Raise unless a book has values, and slots for every turn; whether a saved one has all hands, ``tables.load`` asks."""
    for name in ("turns", "keys", "patterns", "odds", "knock", "caught", "deck"):
        array, model = on_host(getattr(book, name)), getattr(NO_BOOK, name)
        if array.shape != model.shape or array.dtype != model.dtype:
            raise NotLegalHere(
                f"no book of values: {name} has {_shape(array)} numbers of {array.dtype}, not {_shape(model)} of {model.dtype}"
            )
        if not np.isfinite(array).all():
            raise NotLegalHere(f"no book of values: {name} holds a number that is not finite")
    codes = book.codes
    if len(codes.shape) != 2 or codes.shape[1] < 2 or codes.dtype not in (np.uint8, np.uint16):
        raise NotLegalHere(f"no book of values: {_shape(codes)} codes of {codes.dtype}, not a row of 8 or 16 bits for each slot")
    slots = on_host(book.turns)[:, 0]
    if not (np.isin(slots, np.arange(codes.shape[0]))).all():
        raise NotLegalHere(f"no book of values: turns name slots that are not among 0 to {codes.shape[0] - 1}")


def on_host(array: Any) -> NDArray[Any]:
    """Return an array of the GPU, or of this side, on this side."""
    found: NDArray[Any] = array.copy_to_host() if hasattr(array, "copy_to_host") else array
    return found


def _shape(array: Any) -> str:
    return " x ".join(map(str, array.shape))
