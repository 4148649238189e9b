"""A person at the terminal is a player like any other: one driver for all games, on the toy that shows it best, and at each door."""

import re
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from meldlab import compiling
from meldlab.cli.screen import Screen
from meldlab.cli.table import _steps_to_undo, play_in_terminal
from meldlab.errors import MeldlabError, NotLegalHere
from meldlab.games import load_game
from meldlab.play import Chance, Deal, RandomPlayer, Record, Table, TimeLimit, replay
from tests.cli.test_gin import run
from tests.play.toy import HighCard, Look

SEED = 3
DEAL = Deal(SEED)
FIRST, SECOND = (str(card) for card in HighCard().start(2, DEAL).hands[0])


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("\n".join(lines) + "\n"))


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
        play_in_terminal(HighCard(), [RandomPlayer()] * 2, Screen, SEED, seat, tmp_path / f"{seat}.toml")
        record = Record.parse((tmp_path / f"{seat}.toml").read_text())
        assert (record.actions, record.result) == (played.record.actions, played.result)
        assert record.players[seat] == "you"
        printed = capsys.readouterr().out
        assert f"You are p{seat + 1}, " in printed
        assert f"(highest card): you {played.result.scores[seat]}, " in printed
        # What others swap in is not for the person's eyes.
        assert all(line.partition(" for ")[0].replace(" ", ": ", 1) in printed for at, line in enumerate(record.actions) if at != seat)
        assert not any(" for " in line for line in printed.splitlines() if "you: " not in line)
    assert not path.exists()


def test_mistakes_are_told_and_asked_again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed(monkeypatch, "fly", "swap 1H", "", "?", "RULES", "sort", "stand")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, SEED)
    printed = capsys.readouterr().out
    assert "error: no action 'fly'" in printed
    assert "take your last action back" in printed
    assert "there is no advice for this game" in printed
    assert "the rules of this game are not available here" in printed
    assert "there is nothing to sort" in printed
    assert " win (" in printed or " won (" in printed


class Standing:
    name = "standing"

    def choose(self, view: Look, chance: Chance) -> Any:
        return view.parse("stand")


class Forced(Screen):
    """Takes what others do for no news."""

    def learned(self, step: Any) -> bool:
        return step.seat == self.seat and super().learned(step)


def test_what_was_learned_is_final_and_a_plain_move_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.toml"
    typed(monkeypatch, "undo", "quit")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, SEED, 1, path)
    printed = capsys.readouterr().out
    assert "nothing to undo: you have learned something since your last choice" in printed
    assert f"stopped\nThe record is in {path}. --resume {path} continues the game." in printed
    assert len(Record.parse(path.read_text()).actions) == 1
    start, [stood] = HighCard().start(2, DEAL), list(Table(HighCard(), [Standing(), Standing()], max_actions=1).steps(DEAL))
    swapped = stood._replace(action=start.view(0).parse(f"swap {FIRST}"))
    screen = Forced(Console(), 0, ("you", "other"))
    assert (screen.learned(stood), screen.learned(swapped)) == (False, True)
    assert (
        _steps_to_undo([stood], screen),
        _steps_to_undo([stood, stood._replace(seat=1)], screen),
        _steps_to_undo([swapped], screen),
    ) == (1, 2, 0)


def test_a_game_without_a_seed_is_a_new_one_and_says_which(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seeds = set()
    for _ in range(3):
        typed(monkeypatch, "quit")
        play_in_terminal(HighCard(), [RandomPlayer()], Screen)
        seeds.add(re.findall(r"high card, seed (\d+)\.", capsys.readouterr().out)[0])
    assert len(seeds) > 1


def test_an_unfinished_game_goes_on_and_a_finished_one_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, copy = tmp_path / "game.toml", tmp_path / "copy.toml"
    typed(monkeypatch, "quit")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, None, 1, path)
    first = Record.parse(path.read_text())
    typed(monkeypatch, "quit")
    # Another seat and no seed are given: the file knows better.
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, None, 0, None, path)
    assert "The game continues after 1 actions." in capsys.readouterr().out
    assert Record.parse(path.read_text()) == first
    typed(monkeypatch, f"save {copy}", f"save {copy}", "SAVE", "stand")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, None, 0, path)
    printed = capsys.readouterr().out
    assert printed.count(f"The record is in {copy} and stays up to date.") == 2
    assert f"error: {copy} exists already" in printed
    # From 'save' on the copy is the record; the file before it stays as it was.
    assert Record.parse(path.read_text()) == first
    ended = Record.parse(copy.read_text())
    assert ended.actions[:1] == first.actions
    assert ended.result is not None
    kept = copy.read_bytes()
    for save, resume in ((copy, None), (None, copy)):
        with pytest.raises(NotLegalHere, match="holds a finished game"):
            play_in_terminal(HighCard(), [RandomPlayer()], Screen, save=save, resume=resume)
    assert copy.read_bytes() == kept


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nothing of the kind", "exists already and is not a record"),
        ('format = "meldlab record 1"\ngame = "high card"\nplayers = ["a", "b"]\nactions = []\n', "holds a game without you: a, b"),
        ('format = "meldlab record 1"\ngame = "gin"\nplayers = ["you", "b"]\nactions = []\n', "holds a game of gin, not of high card"),
        (
            'format = "meldlab record 1"\ngame = "high card"\nplayers = ["you", "b"]\nactions = []\nseed = 5\n',
            "holds a game with seed 5, not 3",
        ),
    ],
)
def test_what_cannot_be_gone_on_with_is_left_alone(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    path.write_text(text)
    for save, resume in ((path, None), (None, path)):
        with pytest.raises(MeldlabError, match=why):
            play_in_terminal(HighCard(), [RandomPlayer()], Screen, SEED, save=save, resume=resume)
    assert path.read_text() == text


def test_a_record_can_be_asked_for_at_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    typed(monkeypatch, "save nowhere/x.toml", "save", "quit")
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, SEED)
    assert "error: nowhere/x.toml cannot be written" in capsys.readouterr().out
    assert Record.parse(Path("high-card-3.toml").read_text()).players == ("you", "random")


class Hurried(Screen):
    """Takes one of its cards for the only choice that there is."""

    def only(self, view: Look) -> Any:
        return view.parse("stand") if view.stock == 48 else None


def test_what_played_itself_is_taken_back_with_the_choice_before_it() -> None:
    [stood] = list(Table(HighCard(), [Standing(), Standing()], max_actions=1).steps(DEAL))
    screen = Hurried(Console(), 0, ("you", "other"))
    assert stood.before.view(0).stock == 48
    chosen = stood._replace(before=HighCard().start(3, DEAL))
    assert (_steps_to_undo([stood], screen), _steps_to_undo([chosen, stood], screen), _steps_to_undo([chosen], screen)) == (0, 2, 1)


def test_a_mistake_of_the_screen_is_not_the_persons_forfeit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Broken(Screen):
        def hint(self, view: Look) -> None:
            raise KeyError("ours")

    path = tmp_path / "game.toml"
    typed(monkeypatch, "?")
    with pytest.raises(KeyError, match="ours"):
        play_in_terminal(HighCard(), [RandomPlayer()], Broken, SEED, save=path)
    assert Record.parse(path.read_text()).result is None


def test_a_forfeit_shows_its_traceback_and_keeps_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "game.toml"
    typed(monkeypatch, "stand")
    play_in_terminal(HighCard(), [Failing()], Screen, SEED, save=path)
    printed = capsys.readouterr()
    assert "Traceback" in printed.err
    assert 'raise KeyError("mine")' in printed.err
    assert "You win (p2 forfeits: failing gave no answer: KeyError: 'mine'" in printed.out
    assert [step.seat for step in replay(HighCard(), Record.parse(path.read_text()))] == [0, 1]


def test_a_person_has_all_the_time_there_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def slow(*_: object) -> str:
        time.sleep(0.1)
        return "stand"

    monkeypatch.setattr("builtins.input", slow)
    # A machine would be stopped after twenty times the limit.
    play_in_terminal(HighCard(), [RandomPlayer()], Screen, SEED, time=TimeLimit(per_move=0.001, per_game=100))
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
    steps = list(replay(load_game(record), record))
    me = record.players.index("you")
    # Options that are the only ones were taken besides.
    assert sum(step.seat == me for step in steps) >= len(lines) - 1
    assert f"The record is in {path}." in "".join(out.splitlines(keepends=True))


def test_compiling_is_announced_anew_after_each_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = list[bool]()
    monkeypatch.setattr(compiling, "announce_again", lambda: asked.append(True))
    typed(monkeypatch, "help", "sort", "quit")
    assert run(capsys, "rummikub", "play", "--seed", "4")[0] == 0
    assert len(asked) == 3
