"""Kernels as parts of one program: each is compiled once, linked with what it calls, and optimised once.

numba optimises every kernel alone and again inside each of its callers; it also tries a dozen templates for the types of each call, and
gives each call a stack slot of its own. docs/notes/numba.md says what the changes of numba in this module are worth, with the command that
measures it, and what numba could offer instead. They build on internals of numba, so only the version of pyproject.toml is accepted.
"""

from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core import callconv, cgutils, codegen, compiler, types
from numba.core.errors import TypingError
from numba.core.targetconfig import ConfigStack
from numba.core.types import functions
from numba.core.typing import make_concrete_template
from numba.core.untyped_passes import InlineInlinables

from meldlab import indexing
from meldlab.cache import SYMBOL_PREFIX

# The bounds of pyproject.toml: another version may have the same names and mean something else by them.
if numba.version_info.short != (0, 68):
    raise ImportError("expected 0.68")


class _Flags(compiler.Flags):  # type: ignore[misc]  # numba carries no types
    """Flags with a fast comparison: numba compares them with every operation of a kernel."""

    _HASH = hash(compiler.Flags())  # equal for all flags, but slow to compute

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        return self is other or (self._values == other._values if isinstance(other, _Flags) else super().__eq__(other))


_numba_call_type = functions.BaseFunction.get_call_type
_CALL_TYPES: dict[Any, Any] = {}


def _cached_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return the types of a call of one of numba's own functions.

    numba tries a dozen templates for every ``a + b``; kernels repeat few different calls. Kernels of other packages are not affected.
    """
    flags = ConfigStack.top_or_none()
    if kws or not isinstance(flags, _Flags):
        return _numba_call_type(self, context, args, kws)
    key = self, tuple(args), flags.nrt
    if key not in _CALL_TYPES:
        _CALL_TYPES[key] = _numba_call_type(self, context, args, kws)
    return _CALL_TYPES[key]


functions.BaseFunction.get_call_type = _cached_call_type


class _SharedSlots:
    """``cgutils`` for numba's calling convention, with one stack slot for the results of all calls in a function.

    numba gives each call a slot of its own and clears all slots at the start of the function, which takes longer than the rest where many
    calls are rarely made. A result is read right after its call.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(cgutils, name)

    def alloca_once(self, builder: Any, kind: Any, name: str = "", **options: Any) -> Any:
        """Return a slot on the stack."""
        if options or not builder.function.name.startswith(SYMBOL_PREFIX):
            return cgutils.alloca_once(builder, kind, name=name, **options)
        slots = builder.function.__dict__.setdefault("slots", {})
        if str(kind) not in slots:
            slots[str(kind)] = cgutils.alloca_once(builder, kind, name=name)
        return slots[str(kind)]


callconv.cgutils = _SharedSlots()
_module_for_linking = codegen.JITCodeLibrary._get_module_for_linking


class _Part(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A kernel that other kernels call: stored to be linked with them, without machine code of its own."""

    noinline = ""  # the name of the function, if LLVM must not inline it

    def finalize(self) -> None:
        """Mark the library as complete; it is optimised as part of its callers."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        # Called for kernels of other packages; ours link each part once, in _Program.
        module = _module_for_linking(self).clone()
        for library in _callers_first(self._linking_libraries):
            module.link_in(_module_for_linking(library), preserve=True)
        return module


class _Program(codegen.JITCodeLibrary):  # type: ignore[misc]
    """A kernel that Python calls, with all kernels that it calls: one program, optimised once."""

    def finalize(self) -> None:
        """Link, optimise and compile to machine code."""
        libraries = _callers_first(self._linking_libraries)
        for library in libraries:
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(_module_for_linking(library), preserve=True)
        noinline = {library.noinline for library in libraries if isinstance(library, _Part)}
        self._linking_libraries.clear()
        for function in self._final_module.functions:
            if function.name in noinline:
                function.add_function_attribute("noinline")
            # Nothing else calls the function, so LLVM may change its calling convention or inline it into its only caller. It gets
            # another name: the execution engine would take it for a function of the same name that a kernel of another package links.
            if function.name.startswith(SYMBOL_PREFIX) and function.linkage == Linkage.linkonce_odr:
                function.linkage, function.name = Linkage.internal, f"inside.{function.name}"
        super().finalize()


def _callers_first(libraries: list[Any]) -> list[Any]:
    """Return the libraries and all that their parts call, each once, callers before callees.

    LLVM may drop a function that is linked before anything refers to it; a call of it would jump to address 0.
    """
    done: dict[Any, None] = {}  # callees first
    entered = set()

    def visit(library: Any) -> None:
        if library not in entered:
            entered.add(library)
            for callee in library._linking_libraries if isinstance(library, _Part) else ():
                visit(callee)
            done[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(done))


class Pipeline(indexing.IndexingPipeline):
    """The passes for kernels; functions are inlined by LLVM instead of numba, which takes a tenth of the time."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, local_types: Any) -> None:
        if library is None:
            library = _Program(target.codegen(), "kernel")
            library.enable_object_caching()
        super().__init__(typing, target, library, args, return_type, _Flags(flags), local_types)

    def define_pipelines(self) -> list[Any]:
        """Return the passes of numba without its inlining."""
        [manager] = super().define_pipelines()
        manager.passes = [entry for entry in manager.passes if entry[0] is not InlineInlinables]
        manager.finalize()
        return [manager]


def _has_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_has_array, kind)))


class Parts:
    """The compiled forms of one kernel for its callers, one for each tuple of argument types."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        self.known: dict[tuple[Any, ...], Any] = {}

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the typing template of a call, as numba's dispatcher does."""
        # numba compiles a callee again for every constant argument; LLVM propagates the constants that matter.
        signature, args = self.dispatcher._compiler.fold_argument_types(tuple(map(types.unliteral, args)), kws)
        part = self.known.get(tuple(args)) or self.compile(tuple(args))
        template = make_concrete_template(self.dispatcher.py_func.__name__, key=self, signatures=[part.signature])
        return template, signature, args, {}

    def get_overload(self, args: Any) -> Any:
        """Return the key under which numba finds the function to call."""
        return self.known[tuple(args)].library

    def compile(self, args: tuple[Any, ...]) -> Any:
        """Compile the kernel for these argument types."""
        part = self.compiled(args, {})
        if _has_array(part.signature.return_type):
            part = self.compiled(args, {"_nrt": True})  # the caller counts references to the array
        self.known[args] = part
        self.dispatcher.targetctx.insert_user_function(part.library, part.fndesc, [part.library])
        return part

    def compiled(self, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """Return numba's result of the compilation, without machine code."""
        kernel, flags = self.dispatcher, compiler.Flags()
        kernel.targetdescr.options.parse_as_flags(flags, {**kernel.targetoptions, **more})
        flags.no_compile = flags.no_cpython_wrapper = True
        flags.forceinline = kernel.targetoptions.get("inline") == "always"
        library = _Part(kernel.targetctx.codegen(), "part")
        with kernel._compiling_counter:  # a kernel may call itself
            part = compiler.compile_extra(kernel.typingctx, kernel.targetctx, kernel.py_func, args, None, flags, {}, library, Pipeline)
        if kernel.targetoptions.get("inline") == "never":
            library.noinline = part.fndesc.llvm_func_name
        return part


class PartsByKind:
    """The calls of a kernel that stands for several, one for each type of its first argument, a named tuple."""

    def __init__(self, kernels: dict[type, Any], default: Any) -> None:
        self.kernels, self.default = kernels, default

    def _kernel(self, args: Any) -> Any:
        chosen = self.kernels.get(getattr(args[0], "instance_class", type(None)), self.default)
        if chosen is None:
            raise TypingError(f"expected one of {', '.join(known.__name__ for known in self.kernels)}, got {args[0]}")
        return chosen

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the typing template of a call of the kernel for these types."""
        return self._kernel(args).get_call_template(args, kws)

    def get_overload(self, args: Any) -> Any:
        """Return the key under which numba finds the kernel for these types."""
        return self._kernel(args).get_overload(args)
