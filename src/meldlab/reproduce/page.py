"""The page of a reproduction, with CSV, JSON and figures."""

import json
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from meldlab.reports.page import render, write_report
from meldlab.reports.rows import csv_text
from meldlab.reproduce.claims import HEADINGS, Verdict
from meldlab.reproduce.run import COLUMNS, Report

PACKAGE = "meldlab.reproduce"
MAX_DOTS = 300  # of one series as shapes; more become an image inside the figure
NAMES = dict(zip(HEADINGS, ("Scope", "Method", "Results", "What was easy", "What was hard", "Contact"), strict=True))


def reproduction_page(report: Report) -> str:
    """Return the page as one self-contained HTML text."""
    publications = [part.publication for part in report.publications]
    for part in report.publications:
        for figure in part.figures:
            _rasterize(figure.plot[0])
    return render(
        PACKAGE,
        "page.html.jinja",
        title="The five publications, claim by claim",
        contents={
            "overview": "Overview",
            **{publication.name: f"{publication.authors.split(',')[0]} ({publication.year})" for publication in publications},
            "claims": "All claims",
            "errata": "Errata and findings",
        },
        report=report,
        verdicts=list(Verdict),
        headings=NAMES,
        missing=[row for row in report.rows if row.outcome.missing_package],
        csv=_csv(report),
        # A closing tag inside the data would end it.
        embedded=Markup(_json(report).replace("<", "\\u003c")),
    )


def write_reproduction(report: Report, folder: Path) -> list[Path]:
    """Write the page, its claims as CSV and JSON, and every figure as SVG and PNG with its numbers; return the files, the page first."""
    texts = {"index.html": reproduction_page(report), "claims.csv": _csv(report), "reproduction.json": _json(report)}
    return write_report(folder, texts, {figure.name: figure.plot for part in report.publications for figure in part.figures})


def _csv(report: Report) -> str:
    return csv_text([list(COLUMNS), *(list(row.cells(report.version).values()) for row in report.rows)])


def _json(report: Report) -> str:
    return json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n"


def _rasterize(figure: Figure) -> None:
    """Draw series of many dots as images: as shapes they would be most of the page."""
    for axes in figure.axes:
        for line in axes.lines:
            if line.get_marker() not in ("None", "", None) and len(line.get_xdata()) > MAX_DOTS:  # type: ignore[arg-type]
                line.set_rasterized(True)
