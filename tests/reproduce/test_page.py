"""The page of a reproduction: one file with everything inside, CSV and JSON beside it."""

import csv
import json
import re
from pathlib import Path

import pytest

from meldlab.reproduce.claims import claims_digest
from meldlab.reproduce.page import reproduction_page, write_reproduction
from meldlab.reproduce.run import Context, Report, baseline, reproduce


@pytest.fixture(scope="module")
def report() -> Report:
    return reproduce(["yang"], Context(tiny=True))


def test_write_reproduction_writes_page_tables_and_figures(report: Report, tmp_path: Path) -> None:
    files = write_reproduction(report, tmp_path / "reproduced")
    assert [path.name for path in files[:3]] == ["index.html", "claims.csv", "reproduction.json"]
    assert {path.suffix for path in files[3:]} == {".svg", ".png", ".csv"}
    rows = list(csv.DictReader((tmp_path / "reproduced" / "claims.csv").open()))
    assert [row["claim"] for row in rows] == [row.claim.id for row in report.rows]
    assert {"where", "published", "ours", "tolerance", "verdict", "command", "seed", "version", "computed", "seconds"} <= rows[0].keys()
    assert json.loads((tmp_path / "reproduced" / "reproduction.json").read_text()) == report.as_json()


def test_page_contains_claims_figures_and_data(report: Report) -> None:
    page = reproduction_page(report)
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data) == report.as_json()
    assert page.count("<figure id=") == 2
    assert page.count("<tr id=") == len(report.rows)
    for heading in ("Scope", "Method", "Results", "What was easy", "What was hard", "Contact"):
        assert f"<dt>{heading}</dt>" in page


def test_page_of_the_documentation_has_the_claims_and_verdicts_of_today() -> None:
    folder = Path(__file__).parents[2] / "docs" / "reproduced"
    shown = json.loads((folder / "reproduction.json").read_text())
    assert shown["claims_digest"] == claims_digest()
    assert shown["claims_digest"] in (folder / "index.html").read_text()
    expected = {**baseline(full=True), **{id: verdict for id, verdict in baseline(full=False).items() if id.startswith("valet.")}}
    # A claim that needs a program which was not installed is open on the page.
    computed = [row for row in shown["claims"] if "is not installed" not in row["note"]]
    ids = [f"{row['publication']}.{row['claim']}" for row in computed]
    assert [row["verdict"] for row in computed] == [expected[id] for id in ids]
    rows = list(csv.DictReader((folder / "claims.csv").open()))
    assert [(row["claim"], row["ours"]) for row in rows] == [(row["claim"], row["ours"]) for row in shown["claims"]]


def test_page_escapes_texts(report: Report) -> None:
    from dataclasses import replace

    [part] = report.publications
    row = part.rows[0]
    nasty = replace(row, outcome=replace(row.outcome, ours="</script><script>alert(1)</script>"))
    page = reproduction_page(replace(report, publications=(replace(part, rows=(nasty,)),)))
    assert "<script>alert(1)" not in page
