"""Decorators that compile kernels: once per machine and version; the logger ``meldlab.compiling`` reports when compiling starts.

A kernel is a plain function over integers and arrays in a file called ``kernel.py``::

    @device_function
    def double(x):
        return 2 * x
"""

import logging
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, event, serialize
from numba.extending import overload
from numba.np import linalg

from meldlab.cache import kernel_digest, kernel_folder
from meldlab.errors import NotPossible

try:
    from meldlab import linking
except ImportError as error:
    raise NotPossible(f"numba {numba.__version__} is not supported ({error}): pip install 'numba>=0.68,<0.69'") from None

__all__ = ["announce_again", "by_kind", "device_function", "kernel"]

LOG = logging.getLogger(__name__)
_FOLDER = kernel_folder()
# The static type of a kernel: numba infers its types, the docstring has the shapes.
Function = Callable[..., Any]


class _Notice(event.Listener):  # type: ignore[misc]  # numba carries no types
    """Logs one line on the first compilation; loading from the cache is silent."""

    logged = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith("meldlab.")
        if ours and not _Notice.logged:
            _Notice.logged = True
            LOG.info("compiling kernels, once for this version ('meldlab doctor' does it ahead) ...")

    def on_end(self, event: Any) -> None:
        """Do nothing: the result follows."""


def announce_again() -> None:
    """Log the next compilation as well: at a table in the terminal a user waits again after each line typed."""
    _Notice.logged = False


event.register("numba:compile", _Notice())
# A kernel that returns an array calls this function of numba for the array's type and does not check whether it failed. A pending Ctrl-C
# is raised as soon as Python runs, which is there, and the interpreter crashes. A cached result is returned without running Python.
# Kernels that run for long write into arrays that they are given, so that their first call is safe as well.
serialize._numba_unpickle = lru_cache(maxsize=None)(serialize._numba_unpickle)
_numba_ensure_blas = getattr(linalg, "ensure_blas", None)


def _load_blas_later() -> None:
    """Answer numba's first question, whether scipy can multiply matrices, without loading scipy.

    numba asks when the first kernel is loaded, and again before it compiles a matrix product, which no kernel has. A first call of a kernel
    takes 0.45 instead of 0.60 CPU seconds, imports included (docs/notes/numba.md).
    """
    linalg.ensure_blas = _numba_ensure_blas


if _numba_ensure_blas and "numba.np.arraymath" not in sys.modules:
    linalg.ensure_blas = _load_blas_later


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """The cache entry of a kernel, named by its module and by the contents of the sources that its code depends on.

    numba names an entry by the path of the source, so that a second checkout or virtual environment compiles everything again, and
    looks at the file of the function only, so that a kernel runs with an old callee after a change in another file.
    """

    def __init__(self, function: Function, file: str) -> None:
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        ours = function.__module__.startswith("meldlab.")
        name = function.__module__ if ours else self.get_suitable_cache_subpath(file)
        self._folder = _FOLDER / f"{name}-{kernel_digest(function.__module__)}"
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


def _compile(function: Function, allocates: bool = False, **options: str) -> Function:
    compiled = numba.njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=linking.Pipeline, _nrt=allocates, **options)(function)
    if numba.config.DISABLE_JIT:
        return function
    compiled._cache = _Cache(function)
    parts = linking.Parts(compiled)
    compiled.get_call_template, compiled.get_overload = parts.get_call_template, parts.get_overload
    return compiled  # type: ignore[no-any-return]


def device_function(function: Function | None = None, *, inline: str = "never") -> Function:
    """Compile a function that allocates nothing, to be called inside other kernels and on the GPU.

    Such a function needs no reference counts; without them a call takes 7 instead of 18 ns for the deadwood of a hand.
    ``inline``: "always" for a small function with many arrays among its arguments, since a call copies all of them, which often takes
    longer than the work itself; "never" for rarely executed code inside a loop, which would take registers from the rest of the loop.
    """
    if function is None:
        return partial(_compile, inline=inline)
    return _compile(function)


def kernel(function: Function) -> Function:
    """Compile ``function`` for one core and store the machine code in the cache."""
    return _compile(function, allocates=True)


def by_kind(kernels: dict[type, Function], default: Function | None = None) -> Function:
    """Return a kernel that calls one of several by the type of its first argument, a named tuple: ``functools.singledispatch`` for kernels.

    ``default`` is the kernel of all other types; without it they are rejected. The choice is made while the caller is compiled, so a
    caller holds the code of the kinds that it is compiled for, and no other.
    """

    def choose(kind: Any, *arguments: Any) -> Any:
        raise TypeError(f"expected one of {', '.join(known.__name__ for known in kernels)}, got {type(kind).__name__}")

    def call(kind: Any, *arguments: Any) -> Any:
        return choose(kind, *arguments)

    if numba.config.DISABLE_JIT:
        return lambda kind, *arguments: (kernels.get(type(kind), default) or choose)(kind, *arguments)

    @overload(choose, strict=False)  # type: ignore[untyped-decorator]  # arguments have other names
    def _chosen(kind: Any, *arguments: Any) -> Any:
        chosen = kernels.get(getattr(kind, "instance_class", object), default)
        return chosen and chosen.py_func  # type: ignore[attr-defined]

    compiled = numba.njit(nogil=True, no_cfunc_wrapper=True)(call)
    parts = linking.PartsByKind(kernels, default)
    compiled.get_call_template, compiled.get_overload = parts.get_call_template, parts.get_overload
    return compiled  # type: ignore[no-any-return]
