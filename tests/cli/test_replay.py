"""``meldlab replay``: records of all games are read, and a seat is shown no more than it could see."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from meldlab.cli.app import main
from meldlab.cli.replay import screen_class
from meldlab.games import load_game
from meldlab.gin import Gin, Rules
from meldlab.play import Deal, Game, RandomPlayer, Record, Table
from meldlab.play import replay as steps_of
from meldlab.recycle import RecycleGame
from meldlab.rummikub.game import Rummikub
from meldlab.rummikub.rules import Rules as House

GAMES: dict[str, Game[Any]] = {
    "gin": Gin(Rules(match_points=20)),
    "oklahoma": Gin(replace(Rules.preset("oklahoma"), match_points=20)),
    "rummikub": Rummikub(House(joker_rule="modern", dealt=7)),
    "kuhn_poker": RecycleGame.load("kuhn_poker"),
    "hearts": RecycleGame.load("hearts"),
}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["replay", *arguments])
    printed = capsys.readouterr()
    return int(stopped.value.code or 0), printed.out, printed.err


@cache
def played(name: str) -> Record:
    game = GAMES[name]
    return Table(game, [RandomPlayer()] * game.seats[0]).play(Deal(5)).record


@pytest.mark.parametrize("name", GAMES)
def test_a_replay_in_steps_shows_what_each_player_saw(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = played(name), tmp_path / "game.toml"
    record = replace(record, actions=record.actions[:1], result=None)
    file.write_text(str(record))
    sign = {"gin": "  upcard", "oklahoma": "  upcard", "rummikub": "rack:"}.get(name, "  your hand  ")
    for seat in ((), ("--seat", "1")):
        status, out, _ = run(capsys, str(file), "--step", *seat)
        assert status == 0
        assert sign in out
        assert sign not in run(capsys, str(file), *seat)[1]


def test_replay_of_a_seat_says_who_is_to_move(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = played("gin"), tmp_path / "game.toml"
    file.write_text(str(record))
    _, out, _ = run(capsys, str(file), "--step", "--seat", "1")
    shown = [line.strip() for line in out.splitlines() if line.startswith(("  you may", "  the other is to move"))]
    assert "you may" not in shown
    assert [line.startswith("you may ") for line in shown] == [line.startswith("p1 ") for line in record.actions]


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_shown(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = played(name), tmp_path / "game.toml"
    file.write_text(str(record))
    status, out, _ = run(capsys, str(file))
    assert status == 0
    shown = "".join(out.split())
    drawn = screen_class(GAMES[name])(Console(), 0, record.players).drawn
    assert all("".join(drawn(line).plain.split()) in shown for line in record.actions)
    # Cards are written one way on a screen: as they are drawn.
    assert not re.search(r"\b[A2-9TJQK][CDHS]\b|-HEARTS\b", out)
    told = json.loads(run(capsys, str(file), "--json")[1])
    assert record.result is not None
    assert (told["actions"], told["scores"]) == (list(record.actions), list(record.result.scores))


def test_a_seat_is_shown_what_it_could_see(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, hidden in (("gin", "draw stock "), ("rummikub", "draw ")):
        record, file = played(name), tmp_path / f"{name}.toml"
        file.write_text(str(record))
        told = json.loads(run(capsys, str(file), "--json", "--seat", "1")[1])
        assert any(line.startswith(f"p2 {hidden}") for line in record.actions)
        for line, full in zip(told["actions"], record.actions, strict=True):
            assert line == (f"p2 {hidden}".strip() if full.startswith(f"p2 {hidden}") else full)


def test_what_another_passes_on_stays_hidden_in_a_recycle_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = played("kuhn_poker"), tmp_path / "game.toml"
    file.write_text(str(record))
    game = load_game(record)
    for seat in (0, 1):
        told = json.loads(run(capsys, str(file), "--json", "--seat", str(seat + 1))[1])["actions"]
        for step, line, full in zip(steps_of(game, record), told, record.actions, strict=True):
            assert line == f"{full.partition(' ')[0]} {step.before.describe(step.action, seat)}"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (('game = "kuhn_poker"', 'game = "bridge"'), ""),
        (('dialect = "0.6"', "dialect = 6"), "error: 'dialect' of a description is a str, not 6"),
        (('dialect = "0.6"', 'dialect = "7"'), "error: no dialect '7'"),
        (("decisions = 10000", 'decisions = "x"'), "error: a limit is written name=number"),
        (("[rules]", "[rules]\nwords = 1"), "error: no field of a description 'words'"),
    ],
)
def test_a_stranger_writes_the_record(change: tuple[str, str], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, text = tmp_path / "game.toml", str(played("kuhn_poker"))
    assert change[0] in text
    file.write_text(text.replace(*change))
    status, out, err = run(capsys, str(file))
    assert status == (2 if line else 0)
    assert err.startswith(line)
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ("jokers = true", "error: the rule jokers is a whole number, not True"),
        ("tiles = 3", "error: no rule 'tiles'"),
        ("jokers = 99", "error: 99 jokers"),
    ],
)
def test_a_house_that_cannot_be(rules: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.toml"
    file.write_text(f'format = "meldlab record 1"\ngame = "rummikub"\nplayers = ["a", "b"]\nactions = []\n[rules]\n{rules}\n')
    status, _, err = run(capsys, str(file))
    assert status == 2
    assert err.startswith(line)


def test_what_cannot_be_replayed_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "nowhere.toml")[2] == "error: cannot read nowhere.toml: No such file or directory\n"
    file = tmp_path / "game.toml"
    file.write_text('format = "meldlab record 1"\ngame = "bridge"\nplayers = ["a", "b"]\nactions = []\n')
    assert run(capsys, str(file))[2].startswith("error: no game 'bridge' (use gin, rummikub")
    file.write_text(str(played("gin")))
    assert run(capsys, str(file), "--seat", "3")[2] == f"error: {file} has 2 seats, not 3\n"


ARENAS = {
    "gin": ["gin", "arena", "simple", "gin-only", "--games", "4"],
    "rummikub": ["rummikub", "arena", "greedy", "greedy", "--games", "2"],
    "recycle": ["recycle", "arena", "kuhn_poker", "mcts:2", "random", "--games", "4"],
}


def arena(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    printed = capsys.readouterr()
    return int(stopped.value.code or 0), printed.out, printed.err


@pytest.mark.parametrize("door", ARENAS)
def test_games_between_programs_can_be_watched(door: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "seen"
    status, out, _ = arena(capsys, *ARENAS[door], "--save", str(folder), "--save-games", "2")
    assert status == 0
    first = folder / "game-0001.toml"
    assert out.endswith(f"2 records are in {folder}; 'meldlab replay {first}' shows the first.\n")
    status, out, _ = run(capsys, str(first))
    assert status == 0
    assert " won, " in out.splitlines()[-1]
    # What is there stays, whatever it is.
    before = first.read_text()
    assert arena(capsys, *ARENAS[door], "--save", str(folder))[::2] == (2, f"error: {folder} exists already; name a new folder\n")
    assert arena(capsys, *ARENAS[door], "--save", str(first))[::2] == (2, f"error: {first} exists already; name a new file\n")
    assert first.read_text() == before


def test_one_game_goes_to_a_file_and_nothing_is_played_for_one_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.toml"
    _, out, _ = arena(capsys, *ARENAS["gin"], "--save", str(path), "--json")
    assert json.loads(out)["records"] == [str(path)]
    assert Record.parse(path.read_text()).players == ("simple", "gin-only")
    nowhere = tmp_path / "none" / "one.toml"
    status, out, err = arena(capsys, *ARENAS["gin"], "--save", str(nowhere))
    assert (status, out, err) == (2, "", f"error: {nowhere} cannot be written: No such file or directory\n")
