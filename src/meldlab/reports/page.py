"""Self-contained HTML pages: templates of a package on top of the shared ones, figures as inline SVG, and report folders.

>>> picture = Figure(figsize=(2, 1))
>>> _ = picture.text(0.5, 0.5, "so & so")
>>> "so &amp; so</text>" in figure_svg(picture, "tiny", "A word")
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
from meldlab.cache import replace_file, write_errors
from meldlab.reports.plot import Plot, save

LARGE = 100_000  # bytes above which a download is compressed
SVG, HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
# Default colours of figures; the style sheet gives each its colours in light and dark mode.
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
MIN_WIDTH = 0.62  # of its own width: a figure that would shrink further scrolls, so that its text stays readable


@cache
def _environment(package: str) -> Environment:
    """Return the templates of a package and of this one."""
    loader = ChoiceLoader([PackageLoader(package), PackageLoader("meldlab.reports")])
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals.update(version=__version__, figure_svg=figure_svg, download_link=download_link)
    return environment


def render(package: str, template: str, **values: Any) -> str:
    """Return a template of a package as text; every value in it is escaped."""
    return _environment(package).get_template(template).render(**values)


def figure_svg(figure: Figure, name: str, says: str) -> Markup:
    """Return a figure as SVG inside a page: its ids start with ``name``, its colours are the page's, and ``says`` labels it."""
    text = io.StringIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none", "savefig.transparent": True, "savefig.dpi": 130, "figure.dpi": 130}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(text.getvalue())
    # Its style would apply to the whole page.
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in (f"{SVG}metadata", f"{SVG}style")]:
            parent.remove(child)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text.getvalue()))
    for element in root.iter():
        _simplify(element, name, used)
    width = float(root.attrib.pop("width").removesuffix("pt")) * 4 / 3
    del root.attrib["height"]
    root.set("style", f"max-width:{width:.0f}px;min-width:{MIN_WIDTH * width:.0f}px")
    root.attrib |= {"role": "group", "aria-label": says}
    # HTML needs no XML namespaces, and spaces between elements have no meaning.
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", ElementTree.tostring(root, encoding="unicode"), count=2)
    return Markup(re.sub(r">\s+<", "><", svg))


def _simplify(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Change an element of a figure: unique ids, short numbers, the page's colours and fonts."""
    mark = element.attrib.pop("id", None)
    if mark in used:
        element.set("id", f"{name}-{mark}")
    if HREF in element.attrib:
        element.set("href", element.attrib.pop(HREF).replace("#", f"#{name}-"))
    if "d" in element.attrib:
        # Tenths of a point are not visible. A curve of a marker is small and keeps two decimals.
        decimals = r"(\.\d\d)\d+" if "C" in element.attrib["d"] else r"(\.\d)\d+"
        element.set("d", re.sub(r" ?\n", " ", re.sub(decimals, r"\1", element.attrib["d"])).strip())
    if element.tag == f"{SVG}image":
        element.set("href", _fewer_colours(element.attrib["href"]))
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("#", f"#{name}-"))
    style = re.sub(r"font-family: [^;]*(; )?", "", element.attrib.pop("style", "")).removesuffix("; ")
    if style:
        element.set("style", re.sub(r"#[0-9a-f]{6}", lambda colour: THEME.get(colour[0], colour[0]), style))


def _fewer_colours(address: str) -> str:
    """Return an embedded image with 64 colours, without a visible difference."""
    kind, _, data = address.partition("base64,")
    image = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(data))).quantize(64, Image.Quantize.FASTOCTREE).save(image, "PNG", optimize=True)
    return f"{kind}base64,{base64.b64encode(image.getvalue()).decode()}"


def download_link(name: str, content: str, says: str = "") -> Markup:
    """Return a link that contains its file, compressed if it is large."""
    data, kind = content.encode(), "text/csv" if name.endswith(".csv") else "text/plain"
    if len(data) > LARGE:
        # No time stamp, so that the same content is the same page.
        data, kind, name = gzip.compress(data, mtime=0), "application/gzip", f"{name}.gz"
    encoded = base64.b64encode(data).decode()
    return Markup('<a download="{}" href="data:{};base64,{}">{}</a>').format(name, kind, encoded, says or name)


def write_report(folder: Path, texts: Mapping[str, str], plots: Mapping[str, Plot]) -> list[Path]:
    """Write texts by their file names, and every figure as SVG and PNG with its numbers, each file atomically; return the files."""
    with write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with replace_file(folder / name) as file:
            file.write(text.encode())
    files = [folder / name for name in texts]
    for name, (figure, data) in plots.items():
        picture, numbers = save(figure, data, folder / "figures" / f"{name}.svg")
        files += [picture, numbers, save(figure, data, folder / "figures" / f"{name}.png")[0]]
    return files
