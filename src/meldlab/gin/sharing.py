"""Arrays of the GPU for programs that ask by DLPack.

PyTorch and CuPy also ask by ``__cuda_array_interface__``, which the arrays answer themselves.

>>> import numpy as np
>>> here = np.arange(6, dtype=np.float32).reshape(2, 3)
>>> there = np.from_dlpack(Lent(here))
>>> here[1, 2] = 7
>>> there.tolist()
[[0.0, 1.0, 2.0], [3.0, 4.0, 7.0]]
"""

import ctypes
from typing import Any

from meldlab.errors import NotLegalHere

__all__ = ["Lent"]

CPU, CUDA = 1, 2  # kinds of devices, as DLPack numbers them
CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
SAME_STREAM = (None, -1, 0, 1)  # nothing to wait for: nobody asks, or the stream that our kernels run on
NAME = b"dltensor"


class _Tensor(ctypes.Structure):
    """A DLManagedTensor, its DLTensor first."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


LENT: dict[int, tuple[Any, ...]] = {}  # what a borrower has not given back, by the address of its tensor


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _give_back(address: int) -> None:
    LENT.pop(address, None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _drop(capsule: int) -> None:
    # A capsule that somebody has taken goes by another name, and is given back by whoever took it.
    if ctypes.pythonapi.PyCapsule_IsValid(ctypes.c_void_p(capsule), NAME):
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_char_p)
        LENT.pop(get(capsule, NAME), None)


class Lent:
    """An array without gaps that lends its memory: ``torch.from_dlpack(Lent(env.observe().features))``."""

    def __init__(self, array: Any) -> None:
        on_gpu = hasattr(array, "__cuda_array_interface__")
        interface = array.__cuda_array_interface__ if on_gpu else array.__array_interface__
        if interface.get("strides") is not None:
            raise NotLegalHere("only an array without gaps can be lent")
        self._array, self._pointer, self._device = array, interface["data"][0], CUDA if on_gpu else CPU

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device, 0

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        if self._device == CUDA and stream not in SAME_STREAM:
            from numba import cuda

            cuda.synchronize()
        array, kind = self._array, self._array.dtype
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        tensor = _Tensor(
            self._pointer, self._device, 0, array.ndim, CODES[kind.kind], 8 * kind.itemsize, 1, shape, None, 0, None, _give_back
        )
        address = ctypes.addressof(tensor)
        LENT[address] = (tensor, shape, array)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return make(address, NAME, ctypes.cast(_drop, ctypes.c_void_p))
