"""The door: exact keys, one line and status 2 for every mistake."""

import json
from pathlib import Path

import pytest

from meldlab.cli.app import main

KEYS = {"played", "count", "value", "table", "kept", "kept_sets", "moves", "proven", "method", "seconds"}
POSITION = ["--table", "R5 R6 R7 | K9 B9 O9", "--rack", "R8 J"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["rummikub", *arguments])
    said = capsys.readouterr()
    return int(stopped.value.code or 0), said.out, said.err


@pytest.mark.parametrize("method", ["search", "ilp"])
def test_solve(capsys: pytest.CaptureFixture[str], method: str) -> None:
    status, out, _ = run(capsys, "solve", *POSITION, "--method", method, "--json")
    answer = json.loads(out)
    assert status == 0
    assert set(answer) >= KEYS
    assert answer["played"] == ["R8", "J"]
    assert (answer["count"], answer["value"], answer["kept"]) == (2, 38, 1)
    assert answer["kept_sets"] == [["K9", "B9", "O9"]]
    assert answer["proven"] is True
    assert answer["method"] == method
    assert any("J=" in tile for tile_set in answer["table"] for tile in tile_set)


def test_a_joker_counts_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "solve", *POSITION, "--objective", "value", "--joker-value", "0", "--json")
    assert json.loads(out)["value"] == 8


def test_no_opening_is_no_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "solve", "--table", "R5 R6 R7", "--rack", "R1 R2 R3 K4", "--opening", "--json")
    answer = json.loads(out)
    assert (status, answer["played"], answer["kept"]) == (0, [], 1)


@pytest.mark.parametrize("family", ["free", "modern", "strict"])
def test_families(capsys: pytest.CaptureFixture[str], family: str) -> None:
    _, out, _ = run(capsys, "solve", "--table", "R5 R6 R7 J=R8", "--rack", "O1 O2", "--jokers", family, "--json")
    assert json.loads(out)["count"] == (2 if family == "free" else 0)


def test_the_drawing_marks_what_moved(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "solve", *POSITION, "--all", "--why-not", "R8")
    assert status == 0
    assert "[▲8]" in out
    assert "▲5 ▲6 ▲7" in out
    assert "playing R8 costs 0" in out
    assert "best move" in out


def test_the_model_can_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    assert run(capsys, "solve", *POSITION, "--lp", str(path), "--json")[0] == 0
    assert "Maximize" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rack", ""], "no tiles on the rack"),
        (["--rack", "R5 X6"], "no colour 'X'"),
        (["--rack", "R5 R5 R5"], "3 tiles R5"),
        (["--rack", "R1", "--table", "R5 R6 R8"], "set 1, R5 R6 R8: the run lacks R7"),
        (["--rack", "R1", "--smallest", "5", "--numbers", "4", "--colours", "3"], "no set of 5 tiles exists"),
        (["--rack", "R1", "--jokers", "wild"], "no joker family 'wild'"),
        (["--rack", "R1", "--objective", "fun"], "no objective 'fun'"),
        (["--rack", "R1", "--keep", "calm"], "no measure of change 'calm'"),
        (["--rack", "R1", "--method", "magic"], "no method 'magic'"),
        (["--rack", "R1", "--rules", "mine"], "no rules 'mine'"),
        (["--rack", "R1", "--why-not", "K5"], "K5 is not on the rack"),
        (["--rack", "R1", "--lp", "/nowhere/model.lp"], "cannot be written"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    status, out, err = run(capsys, "solve", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err
    assert "Traceback" not in err


def test_puzzle(capsys: pytest.CaptureFixture[str]) -> None:
    first, again = (json.loads(run(capsys, "puzzle", "--seed", "4", "--json")[1]) for _ in range(2))
    assert first["table"] == again["table"]
    assert first["unique"] is True
    assert first["simple"] < first["solution"]["count"]


def test_arena(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "arena", "optimal", "greedy", "--games", "2", "--json")
    told = json.loads(out)
    assert told["players"] == ["optimal", "greedy"]
    assert (told["forfeits"], told["unended"], told["troubles"]) == ([0, 0], 0, [])
    assert run(capsys, "arena", "optimal", "gredy")[0] == 2
    assert run(capsys, "arena", "optimal", "greedy", "--games", "3")[0] == 2


def test_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter(["help", "best", "play R1", "draw", "quit"])
    monkeypatch.setattr("builtins.input", lambda *_: next(lines))
    status, out, _ = run(capsys, "play", "--against", "greedy", "--seed", "7")
    assert status == 0
    assert "error: set 1, R1: a set has at least 3 tiles" in out
    assert out.rstrip().endswith("stopped")
