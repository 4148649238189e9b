"""``meldlab stopping``: its answers, its mistakes, and a game at the terminal."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from meldlab.cli.app import main

SRC = Path(__file__).parents[2] / "src"
VERBS = ("value", "advise", "policy", "matrices", "winnings", "draw", "figures", "play")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return status, what was printed, and what was complained about."""
    with pytest.raises(SystemExit) as stopped:
        main(["stopping", *arguments])
    said = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, said.out, said.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    status, out, _ = run(capsys, *arguments, "--json")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_value(capsys: pytest.CaptureFixture[str]) -> None:
    fraction = "41984711742427/15997372030584"
    assert answer(capsys, "value", "--deck", "26,26", "--exact") == {"value": 2.624475548993925, "exact": fraction}
    found = answer(capsys, "value", "--deck", "26,26")
    assert found == {"value": pytest.approx(2.624475548993925, abs=1e-14), "exact": None}
    assert answer(capsys, "value", "--deck", "3,0", "--gain", "1/3", "--exact") == {"value": 1.0, "exact": "1/1"}
    assert run(capsys, "value", "--deck", "1,1", "--gain", "0.5", "--loss", "1/2", "--exact") == (0, "1/4 = 0.25\n", "")


def test_advise(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "advise", "--drawn", "20", "--black", "13") == {
        "value": 6.0,
        "stop_value": 6.0,
        "continue": False,
        "next_black": 13 / 32,
    }
    tie = answer(capsys, "advise", "--drawn", "49", "--black", "25")
    assert (tie["value"], tie["continue"]) == (1.0, False)
    end = answer(capsys, "advise", "--drawn", "3", "--black", "1", "--deck", "1,2", "--loss", "1/4")
    assert end == {"value": 0.5, "stop_value": 0.5, "continue": False, "next_black": None}
    large = answer(capsys, "advise", "--drawn", "0", "--black", "0", "--deck", "5000,5000")
    assert (large["continue"], large["stop_value"], large["next_black"]) == (True, 0.0, 0.5)
    assert large["value"] == pytest.approx(36.90, abs=0.01)


def test_advice_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "advise", "--drawn", "0", "--black", "0", "--deck", "1,1")[1] == (
        "draw: worth 1/2 (0.5) against 0 for stopping; the next card is black with 50.0%\n"
    )
    assert run(capsys, "advise", "--drawn", "1", "--black", "1", "--deck", "1,1")[1].startswith("stop with 1: drawing is worth no more")
    assert run(capsys, "advise", "--drawn", "2", "--black", "1", "--deck", "1,1")[1] == "no card is left: the game ends with 0\n"


def test_policy(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "policy")
    assert found["indifferent"] == [[1, 2]]
    assert found["boundary"][:5] == [0, 0, 1, 1, 2]
    assert len(found["boundary"]) == 27
    assert answer(capsys, "policy", "--deck", "3000,3000")["indifferent"] is None
    assert run(capsys, "policy", "--deck", "1,2")[1].splitlines()[-1] == "equally good (black left, red left): (1,2)"


def test_matrices(capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "matrices", "--deck", "1,2") == {
        "currentValue": [[-1.0, 0.0, 1.0], [-1.0, -0.5, 0.0]],
        "continueOrNot": [[False, False, False], [True, True, False]],
        "exact": [["-1/1", "0/1", "1/1"], ["-1/1", "-1/2", "0/1"]],
    }
    assert run(capsys, "matrices", "--deck", "1,1")[1].splitlines() == [
        "currentValue by cards left",
        "black \\ red |      0      1",
        "          0 | 0.0000 1.0000",
        "          1 | 0.0000 0.5000",
        "",
        "continueOrNot by cards left, 1: continue",
        "black \\ red | 0 1",
        "          0 | 0 0",
        "          1 | 1 1",
    ]


def test_winnings(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "winnings", "--deck", "2,2", "--games", "5000", "--seed", "4")
    assert [(row["amount"], row["exact"]) for row in found["winnings"]] == [("0", "1/3"), ("1", "2/3")]
    assert found["ci95"][0] < found["mean"] < found["ci95"][1]
    assert found == answer(capsys, "winnings", "--deck", "2,2", "--games", "5000", "--seed", "4")
    rows = run(capsys, "winnings", "--deck", "2,2", "--gain", "1/2", "--loss", "1/2", "--games", "50")[1].splitlines()
    assert [row[:9] for row in rows[:3]] == [" winnings", "        0", "1/2 (0.5)"]
    assert run(capsys, "winnings", "--games", "1000")[1].splitlines()[-2].startswith("mean 2.624476")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_shows_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, verb, "--help")
    assert status == 0
    assert f"Example: meldlab stopping {verb}" in out
    assert "--json" in out or verb == "play"


BAD = [
    (["advise", "--drawn", "5", "--black", "9"], "error: 5 cards with 9 black cannot come from 26 black and 26 red\n"),
    (["advise", "--drawn", "-1", "--black", "0"], "error: -1 cards with 0 black cannot come from 26 black and 26 red\n"),
    (
        ["advise", "--drawn", "1", "--black", "1", "--deck", "26;26"],
        "error: a deck is black,red: two numbers of cards with a comma between, such as 26,26\n  26;26\n    ^\n",
    ),
    (
        ["advise", "--drawn", "1", "--black", "1", "--deck", "26,-2"],
        "error: no number of cards '-2' (use a whole number from 0 up)\n  26,-2\n     ^\n",
    ),
    (["value", "--deck", "99999999,1"], "error: 99999999 black cards cannot be in a deck (0 to 10,000,000 of a colour)\n"),
    (["value", "--gain", "x"], "error: no amount 'x' (use a number such as 2, 0.5 or 1/2)\n  x\n  ^\n"),
    (["value", "--loss", "1/0"], "error: no amount has the denominator 0\n  1/0\n    ^\n"),
    (["draw", "polcy", "--out", "a.svg"], "error: no picture 'polcy' (use value, policy, shepp, winnings); did you mean policy?\n"),
    (["draw", "policy", "--out", "a.gif"], "error: no picture format '.gif' (use .svg, .png)\n"),
    (["draw", "value", "--deck", "501,1", "--out", "a.svg"], "error: 501 black and 1 red cards are too many for a heat map"),
    (["value", "--deck", "99999,99999", "--exact"], "error: 99999 black and 99999 red cards in exact fractions would take"),
    (["matrices", "--deck", "9999,9999"], "error: a matrix of 10000 x 10000 positions is too large"),
    (["winnings", "--games", "99999999999"], "error: 99,999,999,999 games of up to 52 cards would take about 29 hours"),
    (["winnings", "--seed", "9" * 30], "error: seed must be a whole number from 0 to 2^63 - 1, not 9999"),
    (["play", "--deck", "5000,5000"], "error: 5000,5000 is too large a deck for advice at once"),
]


@pytest.mark.parametrize(("arguments", "line"), BAD)
def test_bad_input_is_one_line_and_a_caret(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(line)
    assert len(err.splitlines()) == len(line.splitlines())


@pytest.mark.parametrize(
    "arguments", [["value", "--black", "26"], ["advise"], ["advise", "--drawn", "1.5", "--black", "1"], ["nope"], ["draw"]]
)
def test_bad_usage_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)


def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, *arguments: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    status, out, err = run(capsys, "play", *arguments)
    assert (status, err) == (0, "")
    return out


def test_a_game_to_the_last_card(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = play(monkeypatch, capsys, "d\n\nDRAW\nd\n", "--deck", "2,2", "--seed", "3")
    assert "The pile is empty: you won 0 with 4 cards." in out
    assert out.splitlines()[-1].endswith("and 2/3 (0.666667) on average.")


def test_advice_mistakes_and_stopping(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = play(monkeypatch, capsys, "?\nfold\nundo\nSORT\nsave\nhelp\nrules\ns\nd\n", "--seed", "3")
    assert "draw: worth 2.624476 against 0 for stopping; the next card is black with 50.0%" in out
    assert "no move 'fold'; you may draw, stop or ask for a hint" in out
    assert "a card that was seen cannot be unseen" in out
    assert "there is no hand to sort" in out
    assert "there is nothing to save" in out
    assert "turn the next card up" in out
    assert out.count("26 black cards win 1 each") == 2
    assert "You stop: you won 0 with 0 cards." in out


def test_the_end_of_the_input_stops_the_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "You stop: you won 0 with 0 cards." in play(monkeypatch, capsys, "", "--seed", "3")


def test_the_seed_decides_the_pile(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = "d\n" * 20
    games = [play(monkeypatch, capsys, typed, "--seed", seed) for seed in ("3", "3", "4")]
    assert games[0] == games[1] != games[2]


def test_a_game_without_a_seed_says_which_it_took(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = play(monkeypatch, capsys, "d\nd\ns\n")
    seed = out.split("Seed ")[1].split(".")[0]
    assert play(monkeypatch, capsys, "d\nd\ns\n", "--seed", seed) == out


def test_a_pile_without_cards_is_over_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "The pile is empty: you won 0 with 0 cards." in play(monkeypatch, capsys, "", "--deck", "0,0", "--seed", "1")


def terminal() -> "subprocess.Popen[str]":
    """Start a game in a process of its own."""
    command = [sys.executable, "-m", "meldlab", "stopping", "play", "--seed", "3"]
    known = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=known)


def test_piped_input() -> None:
    with terminal() as job:
        out, err = job.communicate("d\n?\ns\n", timeout=120)
    assert (job.returncode, err) == (0, "")
    assert "You stop: you won" in out


def test_control_c_leaves_without_a_traceback() -> None:
    with terminal() as job:
        assert job.stdout is not None
        text = ""
        while not text.endswith("left> "):
            text += job.stdout.read(1)
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=120)
    # As at every table, it is the wish to leave.
    assert (job.returncode, err) == (0, "")
