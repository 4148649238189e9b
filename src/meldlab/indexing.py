"""A compiler pass for kernels: array indices count from the front only.

numba compares every signed index with 0, because Python counts negative indices from the end. No kernel needs that, and RECYCLE games run
faster without the comparison (docs/notes/numba.md). With ``NUMBA_BOUNDSCHECK=1`` a negative index is an
IndexError.
"""

from typing import Any

from numba.core import compiler, ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonRewrites


@register_pass(mutates_CFG=False, analysis_only=False)
class UnsignedIndices(FunctionPass):  # type: ignore[misc]  # numba carries no types
    """Give signed integer indices of arrays the type ``uintp``, element by element in tuples."""

    _name = "meldlab_unsigned_indices"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Change the types of all reads and writes of array elements; return whether there were any."""
        changed = False
        for node, signature in list(state.calltypes.items()):
            is_access = isinstance(node, ir.SetItem) or (isinstance(node, ir.Expr) and node.op == "getitem")
            if signature is None or not is_access or not isinstance(signature.args[0], types.Array):
                continue
            array, index, *value = signature.args
            if (unsigned := _unsigned(index)) is not index:
                del state.calltypes[node]  # the mapping forbids to replace an entry
                state.calltypes[node] = signature.replace(args=(array, unsigned, *value))
                changed = True
        return changed


def _unsigned(index: Any) -> Any:
    if isinstance(index, types.BaseTuple):
        kinds = [_unsigned(kind) for kind in index.types]
        return index if kinds == list(index.types) else types.Tuple(kinds)
    return types.uintp if isinstance(index, types.Integer) and index.signed else index


class IndexingPipeline(compiler.CompilerBase):  # type: ignore[misc]
    """numba's passes for compiled code, and unsigned indices."""

    def define_pipelines(self) -> list[Any]:
        """Return the one sequence of passes."""
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(UnsignedIndices, NopythonRewrites)
        manager.finalize()
        return [manager]
