"""``meldlab gin compute``, as a user opens it."""

import json
from pathlib import Path

import pytest

from tests.cli.test_gin import run

SMALL = ["--cards", "4", "--ranks", "5", "--knock-limit", "3", "--device", "cpu", "--rounds", "2000", "--games", "100", "--iterations", "2"]
KEYS = {
    *(
        "against",
        "rules",
        "cards",
        "ranks",
        "limit",
        "rounds",
        "games",
        "price",
        "upcard",
        "bits",
        "turns",
        "seed",
        "value",
        "win_rate",
        "ci95",
    ),
    *("exploitability", "measured_against", "device", "laps", "stable", "seconds", "saved", "bytes"),
}


def test_compute_and_save(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    status, out, _ = run(capsys, "gin", "compute", *SMALL, "--turns", "1,3", "--save", str(folder), "--seed", "4", "--json")
    assert status == 0
    answer = json.loads(out)
    assert set(answer) == KEYS
    assert answer["ci95"][0] <= answer["win_rate"] <= answer["ci95"][1]
    assert (answer["turns"], answer["saved"], answer["limit"]) == ([1, 3], str(folder), 3)
    assert answer["bytes"] == (folder / "values.npy").stat().st_size
    assert set(answer["laps"][0]) == {"value", "win_rate", "ci95", "change", "exploitability", "seconds"}
    status, out, _ = run(capsys, "gin", "compute", *SMALL, "--turns", "1,3", "--save", str(folder), "--seed", "4")
    assert status == 0
    assert "computed against simple: 4 cards of 20, knocks with 3, on cpu" in out
    assert f"saved {folder} ({answer['bytes']} bytes)" in out
    status, _, err = run(capsys, "gin", "arena", f"computed:{folder}", "simple")
    assert (status, err) == (2, f"error: {folder} was computed for 4 cards of 20; the table deals 10 of 52\n")


def test_compute_against_itself(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "gin", "compute", "--against", "self", *SMALL, "--json")
    answer = json.loads(out)
    assert (answer["against"], answer["measured_against"]) == ("self", "simple")
    assert all(lap["exploitability"] > -0.01 for lap in answer["laps"])


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--device", "cpu"], "error: 10 cards of 52: 671,225,412 kinds of hands need "),
        (["--against", "mc:8"], "error: mc:8 plays at the table only"),
        ([*SMALL, "--against", "ensemble"], "error: ensemble plays ten cards of 52 only"),
        (["--rules", "openspiel"], "error: the kernels do not play wall_knock, a last knock at the wall"),
        (["--turns", "1,two"], "error: turns are whole numbers, such as 1,3,5,7\n  1,two\n    ^"),
        (["--cards", "2"], "error: cards in a hand must be a whole number from 3 to 10, not 2"),
        ([*SMALL, "--save", "/nowhere/at/all"], "error: there is no folder /nowhere/at"),
    ],
)
def test_mistakes_are_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    status, out, err = run(capsys, "gin", "compute", *arguments)
    assert status == 2
    assert err.startswith(line)
    assert "Traceback" not in err + out
