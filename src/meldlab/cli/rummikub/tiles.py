"""Tiles on a terminal: number and shape, so that tiles differ without colour; moved tiles are marked."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from meldlab.rummikub import Solution, Tile, TileSet

TILE = re.compile(r"(?<!\w)(?:J=)?[RKBOGV]\d+(?!\w)|(?<!\w)J(?![\w=])")
COLOURS = ("red", "default", "blue", "dark_orange", "green", "magenta")


def tile_text(tile: "Tile", marked: bool = False) -> Text:
    """Return one tile; a joker shows what it stands for."""
    from meldlab.rummikub.tiles import SHAPES

    if tile.joker:
        what = f"☺{SHAPES[tile.colour]}{tile.number}" if tile.number else "☺"
        colour = COLOURS[tile.colour] if tile.number else "default"
    else:
        what, colour = f"{SHAPES[tile.colour]}{tile.number}", COLOURS[tile.colour]
    return Text(f"[{what}]" if marked else what, f"bold {colour}" if marked else colour)


def rack_text(tiles: Iterable["Tile"]) -> Text:
    """Return tiles side by side."""
    return Text(" ").join(map(tile_text, tiles))


def tiles_drawn(text: str) -> Text:
    """Return a text with every tile in it drawn.

    >>> tiles_drawn("R5-R7, J=K9 to 3, J").plain
    '▲5-▲7, ☺✕9 to 3, ☺'
    """
    from meldlab.rummikub import Tile

    drawn, end = Text(), 0
    for match in TILE.finditer(text):
        drawn.append(text[end : match.start()]).append_text(tile_text(Tile.parse(match.group())))
        end = match.end()
    return drawn.append(text[end:])


def table_text(table: Sequence["TileSet"], answer: "Solution | None" = None) -> Text:
    """Return one set a line; with an answer, tiles that were not in the set before stand in brackets."""
    from meldlab.rummikub import source_sets

    home = source_sets(answer) if answer else {}
    lines = []
    for i, tile_set in enumerate(table):
        old = answer.position.table[home[i]].tiles if answer and i in home else ()
        stayed = Counter(tile.piece for tile in old)
        shown = []
        for tile in tile_set.tiles:
            stays = answer is None or stayed[tile.piece] > 0
            stayed[tile.piece] -= 1
            shown.append(tile_text(tile, marked=not stays))
        lines.append(Text("  ").append_text(Text(" ").join(shown)))
    return Text("\n").join(lines) if lines else Text("  (no sets)")
