"""The book of a player that computes, as the kernels read it: values of hands and odds of the opponent, a network, or a policy."""

import json
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin.kernel_layout import DEADWOODS, KNOWNS, NARROW, ODDS, TURNS, WIDE, Book, Network, PolicyLayers, Values
from meldlab.gin.players.kernel_light import ROWS

__all__ = ["NO_BOOK", "NO_NETWORK", "NO_POLICY", "NO_VALUES", "check_network", "check_values", "on_host", "read_layers"]

L = TypeVar("L", Network, PolicyLayers)

NO_VALUES = Values(
    np.zeros((1, 1), np.uint8),
    np.zeros((TURNS + 2, 3)),
    np.zeros((4, 8192), np.int32),
    np.zeros((14 * 14 * 14, 6), np.int64),
    np.zeros((TURNS + 2, KNOWNS, ODDS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros((TURNS + 2, KNOWNS, DEADWOODS)),
    np.zeros(2, np.int64),
)
NO_NETWORK = Network(*(np.zeros((1, 1), np.float32) for _ in range(3)))
NO_POLICY = PolicyLayers(*(np.zeros((1,) * dimensions, np.float32) for dimensions in (2, 2, 2, 1, 2, 2, 2, 3, 3, 2, 2, 2)))
NO_BOOK = Book(NO_VALUES, NO_NETWORK, NO_POLICY)
NETWORK = {"rows": (ROWS, WIDE), "first": (WIDE + 1, NARROW), "last": (NARROW + 1, 3)}


def check_network(network: Network) -> None:
    """Raise unless this is a network: kernels look rows up without asking whether they are there."""
    for name, shape in NETWORK.items():
        array = on_host(getattr(network, name))
        if array.shape != shape or array.dtype != np.float32:
            raise NotLegalHere(f"no network: {name} has {_shape(array)} numbers, not {' x '.join(map(str, shape))} of 32 bits")
        if not np.isfinite(array).all():
            raise NotLegalHere(f"no network: {name} holds a number that is not finite")


def read_layers(kind: type[L], check: Callable[[L], None], file: Any, name: str) -> tuple[L, dict[str, Any]]:
    """Return the layers of an open file or a path as one kind of network that passes its check, and the notes that are kept with them."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            layers = kind(*(np.ascontiguousarray(arrays[part], np.float32) for part in kind._fields))
            notes = dict(json.loads(str(arrays["notes"])))
        check(layers)
    except NotLegalHere as problem:
        raise NotPossible(f"{name} cannot be played: {problem}") from None
    except OSError as problem:
        raise NotPossible(f"{name} cannot be read: {problem.strerror or problem}") from None
    except (EOFError, KeyError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as problem:
        raise NotPossible(f"{name} holds no network: {' '.join(str(problem).split())}") from None
    return layers, notes


def check_values(values: Values) -> None:
    """Raise unless there are values, and slots for every turn; whether saved ones are of all hands, ``folder.load`` asks."""
    for name in ("turns", "keys", "patterns", "odds", "knock", "caught", "deck"):
        array, model = on_host(getattr(values, name)), getattr(NO_VALUES, name)
        if array.shape != model.shape or array.dtype != model.dtype:
            raise NotLegalHere(
                f"no book of values: {name} has {_shape(array)} numbers of {array.dtype}, not {_shape(model)} of {model.dtype}"
            )
        if not np.isfinite(array).all():
            raise NotLegalHere(f"no book of values: {name} holds a number that is not finite")
    codes = values.codes
    if len(codes.shape) != 2 or codes.shape[1] < 2 or codes.dtype not in (np.uint8, np.uint16):
        raise NotLegalHere(f"no book of values: {_shape(codes)} codes of {codes.dtype}, not a row of 8 or 16 bits for each slot")
    slots = on_host(values.turns)[:, 0]
    if not (np.isin(slots, np.arange(codes.shape[0]))).all():
        raise NotLegalHere(f"no book of values: turns name slots that are not among 0 to {codes.shape[0] - 1}")


def on_host(array: Any) -> NDArray[Any]:
    """Return an array of the GPU, or of this side, on this side."""
    found: NDArray[Any] = array.copy_to_host() if hasattr(array, "copy_to_host") else array
    return found


def _shape(array: Any) -> str:
    return " x ".join(map(str, array.shape))
