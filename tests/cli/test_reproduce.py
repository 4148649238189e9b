"""``meldlab reproduce`` at the door: what it prints, its status, and nonsense."""

import json
import re
from pathlib import Path

import pytest

from meldlab.reproduce import run as module
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
    known = module.baseline(full=False)
    monkeypatch.setattr(module, "baseline", lambda full: {**known, "yang.value": "refuted"})
    status, _, err = run(capsys, "reproduce", "yang", *store)
    assert status == 1
    assert err.startswith("error: yang.value was refuted and is exact: 41984711742427/15997372030584")
    assert len(err.splitlines()) == 1


def test_dry_run_prints_a_line_for_each_publication_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, store: list[str]
) -> None:
    status, out, err = run(capsys, "reproduce", "--full", "--dry-run", "--out", str(tmp_path / "page"), *store)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert [line.split(",")[0] for line in lines[:5]] == ["finkle", "hertog", "yang", "nagai", "valet"]
    assert "track: 2,382,000 games of 2026-11-16 are bundled" in lines[3]
    assert lines[-2].startswith("all of it: about ")
    assert lines[-1].endswith("nothing was started")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [("--anew",), ("--seed", "2")])
def test_dry_run_names_the_games_of_bundled_experiments_to_play(capsys: pytest.CaptureFixture[str], options: tuple[str, ...]) -> None:
    out = run(capsys, "reproduce", "nagai", "--full", "--dry-run", *options)[1]
    assert "track: 2,382,000 games to play, which took 374 s (13 threads" in out


def test_dry_run_as_json(capsys: pytest.CaptureFixture[str], store: list[str]) -> None:
    status, out, _ = run(capsys, "reproduce", "yang", "--dry-run", "--json", *store)
    answer = json.loads(out)
    assert (status, answer["size"], answer["dry_run"]) == (0, "quick", True)
    assert answer["publications"] == [{"name": "yang", "seconds": answer["seconds"], "note": ""}]
    assert answer["seconds"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["knuth"], "no publication 'knuth'"),
        (["knuth", "--dry-run"], "no publication 'knuth'"),
        (["nagai", "--store", "mysql://host/runs"], "mysql"),
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
