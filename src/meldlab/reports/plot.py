"""A plot is a figure and its numbers: SVG or PNG, and a CSV of the same name.

>>> figure, (axes,) = new_figure()
>>> _ = axes.plot([1, 2, 3], [1, 4, 9])
>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     [path.name for path in save(figure, {"n": [1, 2, 3], "square": [1, 4, 9]}, Path(folder, "squares.svg"))]
['squares.svg', 'squares.csv']
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from meldlab.cache import replace_file, write_errors
from meldlab.errors import NoSuchThing
from meldlab.reports.rows import csv_text

# Colours that differ with any kind of colour vision (Okabe and Ito).
BLUE, ORANGE, RED, GREEN, PINK = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#CC79A7"
FORMATS = (".svg", ".png")
# Text in a picture is text. It was measured in the first of these; the others are at most as wide.
FONTS = ["DejaVu Sans", "Verdana", "Arial"]

Data = Mapping[str, Sequence[Any]]
Plot = tuple[Figure, Data]


class NotebookFigure(Figure):
    """A figure that a notebook shows as SVG."""

    def _repr_svg_(self) -> str:
        return _render(self, "svg").decode()


def new_figure(panels: int = 1, size: tuple[float, float] = (7.0, 5.0)) -> tuple[NotebookFigure, tuple[Axes, ...]]:
    """Return an empty figure and its panels from left to right; ``size`` is that of one panel in inches."""
    figure = NotebookFigure(figsize=(size[0] * panels, size[1]), layout="constrained")
    return figure, tuple(figure.subplots(1, panels, squeeze=False)[0])


def columns(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Return rows of numbers as columns by name."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def save(figure: Figure, data: Data, path: Path) -> tuple[Path, Path]:
    """Write the picture to ``path`` and its numbers, a column per key, to a CSV file of the same name; return both paths.

    Both files are written atomically, and the same figure gives the same bytes.
    """
    if path.suffix.lower() not in FORMATS:
        raise NoSuchThing("picture format", path.suffix or path.name, FORMATS)
    picture = _render(figure, path.suffix.lower()[1:])
    table = csv_text([list(data), *zip(*data.values(), strict=True)])
    numbers = path.with_suffix(".csv")
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    for target, content in ((path, picture), (numbers, table.encode())):
        with replace_file(target) as file:
            file.write(content)
    return path, numbers


def _render(figure: Figure, kind: str) -> bytes:
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": "meldlab", "svg.fonttype": "none", "font.sans-serif": FONTS, "savefig.dpi": 144}):
        figure.savefig(picture, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return picture.getvalue()
