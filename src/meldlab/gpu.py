"""Access to a CUDA device: its kernels, its name, or the reason why there is none."""

import ctypes
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from meldlab.cache import kernel_digest, kernel_folder
from meldlab.errors import NotPossible

__all__ = ["Device", "gpu_kernel", "gpu_name", "has_gpu", "on_host", "use_gpu"]

DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
STACK_LIMIT, STACK_BYTES = 0, 32768  # the driver's number of this limit, and its new value


def use_gpu() -> Any:
    """Return ``numba.cuda`` with a working device; raise NotPossible with the reason if there is none."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # some versions of numba-cuda use the name that numpy has dropped
    try:
        from numba import cuda
    except ImportError:
        raise NotPossible("no CUDA here: pip install 'meldlab[cuda]' on a machine with an NVIDIA GPU") from None
    from numba.cuda.cudadrv import nvvm

    # The tables of the kernels would overflow the 64 KB of constant memory: every function has a copy of those it reads.
    nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
    if not cuda.is_available():
        raise NotPossible("no CUDA device answers ('meldlab doctor' says what is missing)")
    cuda.current_context()
    # Recursive kernels need more stack than the default kilobyte per thread, and the arrays of their callers are on it, too.
    ctypes.CDLL(DRIVER).cuCtxSetLimit(STACK_LIMIT, ctypes.c_size_t(STACK_BYTES))
    return cuda


class Device:
    """The host or a GPU, and arrays there; ``cuda`` is ``numba.cuda`` on a GPU."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cuda = use_gpu() if name == "cuda" else None

    def zeros(self, shape: int | tuple[int, ...], kind: Any) -> Any:
        """Return an array of zeros that kernels can write to."""
        return self.up(np.zeros(shape, kind))

    def empty(self, shape: int | tuple[int, ...], kind: Any) -> Any:
        """Return an array that kernels can write to; on the host it is zero."""
        return np.zeros(shape, kind) if self.cuda is None else self.cuda.device_array(shape, kind)

    def up(self, array: Any) -> Any:
        """Return an array of the host that kernels can read."""
        return array if self.cuda is None else self.cuda.to_device(np.ascontiguousarray(array))

    def put(self, target: Any, values: Any) -> None:
        """Fill an array of the device."""
        if self.cuda is None:
            target[:] = values
        elif values.size:  # of an empty array, numba compares the strides
            target.copy_to_device(np.ascontiguousarray(values))


def gpu_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for the GPU and store the machine code next to the kernels of the CPU."""
    from numba import cuda

    try:
        from numba.cuda.core import config
    except ImportError:
        from numba.core import config
    # numba reads the folder in its decorator; restore it, so that a user's own kernels stay in their folder.
    before, config.CACHE_DIR = config.CACHE_DIR, str(kernel_folder() / f"cuda-{kernel_digest(function.__module__)}")
    try:
        return cuda.jit(cache=True)(function)
    finally:
        config.CACHE_DIR = before


def on_host(array: Any) -> Any:
    """Return an array of the GPU or of the host on the host."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def has_gpu() -> bool:
    """Return whether a CUDA device can be used."""
    try:
        use_gpu()
    except NotPossible:
        return False
    return True


def gpu_name() -> str:
    """Return the name of the CUDA device, or why there is none."""
    try:
        name = use_gpu().get_current_device().name
    except NotPossible:
        try:
            metadata.version("numba-cuda")
        except metadata.PackageNotFoundError:
            return "none (on a machine with one: pip install 'meldlab[cuda]')"
        return "none (no CUDA driver answers)"
    return name.decode() if isinstance(name, bytes) else str(name)
