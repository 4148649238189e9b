"""How a kernel is compiled: once per machine and version; the log of ``meldlab.compiling`` says when that begins.

A kernel is a plain function over integers and arrays in a file called ``kernel.py``::

    @scalar_kernel
    def double(x):
        return 2 * x
"""

import logging
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, event, serialize, types
from numba.np import arrayobj, linalg

from meldlab.cache import OURS, kernel_folder
from meldlab.linking import Parts, Pipeline

__all__ = ["apart_kernel", "inlined_kernel", "kernel", "scalar_kernel"]

LOG = logging.getLogger(__name__)
# What a kernel is to the type checker: numba infers the types, the docstring gives the shapes.
Function = Callable[..., Any]


class _Notice(event.Listener):  # type: ignore[misc]  # numba carries no types
    """Says once, on the first real compilation, what is going on; loading from the cache is silent."""

    said = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith("meldlab.")
        if ours and not _Notice.said:
            _Notice.said = True
            LOG.info("compiling kernels, once for this version ('meldlab doctor' does it ahead) ...")

    def on_end(self, event: Any) -> None:
        """Nothing to say: the answer follows."""


event.register("numba:compile", _Notice())
# To return an array, a kernel asks this function of numba's for its type and does not look whether an error came back. Ctrl-C during the
# kernel is heard as soon as Python runs again, which is there, and the interpreter crashes. Once it has answered, its cache answers
# without running Python; kernels that run for long must return numbers only, so that they are safe the first time too.
serialize._numba_unpickle = lru_cache(maxsize=None)(serialize._numba_unpickle)
_FOLDER = kernel_folder()
_numbas_index = arrayobj.fix_integer_index


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Count an index from the front only.

    numba asks of every index whether it is negative and counts from the end, as Python does. No kernel here needs that, and without it
    described games are played 1.4 to 1.6 times as fast. Kernels of others keep it.
    """
    if builder.function.name.startswith(OURS):
        return context.cast(builder, index, kind, types.intp)
    return _numbas_index(context, builder, kind, index, size)


arrayobj.fix_integer_index = _index
_numbas_blas = getattr(linalg, "ensure_blas", None)  # no promise of numba: without it nothing is put off


def _blas_later() -> None:
    """Say that scipy can multiply matrices without loading it, which takes a tenth of a second.

    numba asks once when the first kernel is loaded, and again before it compiles one that needs it, which no kernel here does.
    """
    linalg.ensure_blas = _numbas_blas


if _numbas_blas and "numba.np.arraymath" not in sys.modules:
    linalg.ensure_blas = _blas_later


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """The cache entry of a kernel, named by its module.

    numba names an entry by the path of the source, so that a second checkout or virtual environment compiles everything again. Kernels
    of this package need no path: the folder is named after the contents of all their sources. Functions of other packages keep it.
    """

    def __init__(self, function: Function, file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        ours = function.__module__.startswith("meldlab.")
        self._folder = _FOLDER / (function.__module__ if ours else self.get_suitable_cache_subpath(file))
        self._stamp = None if ours else Path(file).read_bytes()

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> bytes | None:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    @classmethod
    def from_function(cls, function: Function, file: str) -> "_Locator | None":
        return cls(function, file) if Path(file).exists() else None  # None: typed at a prompt


class _CacheEntry(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """The compiled code of one kernel on disk; a full or read-only disk costs time, not the answer."""

    _impl_class = _CacheEntry

    def save_overload(self, signature: Any, compiled: Any) -> None:
        try:
            Path(self.cache_path).mkdir(parents=True, exist_ok=True)
            super().save_overload(signature, compiled)
        except OSError as error:
            _warn_not_stored(error.strerror)


@lru_cache(maxsize=1)
def _warn_not_stored(reason: str) -> None:
    LOG.warning("compiled kernels cannot be stored in %s (%s); every run compiles them again", _FOLDER, reason)


def _compile(function: Function, **options: bool | str) -> Function:
    compiled = numba.njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=Pipeline, **options)(function)
    if numba.config.DISABLE_JIT:
        return function
    compiled._cache = _Cache(function)
    parts = Parts(compiled)
    compiled.get_call_template, compiled.get_overload = parts.get_call_template, parts.get_overload
    return compiled  # type: ignore[no-any-return]


def scalar_kernel(function: Function) -> Function:
    """Compile a function that allocates nothing, to be called inside other kernels and on the GPU.

    Such a function needs no reference counts; without them a call costs a third (18 ns against 7 for the deadwood of a hand).
    """
    return _compile(function, _nrt=False)


def inlined_kernel(function: Function) -> Function:
    """Compile a function that allocates nothing into the one that calls it.

    A call copies every array of the named structures that it is given, which costs more than many a decision takes.
    """
    return _compile(function, _nrt=False, inline="always")


def apart_kernel(function: Function) -> Function:
    """Compile a function that allocates nothing and that no caller takes in.

    What is seldom done in a loop takes registers from what is often done there.
    """
    return _compile(function, _nrt=False, inline="never")


def kernel(function: Function) -> Function:
    """Compile ``function`` for one core and keep the machine code in the cache."""
    return _compile(function)
