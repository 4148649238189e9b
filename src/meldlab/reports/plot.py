"""A sheet is a picture and its numbers: SVG or PNG, and a CSV of the same name beside it.

>>> figure, (axes,) = blank()
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

from meldlab.cache import replace_file
from meldlab.errors import NoSuchThing, NotPossible
from meldlab.reports.rows import csv_text

__all__ = ["BLUE", "ORANGE", "RED", "Data", "Picture", "Sheet", "blank", "save"]

# Colours that people with any kind of colour vision tell apart (Okabe and Ito).
BLUE, ORANGE, RED = "#0072B2", "#E69F00", "#D55E00"
FORMATS = (".svg", ".png")
# Text in a picture is text. It was measured in the first of these; what stands in for it elsewhere is no wider.
FONTS = ["DejaVu Sans", "Verdana", "Arial"]

Data = Mapping[str, Sequence[Any]]
Sheet = tuple[Figure, Data]


class Picture(Figure):
    """A figure that shows itself in a notebook."""

    def _repr_svg_(self) -> str:
        return _drawn(self, "svg").decode()


def blank(panels: int = 1, size: tuple[float, float] = (7.0, 5.0)) -> tuple[Picture, tuple[Axes, ...]]:
    """Return an empty figure and its panels from left to right; ``size`` is that of one panel in inches."""
    figure = Picture(figsize=(size[0] * panels, size[1]), layout="constrained")
    return figure, tuple(figure.subplots(1, panels, squeeze=False)[0])


def save(figure: Figure, data: Data, path: Path) -> tuple[Path, Path]:
    """Write the picture to ``path`` and its numbers, a column per key, beside it; return both paths.

    Neither file is ever seen half-written, and the same figure gives the same bytes.
    """
    if path.suffix.lower() not in FORMATS:
        raise NoSuchThing("picture format", path.suffix or path.name, FORMATS)
    picture = _drawn(figure, path.suffix.lower()[1:])
    table = csv_text([list(data), *zip(*data.values(), strict=True)])
    numbers = path.with_suffix(".csv")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NotPossible(f"{path} cannot be written: {problem.strerror}") from None
    for place, content in ((path, picture), (numbers, table.encode())):
        with replace_file(place) as file:
            file.write(content)
    return path, numbers


def _drawn(figure: Figure, kind: str) -> bytes:
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": "meldlab", "svg.fonttype": "none", "font.sans-serif": FONTS, "savefig.dpi": 144}):
        figure.savefig(picture, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return picture.getvalue()
