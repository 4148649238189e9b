"""How a page is made: a template of its room upon the house's own, figures with their text as text, and a folder to write it all into.

>>> picture = Figure(figsize=(2, 1))
>>> _ = picture.text(0.5, 0.5, "so & so")
>>> "so &amp; so</text>" in inline(picture, "tiny", "A word")
True
"""

import base64
import gzip
import io
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

from meldlab import __version__
from meldlab.cache import replace_file
from meldlab.errors import NotPossible
from meldlab.reports.plot import Sheet, save

__all__ = ["download", "inline", "render", "write_folder"]

LARGE = 100_000  # bytes above which a download is packed
SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
# What is black on white where nothing else is said; the style gives each its colour by day and by night.
THEME = {
    "#000000": "currentColor",
    "#333333": "currentColor",
    "#ffffff": "var(--paper)",
    "#f8f8ff": "var(--sheet)",
    "#ff0000": "var(--red)",
    "#0000ff": "var(--blue)",
    "#008000": "var(--green)",
}
ElementTree.register_namespace("", SVG[1:-1])
THICKET = 330  # words of an outline
NARROWEST = 0.62  # of its own width: a picture that shrinks further than this is moved aside instead, so that its text can be read


@cache
def _environment(package: str) -> Environment:
    """Return where templates are found: in the folder ``templates`` of a package, and in that of this room."""
    loader = ChoiceLoader([PackageLoader(package), PackageLoader("meldlab.reports")])
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals.update(version=__version__, inline=inline, download=download)
    return made


def render(package: str, template: str, **values: Any) -> str:
    """Return a template of a package as text; every value in it is escaped."""
    return _environment(package).get_template(template).render(**values)


def inline(figure: Figure, name: str, says: str) -> Markup:
    """Return a figure as SVG that stands inside a page: its marks are named after it, its colours are the page's."""
    paper = io.StringIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "savefig.transparent": True, "savefig.dpi": 130, "figure.dpi": 130}):
        figure.savefig(paper, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(paper.getvalue())
    # Its style would be that of the whole page.
    for parent in list(root.iter()):
        for child in [each for each in parent if each.tag in (f"{SVG}metadata", f"{SVG}style")]:
            parent.remove(child)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', paper.getvalue()))
    for element in root.iter():
        _tidied(element, name, used)
    width = float(root.attrib.pop("width").removesuffix("pt")) * 4 / 3
    del root.attrib["height"]
    root.set("style", f"max-width:{width:.0f}px;min-width:{NARROWEST * width:.0f}px")
    root.attrib |= {"role": "group", "aria-label": says}
    text = ElementTree.tostring(root, encoding="unicode")
    # The names of XML are known to HTML, and blanks between marks say nothing.
    return Markup(re.sub(r">\s+<", "><", re.sub(r' xmlns(:\w+)?="[^"]*"', "", text, count=2)))


def _tidied(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Change one element of a figure."""
    mark = element.attrib.pop("id", None)
    if mark in used:
        element.set("id", f"{name}-{mark}")
    if HREF in element.attrib:
        element.set("href", element.attrib.pop(HREF).replace("#", f"#{name}-"))
    if "d" in element.attrib:
        words = element.attrib["d"].split()
        # A line through hundreds of places is one of a thicket: where each of them lies to the tenth of a point, nobody sees.
        thicket = len(words) > THICKET and "fill: none" in element.attrib.get("style", "")
        element.set("d", _outline(words, 1 if thicket else 10))
    if element.tag == f"{SVG}image":
        element.set("href", _image(element.attrib["href"]))
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("#", f"#{name}-"))
    style = re.sub(r"font-family: [^;]*(; )?", "", element.attrib.pop("style", "")).removesuffix("; ")
    if style:
        element.set("style", re.sub(r"#[0-9a-f]{6}", lambda colour: THEME.get(colour[0], colour[0]), style))


def _outline(words: list[str], parts: int = 10) -> str:
    """Return an outline in fewer letters: straight lines as steps in tenths (or other parts) of a point, curves with two digits behind it.

    >>> _outline("M 10.25 20.75 L 11.31 20.5 L 11.31 9 z".split()), _outline("M 0 2.5 C 0.6634 2.5 1.29 2.23 1.76 1.76".split())
    ('M10.2 20.8l1.1-.3 0-11.5z', 'M 0 2.5 C 0.66 2.5 1.29 2.23 1.76 1.76')
    """
    if not {word for word in words if word.isalpha()} <= {"M", "L", "z"}:
        return re.sub(r"(\.\d\d)\d+", r"\1", " ".join(words))
    told, x, y, numbers = "", 0, 0, iter(words)
    for word in numbers:
        if word == "z":
            told += "z"
            continue
        # Steps between rounded places: what is rounded never adds up.
        to = round(parts * float(next(numbers))), round(parts * float(next(numbers)))
        step = to if word == "M" else (to[0] - x, to[1] - y)
        letter = "M" if word == "M" else "" if told[-1:].isdigit() and "l" in told.rpartition("M")[2] else "l"
        told += "".join(
            (letter or (" " if step[0] >= 0 else ""), _short(step[0] / parts), " " if step[1] >= 0 else "", _short(step[1] / parts))
        )
        x, y = to
    return told


def _short(number: float) -> str:
    """Return a number as short as it can be written."""
    return re.sub(r"(?<!\d)0\.", ".", f"{number:g}")


def _image(address: str) -> str:
    """Return a picture of dots with fewer colours, which nobody sees."""
    kind, _, data = address.partition("base64,")
    packed = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(data))).quantize(64, Image.Quantize.FASTOCTREE).save(packed, "PNG", optimize=True)
    return f"{kind}base64,{base64.b64encode(packed.getvalue()).decode()}"


def download(name: str, content: str, says: str = "") -> Markup:
    """Return a link that carries its file with it, packed where it is large."""
    data, kind = content.encode(), "text/csv" if name.endswith(".csv") else "text/plain"
    if len(data) > LARGE:
        # No time stamp, so that the same content is the same page.
        data, kind, name = gzip.compress(data, mtime=0), "application/gzip", f"{name}.gz"
    packed = base64.b64encode(data).decode()
    return Markup('<a download="{}" href="data:{};base64,{}">{}</a>').format(name, kind, packed, says or name)


def write_folder(folder: Path, texts: Mapping[str, str], sheets: Mapping[str, Sheet]) -> list[Path]:
    """Write texts by their file names, and every figure as SVG and PNG with its numbers; return the files, none of them half-written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise NotPossible(f"{folder} cannot be written: {problem.strerror}") from None
    for name, text in texts.items():
        with replace_file(folder / name) as file:
            file.write(text.encode())
    files = [folder / name for name in texts]
    for name, (figure, data) in sheets.items():
        picture, numbers = save(figure, data, folder / "figures" / f"{name}.svg")
        files += [picture, numbers, save(figure, data, folder / "figures" / f"{name}.png")[0]]
    return files
