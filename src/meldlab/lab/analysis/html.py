"""Pages in one file: pictures, tables and downloads inside, nothing from elsewhere, readable on a phone and in the dark.

>>> page("Tiny", ["<p>A game.</p>"]).startswith("<!doctype html>")
True
"""

import base64
import gzip
import io
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from matplotlib import rc_context

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["download", "figure_block", "inline", "page", "table"]

LARGE = 100_000  # bytes above which a download is packed

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f23; --paper: #ffffff; --faint: #5b6570; --line: #d5dae0; --sheet: #f6f8fa; --link: #0b6e3f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ea; --paper: #15191d; --faint: #a3adb8; --line: #38414a; --sheet: #1d2329; --link: #67c995; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 1rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere; }
h1 { margin: .6rem 0; font-size: 2rem; line-height: 1.2; } h2 { margin: 2.4rem 0 .6rem; border-bottom: 1px solid var(--line); }
ul, ol { margin: .3rem 0; } h3 { margin: 1.6rem 0 .4rem; } a { color: var(--link); }
.quick { border: 1px solid #c77700; border-left-width: .4rem; padding: .5rem .8rem; border-radius: .3rem; }
figure { margin: 1rem 0; } figure .picture { background: #fff; border: 1px solid var(--line); border-radius: .4rem; padding: .4rem; }
figure svg { display: block; width: 100%; height: auto; margin: 0 auto; } figcaption { color: var(--faint); margin-top: .5rem; }
.scroll { overflow-x: auto; } table { overflow-wrap: normal; border-collapse: collapse; font-size: .94rem; margin: .8rem 0; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { overflow-x: auto; overflow-wrap: normal; background: var(--sheet); border: 1px solid var(--line); border-radius: .4rem;
  padding: .8rem; font: .85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; tab-size: 2; }
pre b { font-weight: 600; color: #a3257a; } pre i { font-style: normal; color: #0a5fa8; } pre u { text-decoration: none; color: #a35200; }
pre s { text-decoration: none; color: #5b7a5b; }
@media (prefers-color-scheme: dark) {
  pre b { color: #f29ad3; } pre i { color: #7cc0ff; } pre u { color: #ffb269; } pre s { color: #92b992; }
}
footer { margin-top: 3rem; color: var(--faint); font-size: .9rem; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page."""
    head = f'<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>'
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f"<head>\n{head}\n<style>{_STYLE}</style>\n</head>",
            "<body>",
            *parts,
            "</body>",
            "</html>",
            "",
        ]
    )


def inline(figure: "Figure", name: str, says: str) -> str:
    """Return a figure as SVG that can stand inside a page; its marks are named after it, so that two figures do not mix theirs up."""
    picture = io.StringIO()
    with rc_context({"svg.hashsalt": name, "savefig.dpi": 130, "figure.dpi": 130}):
        figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = picture.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # Only names that something refers to are kept.
    used = set(re.findall(r"(?:href=\"|url\()#([^\")]+)", text))
    text = re.sub(r' id="([^"]+)"', lambda found: f' id="{name}-{found[1]}"' if found[1] in used else "", text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    # In outlines, a third digit behind the point is less than a hair.
    text = re.sub(r' d="[^"]*"', lambda outline: re.sub(r"(\.\d\d)\d+", r"\1", outline[0]), text)
    width = float(re.search(r'width="([\d.]+)pt"', text)[1])  # type: ignore[index]  # matplotlib always writes it
    opening = f'<svg role="img" aria-label="{escape(says)}" style="max-width:{width * 4 / 3:.0f}px"'
    text = re.sub(r'(<svg[^>]*?) width="[^"]*pt"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*pt"', r"\1", text, count=1)
    return opening + text.removeprefix("<svg").rstrip("\n")


def figure_block(figure: "Figure", name: str, says: str, caption: str, links: Sequence[str] = ()) -> str:
    """Return a figure with its caption, a paragraph of HTML, and links."""
    words = " ".join([caption, ", ".join(links)]).strip()
    picture = f'<div class="picture">{inline(figure, name, says)}</div>'
    return f'<figure id="{name}">\n{picture}\n<figcaption>{words}</figcaption>\n</figure>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Return a table; cells are HTML, the columns ``numbers`` stand to the right."""
    right = set(numbers)

    def line(cells: Sequence[str], tag: str) -> str:
        opened = [f'<{tag} class="number">' if i in right else f"<{tag}>" for i in range(len(cells))]
        return "<tr>" + "".join(f"{start}{cell}</{tag}>" for start, cell in zip(opened, cells, strict=True)) + "</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return f'<div class="scroll"><table>\n<thead>{line(head, "th")}</thead>\n<tbody>\n{body}\n</tbody></table></div>'


def download(name: str, content: str, says: str = "") -> str:
    """Return a link that carries its file with it, packed where it is large."""
    data, kind = content.encode(), "text/csv" if name.endswith(".csv") else "text/plain"
    if len(data) > LARGE:
        # No time stamp, so that the same content is the same page.
        data, kind, name = gzip.compress(data, mtime=0), "application/gzip", f"{name}.gz"
    packed = base64.b64encode(data).decode()
    return f'<a download="{escape(name)}" href="data:{kind};base64,{packed}">{escape(says or name)}</a>'
