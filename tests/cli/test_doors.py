"""What each door answers."""

import json
import re
from typing import Any

import pytest

from tests.cli.test_app import run


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_deadwood_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "deadwood", "KS 5H 6H 7H 9C 9D") == {
        "hand": "5H 6H 7H 9C 9D KS",
        "melds": [["5H", "6H", "7H"]],
        "deadwood_cards": ["9C", "9D", "KS"],
        "deadwood": 28,
        "complete": False,
    }
    assert answer(capsys, "deadwood", "AH KH QH", "--aces", "both")["melds"] == [["QH", "KH", "AH"]]
    assert answer(capsys, "deadwood", "AH KH QH", "--aces", "both")["complete"] is True


def test_deadwood_for_reading(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "deadwood", "5H 6H 7H 9C 9D KS") == (0, "[5♥ 6♥ 7♥]  9♣ 9♦ K♠\ndeadwood 28\n", "")
    assert run(capsys, "deadwood", "10S", "9S", "8S") == (0, "[8♠ 9♠ 10♠]\ncomplete\n", "")
    nine = "5C 5D 5H 6C 6D 6H 7C 7D 7H"
    assert run(capsys, "deadwood", nine)[1].endswith("complete, 2 ways\n")


def test_demo_computes_what_was_published(capsys: pytest.CaptureFixture[str]) -> None:
    rows = answer(capsys, "demo")["rows"]
    published = [row for row in rows if row["published"] != "-"]
    assert len(published) >= 4
    # A remark in brackets says why the two differ; all other published digits are ours too.
    plain = [row for row in published if "(" not in row["published"]]
    assert len(plain) >= len(published) - 4
    for row in plain:
        assert row["computed"].startswith(row["published"]), row["what"]


def test_demo_ends_with_the_table_and_what_to_try(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for room in ("meld", "waiting", "stopping", "gin", "rummikub", "recycle"):
        monkeypatch.setattr(f"meldlab.cli.demo.{room}_rows", lambda room=room: [(f"a row of {room}", "1", "2")])
    status, out, _ = run(capsys, "demo")
    assert status == 0
    assert "published / computed here" in out
    assert re.findall(r"a row of (\w+) +│ 1 +│ 2 ", out) == ["meld", "waiting", "stopping", "gin", "rummikub", "recycle"]
    assert "Try next:\n  meldlab " in out


def test_doctor_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "doctor")
    assert {"meldlab", "python", "numba", "numpy", "machine", "threads", "gpu", "cache", "kernels"} <= set(found)
    assert {"cards", "melds"} <= set(found["kernels"])
    assert found["threads"] >= 1


def test_doctor_for_reading(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "doctor")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()][:2] == ["meldlab", "python"]
    assert "gin        kernels ready" in out
