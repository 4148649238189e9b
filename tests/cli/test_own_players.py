"""Players of one's own at the doors: what they do wrong is told in a line, and no record is lost by it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from meldlab.gin import Gin
from meldlab.play import Deal, Record
from tests.cli.test_gin import run

SRC = Path(__file__).parents[2] / "src"
PLAYERS = """
import sys
from meldlab.gin.players import GinPlayer

class Odd(GinPlayer):
    name = "[/nope]"

class Raising(GinPlayer):
    name = "[bold]raising"
    def drop(self, view, chance):
        raise KeyError("[red]")

class Exiting(GinPlayer):
    name = "exiting"
    def drop(self, view, chance):
        sys.exit()

class Looping(GinPlayer):
    name = "looping"
    def drop(self, view, chance):
        while True:
            pass

class Sometimes(GinPlayer):
    name = "sometimes"
    def drop(self, view, chance):
        return undefined if view.scores[view.seat] > 60 else super().drop(view, chance)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("mine.py").write_text(PLAYERS)


def first_move(starter: int) -> int:
    """Return a seed whose first round that seat starts."""
    return next(seed for seed in range(100) if Gin().start(2, Deal(seed)).seat == starter)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO("\n".join(lines) + "\n"))


def test_a_broken_file_is_one_line_or_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text("class Mine:\n    x = (\n")
    line = "error: mine.py:2: SyntaxError: '(' was never closed (mine.py, line 2)\n"
    verb = ["gin", "arena", "mine.py:Mine", "simple"]
    assert run(capsys, *verb) == (2, "", line)
    from meldlab.cli.app import main

    with pytest.raises(SyntaxError):
        main([*verb, "--raise"])
    capsys.readouterr()
    status, out, err = run(capsys, "gin", "play", "--against", "mine.py:Mine")
    assert (status, out) == (2, "")
    assert err.endswith(line)
    assert "    x = (\n" in err


def test_gin_arena_asks_for_the_class_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "gin", "arena", "mine.py", "simple")
    names = " or ".join(f"mine.py:{name}" for name in ("Odd", "Raising", "Exiting", "Looping", "Sometimes"))
    assert (status, err) == (2, f"error: name the class: {names}\n")
    Path("empty.py").write_text("from meldlab.gin.players import GinPlayer\n")
    status, _, err = run(capsys, "gin", "arena", "empty.py", "simple")
    assert (status, err) == (2, "error: no player in empty.py: expected a class with a method choose(view, chance)\n")
    status, _, err = run(capsys, "gin", "arena", "missing.py", "simple")
    assert (status, err) == (2, "error: no player in missing.py: no file missing.py\n")


def test_a_misspelt_class_lists_the_classes_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, "gin", "arena", "mine.py:Rising", "simple")
    assert err == "error: no player in mine.py 'Rising' (use Odd, Raising, Exiting, Looping, Sometimes); did you mean Raising?\n"


def test_a_player_that_forfeits_some_games_leaves_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "gin", "arena", "mine.py:Sometimes", "simple", "--games", "20", "--seed", "1", "--threads", "1")
    assert status == 0
    assert re.match(r"sometimes forfeited \d+ of 20 games \(first: gave no answer: NameError: .*\); run with --raise ", err)
    assert err.count("\n") == 1
    status, out, _ = run(capsys, "gin", "arena", "mine.py:Sometimes", "simple", "--games", "20", "--seed", "1", "--threads", "1", "--json")
    assert (status, 0 < json.loads(out)["players"][0]["forfeits"] < 20) == (0, True)


def test_forfeits_are_shown_with_two_players(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "gin", "arena", "mine.py:Raising", "simple", "--games", "8", "--seed", "1")
    assert status == 1
    why = "gave no answer: KeyError: '[red]' (mine.py:11)"
    assert err == f"[bold]raising forfeited 8 of 8 games (first: {why}); run with --raise to see the traceback\n"
    for seat in (1, 2):
        why = f"p{seat} forfeits: [bold]raising gave no answer: KeyError: '[red]' (mine.py:11)"
        assert f"4 games, the first is game {seat - 1}: {why}" in out
    _, out, _ = run(capsys, "gin", "arena", "simple", "mine.py:Raising", "--games", "8", "--seed", "1", "--json")
    answer = json.loads(out)
    assert ([one["forfeits"] for one in answer["players"]], answer["unended"], len(answer["failures"])) == ([0, 8], 0, 2)
    assert answer["players"][0]["win_rate"] == 1


def test_forfeits_are_shown_with_three_players_and_markup_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "gin", "arena", "mine.py:Odd", "mine.py:Raising", "simple", "--games", "2")
    assert (status, err.count("\n")) == (1, 1)
    assert err.startswith("[bold]raising forfeited 4 of 4 games (first: gave no answer: ")
    assert "[/nope]" in out
    assert "game 0: p2 forfeits: [bold]raising gave no answer" in out
    assert "game 1: p1 forfeits: [bold]raising gave no answer" in out
    _, out, _ = run(capsys, "gin", "arena", "mine.py:Odd", "mine.py:Raising", "simple", "--games", "2", "--json")
    found = [[player["forfeits"] for player in one["players"]] for one in json.loads(out)["contests"]]
    assert found == [[0, 2], [0, 0], [2, 0]]


def test_a_traceback_of_a_move(capsys: pytest.CaptureFixture[str]) -> None:
    from meldlab.cli.app import main

    with pytest.raises(KeyError, match="red"):
        main(["gin", "arena", "mine.py:Raising", "simple", "--games", "2", "--raise"])
    capsys.readouterr()


def test_time_limits_at_the_door(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["mine.py:Looping", "simple", "--games", "2", "--seconds-per-move", "0.2", "--seconds-per-game", "9", "--threads", "1"]
    status, out, err = run(capsys, "gin", "arena", *arguments)
    assert (status, err) == (1, "looping forfeited 2 of 2 games (first: ran out of time (0.2 s per move, 9 s per game))\n")
    assert "game 0: p1 forfeits: looping ran out of time (0.2 s per move, 9 s per game)" in out
    status, _, err = run(capsys, "gin", "arena", "simple", "random", "--seconds-per-move", "0")
    assert (status, err) == (2, "error: expected a time limit from 0.001 to 1,000,000 s, got 0 s\n")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Raising", "[bold]raising gave no answer: KeyError: '[red]' (mine.py:11)"),
        ("Exiting", "exiting gave no answer: SystemExit (mine.py:16)"),
        ("Looping", "looping ran out of time (0.2 s per move)"),
    ],
)
def test_gin_play_keeps_the_record_of_a_forfeit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    seed = first_move(1)
    typed(monkeypatch, "pass", "quit")
    limit = ["--seconds-per-move", "0.2"] if name == "Looping" else []
    status, out, err = run(capsys, "gin", "play", "--against", f"mine.py:{name}", "--seed", str(seed), "--save", "game.toml", *limit)
    assert status == 0
    assert ("Traceback" in err and "in drop\n" in err) == (name != "Looping")
    assert f"p2 forfeits: {why}" in out
    assert f"You win (p2 forfeits: {why}): you 222, p2 0." in out
    record = Record.parse(Path("game.toml").read_text())
    assert record.actions[-1] == f"p2 forfeits: {why}"
    assert record.result is not None
    assert record.result.winners == (0,)
    assert run(capsys, "replay", "game.toml")[0] == 0


def test_a_record_is_gone_on_with_and_not_written_over(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "quit")
    assert run(capsys, "gin", "play", "--against", "simple", "--save", "game.toml")[0] == 0
    before = Path("game.toml").read_bytes()
    typed(monkeypatch, "quit")
    # The opponent is the one of the record, whoever is named.
    status, out, _ = run(capsys, "gin", "play", "--against", "random", "--save", "game.toml")
    assert status == 0
    assert "p2 is simple" in out
    assert Path("game.toml").read_bytes() == before
    for path, why in ((".", "exists already"), ("nowhere/x.toml", "cannot be written")):
        status, out, err = run(capsys, "gin", "play", "--against", "simple", "--save", path)
        assert (status, out) == (2, "")
        assert err.startswith(f"error: {path} {why}")


def test_a_game_against_ones_own_player_goes_on_with_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seed = str(first_move(0))
    typed(monkeypatch, "quit")
    assert run(capsys, "gin", "play", "--against", "mine.py:Exiting", "--seed", seed, "--save", "game.toml")[0] == 0
    status, _, err = run(capsys, "gin", "play", "--resume", "game.toml")
    assert (status, err) == (2, "error: the record was played against exiting; name its file by --against\n")
    typed(monkeypatch, "quit")
    assert run(capsys, "gin", "play", "--against", "mine.py:Exiting", "--resume", "game.toml")[0] == 0


def test_control_c_keeps_what_was_played(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["pass"])

    def answer(*_: object) -> str:
        text = next(answers, None)
        if text is None:
            raise KeyboardInterrupt
        return text

    monkeypatch.setattr("builtins.input", answer)
    assert run(capsys, "gin", "play", "--against", "simple", "--seed", str(first_move(0)), "--save", "game.toml")[0] == 0
    assert Record.parse(Path("game.toml").read_text()).actions[0] == "p1 pass"


def waiting(*arguments: str) -> subprocess.Popen[str]:
    """Start the command in a process of its own, with a pipe to type into."""
    command = [sys.executable, "-c", "from meldlab.cli.app import main; main()", *arguments]
    known = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known, start_new_session=True
    )


@pytest.mark.parametrize(
    ("number", "statuses"), [(signal.SIGINT, (0, 130)), (signal.SIGHUP, (-signal.SIGHUP,)), (signal.SIGKILL, (-signal.SIGKILL,))]
)
def test_a_record_survives_the_end_of_the_terminal(number: signal.Signals, statuses: tuple[int, ...]) -> None:
    seed = first_move(0)
    process = waiting("gin", "play", "--against", "simple", "--seed", str(seed), "--save", "game.toml")
    assert process.stdin is not None
    process.stdin.write("pass\n")
    process.stdin.flush()
    # The other answers the pass; whatever is asked next is not answered.
    end = time.monotonic() + 120
    while time.monotonic() < end and not (Path("game.toml").is_file() and "p2 " in Path("game.toml").read_text()):
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in statuses
    record = Record.parse(Path("game.toml").read_text())
    assert record.actions[0] == "p1 pass"
    assert record.actions[1].startswith("p2 ")


@pytest.mark.parametrize(
    "verb", [["gin", "play", "--against", "simple"], ["rummikub", "play"], ["recycle", "play", "hearts"], ["stopping", "play"]]
)
def test_a_closed_input_is_one_line(verb: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    status, out, err = run(capsys, *verb)
    assert (status, out) == (2, "")
    assert err == "error: there is no input to play from: it is closed\n"
