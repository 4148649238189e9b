"""Turns to a knock and to gin: exact where the tables are, else about, with the error."""

import json
import re
from pathlib import Path

import pytest

from meldlab.cards import Hand
from meldlab.waiting import WaitingGame, storage
from meldlab.waiting.storage import table_path
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
def test_turns_are_exact_where_the_tables_are_and_about_elsewhere(
    command: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    status, out, _ = run(capsys, *command, "--json")
    turns, errors = (json.loads(out)[name] for name in ("expected_turns", "expected_turns_error"))
    assert status == 0
    assert 3 < turns["knock"] < 10 < turns["gin"] < 25
    assert 0 < errors["knock"] < turns["knock"]
    assert 0 < errors["gin"] < turns["gin"]
    text = run(capsys, *command)[1]
    assert re.search(r"turns from stock alone: about \d\.\d ± \d\.\d to a knock, about \d+\.\d ± \d\.\d to gin\n", text)
    table_path("knock").touch()
    monkeypatch.setattr(storage, "load", table_of)
    answer = json.loads(run(capsys, *command, "--json")[1])
    assert (answer["expected_turns"]["knock"], answer["expected_turns_error"]["knock"]) == (2.25, 0)
    assert answer["expected_turns"]["gin"] == turns["gin"]
    table_path("gin").touch()
    assert "turns from stock alone: 2.2 to a knock, 8.5 to gin" in run(capsys, *command)[1]


def table_of(path: Path, game: WaitingGame) -> Table:
    assert (path, game.cards) == (table_path(path.stem), 10)
    return Table(str(game.goal))


def test_a_damaged_table_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MELDLAB_CACHE", str(tmp_path))
    table_path("gin").write_text("nothing of the kind")
    status, _, err = run(capsys, *TEN)
    assert status == 2
    assert "gin.table" in err


def test_another_limit_has_other_turns_to_a_knock(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = tmp_path / "five.toml"
    rules.write_text('preset = "eaai"\nknock_limit = 5\n')
    told = json.loads(run(capsys, *TEN, "--rules", str(rules), "--json")[1])
    assert list(told["expected_turns"]) == ["gin"]


def test_what_is_reached_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    # Nine of ten cards are melded: a knock is there, gin is not.
    told = run(capsys, "gin", "advise", "--hand", "2C 3C 4C 9D 9H 9S KC KD KH 5S QH")[1]
    assert "to a knock" not in told
    assert re.search(r"turns from stock alone: about [\d.]+ ± [\d.]+ to gin", told)
