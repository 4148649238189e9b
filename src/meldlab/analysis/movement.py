"""The card movement graph: as text for Graphviz, and drawn without it.

Locations are light green (public), light blue (private), khaki (hidden), plum (hidden from their owner only) or grey with a dotted border
(memory); a thick border marks where a deck was made. Edges are red and dotted (taken: public cards are concealed), blue and dashed (shared:
private cards reach another owner), green (revealed) or black.

>>> from meldlab.recycle import library
>>> from meldlab.recycle.machine.machine import Machine
>>> print(dot(Movement.of(Machine.compile(library.entry("kuhn_poker").text), seed=2), "Kuhn Poker").splitlines()[4])
    "table iloc STOCK" [label="STOCK", fillcolor="khaki", penwidth=3];
"""

from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, PathPatch, Polygon, Rectangle
from matplotlib.path import Path

from meldlab.analysis.layout import arrange
from meldlab.recycle.movement import Movement
from meldlab.reports.plot import Plot, new_figure

FILLS = {"public": "lightgreen", "private": "lightblue", "hidden": "khaki", "others": "plum", "memory": "#e5e5e5"}
COLOURS = {"taken": "red", "shared": "blue", "revealed": "green", "plain": "black", "remembered": "grey"}
STYLES = {"taken": "dotted", "shared": "dashed", "revealed": "solid", "plain": "solid", "remembered": "dotted"}
WORDS = {
    "taken": "taken: public to private or hidden",
    "shared": "shared: private to another owner",
    "revealed": "into public",
    "plain": "any other way",
    "remembered": "remembered, not moved",
}
INCH = 72.0  # units of the layout


def dot(movement: Movement, title: str) -> str:
    """Return the graph in the language of Graphviz."""
    lines = [f"digraph {_quoted(title)} {{", "  rankdir=LR; node [style=filled];"]
    for owner in sorted({spot.owner for spot in movement.locations}):
        mine = [spot for spot in movement.locations if spot.owner == owner]
        lines.append(f"  subgraph cluster_{owner} {{")
        lines.append(f'    label={_quoted(mine[0].owner_text)}; style=filled; fillcolor="ghostwhite";')
        for spot in mine:
            memory = ', style="filled,dotted"' if spot.visibility == "memory" else ""
            thick = ", penwidth=3" if spot in movement.decks else ""
            fill = FILLS[spot.visibility].replace("#e5e5e5", "grey90")
            lines.append(f'    {_quoted(str(spot))} [label={_quoted(spot.label)}, fillcolor="{fill}"{memory}{thick}];')
        lines.append("  }")
    for edge in movement.edges:
        look = f'color="{COLOURS[edge.meaning]}", style="{STYLES[edge.meaning]}"' + (", arrowhead=odot" if edge.remembered else "")
        lines.append(f"  {_quoted(str(edge.source))} -> {_quoted(str(edge.target))} [{look}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def draw_movement(movement: Movement) -> Plot:
    """Draw the graph; its numbers are the edges with their meanings."""
    layout = arrange(movement)
    present = [meaning for meaning in COLOURS if any(edge.meaning == meaning for edge in movement.edges)]
    foot = 16.0 * ((len(present) + 1) // 2) + 12
    width = max(layout.right - layout.left, 430.0)
    figure, (axes,) = new_figure(size=(width / INCH, (layout.foot - layout.top + foot) / INCH))
    figure.set_layout_engine("none")
    axes.set_position((0, 0, 1, 1))
    spare = (width - (layout.right - layout.left)) / 2
    axes.set_xlim(layout.left - spare, layout.right + spare)
    axes.set_ylim(layout.foot + foot, layout.top)
    axes.axis("off")
    for owner, box in layout.boxes.items():
        axes.add_patch(Rectangle((box.x, box.y), box.width, box.height, facecolor="ghostwhite", edgecolor="#999999", lw=1))
        name = axes.text(box.x + 8, box.y + 15, f"p{owner}" if owner else "table", fontsize=10, color="#333333", weight="bold", zorder=6)
        name.set_bbox({"facecolor": "ghostwhite", "edgecolor": "none", "pad": 1})
    for edge, curve in layout.curves.items():
        colour, style = COLOURS[edge.meaning], STYLES[edge.meaning]
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        axes.add_patch(PathPatch(Path(curve.points, codes), fill=False, edgecolor=colour, linestyle=style, lw=1.5, zorder=2))
        tip, before = curve.points[3], curve.samples()[-3]
        along = (tip - before) / (((tip - before) ** 2).sum() ** 0.5 or 1.0)
        across = along[::-1] * [1, -1]
        head = [tip, tip - 9 * along + 3.6 * across, tip - 9 * along - 3.6 * across]
        if edge.remembered:
            axes.add_patch(Ellipse(tuple(tip - 3 * along), 6, 6, facecolor="white", edgecolor=colour, zorder=3))
        else:
            axes.add_patch(Polygon(head, closed=True, facecolor=colour, edgecolor=colour, zorder=3))
    for spot, oval in layout.ovals.items():
        style = "dotted" if spot.visibility == "memory" else "solid"
        thick = 3.0 if spot in movement.decks else 1.0
        border = Ellipse((oval.x, oval.y), 2 * oval.wide, 2 * oval.high, facecolor=FILLS[spot.visibility], edgecolor="black", zorder=4)
        border.set(linestyle=style, linewidth=thick)
        axes.add_patch(border)
        # Dark on the light fill in dark mode, too.
        axes.text(oval.x, oval.y, spot.label, ha="center", va="center", fontsize=9.5, zorder=5, color="#1b1f23")
    keys = [Line2D([], [], color=COLOURS[meaning], ls=STYLES[meaning], label=WORDS[meaning]) for meaning in present]
    if keys:
        axes.legend(handles=keys, loc="lower center", ncols=2, frameon=False, fontsize=8.5, handlelength=3.2, borderaxespad=0.2)
    edges = movement.edges
    return figure, {
        "source": [str(edge.source) for edge in edges],
        "target": [str(edge.target) for edge in edges],
        "meaning": [edge.meaning for edge in edges],
        "colour": [COLOURS[edge.meaning] for edge in edges],
    }
