"""The GPU, if there is one: the only place that brings in ``numba.cuda``."""

from importlib import metadata
from typing import Any

import numpy as np

from meldlab.errors import NotLegalHere

__all__ = ["gpu_name", "has_gpu", "use_gpu"]


def use_gpu() -> Any:
    """Return ``numba.cuda`` with a device that answers, or say why there is none."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # some versions of numba-cuda ask for the name that numpy has dropped
    try:
        from numba import cuda
    except ImportError:
        raise NotLegalHere("no CUDA here: pip install 'meldlab[cuda]' on a machine with an NVIDIA GPU") from None
    if not cuda.is_available():
        raise NotLegalHere("no CUDA device answers ('meldlab doctor' says what is missing)")
    return cuda


def has_gpu() -> bool:
    """Tell whether a CUDA device can be used."""
    try:
        use_gpu()
    except NotLegalHere:
        return False
    return True


def gpu_name() -> str:
    """Return the name of the CUDA device, or why there is none."""
    try:
        name = use_gpu().get_current_device().name
    except NotLegalHere:
        try:
            metadata.version("numba-cuda")
        except metadata.PackageNotFoundError:
            return "none (on a machine with one: pip install 'meldlab[cuda]')"
        return "none (no CUDA driver answers)"
    return name.decode() if isinstance(name, bytes) else str(name)
