"""Files of networks: read, and checked before a kernel gets the weights."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import numpy as np

from meldlab.errors import NotLegalHere, NotPossible
from meldlab.gin.kernel_state import FLOAT_PLANES, NARROW, PLANES, SCALARS, WIDE, PolicyWeights, ValueWeights
from meldlab.gin.kernel_value_network import ROWS
from meldlab.gpu import on_host

W = TypeVar("W", ValueWeights, PolicyWeights)
VALUE_SHAPES = ValueWeights((ROWS, WIDE), (WIDE + 1, NARROW), (NARROW + 1, 3))
FOLDER = resources.files("meldlab.gin.players") / "networks"
MAX_WIDTH, MAX_LAYERS = 2048, 8
FILE_NAMES = {"prior_scale": "trust"}  # names in files that differ from those of the weights


def file_name(array: str) -> str:
    """Return the name that an array of weights has in a file."""
    return FILE_NAMES.get(array, array)


def policy_shapes(wide: int, deep: int) -> PolicyWeights:
    """Return the shapes of the weights of a policy network."""
    cards, square = (13 * (PLANES + FLOAT_PLANES), wide), (deep, wide, wide)
    return PolicyWeights(
        *VALUE_SHAPES,
        prior_scale=(3,),
        own=cards,
        every=cards,
        scalars=(SCALARS + 1, wide),
        deep_own=square,
        deep_every=square,
        deep_bias=(deep, wide),
        cards=(wide + 1, 39),
        plain=(wide + 1, 5),
    )


def blank_policy(wide: int, deep: int) -> PolicyWeights:
    """Return a policy network with equal logits for all actions."""
    return PolicyWeights(*(np.zeros(shape, np.float32) for shape in policy_shapes(wide, deep)))


def prior_of(weights: PolicyWeights) -> ValueWeights:
    """Return the prior network inside a policy."""
    return ValueWeights(weights.rows, weights.first, weights.last)


def check_weights(weights: ValueWeights | PolicyWeights) -> None:
    """Raise unless these are weights of a value network or a policy that the kernels can read."""
    if isinstance(weights, ValueWeights):
        check_arrays(weights, {name: (shape, np.float32) for name, shape in VALUE_SHAPES._asdict().items()}, "network")
        return
    if np.ndim(weights.own) != 2 or np.ndim(weights.deep_bias) != 2:
        raise NotLegalHere("not a policy: expected layers with a width")
    wide, deep = weights.own.shape[1], len(weights.deep_bias)
    if not (1 <= wide <= MAX_WIDTH and 0 <= deep <= MAX_LAYERS):
        raise NotLegalHere(f"not a policy: expected up to {MAX_LAYERS} layers of up to {MAX_WIDTH}, got {deep} of {wide}")
    check_arrays(weights, {name: (shape, np.float32) for name, shape in policy_shapes(wide, deep)._asdict().items()}, "policy")


def check_arrays(holder: Any, kinds: Mapping[str, tuple[tuple[int, ...], type]], what: str) -> None:
    """Raise unless the arrays of a structure have these shapes and types, row by row in memory, and hold finite numbers."""
    for name, (shape, kind) in kinds.items():
        array = on_host(getattr(holder, name))
        if array.shape != shape or array.dtype != kind or not array.flags.c_contiguous:
            expected, got = (" x ".join(map(str, sizes)) for sizes in (shape, array.shape))
            raise NotLegalHere(f"not a {what}: expected {expected} numbers of {np.dtype(kind)} for {name}, got {got} of {array.dtype}")
        if not np.isfinite(array).all():
            raise NotLegalHere(f"not a {what}: {name} holds a number that is not finite")


@cache
def read_shipped(kind: type[W], name: str) -> tuple[Any, dict[str, Any]]:
    """Return the network of a name that comes with the package, and its metadata."""
    with (FOLDER / f"{name}.npz").open("rb") as file:
        return read_weights(kind, file, f"{name}.npz")


def read_weights(kind: type[W], file: Any, name: str) -> tuple[W, dict[str, Any]]:
    """Return the value network or policy of an open file or a path, and its metadata."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            weights = kind(*(np.ascontiguousarray(arrays[file_name(part)], np.float32) for part in kind._fields))
            metadata = dict(json.loads(str(arrays["notes"])))
        check_weights(weights)
    except NotLegalHere as error:
        raise NotPossible(f"{name} cannot be played: {error}") from None
    except OSError as error:
        raise NotPossible(f"{name} cannot be read: {error.strerror or error}") from None
    except (EOFError, KeyError, RecursionError, TypeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise NotPossible(f"{name} holds no network: {' '.join(str(error).split())}") from None
    return weights, metadata
