"""Turns to a knock and to gin, for those who keep the tables."""

import json
from pathlib import Path

import pytest

from meldlab.cards import Hand
from meldlab.cli.gin.hints import table_path
from meldlab.waiting import Waiting, kept
from tests.cli.test_gin import run

TEN = ["gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD 4H 5S", "--upcard", "KH"]
ELEVEN = ["gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD 4H 5S JD"]


class Table:
    """Stands in for 1.3 GB: one number for each goal."""

    def __init__(self, goal: str) -> None:
        self.goal = goal

    def turns(self, hand: Hand) -> float:
        assert len(hand) == 10
        return {"knock:10": 2.25, "gin": 8.5}[self.goal]


@pytest.mark.parametrize("command", [TEN, ELEVEN])
def test_hints_are_quoted_where_the_tables_are(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    status, out, _ = run(capsys, *command, "--json")
    assert (status, json.loads(out)["expected_turns"]) == (0, {})
    table_path("knock").touch()
    monkeypatch.setattr(kept, "cached_solution", lambda game, path: found(game))
    assert json.loads(run(capsys, *command, "--json")[1])["expected_turns"] == {"knock": 2.25}
    table_path("gin").touch()
    assert "from stock alone: 2.2 turns to a knock, 8.5 turns to gin" in run(capsys, *command)[1]


def found(game: Waiting) -> Table:
    assert game.cards == 10
    return Table(str(game.goal))


def test_a_damaged_table_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    table_path("gin").write_text("nothing of the kind")
    status, _, err = run(capsys, *TEN)
    assert status == 2
    assert "gin.table" in err
