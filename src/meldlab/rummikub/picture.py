"""Tiles drawn as SVG: sets side by side as they lie on a table, the rack below; shapes tell colours apart.

>>> from meldlab.rummikub.tiles import parse_rack
>>> draw([parse_rack("R5-7")], rack=parse_rack("K1 J")).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
True
"""

from collections.abc import Collection, Sequence
from html import escape

from meldlab.rummikub.rules import COLOURS
from meldlab.rummikub.tiles import Tile, show

WIDTH, HEIGHT, STEP, GAP, LINE = 40, 50, 43, 16, 66
WIDEST = 860  # of a line of sets
INKS = {"R": "#c43c00", "K": "#1a1a1a", "B": "#0060a8", "O": "#8f5a00", "G": "#00795a", "V": "#7a3fa0", "J": "#444444"}
# What each colour, and a joker, shows below its number, in a box from -10 to 10.
FACES = {
    "R": '<path d="M0 -9 L9 8 L-9 8 Z"/>',
    "K": '<path d="M-8 -8 L8 8 M8 -8 L-8 8" stroke="currentColor" stroke-width="4.5" stroke-linecap="round"/>',
    "B": '<path d="M-8 -8 H8 V8 H-8 Z"/>',
    "O": '<circle r="8.5"/>',
    "G": '<path d="M0 -10 L9 0 L0 10 L-9 0 Z"/>',
    "V": '<path d="M0 -10 L2.6 -3.4 L9.6 -3.1 L4.2 1.3 L6 8.2 L0 4.3 L-6 8.2 L-4.2 1.3 L-9.6 -3.1 L-2.6 -3.4 Z"/>',
    "J": '<path fill-rule="evenodd" d="M0 -10 A10 10 0 1 0 .01 -10 Z M-4 -4.5 A1.8 1.8 0 1 1 -4.01 -4.5 Z'
    ' M4 -4.5 A1.8 1.8 0 1 1 3.99 -4.5 Z M-6 2 A6.2 6.2 0 0 0 6 2 L4 2 A4.2 4.2 0 0 1 -4 2 Z"/>',
}
Places = Collection[tuple[int, int]]


def draw(sets: Sequence[Sequence[Tile]], rack: Sequence[Tile] = (), new: Places = (), moved: Places = (), says: str = "") -> str:
    """Return an SVG picture of sets, and of a rack below them.

    ``new`` and ``moved`` are places (set, tile): new tiles stand higher and have a plus, both have a frame. ``says`` stands below.
    """
    body, x, y, widest = "", 2, 10, STEP
    for number, tiles in enumerate(sets):
        if x > 2 and x + len(tiles) * STEP > WIDEST:
            x, y = 2, y + LINE
        for index, tile in enumerate(tiles):
            came = (number, index) in new
            body += _tile(tile, x, y - 8 if came else y, "+" if came else "~" if (number, index) in moved else "")
            x += STEP
        widest, x = max(widest, x), x + GAP
    y += LINE if sets else 0
    if rack:
        # A line as long as the rack keeps what is held apart from what lies.
        body += f'<path d="M2 {y + 1} H{len(rack) * STEP}" stroke="#8a8a8a"/>'
        body += "".join(_tile(tile, 2 + index * STEP, y + 8, "") for index, tile in enumerate(rack))
        widest, y = max(widest, len(rack) * STEP + 2), y + LINE
    if says:
        body += f'<text x="2" y="{y + 12}" font-size="14" fill="#777">{escape(says)}</text>'
        widest, y = max(widest, 7 * len(says)), y + 20
    title = escape(" | ".join(show(tiles) for tiles in sets) + (f" + {show(rack)}" if rack else "") or "no tiles")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{widest}" height="{y}" viewBox="0 0 {widest} {y}" '
        f'role="img" font-family="Helvetica, Arial, sans-serif"><title>{title}</title>{body}</svg>'
    )


def _tile(tile: Tile, x: int, y: int, mark: str) -> str:
    shape = "J" if tile.joker else COLOURS[tile.colour]
    # A joker shows the number it stands for in the colour it stands for.
    ink = INKS[COLOURS[tile.colour] if tile.number else "J"]
    number = f'<text x="20" y="22" font-size="19" font-weight="bold" text-anchor="middle" fill="{ink}">{tile.number}</text>'
    face = f'<g transform="translate(20 {36 if tile.number else 25}) scale({0.75 if tile.number else 1.3})">{FACES[shape]}</g>'
    edge = 'stroke="#b07c00" stroke-width="3"' if mark else 'stroke="#8a8a8a"'
    plus = '<text x="33" y="13" font-size="13" font-weight="bold" text-anchor="middle" fill="#8a5f00">+</text>' if mark == "+" else ""
    return (
        f'<g transform="translate({x} {y})" fill="{INKS[shape]}" color="{INKS[shape]}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#fffdf8" {edge}/>{number if tile.number else ""}{face}{plus}</g>'
    )
