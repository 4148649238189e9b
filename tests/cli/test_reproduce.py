"""``meldlab reproduce`` at the door: what it prints, its status, and nonsense."""

import json
import re
from pathlib import Path

import pytest

from meldlab import dry_run as estimates
from meldlab.reproduce import report
from tests.cli.test_app import run


@pytest.fixture
def store(tmp_path: Path) -> list[str]:
    return ["--store", str(tmp_path / "runs.sqlite")]


def test_a_publication(capsys: pytest.CaptureFixture[str], tmp_path: Path, store: list[str]) -> None:
    status, out, err = run(capsys, "reproduce", "yang", "--out", str(tmp_path / "page"), *store)
    assert (status, err) == (0, "")
    assert "[Re]   yang      8 claims: 5 exact, 3 shape" in out
    lines = [re.split(" {2,}", line) for line in out.splitlines()]
    assert ["claim", "published", "ours", "verdict"] in lines
    assert ["current-value", "729", "729 of 729 equal as fractions", "exact"] in lines
    assert ["[Re]", "every central claim holds"] in lines
    assert ["exact", "the same to the last printed digit"] in lines
    assert (tmp_path / "page" / "index.html").is_file()


def test_as_json(capsys: pytest.CaptureFixture[str], store: list[str]) -> None:
    status, out, _ = run(capsys, "reproduce", "yang", "--json", *store)
    answer = json.loads(out)
    assert status == 0
    assert answer["size"] == "quick"
    assert answer["changed"] == []
    assert {claim["verdict"] for claim in answer["claims"]} == {"exact", "shape"}


def test_a_changed_verdict_is_status_1(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, store: list[str]) -> None:
    known = report.baseline(full=False)
    monkeypatch.setattr(report, "baseline", lambda full: {**known, "yang.value": "refuted"})
    status, _, err = run(capsys, "reproduce", "yang", *store)
    assert status == 1
    assert err.startswith("error: yang.value was refuted and is exact: 41984711742427/15997372030584")
    assert len(err.splitlines()) == 1


def test_a_dry_run_tells_every_publication_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, store: list[str]
) -> None:
    monkeypatch.setattr(estimates, "PROBE_SECONDS", 0.0)
    status, out, err = run(capsys, "reproduce", "--full", "--dry-run", "--out", str(tmp_path / "page"), *store)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    for name in ("finkle", "hertog", "yang", "nagai", "valet"):
        assert any(line.startswith(f"{name}, full: ") and line.endswith("of memory") for line in lines)
    assert "  section 5.1, figure 1: nothing to do; 2,382,000 games of 2026-11-16 are carried by the package" in lines
    assert lines[-2].startswith("all of it: about ")
    assert lines[-1].endswith("nothing was started")
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_as_json(capsys: pytest.CaptureFixture[str], store: list[str]) -> None:
    status, out, _ = run(capsys, "reproduce", "yang", "--dry-run", "--json", *store)
    answer = json.loads(out)
    assert (status, answer["size"], answer["dry_run"]) == (0, "quick", True)
    [yang] = answer["publications"]
    assert sum(place["claims"] for place in yang["places"]) == 8
    assert answer["seconds"] == yang["seconds"] > 0
    assert answer["memory"] == yang["memory"] > 1e7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["knuth"], "no publication 'knuth'"),
        (["knuth", "--dry-run"], "no publication 'knuth'"),
        (["nagai", "--dry-run", "--store", "mysql://host/runs"], "mysql"),
        (["yang", "--seed", "-1"], "seed"),
        (["yang", "--threads", "many"], "--threads"),
        (["yang", "--slowly"], "No such option"),
        (["yang", "--out", "/dev/null/page"], "cannot be written"),
        (["yang", "--store", "/dev/null/runs.sqlite"], "runs.sqlite"),
    ],
)
def test_nonsense_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: list[str], said: str) -> None:
    more = [] if "--store" in arguments else ["--store", str(tmp_path / "runs.sqlite")]
    status, out, err = run(capsys, "reproduce", *arguments, *more)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert said in err
