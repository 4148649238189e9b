"""A person at the terminal is a player like any other: one driver for all games, on the toy that shows it best, and at each door."""

import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from meldlab.cli.table import Screen, play_in_terminal
from meldlab.lab.games import game_of
from meldlab.play import Chance, Deal, RandomPlayer, Record, Step, Table, TimeLimit, replay
from tests.cli.test_gin import run
from tests.play.toy import HighCard, Look

DEAL = Deal(3)
FIRST, SECOND = (str(card) for card in HighCard().start(2, DEAL).hands[0])


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("\n".join(lines) + "\n"))


class Careful(Screen):
    """Asks before another acts."""

    def asks_again(self, step: Step[Any]) -> bool:
        return step.after.seat is not None


class Failing:
    name = "failing"

    def choose(self, view: Look, chance: Chance) -> Any:
        raise KeyError("mine")


def test_the_terminal_plays_the_game_of_the_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Whatever seat the person has: the others draw the same chances as at any table.
    path = tmp_path / "game.toml"
    for seat in range(3):
        played = Table(HighCard(), [RandomPlayer()] * 3).play(DEAL)
        typed(monkeypatch, str(played.actions[seat]))
        play_in_terminal(HighCard(), [RandomPlayer()] * 2, Screen, DEAL, seat, tmp_path / f"{seat}.toml")
        record = Record.parse((tmp_path / f"{seat}.toml").read_text())
        assert (record.actions, record.result) == (played.record.actions, played.result)
        assert record.players[seat] == "you"
        printed = capsys.readouterr().out
        assert f"You are p{seat + 1}, " in printed
        assert "scores p1 " in printed
        # What others swap in is not for the person's eyes.
        assert all(line.partition(" for ")[0].replace(" ", ": ", 1) in printed for at, line in enumerate(record.actions) if at != seat)
        assert " for " not in printed
    assert not path.exists()


def test_mistakes_are_told_and_asked_again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed(monkeypatch, "fly", "swap 1H", "", "?", "stand")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, DEAL)
    printed = capsys.readouterr().out
    assert "error: no action 'fly'" in printed
    assert "type an action; 'undo'" in printed
    assert "nobody gives advice here" in printed
    assert "won by " in printed


def test_what_was_learned_is_final_and_a_plain_move_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.toml"
    typed(monkeypatch, "undo", "stand", "undo", f"swap {FIRST}", "no", "quit")
    play_in_terminal(HighCard(), [RandomPlayer()], Careful, DEAL, save=path)
    printed = capsys.readouterr().out
    assert "nothing to take back" in printed
    assert "'no' is none of Enter, undo and quit" in printed
    assert printed.rstrip().endswith(f"stopped\nThe record is in {path}.")
    assert Record.parse(path.read_text()).actions == ()


def test_a_forfeit_shows_its_traceback_and_keeps_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.toml"
    typed(monkeypatch, "stand")
    play_in_terminal(HighCard(), [Failing()], Screen, DEAL, save=path)
    printed = capsys.readouterr()
    assert "Traceback" in printed.err
    assert 'raise KeyError("mine")' in printed.err
    assert "won by p1 (p2 forfeits: failing gave no answer: KeyError: 'mine'" in printed.out
    assert [step.seat for step in replay(HighCard(), Record.parse(path.read_text()))] == [0, 1]


def test_a_person_has_all_the_time_there_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def slow(*_: object) -> str:
        time.sleep(0.1)
        return "stand"

    monkeypatch.setattr("builtins.input", slow)
    # A machine would be stopped after twenty times the limit.
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, DEAL, time=TimeLimit(per_move=0.001, per_game=100))
    assert "p1 forfeits" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("door", "lines"),
    [
        (["gin", "play", "--against", "simple"], ["quit"]),
        (["rummikub", "play", "--against", "greedy"], ["draw", "draw", "quit"]),
        (["recycle", "play", "kuhn_poker", "--against", "random"], ["1", "quit"]),
        (["recycle", "play", "block_rummy", "--seat", "2"], ["1", "1", "quit"]),
    ],
)
def test_every_door_keeps_the_record_of_a_game_that_was_left(
    door: list[str], lines: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.toml"
    typed(monkeypatch, *lines)
    status, out, _ = run(capsys, *door, "--save", str(path))
    assert status == 0
    record = Record.parse(path.read_text())
    steps = list(replay(game_of(record), record))
    me = record.players.index("you")
    assert sum(step.seat == me for step in steps) == len(lines) - 1
    assert f"The record is in {path}." in "".join(out.splitlines(keepends=True))
