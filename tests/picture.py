"""The pictures of the house, made from what the rooms really import.

``python -m tests.picture`` prints the one in CONTRIBUTING and writes those of docs/built.md.
"""

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import grimp

__all__ = ["PICTURES", "drawing", "picture"]

WIDE = 12
PICTURES = {"rooms.svg": "meldlab", "rooms-recycle.svg": "meldlab.recycle"}
DOCS = Path(__file__).parents[1] / "docs" / "pictures"
BOX, TALL, ACROSS, DOWN = 108, 30, 130, 62  # of a room in a drawing, and from one to the next
FACE = f'<rect width="{BOX}" height="{TALL}" rx="6" fill="#eaf4ee" stroke="#2e7d4f"/>'


def picture() -> str:
    """Return the packages with their subjects, one line each; a package stands above those that it imports."""
    graph = grimp.build_graph("meldlab", exclude_type_checking_imports=True, cache_dir=None)
    rooms = [room for rooms in _house(graph, "meldlab")[1] for room in rooms]
    return "\n".join(f"{room.rpartition('.')[2]:{WIDE}} {_purpose(room)}" for room in rooms)


def drawing(package: str) -> str:
    """Return the rooms of a package as SVG; a line leads down from a room to each that it imports, unless another on the way does."""
    graph = grimp.build_graph("meldlab", exclude_type_checking_imports=True, cache_dir=None)
    below, storeys = _house(graph, package)
    reach = {room: set().union(*(_reached(below, other) - {other} for other in below[room])) for room in below}
    places, wide = dict[str, tuple[float, float]](), max(map(len, storeys))
    for row, rooms in enumerate(storeys):
        # Beside those that import it, so that lines are short.
        above = {room: [places[other][0] for other in places if room in below[other]] for room in rooms}
        rooms.sort(key=lambda room, above=above: (sum(above[room]) / len(above[room]) if above[room] else 0, room))  # type: ignore[misc]
        for at, room in enumerate(rooms):
            places[room] = (wide - len(rooms)) / 2 * ACROSS + at * ACROSS + (row % 2) * 24, row * DOWN
    lines = boxes = ""
    for room, (x, y) in places.items():
        for other in sorted(below[room] - reach[room]):
            left, right = x + BOX / 2, places[other][0] + BOX / 2
            top, foot = y + TALL, places[other][1]
            lines += f'<path d="M{left:.0f} {top}C{left:.0f} {top + 28} {right:.0f} {foot - 28} {right:.0f} {foot}"/>'
        name = room.rpartition(".")[2]
        imports = ", ".join(sorted(other.rpartition(".")[2] for other in below[room])) or "nothing"
        boxes += f'<g transform="translate({x:.0f} {y})"><title>{name} imports {imports}</title>{FACE}<text x="54" y="20">{name}</text></g>'
    width, height = wide * ACROSS + 24, len(storeys) * DOWN - (DOWN - TALL) + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 {width} {height}" width="{width}" height="{height}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="14"><title>What each room of {package} imports</title>'
        f'<g fill="none" stroke="#8a8a8a" stroke-width="1.2">{lines}</g><g fill="#1a1a1a" text-anchor="middle">{boxes}</g></svg>\n'
    )


def _reached(below: dict[str, set[str]], room: str) -> set[str]:
    """Return a room and all that it imports, directly or not."""
    return {room}.union(*(_reached(below, other) for other in below[room]))


def _house(graph: grimp.ImportGraph, package: str) -> tuple[dict[str, set[str]], list[list[str]]]:
    """Return what each room imports, and the rooms by storeys, the highest first."""
    below = {room: _imports(graph, package, room) for room in sorted(graph.find_children(package)) if not room.endswith("__main__")}

    @cache
    def height(room: str) -> int:
        return 1 + max((height(other) for other in below[room]), default=0)

    return below, [[room for room in below if height(room) == storey] for storey in range(max(map(height, below)), 0, -1)]


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
    for name, package in PICTURES.items():
        (DOCS / name).write_text(drawing(package))
    print(picture())
