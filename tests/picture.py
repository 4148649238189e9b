"""The picture of the house in CONTRIBUTING, made from what the rooms really import: ``python -m tests.picture`` prints it."""

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import grimp

__all__ = ["picture"]

INSIDE = ("recycle",)  # rooms that have rooms of their own
WIDE = 16


def picture() -> str:
    """Return the rooms, those that import others above them; rooms of one height stand together."""
    graph = grimp.build_graph("meldlab", exclude_type_checking_imports=True)
    blocks = [_storeys(graph, "meldlab")]
    blocks += [f"inside {name}\n\n{_storeys(graph, f'meldlab.{name}')}" for name in INSIDE]
    return "\n\n".join(blocks)


def _storeys(graph: grimp.ImportGraph, package: str) -> str:
    below = {room: _imports(graph, package, room) for room in sorted(graph.find_children(package)) if not room.endswith("__main__")}

    @cache
    def height(room: str) -> int:
        return 1 + max((height(other) for other in below[room]), default=0)

    lines: list[str] = []
    for storey in range(max(map(height, below)), 0, -1):
        lines += [f"{room.rpartition('.')[2]:{WIDE}} {_purpose(room)}" for room in below if height(room) == storey] + [""]
    return "\n".join(lines).rstrip()


def _imports(graph: grimp.ImportGraph, package: str, room: str) -> set[str]:
    inside = {room} | graph.find_descendants(room)
    found = {other for module in inside for other in graph.find_modules_directly_imported_by(module)} - inside
    return {f"{package}.{other.removeprefix(package + '.').split('.')[0]}" for other in found if other.startswith(package + ".")} - {room}


def _purpose(room: str) -> str:
    spec = find_spec(room)
    assert spec is not None
    assert spec.origin is not None
    said = ast.get_docstring(ast.parse(Path(spec.origin).read_text())) or ""
    return said.splitlines()[0].rstrip(".")


if __name__ == "__main__":
    print(picture())
