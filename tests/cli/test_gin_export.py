"""``meldlab gin export``: a whole file or none, and mistakes in one line."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from meldlab.cli.app import main
from meldlab.gin import trajectories


def export(*arguments: str) -> Any:
    """Return the status that the command ends with."""
    with pytest.raises(SystemExit) as ended:
        main(["gin", "export", *arguments])
    return ended.value.code


def test_the_command_writes_lines_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    assert not export("--players", "knock:10,0,6,simple", "--games", "2", "--seed", "3", "--out", str(out), "--no-features", "--json")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert json.loads(capsys.readouterr().out) == {"out": str(out), "games": 2, "rows": len(rows)}
    assert {row["player"] for row in rows} == {"knock:10,0,6", "simple"}
    assert "features" not in rows[0]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--players", "simple,nobody"], "no player 'nobody'"),
        (["--players", "simple"], "gin is for two players"),
        (["--players", "simple,random", "--format", "csv"], "'csv' is not one of 'jsonl', 'parquet'"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert export(*arguments, "--out", str(tmp_path / "games")) == 2
    told = capsys.readouterr().err
    assert why in told
    assert len(told.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_control_c_leaves_what_was_there(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    out, plain = tmp_path / "games.jsonl", trajectories._rows
    out.write_text("of yesterday")

    def interrupted(game: int, *rest: Any) -> Any:
        if game == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return plain(game, *rest)

    monkeypatch.setattr(trajectories, "_rows", interrupted)
    assert export("--players", "simple,random", "--out", str(out)) == 130
    assert "Traceback" not in capsys.readouterr().err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["of yesterday"]
