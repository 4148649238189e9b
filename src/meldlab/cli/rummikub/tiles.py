"""Tiles on a terminal: number and shape, so that colours can be told apart without colour; moved tiles are marked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from meldlab.rummikub import Answer, Tile, TileSet

# The paper's shapes: red triangle, black cross, blue square, orange circle; then green and violet.
SHAPES = "▲✕■●◆★"
COLOURS = ("red", "default", "blue", "dark_orange", "green", "magenta")


def tile_text(tile: "Tile", marked: bool = False) -> Text:
    """Return one tile; a joker shows what it stands for."""
    if tile.joker:
        what = f"☺{SHAPES[tile.colour]}{tile.number}" if tile.number else "☺"
        colour = COLOURS[tile.colour] if tile.number else "default"
    else:
        what, colour = f"{SHAPES[tile.colour]}{tile.number}", COLOURS[tile.colour]
    return Text(f"[{what}]" if marked else what, f"bold {colour}" if marked else colour)


def rack_text(tiles: Iterable["Tile"]) -> Text:
    """Return tiles side by side."""
    return Text(" ").join(map(tile_text, tiles))


def table_text(table: Sequence["TileSet"], answer: "Answer | None" = None) -> Text:
    """Return one set a line; with an answer, tiles that were not in the set before stand in brackets."""
    from meldlab.rummikub import homes

    home = homes(answer) if answer else {}
    lines = []
    for i, tile_set in enumerate(table):
        old = answer.position.table[home[i]].tiles if answer and i in home else ()
        stayed = Counter(tile.piece for tile in old)
        line = Text("  ")
        for tile in tile_set.tiles:
            stays = answer is None or stayed[tile.piece] > 0
            stayed[tile.piece] -= 1
            line.append_text(tile_text(tile, marked=not stays)).append(" ")
        lines.append(line)
    return Text("\n").join(lines) if lines else Text("  (no sets)")
