"""Kernels as parts of one program: compiled once each, linked with what they call, and optimised once.

numba itself optimises every kernel alone and again inside each of its callers. This builds on the internals of numba 0.68, the only
version that the package installs with.
"""

from typing import Any

from llvmlite.binding import Linkage
from numba.core import callconv, cgutils, codegen, compiler, types
from numba.core.targetconfig import ConfigStack
from numba.core.types import functions
from numba.core.typing import make_concrete_template
from numba.core.untyped_passes import InlineInlinables

from meldlab.cache import OURS

__all__ = ["Parts", "Pipeline"]


class _Flags(compiler.Flags):  # type: ignore[misc]
    """Flags that numba compares quickly: it looks at them with every operation of a kernel."""

    _HASH = hash(compiler.Flags())  # the same for all of them, but slow to find

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        return self is other or (self._values == other._values if isinstance(other, _Flags) else super().__eq__(other))


_numbas_call_type = functions.BaseFunction.get_call_type
_ANSWERS: dict[Any, Any] = {}


def _call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the types of a call of one of numba's own functions.

    numba asks a dozen templates for every ``a + b``. There are few different questions in many kernels, and kernels of others do not
    come here.
    """
    flags = ConfigStack.top_or_none()
    if kws or not isinstance(flags, _Flags):
        return _numbas_call_type(self, context, args, kws)
    key = self, tuple(args), flags.nrt
    if key not in _ANSWERS:
        _ANSWERS[key] = _numbas_call_type(self, context, args, kws)
    return _ANSWERS[key]


functions.BaseFunction.get_call_type = _call_type


class _SharedPlaces:
    """What numba's way to call a function uses, but that all calls in one function leave their answers in the same place.

    numba gives each call a place of its own and clears all of them at the beginning, which in a function with many calls that are seldom
    made takes longer than one of them. An answer is fetched at once after its call.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(cgutils, name)

    def alloca_once(self, builder: Any, kind: Any, name: str = "", **more: Any) -> Any:
        """Return a place on the stack."""
        if more or not builder.function.name.startswith(OURS):
            return cgutils.alloca_once(builder, kind, name=name, **more)
        places = builder.function.__dict__.setdefault("places", {})
        if str(kind) not in places:
            places[str(kind)] = cgutils.alloca_once(builder, kind, name=name)
        return places[str(kind)]


callconv.cgutils = _SharedPlaces()


_own_module = codegen.JITCodeLibrary._get_module_for_linking


class _Part(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A kernel that others call: kept for them to be linked with, not optimised and turned into machine code for its own sake."""

    apart = ""  # the name of the function, if no caller may take it in

    def finalize(self) -> None:
        """Nothing to do before it is part of a whole."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        # Asked for by kernels that are not of this package; ours take each part once.
        module = _own_module(self).clone()
        for library in _needed(self._linking_libraries):
            module.link_in(_own_module(library), preserve=True)
        return module


class _Whole(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A kernel that Python calls, with all that it calls: one program, optimised once."""

    def finalize(self) -> None:
        """Link, optimise and turn into machine code."""
        libraries = _needed(self._linking_libraries)
        for library in libraries:
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_own_module(library), preserve=True)
        apart = {library.apart for library in libraries if isinstance(library, _Part)}
        self._linking_libraries.clear()
        for function in self._final_module.functions:
            if function.name in apart:
                function.add_function_attribute("noinline")
            # Nobody else calls it, so that LLVM may change how it is called, or let it vanish into its one caller. It goes by another name
            # from then on: what runs code would take it for the function of that name that a kernel of others brings along.
            if function.name.startswith(OURS) and function.linkage == Linkage.linkonce_odr:
                function.linkage, function.name = Linkage.internal, f"inside.{function.name}"
        super().finalize()


def _needed(libraries: list[Any]) -> list[Any]:
    """Return libraries and all that their parts call, each once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _Part):
                waiting += library._linking_libraries
    return list(found)


class Pipeline(compiler.CompilerBase):  # type: ignore[misc]
    """numba's own way, but one function is put into another by LLVM, in a tenth of the time."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, answer: Any, flags: Any, names: Any) -> None:
        if library is None:
            library = _Whole(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, args, answer, _Flags(flags), names)

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [each for each in manager.passes if each[0] is not InlineInlinables]
        manager.finalize()
        return [manager]


def _has_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_has_array, kind)))


class Parts:
    """How other kernels see one: for each set of types compiled once, and linked into all that call it.

    numba itself optimises a kernel, and writes its machine code, once for Python and once more inside of each caller, and of their callers.
    """

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        self.known: dict[tuple[Any, ...], Any] = {}

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how numba finds the types of a call."""
        # numba compiles a callee anew for every constant that it is called with; LLVM inlines what is worth it all the same.
        signature, args = self.dispatcher._compiler.fold_argument_types(tuple(map(types.unliteral, args)), kws)
        part = self.known.get(tuple(args)) or self.compile(tuple(args))
        template = make_concrete_template(self.dispatcher.py_func.__name__, key=self, signatures=[part.signature])
        return template, signature, args, {}

    def get_overload(self, args: Any) -> Any:
        """Return by what numba finds the function to call."""
        return self.known[tuple(args)].library

    def compile(self, args: tuple[Any, ...]) -> Any:
        """Compile it for these types of arguments."""
        part = self.compiled(args, {})
        if _has_array(part.signature.return_type):
            part = self.compiled(args, {"_nrt": True})  # whoever gets an array counts it
        self.known[args] = part
        self.dispatcher.targetctx.insert_user_function(part.library, part.fndesc, [part.library])
        return part

    def compiled(self, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """Return what numba makes of it, short of machine code."""
        kernel, flags = self.dispatcher, compiler.Flags()
        kernel.targetdescr.options.parse_as_flags(flags, {**kernel.targetoptions, **more})
        flags.no_compile = flags.no_cpython_wrapper = True
        flags.forceinline = kernel.targetoptions.get("inline") == "always"
        library = _Part(kernel.targetctx.codegen(), "part")
        with kernel._compiling_counter:  # what it calls may be itself
            part = compiler.compile_extra(kernel.typingctx, kernel.targetctx, kernel.py_func, args, None, flags, {}, library, Pipeline)
        if kernel.targetoptions.get("inline") == "never":
            library.apart = part.fndesc.llvm_func_name
        return part
