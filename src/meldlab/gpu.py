"""The GPU, if there is one, made ready for our kernels, or why there is none."""

import ctypes
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np

from meldlab.cache import kernel_folder
from meldlab.errors import NotPossible

__all__ = ["gpu_kernel", "gpu_name", "has_gpu", "use_gpu"]

DRIVER = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
STACK_LIMIT, STACK_BYTES = 0, 32768  # the number that the driver gives this limit, and its new value


def use_gpu() -> Any:
    """Return ``numba.cuda`` with a device that answers, or say why there is none."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # some versions of numba-cuda ask for the name that numpy has dropped
    try:
        from numba import cuda
    except ImportError:
        raise NotPossible("no CUDA here: pip install 'meldlab[cuda]' on a machine with an NVIDIA GPU") from None
    from numba.cuda.cudadrv import nvvm

    # The tables of the kernels would overflow the 64 KB of constant memory: every function keeps a copy of those it reads.
    nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
    if not cuda.is_available():
        raise NotPossible("no CUDA device answers ('meldlab doctor' says what is missing)")
    cuda.current_context()
    # Recursive kernels need more stack than the kilobyte that a thread has by default, and the arrays of their callers lie there too.
    ctypes.CDLL(DRIVER).cuCtxSetLimit(STACK_LIMIT, ctypes.c_size_t(STACK_BYTES))
    return cuda


def gpu_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function for the GPU and keep the machine code where the kernels of the CPU are kept."""
    from numba import cuda

    try:
        from numba.cuda.core import config
    except ImportError:
        from numba.core import config
    # numba reads the folder when it decorates; put it back, so that a user's own kernels stay where they were.
    before, config.CACHE_DIR = config.CACHE_DIR, str(kernel_folder())
    try:
        return cuda.jit(cache=True)(function)
    finally:
        config.CACHE_DIR = before


def has_gpu() -> bool:
    """Tell whether a CUDA device can be used."""
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
