"""The page of a reproduction, and CSV, JSON and figures beside it."""

import json
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from meldlab.reports.page import render, write_folder
from meldlab.reports.rows import csv_text
from meldlab.reproduce.bench import Drawn
from meldlab.reproduce.claims import HEADINGS, MEANINGS, Ruling
from meldlab.reproduce.report import COLUMNS, Reproduction

__all__ = ["reproduction_page", "write_reproduction"]

PACKAGE = "meldlab.reproduce"
THICKET = 300  # dots of one series above which they become a picture inside the picture
NAMES = dict(zip(HEADINGS, ("Scope", "Method", "Results", "What was easy", "What was hard", "Contact"), strict=True))


def reproduction_page(found: Reproduction) -> str:
    """Return the page as one self-contained HTML text."""
    drawn: dict[str, list[Drawn]] = {tally.publication.name: [] for tally in found.tallies}
    for name, each in found.figures:
        _thinned(each.sheet[0])
        drawn[name].append(each)
    told = _json(found)
    names = {tally.publication.name: f"{tally.publication.authors.split(',')[0]} ({tally.publication.year})" for tally in found.tallies}
    return render(
        PACKAGE,
        "page.html.jinja",
        title="The five publications, claim by claim",
        contents={"overview": "Overview", **names, "claims": "All claims", "errata": "Errata and findings"},
        found=found,
        rulings=list(Ruling),
        meanings=MEANINGS,
        headings=NAMES,
        drawn=drawn,
        absent=[row for row in found.rows if row.found.absent],
        csv=_csv(found),
        # A closing tag inside the data would end it.
        embedded=Markup(told.replace("<", "\\u003c")),
    )


def write_reproduction(found: Reproduction, folder: Path) -> list[Path]:
    """Write the page, its claims as CSV and JSON, and every figure as SVG and PNG with its numbers; return the files, the page first."""
    texts = {"index.html": reproduction_page(found), "claims.csv": _csv(found), "reproduction.json": _json(found)}
    return write_folder(folder, texts, {each.name: each.sheet for _, each in found.figures})


def _csv(found: Reproduction) -> str:
    return csv_text([list(COLUMNS), *(list(row.cells(found.version).values()) for row in found.rows)])


def _json(found: Reproduction) -> str:
    return json.dumps(found.as_json(), indent=1, ensure_ascii=False) + "\n"


def _thinned(figure: Figure) -> None:
    """Draw thickets of dots as pictures: as shapes they would be most of the page."""
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() not in ("None", "", None) and len(line.get_xdata()) > THICKET:  # type: ignore[arg-type]
                line.set_rasterized(True)
