"""The page of a reproduction: one file with everything inside, CSV and JSON beside it."""

import csv
import json
import re
from pathlib import Path

import pytest

from meldlab.reproduce.bench import Reproducer
from meldlab.reproduce.page import reproduction_page, write_reproduction
from meldlab.reproduce.report import Reproduction, reproduce


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return reproduce(["yang"], Reproducer(tiny=True))


def test_files(found: Reproduction, tmp_path: Path) -> None:
    files = write_reproduction(found, tmp_path / "reproduced")
    assert [path.name for path in files[:3]] == ["index.html", "claims.csv", "reproduction.json"]
    assert {path.suffix for path in files[3:]} == {".svg", ".png", ".csv"}
    rows = list(csv.DictReader((tmp_path / "reproduced" / "claims.csv").open()))
    assert [row["claim"] for row in rows] == [row.claim.id for row in found.rows]
    assert {"where", "published", "ours", "tolerance", "verdict", "command", "seed", "version", "computed", "seconds"} <= rows[0].keys()
    assert json.loads((tmp_path / "reproduced" / "reproduction.json").read_text()) == found.as_json()


def test_the_page_holds_everything(found: Reproduction) -> None:
    page = reproduction_page(found)
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data) == found.as_json()
    assert page.count("<figure id=") == 2
    assert page.count("<tr id=") == len(found.rows)
    for heading in ("Scope", "Method", "Results", "What was easy", "What was hard", "Contact"):
        assert f"<dt>{heading}</dt>" in page


def test_claims_are_text_and_not_marks(found: Reproduction) -> None:
    from dataclasses import replace

    [tally] = found.tallies
    row = tally.rows[0]
    nasty = replace(row, found=replace(row.found, ours="</script><script>alert(1)</script>"))
    page = reproduction_page(replace(found, tallies=(replace(tally, rows=(nasty,)),)))
    assert "<script>alert(1)" not in page
